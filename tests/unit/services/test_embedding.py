"""A text that the embedder fails on costs that text its vector, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import hindsight
from hindsight import Hindsight, bootstrap
from hindsight.adapters.embedders.guarded import GuardedEmbedder
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.errors import BackendUnavailable
from hindsight.ports import EMBEDDER_FAILED, Vectors
from hindsight.settings import Settings
from hindsight.testing import FrozenClock, HashEmbedder, InMemoryStore

NS = "user/zhang-san"
QUIET = {"look_back.worker": False}


class FussyEmbedder(HashEmbedder):
    """Fails in one of several ways on every text that holds ``poison``."""

    def __init__(self, how: str, *, poison: str = "☠") -> None:
        super().__init__()
        self.how, self.poison = how, poison

    def passages(self, texts: Sequence[str]) -> Vectors:
        vectors = super().passages(texts)
        bad = [row for row, text in enumerate(texts) if self.poison in text]
        if bad and self.how == "raises":
            raise ValueError("input is too odd")
        if bad and self.how == "nan":
            vectors[bad] = np.nan
        return vectors[: len(vectors) - len(bad)] if self.how == "short" else vectors


@pytest.fixture(params=["sqlite", "memory"])
def opened(request: pytest.FixtureRequest, home: Path, clock: FrozenClock) -> Iterator[tuple[Hindsight, FussyEmbedder]]:
    store = SqliteStore.open(home) if request.param == "sqlite" else InMemoryStore()
    fussy = FussyEmbedder("raises")
    with bootstrap._wire(home, store, GuardedEmbedder(fussy), clock, Settings.load(home, QUIET)) as hs:
        yield hs, fussy


@pytest.mark.parametrize("how", ["raises", "nan", "short"])
@pytest.mark.parametrize("words", ["the heron code is 5571", "苍鹭的代码是五五七一"])
def test_one_bad_text_is_set_aside_and_the_rest_goes_on(
    opened: tuple[Hindsight, FussyEmbedder], how: str, words: str
) -> None:
    hs, fussy = opened
    fussy.how = how
    bad = hs.write(NS, key="heron_code", value=f"{words} ☠", origin="user").memory
    hs.observe(NS, "s", [{"role": "user", "content": f"{n} bees and {n + 1} quinces"} for n in range(40)])
    hs.wait(timeout_s=20)
    assert hs.pending() == type(hs.pending())(jobs=0, texts=0, set_aside=1)
    assert [hit.memory.id for hit in hs.search(words, namespace=NS) if hit.memory] == [bad.id]
    with hs._core.store.reading(NS) as scope:
        items = list(scope.turn_items("s", first=0, end=40).values())
        assert len(scope.vectors(items)) == 40


def test_a_text_set_aside_is_tried_again_once_its_words_change_or_the_vectors_are_dropped(
    opened: tuple[Hindsight, FussyEmbedder],
) -> None:
    hs, fussy = opened
    hs.observe(NS, "s", [{"role": "user", "content": "I keep bees ☠ in Drenthe."}])
    hs.observe("other", "s", [{"role": "user", "content": "☠ and quinces."}])
    hs.wait(timeout_s=20)
    assert hs.pending().set_aside == 2
    memory = hs.write(NS, key="sought_sign", value="☠ in Drenthe", origin="user").memory
    hs.erase(namespace=NS, memory_id=memory.id)
    hs.wait(timeout_s=20)
    assert hs.pending().set_aside == 1
    fussy.poison = "nothing is fussed about"
    from hindsight.services.embedding import drop_vectors, embed_pending

    drop_vectors(hs._core)
    assert embed_pending(hs._core) == 2
    assert hs.pending().set_aside == hs.pending().texts == 0


def test_an_embedder_that_fails_on_everything_sets_nothing_aside(opened: tuple[Hindsight, FussyEmbedder]) -> None:
    hs, fussy = opened
    fussy.poison = ""
    hs.write(NS, key="heron_code", value="the heron code is 5571", origin="user")
    assert hs.search("heron code", namespace=NS).hits
    with pytest.raises(BackendUnavailable):
        hs.wait(timeout_s=0.1)
    assert (hs.pending().texts, hs.pending().set_aside) == (1, 0)
    fussy.poison = "☠"
    hs.wait(timeout_s=20)
    assert hs.pending().texts == 0


def test_a_look_back_and_a_search_survive_an_embedder_that_raises(opened: tuple[Hindsight, FussyEmbedder]) -> None:
    hs, _ = opened
    hs.observe(NS, "s", [{"role": "user", "content": "I live in Leiden ☠."}], end=True)
    hs.wait(timeout_s=20)
    assert [job.state for job in hs.jobs(NS)] == ["done"]
    assert "vectors" in hs.search("Leiden ☠", namespace=NS).degraded
    assert hs.search("Leiden ☠", namespace=NS, min_relevance=0).hits


def test_what_a_callers_own_embedder_raises_never_comes_out(home: Path) -> None:
    with hindsight.open(home, embedder=FussyEmbedder("raises"), settings=QUIET) as hs:
        hs.write(NS, key="heron_code", value="the heron code ☠ is 5571", origin="user")
        hs.wait(timeout_s=20)
        assert hs.pending().set_aside == 1
    calm = HashEmbedder()
    assert hindsight.reembed(home, embedder=calm, settings=QUIET) == 1
    with hindsight.open(home, embedder=calm, settings=QUIET) as hs:
        assert hs.pending().set_aside == 0


def test_a_guarded_embedder_says_what_was_wrong() -> None:
    guarded = GuardedEmbedder(FussyEmbedder("raises"))
    assert (guarded.name, guarded.dimension) == ("hash-256", 256)
    assert np.array_equal(guarded.passages(["a", "b"]), HashEmbedder().passages(["a", "b"]))
    with pytest.raises(BackendUnavailable, match="ValueError") as caught:
        guarded.passages(["☠"])
    assert caught.value.code == EMBEDDER_FAILED
