"""How sure we are, and what moves it.

One independent piece of evidence closes a fixed share of the gap to the ceiling, so that confidence
rises ever more slowly and never passes it: ``c' = c + RAISE * (ceiling - c)``. A contradiction takes
a fixed share away: ``c' = c * DISPUTE``. Saying a thing twice in one conversation, or from one source,
moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hindsight.domain.ids import SessionId
from hindsight.domain.memory import Evidence, Memory
from hindsight.domain.trust import REPORTED_CONFIDENCE_MAX, Trust

# Judged, not measured: three independent confirmations take 0.8 to 0.94.
RAISE: Final = 0.3
DISPUTE: Final = 0.7
CEILING: Final[dict[Trust, float]] = {
    "trusted": 0.99,
    "reported": REPORTED_CONFIDENCE_MAX,
    "untrusted": 0.4,
}
AT_FIRST: Final[dict[Trust, float]] = {"trusted": 0.9, "reported": 0.6, "untrusted": 0.3}
_SESSION: Final = "session:"
_SOURCE: Final = "source:"
# What a memory remembers of bare writes; the earliest count, as they are what it was first believed for.
SUPPORTED_BY_MAX: Final = 50


def first_confidence(trust: Trust, stated: float | None) -> float:
    """What a new memory starts with: what was stated, or the trust's own start, under its ceiling."""
    return min(stated if stated is not None else AT_FIRST[trust], CEILING[trust])


def raised(confidence: float, trust: Trust) -> float:
    """Confidence after one more independent piece of evidence. It never falls and never passes the ceiling."""
    return max(confidence, confidence + RAISE * (CEILING[trust] - confidence))


def disputed(confidence: float) -> float:
    """Confidence after a contradiction."""
    return confidence * DISPUTE


def grounds_of(
    evidence: Iterable[Evidence], *, session_id: SessionId | None = None, source: str | None = None
) -> frozenset[str]:
    """Where a statement comes from: ``session:ID`` for its conversations, ``source:LABEL`` for a named source.

    Args:
        session_id: The conversation that a bare write was made in.
        source: The caller's label.
    """
    found = {_SESSION + item.session_id for item in evidence}
    if session_id is not None:
        found.add(_SESSION + session_id)
    if source is not None:
        found.add(_SOURCE + source)
    return frozenset(found)


def known_grounds(memory: Memory) -> frozenset[str]:
    """Everywhere that *memory* comes from so far."""
    return grounds_of(memory.evidence, source=memory.source) | frozenset(memory.supported_by)


def is_independent(known: frozenset[str], new: frozenset[str]) -> bool:
    """Whether what comes from the grounds *new* adds to what rests on the grounds *known*.

    The same source adds nothing. Neither does the same conversation, unless others stand beside it. A
    bare write under no name and in no conversation cannot show that it comes from elsewhere.
    """
    sources = {ground for ground in new if ground.startswith(_SOURCE)}
    sessions = new - sources
    if sources & known:
        return False
    return bool(sessions - known) if sessions else bool(sources)


def also_supported_by(memory: Memory, grounds: frozenset[str]) -> tuple[str, ...]:
    """What *memory* is to remember of bare writes once one from *grounds* has stood for it."""
    new = sorted(grounds - known_grounds(memory))
    return (*memory.supported_by, *new)[:SUPPORTED_BY_MAX]
