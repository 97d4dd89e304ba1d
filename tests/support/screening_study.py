"""A small simulated study for the screening: three models, two groups, four captures; and plain computations on it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from pairedeval.files import write_table
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, write_records
from pairedeval.screening.probe_sets import ProbeSets, read_probe_sets

SOURCE = "es"
MODELS = {"a": "one", "b": "two", "c": "one"}
CLASSES = 5
# Chance that a clean-correct image of middling ease stays correct; under the last capture nothing does.
CAPTURES = {"l1-k01": 0.8, "l1-k02": 0.6, "l5-k01": 0.3, "l5-k02": 0.0}
TIERS = {"l1-k01": "mild", "l1-k02": "mild", "l5-k01": "severe", "l5-k02": "extreme"}


@dataclass(frozen=True)
class Study:
    """Paths of a study and the frames behind them.

    Attributes
    ----------
    responses, image_scores, records
        Paths, one a model.
    frames
        Responses and records of each model.
    sets
        Probe sets.
    """

    responses: list[Path]
    image_scores: list[Path]
    records: list[Path]
    frames: dict[str, tuple[pd.DataFrame, pd.DataFrame]]
    sets: ProbeSets

    @property
    def tiers(self) -> pd.DataFrame:
        """Tier of every capture."""
        return pd.DataFrame({"condition": list(TIERS), "tier": list(TIERS.values())})

    def eligible(self, model: str, half: str) -> pd.DataFrame:
        """Return the clean-correct images of a half by id: label, S, U, TTA, and whether each capture fails."""
        responses, records = (frame[frame["split"] == half] for frame in self.frames[model])
        clean = records[records["condition"] == CLEAN].set_index("image_id").sort_values(["label", "image_id"])
        clean = clean[clean["prediction"] == clean["label"]]
        probability = responses.pivot_table(index="image_id", columns="condition", values="true_class_probability")
        table = pd.DataFrame({"label": clean["label"]})
        table["confidence"] = responses[responses["condition"] == CLEAN].set_index("image_id")["confidence"]
        table["corruption_mean"] = probability[list(self.sets.primary)].sum(axis=1) / len(self.sets.primary)
        table["natural_mean"] = probability[list(self.sets.fixed)].sum(axis=1) / len(self.sets.fixed)
        for condition in CAPTURES:
            rows = records[records["condition"] == condition].set_index("image_id")
            table[condition] = rows["prediction"] != rows["label"]
        return table


def write_study(folder: Path, root: Path) -> Study:
    """Write responses, image scores and records of every model.

    Probabilities are multiples of 1/256: scores tie, and their sums do not round, in whatever order.
    """
    tables = root / "resources/conditions"
    sets = read_probe_sets(tables / "corruptions.csv", tables / "transforms.csv")
    paths: dict[str, list[Path]] = {"responses": [], "image_scores": [], "records": []}
    frames = {}
    for seed, (model, group) in enumerate(MODELS.items()):
        random = np.random.default_rng(seed)
        images = _images()
        ease = random.random(len(images)).round(1)
        answered = _responses(images, sets, ease, random)
        recorded = _records(images, answered, ease, random)
        scores = images.assign(
            **{
                name: random.random(len(images)).round(1)
                for name in ("margin", "entropy", "alignment_corruption", "alignment_natural")
            }
        )
        facts = {"model": model, "group": group}
        for name, table in (("responses", answered), ("image_scores", scores)):
            paths[name].append(folder / name / f"{model}.parquet")
            write_table(table, paths[name][-1], facts)
        paths["records"].append(folder / "records" / SOURCE / f"{model}.parquet")
        write_records(recorded, paths["records"][-1], {"source": SOURCE, **facts})
        frames[model] = (answered, recorded)
    return Study(**paths, frames=frames, sets=sets)


def _images() -> pd.DataFrame:
    """Return 5 classes of 4 to 8 images, half of each in either split, in an order that is not that of the records."""
    labels = np.repeat(np.arange(CLASSES), [4, 4, 6, 8, 8]).astype(np.int32)
    splits = np.resize([DEVELOPMENT, EVALUATION], len(labels))
    names = [f"image-{place * 7 % len(labels):02d}" for place in range(len(labels))]
    return pd.DataFrame({"image_id": names, "label": labels, "split": splits})


def _responses(images: pd.DataFrame, sets: ProbeSets, ease: np.ndarray, random: np.random.Generator) -> pd.DataFrame:
    parts = []
    for condition in (CLEAN, *sets.corruptions_all, *sets.transforms_all):
        confidence = (32 * (ease + random.random(len(images)))).round() / 64
        correct = random.random(len(images)) < (0.9 if condition == CLEAN else 0.4 + 0.6 * ease)
        table = images.assign(condition=condition, confidence=confidence)
        table["prediction"] = np.where(correct, images["label"], (images["label"] + 1) % CLASSES)
        table["true_class_probability"] = np.where(correct, confidence, confidence / 4)
        parts.append(table)
    found = pd.concat(parts, ignore_index=True)
    return found.assign(
        native_confidence=found["confidence"] / 2, native_true_class_probability=found["true_class_probability"] / 2
    )


def _records(
    images: pd.DataFrame, answered: pd.DataFrame, ease: np.ndarray, random: np.random.Generator
) -> pd.DataFrame:
    clean = answered[answered["condition"] == CLEAN]
    columns = ["condition", "image_id", "label", "split", "prediction", "confidence", "true_class_probability"]
    parts = [clean[columns]]
    for condition, chance in CAPTURES.items():
        kept = random.random(len(images)) < chance * (0.5 + ease)
        table = images.assign(condition=condition, prediction=np.where(kept, images["label"], 0))
        table.loc[~kept & (images["label"] == 0), "prediction"] = 1
        kept = table["prediction"] == table["label"]
        parts.append(table.assign(confidence=0.5, true_class_probability=np.where(kept, 0.5, 0.1))[columns])
    return pd.concat(parts, ignore_index=True)


def copies(table: pd.DataFrame, times: np.ndarray) -> pd.DataFrame:
    """Repeat each image as often as its class was drawn."""
    return table.loc[table.index.repeat(times[table["label"]])]


def plain_auroc(risk: pd.Series, failed: pd.Series) -> float:
    """Compute AUROC by scikit-learn; NaN if all images share one outcome."""
    return float(roc_auc_score(failed, risk)) if failed.nunique() == 2 else float("nan")


def plain_recall(risk: pd.Series, failed: pd.Series, budget: float) -> float:
    """Compute the recall of a budget: whole ties from the top, and the share of the last ones that fits."""
    left = max(1, int(np.floor(budget * len(risk) + 0.5)))
    if not failed.any():
        return float("nan")
    found = 0.0
    for value in sorted(set(risk), reverse=True):
        tied = failed.to_numpy()[risk.to_numpy() == value]
        taken = min(left, len(tied))
        found += taken / len(tied) * tied.sum()
        left -= taken
    return float(found / failed.sum())
