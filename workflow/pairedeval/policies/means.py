"""Mean events over all feasible correspondences, equally weighted as permutations of records (Appendix D).

At I0 this is the classwise product-independent value (Eq. 4). Above it, the correct records of a class are
exchangeable: the clean end of any given flip, or of any retained pair, is accepted with probability u / a.
"""

import numpy as np

from pairedeval.identification.class_states import ClassStates, wrong_records
from pairedeval.identification.levels import FIVE_STATES, MARGINAL
from pairedeval.policies.mean_flips import flip_probability
from pairedeval.policies.switches import Switches
from pairedeval.states import conditional_mean


def mean_events(switches: Switches, level: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the means of H_j (of E_tau for natural costs) and L_j, shares of shape ``(conditions, policies)``.

    Parameters
    ----------
    switches
        Acceptance of the records by all policies.
    level
        Information level; above I0 the joint counts must be known.
    """
    right, accepted = switches.judged.perturbed_correct, switches.accepted
    known = None if level == MARGINAL else switches.known
    if known is None:
        share = switches.counts.clean_accepted / switches.counts.size
        loss = np.broadcast_to(switches.classes.spread(share), right.shape)
    else:
        loss = _retained_meets_accepted(switches, known)
    losses = switches.share(np.where(right & ~accepted, loss, 0.0))
    if switches.natural:
        return switches.accepted_error, losses
    transition = loss if known is None else _flip_meets_accepted(switches, known, level)
    return switches.share(np.where(~right & accepted, transition, 0.0)), losses


def _flip_meets_accepted(switches: Switches, known: ClassStates, level: str) -> np.ndarray:
    """Chance that each wrong perturbed record is a flip from an accepted clean one, shape ``(conditions, n)``."""
    counts = switches.counts
    if level == FIVE_STATES:
        flip = flip_probability(wrong_records(switches.block, switches.classes, switches.judged, known))
    else:
        errors = counts.size - counts.perturbed_correct
        flip = switches.classes.spread(_share(counts.clean_correct - known.overlap, errors))
    chance: np.ndarray = flip * switches.classes.spread(_share(counts.clean_accepted, counts.clean_correct))
    return chance


def _retained_meets_accepted(switches: Switches, known: ClassStates) -> np.ndarray:
    """Chance that each correct perturbed record is retained from an accepted clean one, shape ``(conditions, n)``."""
    counts = switches.counts
    chance = _share(counts.clean_accepted, counts.clean_correct) * _share(known.overlap, counts.perturbed_correct)
    return switches.classes.spread(chance)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide counts; no record has no share."""
    share: np.ndarray = np.nan_to_num(conditional_mean(part, whole))
    return share
