"""The same random life in the real store and in the fake: every read must agree, also after a reopen."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.conversation import Episode
from hindsight.domain.memory import Memory
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Conflict, Job
from hindsight.ports import ItemId, ReadScope, RecordStore
from hindsight.ports.changes import Changes, IndexEntry
from hindsight.testing import (
    SAMPLE_TIME,
    InMemoryStore,
    sample_evidence,
    sample_memory,
    sample_session,
    sample_turn,
)

# Few names and ids, so that a short life meets the same memory and session several times.
NAMESPACES = st.sampled_from([Namespace("user/li"), Namespace("user/li/用户")])
IDS = st.integers(0, 1)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
STATUSES = ("active", "archived", "quarantined")
TRUSTS = ("trusted", "reported", "untrusted")
MINUTE = timedelta(minutes=1)


def plain(value: Any) -> Any:
    """A value that compares: arrays become lists, containers are walked."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, IndexEntry):
        return replace(value, vector=None), plain(value.vector)
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, Changes)):
        return [plain(each) for each in value]
    return value


def shown(scope: ReadScope) -> list[Any]:
    """Every read of a scope, over all that the machine can have written."""
    items = [ItemId(number) for number in range(1, 60)]
    memories = [f"mem_{number}" for number in range(4)]
    found: list[Any] = [scope.namespace, scope.seq(), scope.changes(0, limit=99), scope.changes(3, limit=2)]
    found += [scope.vectors(items), scope.memories_of(items), scope.turns_of(items), scope.episodes_of(items)]
    found += [scope.memories(memories), scope.items_of(memories), scope.turns_around(items, reach=1)]
    found += [scope.turn_places(items), scope.memory_ids_of(items), scope.episodes_at(items)]
    found += [[scope.memory(each), scope.versions(each), scope.audit_lines(each)] for each in memories]
    found += [scope.memories_as_of(SAMPLE_TIME + n * MINUTE) for n in range(0, 12, 3)]
    found += [scope.memories_with_key(f"key {number}") for number in range(2)]
    found += [scope.memory_page(statuses=[s], trusts=TRUSTS, limit=2, after="mem_2") for s in STATUSES]
    found += [scope.memory_page(statuses=STATUSES, trusts=[t], limit=9, after=None) for t in TRUSTS]
    for name in ("s0", "s1"):
        found += [scope.session(name), scope.turns(name), scope.turns(name, first=1, end=3), scope.open_job(name)]
        found += [scope.turn_items(name, first=0, end=2), scope.memories_on_session(name)]
        found += [[scope.erased_digest(name, n), scope.episode_at(name, n)] for n in range(4)]
    found += [scope.session_page(limit=9, after=None), scope.latest_session()]
    found += [scope.episode_page(limit=2, after=None), scope.job_page(limit=9, after="job_2")]
    found += [scope.open_conflicts(), scope.open_conflicts(["mem_1"]), scope.conflict("con_1")]
    found += [scope.tombstoned(["d0", "d1"]), scope.served([1, 2**64 - 1])]
    return plain(found)


class TwoStores(RuleBasedStateMachine):
    """Does everything to both stores."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="hindsight-equality-"))
        self.real = SqliteStore.open(self.home)
        self.fake = InMemoryStore()
        self.minute = 0
        self.versions: dict[tuple[str, str], Memory] = {}

    def teardown(self) -> None:
        assert list(self.real.check()) == []
        self.real.close()
        shutil.rmtree(self.home)

    @property
    def stores(self) -> tuple[RecordStore, RecordStore]:
        return self.real, self.fake

    @rule(
        namespace=NAMESPACES,
        number=IDS,
        key=st.integers(0, 1),
        value=TEXTS,
        status=st.sampled_from(STATUSES),
        trust=st.sampled_from(TRUSTS),
        quotes=st.lists(st.tuples(st.sampled_from(["s0", "s1"]), TEXTS), max_size=3),
        vector=st.none() | st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3),
    )
    def put_memory(
        self,
        namespace: Namespace,
        number: int,
        key: int,
        value: str,
        status: Any,
        trust: Any,
        quotes: list[tuple[str, str]],
        vector: list[float] | None,
    ) -> None:
        self.minute += 1
        at = SAMPLE_TIME + self.minute * MINUTE
        with self.fake.reading(namespace) as scope:
            stored = scope.memory(f"mem_{number}")
        evidence = tuple(sample_evidence(session, 0, quote) for session, quote in quotes)
        if stored is None:
            stored = sample_memory(f"mem_{number}", namespace=namespace, key=f"key {key}", value=value, at=at)
            stored = replace(stored, version=0)
        memory = replace(
            stored, version=stored.version + 1, updated_at=at, status=status, trust=trust, evidence=evidence
        )
        row = None if vector is None else np.array(vector, dtype=np.float32)
        for store in self.stores:
            with store.writing(namespace) as scope:
                terms = value.encode() if memory.version == 1 else None
                scope.put_memory(memory, why=f"step {self.minute}", terms=terms, vector=row)
                scope.record(
                    AuditEvent(action="put", namespace=namespace, subject=memory.id, at=at, by="user", detail={})
                )

    @rule(namespace=NAMESPACES, session=st.integers(0, 1), lines=st.lists(TEXTS, max_size=3))
    def talk(self, namespace: Namespace, session: int, lines: list[str]) -> None:
        self.minute += 1
        for store in self.stores:
            with store.writing(namespace) as scope:
                count = len(scope.turns(f"s{session}"))
                at = SAMPLE_TIME + self.minute * MINUTE
                scope.put_session(sample_session(f"s{session}", turn_count=count + len(lines), at=at))
                turns = [
                    replace(sample_turn(f"s{session}", count + n, line), name=("Nell", "Otto", None)[(count + n) % 3])
                    for n, line in enumerate(lines)
                ]
                scope.add_turns(turns, terms=[line.encode() for line in lines])

    @rule(namespace=NAMESPACES, session=st.integers(0, 1), number=IDS, words=TEXTS)
    def conclude(self, namespace: Namespace, session: int, number: int, words: str) -> None:
        episode = Episode(
            id=f"ep_{number}{session}",
            session_id=f"s{session}",
            first_index=number // 2,
            last_index=number,
            language="en",
            user_said=words,
            agent_did="",
            conclusion="",
            entities=(),
            started_at=SAMPLE_TIME,
            ended_at=SAMPLE_TIME,
            created_at=SAMPLE_TIME,
        )
        for store in self.stores:
            with store.writing(namespace) as scope:
                if scope.session(episode.session_id) is not None:
                    scope.put_episode(episode, terms=words.encode())

    @rule(namespace=NAMESPACES, session=st.integers(0, 1), index=IDS, words=TEXTS, whole=st.booleans())
    def blank(self, namespace: Namespace, session: int, index: int, words: str, whole: bool) -> None:
        for store in self.stores:
            with store.writing(namespace) as scope:
                scope.replace_turn_words(
                    f"s{session}",
                    index,
                    content="" if whole else words,
                    digest=words if whole else None,
                    terms=b"" if whole else words.encode(),
                )

    @rule(namespace=NAMESPACES, first=IDS, second=IDS, is_open=st.booleans())
    def dispute(self, namespace: Namespace, first: int, second: int, is_open: bool) -> None:
        with self.fake.reading(namespace) as scope:
            if len(scope.memories([f"mem_{first}", f"mem_{second}"])) < len({first, second}):
                return
        for store in self.stores:
            with store.writing(namespace) as scope:
                scope.put_conflict(
                    Conflict(
                        id=f"con_{first}",
                        namespace=namespace,
                        first=f"mem_{first}",
                        second=f"mem_{second}",
                        question="?",
                        opened_at=SAMPLE_TIME,
                        open=is_open,
                    )
                )

    @rule(namespace=NAMESPACES, number=IDS, kind=st.sampled_from(["look_back", "erase"]), minute=IDS)
    def queue(self, namespace: Namespace, number: int, kind: Any, minute: int) -> None:
        job = Job(
            id=f"job_{number}",
            namespace=namespace,
            kind=kind,
            state="queued",
            created_at=SAMPLE_TIME + minute * MINUTE,
            run_after=SAMPLE_TIME + minute * MINUTE,
            session_id=f"s{number % 2}",
        )
        for store in self.stores:
            with store.writing(namespace) as scope:
                scope.put_job(job)

    @rule(minute=IDS)
    def work(self, minute: int) -> None:
        now = SAMPLE_TIME + minute * MINUTE
        claims = [store.claim_job(now=now, lease_until=now + MINUTE, owner="w") for store in self.stores]
        # Jobs of two namespaces may have the same id and age; which of them goes first is open.
        assert (claims[0] is None) == (claims[1] is None)
        if claims[0] != claims[1]:
            assert claims[0] is not None
            assert claims[1] is not None
            assert (claims[0].id, claims[0].created_at) == (claims[1].id, claims[1].created_at)
            for store, claim in zip(self.stores, claims, strict=True):
                other = claims[1] if claim is claims[0] else claims[0]
                with store.writing(other.namespace) as scope:
                    scope.put_job(other)

    @rule(after=st.integers(0, 20), limit=st.integers(0, 3))
    def embed(self, after: int, limit: int) -> None:
        waiting = [store.pending_texts(limit=limit, after=ItemId(after)) for store in self.stores]
        assert waiting[0] == waiting[1]
        for text in waiting[0]:
            for store in self.stores:
                with store.writing(text.namespace) as scope:
                    scope.put_vector(text.item, np.array([len(text.text), 1.0], dtype=np.float32))

    @rule(namespace=NAMESPACES, numbers=st.lists(IDS, max_size=3))
    def erase_memories(self, namespace: Namespace, numbers: list[int]) -> None:
        counts = []
        for store in self.stores:
            with store.writing(namespace) as scope:
                counts.append(scope.erase_memories([f"mem_{number}" for number in numbers]))
                scope.put_tombstones([f"d{number}" for number in numbers], at=SAMPLE_TIME)
                scope.put_served([number * (2**64 - 1) // 3 for number in numbers], at=SAMPLE_TIME)
        assert counts[0] == counts[1]

    @rule(namespace=NAMESPACES, session=st.integers(0, 1))
    def erase_session(self, namespace: Namespace, session: int) -> None:
        counts = []
        for store in self.stores:
            with store.writing(namespace) as scope:
                counts.append(scope.erase_session(f"s{session}"))
        assert counts[0] == counts[1]

    @rule(namespace=NAMESPACES)
    def erase_everything(self, namespace: Namespace) -> None:
        counts = []
        for store in self.stores:
            with store.writing(namespace) as scope:
                counts.append(scope.erase_everything())
        assert counts[0] == counts[1]

    @precondition(lambda self: self.minute % 3 == 0)
    @rule()
    def reopen(self) -> None:
        self.real.close()
        self.real = SqliteStore.open(self.home)

    @rule()
    def scrub(self) -> None:
        assert list(self.real.scrub()) == []

    @invariant()
    def both_show_the_same(self) -> None:
        for name in ("user/li", "user/li/用户"):
            with self.real.reading(Namespace(name)) as real, self.fake.reading(Namespace(name)) as fake:
                assert shown(real) == shown(fake)
        for first, second in ((self.real, self.fake),):
            assert list(first.namespaces()) == list(second.namespaces())
            assert first.pending_texts(limit=99) == second.pending_texts(limit=99)
            assert first.pending_count() == second.pending_count()
            assert first.jobs_waiting() == second.jobs_waiting()
            later = SAMPLE_TIME + 99 * MINUTE
            assert sorted(first.idle_sessions(observed_before=later, limit=99)) == sorted(
                second.idle_sessions(observed_before=later, limit=99)
            )
            assert list(first.chain(after=0, limit=99)) == list(second.chain(after=0, limit=99))


TestTwoStores = TwoStores.TestCase
TestTwoStores.settings = settings(
    max_examples=12, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
