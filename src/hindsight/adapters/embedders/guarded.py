"""An embedder whose every failure is the service's own error.

An embedder may be the caller's code or any library's: what it raises and what it returns is not known
here. Wrapping it once was chosen over catching everything wherever vectors are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hindsight.domain.errors import BackendUnavailable, HindsightError
from hindsight.domain.memory import Language
from hindsight.ports import Embedder, Vectors


class GuardedEmbedder:
    """Another embedder behind the promise of the port: vectors of its shape, or `BackendUnavailable`."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The other's name."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """The other's dimension."""
        return self._inner.dimension

    def queries(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d) float32, unit rows, as search queries."""
        return self._checked(self._inner.queries, texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d) float32, unit rows, as texts to be found."""
        return self._checked(self._inner.passages, texts)

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        """The other's calibrated similarity."""
        return self._inner.similarity(cosine, first, second)

    def _checked(self, make: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> Vectors:
        try:
            vectors = np.asarray(make(texts), dtype=np.float32)  # (n, d)
        except HindsightError:
            raise
        except Exception as exc:
            raise self._failed(len(texts), f"it raised {type(exc).__name__}") from exc
        if vectors.shape != (len(texts), self.dimension):
            raise self._failed(len(texts), f"it answered with an array of shape {vectors.shape}")
        if not bool(np.isfinite(vectors).all()):
            raise self._failed(len(texts), "it answered with something that is no finite number")
        return vectors

    def _failed(self, count: int, how: str) -> BackendUnavailable:
        return BackendUnavailable(
            f"the embedder {self.name!r} failed on {count} texts: {how}; see its own messages", code="embedder_failed"
        )
