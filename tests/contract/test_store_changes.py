"""What every record store promises to the derived indexes, and about snapshots and transactions."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from hindsight.domain.memory import Memory
from hindsight.domain.moments import to_millis
from hindsight.domain.namespace import Namespace
from hindsight.ports import RecordStore, StoredRequest
from hindsight.ports.changes import IndexEntry
from hindsight.testing import (
    SAMPLE_TIME,
    HashEmbedder,
    sample_evidence,
    sample_memory,
    sample_session,
    sample_turn,
)

LI, WANG = Namespace("user/li"), Namespace("user/wang")
HOUR = timedelta(hours=1)
VECTOR = HashEmbedder(dimension=8).passages(["Vim"])[0]


def put(store: RecordStore, *memories: Memory, vector: np.ndarray | None = None) -> None:
    for memory in memories:
        with store.writing(memory.namespace) as scope:
            scope.put_memory(memory, why="added", terms=b"vim", vector=vector)


def entries(store: RecordStore, after: int = 0) -> list[IndexEntry]:
    with store.reading(LI) as scope:
        return list(scope.changes(after, limit=99))


def test_nothing_written_is_no_change(store: RecordStore) -> None:
    with store.reading(LI) as scope:
        assert (scope.seq(), list(scope.changes(0, limit=9))) == (0, [])
    assert list(store.namespaces()) == []


def test_an_entry_tells_the_indexes_all_they_need(store: RecordStore) -> None:
    memory = sample_memory("mem_1", value="喜欢喝茶", evidence=[sample_evidence("s", 0, "茶", at=SAMPLE_TIME - HOUR)])
    put(store, memory, vector=VECTOR)
    with store.writing(LI) as scope:
        scope.put_session(sample_session("s"))
        turns = [sample_turn("s", 7, "我爱喝茶"), replace(sample_turn("s", 8, "noted"), origin="assistant")]
        scope.add_turns(turns, terms=[b"tea", b""])
    first, *turns_seen = entries(store)
    assert first.vector is not None
    np.testing.assert_array_equal(first.vector, VECTOR)
    assert first.vector.dtype == np.float32
    assert replace(first, vector=None) == IndexEntry(
        seq=1,
        item=first.item,
        kind="memory",
        deleted=False,
        language="zh",
        trust="trusted",
        status="active",
        session=0,
        position=0,
        moment_millis=to_millis(memory.verified_at),
        terms=b"vim",
        vector=None,
        confidence=first.confidence,
        category=memory.category,
    )
    assert first.confidence == pytest.approx(memory.confidence)
    assert [(e.seq, e.kind, e.language, e.trust, e.position, e.terms) for e in turns_seen] == [
        (2, "turn", "zh", "trusted", 7, b"tea"),
        (3, "turn", "en", "reported", 8, b""),
    ]
    assert turns_seen[0].session == turns_seen[1].session > 0


def test_each_change_moves_its_item_to_the_end(store: RecordStore) -> None:
    one, two = sample_memory("mem_1"), sample_memory("mem_2")
    put(store, one, two)
    put(store, replace(one, version=2, status="quarantined", trust="untrusted"))
    seen = entries(store)
    assert [(e.seq, e.status, e.trust) for e in seen] == [(2, "active", "trusted"), (3, "quarantined", "untrusted")]
    assert [e.seq for e in entries(store, after=2)] == [3]
    with store.reading(LI) as scope:
        assert scope.seq() == 3
        assert [e.seq for e in scope.changes(0, limit=1)] == [2]


def test_terms_and_vector_stay_through_a_change_of_status(store: RecordStore) -> None:
    memory = sample_memory("mem_1")
    put(store, memory, vector=VECTOR)
    with store.writing(LI) as scope:
        scope.put_memory(replace(memory, version=2, status="archived"), why="forgotten")
    [entry] = entries(store)
    assert entry.terms == b"vim"
    np.testing.assert_array_equal(entry.vector, VECTOR)


def test_texts_wait_for_their_vectors_and_new_words_wait_again(store: RecordStore) -> None:
    put(store, sample_memory("mem_1"), replace(sample_memory("mem_2"), status="quarantined"))
    put(store, sample_memory("mem_3", namespace=WANG, value="爱吃辣"))
    with store.writing(LI) as scope:
        scope.put_session(sample_session("s"))
        scope.add_turns([sample_turn("s", 0, "my words"), sample_turn("s", 1, "ok")], terms=[b"words", b""])
    waiting = list(store.pending_texts(limit=9))
    assert [(text.namespace, text.text) for text in waiting] == [
        (LI, sample_memory("mem_1").stated),
        (WANG, sample_memory("mem_3", namespace=WANG, value="爱吃辣").stated),
        (LI, "my words"),
    ]
    assert store.pending_count() == 3
    assert list(store.pending_texts(limit=1, after=waiting[0].item)) == waiting[1:2]
    turn = waiting[2].item
    with store.writing(LI) as scope:
        for text in waiting[:3:2]:
            scope.put_vector(text.item, VECTOR)
        scope.put_vector(waiting[1].item, VECTOR)
    assert list(store.pending_texts(limit=9)) == waiting[1:2], "another namespace's item takes no vector"
    with store.reading(LI) as scope:
        found = scope.vectors([turn, waiting[1].item, 999])
        assert list(found) == [turn]
        np.testing.assert_array_equal(found[turn], VECTOR)
    with store.reading(WANG) as scope:
        assert scope.vectors([turn]) == {}
    with store.writing(LI) as scope:
        scope.replace_turn_words("s", 0, content="my […]", digest=None, terms=b"less")
    assert [text.text for text in store.pending_texts(limit=9)] == [
        sample_memory("mem_3", namespace=WANG, value="爱吃辣").stated,
        "my […]",
    ]
    with store.writing(LI) as scope:
        scope.replace_turn_words("s", 0, content="", digest="d", terms=b"")
        scope.put_vector(turn, VECTOR)
    assert [entry.vector for entry in entries(store) if entry.item == turn] == [None], "blanked words get no vector"


def test_a_write_sees_its_own_rows_but_the_indexes_see_committed_ones(store: RecordStore) -> None:
    put(store, sample_memory("mem_1"))
    with store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_2"), why="added", terms=b"x")
        scope.put_memory(replace(sample_memory("mem_1"), version=2), why="changed")
        assert scope.memory("mem_2") is not None
        assert scope.seq() == 1
        assert [(entry.seq, entry.terms) for entry in scope.changes(0, limit=9)] == [(1, b"vim")]
        scope.put_memory(replace(sample_memory("mem_2"), version=2), why="changed")
        assert [entry.seq for entry in scope.changes(0, limit=9)] == [1]
    assert [entry.seq for entry in entries(store)] == [3, 4]


def test_a_failed_write_leaves_nothing(store: RecordStore) -> None:
    put(store, sample_memory("mem_1"))

    def fail() -> None:
        with store.writing(LI) as scope:
            scope.put_memory(sample_memory("mem_2"), why="added", terms=b"x")
            scope.erase_memories(["mem_1"])
            scope.put_tombstones(["d"], at=SAMPLE_TIME)
            raise LookupError("a service gave up")

    with pytest.raises(LookupError, match="gave up"):
        fail()
    with store.reading(LI) as scope:
        assert scope.memories(["mem_1", "mem_2"]) == {"mem_1": sample_memory("mem_1")}
        assert scope.tombstoned(["d"]) == {}
        assert scope.seq() == 1


def test_a_reader_keeps_its_snapshot_while_others_write(store: RecordStore) -> None:
    put(store, sample_memory("mem_1"))
    with store.reading(LI) as before:
        put(store, sample_memory("mem_2"))
        with store.writing(LI) as scope:
            scope.erase_memories(["mem_1"])
        assert list(before.memories(["mem_1", "mem_2"])) == ["mem_1"]
        assert (before.seq(), len(before.changes(0, limit=9))) == (1, 1)
    with store.reading(LI) as after:
        assert list(after.memories(["mem_1", "mem_2"])) == ["mem_2"]


def test_a_scope_is_gone_when_it_closes(store: RecordStore) -> None:
    with store.reading(LI) as read, store.writing(LI) as write:
        pass
    for scope in (read, write):
        with pytest.raises(RuntimeError, match="closed"):
            scope.memory("mem_1")
        with pytest.raises(RuntimeError, match="closed"):
            scope.trace_ids()


def test_write_scopes_do_not_nest_in_one_thread(store: RecordStore) -> None:
    with store.writing(LI), pytest.raises(RuntimeError, match="nest"), store.writing(WANG):
        pass


def test_twenty_threads_write_and_every_row_is_there(store: RecordStore) -> None:
    def write(worker: int) -> None:
        for number in range(10):
            with store.writing(LI) as scope:
                last = scope.request("count")
                count = 1 if last is None else int(last.digest) + 1
                scope.put_request("count", StoredRequest(digest=str(count), outcome="", memory_id=""))
                scope.put_memory(sample_memory(f"mem_{worker:02d}_{number}"), why="added", terms=b"x")

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with store.reading(LI) as scope:
        assert scope.seq() == 200
        counted = scope.request("count")
        assert counted is not None
        assert counted.digest == "200"
        assert [entry.seq for entry in scope.changes(0, limit=999)] == list(range(1, 201))


def test_an_item_set_aside_waits_for_no_vector_until_its_words_change(store: RecordStore) -> None:
    with store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1"), why="added", terms=b"x")
        scope.put_session(sample_session("s", turn_count=1))
        scope.add_turns([sample_turn("s", 0, "hello")], terms=[b"x"])
    items = [each.item for each in store.pending_texts(limit=9)]
    with store.writing(LI) as scope:
        before = scope.seq()
        for item in (*items, 999):
            scope.set_aside(item)
    with store.reading(LI) as scope:
        assert scope.seq() == before
    assert (store.pending_count(), store.set_aside_count(), list(store.pending_texts(limit=9))) == (0, 2, [])
    with store.writing(LI) as scope:
        scope.replace_turn_words("s", 0, content="bye", digest=None, terms=b"y")
    assert (store.pending_count(), store.set_aside_count()) == (1, 1)
    with store.writing(LI) as scope:
        scope.drop_vectors()
    assert (store.pending_count(), store.set_aside_count()) == (2, 0)
    with store.writing(LI) as scope:
        for item in items:
            scope.set_aside(item)
        scope.put_vector(items[0], VECTOR)
        scope.erase_session("s")
    assert (store.pending_count(), store.set_aside_count()) == (0, 0)
