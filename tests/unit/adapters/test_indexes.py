"""The indexes in memory: they follow the store, count only what may be seen, and are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from hindsight.adapters.indexes import matrix as matrix_module
from hindsight.adapters.indexes.text import RamTextIndex
from hindsight.adapters.indexes.vector import RamVectorIndex
from hindsight.domain.namespace import Namespace
from hindsight.language import terms
from hindsight.ports import Eligible, ItemId
from hindsight.testing import HashEmbedder, InMemoryStore, sample_memory, sample_session, sample_turn

NS = Namespace("user/li")
EMBEDDER = HashEmbedder()
SEEN = Eligible(kinds=frozenset({"memory", "turn"}), statuses=frozenset({"active"}), trusts=frozenset({"trusted"}))
VALUES = ["keeps two budgerigars", "plays the cello on Sundays", "会做红烧肉", "cello strings were replaced"]


def put(store: InMemoryStore, values: Sequence[str], *, first: int = 1, namespace: str = NS, **changes: object) -> None:
    with store.writing(Namespace(namespace)) as scope:
        for number, value in enumerate(values, first):
            memory = sample_memory(
                f"mem_{namespace}_{number:04d}", namespace=namespace, key=f"slot_{number}", value=value
            )
            scope.put_memory(
                replace(memory, **changes),  # pyright: ignore[reportArgumentType]
                why="test",
                terms=terms.pack(value),
                vector=EMBEDDER.passages([value])[0],
            )


def found(index: RamTextIndex, store: InMemoryStore, query: str, *, eligible: Eligible = SEEN) -> list[str]:
    with store.reading(NS) as scope:
        matches = index.search(scope, query, eligible=eligible, limit=50)
        best = sorted(matches.scores, key=lambda item: (-matches.scores[item], item))
        values = {item: memory.value for item, memory in scope.memories_of(best).items()}
        return [values[item] for item in best]


def scores(index: RamTextIndex, store: InMemoryStore, query: str) -> dict[ItemId, float]:
    with store.reading(NS) as scope:
        return dict(index.search(scope, query, eligible=SEEN, limit=50).scores)


def nearest(index: RamVectorIndex, store: InMemoryStore, query: str, *, limit: int = 50) -> list[tuple[ItemId, float]]:
    with store.reading(NS) as scope:
        return list(index.search(scope, EMBEDDER.queries([query])[0], eligible=SEEN, limit=limit))


def test_what_is_written_is_found_at_once_and_what_is_erased_never_again() -> None:
    store, index, vectors = InMemoryStore(), RamTextIndex(), RamVectorIndex()
    put(store, VALUES[:2])
    assert found(index, store, "cello") == [VALUES[1]]
    put(store, VALUES[2:], first=3)
    assert set(found(index, store, "cello")) == {VALUES[1], VALUES[3]}
    assert found(index, store, "红烧肉") == [VALUES[2]]
    assert len(nearest(vectors, store, "cello")) == 4
    with store.writing(NS) as scope:
        scope.erase_memories([sample_memory(f"mem_{NS}_0002").id])
    assert found(index, store, "cello") == [VALUES[3]]
    assert len(nearest(vectors, store, "cello")) == 3


@pytest.mark.parametrize("hidden", [{"status": "archived"}, {"trust": "untrusted"}, {"status": "quarantined"}])
def test_what_may_not_be_seen_moves_no_score(hidden: dict[str, object]) -> None:
    store, index = InMemoryStore(), RamTextIndex()
    put(store, VALUES)
    before = scores(index, store, "the cello")
    put(store, ["cello cello cello " * 9] * 5, first=100, **hidden)
    assert scores(index, store, "the cello") == before


def test_another_namespace_moves_no_score() -> None:
    store, index = InMemoryStore(), RamTextIndex()
    put(store, VALUES)
    before = scores(index, store, "cello")
    put(store, ["cello and more cello"] * 7, namespace="user/li2")
    assert scores(index, store, "cello") == before


def test_a_hundred_hidden_copies_do_not_push_out_the_one_that_may_be_seen() -> None:
    store, index, vectors = InMemoryStore(), RamTextIndex(), RamVectorIndex()
    put(store, ["cello strings"] * 100, status="archived")
    put(store, ["cello strings"], first=500)
    with store.reading(NS) as scope:
        text = index.search(scope, "cello strings", eligible=SEEN, limit=1)
        (near,) = vectors.search(scope, EMBEDDER.queries(["cello"])[0], eligible=SEEN, limit=1)
        assert list(text.scores) == [near[0]]
        assert scope.memories_of([near[0]])[near[0]].status == "active"


def test_an_index_grown_step_by_step_equals_one_built_at_once() -> None:
    store, grown = InMemoryStore(), RamTextIndex()
    for number in range(60):
        put(store, [f"{VALUES[number % 4]} entry {number}"], first=number)
        scores(grown, store, "cello")
    with store.writing(NS) as scope:
        scope.erase_memories([sample_memory(f"mem_{NS}_0001").id])
    assert scores(grown, store, "cello entry 7") == scores(RamTextIndex(), store, "cello entry 7")


def put_talk(store: InMemoryStore, words: Sequence[str], names: Sequence[str]) -> None:
    with store.writing(NS) as scope:
        scope.put_session(sample_session("s", turn_count=len(words)))
        turns = [replace(sample_turn("s", i, w), name=n) for i, (w, n) in enumerate(zip(words, names, strict=True))]
        scope.add_turns(turns, terms=[terms.pack(w) for w in words])


def found_at(store: InMemoryStore, index: RamTextIndex, words: str) -> dict[int, float]:
    """The scores by the turns' places in their session."""
    with store.reading(NS) as scope:
        matches = index.search(scope, words, eligible=SEEN, limit=9).scores
        return {scope.turns_of([item])[item].index: score for item, score in matches.items()}


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (["Where is the accordion?", "In the attic.", "Fine.", "Bye.", "See you."], "accordion"),
        (["手风琴放在哪儿？", "阁楼上。", "好的。", "回头见。", "再见。"], "手风琴"),
    ],
)
def test_in_talk_a_turn_is_also_found_by_the_turns_around_it_but_less(words: list[str], query: str) -> None:
    store, index = InMemoryStore(), RamTextIndex()
    put_talk(store, words, ["Nell", "Otto"] * 2 + ["Nell"])
    found = found_at(store, index, query)
    assert set(found) == {0, 1, 2}
    assert max(found, key=found.__getitem__) == 0


def test_what_one_voice_notes_down_in_a_row_is_found_by_its_own_words_only() -> None:
    store, index = InMemoryStore(), RamTextIndex()
    put_talk(store, ["Paid 40 for the accordion.", "Dentist at nine.", "Ferry to Kiel."], ["Nell"] * 3)
    assert set(found_at(store, index, "accordion")) == {0}


def test_a_turn_hears_nothing_from_behind_a_second_turn_of_its_own_voice() -> None:
    store, index = InMemoryStore(), RamTextIndex()
    put_talk(store, ["An accordion?", "Yes.", "Yes, really.", "Oh."], ["Nell", "Otto", "Otto", "Nell"])
    assert set(found_at(store, index, "accordion")) == {0, 1}


def test_scores_of_given_items_are_those_of_the_search() -> None:
    store, index = InMemoryStore(), RamTextIndex()
    put(store, VALUES)
    searched = scores(index, store, "cello strings")
    with store.reading(NS) as scope:
        asked = np.array([*sorted(searched), 999])
        given = index.scores(scope, "cello strings", eligible=SEEN, items=asked)
    assert given.tolist() == [*(searched[item] for item in sorted(searched)), 0.0]


@pytest.mark.parametrize("kernels", ["numkong", "numpy"])
def test_the_nearest_are_those_of_a_plain_search_in_float32(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kernels == "numpy":
        monkeypatch.setattr(matrix_module, "_numkong", lambda: None)
    store, index = InMemoryStore(), RamVectorIndex()
    values = [f"{VALUES[i % 4]} number {i * 7 % 31} of {i}" for i in range(300)]
    put(store, values)
    query = EMBEDDER.queries(["cello number 14"])[0]
    expected = np.sort(EMBEDDER.passages(values) @ query)[::-1][:20]
    cosines = [cosine for _, cosine in nearest(index, store, "cello number 14", limit=20)]
    np.testing.assert_allclose(cosines, expected, atol=1e-5)
    with store.reading(NS) as scope:
        items = [item for item, _ in nearest(index, store, "cello number 14", limit=200)]
        rough = dict(zip(items, index.cosines(scope, query, items=np.array(items)), strict=True))
        exact = dict(nearest(index, store, "cello number 14", limit=200))
    assert max(abs(rough[item] - exact[item]) for item in items) < 0.01


def test_equal_vectors_come_in_the_order_of_their_items() -> None:
    store, index = InMemoryStore(), RamVectorIndex()
    put(store, ["the very same words"] * 80)
    items = [item for item, _ in nearest(index, store, "very same", limit=10)]
    assert items == sorted(items)
    with store.reading(NS) as scope:
        assert items[0] == min(entry.item for entry in scope.changes(0, limit=1_000))


def test_only_the_given_items_are_searched_and_counted() -> None:
    store, index = InMemoryStore(), RamTextIndex()
    put(store, VALUES)
    everything = scores(index, store, "cello")
    chosen = min(everything)
    narrow = replace(SEEN, only=frozenset({chosen}))
    with store.reading(NS) as scope:
        assert set(index.search(scope, "cello", eligible=narrow, limit=9).scores) == {chosen}


def test_an_empty_namespace_and_an_empty_question_find_nothing() -> None:
    store, index, vectors = InMemoryStore(), RamTextIndex(), RamVectorIndex()
    assert found(index, store, "cello") == []
    assert nearest(vectors, store, "cello") == []
    put(store, VALUES)
    assert found(index, store, "。") == []


def test_many_changes_of_one_item_leave_one_row_and_the_same_answer() -> None:
    store, index = InMemoryStore(), RamTextIndex()
    put(store, VALUES)
    before = scores(index, store, "cello")
    for _ in range(40):
        with store.writing(NS) as scope:
            memory = scope.memory(sample_memory(f"mem_{NS}_0002").id)
            assert memory is not None
            scope.put_memory(replace(memory, version=memory.version + 1), why="verified")
        assert scores(index, store, "cello") == before
