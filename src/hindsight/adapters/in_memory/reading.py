"""Reads of one namespace in memory. Every method does what `ports.ReadScope` says of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from hindsight.adapters.in_memory.rooms import Place, Room, changes_after, open_job_of, page_of
from hindsight.domain.conversation import Episode, Session, Turn
from hindsight.domain.errors import StateMismatch
from hindsight.domain.ids import ConflictId, EpisodeId, JobId, MemoryId, RequestId, SessionId, TraceId, TurnId
from hindsight.domain.lessons import Lesson
from hindsight.domain.memory import Memory, MemoryVersion, StoredStatus
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Conflict, Job, Proposal, Receipt, Trace
from hindsight.domain.trust import Trust
from hindsight.ports import ChainedEvent, ItemId, StoredRequest, Vector
from hindsight.ports.changes import Changes


class InMemoryReadScope:
    """One namespace's data as of one commit."""

    def __init__(self, namespace: Namespace, room: Room) -> None:
        self._namespace = namespace
        self._kept: Room | None = room

    @property
    def namespace(self) -> Namespace:
        return self._namespace

    @property
    def _room(self) -> Room:
        if self._kept is None:
            raise RuntimeError("this scope is closed; open another for another read")
        return self._kept

    def leave(self) -> None:
        """End the scope: whoever kept it reads nothing more."""
        self._kept = None

    def seq(self) -> int:
        return self._room.seq

    def changes(self, after_seq: int, *, limit: int) -> Changes:
        return changes_after(self._room, after_seq, limit)

    def vectors(self, items: Sequence[ItemId]) -> Mapping[ItemId, Vector]:
        entries = self._room.items
        found = {item: entries[item].vector for item in items if item in entries}
        return {item: vector for item, vector in found.items() if vector is not None}

    def memory(self, memory_id: MemoryId) -> Memory | None:
        life = self._room.memories.get(memory_id)
        return None if life is None else life.latest

    def memories(self, memory_ids: Sequence[MemoryId]) -> Mapping[MemoryId, Memory]:
        lives = self._room.memories
        return {memory_id: lives[memory_id].latest for memory_id in memory_ids if memory_id in lives}

    def memories_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Memory]:
        wanted = set(items)
        return {life.item: life.latest for life in self._room.memories.values() if life.item in wanted}

    def items_of(self, memory_ids: Sequence[MemoryId]) -> Mapping[MemoryId, ItemId]:
        lives = self._room.memories
        return {memory_id: lives[memory_id].item for memory_id in memory_ids if memory_id in lives}

    def memory_ids_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, MemoryId]:
        return {item: memory.id for item, memory in self.memories_of(items).items()}

    def memories_with_key(self, key: str) -> Sequence[Memory]:
        return self._oldest_first(lambda memory: memory.key == key and memory.status == "active")

    def memories_on_session(self, session_id: SessionId) -> Sequence[Memory]:
        return self._oldest_first(lambda memory: any(piece.session_id == session_id for piece in memory.evidence))

    def _oldest_first(self, wanted: Callable[[Memory], bool]) -> list[Memory]:
        found = [memory for life in self._room.memories.values() if wanted(memory := life.latest)]
        return sorted(found, key=lambda memory: (memory.created_at, memory.id))

    def memory_page(
        self,
        *,
        statuses: Collection[StoredStatus],
        trusts: Collection[Trust],
        limit: int,
        after: MemoryId | None,
    ) -> Sequence[Memory]:
        wanted = {
            memory_id: memory
            for memory_id, life in self._room.memories.items()
            if (memory := life.latest).status in statuses and memory.trust in trusts
        }
        return page_of(wanted, after=after, limit=limit)

    def memory_count(self, statuses: Collection[StoredStatus]) -> int:
        return sum(life.latest.status in statuses for life in self._room.memories.values())

    def versions(self, memory_id: MemoryId) -> Sequence[MemoryVersion]:
        life = self._room.memories.get(memory_id)
        if life is None:
            return []
        return [
            MemoryVersion(memory=life.at(place), recorded_at=memory.updated_at, why=why)
            for place, (memory, why) in enumerate(life.versions)
        ]

    def reasons(self) -> Sequence[tuple[MemoryId, int, str]]:
        return [
            (memory_id, memory.version, why)
            for memory_id, life in sorted(self._room.memories.items())
            for memory, why in life.versions
        ]

    def memories_as_of(self, at: datetime) -> Mapping[ItemId, Memory]:
        found: dict[ItemId, Memory] = {}
        for life in self._room.memories.values():
            places = [place for place, (memory, _) in enumerate(life.versions) if memory.updated_at <= at]
            if places:
                found[life.item] = life.at(places[-1])
        return found

    def session(self, session_id: SessionId) -> Session | None:
        numbered = self._room.sessions.get(session_id)
        return None if numbered is None else numbered[1]

    def session_page(self, *, limit: int, after: SessionId | None) -> Sequence[Session]:
        numbered = sorted(self._room.sessions.values(), key=lambda each: each[0], reverse=True)
        if after is not None:
            if after not in self._room.sessions:
                raise StateMismatch(
                    f"the list changed: session {after!r} is not in it any more; start from the first page",
                    code="cursor_gone",
                )
            below = self._room.sessions[after][0]
            numbered = [each for each in numbered if each[0] < below]
        return [session for _, session in numbered[:limit]]

    def latest_session(self) -> Session | None:
        numbered = self._room.sessions.values()
        return max(numbered, key=lambda each: (each[1].observed_at, each[0]))[1] if numbered else None

    def turns(self, session_id: SessionId, *, first: int = 0, end: int | None = None) -> Sequence[Turn]:
        places = self._span(session_id, first, end)
        return [place.turn for place in places]

    def turns_with_ids(self, session_id: SessionId, turn_ids: Collection[TurnId]) -> Sequence[Turn]:
        wanted = set(turn_ids)
        return [turn for turn in self.turns(session_id) if turn.id in wanted]

    def turns_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Turn]:
        wanted = set(items)
        return {place.item: place.turn for place in self._room.turns.values() if place.item in wanted}

    def turn_items(self, session_id: SessionId, *, first: int, end: int) -> Mapping[int, ItemId]:
        return {place.turn.index: place.item for place in self._span(session_id, first, end)}

    def turns_around(self, items: Sequence[ItemId], *, reach: int) -> Mapping[ItemId, Sequence[Turn]]:
        return {
            item: [
                near
                for near in self.turns(turn.session_id, first=turn.index - reach, end=turn.index + reach + 1)
                if near.index != turn.index
            ]
            for item, turn in self.turns_of(items).items()
        }

    def turn_places(self, items: Sequence[ItemId]) -> Mapping[ItemId, tuple[SessionId, int]]:
        return {item: (turn.session_id, turn.index) for item, turn in self.turns_of(items).items()}

    def _span(self, session_id: SessionId, first: int, end: int | None) -> list[Place]:
        found = [
            (index, place)
            for (session, index), place in self._room.turns.items()
            if session == session_id and index >= first and (end is None or index < end)
        ]
        return [place for _, place in sorted(found, key=lambda each: each[0])]

    def erased_digest(self, session_id: SessionId, index: int) -> str | None:
        place = self._room.turns.get((session_id, index))
        return None if place is None else place.digest

    def episode(self, episode_id: EpisodeId) -> Episode | None:
        placed = self._room.episodes.get(episode_id)
        return None if placed is None else placed[1]

    def episodes_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Episode]:
        wanted = set(items)
        return {item: episode for item, episode in self._room.episodes.values() if item in wanted}

    def episode_at(self, session_id: SessionId, index: int) -> Episode | None:
        found = [
            (item, episode)
            for item, episode in self._room.episodes.values()
            if episode.session_id == session_id and episode.first_index <= index <= episode.last_index
        ]
        return max(found, key=lambda each: each[0])[1] if found else None

    def episodes_at(self, items: Sequence[ItemId]) -> Mapping[ItemId, Episode]:
        found = {item: self.episode_at(turn.session_id, turn.index) for item, turn in self.turns_of(items).items()}
        return {item: episode for item, episode in found.items() if episode is not None}

    def episode_page(self, *, limit: int, after: EpisodeId | None) -> Sequence[Episode]:
        return [episode for _, episode in page_of(self._room.episodes, after=after, limit=limit)]

    def job(self, job_id: JobId) -> Job | None:
        return self._room.jobs.get(job_id)

    def job_page(self, *, limit: int, after: JobId | None) -> Sequence[Job]:
        return page_of(self._room.jobs, after=after, limit=limit)

    def jobs_of(self, session_id: SessionId) -> Sequence[Job]:
        return sorted((job for job in self._room.jobs.values() if job.session_id == session_id), key=lambda job: job.id)

    def open_job(self, session_id: SessionId) -> Job | None:
        return open_job_of(self._room, session_id)

    def conflict(self, conflict_id: ConflictId) -> Conflict | None:
        return self._room.conflicts.get(conflict_id)

    def open_conflicts(self, memory_ids: Collection[MemoryId] | None = None) -> Sequence[Conflict]:
        return [conflict for conflict in self.conflicts(memory_ids) if conflict.open]

    def conflicts(self, memory_ids: Collection[MemoryId] | None = None) -> Sequence[Conflict]:
        found = [
            conflict
            for conflict in self._room.conflicts.values()
            if memory_ids is None or conflict.first in memory_ids or conflict.second in memory_ids
        ]
        return sorted(found, key=lambda conflict: (conflict.opened_at, conflict.id))

    def proposals(self) -> Sequence[Proposal]:
        return sorted(self._room.proposals.values(), key=lambda each: (each.proposed_at, each.id))

    def lessons(self) -> Sequence[Lesson]:
        return [self._room.lessons[lesson_id] for lesson_id in sorted(self._room.lessons, reverse=True)]

    def uses(self, memory_ids: Collection[MemoryId] | None = None, *, limit: int) -> Mapping[MemoryId, int]:
        found = [
            (times, memory_id)
            for memory_id, times in self._room.uses.items()
            if memory_ids is None or memory_id in memory_ids
        ]
        return {memory_id: times for times, memory_id in sorted(found, reverse=True)[:limit]}

    def trace(self, trace_id: TraceId) -> Trace | None:
        return self._room.traces.get(trace_id)

    def trace_ids(self) -> Sequence[TraceId]:
        return sorted(self._room.traces)

    def request(self, request_id: RequestId) -> StoredRequest | None:
        return self._room.requests.get(request_id)

    def receipts(self) -> Sequence[Receipt]:
        return [self._room.receipts[receipt_id] for receipt_id in sorted(self._room.receipts)]

    def any_tombstone(self) -> bool:
        return bool(self._room.tombstones)

    def tombstoned(self, digests: Collection[str]) -> Mapping[str, datetime]:
        kept = self._room.tombstones
        return {digest: kept[digest] for digest in digests if digest in kept}

    def served(self, fingerprints: Collection[int]) -> frozenset[int]:
        return frozenset(fingerprints) & self._room.served.keys()

    def audit_lines(self, subject: str) -> Sequence[ChainedEvent]:
        return [event for about, event in self._room.audit if about == subject]
