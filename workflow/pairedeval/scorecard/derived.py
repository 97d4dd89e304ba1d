"""Quantities that the text states and no result holds as such, each computed from results by a short rule.

Every function returns a frame; `pairedeval.scorecard.places` takes its numbers from there. A function is called only
if the study has all results that it names.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from pairedeval.records import EVALUATION
from pairedeval.scorecard.results import StudyResults
from pairedeval.splits import BASE, SYN
from pairedeval.tiers import MILD

Frames = Callable[[str], pd.DataFrame]
PREFIX = "derived/"


def panel_lights(need: Frames) -> pd.DataFrame:
    """Return how many conditions each light code has, and how many of them the panel covers (Appendix B.1)."""
    captures = need("conditions/captures")
    covered = captures.merge(need("analyses/panel")[["source", "condition"]].drop_duplicates())
    keys = ["source", "light"]
    counts = captures.groupby(keys).size().rename("conditions").to_frame()
    return counts.join(covered.groupby(keys).size().rename("covered")).fillna(0).reset_index()


def panel_levels(need: Frames) -> pd.DataFrame:
    """Return how many levels of each capture factor the panel covers, by source (Appendix B.1)."""
    captures = need("conditions/captures").merge(need("analyses/panel")[["source", "condition"]].drop_duplicates())
    levels = captures.groupby("source")[["light", "iso", "shutter", "aperture"]].nunique()
    return levels.reset_index().melt("source", var_name="factor", value_name="levels")


def class_sizes(need: Frames) -> pd.DataFrame:
    """Return the images of each role, class and split, and of both splits together."""
    index = need("images/index")
    both = index[["role", "class_id"]].assign(split="both")
    rows = pd.concat([index[["role", "class_id", "split"]], both])
    return rows.groupby(["role", "split", "class_id"]).size().rename("images").reset_index()


def shared_images(need: Frames) -> pd.DataFrame:
    """Say which images have both roles, and which are development for Syn and evaluation for recaptures (F)."""
    index = need("images/index")
    roles = [index.loc[index["role"] == role, ["image_id", "split"]] for role in (SYN, BASE)]
    return roles[0].merge(roles[1], on="image_id", suffixes=(f"_{SYN}", f"_{BASE}"))


def variants(need: Frames) -> pd.DataFrame:
    """Return how many inputs of each kind a model sees of a base image (Appendix E.1)."""
    pools = need("conditions/corruptions").groupby("pool").size()
    rows = [("clean", 1), *pools.items(), ("transform", len(need("conditions/transforms")))]
    return pd.DataFrame(rows, columns=["kind", "inputs"])


def matching_sizes(need: Frames) -> pd.DataFrame:
    """Return the records, classes and records per class of a matched cell (Appendix B.2)."""
    index = need("images/index")
    classes = [set(index.loc[index["role"] == role, "class_id"]) for role in (SYN, BASE)]
    shared = len(classes[0] & classes[1])
    records = need("analyses/support").query("sample == 'matched'")["records"].max()
    return pd.DataFrame({"records": [records], "classes": [shared], "per_class": [records / shared]})


def seed_orders(need: Frames) -> pd.DataFrame:
    """Compare the widths of dM_k on Syn with those of recaptures, native and for each seed (Appendix B.2)."""
    rows = need("analyses/support").query("target == 'dM_k' and sample != 'matched'")
    widths = rows.pivot_table("mean_width", index="sample", columns="source")
    real = widths[["es", "diverse"]]
    return widths.assign(below=widths["syn"] < real.min(axis=1), above=widths["syn"] > real.max(axis=1)).reset_index()


def illustration(need: Frames) -> pd.DataFrame:
    """Return the illustrated cell with its light and setting as numbers (Appendix D.1)."""
    pair = need("analyses/illustration_pair")
    place = pair["condition"].str.extract(r"^l(?P<light>\d+)-k(?P<setting>\d+)$").astype(float)
    return pair.join(place)


def moved_conditions(need: Frames) -> pd.DataFrame:
    """Return the conditions whose tier is another one by evaluation accuracy (Appendix E.1)."""
    tiers = need("analyses/screening/cells/*")[["source", "condition", "tier", "evaluation_tier"]].drop_duplicates()
    moved = tiers[tiers["tier"] != tiers["evaluation_tier"]]
    accuracy = need("analyses/cells/*").groupby(["source", "condition"])["perturbed_accuracy"].mean()
    return moved.join(accuracy, on=["source", "condition"])


def _mild_means(need: Frames, metric: str) -> pd.DataFrame:
    """Return the mean of each score on all images of mild conditions, by source and score."""
    chosen = f"half == '{EVALUATION}' and tier_by == 'development' and tier == '{MILD}' and images == 'all'"
    return (
        need("analyses/screening_means")
        .query(f"{chosen} and metric == '{metric}'")
        .pivot_table("mean", index="source", columns="score")
    )


def native_changes(need: Frames) -> pd.DataFrame:
    """Return what native scoring changes in AUROC on mild conditions, by source and score (Appendix E.1)."""
    means = _mild_means(need, "auroc")
    scores = ("confidence", "corruption_mean", "natural_mean")
    changes = {score: means[f"native_{score}"] - means[score] for score in scores}
    return pd.DataFrame(changes).reset_index().melt("source", var_name="score", value_name="change")


def retention_gains(need: Frames) -> pd.DataFrame:
    """Return what ret adds to the AUROC of g(S,U), by source and tier (Appendix E.1)."""
    chosen = f"half == '{EVALUATION}' and tier_by == 'development' and images == 'all' and metric == 'auroc'"
    rows = need("analyses/screening_means").query(chosen)
    means = rows.pivot_table("mean", index=["source", "tier"], columns="score")
    gain = means["predictor_confidence_mean_retention"] - means["predictor_confidence_mean"]
    return gain.rename("gain").reset_index()


def subset_gains(need: Frames) -> pd.DataFrame:
    """Return the gain in recall of subsets of corruptions as a share of that of all, by size (Appendix E.1)."""
    rows = need("analyses/screening_subset_sizes").query("pool == 'corruption'")
    whole = rows[rows["kind"] == "all"].set_index("source")["gain"]
    drawn = rows[rows["kind"] == "prefixed"]
    full = drawn["source"].map(whole)
    return drawn.assign(mean_share=drawn["gain"] / full, lowest_share=drawn["gain_lowest"] / full)


def probe_gains(need: Frames) -> pd.DataFrame:
    """Return the recall of single corruptions and of types over that of the natural transforms (Appendix E.3)."""
    probes = need("analyses/screening_probes")
    natural = probes.query("pool == 'natural' and kind == 'all'").set_index("source")["recall_20"]
    rows = probes.query("pool == 'corruption' and kind in ['probe', 'type']")
    return rows.assign(gain=rows["recall_20"] - rows["source"].map(natural))


def severity_gains(need: Frames) -> pd.DataFrame:
    """Return what severity 4 gains in recall over severity 2, by source and corruption (Appendix E.3)."""
    rows = need("analyses/screening_probes").query("pool == 'corruption' and kind == 'probe'")
    parts = rows["name"].str.extract(r"^(?P<corruption>.+)-(?P<severity>\d)$")
    recall = rows.join(parts).pivot_table("recall_20", index=["source", "corruption"], columns="severity")
    return (recall["4"] - recall["2"]).rename("gain").reset_index()


def natural_selections(need: Frames) -> pd.DataFrame:
    """Return the selected sets of natural transforms with the parameters of the first one (Appendix E.1)."""
    selections = need("analyses/screening_selection").query("pool == 'natural'")
    return selections.merge(need("conditions/transforms"), left_on="first", right_on="condition")


def baseline_errors(need: Frames) -> pd.DataFrame:
    """Return the errors of B1 and of B_ind by source and target, predicted from Syn (Appendix I)."""
    gains = need("analyses/prediction_gains").query("features == 'syn'")
    keys = ["source", "target"]
    unpaired = gains.query("comparison == 'unpaired' and step == 'B1'").set_index(keys)["extended_error"]
    augmented = gains.query("comparison == 'augmented' and step == 'C1'").set_index(keys)["baseline_error"]
    return pd.DataFrame({"unpaired": unpaired, "augmented": augmented}).reset_index()


def refitted_groups(need: Frames) -> pd.DataFrame:
    """Return how many groups are left when one is deleted, by deleted group (Appendix I.2)."""
    rows = need("analyses/prediction_predictions").query("deleted != ''")
    return rows.groupby("deleted")["group"].nunique().rename("groups").reset_index()


def label_changes(need: Frames) -> pd.DataFrame:
    """Return what accepted labels change in each mean, accepted minus original, by source and subset (J.1)."""
    labels = need("analyses/labels")
    means = labels.select_dtypes("number").columns.difference(["images", "cells", "undefined"])
    kinds = [
        labels[labels["labels"] == kind].set_index(["source", "subset"])[means] for kind in ("original", "accepted")
    ]
    relative = (kinds[1] / kinds[0] - 1).add_suffix("_relative")
    return (kinds[1] - kinds[0]).join(relative).reset_index()


RULES: Mapping[str, Callable[[Frames], pd.DataFrame]] = {
    rule.__name__: rule
    for rule in (
        panel_lights,
        panel_levels,
        class_sizes,
        shared_images,
        variants,
        matching_sizes,
        seed_orders,
        illustration,
        moved_conditions,
        native_changes,
        retention_gains,
        subset_gains,
        probe_gains,
        severity_gains,
        natural_selections,
        baseline_errors,
        refitted_groups,
        label_changes,
    )
}


class MissingResultError(Exception):
    """A result that a rule needs and the study does not have."""


def derive(name: str, results: StudyResults) -> pd.DataFrame | None:
    """Return a derived quantity; None if the study lacks a result that it needs.

    Parameters
    ----------
    name
        A key of `RULES`.
    results
        Results of the study.
    """

    def need(place: str) -> pd.DataFrame:
        found = results.frame(place)
        if found is None:
            raise MissingResultError(place)
        return found

    try:
        return RULES[name](need)
    except MissingResultError:
        return None
