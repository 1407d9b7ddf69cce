"""Keyword search in memory: postings of hashed terms in numpy, and BM25 with a namespace's own numbers.

A turn is scored with the turns around it, whose words count at falling weights: an answer without the
question before it says little. Summing the neighbours' scores instead of their words found less
(dialogues, R@5 67 against 71): a word said by both would count twice.
SQLite's FTS5 was rejected for scoring: its bm25() counts over the whole table, so another namespace's
writes would move a score, and its trigrams cannot find a Chinese word of two characters.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.rows import Mask, RowNumbers, Rows, Shelf, best_first
from hindsight.domain.namespace import Namespace
from hindsight.language.terms import FREQUENCY_BITS, hash_of, query_tokens
from hindsight.ports import Eligible, IndexEntry, ItemId, ReadScope, TextMatches

# The textbook values; neither mattered after fusion (dialogue sets, R@5 within 0.3).
SATURATION: Final = 1.2
LENGTH_SHARE: Final = 0.75
WINDOW: Final[tuple[tuple[int, float], ...]] = ((-1, 0.7), (-2, 0.3), (1, 0.4), (2, 0.2))
"""What a word counts in the turn at that offset from the scored one. Half as much: R@5 1.5 lower."""
QUERY_TERMS_MAX: Final = 256
"""A question of 8 KB has more terms than help; the first ones say what it is about."""

# A posting is one uint64: 28 bits of term hash, 32 of row, 4 of frequency. Sorted, it is an index.
_ROW_BITS: Final = 32
_TERM_SHIFT: Final = np.uint64(_ROW_BITS + FREQUENCY_BITS)
_FREQUENCY_MASK: Final = (1 << FREQUENCY_BITS) - 1
_VIEWS_KEPT: Final = 4
_Postings = NDArray[np.uint64]
_Scores = NDArray[np.float64]  # (rows,)


class RamTextIndex:
    """`TextIndex` over the terms a store keeps. Safe to share between threads."""

    def __init__(self) -> None:
        self._shelf: Shelf[_NamespacePostings] = Shelf(_NamespacePostings)

    def search(self, scope: ReadScope, text: str, *, eligible: Eligible, limit: int) -> TextMatches:
        """The best *limit* items for *text*; ties go to the lower item."""
        with self._shelf.current(scope) as postings:
            scores, ceiling = postings.bm25(text, eligible)
            rows = np.flatnonzero(scores)
            items = postings.rows.items[rows]
            best = best_first(scores[rows], items, limit)
            found = {ItemId(int(items[i])): float(scores[rows[i]]) for i in best}
        return TextMatches(scores=found, ceiling=ceiling)

    def scores(self, scope: ReadScope, text: str, *, eligible: Eligible, items: Sequence[ItemId]) -> TextMatches:
        """The scores of given *items*, under the same statistics as `search`. Without a term, none."""
        with self._shelf.current(scope) as postings:
            scores, ceiling = postings.bm25(text, eligible)
            rows = postings.rows.of(items)
            rows = rows[scores[rows] > 0.0]
            found = {ItemId(int(postings.rows.items[row])): float(scores[row]) for row in rows}
        return TextMatches(scores=found, ceiling=ceiling)

    def drop(self, namespace: Namespace) -> None:
        """Forget what is cached of *namespace*; the next call rebuilds it from the store."""
        self._shelf.drop(namespace)


@dataclass(frozen=True, slots=True)
class _View:
    """What one set of eligible rows comes to: who is in it, and how much length drags each score down."""

    mask: Mask
    count: int
    drag: _Scores


class _NamespacePostings:
    """The postings of one namespace, in sorted runs: a small change never sorts the whole again."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.seq = 0
        self._lengths: NDArray[np.uint32] = np.zeros(len(self.rows.items), dtype=np.uint32)
        self._runs: list[_Postings] = []
        self._views: OrderedDict[Eligible, _View] = OrderedDict()
        self._neighbours: dict[int, RowNumbers] | None = None

    def apply(self, entries: Sequence[IndexEntry]) -> None:
        """Take in changed entries, in order."""
        blobs: list[bytes] = []
        numbers: list[int] = []
        for entry in entries:
            if entry.deleted or not entry.terms:
                self.rows.kill(entry.item)
                continue
            numbers.append(self.rows.append(entry))
            blobs.append(entry.terms)
        self._views.clear()
        self._neighbours = None
        if blobs:
            self._add(blobs, np.asarray(numbers, dtype=np.uint64))

    def _add(self, blobs: Sequence[bytes], numbers: NDArray[np.uint64]) -> None:
        sizes = np.fromiter((len(blob) // 4 for blob in blobs), dtype=np.int64, count=len(blobs))
        words = np.frombuffer(b"".join(blobs), dtype="<u4")
        heads = np.cumsum(sizes) - sizes
        if len(self._lengths) < len(self.rows.items):
            self._lengths = np.resize(self._lengths, len(self.rows.items))
        self._lengths[numbers] = words[heads]
        terms = np.delete(words, heads).astype(np.uint64)
        owners = np.repeat(numbers, sizes - 1)
        run = (
            (terms >> np.uint64(FREQUENCY_BITS)) << _TERM_SHIFT
            | owners << np.uint64(FREQUENCY_BITS)
            | terms & np.uint64(_FREQUENCY_MASK)
        )
        run.sort()
        # Runs stay at least twice as long as the next, so there are few and each posting moves seldom.
        while self._runs and len(self._runs[-1]) < 2 * len(run):
            run = np.concatenate((self._runs.pop(), run))
            run.sort()
        self._runs.append(run)

    def bm25(self, text: str, eligible: Eligible) -> tuple[_Scores, float]:
        """(rows,) scores of every row, zero where none or not eligible; and the terms' summed weights."""
        scores = np.zeros(self.rows.count, dtype=np.float64)
        view = self._view(eligible)
        if view.count == 0:
            return scores, 0.0
        ceiling = 0.0
        for term in query_tokens(text)[:QUERY_TERMS_MAX]:
            rows, frequencies = self._windowed(*self._postings_of(term, view.mask), view.mask)
            weight = float(np.log1p((view.count - len(rows) + 0.5) / (len(rows) + 0.5)))
            ceiling += weight
            scores[rows] += weight * frequencies * (SATURATION + 1.0) / (frequencies + view.drag[rows])
        return scores, ceiling

    def _view(self, eligible: Eligible) -> _View:
        view = self._views.get(eligible)
        if view is None:
            mask = self.rows.eligible(eligible)
            own = np.where(mask, self._lengths[: self.rows.count], 0).astype(np.float64)
            lengths = own.copy()
            for offset, weight in WINDOW:
                lengths += weight * _taken(own, self._neighbour_rows(offset))
            count = int(mask.sum())
            average = max(float(lengths[mask].sum()) / max(count, 1), 1.0)
            drag = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * lengths / average)
            view = self._views[eligible] = _View(mask, count, drag)
            while len(self._views) > _VIEWS_KEPT:
                self._views.popitem(last=False)
        return view

    def _windowed(self, rows: RowNumbers, frequencies: _Scores, mask: Mask) -> tuple[RowNumbers, _Scores]:
        """The rows that hold a term themselves or near by, with what it counts there."""
        if len(rows) == 0:
            return rows, frequencies
        counts = np.zeros(self.rows.count, dtype=np.float64)
        counts[rows] = frequencies
        for offset, weight in WINDOW:
            # What stands at +1 from a row is heard by the row at -1 from there; each hearer hears once.
            hearers = self._neighbour_rows(-offset)[rows]
            heard = hearers >= 0
            counts[hearers[heard]] += weight * frequencies[heard]
        touched = np.flatnonzero(counts * mask)
        return touched, counts[touched]

    def _neighbour_rows(self, offset: int) -> RowNumbers:
        """(rows,) for each row, the row of the turn at *offset* in its session, or -1."""
        if self._neighbours is None:
            self._neighbours = self.rows.neighbours(sorted({s * step for step, _ in WINDOW for s in (-1, 1)}))
        return self._neighbours[offset]

    def _postings_of(self, term: str, mask: Mask) -> tuple[RowNumbers, _Scores]:
        low = np.uint64(hash_of(term)) << _TERM_SHIFT
        high = low | np.uint64((1 << int(_TERM_SHIFT)) - 1)
        found = [run[np.searchsorted(run, low) : np.searchsorted(run, high, "right")] for run in self._runs]
        postings = np.concatenate(found) if found else np.empty(0, dtype=np.uint64)
        rows = ((postings >> np.uint64(FREQUENCY_BITS)) & np.uint64((1 << _ROW_BITS) - 1)).astype(np.int64)
        seen = mask[rows]
        return rows[seen], (postings[seen] & np.uint64(_FREQUENCY_MASK)).astype(np.float64)


def _taken(values: _Scores, rows: RowNumbers) -> _Scores:
    """*values* at *rows*, zero where there is no such row."""
    return np.where(rows >= 0, values[rows], 0.0)
