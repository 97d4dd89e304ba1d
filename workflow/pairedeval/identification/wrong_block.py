r"""How many marked errors can be harmful flips once all five state counts of a class are known (level I5).

The correct records of a class are interchangeable (Appendix A.3), so I5 constrains the correct-correct block by its
size alone, and everything that it adds to Ik happens among the wrong records. There, P clean and Q perturbed ones form
m wrong-wrong pairs, s of them persistent (same label) and ``m - s`` changed; the ``Q - m`` perturbed ones left over
are the harmful flips. Per wrong label c let p_c and q_c count the clean and perturbed records, s_c the persistent
pairs and e_c the perturbed ends of changed pairs. A matching exists exactly when

    sum s_c = s,  sum e_c = m - s,  s_c <= min(p_c, q_c),  s_c + e_c <= q_c,  e_c + (p_c - s_c) <= P - s.

The last condition is Hall's: the changed ends of label c need clean partners of other labels. It can exclude single
values of s, so a linear relaxation is not enough. But it can fail only for *heavy* labels, those for which
``e_c + p_c - s_c`` can exceed ``P - s`` within the other conditions; `heavy_labels` deals with them. The fewest marked
ends inside the block are the least sum of ``max(0, s_c + e_c - f_c)``, with f_c unmarked perturbed records of label c.
Without the last condition it is

    max(0, s - sum min(p_c, f_c), m - sum f_c).

The most marked ends inside are m minus the fewest unmarked ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairedeval.errors import RecordsError
from pairedeval.identification.classes import Classes
from pairedeval.identification.events import Range
from pairedeval.identification.heavy_labels import fewest_marked


@dataclass(frozen=True)
class WrongRecords:
    """Wrong predictions of both sides and the counts that constrain their pairs.

    Attributes
    ----------
    classes
        Classes of the records.
    clean_prediction, clean_wrong
        Predicted labels (non-negative integers) and which are wrong, shape ``(n,)``.
    perturbed_prediction, perturbed_wrong
        The same, shape ``(conditions, n)``.
    flips
        Harmful flips h_y per class, shape ``(conditions, classes)``.
    persistent
        Persistent errors s_y per class, same shape.
    """

    classes: Classes
    clean_prediction: np.ndarray
    clean_wrong: np.ndarray
    perturbed_prediction: np.ndarray
    perturbed_wrong: np.ndarray
    flips: np.ndarray
    persistent: np.ndarray


def marked_flips(wrong: WrongRecords, marked: np.ndarray, bounds: Range, solve: np.ndarray) -> Range:
    """Narrow the range of marked harmful flips from Ik to I5.

    Parameters
    ----------
    wrong
        Wrong records and count constraints.
    marked
        Marked ones among the wrong perturbed records, bool, shape ``(conditions, n)``.
    bounds
        Range at Ik from `events.marked_flips`, shape ``(conditions, classes)`` each.
    solve
        Which classes to narrow, bool, same shape; the others keep their range.

    Raises
    ------
    RecordsError
        If no correspondence of a solved class has the given counts.
    """
    labels = _shared_labels(wrong, marked, solve)
    _refuse_unshared(wrong, labels, solve)
    blocks = _wrong_blocks(wrong, marked, labels)
    inside_low = _fewest_inside(labels, blocks, labels.perturbed - labels.marked, blocks.perturbed - blocks.marked)
    unmarked_low = _fewest_inside(labels, blocks, labels.marked, blocks.marked)
    if (inside_low < 0).any():
        raise _infeasible(wrong, int(blocks.place[np.argmin(inside_low)]))
    fewest, most = (np.array(bound) for bound in bounds)
    fewest.flat[blocks.place] = blocks.marked - (blocks.size - unmarked_low)
    most.flat[blocks.place] = blocks.marked - inside_low
    return fewest, most


@dataclass(frozen=True)
class _Labels:
    """Wrong labels that both sides of a class predict, one a row; rows of one block are adjacent."""

    place: np.ndarray  # condition * classes + class
    clean: np.ndarray  # p_c
    perturbed: np.ndarray  # q_c
    marked: np.ndarray  # t_c


@dataclass(frozen=True)
class _Blocks:
    """Wrong-wrong blocks with at least one shared label, one a row."""

    place: np.ndarray  # condition * classes + class
    first: np.ndarray  # row of the block's first label in `_Labels`
    clean: np.ndarray  # P
    perturbed: np.ndarray  # Q
    marked: np.ndarray  # T
    size: np.ndarray  # m
    persistent: np.ndarray  # s

    @property
    def changed(self) -> np.ndarray:
        changed: np.ndarray = self.size - self.persistent
        return changed

    @property
    def partners(self) -> np.ndarray:
        partners: np.ndarray = self.clean - self.persistent
        return partners


def _shared_labels(wrong: WrongRecords, marked: np.ndarray, solve: np.ndarray) -> _Labels:
    classes = wrong.classes
    width = 1 + max(int(wrong.clean_prediction.max()), int(wrong.perturbed_prediction.max(initial=0)))
    known, clean_count = np.unique(
        (classes.index * width + wrong.clean_prediction)[wrong.clean_wrong], return_counts=True
    )
    condition, record = np.nonzero(wrong.perturbed_wrong & classes.spread(solve))
    code = classes.index[record] * width + wrong.perturbed_prediction[condition, record]
    row = np.searchsorted(known, code)
    shared = np.append(known, -1)[row] == code
    condition, record, row = condition[shared], record[shared], row[shared]
    key, first, inverse, count = np.unique(
        condition * len(known) + row, return_index=True, return_inverse=True, return_counts=True
    )
    return _Labels(
        place=condition[first] * len(classes.sizes) + classes.index[record[first]],
        clean=clean_count[row[first]],
        perturbed=count,
        marked=np.bincount(inverse, marked[condition, record], minlength=len(key)).astype(np.int64),
    )


def _wrong_blocks(wrong: WrongRecords, marked: np.ndarray, labels: _Labels) -> _Blocks:
    count = wrong.classes.count
    first = np.flatnonzero(np.diff(labels.place, prepend=-1))
    place = labels.place[first]
    perturbed = count(wrong.perturbed_wrong).flat[place]
    return _Blocks(
        place=place,
        first=first,
        clean=count(wrong.clean_wrong)[place % len(wrong.classes.sizes)],
        perturbed=perturbed,
        marked=count(wrong.perturbed_wrong & marked).flat[place],
        size=perturbed - wrong.flips.flat[place],
        persistent=wrong.persistent.flat[place],
    )


def _refuse_unshared(wrong: WrongRecords, labels: _Labels, solve: np.ndarray) -> None:
    """Raise where more persistent errors are asked for than shared labels, or the block, can hold."""
    shared = np.bincount(labels.place, np.minimum(labels.clean, labels.perturbed), minlength=solve.size)
    block = wrong.classes.count(wrong.perturbed_wrong) - wrong.flips
    room = np.minimum(shared.reshape(solve.shape), block)
    broken = solve & ((wrong.persistent < 0) | (wrong.persistent > room))
    if broken.any():
        raise _infeasible(wrong, int(np.argmax(broken)))


def _infeasible(wrong: WrongRecords, place: int) -> RecordsError:
    label = wrong.classes.labels[place % len(wrong.classes.labels)]
    return RecordsError(
        f"class {label}: no correspondence of these records has {wrong.persistent.flat[place]} persistent errors "
        f"and {wrong.flips.flat[place]} harmful flips; check the state counts of this class"
    )


def _fewest_inside(labels: _Labels, blocks: _Blocks, unmarked: np.ndarray, unmarked_total: np.ndarray) -> np.ndarray:
    """Return the fewest marked perturbed ends inside each block; -1 where no correspondence exists.

    Parameters
    ----------
    labels, blocks
        Shared labels and the blocks that they belong to.
    unmarked
        f_c per shared label.
    unmarked_total
        Sum of f_c over all labels of each block.
    """
    shared, shared_unmarked = np.minimum(labels.clean, labels.perturbed), np.minimum(labels.clean, unmarked)
    unmarked_persistent = np.add.reduceat(shared_unmarked, blocks.first)
    fewest: np.ndarray = np.maximum(
        np.maximum(0, blocks.persistent - unmarked_persistent), blocks.size - unmarked_total
    )
    parts = (shared, shared_unmarked, labels.perturbed, unmarked)
    totals = (np.add.reduceat(shared, blocks.first), unmarked_persistent, blocks.perturbed, unmarked_total)
    constrained, least = _fewest_with_heavy(labels, blocks, parts, totals)
    fewest[constrained] = least
    return fewest


def _fewest_with_heavy(
    labels: _Labels, blocks: _Blocks, parts: Sequence[np.ndarray], totals: Sequence[np.ndarray]
) -> tuple[np.ndarray, list[int]]:
    """Solve the blocks with heavy labels; return their rows and the fewest marked ends inside.

    `parts` holds what each shared label adds to the sums of `heavy_labels.Rest`, `totals` these sums per block.
    """
    heavy = _heavy(labels, blocks)
    number = np.add.reduceat(heavy, blocks.first, dtype=np.int64)
    rows, ends = np.flatnonzero(number), np.cumsum(number)
    rest = [
        total - np.add.reduceat(np.where(heavy, part, 0), blocks.first)
        for part, total in zip(parts, totals, strict=True)
    ]
    heavy_labels = list(_rows((labels.clean, labels.perturbed, parts[3]), np.flatnonzero(heavy)))
    inputs = zip(
        _rows((ends - number, ends), rows),
        _rows(rest, rows),
        _rows((blocks.persistent, blocks.changed, blocks.partners), rows),
        strict=True,
    )
    least = [fewest_marked(tuple(sorted(heavy_labels[start:end])), other, sums) for (start, end), other, sums in inputs]
    return rows, least


def _rows(columns: Sequence[np.ndarray], chosen: np.ndarray) -> Iterator[tuple[Any, ...]]:
    """Yield the chosen rows of integer columns as tuples."""
    return zip(*(column[chosen].tolist() for column in columns), strict=True)


def _heavy(labels: _Labels, blocks: _Blocks) -> np.ndarray:
    """Mark the labels for which Hall's condition can fail, shape of the rows of `labels`."""
    rows = np.diff(np.append(blocks.first, len(labels.place)))
    shared = np.minimum(labels.clean, labels.perturbed)
    spare = np.add.reduceat(shared, blocks.first) - blocks.persistent
    changed, partners = np.repeat(blocks.changed, rows), np.repeat(blocks.partners, rows)
    least_persistent = np.maximum(0, shared - np.repeat(spare, rows))
    most_changed = np.minimum(changed, labels.perturbed - least_persistent)
    heavy: np.ndarray = most_changed + labels.clean - least_persistent > partners
    return heavy
