"""What every record store promises about erasure and about keeping namespaces apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from hindsight.domain.conversation import Episode
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Conflict, Job, Proposal, Receipt, Trace
from hindsight.ports import ReadScope, RecordStore, StoredRequest
from hindsight.testing import SAMPLE_TIME, sample_evidence, sample_memory, sample_session, sample_turn

VECTOR = np.array([0.6, 0.8], dtype=np.float32)
# Names that a prefix match, a folded case or a trimmed space would mix up.
NAMES = [Namespace(name) for name in ("a", "a/b", "A", "a/", "user", "user1", "用户", "用户1")]
STATUSES = ("active", "archived", "quarantined")
TRUSTS = ("trusted", "reported", "untrusted")


def fill(store: RecordStore, namespace: Namespace) -> None:
    """One of everything, under the same ids in every namespace."""
    memory = sample_memory(
        "mem_1",
        namespace=namespace,
        key="diet",
        value=f"{namespace} eats no nuts",
        evidence=[sample_evidence("s", 0, "no nuts")],
    )
    with store.writing(namespace) as scope:
        scope.put_memory(memory, why="added", terms=b"nuts", vector=VECTOR)
        scope.put_memory(replace(memory, version=2), why="reinforced")
        scope.put_memory(sample_memory("mem_2", namespace=namespace), why="added", terms=b"vim")
        scope.put_session(sample_session("s", turn_count=2))
        scope.put_session(sample_session("t", turn_count=1))
        scope.add_turns([sample_turn("s", n, f"{namespace} no nuts") for n in range(2)], terms=[b"nuts"] * 2)
        scope.add_turns([sample_turn("t", 0, "hello")], terms=[b"hello"])
        scope.put_episode(an_episode(), terms=b"nuts")
        scope.put_job(
            Job(
                id="job_1",
                namespace=namespace,
                kind="look_back",
                state="queued",
                created_at=SAMPLE_TIME,
                run_after=SAMPLE_TIME,
                session_id="s",
            )
        )
        scope.put_conflict(
            Conflict(
                id="con_1",
                namespace=namespace,
                first="mem_2",
                second="mem_1",
                question="nuts?",
                opened_at=SAMPLE_TIME,
            )
        )
        scope.put_proposal(
            Proposal(id="pro_1", memory_id="mem_1", action="forget", proposed_at=SAMPLE_TIME, proposed_by="assistant")
        )
        scope.put_trace(Trace(id="trc_1", namespace=namespace, at=SAMPLE_TIME, query="nuts?", candidates=()))
        scope.put_request("req_1", StoredRequest(digest="d", outcome="added", memory_id="mem_1"))
        scope.put_served([7], at=SAMPLE_TIME)
        scope.put_tombstones(["dead"], at=SAMPLE_TIME)
        scope.put_receipt(
            Receipt(
                id="rec_1",
                namespace=namespace,
                subject="mem_0",
                erased_at=SAMPLE_TIME,
                counts={},
                retained=0,
                pending=(),
            )
        )
        scope.record(AuditEvent(action="write", namespace=namespace, subject="mem_1", at=SAMPLE_TIME, by="user"))


def an_episode() -> Episode:
    return Episode(
        id="ep_1",
        session_id="s",
        first_index=0,
        last_index=1,
        language="en",
        user_said="no nuts",
        agent_did="",
        conclusion="",
        entities=(),
        started_at=SAMPLE_TIME,
        ended_at=SAMPLE_TIME,
        created_at=SAMPLE_TIME,
    )


def everything(scope: ReadScope) -> list[object]:
    """All that the reads of a namespace show, but for the numbers of items and sessions."""
    page = scope.memory_page(statuses=STATUSES, trusts=TRUSTS, limit=99, after=None)
    sessions = scope.session_page(limit=99, after=None)
    return [
        page,
        [scope.versions(memory.id) for memory in page],
        sessions,
        [scope.turns(session.id) for session in sessions],
        list(scope.episode_page(limit=99, after=None)),
        list(scope.job_page(limit=99, after=None)),
        list(scope.open_conflicts()),
        list(scope.proposals()),
        [scope.trace(trace_id) for trace_id in scope.trace_ids()],
        scope.request("req_1"),
        scope.served([7]),
        scope.tombstoned(["dead"]),
        list(scope.receipts()),
        [event.line for event in scope.audit_lines("mem_1")],
        scope.seq(),
        [
            (e.seq, e.kind, e.deleted, e.terms, None if e.vector is None else e.vector.tolist())
            for e in scope.changes(0, limit=99)
        ],
    ]


def test_erasing_all_of_one_namespace_leaves_the_others_equal(store: RecordStore) -> None:
    for namespace in NAMES:
        fill(store, namespace)
    before = {}
    for namespace in NAMES:
        with store.reading(namespace) as scope:
            before[namespace] = everything(scope)
    with store.writing(NAMES[0]) as scope:
        counts = scope.erase_everything()
    assert counts == {
        "versions": 3,
        "evidence": 1,
        "memories": 2,
        "turns": 3,
        "episodes": 1,
        "sessions": 2,
        "jobs": 1,
        "conflicts": 1,
        "lessons": 0,
        "uses": 0,
        "proposals": 1,
        "traces": 1,
        "requests": 1,
        "served": 1,
        "vectors": 1,
    }
    for namespace in NAMES[1:]:
        with store.reading(namespace) as scope:
            assert everything(scope) == before[namespace]
    assert list(store.namespaces()) == sorted(NAMES[1:])
    with store.reading(NAMES[0]) as scope:
        assert scope.seq() == 13
        assert [(e.seq, e.deleted, e.terms, e.vector) for e in scope.changes(0, limit=99)] == [
            (seq, True, b"", None) for seq in range(8, 14)
        ]
        assert scope.tombstoned(["dead"]) == {"dead": SAMPLE_TIME}
        assert len(scope.receipts()) == len(scope.audit_lines("mem_1")) == 1
        shown = everything(scope)
        assert shown[0] == shown[2] == shown[4] == shown[5] == shown[6] == shown[7] == shown[8] == []
        assert (shown[9], shown[10]) == (None, frozenset())
    assert list(store.check()) == []


def test_no_read_by_id_or_item_crosses_into_another_namespace(store: RecordStore) -> None:
    owner, other = NAMES[0], NAMES[1]
    fill(store, owner)
    with store.reading(owner) as scope:
        items = [entry.item for entry in scope.changes(0, limit=99)]
        assert len(scope.memories_of(items)) + len(scope.turns_of(items)) + len(scope.episodes_of(items)) == 6
    with store.reading(other) as scope:
        assert everything(scope) == [
            [], [], [], [], [], [], [], [], [], None, frozenset(), {}, [], [], 0, [],
        ]  # fmt: skip
        alone = (
            scope.memory("mem_1"), scope.session("s"), scope.episode("ep_1"), scope.job("job_1"),
            scope.conflict("con_1"), scope.trace("trc_1"), scope.open_job("s"),
            scope.episode_at("s", 0), scope.erased_digest("s", 0), scope.latest_session(),
        )  # fmt: skip
        assert set(alone) == {None}
        many = (
            scope.memories(["mem_1"]), scope.memories_of(items), scope.items_of(["mem_1"]), scope.turns_of(items),
            scope.turn_items("s", first=0, end=9), scope.turns_around(items, reach=3), scope.turn_places(items),
            scope.memory_ids_of(items), scope.episodes_at(items), scope.episodes_of(items),
            scope.vectors(items), scope.memories_as_of(SAMPLE_TIME + timedelta(days=1)),
        )  # fmt: skip
        assert all(found == {} for found in many)
        listed = (
            scope.memories_with_key("diet"), scope.memories_on_session("s"), scope.versions("mem_1"),
            scope.turns("s"), scope.turns_with_ids("s", ["s#0"]), scope.open_conflicts(["mem_1"]),
        )  # fmt: skip
        assert all(list(found) == [] for found in listed)


def test_no_write_by_id_or_item_crosses_into_another_namespace(store: RecordStore) -> None:
    owner, other = NAMES[0], NAMES[1]
    fill(store, owner)
    with store.reading(owner) as scope:
        before = everything(scope)
        items = [entry.item for entry in scope.changes(0, limit=99)]
    with store.writing(other) as scope:
        for item in items:
            scope.put_vector(item, VECTOR)
        assert set(scope.erase_memories(["mem_1", "mem_2"]).values()) == {0}
        assert scope.erase_episodes(["ep_1"]) == 0
        assert set(scope.erase_session("s").values()) == {0}
        assert set(scope.erase_everything().values()) == {0}
        scope.replace_turn_words("s", 0, content="", digest="d", terms=b"")
        scope.replace_episode(replace(an_episode(), user_said=""), terms=b"")
        scope.replace_trace(Trace(id="trc_1", namespace=other, at=SAMPLE_TIME, query="", candidates=()))
        scope.remove_proposals("mem_1")
    with store.reading(owner) as scope:
        assert everything(scope) == before


def test_an_erased_memory_is_nowhere_and_leaves_no_orphan(store: RecordStore) -> None:
    fill(store, NAMES[0])
    with store.writing(NAMES[0]) as scope:
        counts = scope.erase_memories(["mem_1", "mem_none"])
        assert scope.memory("mem_1") is None
    assert counts == {
        "versions": 2,
        "evidence": 1,
        "memories": 1,
        "conflicts": 1,
        "proposals": 1,
        "uses": 0,
        "vectors": 1,
    }
    with store.reading(NAMES[0]) as scope:
        assert scope.versions("mem_1") == []
        assert scope.items_of(["mem_1"]) == {}
        assert list(scope.open_conflicts()) == [] == list(scope.proposals())
        assert scope.memory("mem_2") is not None
        [gone] = [entry for entry in scope.changes(0, limit=99) if entry.deleted]
        assert (gone.kind, gone.terms, gone.vector, gone.moment_millis) == ("memory", b"", None, 0)
        assert gone.seq == scope.seq()
    assert list(store.check()) == []
    assert "eats no nuts" not in {text.text for text in store.pending_texts(limit=99)}


def test_an_erased_session_takes_its_turns_episodes_and_jobs(store: RecordStore) -> None:
    fill(store, NAMES[0])
    with store.writing(NAMES[0]) as scope:
        assert scope.erase_session("s") == {"jobs": 1, "turns": 2, "episodes": 1, "sessions": 1, "vectors": 0}
        assert scope.erase_session("s") == {"jobs": 0, "turns": 0, "episodes": 0, "sessions": 0, "vectors": 0}
    with store.reading(NAMES[0]) as scope:
        assert [session.id for session in scope.session_page(limit=9, after=None)] == ["t"]
        assert scope.turns("s") == []
        assert scope.episode("ep_1") is None
        assert scope.job("job_1") is None
        assert [turn.content for turn in scope.turns("t")] == ["hello"]
        assert sorted(entry.kind for entry in scope.changes(0, limit=99) if entry.deleted) == [
            "episode", "turn", "turn",
        ]  # fmt: skip
    with store.writing(NAMES[0]) as scope:
        scope.put_session(sample_session("s"))
        scope.add_turns([sample_turn("s", 0, "a fresh start")], terms=[b"fresh"])
    assert list(store.check()) == []


def test_erased_episodes_are_counted_once(store: RecordStore) -> None:
    fill(store, NAMES[0])
    with store.writing(NAMES[0]) as scope:
        assert scope.erase_episodes(["ep_1", "ep_1", "ep_9"]) == 1
        assert scope.erase_episodes(["ep_1"]) == 0
    with store.reading(NAMES[0]) as scope:
        assert list(scope.episode_page(limit=9, after=None)) == []


@pytest.mark.parametrize("place", range(2))
def test_numbers_of_erased_things_are_never_given_again(store: RecordStore, place: int) -> None:
    fill(store, NAMES[0])
    with store.reading(NAMES[0]) as scope:
        old = {(entry.item, entry.session) for entry in scope.changes(0, limit=99)}
    with store.writing(NAMES[0]) as scope:
        scope.erase_everything()
    fill(store, NAMES[place])
    with store.reading(NAMES[place]) as scope:
        new = {(entry.item, entry.session) for entry in scope.changes(0, limit=99) if not entry.deleted}
    assert not {item for item, _ in old} & {item for item, _ in new}
    assert not {session for _, session in old} & {session for _, session in new} - {0}
    assert list(store.scrub()) == []
