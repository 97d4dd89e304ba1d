"""Run all benchmarks one after the other, each in a process of its own (never a timed test).

Run ``python tests/benchmarks/run.py [models]``; without a number the record benchmarks take all 44 models of the
paper, to which the budgets refer.
"""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
FULL_SHAPE = ("identification", "policies", "correspondence", "screening", "prediction")


def main() -> None:
    """Print the tables of all benchmarks."""
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
    for name in (*FULL_SHAPE, "own_files", "growth"):
        arguments = sys.argv[1:] if name in FULL_SHAPE else []
        subprocess.run([sys.executable, FOLDER / f"{name}.py", *arguments], env=one_thread, check=True)
        print(flush=True)


if __name__ == "__main__":
    main()
