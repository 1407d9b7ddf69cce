"""How a memory ages: freshness falls by halves, and past its span an active memory is stale.

Stale is derived from time at every read. A sweep that writes it was rejected: it would make the
answer depend on when the sweep last ran, and an as-of read could not be honest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from hindsight.domain.memory import Category, Memory, Status

SPAN_DAYS_DEFAULT: Final = 90.0
SPAN_DAYS_BY_CATEGORY: Final[Mapping[Category, float]] = MappingProxyType(
    {"project": 21.0, "schedule": 7.0, "identity": 365.0}
)
# Freshness stays above zero, as its definition says, after any number of years.
FRESHNESS_MIN: Final = 1e-6
# A span of zero days would divide by zero; a minute is as short as anybody can mean.
SPAN_DAYS_MIN: Final = 1 / 1_440
_DAY: Final = timedelta(days=1)
# The longest span a setting allows; a moment further off may be beyond the calendar.
_FAR_DAYS: Final = 36_500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """After how many days without verification a memory turns stale, by category."""

    default_days: float = SPAN_DAYS_DEFAULT
    by_category: Mapping[Category, float] = field(default_factory=lambda: SPAN_DAYS_BY_CATEGORY)


def span_days(memory: Memory, policy: Policy) -> float:
    """The days after which *memory* turns stale: its own ``ttl_days``, or else its category's span."""
    days = memory.ttl_days
    if days is None:
        days = policy.by_category.get(memory.category, policy.default_days)
    return max(days, SPAN_DAYS_MIN)


def stale_at(memory: Memory, policy: Policy) -> datetime:
    """The moment from which *memory* is stale, unless it is verified before."""
    return memory.verified_at + min(span_days(memory, policy), _FAR_DAYS) * _DAY


def freshness(memory: Memory, now: datetime, policy: Policy) -> float:
    """How recently *memory* was verified, in (0, 1]: 1 today, one half on the day it turns stale."""
    halves = _age_days(memory, now) / span_days(memory, policy)
    return max(0.5**halves, FRESHNESS_MIN)


def current_status(memory: Memory, now: datetime, policy: Policy) -> Status:
    """The status at *now*: that of the store, or ``stale`` for an active memory past its span."""
    if memory.status in ("archived", "quarantined"):
        return memory.status
    return "stale" if _age_days(memory, now) >= span_days(memory, policy) else "active"


def present(memory: Memory, now: datetime, policy: Policy) -> Memory:
    """*memory* as it is at *now*, with its status and freshness filled in."""
    return replace(memory, status=current_status(memory, now, policy), freshness=freshness(memory, now, policy))


def _age_days(memory: Memory, now: datetime) -> float:
    """Days since it was verified; none for a verification that lies ahead of *now*."""
    return max((now - memory.verified_at) / _DAY, 0.0)
