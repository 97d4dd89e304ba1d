"""Findings on single probes, captures, models and fits of the screening in words, made from tidy results."""

import math
from collections.abc import Callable, Collection

import pandas as pd

from pairedeval.report.names import MINUS, counted, listed, ordered_sources, source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.score_names import SCORES
from pairedeval.report.screening_rows import RECALL, whole
from pairedeval.report.screening_words import level_words, signed_points

# Below this, means of rounded shares are zero.
STRICTNESS = 1e-12
# Share of the full gain that counts as most of it.
MOST = 0.8
# Models that are named; more are only counted.
NAMED_MODELS = 3
FACTORS = {"light": "light", "iso": "ISO", "shutter": "shutter", "aperture": "aperture"}
BASELINES = ("confidence", "natural_mean")


def size_texts(sizes: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Say how many corruptions the gain over clean confidence needs.

    Parameters
    ----------
    sizes
        Rows per source, pool, kind and size with `subsets`, `gain` and `gain_lowest` (shares).
    simulated
        Sources with simulated data.
    """
    need_columns(sizes, ("source", "pool", "kind", "size", "gain", "gain_lowest"), "findings")
    texts = []
    rows = sizes[(sizes["pool"] == "corruption") & sizes["kind"].isin(["prefixed", "all"])].sort_values("size")
    for source in ordered_sources(rows["source"]):
        part = rows[rows["source"] == source]
        few, everything = part[part["kind"] == "prefixed"], part[part["kind"] == "all"].dropna(subset=["gain"])
        if everything.empty:
            continue
        count, full = int(everything["size"].iloc[0]), float(everything["gain"].iloc[0])
        gains = listed(signed_points(gain) for gain in few["gain"])
        texts.append(
            f"How many corruptions are enough on mild conditions of {source_name(source, simulated)}: the recall at "
            f"20% of all {count} differs from that of clean confidence by {signed_points(full)} points, that of random "
            f"subsets of {listed(map(str, few['size']))} by {gains} points on average. {_enough(part, full)}"
        )
    return texts


def _enough(sizes: pd.DataFrame, full: float) -> str:
    """Say from which size on subsets gain something, on average and without exception, and gain most of it."""
    average = _from_size(sizes, sizes["gain"] > STRICTNESS)
    always = _from_size(sizes, sizes["gain_lowest"] > STRICTNESS)
    if average is None:
        return "Even all together have no positive gain."
    most = _from_size(sizes, sizes["gain"] >= MOST * full)
    return (
        f"The average gain is positive from {average} on, that of every subset tried from {always} on; from {most} on, "
        f"the average is at least {100 * MOST:.0f}% of the full gain."
    )


def _from_size(sizes: pd.DataFrame, holds: "pd.Series[bool]") -> int | None:
    """Return the size from which on something holds for all larger ones too; None if it fails for the largest."""
    from_here = holds[::-1].cummin()[::-1]
    return int(sizes.loc[from_here, "size"].min()) if from_here.any() else None


def probe_texts(probes: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Count the single corruptions, and pairs of one type, that find more failures than the natural mean.

    Parameters
    ----------
    probes
        Rows per source, pool, kind and name with `recall_20` and `error_rate` (shares).
    simulated
        Sources with simulated data.
    """
    need_columns(probes, ("source", "pool", "kind", "name", RECALL, "error_rate"), "findings")
    value = lookup(probes, ["source", "pool", "kind", "name"])
    texts = []
    for source in ordered_sources(probes["source"]):
        rows = probes[(probes["source"] == source) & (probes["pool"] == "corruption")]
        natural = value(RECALL, source, "natural", "all", "all")
        if math.isnan(natural):
            continue
        single, types = (rows[rows["kind"] == kind] for kind in ("probe", "type"))
        more = [int((part[RECALL] > natural + STRICTNESS).sum()) for part in (single, types)]
        stronger, pairs = _stronger(single)
        errors = {
            "natural transforms": value("error_rate", source, "natural", "all", "all"),
            **{
                f"corruptions of severity {severity}": value("error_rate", source, "corruption", "severity", severity)
                for severity in rows.loc[rows["kind"] == "severity", "name"]
            },
        }
        rates = listed(f"{level_words(rate, RECALL)} for {name}" for name, rate in errors.items())
        texts.append(
            f"Single probes on mild conditions of {source_name(source, simulated)}: {more[0]} of {len(single)} "
            f"corruptions alone and {more[1]} of {len(types)} types (both severities) find more failures at a budget "
            f"of 20% than the 18 natural transforms together; the higher severity finds more than the lower one in "
            f"{stronger} of {pairs} types. The sets differ in strength as well: mean error rates are {rates}."
        )
    return texts


def _stronger(single: pd.DataFrame) -> tuple[int, int]:
    """Count the types whose highest severity finds more than the lowest, and the types with both."""
    parts = single["name"].str.rsplit("-", n=1)
    table = single.assign(corruption=parts.str[0], severity=parts.str[1].astype(int)).sort_values("severity")
    recalls = table.groupby("corruption")[RECALL].agg(["first", "last", "size"])
    recalls = recalls[recalls["size"] > 1]
    return int((recalls["last"] > recalls["first"] + STRICTNESS).sum()), len(recalls)


def capture_texts(captures: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Say in how many mild conditions the mean gain is positive, and whether one setting carries it.

    Parameters
    ----------
    captures
        Rows per source and factor with `conditions`, `undefined` (counts), `positive_<baseline>` (conditions),
        `lowest_level_<baseline>` and `lowest_deleted_<baseline>` (shares).
    simulated
        Sources with simulated data.
    """
    value = lookup(captures, ["source", "factor"])
    texts = []
    for source in ordered_sources(captures["source"]):
        defined = whole(value("conditions", source, "none")) - whole(value("undefined", source, "none"))
        positive = [
            f"{whole(value(f'positive_{name}', source, 'none'))} for {{U}} {MINUS} {symbol}"
            for name, symbol in (("confidence", "{S}"), ("natural", "{TTA18}"))
        ]
        texts.append(
            f"Of {counted(defined, 'mild condition')} of {source_name(source, simulated)} with failures, the mean "
            f"difference in recall at 20% over models is positive in {listed(positive)}. {_settings(value, source)}"
        )
    return texts


def _settings(value: Callable[..., float], source: str) -> str:
    """Say for which factors the gain over clean confidence is not positive at a level or without one."""
    words = []
    for column, everywhere, somewhere in (
        ("lowest_level", "at every level of {}", "at some level of {}"),
        ("lowest_deleted", "with any one level of {} left out", "with some level of {} left out"),
    ):
        lowest = {name: value(f"{column}_confidence", source, factor) for factor, name in FACTORS.items()}
        positive = [name for name, least in lowest.items() if least > STRICTNESS]
        other = [
            f"{name} (lowest {signed_points(least)} points)" for name, least in lowest.items() if least <= STRICTNESS
        ]
        words += [f"is positive {everywhere.format(listed(positive))}"] if positive else []
        words += [f"is not positive {somewhere.format(listed(other))}"] if other else []
    return f"{{U}} {MINUS} {{S}} {listed(words)}." if words else ""


def negative_texts(models: pd.DataFrame, groups: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Name models and groups for which the corruption mean finds fewer failures than clean confidence and others.

    Parameters
    ----------
    models, groups
        Rows per source and model, or model group, with `corruption_mean_minus_<score>` (share) for each of
        `BASELINES`.
    simulated
        Sources with simulated data.
    """
    columns = {f"corruption_mean_minus_{score}": SCORES[score].symbol for score in BASELINES}
    need_columns(models, ("source", "model", *columns), "findings")
    need_columns(groups, ("source", "group", *columns), "findings")
    texts = []
    for source in ordered_sources(models["source"]):
        one, several = models[models["source"] == source], groups[groups["source"] == source]
        parts = [
            f"against {symbol} {_below(one, 'model', column)} and {_below(several, 'group', column)}"
            for column, symbol in columns.items()
        ]
        texts.append(
            f"Where {{U}} finds fewer failures on average at a budget of 20% under mild conditions of "
            f"{source_name(source, simulated)}: {'; '.join(parts)}."
        )
    return texts


def _below(rows: pd.DataFrame, kind: str, column: str) -> str:
    """Count the models or groups with a negative mean and name the lowest."""
    defined = rows.dropna(subset=[column])
    negative = defined[defined[column] < -STRICTNESS].sort_values([column, kind])
    named = [
        f"{row[kind]} {signed_points(row[column])} points" for row in negative.head(NAMED_MODELS).to_dict("records")
    ]
    further = [f"{len(negative) - len(named)} more"] if len(negative) > len(named) else []
    which = f" ({listed([*named, *further])})" if named else ""
    return f"{len(negative)} of {counted(len(defined), kind)}{which}"


def fact_texts(facts: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Say where fitted predictors turn the ranking around, how scores relate, and where no AUROC exists.

    Parameters
    ----------
    facts
        Rows per source and fact with its `value`.
    simulated
        Sources with simulated data.
    """
    value = lookup(facts, ["source", "fact"])
    names = {source: source_name(source, simulated) for source in ordered_sources(facts["source"])}
    fits, moved, cells = [], [], []
    correlations: dict[str, list[str]] = {}
    for source, name in names.items():
        fits.append(f"{_count(value, source, 'reversed_fits')} of {_count(value, source, 'fits')} fits on {name}")
        moved.append(f"{value('value', source, 'predictor_parameterisation_largest'):.3f} on {name}")
        undefined, other = (_count(value, source, f"cells_without_auroc{end}") for end in ("", "_not_extreme"))
        cells.append(f"{undefined} on {name}, of them {other} not extreme")
        low, median, high = (value("value", source, f"spearman_{which}") for which in ("lowest", "median", "highest"))
        span = f"from {low:.2f} to {high:.2f} (median {median:.2f})".replace("-", MINUS)
        correlations.setdefault(span, []).append(name)
    ranks = "; ".join(f"{span} on {listed(where)}" for span, where in correlations.items())
    return [
        "The fitted predictor {g(S)} turns the ranking of {S} around, as its risk rises with confidence, in "
        f"{listed(fits)}. {{g(S,U)}} and {{g(S,delta)}} hold the same information and differ in AUROC by at "
        f"most {listed(moved)}.",
        f"Within single models, the risks by {{U}} and by {{delta}} have rank correlations {ranks}. Cells without "
        f"AUROC, as all their images share one outcome: {'; '.join(cells)}.",
    ]


def _count(value: Callable[..., float], source: str, fact: str) -> int:
    return whole(value("value", source, fact))
