"""The command ``pairedeval``."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from pairedeval import __version__
from pairedeval.errors import PairedEvalError

if TYPE_CHECKING:
    from pairedeval.own.answers import Answer
    from pairedeval.own.joint_counts import JointCounts

# What a command prints, and its exit status.
Command = Callable[[argparse.Namespace], tuple[str, int]]

_SCORES = "corruption_mean (default), confidence, confidence_decrease, retention, confidence_deviation, consistency"
_RANKING = (
    "Ranks the images that a model predicts correctly when clean, the riskiest first; images of equal risk stand in "
    "the order of their ids. Of several models, each has its ranking, and a last one, 'all models', orders the images "
    "by the probe failures of all models together."
)
_CERTIFICATE = (
    "If every file has a column logit_<label> for each class, half of the images also calibrates a margin above which "
    "predictions keep their class, up to the probability B, and the other half shows how well that holds."
)
_COLUMNS = "image_id, label, prediction, confidence, true_class_probability"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its status: 0, 1 for a problem found, 2 and one line of error for unusable input."""
    status = 0
    try:
        options = _parser().parse_args(arguments)
        command: Command = options.command
        told, status = command(options)
        print(told, flush=True)
    except PairedEvalError as error:
        print(f"pairedeval: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


class _Parser(argparse.ArgumentParser):
    """A parser that reports a wrong argument in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="pairedeval", description="Paired evaluation under visual perturbations.")
    parser.add_argument("--version", action="version", version=f"pairedeval {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="check prediction files and say what they hold")
    check.add_argument("clean", metavar="CLEAN", help="prediction file or record file (CSV or Parquet)")
    check.add_argument("perturbed", metavar="PERTURBED", nargs="?", help="the same images, perturbed")
    check.set_defaults(command=_check)
    bounds = commands.add_parser("bounds", help="say what two prediction files determine about reliability changes")
    _add_sides(bounds, "accept a prediction if its confidence is at least T")
    _add_knowledge(bounds)
    bounds.set_defaults(command=_bounds)
    policies = commands.add_parser("policies", help="compare rejection policies on the perturbed side")
    _add_sides(policies, "accept a clean prediction if its confidence is at least T")
    policies.add_argument(
        "--policy-thresholds", required=True, metavar="T1,T2,...", type=_shares, help="perturbed threshold per policy"
    )
    policies.add_argument(
        "--weight", default=0.5, metavar="W", type=_weight, help="weight of accepted errors in the cost (default 0.5)"
    )
    _add_knowledge(policies)
    policies.set_defaults(command=_policies)
    screen = commands.add_parser(
        "screen", help="rank images for real recapture by predictions on clean and probe images", epilog=_RANKING
    )
    _add_screening(screen)
    screen.set_defaults(command=_screen)
    consistency = commands.add_parser(
        "consistency",
        help="say how stable predictions are under probes, and what that adds to confidence",
        epilog=_CERTIFICATE,
    )
    _add_consistency(consistency)
    consistency.set_defaults(command=_consistency)
    review = commands.add_parser(
        "review", help="estimate from reviewed events how often persistent wrong answers are right"
    )
    review.add_argument("sample", metavar="SAMPLE", help="sample.csv as drawn by the study")
    review.add_argument(
        "ratings", metavar="RATINGS", nargs="+", help="one or two rating files (event_id,reviewer,rating,comment)"
    )
    review.add_argument("--decisions", metavar="FILE", help="rating file that settles the reviewers' disagreements")
    review.add_argument("--json", action="store_true", help="print JSON instead of a readable table")
    review.set_defaults(command=_review)
    provenance = commands.add_parser("provenance", help="say what a result was made of and how, back to the sources")
    provenance.add_argument("file", metavar="FILE", help="file under results/<study>, or a copy of one")
    provenance.add_argument("--json", action="store_true", help="print JSON instead of a readable tree")
    provenance.set_defaults(command=_provenance)
    scorecard = commands.add_parser(
        "scorecard", help="say whether a study agrees with the numbers that the paper prints"
    )
    scorecard.add_argument("study", metavar="STUDY", help="folder of the study, such as results/paper")
    scorecard.add_argument("--tolerances", metavar="FILE", help="accepted differences instead of those of the run")
    scorecard.add_argument("--json", action="store_true", help="print JSON instead of a readable table")
    scorecard.set_defaults(command=_scorecard)
    return parser


def _add_sides(parser: argparse.ArgumentParser, threshold: str) -> None:
    parser.add_argument("clean", metavar="CLEAN", help=f"CSV or Parquet file with the columns {_COLUMNS}")
    parser.add_argument("perturbed", metavar="PERTURBED", help="the same, with the images perturbed")
    parser.add_argument("--threshold", required=True, metavar="T", type=_threshold, help=threshold)


def _add_knowledge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--level", metavar="LEVEL", help="report only what I0, Ik or I5 says (default: all known)")
    parser.add_argument("--overlap", metavar="FILE", help="overlap counts (label,k) where image ids do not tell them")
    parser.add_argument("--states", metavar="FILE", help="five state counts (label,h,r,s,w,k), likewise")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a readable table")


def _add_screening(parser: argparse.ArgumentParser) -> None:
    _add_probes(parser)
    parser.add_argument("--budget", metavar="Q", type=_budget, help="select this share of the images, such as 0.2")
    parser.add_argument("--score", metavar="NAME", default="corruption_mean", help=f"one of {_SCORES}")
    parser.add_argument(
        "--outcomes",
        metavar="FILE",
        help="predictions on recaptured images: report how many failures the ranking finds within the budget (default "
        "0.2), with 95%% intervals from resampled images",
    )
    parser.add_argument("--output", metavar="FILE", help="write the whole ranking to this CSV file")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a readable table")


def _add_probes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("clean", metavar="CLEAN", help=f"CSV or Parquet file with the columns {_COLUMNS}")
    parser.add_argument(
        "probes",
        metavar="PROBE",
        nargs="+",
        help="the same images under a probe condition, such as a corruption; a column 'condition' makes several, "
        "otherwise the file's name is the condition",
    )


def _add_consistency(parser: argparse.ArgumentParser) -> None:
    _add_probes(parser)
    parser.add_argument(
        "--weight", default=0.5, metavar="A", type=_weight, help="weight of label stability in the score (default 0.5)"
    )
    parser.add_argument(
        "--tolerance",
        default=0.05,
        metavar="D",
        type=_tolerance,
        help="largest gap between accuracy and mean consistency that counts as balanced (default 0.05)",
    )
    parser.add_argument(
        "--beta",
        default=0.05,
        metavar="B",
        type=_beta,
        help="probability that an image is certified and flips, for files with logits (default 0.05)",
    )
    parser.add_argument("--output", metavar="FILE", help="write what the views say of each image to this CSV file")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a readable table")


def _budget(text: str) -> float:
    from pairedeval.own.screening import check_budget

    value = _number(text, "budget", "0.2")
    check_budget(value)
    return value


def _threshold(text: str) -> float:
    return _share(text, "threshold")


def _weight(text: str) -> float:
    return _share(text, "weight")


def _tolerance(text: str) -> float:
    return _share(text, "tolerance", "0.05")


def _beta(text: str) -> float:
    from pairedeval.own.consistency import check_beta

    value = _number(text, "beta", "0.05")
    check_beta(value)
    return value


def _shares(text: str) -> list[float]:
    return [_share(part, "policy threshold") for part in text.split(",")]


def _share(text: str, name: str, example: str = "0.8") -> float:
    from pairedeval.own.functions import check_share

    value = _number(text, name, example)
    check_share(value, name)
    return value


def _number(text: str, name: str, example: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PairedEvalError(f"{name} '{text}' is not a number; give a share such as {example}") from None


def _check(options: argparse.Namespace) -> tuple[str, int]:
    from pairedeval.own.checking import check_files

    return check_files(options.clean, options.perturbed), 0


def _bounds(options: argparse.Namespace) -> tuple[str, int]:
    from pairedeval.own.functions import answer_bounds, read_cells
    from pairedeval.own.readable_bounds import readable_bounds

    supplied = _supplied(options)
    cells, notes = read_cells(options.clean, options.perturbed)
    answers = list(answer_bounds(cells, options.threshold, options.level, supplied))
    if options.json:
        return _as_json([answer for _, answer in answers]), 0
    return readable_bounds(answers, options.threshold, notes), 0


def _policies(options: argparse.Namespace) -> tuple[str, int]:
    from pairedeval.own.functions import answer_policies, read_cells
    from pairedeval.own.readable_policies import readable_policies

    supplied = _supplied(options)
    cells, notes = read_cells(options.clean, options.perturbed)
    question = (options.threshold, options.policy_thresholds, options.weight, options.level)
    answers = list(answer_policies(cells, *question, supplied))
    if options.json:
        return _as_json([answer for _, answer in answers]), 0
    return readable_policies(answers, options.threshold, notes), 0


def _screen(options: argparse.Namespace) -> tuple[str, int]:
    from pairedeval.own.output import check_output, write_csv
    from pairedeval.own.readable_screening import readable_screening
    from pairedeval.own.screening import ranking_table, screen_answer, screen_models
    from pairedeval.own.screening_files import read_probed_models
    from pairedeval.own.screening_ranking import check_score

    check_score(options.score)  # before the reading, which may take a while
    if options.output is not None:
        check_output(options.output, [options.clean, *options.probes, options.outcomes], "ranking")
    models, notes = read_probed_models(options.clean, options.probes)
    screenings = screen_models(models, options.score, options.budget, options.outcomes)
    if options.output is not None:
        write_csv(ranking_table(screenings), options.output)
    if options.json:
        return _as_json([screen_answer(screening) for screening in screenings]), 0
    return readable_screening(screenings, options.output, notes), 0


def _consistency(options: argparse.Namespace) -> tuple[str, int]:
    from pairedeval.own.consistency import measure_models
    from pairedeval.own.consistency_files import read_viewed_models
    from pairedeval.own.consistency_table import images_table
    from pairedeval.own.output import check_output, write_csv
    from pairedeval.own.readable_consistency import readable_consistency

    if options.output is not None:
        check_output(options.output, [options.clean, *options.probes], "table of images")
    models, notes = read_viewed_models(options.clean, options.probes)
    found = measure_models(models, options.weight, options.tolerance, options.beta)
    if options.output is not None:
        write_csv(images_table(found), options.output)
    if options.json:
        return _as_json([part.answer for part in found]), 0
    return readable_consistency(found, options.output, notes), 0


def _review(options: argparse.Namespace) -> tuple[str, int]:
    from pairedeval.own.readable_review import readable_review
    from pairedeval.own.review import review_files

    answer = review_files(options.sample, options.ratings, options.decisions)
    told = _as_json([answer]) if options.json else readable_review(answer, options.sample)
    return told, 0


def _provenance(options: argparse.Namespace) -> tuple[str, int]:
    from pairedeval.provenance.chain import chain_answer, trace
    from pairedeval.provenance.readable import readable_chain

    chain = trace(options.file)
    told = _as_json([chain_answer(chain)]) if options.json else readable_chain(chain)
    return told, int(bool(chain.problems))


def _scorecard(options: argparse.Namespace) -> tuple[str, int]:
    from pairedeval.scorecard.command import scorecard_answer, scorecard_text

    answer = scorecard_answer(options.study, options.tolerances)
    return _as_json([answer]) if options.json else scorecard_text(answer), int(not answer["ok"])


def _supplied(options: argparse.Namespace) -> "JointCounts | None":
    from pairedeval.own.functions import supplied_counts
    from pairedeval.own.joint_counts import OVERLAP_COUNTS, STATE_COUNTS, read_joint_counts

    return supplied_counts(
        None if options.overlap is None else read_joint_counts(options.overlap, OVERLAP_COUNTS),
        None if options.states is None else read_joint_counts(options.states, STATE_COUNTS),
    )


def _as_json(answers: "list[Answer]") -> str:
    return json.dumps(answers[0] if len(answers) == 1 else answers, allow_nan=False)


if __name__ == "__main__":
    sys.exit(main())
