"""How sure we are, and what moves it.

One independent piece of evidence closes a fixed share of the gap to the ceiling, so that confidence
rises ever more slowly and never passes it: ``c' = c + RAISE * (ceiling - c)``. A contradiction takes
a fixed share away: ``c' = c * DISPUTE``. Saying a thing twice in one conversation moves nothing.
"""

from __future__ import annotations

from typing import Final

from hindsight.domain.memory import Evidence, Memory
from hindsight.domain.trust import REPORTED_CONFIDENCE_MAX, Trust

# Judged, not measured: three independent confirmations take 0.8 to 0.94.
RAISE: Final = 0.3
DISPUTE: Final = 0.7
_CEILING: Final[dict[Trust, float]] = {
    "trusted": 0.99,
    "reported": REPORTED_CONFIDENCE_MAX,
    "untrusted": 0.4,
}
_AT_FIRST: Final[dict[Trust, float]] = {"trusted": 0.9, "reported": 0.6, "untrusted": 0.3}


def first_confidence(trust: Trust, stated: float | None) -> float:
    """What a new memory starts with: what was stated, or the trust's own start, under its ceiling."""
    return min(stated if stated is not None else _AT_FIRST[trust], _CEILING[trust])


def raised(confidence: float, trust: Trust) -> float:
    """Confidence after one more independent piece of evidence. It never falls and never passes the ceiling."""
    return max(confidence, confidence + RAISE * (_CEILING[trust] - confidence))


def disputed(confidence: float) -> float:
    """Confidence after a contradiction."""
    return confidence * DISPUTE


def is_independent(memory: Memory, evidence: tuple[Evidence, ...], source: str | None) -> bool:
    """Whether new evidence comes from somewhere the memory does not rest on yet.

    Evidence from a conversation is independent of other conversations; a bare write only of bare
    writes under another, named source.
    """
    if evidence:
        known = {item.session_id for item in memory.evidence}
        return any(item.session_id not in known for item in evidence)
    return source is not None and source != memory.source
