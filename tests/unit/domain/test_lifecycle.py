"""Freshness halves with every span, and an active memory past its span is stale."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hindsight.domain.lifecycle import Policy, current_status, freshness, present, span_days
from hindsight.testing import sample_memory

NOW = datetime(2026, 6, 1, tzinfo=UTC)
POLICY = Policy()
MEMORY = replace(sample_memory("mem_1"), status="active", category="fact", ttl_days=None, verified_at=NOW)


@pytest.mark.parametrize(("category", "days"), [("fact", 90), ("project", 21), ("schedule", 7), ("identity", 365)])
def test_each_category_has_its_span(category: str, days: float) -> None:
    assert span_days(replace(MEMORY, category=category), POLICY) == days


def test_a_memorys_own_span_wins_over_the_policy() -> None:
    assert span_days(replace(MEMORY, ttl_days=3.0), POLICY) == 3.0


def test_freshness_is_one_when_verified_and_half_on_the_day_it_turns_stale() -> None:
    assert freshness(MEMORY, NOW, POLICY) == 1.0
    assert freshness(MEMORY, NOW + timedelta(days=90), POLICY) == pytest.approx(0.5)
    assert current_status(MEMORY, NOW + timedelta(days=89), POLICY) == "active"
    assert current_status(MEMORY, NOW + timedelta(days=90), POLICY) == "stale"


def test_freshness_stays_above_zero_and_never_passes_one() -> None:
    assert freshness(MEMORY, NOW + timedelta(days=60_000), POLICY) > 0
    assert freshness(MEMORY, NOW - timedelta(days=5), POLICY) == 1.0
    assert freshness(replace(MEMORY, ttl_days=0.0), NOW + timedelta(days=1), POLICY) > 0


@pytest.mark.parametrize("status", ["archived", "quarantined"])
def test_age_changes_no_status_that_an_event_has_set(status: str) -> None:
    old = replace(MEMORY, status=status)
    assert current_status(old, NOW + timedelta(days=900), POLICY) == status


def test_presenting_fills_in_both_and_nothing_else() -> None:
    later = NOW + timedelta(days=180)
    shown = present(MEMORY, later, POLICY)
    assert (shown.status, shown.freshness) == ("stale", pytest.approx(0.25))
    assert replace(shown, status="active", freshness=1.0) == MEMORY
