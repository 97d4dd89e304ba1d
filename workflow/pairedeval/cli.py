"""The command ``pairedeval``."""

import argparse
import sys
from collections.abc import Callable, Sequence

from pairedeval import __version__
from pairedeval.errors import PairedEvalError

Command = Callable[[argparse.Namespace], str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or 2 with one line on standard error if the input cannot be used."""
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        print(command(options))
    except PairedEvalError as error:
        print(f"pairedeval: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pairedeval", description="Paired evaluation under visual perturbations.")
    parser.add_argument("--version", action="version", version=f"pairedeval {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="check prediction files and say what they hold")
    check.add_argument("clean", metavar="CLEAN", help="prediction file or record file (CSV or Parquet)")
    check.add_argument("perturbed", metavar="PERTURBED", nargs="?", help="the same images, perturbed")
    check.set_defaults(command=_check)
    return parser


def _check(options: argparse.Namespace) -> str:
    from pairedeval.checking import check_files

    return check_files(options.clean, options.perturbed)


if __name__ == "__main__":
    sys.exit(main())
