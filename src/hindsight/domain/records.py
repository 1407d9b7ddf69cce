"""What the service keeps beside memories and turns, and what its calls answer with.

Answers hold values, never open handles: they stay readable after the store is closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Generic, Literal, TypeVar, get_args

from hindsight.domain.conversation import Episode, Rejection, Turn
from hindsight.domain.ids import ConflictId, JobId, MemoryId, SessionId, TraceId
from hindsight.domain.memory import Memory
from hindsight.domain.namespace import Namespace
from hindsight.domain.trust import Origin

Layer = Literal["semantic", "episodic"]
LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)

WriteOutcome = Literal["added", "reinforced", "refined", "superseded", "disputed", "quarantined"]
ChangeOutcome = Literal["applied", "proposed"]
VerifyOutcome = Literal["confirmed", "rejected", "changed"]
SettleOutcome = Literal["first", "second", "both", "neither", "changed"]
JobKind = Literal["look_back", "embed", "erase"]
JobState = Literal["queued", "running", "done", "failed"]
Trigger = Literal["task_end", "user_turns", "idle", "request"]

VERIFY_OUTCOMES: Final[tuple[VerifyOutcome, ...]] = get_args(VerifyOutcome)
SETTLE_OUTCOMES: Final[tuple[SettleOutcome, ...]] = get_args(SettleOutcome)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a list. ``next_cursor`` is None on the last one. Iterating gives the items."""

    items: tuple[Item, ...]
    next_cursor: str | None = None

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two memories in contradiction until someone settles it.

    ``first`` is the older by its evidence, ``second`` the newer. ``question`` is ready to be put to
    the user, in the language of the newer memory.
    """

    id: ConflictId
    namespace: Namespace
    first: MemoryId
    second: MemoryId
    question: str
    opened_at: datetime
    open: bool = True
    outcome: SettleOutcome | None = None
    settled_at: datetime | None = None
    settled_by: Origin | None = None

    def as_of(self, moment: datetime) -> Conflict | None:
        """The conflict as it stood at *moment*; None where it was not open then."""
        if self.opened_at > moment:
            return None
        if self.open:
            return self
        if self.settled_at is None or self.settled_at <= moment:
            return None
        return replace(self, open=True, outcome=None, settled_at=None, settled_by=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change that its caller may not make on its own: it waits in the review list for the user."""

    id: str
    memory_id: MemoryId
    action: str
    proposed_at: datetime
    proposed_by: Origin
    value: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """What became of one write. ``related`` are coexisting neighbours worth a look, nearest first."""

    outcome: WriteOutcome
    memory: Memory
    related: tuple[Memory, ...] = ()
    conflict: Conflict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of a verify, forget, restore, settle or release."""

    outcome: ChangeOutcome
    memory: Memory | None = None
    conflict: Conflict | None = None
    proposal: Proposal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing found. ``relevance`` lies in [0, 1], higher is better; ``parts`` says what made it.

    In the semantic layer ``memory`` is set. In the episodic layer ``turn`` is the matched turn,
    ``around`` its neighbours in order, and ``episode`` the stretch it belongs to, once looked back on.
    """

    layer: Layer
    namespace: Namespace
    relevance: float
    parts: Mapping[str, float]
    memory: Memory | None = None
    turn: Turn | None = None
    around: tuple[Turn, ...] = ()
    episode: Episode | None = None

    @property
    def text(self) -> str:
        """The words found: a memory's value, or a turn's content."""
        if self.memory is not None:
            return self.memory.value
        return self.turn.content if self.turn is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Hits, best first; empty means that nothing relevant is stored, never that something failed.

    ``conflicts`` are the open ones that touch the hits. ``degraded`` names what could not be used,
    such as ``vectors``. ``cautions`` are sentences for whoever reads the hits.
    """

    hits: tuple[Hit, ...]
    conflicts: tuple[Conflict, ...] = ()
    cautions: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    trace_id: TraceId | None = None

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The block for the prompt. ``tokens`` counts all of ``text``, its frame included."""

    text: str
    tokens: int
    budget_tokens: int
    memory_ids: tuple[MemoryId, ...]
    conflicts: tuple[Conflict, ...]
    trace_id: TraceId | None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCandidate:
    """One thing a search considered: its parts, whether it came back, and if not, why."""

    layer: Layer
    target: str
    rank: int
    relevance: float
    parts: Mapping[str, float]
    returned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A decision that rested on memories of a trace."""

    memory_ids: tuple[MemoryId, ...]
    decision: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The record of one search: what was considered, returned, injected and used."""

    id: TraceId
    namespace: Namespace
    at: datetime
    query: str
    candidates: tuple[TraceCandidate, ...]
    injected: tuple[MemoryId, ...] = ()
    uses: tuple[Use, ...] = ()
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The signed proof of an erasure: what was removed, from where, when. It holds no content.

    ``counts`` says how many of each kind went. ``retained`` counts places where the same words
    stay because another memory or namespace holds them on evidence of its own. ``pending`` names
    what a durable job still has to finish; the receipt is ``complete`` when nothing is pending.
    """

    id: str
    namespace: Namespace
    subject: str
    erased_at: datetime
    counts: Mapping[str, int]
    retained: int
    pending: tuple[str, ...]
    key_id: str = ""
    signature: str = ""

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be removed."""
        return not self.pending


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Durable background work on one stretch of a session.

    The stretch is the turns from ``first_index`` up to, not including, ``end_index``.
    ``notes`` says in stable codes what happened on the way, such as a fall back to rules.
    """

    id: JobId
    namespace: Namespace
    kind: JobKind
    state: JobState
    created_at: datetime
    run_after: datetime
    session_id: SessionId | None = None
    first_index: int = 0
    end_index: int = 0
    trigger: Trigger | None = None
    attempts: int = 0
    lease_owner: str | None = None
    lease_until: datetime | None = None
    finished_at: datetime | None = None
    error: str | None = None
    notes: tuple[str, ...] = ()
    written: tuple[tuple[WriteOutcome, MemoryId], ...] = ()
    rejected: tuple[Rejection, ...] = ()

    def is_run(self, leased: Job) -> bool:
        """Whether it is still being done by the run that leased it as *leased*, and by no later one."""
        return self.state == "running" and self.lease_owner == leased.lease_owner and self.attempts == leased.attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedWords:
    """A piece of a turn that was not kept, with its words and the reason's stable code."""

    turn_index: int
    quote: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillResult:
    """What one look back made. ``memories`` were added or changed and are served; ``quarantined`` are not."""

    memories: tuple[Memory, ...] = ()
    episode: Episode | None = None
    rejected: tuple[RejectedWords, ...] = ()
    quarantined: tuple[Memory, ...] = ()
    outcomes: tuple[WriteResult, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserveResult:
    """What became of observed turns: how many were new, what they triggered, what they erased."""

    session_id: SessionId
    appended: int
    turn_count: int
    job_id: JobId | None = None
    trigger: Trigger | None = None
    receipts: tuple[Receipt, ...] = ()
    masked_secrets: int = 0

    @property
    def receipt(self) -> Receipt | None:
        """The receipt of what the user asked to forget in these turns, if anything."""
        return self.receipts[0] if self.receipts else None


def _no_detail() -> dict[str, str | int | float | bool | None]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One thing that happened: ids, outcomes, numbers and HMACs, never content."""

    action: str
    namespace: Namespace
    subject: str
    at: datetime
    by: Origin
    detail: Mapping[str, str | int | float | bool | None] = field(default_factory=_no_detail)
