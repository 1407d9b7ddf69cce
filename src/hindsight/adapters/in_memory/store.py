"""A record store that lives in a process's memory: the fake that tests run against.

It keeps the whole contract of `ports.RecordStore` except durability, and it is plain: a namespace is
one bundle of dicts, a write copies it, and the commit swaps it in. So a reader's snapshot is free.
Its methods do what the port says of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from hindsight.adapters.in_memory.reading import InMemoryReadScope
from hindsight.adapters.in_memory.rooms import OPEN_STATES, House, Room, open_job_of
from hindsight.adapters.in_memory.writing import InMemoryWriteScope
from hindsight.domain.access import KeyId
from hindsight.domain.audit import broken_links
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.ids import SessionId
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Job
from hindsight.ports import (
    ChainedEvent,
    ItemId,
    PendingText,
    ReadScope,
    StoredKey,
    WriteScope,
)


class InMemoryStore:
    """A record store without a file, for tests: the same contract, gone when it is dropped."""

    def __init__(self) -> None:
        self._house = House(rooms={})
        self._lock = threading.Lock()
        self._writer: int | None = None
        self._meta: dict[str, str] = {}
        self._leases: dict[str, tuple[str, datetime]] = {}
        self._keys: dict[KeyId, StoredKey] = {}
        self._closed = False

    @contextmanager
    def reading(self, namespace: Namespace) -> Generator[ReadScope]:
        scope = InMemoryReadScope(namespace, self._state.rooms.get(namespace, Room()))
        try:
            yield scope
        finally:
            scope.leave()

    @contextmanager
    def writing(self, namespace: Namespace) -> Generator[WriteScope]:
        with self._turn():
            scope = InMemoryWriteScope(namespace, self._state)
            try:
                yield scope
                self._house = scope.committed()
            finally:
                scope.leave()

    def namespaces(self) -> Sequence[Namespace]:
        return sorted(name for name, room in self._state.rooms.items() if room.holds_anything())

    def places_holding(self, words: Collection[str], *, outside: Namespace, whole: bool = False) -> int:
        texts = [
            text
            for name, room in self._state.rooms.items()
            if name != outside
            for text in (
                *(life.latest.value for life in room.memories.values()),
                *(place.turn.content for place in room.turns.values()),
            )
        ]
        return sum(any(word == text if whole else word in text for word in words) for text in texts)

    def claim_job(self, *, now: datetime, lease_until: datetime, owner: str) -> Job | None:
        with self._turn():
            due = [job for job in self._jobs() if _due_at(job) <= now]
            if not due:
                return None
            job = min(due, key=lambda job: (job.created_at, job.id))
            leased = replace(
                job, state="running", attempts=job.attempts + 1, lease_owner=owner, lease_until=lease_until
            )
            room = self._state.rooms[job.namespace].copy()
            room.jobs[job.id] = leased
            self._house = replace(self._house, rooms={**self._house.rooms, job.namespace: room})
            return leased

    def jobs_waiting(self) -> int:
        return len(self._jobs())

    def idle_sessions(self, *, observed_before: datetime, limit: int) -> Sequence[tuple[Namespace, SessionId]]:
        idle = [
            (session.observed_at, number, namespace, session.id)
            for namespace, room in self._state.rooms.items()
            for number, session in room.sessions.values()
            if session.user_turns_pending > 0
            and session.observed_at < observed_before
            and open_job_of(room, session.id) is None
        ]
        return [(namespace, session_id) for _, _, namespace, session_id in sorted(idle)[:limit]]

    def pending_texts(self, *, limit: int, after: ItemId | None = None) -> Sequence[PendingText]:
        found = [each for each in self._pending() if after is None or each.item > after]
        return sorted(found, key=lambda each: each.item)[:limit]

    def pending_count(self) -> int:
        return len(self._pending())

    def set_aside_count(self) -> int:
        return len(self._pending(aside=True))

    def meta(self, name: str) -> str | None:
        return self._meta.get(name)

    def set_meta(self, name: str, value: str) -> None:
        self._meta[name] = value

    def change_meta(self, name: str, change: Callable[[str | None], str]) -> str:
        with self._turn():
            self._meta[name] = change(self._meta.get(name))
            return self._meta[name]

    def chain(self, *, after: int, limit: int) -> Sequence[ChainedEvent]:
        return self._state.chain[after : after + limit]

    def lease(self, name: str, *, owner: str, now: datetime, until: datetime) -> bool:
        with self._turn():
            holder, held_until = self._leases.get(name, (owner, now))
            if holder != owner and held_until > now:
                return False
            self._leases[name] = (owner, until)
            return True

    def put_api_key(self, stored: StoredKey, *, event: AuditEvent) -> None:
        with self.writing(event.namespace) as scope:
            scope.record(event)
        self._keys[stored.key.id] = stored

    def api_key(self, key_id: KeyId) -> StoredKey | None:
        return self._keys.get(key_id)

    def api_keys(self, *, limit: int | None = None) -> Sequence[StoredKey]:
        return [self._keys[key_id] for key_id in sorted(self._keys)][:limit]

    def scrub(self) -> Sequence[str]:
        return ()

    def check(self) -> Sequence[str]:
        return list(broken_links((e.number, e.line, e.hash) for e in self._state.chain))

    def close(self) -> None:
        self._closed = True

    @property
    def _state(self) -> House:
        if self._closed:
            raise BackendUnavailable("the store in memory is closed; open another", code="store_closed")
        return self._house

    @contextmanager
    def _turn(self) -> Generator[None]:
        if self._writer == threading.get_ident():
            raise RuntimeError("a write scope is already open in this thread; they do not nest")
        with self._lock:
            self._writer = threading.get_ident()
            try:
                yield
            finally:
                self._writer = None

    def _jobs(self) -> list[Job]:
        rooms = self._state.rooms.values()
        return [job for room in rooms for job in room.jobs.values() if job.state in OPEN_STATES]

    def _pending(self, *, aside: bool = False) -> list[PendingText]:
        return [
            PendingText(namespace=namespace, item=item, text=text)
            for namespace, room in self._state.rooms.items()
            for item, text in _texts(room)
            if (entry := room.items[item]).terms and entry.vector is None and entry.status != "quarantined"
            if (item in room.aside) == aside
        ]


def _texts(room: Room) -> Iterable[tuple[ItemId, str]]:
    yield from ((life.item, life.latest.stated) for life in room.memories.values())
    yield from ((place.item, place.turn.spoken) for place in room.turns.values())
    yield from ((item, episode.text) for item, episode in room.episodes.values())


def _due_at(job: Job) -> datetime:
    if job.state == "running" and job.lease_until is not None:
        return job.lease_until
    return job.run_after
