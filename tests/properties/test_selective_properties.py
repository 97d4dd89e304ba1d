"""Properties of error rates at fixed coverages, of the 5% rule and of the allocation of a sample."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pairedeval.review.frame import allocate
from pairedeval.selective.fixed_coverage import expected_errors
from pairedeval.selective.risk_rule import accept, risk_rule_threshold

RECORDS = st.lists(st.tuples(st.integers(1, 6), st.booleans()), min_size=1, max_size=30)


def arrays(records: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    confidence, wrong = (np.array(column) for column in zip(*records, strict=True))
    return confidence / 6, wrong


@given(RECORDS, st.randoms(use_true_random=False), st.data())
def test_errors_depend_on_no_order_and_grow_with_the_selection(records, random, data):
    number = data.draw(st.floats(0.01, len(records)))
    more = data.draw(st.floats(number, len(records)))
    shuffled = random.sample(records, len(records))
    found = expected_errors(*arrays(records), [number, more])
    assert np.allclose(found, expected_errors(*arrays(shuffled), [number, more]), atol=1e-12)
    assert -1e-12 <= found[0] <= found[1] + 1e-12
    assert found[1] - found[0] <= more - number + 1e-9


@given(RECORDS, st.floats(0.01, 0.9))
def test_no_larger_subset_meets_the_target(records, target):
    confidence, wrong = arrays(records)
    threshold = risk_rule_threshold(confidence, wrong, target)
    sizes = np.arange(1, len(records) + 1)
    fitting = sizes[expected_errors(confidence, wrong, sizes.tolist()) <= target * sizes + 1e-12]
    if np.isnan(threshold):
        assert not len(fitting)
        return
    below = round(float(accept(confidence, wrong, np.nextafter(threshold, 2)).coverage) * len(records))
    accepted = round(float(accept(confidence, wrong, threshold).coverage) * len(records))
    assert below < fitting.max() <= accepted


@given(st.lists(st.integers(0, 60), min_size=1, max_size=18), st.integers(0, 400))
def test_samples_are_as_equal_as_strata_allow(populations, events):
    sizes = np.array(populations)
    shares = allocate(sizes, events)
    assert shares.sum() == min(events, sizes.sum())
    assert (shares >= 0).all()
    assert (shares <= sizes).all()
    # Whoever gives less than another by two or more has nothing left.
    short = shares < shares.max() - 1
    assert (shares[short] == sizes[short]).all()
