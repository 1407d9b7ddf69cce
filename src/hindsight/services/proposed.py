"""A memory that wants in: what the gate is given, and whether it may be served before the user has seen it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hindsight.domain.confidence import grounds_of
from hindsight.domain.ids import SessionId
from hindsight.domain.memory import Category, Evidence, Language
from hindsight.domain.trust import Origin, Trust, trust_of
from hindsight.language.classes import strictest_category
from hindsight.ports import Vector

_USERS_OWN: Final[frozenset[Category]] = frozenset({"preference", "identity", "permission", "instruction"})
_NEEDS_USER: Final[frozenset[Category]] = frozenset({"permission", "instruction"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A memory that wants in. ``at`` is the time of its newest evidence.

    ``session_id`` is the conversation that a bare write was made in. ``echoes`` says that the words are
    those that this service served before.
    """

    key: str
    value: str
    category: Category
    language: Language
    origin: Origin
    at: datetime
    made_by: str
    stated_confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    session_id: SessionId | None = None
    echoes: bool = False
    source: str | None = None
    writer: str | None = None
    locator: str | None = None
    ttl_days: float | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    corrects: bool = False
    endorsed_from: Origin | None = None
    vector: Vector | None = None

    @property
    def trust(self) -> Trust:
        """What its origin earns."""
        return trust_of(self.origin)

    @property
    def grounds(self) -> frozenset[str]:
        """Where it comes from."""
        return grounds_of(self.evidence, session_id=self.session_id, source=self.source)


def classified(value: str, label: Category | None) -> Category:
    """The category of *value*: what it says decides, and the stricter of that and *label* wins."""
    return strictest_category(value, label)


def must_wait(proposed: Proposed) -> bool:
    """Whether it may not be served until the user has seen it."""
    if proposed.trust == "untrusted":
        return proposed.category in _USERS_OWN or _speaks_of_user(proposed.value)
    return proposed.trust == "reported" and proposed.category in _NEEDS_USER


def _speaks_of_user(value: str) -> bool:
    lowered = value.lower()
    return any(word in lowered for word in ("user", "用户", "你", "您", "我", " my ", " your ", "our "))
