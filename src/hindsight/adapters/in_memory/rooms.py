"""What the store in memory holds: one room a namespace, whose values never change in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, TypeVar

import numpy as np

from hindsight.domain.conversation import Episode, Session, Turn
from hindsight.domain.errors import InvalidRequest
from hindsight.domain.ids import ConflictId, EpisodeId, JobId, LessonId, MemoryId, RequestId, SessionId, TraceId
from hindsight.domain.lessons import Lesson
from hindsight.domain.memory import Evidence, Memory
from hindsight.domain.moments import to_millis
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Conflict, Job, Proposal, Receipt, Trace
from hindsight.ports import ChainedEvent, ItemId, StoredRequest, Vector
from hindsight.ports.changes import Changes, IndexEntry

Id = TypeVar("Id", bound=str)
Value = TypeVar("Value")

OPEN_STATES: Final = ("queued", "running")
DIGESTED_ROLES: Final = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Life:
    """A memory: its versions without evidence, and each piece of evidence with the version it came with."""

    item: ItemId
    versions: tuple[tuple[Memory, str], ...]
    evidence: tuple[tuple[int, Evidence], ...]

    def at(self, place: int) -> Memory:
        """The memory as the version at *place* in order had it."""
        memory = self.versions[place][0]
        return replace(memory, evidence=tuple(e for since, e in self.evidence if since <= memory.version))

    @property
    def latest(self) -> Memory:
        """The memory as it is."""
        return self.at(-1)


@dataclass(frozen=True, slots=True)
class Place:
    """A turn where it stands, and the digest of what stood there before it was erased."""

    item: ItemId
    turn: Turn
    digest: str | None = None


@dataclass(slots=True)
class Room:
    """One namespace's data. Once committed it is never changed."""

    seq: int = 0
    items: dict[ItemId, IndexEntry] = field(default_factory=dict[ItemId, IndexEntry])
    aside: frozenset[ItemId] = frozenset()
    memories: dict[MemoryId, Life] = field(default_factory=dict[MemoryId, Life])
    sessions: dict[SessionId, tuple[int, Session]] = field(default_factory=dict[SessionId, tuple[int, Session]])
    turns: dict[tuple[SessionId, int], Place] = field(default_factory=dict[tuple[SessionId, int], Place])
    episodes: dict[EpisodeId, tuple[ItemId, Episode]] = field(default_factory=dict[EpisodeId, tuple[ItemId, Episode]])
    jobs: dict[JobId, Job] = field(default_factory=dict[JobId, Job])
    conflicts: dict[ConflictId, Conflict] = field(default_factory=dict[ConflictId, Conflict])
    proposals: dict[str, Proposal] = field(default_factory=dict[str, Proposal])
    lessons: dict[LessonId, Lesson] = field(default_factory=dict[LessonId, Lesson])
    uses: dict[MemoryId, int] = field(default_factory=dict[MemoryId, int])
    traces: dict[TraceId, Trace] = field(default_factory=dict[TraceId, Trace])
    requests: dict[RequestId, StoredRequest] = field(default_factory=dict[RequestId, StoredRequest])
    served: dict[int, datetime] = field(default_factory=dict[int, datetime])
    tombstones: dict[str, datetime] = field(default_factory=dict[str, datetime])
    receipts: dict[str, Receipt] = field(default_factory=dict[str, Receipt])
    audit: tuple[tuple[str, ChainedEvent], ...] = ()

    def copy(self) -> Room:
        """A room to write in: its own dicts, the same values."""
        return replace(
            self,
            items=dict(self.items),
            memories=dict(self.memories),
            sessions=dict(self.sessions),
            turns=dict(self.turns),
            episodes=dict(self.episodes),
            jobs=dict(self.jobs),
            conflicts=dict(self.conflicts),
            proposals=dict(self.proposals),
            lessons=dict(self.lessons),
            uses=dict(self.uses),
            traces=dict(self.traces),
            requests=dict(self.requests),
            served=dict(self.served),
            tombstones=dict(self.tombstones),
            receipts=dict(self.receipts),
        )

    def holds_anything(self) -> bool:
        """Whether anything is in it that an erasure of everything would remove."""
        return any(self.contents().values())

    def contents(self) -> dict[str, dict[Any, Any]]:
        """Its dicts that an erasure of everything empties, by the name their count has."""
        return {
            "memories": self.memories,
            "turns": self.turns,
            "episodes": self.episodes,
            "sessions": self.sessions,
            "jobs": self.jobs,
            "conflicts": self.conflicts,
            "proposals": self.proposals,
            "lessons": self.lessons,
            "uses": self.uses,
            "traces": self.traces,
            "requests": self.requests,
            "served": self.served,
        }


@dataclass(frozen=True, slots=True)
class House:
    """All of the store, as of one commit."""

    rooms: Mapping[Namespace, Room]
    last_item: int = 0
    last_session: int = 0
    chain: tuple[ChainedEvent, ...] = ()


def changes_after(room: Room, after_seq: int, limit: int) -> Changes:
    """Items of the room changed after *after_seq*, in order."""
    changed = sorted((entry for entry in room.items.values() if entry.seq > after_seq), key=lambda entry: entry.seq)
    memories = {life.item: life.latest for life in room.memories.values()}
    turns = {place.item: place.turn for place in room.turns.values()}
    episodes = dict(room.episodes.values())
    entries: list[IndexEntry] = []
    for entry in changed[:limit]:
        if entry.item in memories:
            entry = _of_memory(entry, memories[entry.item])
        elif entry.item in turns:
            entry = _of_turn(entry, turns[entry.item])
        elif entry.item in episodes:
            entry = replace(entry, last=episodes[entry.item].last_index)
        entries.append(entry)
    return Changes.of(entries)


def _of_memory(entry: IndexEntry, memory: Memory) -> IndexEntry:
    return replace(
        entry,
        moment_millis=to_millis(memory.verified_at),
        confidence=memory.confidence,
        category=memory.category,
        ttl_days=memory.ttl_days,
        valid_from_millis=None if memory.valid_from is None else to_millis(memory.valid_from),
        valid_to_millis=None if memory.valid_to is None else to_millis(memory.valid_to),
    )


def _of_turn(entry: IndexEntry, turn: Turn) -> IndexEntry:
    said = turn.content.rstrip().partition("\0")[0]
    return replace(
        entry,
        last=turn.index,
        characters=len(said),
        asks=said.endswith(("?", "？")),
        erased=turn.erased,
        speaker=turn.name,
    )


def open_job_of(room: Room, session_id: SessionId) -> Job | None:
    """The oldest look back on that session that is queued or running."""
    found = [
        job
        for job in room.jobs.values()
        if job.session_id == session_id and job.kind == "look_back" and job.state in OPEN_STATES
    ]
    return min(found, key=lambda job: (job.created_at, job.id)) if found else None


def page_of(values: Mapping[Id, Value], *, after: Id | None, limit: int) -> list[Value]:
    """Values by id descending, starting below *after*."""
    ids = sorted((key for key in values if after is None or key < after), reverse=True)
    return [values[key] for key in ids[:limit]]


def unit_row(vector: Vector) -> Vector:
    """A copy of *vector* that no caller can change.

    Raises:
        InvalidRequest: It is no single row, or holds something that is no number.
    """
    if vector.ndim != 1 or not vector.size or not bool(np.isfinite(vector).all()):
        raise InvalidRequest(
            f"a vector must be one row of finite numbers, not of shape {vector.shape}", code="invalid_vector"
        )
    return vector.astype(np.float32)
