"""Which perturbed records the policies accept, and what a level tells about those that they treat differently."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from pairedeval.identification import events, wrong_block
from pairedeval.identification.class_states import ClassStates, wrong_records
from pairedeval.identification.classes import ClassCounts, Classes, class_counts
from pairedeval.identification.levels import FIVE_STATES, MARGINAL
from pairedeval.policies import costs
from pairedeval.policies.costs import Candidates, Corner, Switch
from pairedeval.records import RecordBlock
from pairedeval.states import Outcomes, outcomes


@dataclass(frozen=True)
class Switches:
    """Acceptance of a block's perturbed records by all policies.

    Attributes
    ----------
    block, classes, judged, counts
        The records, their classes, and correctness and clean acceptance, also per class.
    thresholds
        Perturbed-side threshold per policy, shape ``(policies,)``.
    accepted
        Whether each policy accepts each perturbed record, shape ``(policies, conditions, n)``.
    known
        Joint counts per class; None if only I0 is sought.
    natural
        Whether costs count all accepted errors (J', Corollary 1) instead of their transitions (J, Eq. 10).
    """

    block: RecordBlock
    classes: Classes
    judged: Outcomes
    counts: ClassCounts
    thresholds: np.ndarray
    accepted: np.ndarray
    known: ClassStates | None
    natural: bool

    @classmethod
    def of(
        cls,
        block: RecordBlock,
        threshold: float,
        thresholds: np.ndarray,
        known: ClassStates | None,
        natural: bool = False,
    ) -> "Switches":
        """Apply the clean threshold and the policies' thresholds."""
        classes, judged = Classes.of(block.labels), outcomes(block, threshold)
        accepted = block.perturbed.confidence >= thresholds[:, None, None]
        return cls(block, classes, judged, class_counts(classes, judged), thresholds, accepted, known, natural)

    @property
    def accepted_error(self) -> np.ndarray:
        """Share E_tau of accepted errors per policy, shape ``(conditions, policies)``."""
        return self.share(~self.judged.perturbed_correct & self.accepted)

    @property
    def rejected_correct(self) -> np.ndarray:
        """Share of correct but rejected records per policy, shape ``(conditions, policies)``."""
        return self.share(self.judged.perturbed_correct & ~self.accepted)

    @property
    def coverage(self) -> np.ndarray:
        """Share of accepted perturbed records per policy, shape ``(conditions, policies)``."""
        return self.share(self.accepted)

    @property
    def actions(self) -> np.ndarray:
        """First policy that accepts the same perturbed records, per policy, shape ``(conditions, policies)``.

        What one policy accepts contains what any stricter one accepts, so equal numbers mean equal records.
        """
        number = self.accepted.sum(axis=2)
        first: np.ndarray = (number[:, None] == number[None]).argmax(axis=0).T
        return first

    def share(self, records: np.ndarray) -> np.ndarray:
        """Average record flags or weights: ``(policies, conditions, n)`` to ``(conditions, policies)``."""
        share: np.ndarray = records.mean(axis=2).T
        return share

    def single(self, policy: int) -> Switch:
        """Mark what one policy is charged for: accepted errors and rejected correct records."""
        return self._switch(self.accepted[policy], ~self.accepted[policy])

    def pairs(self) -> Iterator[tuple[int, int, Switch]]:
        """Yield each pair of a more and a less accepting policy, with the records that only the former accepts."""
        order = np.argsort(self.thresholds, kind="stable")
        for lenient, strict in combinations(order.tolist(), 2):
            between = self.accepted[lenient] & ~self.accepted[strict]
            yield lenient, strict, self._switch(between, between)

    def flips(self, level: str, switch: Switch) -> events.Range | None:
        """Return the range of marked wrong records among the harmful flips; None where a level or cost needs none."""
        if level == MARGINAL or self.known is None or self.natural:
            return None
        bounds = events.marked_flips(self.counts, self.known.overlap, switch.wrong)
        if level == FIVE_STATES:
            solve = (bounds[0] < bounds[1]) & (self.counts.clean_accepted > 0)
            wrong = wrong_records(self.block, self.classes, self.judged, self.known)
            bounds = wrong_block.marked_flips(wrong, switch.records, bounds, solve)
        return bounds

    def candidates(self, level: str, switch: Switch, flips: events.Range | None, corner: Corner) -> Candidates:
        """Return each class's candidates for an extreme cost, or difference of two, at one level."""
        known = None if level == MARGINAL else self.known
        if self.natural:
            return costs.natural_candidates(self.counts, switch, corner, None if known is None else known.overlap)
        if known is None or flips is None:
            return costs.marginal_candidates(self.counts, switch, corner)
        return costs.overlap_candidates(self.counts, switch, corner, known.overlap, flips)

    def capped_candidates(self, switch: Switch, flips: events.Range | None) -> Candidates:
        """Return each class's candidates for the largest transition cost by Lemma 1; without flips at I0."""
        counts = replace(self.counts, perturbed_rejected=switch.correct, accepted_errors=switch.wrong)
        if flips is None or self.known is None:
            transitions = events.marginal_accepted_transition(counts)
            losses = events.marginal_lost_acceptance(counts)
        else:
            transitions = events.accepted_transition(counts, flips)
            losses = events.lost_acceptance(counts, self.known.overlap)
        return costs.capped_candidates(counts.clean_accepted, transitions, losses)

    def _switch(self, wrong: np.ndarray, correct: np.ndarray) -> Switch:
        """Mark wrong and correct records, each given by its own mask."""
        right = self.judged.perturbed_correct
        return Switch(~right & wrong, self.classes.count(~right & wrong), self.classes.count(right & correct))
