"""Time the policy comparisons of the paper's panel, with simulated records (never a timed test).

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/policies.py [models]``; without a number it takes all 44 models. Each
model has 2 Syn, 2 Syn-B, 3 ES and 3 Diverse cells, five policies, eleven weights and three levels.
"""

import sys
import time

import numpy as np
from identification import SHAPES, THRESHOLD, simulated_block

from pairedeval.policies import compare_policies, select_policies
from pairedeval.policies.thresholds import COVERAGES, WEIGHTS
from pairedeval.policies.tidy import chosen_conditions

CELLS = {"syn": 2, "syn_b": 2, "es": 3, "diverse": 3}


def main() -> None:
    """Print the table."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 44
    print("source    cells  seconds")
    total = 0.0
    for source in SHAPES:
        seconds = 0.0
        for seed in range(models):
            block = simulated_block(source, seed)
            chosen = [block.conditions[(seed + step) % len(block.conditions)] for step in range(CELLS[source])]
            block = chosen_conditions(block, chosen, source)
            thresholds = np.quantile(block.clean.confidence, [1 - coverage for coverage in COVERAGES])
            start = time.perf_counter()
            comparison = compare_policies(block, THRESHOLD, thresholds, WEIGHTS)
            for level in comparison.levels:
                select_policies(comparison, level, COVERAGES)
            seconds += time.perf_counter() - start
        print(f"{source:8} {models * CELLS[source]:6} {seconds:8.2f}")
        total += seconds
    print(f"all      {models * sum(CELLS.values()):6} {total:8.2f}")


if __name__ == "__main__":
    main()
