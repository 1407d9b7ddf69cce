from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import hindsight
from hindsight.ports import Vectors
from hindsight.testing import HashEmbedder

NS = "user/zhang-san"
QUIET = {"look_back.worker": False}


def test_another_embedder_is_refused_with_both_names_and_the_command(home: Path) -> None:
    with hindsight.open(home, embedder=HashEmbedder(dimension=384), settings=QUIET) as hs:
        hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user")
    with pytest.raises(hindsight.StateMismatch) as caught:
        hindsight.open(home, embedder=HashEmbedder(dimension=1024), settings=QUIET)
    assert caught.value.code == "embedder_mismatch"
    for part in ("384 dimensions", "1024 dimensions", "hindsight reembed"):
        assert part in str(caught.value)


def test_words_still_find_what_another_embedder_made(home: Path) -> None:
    with hindsight.open(home, embedder=HashEmbedder(dimension=384), settings=QUIET) as hs:
        hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user")
    with hindsight.open(home, embedder="none", settings=QUIET) as hs:
        found = hs.search("Hangzhou", namespace=NS)
        assert [hit.text for hit in found] == ["The user lives in Hangzhou."]
        assert found.degraded == ("vectors",)


def test_reembedding_moves_every_vector(home: Path) -> None:
    with hindsight.open(home, embedder=HashEmbedder(dimension=384), settings=QUIET) as hs:
        hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user")
        hs.observe("b", "s", [{"role": "user", "content": "The heron code is 5571."}])
        hs.wait()
    wider = HashEmbedder(dimension=1024)
    done: list[tuple[int, ...]] = []
    assert hindsight.reembed(home, embedder=wider, settings=QUIET, progress=lambda *told: done.append(told)) == 2
    with hindsight.open(home, embedder=wider, settings=QUIET) as hs:
        assert hs.pending().texts == 0
        assert hs.search("where does the user live Hangzhou", namespace=NS).degraded == ()
        assert hs.search("heron code", namespace="b").hits


class ChangingEmbedder(HashEmbedder):
    """Stands for an address: what answers there may become another model while a home is open."""

    def __init__(self) -> None:
        super().__init__(dimension=384)
        self.now = HashEmbedder(dimension=384)

    @property
    def name(self) -> str:
        return self.now.name

    @property
    def dimension(self) -> int:
        return self.now.dimension

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self.now.passages(texts)


def test_a_question_asked_before_a_move_is_embedded_anew_after_it(home: Path) -> None:
    changing = ChangingEmbedder()
    with hindsight.open(home, embedder=changing, settings=QUIET) as hs:
        hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user")
        assert hs.search("lives in Hangzhou", namespace=NS).degraded == ()
        changing.now = HashEmbedder(dimension=1024)
        assert hs.search("lives in Hangzhou", namespace=NS).degraded == ("vectors",)
        hindsight.reembed(home, embedder=changing, settings=QUIET)
        again = hs.search("lives in Hangzhou", namespace=NS)
        assert again.degraded == ()
        assert [hit.text for hit in again] == ["The user lives in Hangzhou."]
