r"""Wrong-wrong blocks in which Hall's condition can exclude a split of the errors.

Notation as in `wrong_block`. Write ``x_c = e_c + p_c - s_c``, D = m - s for the changed pairs and X = P - s for the
clean partners that they have. The x_c sum to D + X and each must be at most X >= D, so at most one label breaks its
condition at a time. Hence two shortcuts around a dynamic programme over all heavy labels:

* One label alone. With s_c and e_c of one label given, the least cost of the others follows by the closed form as if
  they had no condition. A label with x_c >= D leaves at most X to the others, so none of them breaks its own.
* All labels. Let t be the largest, over the heavy labels, of the least costs with only that label's condition. It
  bounds the answer from below. The splits of cost at most t without conditions are the integer points of a
  transportation problem, so any two are joined by steps that change each s_c and e_c by at most one, hence x_c by at
  most two. Take a path from a split that breaks the condition of c to one that keeps it. The step that repairs c
  leaves at most D - 1 + 2 to the label that it breaks instead, which needs X + 1: impossible if X > D. So t is the
  answer if X > D, if no split of cost t breaks any condition, or if a split of cost t has a label with D <= x_c <= X.

What remains (X = D, rare) is solved by the programme. The answer can exceed t there: errors A, B on either side allow
zero or two persistent pairs, but not one, although each label's condition alone allows it.
"""

from functools import lru_cache

import numpy as np

Label = tuple[int, int, int]  # p_c, q_c, f_c
Rest = tuple[int, int, int, int]  # sums of min(p_c, q_c), min(p_c, f_c), q_c and f_c
_NONE = 1 << 60  # cost where no correspondence exists; sums of a few stay below the largest integer


@lru_cache(maxsize=1 << 16)
def fewest_marked(heavy: tuple[Label, ...], rest: Rest, sums: tuple[int, int, int]) -> int:
    """Solve one block with heavy labels; -1 if no correspondence exists.

    Equal blocks, frequent among small classes, are solved once.

    Parameters
    ----------
    heavy
        (p_c, q_c, f_c) of the heavy labels.
    rest
        Sums over the other labels, see `Rest`.
    sums
        s, m - s and P - s.
    """
    _, changed, partners = sums
    allowed, tight, broken = [], [], []
    for place, label in enumerate(heavy):
        used, cost = _one_label(label, _with(rest, heavy[:place] + heavy[place + 1 :]), sums)
        allowed.append(_least(cost, used <= partners))
        tight.append(_least(cost, (used >= changed) & (used <= partners)))
        broken.append(_least(cost, used > partners))
    bound = max(allowed)
    exact = len(heavy) == 1 or partners > changed or min(broken) > bound or min(tight) <= bound
    least = bound if exact else solve_programme(heavy, rest, sums)
    return least if least < _NONE else -1


def _with(rest: Rest, labels: tuple[Label, ...]) -> Rest:
    """Count labels among the others."""
    shared, shared_unmarked, perturbed, unmarked = rest
    for p, q, f in labels:
        shared, shared_unmarked = shared + min(p, q), shared_unmarked + min(p, f)
        perturbed, unmarked = perturbed + q, unmarked + f
    return shared, shared_unmarked, perturbed, unmarked


def _one_label(label: Label, rest: Rest, sums: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return ``e_c + p_c - s_c`` and the least cost for every s_c and e_c of one label, the others unconstrained."""
    p, q, f = label
    persistent, changed, _ = sums
    s, e = np.ogrid[: min(p, q, persistent) + 1, : min(q, changed) + 1]
    cost = np.maximum(0, s + e - f) + _closed_form(persistent - s, changed - e, rest)
    return e + p - s, np.where(s + e <= q, cost, _NONE)


def _closed_form(s: np.ndarray, e: np.ndarray, rest: Rest) -> np.ndarray:
    """Return the least cost of labels without Hall's condition that hold s persistent and e changed ends."""
    shared, shared_unmarked, perturbed, unmarked = rest
    cost = np.maximum(np.maximum(0, s - shared_unmarked), s + e - unmarked)
    return np.where((s <= shared) & (s + e <= perturbed), cost, _NONE)


def _least(cost: np.ndarray, where: np.ndarray) -> int:
    return int(cost.min(where=where, initial=_NONE))


def solve_programme(heavy: tuple[Label, ...], rest: Rest, sums: tuple[int, int, int]) -> int:
    """Return the least cost by adding the heavy labels one by one to all pairs (sum s_c, sum e_c).

    Parameters as for `fewest_marked`; a cost of at least 1 << 60 means that no correspondence exists.
    """
    persistent, changed, partners = sums
    cost = np.full((persistent + 1, changed + 1), _NONE)
    cost[0, 0] = 0
    for p, q, f in heavy:
        before, cost = cost, np.full_like(cost, _NONE)
        for s in range(min(p, q, persistent) + 1):
            for e in range(min(q - s, changed, partners - p + s) + 1):
                target = cost[s:, e:]
                np.minimum(target, before[: persistent + 1 - s, : changed + 1 - e] + max(0, s + e - f), out=target)
    s_rest, e_rest = np.ogrid[: persistent + 1, : changed + 1]
    cost += _closed_form(persistent - s_rest, changed - e_rest, rest)
    return min(int(cost.min()), _NONE)
