"""What every script of the workflow does around its work."""

import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pairedeval
from pairedeval.errors import PairedEvalError
from pairedeval.provenance.job import recorded


@contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Run the body of a script: log to the rule's log file, explain errors, and keep where the results come from.

    A `PairedEvalError` ends the job with its sentence alone; any other exception is a fault of the code and
    leaves its traceback in the log as well.

    Parameters
    ----------
    snakemake
        The object that Snakemake gives to a script.
    """
    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    # Some libraries set up logging when they are imported, which a script has done by now: hence force.
    line = "%(asctime)s %(levelname)s %(message)s"
    logging.basicConfig(filename=log, filemode="w", level=logging.INFO, format=line, force=True)
    logging.captureWarnings(True)
    place = " ".join([snakemake.rule, *map(str, snakemake.wildcards)])
    try:
        _check_package(Path(snakemake.scriptdir).parent / "pairedeval")
        with recorded(snakemake):
            yield
    except PairedEvalError as error:
        logging.error("%s", error)
        print(f"{place}: {error}", file=sys.stderr)
        sys.exit(1)
    except BaseException:
        logging.error("%s", traceback.format_exc())
        raise


def _check_package(expected: Path) -> None:
    """Refuse an installed copy that is not the package of this checkout: its results would be another's."""
    found = Path(pairedeval.__file__).parent
    if found.resolve() != expected.resolve():
        raise PairedEvalError(
            f"{found}: this copy of pairedeval is not the one of this checkout ({expected}); "
            f"uninstall it or install this one with 'pip install -e .'"
        )
