"""Writes to a copy of one namespace in memory. Every method does what `ports.WriteScope` says of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from hindsight.adapters.in_memory.reading import InMemoryReadScope
from hindsight.adapters.in_memory.rooms import DIGESTED_ROLES, House, Life, Place, Room, changes_after, unit_row
from hindsight.domain.audit import GENESIS, line_of, link
from hindsight.domain.conversation import Episode, Session, Turn
from hindsight.domain.errors import InvalidRequest, NotFound, StateMismatch
from hindsight.domain.ids import EpisodeId, LessonId, MemoryId, RequestId, SessionId
from hindsight.domain.lessons import Lesson
from hindsight.domain.memory import Evidence, Language, Memory, StoredStatus
from hindsight.domain.moments import to_millis
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Conflict, Job, Proposal, Receipt, Trace
from hindsight.domain.trust import Trust, lowest_trust, trust_of
from hindsight.language.script import language_of
from hindsight.ports import ChainedEvent, ItemId, ItemKind, StoredRequest, Vector
from hindsight.ports.changes import Changes, IndexEntry


class InMemoryWriteScope(InMemoryReadScope):
    """A copy of one namespace to write in, and of the counters it moves."""

    def __init__(self, namespace: Namespace, house: House) -> None:
        self._before = house.rooms.get(namespace, Room())
        super().__init__(namespace, self._before.copy())
        self._last_item, self._last_session = house.last_item, house.last_session
        self._chain = house.chain
        self._rooms = house.rooms

    def committed(self) -> House:
        """The store with what was written."""
        return House(
            rooms={**self._rooms, self._namespace: self._room},
            last_item=self._last_item,
            last_session=self._last_session,
            chain=self._chain,
        )

    def seq(self) -> int:
        return self._before.seq

    def changes(self, after_seq: int, *, limit: int) -> Changes:
        return changes_after(self._before, after_seq, limit)

    def put_memory(self, memory: Memory, *, why: str, terms: bytes | None = None, vector: Vector | None = None) -> None:
        self._own(memory.namespace, what=f"memory {memory.id!r}")
        status: StoredStatus = "active" if memory.status == "stale" else memory.status
        memory = replace(memory, status=status, freshness=1.0)
        kept = None if vector is None else unit_row(vector)
        life = self._room.memories.get(memory.id)
        at = max((piece.at for piece in memory.evidence), default=memory.created_at)
        if life is None:
            if terms is None:
                raise InvalidRequest(f"memory {memory.id!r} is new: its first version must bring its terms")
            item = self._new_item("memory", memory.language, memory.trust, status, at=at, terms=terms)
            versions: tuple[tuple[Memory, str], ...] = ()
            known: list[tuple[int, Evidence]] = []
        else:
            self._refuse_change(life.latest, memory)
            item, versions, known = life.item, life.versions, list(life.evidence)
            entry = self._room.items[item]
            self._stamp(
                replace(
                    entry,
                    language=memory.language,
                    trust=memory.trust,
                    status=status,
                    moment_millis=to_millis(at),
                    terms=entry.terms if terms is None else terms,
                )
            )
        if kept is not None:
            self._room.items[item] = replace(self._room.items[item], vector=kept)
        since: list[tuple[int, Evidence]] = []
        for piece in memory.evidence:
            came = next((each for each in known if each[1] == piece), (memory.version, piece))
            since.append(came)
            if came in known:
                known.remove(came)
        self._room.memories[memory.id] = Life(item, (*versions, (replace(memory, evidence=()), why)), tuple(since))

    def _refuse_change(self, stored: Memory, memory: Memory) -> None:
        if memory.version <= stored.version:
            raise StateMismatch(
                f"memory {memory.id!r} is at version {stored.version}, and {memory.version} was to follow; "
                "read it again"
            )
        if (memory.key, memory.value) != (stored.key, stored.value):
            raise StateMismatch(
                f"memory {memory.id!r} keeps its key and value for life; write another that supersedes it"
            )

    def put_session(self, session: Session) -> None:
        number = self._room.sessions.get(session.id, (0, session))[0]
        if not number:
            number = self._last_session = self._last_session + 1
        self._room.sessions[session.id] = (number, session)

    def add_turns(self, turns: Sequence[Turn], *, terms: Sequence[bytes]) -> None:
        for turn in turns:
            self._session_number(turn.session_id)
        places = [(turn.session_id, turn.index) for turn in turns]
        if len(set(places)) < len(places) or any(place in self._room.turns for place in places):
            raise StateMismatch(
                f"session {turns[0].session_id!r} already has a turn at one of the indexes "
                f"{turns[0].index} to {turns[-1].index}; read the session again and append behind its last turn",
                code="turn_exists",
            )
        for turn, packed in zip(turns, terms, strict=True):
            item = self._new_item(
                "turn",
                language_of(turn.content),
                trust_of(turn.origin),
                "active",
                place=(self._session_number(turn.session_id), turn.index),
                at=turn.at,
                terms=packed,
            )
            self._room.turns[turn.session_id, turn.index] = Place(item, turn)

    def put_episode(self, episode: Episode, *, terms: bytes) -> None:
        number = self._session_number(episode.session_id)
        if episode.id in self._room.episodes:
            self.replace_episode(episode, terms=terms)
            return
        stretch = self.turns(episode.session_id, first=episode.first_index, end=episode.last_index + 1)
        trusts: list[Trust] = [trust_of(turn.origin) for turn in stretch if turn.role in DIGESTED_ROLES]
        item = self._new_item(
            "episode",
            episode.language,
            lowest_trust(trusts) if trusts else "untrusted",
            "active",
            place=(number, episode.first_index),
            at=episode.ended_at,
            terms=terms,
        )
        self._room.episodes[episode.id] = (item, episode)

    def replace_reason(self, memory_id: MemoryId, version: int, why: str) -> None:
        life = self._room.memories.get(memory_id)
        if life is not None:
            versions = tuple((m, why if m.version == version else old) for m, old in life.versions)
            self._room.memories[memory_id] = replace(life, versions=versions)

    def replace_episode(self, episode: Episode, *, terms: bytes) -> None:
        if episode.id in self._room.episodes:
            item, stored = self._room.episodes[episode.id]
            self._room.episodes[episode.id] = (item, replace(episode, session_id=stored.session_id))
            self._replace_words(item, episode.language, terms)

    def replace_turn_words(
        self, session_id: SessionId, index: int, *, content: str, digest: str | None, terms: bytes
    ) -> None:
        place = self._room.turns.get((session_id, index))
        if place is not None:
            turn = replace(
                place.turn, content=content, erased=place.turn.erased or (digest is not None and not content)
            )
            kept = place.digest if digest is None else digest
            self._room.turns[session_id, index] = Place(place.item, turn, kept)
            self._replace_words(place.item, language_of(content), terms)

    def put_job(self, job: Job) -> None:
        self._own(job.namespace, what=f"job {job.id!r}")
        self._room.jobs[job.id] = job

    def put_conflict(self, conflict: Conflict) -> None:
        self._own(conflict.namespace, what=f"conflict {conflict.id!r}")
        self._room.conflicts[conflict.id] = conflict

    def put_proposal(self, proposal: Proposal) -> None:
        self._room.proposals[proposal.id] = proposal

    def remove_proposals(self, memory_id: MemoryId) -> None:
        self._remove_proposals({memory_id})

    def put_lesson(self, lesson: Lesson) -> None:
        self._own(lesson.namespace, what=f"lesson {lesson.id!r}")
        self._room.lessons[lesson.id] = lesson

    def remove_lesson(self, lesson_id: LessonId) -> bool:
        return self._room.lessons.pop(lesson_id, None) is not None

    def count_uses(self, memory_ids: Collection[MemoryId]) -> None:
        for memory_id in dict.fromkeys(memory_ids):
            self._room.uses[memory_id] = self._room.uses.get(memory_id, 0) + 1

    def put_trace(self, trace: Trace) -> None:
        self._own(trace.namespace, what=f"trace {trace.id!r}")
        self._room.traces[trace.id] = trace

    def replace_trace(self, trace: Trace) -> None:
        if trace.id in self._room.traces:
            self._room.traces[trace.id] = trace

    def put_request(self, request_id: RequestId, stored: StoredRequest) -> None:
        self._room.requests[request_id] = stored

    def put_served(self, fingerprints: Iterable[int], *, at: datetime) -> None:
        self._room.served.update(dict.fromkeys(fingerprints, at))

    def drop_served(self, fingerprints: Collection[int]) -> None:
        for fingerprint in fingerprints:
            self._room.served.pop(fingerprint, None)

    def put_vector(self, item: ItemId, vector: Vector) -> None:
        kept = unit_row(vector)
        entry = self._room.items.get(item)
        if entry is not None and not entry.deleted and entry.terms:
            self._stamp(replace(entry, vector=kept))
            self._room.aside -= {item}

    def set_aside(self, item: ItemId) -> None:
        entry = self._room.items.get(item)
        if entry is not None and not entry.deleted and entry.vector is None:
            self._room.aside |= {item}

    def erase_memories(self, memory_ids: Sequence[MemoryId]) -> Mapping[str, int]:
        room = self._room
        lives = {memory_id: room.memories.pop(memory_id) for memory_id in set(memory_ids) & room.memories.keys()}
        touched = [c.id for c in room.conflicts.values() if c.first in lives or c.second in lives]
        for conflict_id in touched:
            del room.conflicts[conflict_id]
        return {
            "versions": sum(len(life.versions) for life in lives.values()),
            "evidence": sum(len(life.evidence) for life in lives.values()),
            "memories": len(lives),
            "conflicts": len(touched),
            "proposals": self._remove_proposals(lives.keys()),
            "uses": sum(room.uses.pop(memory_id, None) is not None for memory_id in lives),
            "vectors": self._bury(life.item for life in lives.values()),
        }

    def erase_episodes(self, episode_ids: Sequence[EpisodeId]) -> int:
        gone = [self._room.episodes.pop(each)[0] for each in set(episode_ids) & self._room.episodes.keys()]
        self._bury(gone)
        return len(gone)

    def erase_session(self, session_id: SessionId) -> Mapping[str, int]:
        room = self._room
        jobs = [job.id for job in room.jobs.values() if job.session_id == session_id]
        turns = [place for place in room.turns if place[0] == session_id]
        episodes = [each.id for _, each in room.episodes.values() if each.session_id == session_id]
        for job_id in jobs:
            del room.jobs[job_id]
        items = [room.turns.pop(place).item for place in turns]
        items += [room.episodes.pop(each)[0] for each in episodes]
        return {
            "jobs": len(jobs),
            "turns": len(turns),
            "episodes": len(episodes),
            "sessions": int(room.sessions.pop(session_id, None) is not None),
            "vectors": self._bury(items),
        }

    def erase_everything(self) -> Mapping[str, int]:
        room = self._room
        lives = room.memories.values()
        counts = {
            "versions": sum(len(life.versions) for life in lives),
            "evidence": sum(len(life.evidence) for life in lives),
        }
        for name, part in room.contents().items():
            counts[name] = len(part)
            part.clear()
        counts["vectors"] = self._bury(item for item, entry in room.items.items() if not entry.deleted)
        return counts

    def put_tombstones(self, digests: Iterable[str], *, at: datetime) -> None:
        self._room.tombstones.update(dict.fromkeys(digests, at))

    def put_receipt(self, receipt: Receipt) -> None:
        self._own(receipt.namespace, what=f"receipt {receipt.id!r}")
        self._room.receipts[receipt.id] = receipt

    def drop_vectors(self) -> int:
        with_vector = [entry for entry in self._room.items.values() if entry.vector is not None]
        for entry in sorted(with_vector, key=lambda entry: entry.item):
            self._stamp(replace(entry, vector=None))
        self.take_up_set_aside()
        return len(with_vector)

    def take_up_set_aside(self) -> None:
        self._room.aside = frozenset()

    def record(self, event: AuditEvent) -> None:
        self._own(event.namespace, what=f"an audit event about {event.subject!r}")
        line = line_of(event)
        previous = self._chain[-1].hash if self._chain else GENESIS
        chained = ChainedEvent(number=len(self._chain) + 1, line=line, hash=link(previous, line))
        self._chain = (*self._chain, chained)
        self._room.audit = (*self._room.audit, (event.subject, chained))

    def _own(self, namespace: Namespace, *, what: str) -> None:
        if namespace != self._namespace:
            raise InvalidRequest(
                f"{what} belongs to another namespace; write it in a scope of its own", code="foreign_namespace"
            )

    def _session_number(self, session_id: SessionId) -> int:
        numbered = self._room.sessions.get(session_id)
        if numbered is None:
            raise NotFound(f"session {session_id!r} is not there; put it before its turns")
        return numbered[0]

    def _new_item(
        self,
        kind: ItemKind,
        language: Language,
        trust: Trust,
        status: StoredStatus,
        *,
        at: datetime,
        terms: bytes,
        place: tuple[int, int] = (0, 0),
    ) -> ItemId:
        self._last_item += 1
        item = ItemId(self._last_item)
        self._stamp(
            IndexEntry(
                seq=0,
                item=item,
                kind=kind,
                deleted=False,
                language=language,
                trust=trust,
                status=status,
                session=place[0],
                position=place[1],
                moment_millis=to_millis(at),
                terms=terms,
                vector=None,
            )
        )
        return item

    def _stamp(self, entry: IndexEntry) -> None:
        self._room.seq += 1
        self._room.items[entry.item] = replace(entry, seq=self._room.seq)

    def _replace_words(self, item: ItemId, language: Language, terms: bytes) -> None:
        self._stamp(replace(self._room.items[item], language=language, terms=terms, vector=None))
        self._room.aside -= {item}

    def _remove_proposals(self, memory_ids: Collection[MemoryId]) -> int:
        gone = [each.id for each in self._room.proposals.values() if each.memory_id in memory_ids]
        for proposal_id in gone:
            del self._room.proposals[proposal_id]
        return len(gone)

    def _bury(self, items: Iterable[ItemId]) -> int:
        vectors = 0
        for item in sorted(items):
            entry = self._room.items[item]
            vectors += entry.vector is not None
            self._stamp(
                replace(
                    entry,
                    deleted=True,
                    language="en",
                    trust="untrusted",
                    status="archived",
                    session=0,
                    position=0,
                    moment_millis=0,
                    terms=b"",
                    vector=None,
                )
            )
        return vectors
