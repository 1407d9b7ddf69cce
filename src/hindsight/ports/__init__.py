"""The seams between decisions and machinery: what a service may ask of a store, an index or a model.

The only way to a namespace's data is a scope that was opened for it. No method of a scope takes a
namespace, so a path that forgets to check it cannot be written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hindsight.domain.access import ApiKey, KeyId
from hindsight.domain.conversation import Candidate, Episode, Rejection, Session, Turn
from hindsight.domain.ids import (
    ConflictId,
    EpisodeId,
    JobId,
    LessonId,
    MemoryId,
    RequestId,
    SessionId,
    TraceId,
    TurnId,
)
from hindsight.domain.lessons import Lesson
from hindsight.domain.memory import Language, Memory, MemoryVersion, StoredStatus
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Conflict, Job, Proposal, Receipt, Trace, WriteOutcome
from hindsight.domain.trust import Trust
from hindsight.ports.changes import Changes, Facets, ItemId, ItemKind, Items, Vector, Vectors

EMBEDDER_FAILED: Final = "embedder_failed"
"""The code of `BackendUnavailable` where the embedder is there and cannot do with what it was given."""


class Clock(Protocol):
    """Tells the present."""

    def now(self) -> datetime:
        """The present as an aware UTC datetime, cut to milliseconds."""
        ...


class IdSource(Protocol):
    """Makes ids that sort by the time they were made."""

    def new(self, prefix: str) -> str:
        """A fresh id such as ``mem_0192f0c1…``, unique in this and every other process."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingText:
    """Text that still wants its vector."""

    namespace: Namespace
    item: ItemId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRequest:
    """The answer once given under a request id, and the digest of what was asked.

    ``version`` is that of the memory as it was answered then.
    """

    digest: str
    outcome: WriteOutcome
    memory_id: MemoryId
    version: int = 1
    related: tuple[MemoryId, ...] = ()
    conflict_id: ConflictId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """An API key and the digest of its secret; an empty digest is that of no secret."""

    key: ApiKey
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainedEvent:
    """One audit event as it stands in the chain.

    ``line`` is its RFC 8785 JSON; ``hash`` covers the line and the hash before it.
    """

    number: int
    line: str
    hash: str


class ReadScope(Protocol):
    """One namespace's data as of one moment: a snapshot, gone when the scope closes.

    Reads by id answer None or leave out what is not there; they never raise `NotFound`.
    """

    @property
    def namespace(self) -> Namespace: ...

    def seq(self) -> int:
        """The number of the namespace's latest change; 0 when nothing was ever written."""
        ...

    def changes(self, after_seq: int, *, limit: int) -> Changes:
        """Items changed after *after_seq*, in order of their latest ``seq``, at most *limit*."""
        ...

    def vectors(self, items: Sequence[ItemId]) -> Mapping[ItemId, Vector]: ...

    # Memories, with stored status: `stale` is derived by the services.
    def memory(self, memory_id: MemoryId) -> Memory | None: ...
    def memories(self, memory_ids: Sequence[MemoryId]) -> Mapping[MemoryId, Memory]: ...
    def memories_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Memory]: ...
    def items_of(self, memory_ids: Sequence[MemoryId]) -> Mapping[MemoryId, ItemId]: ...
    def memory_ids_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, MemoryId]: ...
    def memories_with_key(self, key: str) -> Sequence[Memory]:
        """Active memories under exactly *key*, oldest first."""
        ...

    def memories_on_session(self, session_id: SessionId) -> Sequence[Memory]:
        """Memories in any status that rest on a turn of the session, oldest first."""
        ...

    def memory_page(
        self,
        *,
        statuses: Collection[StoredStatus],
        trusts: Collection[Trust],
        limit: int,
        after: MemoryId | None,
    ) -> Sequence[Memory]:
        """Memories by id descending (newest first), starting below *after*."""
        ...

    def memory_count(self, statuses: Collection[StoredStatus]) -> int: ...
    def versions(self, memory_id: MemoryId) -> Sequence[MemoryVersion]:
        """A memory's life, oldest first; empty when it never was here."""
        ...

    def reasons(self) -> Sequence[tuple[MemoryId, int, str]]:
        """Why each version of each memory came to be, as (memory, version, why)."""
        ...

    def memories_as_of(self, at: datetime) -> Mapping[ItemId, Memory]:
        """Every memory that was recorded by *at*, as it was recorded then."""
        ...

    # Conversations.
    def session(self, session_id: SessionId) -> Session | None: ...
    def session_page(self, *, limit: int, after: SessionId | None) -> Sequence[Session]: ...
    def latest_session(self) -> Session | None:
        """The session that was observed last."""
        ...

    def turns(self, session_id: SessionId, *, first: int = 0, end: int | None = None) -> Sequence[Turn]:
        """Turns with ``first <= index < end``, in order, erased ones included."""
        ...

    def turns_with_ids(self, session_id: SessionId, turn_ids: Collection[TurnId]) -> Sequence[Turn]:
        """The session's turns that have one of *turn_ids*, in order."""
        ...

    def turns_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Turn]: ...
    def turn_items(self, session_id: SessionId, *, first: int, end: int) -> Mapping[int, ItemId]:
        """The item of each turn index in the span that has one."""
        ...

    def turns_around(self, items: Sequence[ItemId], *, reach: int) -> Mapping[ItemId, Sequence[Turn]]:
        """For each turn item, the turns up to *reach* before and behind it in its session, in order, without it."""
        ...

    def turn_places(self, items: Sequence[ItemId]) -> Mapping[ItemId, tuple[SessionId, int]]:
        """The session and index of each turn item."""
        ...

    def erased_digest(self, session_id: SessionId, index: int) -> str | None:
        """The keyed digest of the words that once stood in an erased turn."""
        ...

    def episode(self, episode_id: EpisodeId) -> Episode | None: ...
    def episodes_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Episode]: ...
    def episode_at(self, session_id: SessionId, index: int) -> Episode | None: ...
    def episodes_at(self, items: Sequence[ItemId]) -> Mapping[ItemId, Episode]:
        """The episode of each turn item that has one; the newest where stretches overlap."""
        ...

    def episode_page(self, *, limit: int, after: EpisodeId | None) -> Sequence[Episode]: ...

    # Everything else.
    def job(self, job_id: JobId) -> Job | None: ...
    def job_page(self, *, limit: int, after: JobId | None) -> Sequence[Job]: ...
    def jobs_of(self, session_id: SessionId) -> Sequence[Job]:
        """The jobs of one session, oldest first."""
        ...

    def open_job(self, session_id: SessionId) -> Job | None:
        """The look back on that session that is queued or running, if any."""
        ...

    def conflict(self, conflict_id: ConflictId) -> Conflict | None: ...
    def open_conflicts(self, memory_ids: Collection[MemoryId] | None = None) -> Sequence[Conflict]:
        """Open conflicts, oldest first; those touching *memory_ids* only, where given."""
        ...

    def conflicts(self, memory_ids: Collection[MemoryId] | None = None) -> Sequence[Conflict]:
        """As `open_conflicts`, the settled ones included."""
        ...

    def proposals(self) -> Sequence[Proposal]: ...
    def lessons(self) -> Sequence[Lesson]:
        """What was rejected and is not to be learned again, newest first."""
        ...

    def uses(self, memory_ids: Collection[MemoryId] | None = None, *, limit: int) -> Mapping[MemoryId, int]:
        """How often memories were put to use, most used first; those of *memory_ids* only, where given."""
        ...

    def trace(self, trace_id: TraceId) -> Trace | None: ...
    def trace_ids(self) -> Sequence[TraceId]: ...
    def request(self, request_id: RequestId) -> StoredRequest | None: ...
    def receipts(self) -> Sequence[Receipt]: ...
    def any_tombstone(self) -> bool:
        """Whether anything was ever erased here: most namespaces need look no further."""
        ...

    def tombstoned(self, digests: Collection[str]) -> Mapping[str, datetime]:
        """Those of *digests* under which something was erased, with the latest time it was."""
        ...

    def served(self, fingerprints: Collection[int]) -> frozenset[int]:
        """Those of *fingerprints* that belong to text this service has served."""
        ...

    def audit_lines(self, subject: str) -> Sequence[ChainedEvent]:
        """The events about one subject, oldest first."""
        ...


class WriteScope(ReadScope, Protocol):
    """A namespace's data in one transaction. It commits when the scope closes without an exception.

    No other writer commits while it is open. Reads inside see its own writes, except through
    `changes` and `seq`, which show what was committed before.
    """

    def put_memory(self, memory: Memory, *, why: str, terms: bytes | None = None, vector: Vector | None = None) -> None:
        """Insert or change a memory and append the version. *terms* must come with the first version."""
        ...

    def put_session(self, session: Session) -> None: ...
    def add_turns(self, turns: Sequence[Turn], *, terms: Sequence[bytes]) -> None:
        """Append turns to their session, which must exist. Empty terms keep a turn out of every index."""
        ...

    def put_episode(self, episode: Episode, *, terms: bytes) -> None: ...
    def put_job(self, job: Job) -> None: ...
    def put_conflict(self, conflict: Conflict) -> None: ...
    def put_proposal(self, proposal: Proposal) -> None: ...
    def remove_proposals(self, memory_id: MemoryId) -> None: ...
    def put_lesson(self, lesson: Lesson) -> None: ...
    def remove_lesson(self, lesson_id: LessonId) -> bool:
        """Forget a lesson; False where there was none by that id."""
        ...

    def count_uses(self, memory_ids: Collection[MemoryId]) -> None:
        """Note that each of these memories was put to use once more."""
        ...

    def put_trace(self, trace: Trace) -> None: ...
    def put_request(self, request_id: RequestId, stored: StoredRequest) -> None: ...
    def put_served(self, fingerprints: Iterable[int], *, at: datetime) -> None: ...
    def drop_served(self, fingerprints: Collection[int]) -> None:
        """Forget that text with these *fingerprints* was served."""
        ...

    def put_vector(self, item: ItemId, vector: Vector) -> None:
        """Set an item's vector, unless the item is gone."""
        ...

    def set_aside(self, item: ItemId) -> None:
        """Let an item wait for no vector until its words change or the vectors are dropped."""
        ...

    def drop_vectors(self) -> int:
        """Remove every vector, so that all texts wait for new ones; how many went."""
        ...

    def take_up_set_aside(self) -> None:
        """Let every text that was set aside wait for a vector again."""
        ...

    # Erasure. Each returns how many rows of each kind went or were blanked.
    def erase_memories(self, memory_ids: Sequence[MemoryId]) -> Mapping[str, int]:
        """Remove memories with versions, evidence, vectors, index rows, conflicts, proposals and uses.

        Lessons stay: they hold no words.
        """
        ...

    def replace_turn_words(
        self, session_id: SessionId, index: int, *, content: str, digest: str | None, terms: bytes
    ) -> None:
        """Blank part or all of a turn, keeping a keyed *digest* of what stood there.

        With a digest and no content left it is erased; of a turn that keeps some, the rest still counts.
        """
        ...

    def replace_reason(self, memory_id: MemoryId, version: int, why: str) -> None: ...
    def replace_episode(self, episode: Episode, *, terms: bytes) -> None: ...
    def replace_trace(self, trace: Trace) -> None: ...
    def erase_episodes(self, episode_ids: Sequence[EpisodeId]) -> int: ...
    def erase_session(self, session_id: SessionId) -> Mapping[str, int]:
        """Remove a session with its turns, episodes and jobs. Memories are the caller's to erase."""
        ...

    def erase_everything(self) -> Mapping[str, int]:
        """Remove all of the namespace but its sequence, tombstones, receipts and audit events."""
        ...

    def put_tombstones(self, digests: Iterable[str], *, at: datetime) -> None: ...
    def put_receipt(self, receipt: Receipt) -> None: ...
    def record(self, event: AuditEvent) -> None:
        """Append an audit event to the store's chain, in this transaction."""
        ...


class RecordStore(Protocol):
    """The only truth. Everything else can be rebuilt from it.

    Raises `BackendUnavailable` where the store does not answer within its time-out, and
    `CorruptData` where what it holds cannot be read.
    """

    def reading(self, namespace: Namespace) -> AbstractContextManager[ReadScope]: ...
    def writing(self, namespace: Namespace) -> AbstractContextManager[WriteScope]: ...

    def namespaces(self) -> Sequence[Namespace]:
        """Every namespace that holds anything, sorted."""
        ...

    def places_holding(self, words: Collection[str], *, outside: Namespace, whole: bool = False) -> int:
        """How many memories and turns of other namespaces hold one of *words*, or are one where *whole*."""
        ...

    def claim_job(self, *, now: datetime, lease_until: datetime, owner: str) -> Job | None:
        """Lease the oldest job that is due: queued, or running with a lease that ran out.

        Its ``attempts`` counts this one. Two callers never get the same job.
        """
        ...

    def jobs_waiting(self) -> int:
        """How many jobs are queued or running, in all namespaces."""
        ...

    def idle_sessions(self, *, observed_before: datetime, limit: int) -> Sequence[tuple[Namespace, SessionId]]:
        """Sessions with user turns to look back on, last observed before that, and no job of theirs open."""
        ...

    def pending_texts(self, *, limit: int, after: ItemId | None = None) -> Sequence[PendingText]:
        """Texts that wait for a vector, by item, of all namespaces."""
        ...

    def pending_count(self) -> int: ...
    def set_aside_count(self) -> int:
        """How many texts are without a vector because the embedder fails on them."""
        ...

    def meta(self, name: str) -> str | None:
        """A setting of the store as a whole, such as the embedder its vectors come from."""
        ...

    def set_meta(self, name: str, value: str) -> None: ...
    def change_meta(self, name: str, change: Callable[[str | None], str]) -> str:
        """Set a setting to what *change* makes of its present value, with no other writer between, and return it.

        An exception of *change* leaves it as it was.
        """
        ...

    def chain(self, *, after: int, limit: int) -> Sequence[ChainedEvent]:
        """Audit events of all namespaces after that number, in order."""
        ...

    def lease(self, name: str, *, owner: str, now: datetime, until: datetime) -> bool:
        """Take or extend a named lease; False while another owner holds it."""
        ...

    def put_api_key(self, stored: StoredKey, *, event: AuditEvent) -> None:
        """Insert or change an API key and append *event* to the chain, in one transaction."""
        ...

    def api_key(self, key_id: KeyId) -> StoredKey | None: ...
    def api_keys(self, *, limit: int | None = None) -> Sequence[StoredKey]:
        """The API keys of the home, by id."""
        ...

    def scrub(self) -> Sequence[str]:
        """Leave no deleted byte behind in any file; return what could not be scrubbed yet, in words."""
        ...

    def check(self) -> Sequence[str]:
        """What is wrong with the store, in words; empty when it is sound."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligible:
    """Which items a search may see. Statistics are computed over exactly these.

    ``only`` narrows to given items (an as-of read); None leaves the rest as it is.
    """

    kinds: frozenset[ItemKind]
    statuses: frozenset[StoredStatus]
    trusts: frozenset[Trust]
    only: frozenset[ItemId] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMatches:
    """What a keyword search found.

    ``scores`` are BM25 with this namespace's own statistics, higher better, unbounded. ``ceiling`` is
    the sum of the query terms' weights: what a text that holds all of them could reach.
    """

    scores: Mapping[ItemId, float]
    ceiling: float


class TextIndex(Protocol):
    """Finds items by their words. Derived: a pure function of the rows up to a ``seq``.

    It catches up with the scope before it answers, so a match may be missing but never wrong: what
    it names is read again from the store. No search changes a later one.
    """

    def search(self, scope: ReadScope, text: str, *, eligible: Eligible, limit: int) -> TextMatches:
        """The best *limit* items for *text*; ties go to the lower item."""
        ...

    def scores(self, scope: ReadScope, text: str, *, eligible: Eligible, items: Items) -> NDArray[np.float64]:
        """(n,) the scores of given *items*, under the same statistics as `search`; 0 without a term."""
        ...

    def drop(self, namespace: Namespace) -> None:
        """Forget what is cached of *namespace*; the next call rebuilds it from the store."""
        ...


class VectorIndex(Protocol):
    """Finds items by their vectors, exactly. Derived and never wrong, as `TextIndex` is."""

    def search(
        self, scope: ReadScope, vector: Vector, *, eligible: Eligible, limit: int
    ) -> Sequence[tuple[ItemId, float]]:
        """The nearest *limit* items with their cosine in float32, nearest first, ties by item."""
        ...

    def cosines(self, scope: ReadScope, vector: Vector, *, items: Items) -> NDArray[np.float64]:
        """(n,) the cosine of each of *items*; NaN where it has no vector."""
        ...

    def drop(self, namespace: Namespace) -> None:
        """Forget what is cached of *namespace*; the next call rebuilds it from the store."""
        ...


class FacetIndex(Protocol):
    """Knows of each item what ranking needs, without reading it. Derived, as `TextIndex` is.

    A store that keeps no rows in memory answers each method by one statement.
    """

    def facets(self, scope: ReadScope, *, items: Items) -> Facets:
        """(n,) the facets of *items*, ``deleted`` where nothing is known of one."""
        ...

    def speakers(self, scope: ReadScope) -> Sequence[str]:
        """The names that ``speaker`` counts through."""
        ...

    def around(self, scope: ReadScope, *, items: Items, reach: int) -> Items:
        """(n, 2 * reach + 1) the turns from *reach* before to *reach* behind each turn, itself between; 0 for none."""
        ...

    def inside(self, scope: ReadScope, *, items: Items) -> tuple[Items, NDArray[np.int64]]:
        """(m,) the turns inside the stretches of the episodes *items*, and (m,) which of *items* each is in."""
        ...

    def drop(self, namespace: Namespace) -> None:
        """Forget what is cached of *namespace*; the next call rebuilds it from the store."""
        ...


class Embedder(Protocol):
    """Turns text into unit vectors. ``name`` and ``dimension`` identify its space.

    Vectors come centred by constants shipped per model and language, so that cosines spread.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    def queries(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d) float32, unit rows, as search queries."""
        ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d) float32, unit rows, as texts to be found."""
        ...

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        """Two passages' calibrated similarity in [0, 1]; it never falls as *cosine* grows."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What a look back reads: the turns since the last one, and a few before them for reference."""

    turns: Sequence[Turn]
    context: Sequence[Turn]
    time_zone: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distilled:
    """What a distiller proposes. ``notes`` are stable codes of what happened on the way."""

    candidates: Sequence[Candidate]
    rejections: Sequence[Rejection]
    notes: Sequence[str] = ()


class Distiller(Protocol):
    """Proposes memories from a finished stretch of conversation."""

    def distil(self, stretch: Stretch) -> Distilled: ...


class AuditLog(Protocol):
    """The audit chain's copy in files, for other programs to follow."""

    def run(self, *, now: datetime) -> int:
        """Write what is new and return how many events that was; 0 while another process is writing."""
        ...

    def check(self) -> Sequence[str]:
        """What is wrong with the files, in words; empty when they agree with the store."""
        ...


class Keyring(Protocol):
    """The home's own keys: one signs receipts and audit heads, one keys the digests of erased words."""

    @property
    def key_id(self) -> str: ...
    def sign(self, message: bytes) -> str: ...
    def verifies(self, message: bytes, signature: str) -> bool: ...
    def digest(self, purpose: str, text: str) -> str:
        """A keyed digest of *text*; the same text under another purpose or home gives another."""
        ...

    def secret(self, purpose: str) -> bytes:
        """32 bytes for *purpose*, derived from the home's key."""
        ...
