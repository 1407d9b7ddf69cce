"""What every record store promises about memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from hindsight.domain.errors import InvalidRequest, StateMismatch
from hindsight.domain.memory import Memory
from hindsight.domain.namespace import Namespace
from hindsight.ports import RecordStore
from hindsight.testing import SAMPLE_TIME, sample_evidence, sample_memory

LI = Namespace("user/li")
HOUR = timedelta(hours=1)


def put(store: RecordStore, *memories: Memory) -> None:
    for memory in memories:
        with store.writing(memory.namespace) as scope:
            scope.put_memory(memory, why="added", terms=b"words")


def test_a_memory_comes_back_with_every_field_as_it_was(store: RecordStore) -> None:
    memory = Memory(
        id="mem_1",
        namespace=LI,
        key="过敏_青霉素\x00'\"",
        value="对青霉素过敏 🤧\n第二行",
        category="identity",
        language="zh",
        origin="document",
        trust="untrusted",
        confidence=0.123456789,
        status="quarantined",
        created_at=SAMPLE_TIME,
        updated_at=SAMPLE_TIME + HOUR,
        verified_at=SAMPLE_TIME - HOUR,
        source="intake form",
        writer="key_7",
        locator="file:///form.pdf",
        evidence=(
            sample_evidence("s 1", 3, "我对青霉素过敏"),
            replace(sample_evidence("s 2", 0, "penicillin, no"), origin="document", turn_id="t-9"),
        ),
        valid_from=datetime(1990, 1, 1, tzinfo=UTC),
        valid_to=datetime(2100, 1, 1, tzinfo=UTC),
        ttl_days=12.5,
        disputed_by=("mem_2", "mem_3"),
        superseded_by="mem_4",
        merged_from=("mem_5",),
        endorsed_from="tool",
        made_by="rules/3",
        version=4,
    )
    put(store, memory)
    with store.reading(LI) as scope:
        assert scope.memory("mem_1") == memory
        [version] = scope.versions("mem_1")
        assert (version.memory, version.recorded_at, version.why) == (memory, memory.updated_at, "added")
        item = scope.items_of(["mem_1"])["mem_1"]
        assert scope.memories_of([item]) == {item: memory}
        assert scope.memories(["mem_1", "mem_none"]) == {"mem_1": memory}
        assert scope.memory("mem_none") is None
        assert scope.versions("mem_none") == []


def test_a_derived_stale_status_is_never_stored(store: RecordStore) -> None:
    put(store, replace(sample_memory("mem_1"), status="stale", freshness=0.2))
    with store.reading(LI) as scope:
        memory = scope.memory("mem_1")
    assert memory is not None
    assert (memory.status, memory.freshness) == ("active", 1.0)


def test_each_change_appends_a_version_that_keeps_what_it_knew(store: RecordStore) -> None:
    first = sample_memory("mem_1", evidence=[sample_evidence("s", 0, "I use Vim")])
    second = replace(
        first,
        version=2,
        updated_at=SAMPLE_TIME + HOUR,
        confidence=0.95,
        evidence=(*first.evidence, sample_evidence("s", 4, "still Vim", at=SAMPLE_TIME + HOUR)),
    )
    third = replace(second, version=3, updated_at=SAMPLE_TIME + 2 * HOUR, status="archived")
    put(store, first, second, third)
    with store.reading(LI) as scope:
        assert scope.memory("mem_1") == third
        assert [version.memory for version in scope.versions("mem_1")] == [first, second, third]
        item = scope.items_of(["mem_1"])["mem_1"]
        assert scope.memories_as_of(SAMPLE_TIME - HOUR) == {}
        assert scope.memories_as_of(SAMPLE_TIME) == {item: first}
        assert scope.memories_as_of(SAMPLE_TIME + HOUR + HOUR / 2) == {item: second}
        assert scope.memories_as_of(SAMPLE_TIME + 3 * HOUR) == {item: third}


def test_evidence_that_is_taken_away_leaves_earlier_versions_too(store: RecordStore) -> None:
    kept, taken = sample_evidence("s", 0, "I use Vim"), sample_evidence("t", 1, "Vim it is")
    first = sample_memory("mem_1", evidence=[taken, kept])
    put(store, first, replace(first, version=2, evidence=(kept,)))
    with store.reading(LI) as scope:
        assert [version.memory.evidence for version in scope.versions("mem_1")] == [(kept,), (kept,)]
        assert scope.memories_on_session("t") == []
        assert [memory.id for memory in scope.memories_on_session("s")] == ["mem_1"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"version": 1}, StateMismatch),
        ({"version": 2, "value": "Prefers Emacs"}, StateMismatch),
        ({"version": 2, "key": "shell"}, StateMismatch),
        ({"version": 2, "namespace": "user/wang"}, InvalidRequest),
    ],
)
def test_a_change_that_does_not_follow_is_refused_and_changes_nothing(
    store: RecordStore, change: dict[str, object], error: type[Exception]
) -> None:
    memory = sample_memory("mem_1")
    put(store, memory)
    with pytest.raises(error), store.writing(LI) as scope:
        scope.put_memory(replace(memory, **change), why="changed")
    with store.reading(LI) as scope:
        assert scope.memory("mem_1") == memory
        assert len(scope.versions("mem_1")) == 1
        assert scope.seq() == 1


def test_a_new_memory_must_bring_its_terms(store: RecordStore) -> None:
    with pytest.raises(InvalidRequest, match="terms"), store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1"), why="added")


@pytest.mark.parametrize("vector", [np.zeros((2, 2)), np.array([np.nan, 1.0]), np.zeros(0)])
def test_a_vector_that_is_none_is_refused(store: RecordStore, vector: np.ndarray) -> None:
    with pytest.raises(InvalidRequest, match="vector"), store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1"), why="added", terms=b"x", vector=vector.astype(np.float32))


def test_memories_with_a_key_are_the_active_ones_under_exactly_it(store: RecordStore) -> None:
    put(
        store,
        sample_memory("mem_2", key="diet", at=SAMPLE_TIME + HOUR),
        sample_memory("mem_1", key="diet", at=SAMPLE_TIME + HOUR),
        sample_memory("mem_3", key="diet"),
        sample_memory("mem_4", key="Diet"),
        sample_memory("mem_5", key="diet "),
        replace(sample_memory("mem_6", key="diet"), status="archived"),
        replace(sample_memory("mem_7", key="diet"), status="quarantined"),
        sample_memory("mem_8", key="diet", namespace="user/wang"),
    )
    with store.reading(LI) as scope:
        assert [memory.id for memory in scope.memories_with_key("diet")] == ["mem_3", "mem_1", "mem_2"]


def test_pages_run_from_the_newest_id_down_and_skip_what_was_not_asked_for(store: RecordStore) -> None:
    put(store, *(sample_memory(f"mem_{number}") for number in range(6)))
    put(store, replace(sample_memory("mem_3"), version=2, status="archived"))
    put(store, replace(sample_memory("mem_4"), version=2, trust="untrusted"))
    with store.reading(LI) as scope:

        def page(limit: int, after: str | None) -> list[str]:
            found = scope.memory_page(statuses=["active"], trusts=["trusted"], limit=limit, after=after)
            return [memory.id for memory in found]

        assert page(2, None) == ["mem_5", "mem_2"]
        assert page(2, "mem_2") == ["mem_1", "mem_0"]
        assert page(2, "mem_0") == []
        assert scope.memory_page(statuses=[], trusts=["trusted"], limit=9, after=None) == []
        archived = scope.memory_page(statuses={"archived"}, trusts={"trusted"}, limit=9, after=None)
        assert [memory.id for memory in archived] == ["mem_3"]


def test_thousands_of_ids_can_be_asked_for_at_once(store: RecordStore) -> None:
    put(store, sample_memory("mem_1"))
    ids = [f"mem_{number}" for number in range(40_000)]
    with store.reading(LI) as scope:
        assert list(scope.memories(ids)) == ["mem_1"]
        assert len(scope.memories_of(list(range(40_000)))) == 1
        assert len(scope.memories_of(list(np.arange(5)))) == 1
