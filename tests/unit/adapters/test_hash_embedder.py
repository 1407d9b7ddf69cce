"""The embedder that tests use: unit rows, the same on every machine, nearer where words are shared."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hindsight.testing import HashEmbedder

EMBEDDER = HashEmbedder()


@given(st.lists(st.text(), max_size=5))
def test_every_text_becomes_a_unit_row(texts: list[str]) -> None:
    vectors = EMBEDDER.passages(texts)
    assert vectors.shape == (len(texts), EMBEDDER.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(vectors, EMBEDDER.queries(texts))


def test_shared_words_make_texts_near_in_both_languages() -> None:
    texts = ["likes green tea", "Green Tea, please", "drives a truck", "爱喝绿茶", "绿茶最好喝", "开卡车"]
    vectors = EMBEDDER.passages(texts)
    cosines = vectors @ vectors.T  # (n, d) x (d, n) -> (n, n)
    assert cosines[0, 1] > 0.5 > cosines[0, 2]
    assert cosines[3, 4] > 0.2 > cosines[3, 5]


def test_the_space_never_changes() -> None:
    [vector] = HashEmbedder(dimension=8).passages(["green tea 绿茶"])
    np.testing.assert_allclose(vector, EXPECTED, atol=1e-6)


def test_similarity_is_the_cosine_cut_to_its_range() -> None:
    assert [EMBEDDER.similarity(cosine, "zh", "en") for cosine in (-0.5, 0.25, 1.5)] == [0.0, 0.25, 1.0]
    assert EMBEDDER.name == "hash-256"


EXPECTED = [0.0, 0.5, 0.5, -0.5, 0.0, 0.0, 0.0, -0.5]
