"""What every record store promises about the words it keeps beside memories and turns."""

from __future__ import annotations

from dataclasses import replace

from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Conflict
from hindsight.ports import RecordStore
from hindsight.testing import SAMPLE_TIME, sample_memory, sample_session, sample_turn

LI = Namespace("user/li")
WANG = Namespace("user/wang")


def two_conflicts(namespace: Namespace) -> list[Conflict]:
    return [
        Conflict(
            id=f"con_{n}",
            namespace=namespace,
            first="mem_1",
            second=f"mem_{n + 1}",
            question="?",
            opened_at=SAMPLE_TIME,
            open=n == 1,
        )
        for n in (1, 2)
    ]


def test_settled_conflicts_are_listed_beside_open_ones(store: RecordStore) -> None:
    both = two_conflicts(LI)
    with store.writing(LI) as scope:
        for n in (1, 2, 3):
            scope.put_memory(sample_memory(f"mem_{n}"), why="added", terms=b"x")
        for conflict in both:
            scope.put_conflict(conflict)
    with store.reading(LI) as scope:
        assert list(scope.conflicts()) == both
        assert list(scope.conflicts(["mem_3"])) == both[1:]
        assert list(scope.conflicts([])) == []
        assert list(scope.open_conflicts()) == both[:1]
    with store.reading(WANG) as scope:
        assert list(scope.conflicts()) == []


def test_reasons_of_versions_can_be_read_and_said_otherwise(store: RecordStore) -> None:
    for name in (LI, WANG):
        with store.writing(name) as scope:
            memory = sample_memory("mem_1", namespace=name)
            scope.put_memory(memory, why="added", terms=b"x")
            scope.put_memory(replace(memory, version=2), why="forgotten: 搬家了")
    with store.writing(LI) as scope:
        scope.replace_reason("mem_1", 2, "forgotten: ███")
        scope.replace_reason("mem_1", 3, "no such version")
        scope.replace_reason("mem_2", 1, "no such memory")
    with store.reading(LI) as scope:
        assert list(scope.reasons()) == [("mem_1", 1, "added"), ("mem_1", 2, "forgotten: ███")]
        assert [version.why for version in scope.versions("mem_1")] == ["added", "forgotten: ███"]
    with store.reading(WANG) as scope:
        assert list(scope.reasons()) == [("mem_1", 1, "added"), ("mem_1", 2, "forgotten: 搬家了")]


def test_served_text_is_forgotten_by_its_fingerprints(store: RecordStore) -> None:
    for name in (LI, WANG):
        with store.writing(name) as scope:
            scope.put_served([1, 2, (1 << 63) - 1], at=SAMPLE_TIME)
    with store.writing(LI) as scope:
        scope.drop_served([2, (1 << 63) - 1, 9])
        scope.drop_served([])
    with store.reading(LI) as scope:
        assert scope.served([1, 2, (1 << 63) - 1]) == {1}
    with store.reading(WANG) as scope:
        assert scope.served([1, 2]) == {1, 2}


def test_places_that_hold_words_are_counted_in_the_other_namespaces(store: RecordStore) -> None:
    for name, value, said in ((LI, "vim", "I use vim"), (WANG, "uses vim daily", "vim"), ("c", "emacs", "徐汇区")):
        with store.writing(Namespace(name)) as scope:
            scope.put_memory(sample_memory("mem_1", namespace=name, value=value), why="added", terms=b"x")
            scope.put_session(sample_session("s", turn_count=1))
            scope.add_turns([sample_turn("s", 0, said)], terms=[b"x"])
    assert store.places_holding(["vim"], outside=LI) == 2
    assert store.places_holding(["vim"], outside=LI, whole=True) == 1
    assert store.places_holding(["vim", "uses vim", "徐汇"], outside=LI) == 3
    assert store.places_holding(["vim"], outside=Namespace("new")) == 4
    assert store.places_holding([], outside=LI) == 0
