"""All that is kept in memory of one namespace: rows, postings and vectors, following the store's changes.

They are one index, so that each change is read once and a search can go from a word or a vector to facets
without asking the store. What is not wanted (postings beside another keyword index, vectors beside a
vector server) is not built.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.bm25 import Scorer, Scratch
from hindsight.adapters.indexes.heard import Heard
from hindsight.adapters.indexes.matrix import Matrix, stacked
from hindsight.adapters.indexes.postings import Postings
from hindsight.adapters.indexes.rows import RowNumbers, Rows
from hindsight.ports import Eligible
from hindsight.ports.changes import Changes, Facets


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
        self.scorers: dict[Eligible, Scorer] = {}
        self._speaker_codes: dict[str, int] = {}

    def apply(self, changes: Changes) -> None:
        """Take in changed items, in order."""
        self.edition += 1
        self.scorers.clear()
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

    def restore(
        self, arrays: Mapping[str, NDArray[Any]], *, seq: int, dead: int, dimension: int, speakers: Sequence[str]
    ) -> None:
        """Take the state of another index that was kept as *arrays*, in place of nothing."""
        self.rows.restore(arrays, dead=dead, speakers=speakers)
        self._speaker_codes = {name: code for code, name in enumerate(speakers) if name}
        if self.postings is not None:
            self.postings.restore(arrays)
        if self.matrix is not None:
            self.matrix.restore(arrays, dimension=dimension)
            self.matrix.reserve(self.rows)
        self.seq = seq
        self.edition += 1

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
                code = self._speaker_codes.setdefault(name, len(self.rows.speakers))
                if code == len(self.rows.speakers):
                    self.rows.speakers.append(name)
                codes.append(code)
            spoken = facets["speaker"] >= 0
            facets["speaker"][spoken] = np.array(codes, dtype=np.int32)[facets["speaker"][spoken]]
        return facets
