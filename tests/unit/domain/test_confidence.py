from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hindsight.domain.confidence import disputed, first_confidence, raised
from hindsight.domain.trust import TRUSTS, Trust

trusts = st.sampled_from(TRUSTS)
shares = st.floats(0, 1)


@given(trusts, shares, st.integers(1, 40))
def test_confidence_rises_ever_more_slowly_and_never_reaches_one(trust: Trust, stated: float, times: int) -> None:
    value = first_confidence(trust, stated)
    step = 1.0
    for _ in range(times):
        after = raised(value, trust)
        assert value <= after < 1.0
        assert after - value <= step
        step, value = after - value + 1e-12, after


@given(shares)
def test_reports_never_pass_seven_tenths(stated: float) -> None:
    value = first_confidence("reported", stated)
    for _ in range(50):
        value = raised(value, "reported")
    assert value <= 0.7


@given(shares)
def test_a_dispute_lowers_and_never_below_zero(value: float) -> None:
    assert 0.0 <= disputed(value) <= value
