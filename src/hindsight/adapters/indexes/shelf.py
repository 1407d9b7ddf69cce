"""Each namespace's index in memory: built from the store's changes, caught up before use, shared by threads.

One index holds rows, postings and vectors together, so that each change is read once and a search can
go from a word or a vector to facets without asking the store. What is not wanted (postings beside another
keyword index, vectors beside a vector server) is not built.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.bm25 import Scorer, Scratch
from hindsight.adapters.indexes.heard import Heard
from hindsight.adapters.indexes.matrix import Matrix, stacked
from hindsight.adapters.indexes.postings import Postings
from hindsight.adapters.indexes.rows import RowNumbers, Rows
from hindsight.domain.namespace import Namespace
from hindsight.ports import ReadScope
from hindsight.ports.changes import Changes, Facets

CHANGES_PER_PAGE: Final = 5_000
ROWS_CACHED_MAX: Final = 2_000_000
"""Rows kept over all namespaces: about 1.2 GB."""


class NamespaceIndex:
    """All that is kept in memory of one namespace, as of ``seq``."""

    def __init__(self, *, texts: bool = True, vectors: bool = True) -> None:
        self.seq = 0
        self.rows = Rows()
        self.postings = Postings() if texts else None
        self.matrix = Matrix() if vectors else None
        self.heard = Heard(self.rows)
        self.edition = 0
        self.scratch = Scratch()
        self.scorer: tuple[object, Scorer] | None = None
        self._speaker_codes: dict[str, int] = {}

    def apply(self, changes: Changes) -> None:
        """Take in changed items, in order."""
        self.edition += 1
        self.scorer = None
        facets = self._named(changes)
        known = self.rows.of(np.ascontiguousarray(facets["item"]))
        digests = np.array([zlib.crc32(blob) for blob in changes.terms], dtype=np.uint32)
        there = ~facets["deleted"] & np.array([bool(blob) for blob in changes.terms], dtype=np.bool_)
        same = there & (known >= 0) & (self.rows.digests[np.maximum(known, 0)] == digests)
        self.rows.kill(known[(known >= 0) & ~same])
        self.rows.change(known[same], facets[same])
        fresh = np.flatnonzero(there & ~same)
        rows = known
        rows[fresh] = self._append(facets[fresh], [changes.terms[place] for place in fresh.tolist()], digests[fresh])
        if self.matrix is not None:
            self.matrix.reserve(self.rows)
            self._put_vectors(changes, rows, there)
        self.heard.follow()

    def _append(self, facets: Facets, blobs: list[bytes], digests: NDArray[np.uint32]) -> RowNumbers:
        sizes = np.fromiter((len(blob) // 4 for blob in blobs), dtype=np.int64, count=len(blobs))
        words = np.frombuffer(b"".join(blobs), dtype="<u4")
        heads = np.cumsum(sizes) - sizes
        rows = self.rows.append(facets, words[heads].astype(np.int32), digests)
        if self.postings is not None and len(words):
            terms = np.delete(words, heads)
            self.postings.add(terms, np.repeat(rows, sizes - 1))
        return rows

    def _put_vectors(self, changes: Changes, rows: RowNumbers, there: NDArray[np.bool_]) -> None:
        assert self.matrix is not None, "only where vectors are wanted"
        having = np.array([blob is not None for blob in changes.vectors], dtype=np.bool_)
        self.matrix.remove(rows[there & ~having])
        places = np.flatnonzero(there & having)
        blobs = [blob for place in places.tolist() if (blob := changes.vectors[place]) is not None]
        if blobs:
            self.matrix.put(rows[places], stacked(blobs))

    def _named(self, changes: Changes) -> Facets:
        """The facets with this namespace's own numbers for speakers."""
        facets = changes.facets.copy()
        if len(changes.speakers):
            codes: list[int] = []
            for name in changes.speakers:
                code = self._speaker_codes.setdefault(name, len(self._speaker_codes))
                if code == len(self.rows.speakers):
                    self.rows.speakers.append(name)
                codes.append(code)
            spoken = facets["speaker"] >= 0
            facets["speaker"][spoken] = np.array(codes, dtype=np.int32)[facets["speaker"][spoken]]
        return facets


class Shelf:
    """Each namespace's index, built on demand, caught up before use, the longest unused dropped first."""

    def __init__(self, *, texts: bool = True, vectors: bool = True, rows_max: int = ROWS_CACHED_MAX) -> None:
        self._texts, self._vectors = texts, vectors
        self._rows_max = rows_max
        self._lock = Lock()
        self._held: OrderedDict[Namespace, tuple[RLock, list[NamespaceIndex]]] = OrderedDict()

    @contextmanager
    def current(self, scope: ReadScope) -> Generator[NamespaceIndex]:
        """The namespace's index as of *scope* or later, for one thread at a time."""
        with self._lock:
            lock, cell = self._held.setdefault(scope.namespace, (RLock(), []))
            self._held.move_to_end(scope.namespace)
        with lock:
            if not cell:
                cell.append(self._build())
            before = cell[0].rows.count
            _catch_up(cell[0], scope)
            if cell[0].rows.mostly_dead:
                cell[0] = self._build()
                _catch_up(cell[0], scope)
            if cell[0].rows.count != before:
                self._shed()
            yield cell[0]

    def drop(self, namespace: Namespace) -> None:
        """Forget what is held of *namespace*."""
        with self._lock:
            self._held.pop(namespace, None)

    def _build(self) -> NamespaceIndex:
        return NamespaceIndex(texts=self._texts, vectors=self._vectors)

    def _shed(self) -> None:
        with self._lock:
            total = sum(cell[0].rows.count for _, cell in self._held.values() if cell)
            while total > self._rows_max and len(self._held) > 1:
                _, (_, cell) = self._held.popitem(last=False)
                total -= cell[0].rows.count if cell else 0


def _catch_up(index: NamespaceIndex, scope: ReadScope) -> None:
    """Apply what changed since the index was last current. An older scope than that changes nothing."""
    newest = scope.seq()
    while index.seq < newest:
        page = scope.changes(index.seq, limit=CHANGES_PER_PAGE)
        if not len(page):
            # The last changes were to rows that left no trace; their numbers are used up all the same.
            index.seq = newest
            return
        index.apply(page)
        index.seq = int(page.facets["seq"][-1])
