r"""How likely each wrong perturbed record is a harmful flip, over all equally weighted five-state correspondences.

By the symmetry of the correct records, uniform correspondences of a class induce uniform partial matchings of its wrong
records: m pairs, exactly s of them with the same label (see `identification.wrong_block` for the notation). Their
number follows from rook polynomials and inclusion-exclusion. The ways to choose t same-label pairs are the coefficient
R_t of the product over labels of ``sum_i C(p_c, i) C(q_c, i) i! x^i``; hence

    N(m, s) = sum_t (-1)^(t - s) C(t, s) R_t C(P - t, m - t) C(Q - t, m - t) (m - t)!.

A record of label c is left for the harmful flips in the matchings that remain when it is removed (q_c and Q less by
one), so its probability is a ratio of two such numbers: exact integers, which can have hundreds of digits.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

import numpy as np

from pairedeval.identification.wrong_block import WrongRecords


def flip_probability(wrong: WrongRecords) -> np.ndarray:
    """Return the probability that each perturbed record is a harmful flip, shape ``(conditions, n)``.

    It is 0 for correct records. Classes without a label that both sides predict wrongly need no counting: any h of
    their Q wrong perturbed records are equally likely.
    """
    classes = wrong.classes
    total = classes.count(wrong.perturbed_wrong)
    share = np.divide(wrong.flips, total, out=np.zeros(total.shape), where=total > 0)
    probability: np.ndarray = np.where(wrong.perturbed_wrong, classes.spread(share), 0.0)
    unequal = (wrong.flips > 0) & (wrong.flips < total) & (classes.count(_shared(wrong)) > 0)
    for condition, place in np.argwhere(unequal).tolist():
        span = slice(classes.starts[place], classes.starts[place] + classes.sizes[place])
        clean = wrong.clean_prediction[span][wrong.clean_wrong[span]].tolist()
        members = wrong.perturbed_wrong[condition, span]
        perturbed = wrong.perturbed_prediction[condition, span][members].tolist()
        block = len(perturbed) - int(wrong.flips[condition, place])
        chances = _class_probability(clean, perturbed, block, int(wrong.persistent[condition, place]))
        probability[condition, span][members] = chances
    return probability


def _shared(wrong: WrongRecords) -> np.ndarray:
    """Mark wrong perturbed records whose label a wrong clean record of the class has, shape ``(conditions, n)``."""
    width = 1 + max(int(wrong.clean_prediction.max()), int(wrong.perturbed_prediction.max(initial=0)))
    offset = wrong.classes.index * width
    known = (offset + wrong.clean_prediction)[wrong.clean_wrong]
    shared: np.ndarray = wrong.perturbed_wrong & np.isin(offset + wrong.perturbed_prediction, known)
    return shared


def _class_probability(clean: list[int], perturbed: list[int], block: int, persistent: int) -> list[float]:
    """Return the probability of each wrong perturbed record of one class."""
    partners, count = Counter(clean), Counter(perturbed)
    pairs = {label: (partners[label], count[label]) for label in count if label in partners}
    chances = _left_out(tuple(sorted(pairs.values())), (len(clean), len(perturbed), block, persistent))
    return [chances[pairs.get(label)] for label in perturbed]


@lru_cache(maxsize=1 << 16)
def _left_out(
    pairs: tuple[tuple[int, int], ...], sizes: tuple[int, int, int, int]
) -> dict[tuple[int, int] | None, float]:
    """Return the probability per (p_c, q_c); key None stands for labels that the clean side lacks."""
    clean, perturbed, block, persistent = sizes
    factors = {pair: _rook_numbers(*pair) for pair in pairs}
    product = [1]
    for pair in pairs:
        product = _multiply(product, factors[pair])
    everything = _matchings(product, clean, perturbed, block, persistent)

    def probability(rooks: list[int]) -> float:
        return float(Fraction(_matchings(rooks, clean, perturbed - 1, block, persistent), everything))

    found: dict[tuple[int, int] | None, float] = {None: probability(product)}
    for (p, q), factor in factors.items():
        others = _divide(product, factor)
        found[p, q] = probability(_multiply(others, _rook_numbers(p, q - 1)))
    return found


def _rook_numbers(p: int, q: int) -> list[int]:
    """Count the ways to choose i pairs of p and q records of one label, for every i."""
    return [comb(p, i) * comb(q, i) * factorial(i) for i in range(min(p, q) + 1)]


def _multiply(first: list[int], second: list[int]) -> list[int]:
    product = [0] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            product[i + j] += a * b
    return product


def _divide(product: list[int], factor: list[int]) -> list[int]:
    """Undo `_multiply`; rook polynomials begin with 1, so every step is exact."""
    quotient: list[int] = []
    for degree in range(len(product) - len(factor) + 1):
        known = sum(factor[i] * quotient[degree - i] for i in range(1, min(degree, len(factor) - 1) + 1))
        quotient.append(product[degree] - known)
    return quotient


def _matchings(rooks: list[int], clean: int, perturbed: int, block: int, persistent: int) -> int:
    """Count the partial matchings of `block` pairs with exactly `persistent` same-label pairs."""
    total = 0
    for same in range(persistent, min(block, len(rooks) - 1) + 1):
        rest = block - same
        ways = comb(clean - same, rest) * comb(perturbed - same, rest) * factorial(rest)
        total += (-1) ** (same - persistent) * comb(same, persistent) * rooks[same] * ways
    return total
