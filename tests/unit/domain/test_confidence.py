from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.domain.confidence import (
    SUPPORTED_BY_MAX,
    also_supported_by,
    disputed,
    first_confidence,
    grounds_of,
    is_independent,
    known_grounds,
    raised,
)
from hindsight.domain.trust import TRUSTS, Trust
from hindsight.testing import sample_evidence, sample_memory

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


def grounds(*sessions: str, source: str | None = None) -> frozenset[str]:
    return grounds_of([sample_evidence(session, 0, "a quote") for session in sessions], source=source)


@pytest.mark.parametrize(
    ("known", "new", "independent"),
    [
        (grounds("s1"), grounds("s2"), True),
        (grounds("s1"), grounds("s1"), False),
        (grounds("s1"), grounds("s1", "s2"), True),
        (grounds("s1"), grounds("s1", source="notes"), False),
        (grounds("s1", source="notes"), grounds("s2", source="notes"), False),
        (grounds(source="notes"), grounds(source="notes"), False),
        (grounds(source="notes"), grounds(source="survey"), True),
        (grounds(), grounds(source="survey"), True),
        (grounds(), grounds(), False),
        (grounds("s1"), grounds(), False),
    ],
)
def test_only_what_comes_from_elsewhere_is_independent(
    known: frozenset[str], new: frozenset[str], independent: bool
) -> None:
    assert is_independent(known, new) is independent


def test_a_memory_remembers_each_ground_of_bare_writes_once_and_not_without_end() -> None:
    memory = replace(sample_memory("mem_1", evidence=[sample_evidence("s1", 0, "a quote")]), source="notes")
    assert also_supported_by(memory, grounds("s1", source="notes")) == ()
    for number in range(SUPPORTED_BY_MAX + 5):
        memory = replace(memory, supported_by=also_supported_by(memory, grounds(source=f"source {number}")))
        memory = replace(memory, supported_by=also_supported_by(memory, grounds(source=f"source {number}")))
    assert len(memory.supported_by) == len(set(memory.supported_by)) == SUPPORTED_BY_MAX
    assert known_grounds(memory) >= grounds("s1", source="notes")
