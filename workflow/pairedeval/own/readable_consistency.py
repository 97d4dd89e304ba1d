"""What ``pairedeval consistency`` prints for people."""

from collections.abc import Sequence

from pairedeval.consistency.quantities import ACCURACY_DOMINANT, BALANCED, CONSISTENCY_DOMINANT
from pairedeval.own.answers import Answer
from pairedeval.own.consistency import ModelConsistency
from pairedeval.own.consistency_errors import CONFIDENCE, DEVIATION, RISK_SIGNS, SCORE, STABILITY
from pairedeval.own.consistency_files import LOGIT
from pairedeval.own.readable import UNDEFINED, aligned, conclusions, note_lines, paragraph
from pairedeval.own.screening_files import UNNAMED

# Recall is printed class by class up to so many classes.
CLASSES_SHOWN = 20
REGIME_MEANINGS = {
    CONSISTENCY_DOMINANT: "predictions are more stable than right",
    BALANCED: "predictions are about as stable as right",
    ACCURACY_DOMINANT: "predictions are more often right than stable",
}


def readable_consistency(found: Sequence[ModelConsistency], output: str | None, notes: Sequence[str]) -> str:
    """Print means, detection of errors, flips, recall and certificate of each model, and what they say.

    Parameters
    ----------
    found
        Results of the models, see `pairedeval.own.consistency.measure_models`.
    output
        File with one row per image; None if it is not written.
    notes
        What deserves a second look in the files.
    """
    answers = [part.answer for part in found]
    parts = [_title(found), _question(answers[0]), _means_table(answers), _detection_table(answers)]
    parts.append(_flips_table(answers))
    worst = min(answers, key=lambda answer: answer["gap"])
    if len(worst["classes"]) <= CLASSES_SHOWN:
        parts.append(_classes_table(worst, len(answers)))
    if answers[0]["certificate"] is not None:
        parts.append(_certificate_table(answers))
    if output is not None:
        parts.append(f"{output} holds one row per image{' and model' if len(answers) > 1 else ''}.")
    return "\n\n".join([*parts, conclusions(_reading(answers)), *note_lines(notes)])


def _title(found: Sequence[ModelConsistency]) -> str:
    first = found[0].model
    probes = f"{len(first.conditions):,} probe condition{'s' if len(first.conditions) > 1 else ''}"
    if len(found) > 1:
        return f"{first.place}: {len(found):,} models, {probes}"
    name = "" if first.name == UNNAMED else f", model {first.name}"
    return f"{first.place}{name}: {len(first.clean):,} images, {probes}"


def _question(answer: Answer) -> str:
    weight = answer["weight"]
    return paragraph(
        "How stable are the predictions under the probes, and does that tell right ones from wrong ones?",
        "LS: share of the probes that keep the clean prediction.",
        "CD: mean absolute change of the confidence over the probes.",
        f"CS: {weight:.4g} LS + {1 - weight:.4g} (1 - CD).",
        "CAG: accuracy minus mean CS.",
    )


def _means_table(answers: Sequence[Answer]) -> str:
    rows = []
    for answer in answers:
        means = [f"{answer[name]:.3f}" for name in (STABILITY, DEVIATION, SCORE)]
        row = [f"{answer['n']:,}", f"{answer['accuracy']:.1%}", *means, f"{answer['gap']:+.3f}", answer["regime"]]
        rows.append(_named(answer, answers) + row)
    header = ["images", "accuracy", "LS", "CD", "CS", "CAG", f"regime at {answers[0]['tolerance']:.4g}"]
    return _table("Means over the images", header, rows, answers)


def _detection_table(answers: Sequence[Answer]) -> str:
    rows = []
    for answer in answers:
        areas = [_number(answer["auroc"][name], "{:.3f}") for name in RISK_SIGNS]
        comparison = answer["comparison"]
        row = [f"{answer['errors']:,}", *areas, _with_interval(comparison["difference"], comparison["interval"])]
        rows.append(_named(answer, answers) + row)
    title = "Are wrong predictions told from right ones? AUROC, 0.5 is chance"
    return _table(title, ["errors", CONFIDENCE, "LS", "CD", "CS", f"CS - {CONFIDENCE}"], rows, answers)


def _flips_table(answers: Sequence[Answer]) -> str:
    """Print one line a probe; of several models the mean and the extremes."""
    rows = []
    for place, condition in enumerate(answers[0]["conditions"]):
        rates = [answer["flips"][place]["flip_rate"] for answer in answers]
        shown = rates if len(rates) == 1 else [sum(rates) / len(rates), min(rates), max(rates)]
        rows.append([condition, *(f"{rate:.1%}" for rate in shown)])
    header = ["flipped"] if len(answers) == 1 else ["mean of models", "lowest", "highest"]
    return "Share of the images whose prediction the probe changes\n" + aligned(["condition", *header], rows)


def _classes_table(answer: Answer, models: int) -> str:
    rows = [
        [
            cell["label"],
            f"{cell['images']:,}",
            f"{cell['recall']:.1%}",
            f"{cell['errors']:,}",
            _number(cell["error_stability"], "{:.3f}", "no errors"),
        ]
        for cell in answer["classes"]
    ]
    of_model = f" of model {answer['model']}, whose CAG is the lowest," if models > 1 else ""
    title = f"Classes{of_model} by recall, and the mean LS of their errors"
    return f"{title}\n" + aligned(["class", "images", "recall", "errors", "LS of errors"], rows)


def _certificate_table(answers: Sequence[Answer]) -> str:
    shares = ("certified", "flip_rate", "certified_and_flipped", "flip_rate_of_certified", "accuracy")
    rows = []
    for answer in answers:
        cell = answer["certificate"]
        row = [
            f"{cell['calibration_images']:,}",
            _number(cell["threshold"], "{:.6g}", "infinite"),
            f"{cell['evaluated_images']:,}",
            *(_number(cell[name], "{:.1%}") for name in (*shares, "certified_accuracy")),
            f"{cell['violations']:,}",
        ]
        rows.append(_named(answer, answers) + row)
    header = ["calibrate", "threshold", "judged", "certified", "flip", "both", "flip if cert.", "right"]
    beta = answers[0]["certificate"]["beta"]
    title = f"No-flip certificate at beta {beta:.4g}; flip: under any probe; both: certified and flip, bound by beta"
    return _table(title, [*header, "right if cert.", "violations"], rows, answers)


def _reading(answers: Sequence[Answer]) -> list[str]:
    lines = [_detection_sentence(answers), _gap_sentence(answers)]
    if answers[0]["certificate"] is None:
        lines.append(
            f"With logits in every file (one column {LOGIT}<label> per class) this command also calibrates a margin "
            "above which predictions keep their class, up to a chosen probability."
        )
    else:
        lines += _certificate_sentences(answers)
    lines.append(
        f"Ranges: 95% intervals from {answers[0]['comparison']['draws']:,} resamples of the images. They say nothing "
        "of other models, images or probes; a gain under shifts that were seen need not carry over to others."
    )
    return lines


def _detection_sentence(answers: Sequence[Answer]) -> str:
    """Say whether consistency ranks errors better than confidence, which costs a single forward pass."""
    probes = len(answers[0]["conditions"])
    verdicts = [_verdict(answer["comparison"]["interval"]) for answer in answers]
    if len(answers) > 1:
        counts = {verdict: verdicts.count(verdict) for verdict in ("better", "worse", "open", "undefined")}
        return (
            f"Of {len(answers):,} models, CS ranks errors better than confidence in {counts['better']:,} and worse in "
            f"{counts['worse']:,}; the interval holds zero in {counts['open']:,}, and {counts['undefined']:,} have no "
            f"interval. CS takes {probes:,} forward passes more than confidence."
        )
    answer, verdict = answers[0], verdicts[0]
    area = answer["auroc"]
    if area[CONFIDENCE] is None:
        return "No prediction is wrong, so AUROC is undefined: there are no errors to tell from right predictions."
    numbers = f"AUROC {area[SCORE]:.3f} against {area[CONFIDENCE]:.3f}"
    return {
        "better": f"Consistency ranks the errors better than confidence: {numbers}. On images like these, the forward "
        f"passes on probes ({probes:,} an image) pay.",
        "worse": f"Consistency ranks the errors worse than confidence: {numbers}. Prefer confidence, which takes a "
        "single forward pass.",
        "open": f"These images do not tell whether consistency ranks the errors better than confidence: {numbers}, and "
        "the interval of the difference holds zero. Confidence takes a single forward pass.",
        "undefined": f"Consistency against confidence: {numbers}, without an interval, because no resample holds both "
        "right and wrong predictions.",
    }[verdict]


def _verdict(interval: Sequence[float] | None) -> str:
    if interval is None:
        return "undefined"
    low, high = interval
    return "better" if low > 0 else "worse" if high < 0 else "open"


def _gap_sentence(answers: Sequence[Answer]) -> str:
    worst = min(answers, key=lambda answer: answer["gap"])
    of_model = f" of {worst['model']}, the lowest," if len(answers) > 1 else ""
    sentence = (
        f"The gap CAG{of_model} is mean instability minus error rate: {1 - worst[SCORE]:.3f} - "
        f"{1 - worst['accuracy']:.3f} = {worst['gap']:+.3f}, so {REGIME_MEANINGS[worst['regime']]} at the tolerance "
        f"{worst['tolerance']:.4g}, which is a convention."
    )
    if worst["error_stability"] is not None:
        sentence += f" Wrong predictions keep their class under {worst['error_stability']:.1%} of the probes."
    if worst["regime"] == CONSISTENCY_DOMINANT:
        sentence += (
            " Errors that are this stable are a prompt to compare the class shares in training with those in use and "
            "to look at the recall of each class"
        )
        shown = len(worst["classes"]) <= CLASSES_SHOWN
        sentence += " (above)." if shown else f" ({len(worst['classes']):,} classes; --json lists them)."
    return sentence + " CAG does not measure reliability."


def _certificate_sentences(answers: Sequence[Answer]) -> list[str]:
    cells = [answer["certificate"] for answer in answers]
    usable = [cell for cell in cells if cell["threshold"] is not None]
    lines = [] if len(usable) == len(cells) else [_too_few(cells, len(usable))]
    return lines + (_usable(usable, len(cells)) if usable else [])


def _too_few(cells: Sequence[Answer], usable: int) -> str:
    fewest = min(cell["calibration_images"] + cell["evaluated_images"] for cell in cells)
    whose = f" ({len(cells) - usable:,} of {len(cells):,} models have too few)" if len(cells) > 1 else ""
    return (
        f"At beta {cells[0]['beta']:.4g} the certificate needs {cells[0]['images_needed']:,} images, half of them to "
        f"calibrate it, and here are {fewest:,}{whose}. So the threshold is infinite and no image is certified. Give "
        "more images or a larger --beta."
    )


def _usable(cells: Sequence[Answer], models: int) -> list[str]:
    """Say how to use finite thresholds, and what the judged half shows."""
    beta, both = cells[0]["beta"], max(cell["certified_and_flipped"] for cell in cells)
    one = f"{cells[0]['threshold']:.6g} (--json prints all digits)"
    return [
        "Half of the images, chosen by the SHA-256 order of their ids and without labels, calibrate the threshold. A "
        "further image needs one forward pass: it is certified if its margin (largest clean logit minus the second "
        f"largest) exceeds {one if models == 1 else 'the threshold of the model'}. That an image is certified and yet "
        f"flips under any of the probes has a probability of at most {beta:.4g}, as long as the images come from the "
        "same distribution as these. This is an average over images and calibrations, no promise for a single image or "
        "for shifted ones.",
        f"Of the other half, {'at most ' if models > 1 else ''}{both:.2%} are certified and flip; the bound is "
        f"{beta:.2%}{'' if both <= beta else ', which a single calibration can miss'}. Certified says stable, "
        "not right.",
    ]


def _table(title: str, header: list[str], rows: list[list[str]], answers: Sequence[Answer]) -> str:
    several = len(answers) > 1
    return f"{title}\n" + aligned(["model"] * several + header, rows, text_columns=int(several))


def _named(answer: Answer, answers: Sequence[Answer]) -> list[str]:
    return [answer["model"]] if len(answers) > 1 else []


def _number(value: float | None, form: str, otherwise: str = UNDEFINED) -> str:
    return otherwise if value is None else form.format(value)


def _with_interval(value: float | None, ends: Sequence[float] | None) -> str:
    if value is None or ends is None:
        return _number(value, "{:+.3f}")
    return f"{value:+.3f} ({' to '.join(f'{end:+.3f}' for end in ends)})"
