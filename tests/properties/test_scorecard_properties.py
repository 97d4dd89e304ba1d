"""Rounding: what any printing rounds to a printed number agrees with it, and what is farther away does not."""

from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pairedeval.scorecard.card import printed_like
from pairedeval.scorecard.compare import DIFFERS, WITHIN_RESAMPLING, WITHIN_ROUNDING, judge
from pairedeval.scorecard.published import rounding

VALUES = st.decimals(min_value=-1000, max_value=1000, places=7)
DECIMALS = st.integers(min_value=0, max_value=4)
MODES = st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN])


def verdict(published, value, lower=float("nan"), upper=float("nan")):
    number, half = rounding(published)
    pair = {"number": number, "half_unit": half, "lower": lower, "upper": upper, "part": "value", "draws": 2000}
    return judge(pd.DataFrame([pair | {"value": value}]))["verdict"].iloc[0]


@given(VALUES, DECIMALS, MODES)
def test_a_rounded_number_agrees_with_itself(value, decimals, mode):
    printed = str(value.quantize(Decimal(1).scaleb(-decimals), rounding=mode))
    assert verdict(printed, float(value)) == WITHIN_ROUNDING


@given(VALUES, DECIMALS, st.floats(min_value=1.001, max_value=50), st.sampled_from([-1, 1]))
def test_a_number_beyond_half_a_digit_differs(value, decimals, factor, sign):
    printed = str(value.quantize(Decimal(1).scaleb(-decimals)))
    number, half = rounding(printed)
    assert verdict(printed, number + sign * factor * half) == DIFFERS


@given(VALUES, DECIMALS)
def test_our_print_of_a_number_that_agrees_differs_in_the_last_digit_at_most(value, decimals):
    printed = str(value.quantize(Decimal(1).scaleb(-decimals)))
    ours = printed_like(float(value), printed)
    assert abs(Decimal(ours) - Decimal(printed)) <= Decimal(1).scaleb(-decimals)


@given(st.floats(min_value=-1, max_value=1), st.floats(min_value=0.01, max_value=1))
def test_only_numbers_inside_the_interval_are_within_resampling(value, width):
    found = verdict("0.00", value, lower=-width, upper=width)
    inside = -width - 0.005 <= value <= width + 0.005
    assert (found == WITHIN_RESAMPLING) == (inside and abs(value) > 0.005 * (1 + 1e-9))
