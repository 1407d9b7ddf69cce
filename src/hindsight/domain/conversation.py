"""Working and episodic memory: turns, the sessions they run in, and the episodes they become."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from hindsight.domain.ids import EpisodeId, SessionId, TurnId
from hindsight.domain.memory import Category, Language
from hindsight.domain.trust import Origin

Role = Literal["user", "assistant", "tool", "system"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

TURN_CHARACTERS_MAX: Final = 200_000
TURNS_PER_CALL_MAX: Final = 10_000
# Fills an erased piece at its old length. No tokenizer of ours makes a word of it.
FILLER: Final = "\u2588"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation.

    ``id`` is the caller's, or ``{session}#{index}`` where none was given. ``origin`` is that of the
    message as a whole; parts of a user's message may be quoted and count as ``document``. ``erased``
    turns keep their place and have lost all their words; one that lost a piece holds full blocks there.
    ``observed_at`` is when we took it in.
    """

    session_id: SessionId
    index: int
    id: TurnId
    role: Role
    content: str
    at: datetime
    origin: Origin
    name: str | None = None
    erased: bool = False
    observed_at: datetime | None = None

    def known_by(self, moment: datetime) -> bool:
        """Whether we knew of it at *moment*; where that was not kept, its own time stands for it."""
        return (self.observed_at or self.at) <= moment

    @property
    def spoken(self) -> str:
        """The words with their speaker's name before them, where there is one: what is embedded."""
        return f"{self.name}: {self.content}" if self.name else self.content


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A running conversation.

    ``distilled_to`` is the index of the first turn not yet looked back on; ``user_turns_pending``
    counts the user's turns from there. ``time_zone`` is the user's, for words such as "tomorrow".
    """

    id: SessionId
    turn_count: int
    user_turns_pending: int
    distilled_to: int
    started_at: datetime
    last_at: datetime
    observed_at: datetime
    ended: bool = False
    time_zone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A name that matters in an episode, and what kind of thing it is."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One finished stretch of a session: what was said, done and concluded.

    Turns ``first_index`` to ``last_index``, both included, are its evidence.
    """

    id: EpisodeId
    session_id: SessionId
    first_index: int
    last_index: int
    language: Language
    user_said: str
    agent_did: str
    conclusion: str
    entities: tuple[Entity, ...]
    started_at: datetime
    ended_at: datetime
    created_at: datetime

    @property
    def text(self) -> str:
        """The digest as one text, as it is searched and shown."""
        parts = (self.user_said, self.agent_did, self.conclusion)
        return "\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of one turn: characters ``start`` to ``end`` of its content."""

    turn_index: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that extraction proposes: it is not believed yet.

    ``spans`` are the pieces of turns it rests on; the quote is what stands there, verbatim.
    ``origin`` is the lowest among them. ``corrects`` says that the user took back an earlier word
    in favour of this one. ``endorsed_from`` names whose proposal the user accepted, if any.
    """

    key: str
    value: str
    category: Category
    language: Language
    confidence: float
    spans: tuple[Span, ...]
    origin: Origin
    at: datetime
    made_by: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    corrects: bool = False
    endorsed_from: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A piece of a turn that was looked at and not kept, and the reason's stable code."""

    span: Span
    reason: str
