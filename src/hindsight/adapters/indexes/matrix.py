"""The vectors of one namespace as int8 rows, scanned whole and exactly.

The rows lie in blocks, so that growing copies none, and the blocks are shared out among threads. The
best so far decide what is looked at further: sorting a million scores would cost as much as the scan.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.rows import Allowed, RowNumbers, Rows
from hindsight.domain.errors import StateMismatch
from hindsight.ports import Vector

BLOCK_ROWS: Final = 65_536
THREADED_ROWS: Final = 2 * BLOCK_ROWS
"""Below this many rows a thread costs more to start than it saves."""
THREADS_MAX: Final = 8
SUBSET_SHARE: Final = 8
"""Where fewer than one row in this many is wanted, those rows are copied out and scanned alone."""
_ROWS_FIRST: Final = 256
_CHUNK_ROWS: Final = 16_384
_Int8Rows = NDArray[np.int8]  # (n, d)
Scores = NDArray[np.float32]  # (n,)


def _numkong() -> Any:
    """The fast kernels, or None on a platform without a wheel: numpy then does the same, slower."""
    try:
        import numkong
    except ImportError:
        return None
    return numkong


class Matrix:
    """One int8 row for each row of the namespace, with the factor that undoes its rounding.

    A row without a vector has NaN for a factor, so that no comparison ever finds it.
    """

    def __init__(self) -> None:
        self.dimension = 0
        self.blocks: list[_Int8Rows] = []
        self.factors: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self._kernels = _numkong()
        self._scanned: tuple[bytes, Scores] | None = None

    def restore(self, arrays: Mapping[str, NDArray[Any]], *, dimension: int) -> None:
        """Take the vectors of another index, in place of none."""
        self.dimension = dimension
        self.factors = arrays["factors"]
        count = sum(name.startswith("block-") for name in arrays)
        self.blocks = [arrays[f"block-{place}"] for place in range(count)]

    def reserve(self, rows: Rows) -> None:
        """Make room for every row there is room for, without vectors."""
        if len(self.factors) < rows.size:
            factors = np.full(rows.size, np.nan, dtype=np.float32)
            factors[: len(self.factors)] = self.factors
            self.factors = factors
        self._scanned = None

    def put(self, rows: RowNumbers, vectors: NDArray[np.float32]) -> None:
        """Set the vectors of *rows*. (k, d), of any length."""
        self._scanned = None
        if len(rows) == 0:
            return
        if self.dimension and vectors.shape[1] != self.dimension:
            raise StateMismatch(
                f"the store holds vectors of {self.dimension} and of {vectors.shape[1]} dimensions; "
                "run 'hindsight reembed'",
                code="dimension_mismatch",
            )
        self.dimension = vectors.shape[1]
        self._make_blocks(int(rows.max()) + 1)
        rounded, self.factors[rows] = _rounded(vectors)
        for number in _distinct(rows // BLOCK_ROWS):
            inside = rows // BLOCK_ROWS == number
            self.blocks[number][rows[inside] % BLOCK_ROWS] = rounded[inside]

    def remove(self, rows: RowNumbers) -> None:
        """Take the vectors of *rows* away."""
        self.factors[rows] = np.nan
        self._scanned = None

    def cosines(self, vector: Vector, rows: RowNumbers, count: int) -> Scores:
        """(k,) cosines of the given rows of *count*, from int8; NaN where a row has no vector."""
        if len(rows) == 0 or not self.dimension:
            return np.full(len(rows), np.nan, dtype=np.float32)
        self._check(vector)
        if self._scanned is not None and self._scanned[0] == vector.tobytes():
            return self._scanned[1][rows]
        if len(rows) * SUBSET_SHARE > count:
            return self.scan(vector, count)[rows]
        query, factor = _rounded(vector[np.newaxis, :])
        wanted = np.zeros((len(rows), self.dimension), dtype=np.int8)
        numbers = rows // BLOCK_ROWS
        for number in _distinct(numbers[rows < self._rows_made()]):
            inside = numbers == number
            places = rows[inside] % BLOCK_ROWS
            block = self.blocks[number]
            wanted[inside] = block[np.minimum(places, len(block) - 1)]
        return (self._dots(wanted, query) * self.factors[rows] * factor[0]).astype(np.float32)

    def scan(self, vector: Vector, count: int) -> Scores:
        """(count,) the cosine of every row, from int8; kept until something changes or another is asked."""
        if self._scanned is not None and self._scanned[0] == vector.tobytes():
            return self._scanned[1]
        self._check(vector)
        query, factor = _rounded(vector[np.newaxis, :])
        scores = np.full(count, np.nan, dtype=np.float32)
        workers = min(THREADS_MAX, os.cpu_count() or 1, len(self.blocks)) if count >= THREADED_ROWS else 1

        def share(first: int) -> None:
            for number in range(first, len(self.blocks), workers):
                start = number * BLOCK_ROWS
                end = min(start + len(self.blocks[number]), count)
                if end > start:
                    dots = self._dots(self.blocks[number][: end - start], query)
                    np.multiply(dots, self.factors[start:end] * factor[0], out=scores[start:end], casting="unsafe")

        threads = [threading.Thread(target=share, args=(first,)) for first in range(1, workers)]
        for thread in threads:
            thread.start()
        share(0)
        for thread in threads:
            thread.join()
        self._scanned = (vector.tobytes(), scores)
        return scores

    def nearest(self, vector: Vector, rows: Rows, allowed: Allowed, limit: int) -> tuple[RowNumbers, Scores]:
        """The nearest *limit* rows of the allowed classes, and all that tie with the last; in no order."""
        if not self.dimension:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
        wanted = int(rows.in_class[allowed].sum())
        if wanted * SUBSET_SHARE < rows.count:
            inside = np.flatnonzero(allowed[rows.classes[: rows.count]]).astype(np.int32)
            return _best(inside, self.cosines(vector, inside, rows.count), limit)
        scores = self.scan(vector, rows.count)
        everything = rows.all_allowed(allowed)
        kept, best = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
        floor = np.float32(-np.inf)
        for start in range(0, rows.count, BLOCK_ROWS):
            near = (np.flatnonzero(scores[start : start + BLOCK_ROWS] >= floor) + start).astype(np.int32)
            if not everything:
                near = near[allowed[rows.classes[near]]]
            kept, best = _best(np.concatenate((kept, near)), np.concatenate((best, scores[near])), limit)
            if len(best) >= limit:
                floor = best.min()
        return kept, best

    def _check(self, vector: Vector) -> None:
        if len(vector) != self.dimension:
            raise StateMismatch(
                f"the store's vectors have {self.dimension} dimensions and the embedder's {len(vector)}; "
                "run 'hindsight reembed'",
                code="dimension_mismatch",
            )

    def _rows_made(self) -> int:
        return (len(self.blocks) - 1) * BLOCK_ROWS + len(self.blocks[-1]) if self.blocks else 0

    def _make_blocks(self, count: int) -> None:
        """Rows for at least *count*: the only block of a small namespace grows, later ones come whole."""
        while self._rows_made() < count:
            if not self.blocks or len(self.blocks[-1]) == BLOCK_ROWS:
                whole = bool(self.blocks)
                self.blocks.append(np.zeros((BLOCK_ROWS if whole else _ROWS_FIRST, self.dimension), dtype=np.int8))
            else:
                block = self.blocks[-1]
                larger = np.zeros((min(2 * len(block), BLOCK_ROWS), self.dimension), dtype=np.int8)
                larger[: len(block)] = block
                self.blocks[-1] = larger

    def _dots(self, matrix: _Int8Rows, query: _Int8Rows) -> NDArray[np.float64]:
        """(n, d) x (1, d) -> (n,), whole numbers."""
        if self._kernels is not None:
            return np.asarray(self._kernels.cdist(matrix, query, "inner"), dtype=np.float64).reshape(-1)
        wide = query[0].astype(np.float32)
        parts = [
            matrix[start : start + _CHUNK_ROWS].astype(np.float32) @ wide
            for start in range(0, len(matrix), _CHUNK_ROWS)
        ]
        return np.concatenate(parts).astype(np.float64)


def stacked(blobs: Sequence[bytes]) -> NDArray[np.float32]:
    """(k, d) float32 of stored vectors, which are all of one dimension.

    Raises:
        StateMismatch: They are not.
    """
    sizes = {len(blob) for blob in blobs}
    if len(sizes) > 1:
        dimensions = " and of ".join(str(size // 4) for size in sorted(sizes))
        raise StateMismatch(
            f"the store holds vectors of {dimensions} dimensions; run 'hindsight reembed'", code="dimension_mismatch"
        )
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1)


def _distinct(numbers: RowNumbers) -> list[int]:
    return [int(number) for number in np.unique(numbers)]


def _best(rows: RowNumbers, scores: Scores, limit: int) -> tuple[RowNumbers, Scores]:
    """Those of the *limit* highest scores, and all that tie with the last of them; NaN is never one."""
    there = scores == scores
    if not there.all():
        rows, scores = rows[there], scores[there]
    if len(scores) > limit:
        # All that tie with the last place stay in, so that the item decides and not the row.
        high = scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit]
        return rows[high], scores[high]
    return rows, scores


def _rounded(vectors: NDArray[np.float32]) -> tuple[_Int8Rows, NDArray[np.float32]]:
    """(n, d) float32 -> (n, d) int8 that fills its range, and (n,) factors back."""
    factors = np.abs(vectors).max(axis=1) / 127.0
    factors[factors == 0.0] = 1.0
    return np.rint(vectors / factors[:, np.newaxis]).astype(np.int8), factors.astype(np.float32)
