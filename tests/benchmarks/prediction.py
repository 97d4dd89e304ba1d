"""Time model-level prediction on the full shape of the paper, files included (never a timed test).

Run ``OMP_NUM_THREADS=2 python tests/benchmarks/prediction.py [models]``; without a number it takes all 44 models.
Writes simulated records to a temporary folder, then prints one table; the records are simulated, so only the times mean
something. All conditions count as mild.
"""

import sys
import tempfile
from pathlib import Path

import pandas as pd
from correspondence import CALIBRATED, timed, write_source
from identification import SHAPES
from machine import described

from pairedeval.prediction.feature_sets import DELETED_SETS
from pairedeval.prediction.features import SPLITS, describe_source
from pairedeval.prediction.out_of_fold import predict_out_of_fold
from pairedeval.prediction.summaries import model_gains, practical_thresholds, summarise_gains
from pairedeval.prediction.targets import pool_source

SEED = 20260908
# Seconds of every comparison and deletion refit for the 44 models of the paper on two cores.
BUDGET = 30


def summarise(predictions: pd.DataFrame, targets: pd.DataFrame) -> pd.DataFrame:
    """Run every summary of the predictions."""
    return practical_thresholds(summarise_gains(model_gains(predictions), targets, SEED))


def main() -> None:
    """Print the table."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 44
    with described(f"prediction, {models} models, simulated records, files read and checked"):
        responses, targets = describe(models)
        seconds, predictions = timed(lambda: predict_out_of_fold(responses, targets))
        refitted = int(predictions["feature_set"].isin(DELETED_SETS).sum())
        counts = f"{len(predictions):,} predictions, {refitted:,} of the sets that are refitted without each group"
        print(f"predict_models {seconds:10.2f} s  {counts}")
        summary, _ = timed(lambda: summarise(predictions, targets))
        print(f"summaries {summary:15.2f} s")
        print(f"fits and summaries {seconds + summary:6.2f} s  (budget of 44 models {BUDGET} s)")


def describe(models: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Print the time of the features and the targets of each source, and return them."""
    responses, targets = [], []
    with tempfile.TemporaryDirectory() as folder:
        for source, splits in SPLITS.items():
            paths = write_source(Path(folder), source, models)
            seconds, table = timed(lambda paths=paths, splits=splits: describe_source(paths, splits, SEED))
            print(f"describe_responses {source:8} {seconds:7.2f} s", flush=True)
            responses.append(table)
        for source in CALIBRATED:
            paths = write_source(Path(folder), source, models)
            mild = pd.DataFrame({"condition": [f"c{number}" for number in range(SHAPES[source][0])], "tier": "mild"})
            seconds, table = timed(lambda paths=paths, mild=mild: pool_source(paths, mild))
            print(f"pool_targets {source:14} {seconds:7.2f} s", flush=True)
            targets.append(table)
    return pd.concat(responses, ignore_index=True), pd.concat(targets, ignore_index=True)


if __name__ == "__main__":
    main()
