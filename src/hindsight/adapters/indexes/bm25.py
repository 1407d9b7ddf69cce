"""BM25 over the rows that hold a term or stand beside one that does, and no others.

Terms are scored by falling weight. Once the best rows are ahead by more than all the terms that are left
can add, those are looked up for the rows still in the race alone: a common word's million postings are
then never walked. That changes no score, only which rows get one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.heard import OWN_TENTHS, WINDOW_TENTHS, View
from hindsight.adapters.indexes.postings import FREQUENCY_MASK
from hindsight.adapters.indexes.rows import OFFSETS, TURN_CLASSES, Allowed, RowNumbers, chosen_rows
from hindsight.language.terms import FREQUENCY_BITS
from hindsight.ports import Eligible

if TYPE_CHECKING:
    from hindsight.adapters.indexes.namespace_index import NamespaceIndex

# The textbook values; neither mattered after fusion (dialogue sets, R@5 within 0.3).
SATURATION: Final = 1.2
LENGTH_SHARE: Final = 0.75
CUT_POSTINGS_MIN: Final = 8_192
"""A term with fewer postings is scored sooner than it is decided whether it could be left out. From here
on, in how many rows it is heard is estimated from those it stands in, as if it fell on turns at random."""

SCORERS_KEPT: Final = 8

Scores = NDArray[np.float32]  # (k,)
_ROUNDING: Final = 1e-4


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of the question: its weight, and where it stands among the rows that may be seen.

    ``heard`` is where it stands or is heard from beside, with what it counts there; None for a term so
    common that it may never be walked.
    """

    number: int
    weight: float
    rows: RowNumbers  # ascending
    frequencies: Scores
    heard: tuple[RowNumbers, Scores] | None


class Scratch:
    """Room for one score and one count a row, zero between searches; and whose scores are in it."""

    def __init__(self) -> None:
        self.scores: Scores = np.zeros(0, dtype=np.float32)
        self._counts: Scores = np.zeros(0, dtype=np.float32)
        self.held: tuple[object, ...] | None = None
        self._touched: list[RowNumbers] = []

    def clear(self, size: int) -> None:
        """Make it all zero again, with room for *size* rows."""
        for rows in self._touched:
            self.scores[rows] = 0.0
        self._touched = []
        self.held = None
        if len(self.scores) < size:
            self.scores = np.zeros(size, dtype=np.float32)

    def room(self, size: int) -> Scores:
        """Zeros for *size* rows, to be left as zeros."""
        if len(self._counts) < size:
            self._counts = np.zeros(size, dtype=np.float32)
        return self._counts

    def add(self, rows: RowNumbers, gains: Scores) -> None:
        """Add *gains* to the scores of *rows*, each given once."""
        before = self.scores[rows]
        self._touched.append(rows[before == 0.0])
        self.scores[rows] = before + gains

    def touched(self) -> RowNumbers:
        """(t,) the rows that have a score, each once."""
        self._touched = [np.concatenate(self._touched)] if self._touched else []
        return self._touched[0] if self._touched else np.zeros(0, dtype=np.int32)


class Scorer:
    """Scores rows for what one search may see. Statistics are over exactly that."""

    def __init__(self, index: NamespaceIndex, eligible: Eligible, allowed: Allowed) -> None:
        self._index, self._rows, self._eligible = index, index.rows, eligible
        self._allowed = allowed
        self._chosen: NDArray[np.bool_] | None = None
        self._view: View | None = None
        if eligible.only is None:
            self._everything = self._rows.all_allowed(allowed)
            self._view = index.heard.view(allowed)
            self.count, self._average = self._view.average(self._rows)
        else:
            chosen = chosen_rows(self._rows, eligible)
            self._chosen = np.zeros(self._rows.count, dtype=np.bool_)
            self._chosen[chosen] = True
            self._everything = False
            self.count = len(chosen)
            self._average = max(float(self._tenths(chosen).sum()) / OWN_TENTHS / max(self.count, 1), 1.0)
        # Only turns hear of each other.
        self._listens = self._rows.linked and bool(allowed[TURN_CLASSES].any())
        self._terms: dict[int, _Term] = {}

    @classmethod
    def of(cls, index: NamespaceIndex, eligible: Eligible) -> Scorer:
        """The scorer of *index* for *eligible*; the last one, where nothing has changed since."""
        scorer = index.scorers.get(eligible)
        if scorer is None:
            if len(index.scorers) >= SCORERS_KEPT:
                index.scorers.clear()
            scorer = index.scorers[eligible] = cls(index, eligible, index.rows.allowed(eligible))
        return scorer

    def ceiling(self, numbers: Sequence[int]) -> float:
        """The sum of the terms' weights."""
        return sum(self._term(number).weight for number in numbers) if self.count else 0.0

    def best(self, numbers: Sequence[int], limit: int) -> tuple[RowNumbers, Scores]:
        """The rows of the *limit* highest scores, and all that tie with the last; in no order."""
        scratch = self._index.scratch
        scratch.clear(self._rows.size)
        self._terms.clear()
        terms = self._by_weight(numbers)
        bounds = np.append(np.cumsum([(SATURATION + 1.0) * t.weight for t in terms][::-1])[::-1], 0.0)
        for place, term in enumerate(terms):
            if len(term.rows) >= CUT_POSTINGS_MIN:
                floor = _nth_best(scratch.scores[scratch.touched()], limit)
                if floor > bounds[place]:
                    return self._finished(terms[place:], bounds[place:], limit)
            scratch.add(*self._scored(term))
        scratch.held = (tuple(numbers), self._eligible, self._index.edition)
        return _highest(scratch.touched(), scratch.scores, limit)

    def of_rows(self, numbers: Sequence[int], rows: RowNumbers) -> Scores:
        """(n,) the scores of given rows."""
        scratch = self._index.scratch
        if scratch.held == (tuple(numbers), self._eligible, self._index.edition):
            return scratch.scores[rows]
        found = np.zeros(len(rows), dtype=np.float32)
        seen = np.flatnonzero(self._seen(rows))
        for term in self._by_weight(numbers):
            found[seen] += self._looked_up(term, rows[seen])
        return found

    def _finished(self, terms: Sequence[_Term], bounds: NDArray[np.float64], limit: int) -> tuple[RowNumbers, Scores]:
        """The best rows, when no row that has no score yet can be one: the terms left only add to those ahead."""
        scores, rows = self._index.scratch.scores, self._index.scratch.touched()
        for place, term in enumerate(terms):
            rows = rows[scores[rows] >= _nth_best(scores[rows], limit) - bounds[place] - _ROUNDING]
            scores[rows] += self._looked_up(term, rows)
        return _highest(rows, scores, limit)

    def _by_weight(self, numbers: Sequence[int]) -> list[_Term]:
        if not self.count:
            return []
        return sorted((self._term(number) for number in numbers), key=lambda term: (-term.weight, term.number))

    def _term(self, number: int) -> _Term:
        term = self._terms.get(number)
        if term is None:
            assert self._index.postings is not None, "this shelf keeps no words"
            pieces = self._index.postings.of(number)
            packed = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.uint32)
            rows = (packed >> FREQUENCY_BITS).astype(np.int32)
            if not self._everything:
                seen = self._seen(rows)
                rows, packed = rows[seen], packed[seen]
            frequencies = (packed & FREQUENCY_MASK).astype(np.float32)
            heard = (rows, frequencies)
            if self._listens and len(rows):
                heard = None if len(rows) >= CUT_POSTINGS_MIN else self._heard(rows, frequencies)
            standing = self._estimated(len(rows)) if heard is None else len(heard[0])
            weight = float(np.log1p((self.count - standing + 0.5) / (standing + 0.5)))
            term = self._terms[number] = _Term(number, weight, rows, frequencies, heard)
        return term

    def _estimated(self, standing: int) -> float:
        """In how many rows a common term is heard."""
        missing = 1.0 - min(standing / self.count, 1.0)
        return self.count * (1.0 - missing ** (1 + len(OFFSETS)))

    def _scored(self, term: _Term) -> tuple[RowNumbers, Scores]:
        """The rows that hold a term themselves or near by, and what it adds to each."""
        rows, counts = self._heard(term.rows, term.frequencies) if term.heard is None else term.heard
        return rows, self._gain(term, rows, counts)

    def _heard(self, standing: RowNumbers, frequencies: Scores) -> tuple[RowNumbers, Scores]:
        """The rows that hold a term themselves or near by, and what it counts in each."""
        counts = self._index.scratch.room(self._rows.size)
        counts[standing] = frequencies
        touched = [standing]
        links = self._rows.heard(standing)
        for offset, tenths in WINDOW_TENTHS:
            # What stands at +1 from a row is heard by the row at -1 from there; each hearer hears once.
            hearers = links[:, OFFSETS.index(-offset)]
            there = hearers >= 0
            hearers, heard = hearers[there], frequencies[there]
            if not self._everything:
                seen = self._seen(hearers)
                hearers, heard = hearers[seen], heard[seen]
            before = counts[hearers]
            touched.append(hearers[before == 0.0])
            counts[hearers] = before + np.float32(tenths / OWN_TENTHS) * heard
        rows = np.concatenate(touched)
        found = counts[rows]
        counts[rows] = 0.0
        return rows, found

    def _looked_up(self, term: _Term, rows: RowNumbers) -> Scores:
        """(n,) what a term adds to given rows, as `_scored` says it."""
        counts = _frequencies(term, rows)
        if self._listens:
            links = self._rows.heard(rows)
            for offset, tenths in WINDOW_TENTHS:
                counts += np.float32(tenths / OWN_TENTHS) * _frequencies(term, links[:, OFFSETS.index(offset)])
        return self._gain(term, rows, counts)

    def _gain(self, term: _Term, rows: RowNumbers, counts: Scores) -> Scores:
        if not len(rows):
            return counts
        tenths = self._view.tenths[rows] if self._view is not None else self._tenths(rows)
        stretch = np.float32(SATURATION * LENGTH_SHARE / (OWN_TENTHS * self._average))
        drag = np.float32(SATURATION * (1.0 - LENGTH_SHARE)) + tenths.astype(np.float32) * stretch
        gain = np.float32(term.weight * (SATURATION + 1.0)) * counts / (counts + drag)
        return gain.astype(np.float32, copy=False)

    def _seen(self, rows: RowNumbers) -> NDArray[np.bool_]:
        """(n,) whether each row may be seen."""
        return self._allowed[self._rows.classes[rows]] if self._chosen is None else self._chosen[rows]

    def _tenths(self, rows: RowNumbers) -> NDArray[np.int32]:
        """The heard lengths where only chosen rows count."""
        tenths = OWN_TENTHS * self._rows.lengths[rows]
        if not self._rows.linked:
            return tenths
        links = self._rows.heard(rows)
        for offset, weight in WINDOW_TENTHS:
            near = links[:, OFFSETS.index(offset)]
            seen = (near >= 0) & self._seen(near)
            tenths[seen] += weight * self._rows.lengths[near[seen]]
        return tenths


def _frequencies(term: _Term, rows: RowNumbers) -> Scores:
    """(n,) how often the term stands in each row."""
    if not len(term.rows):
        return np.zeros(len(rows), dtype=np.float32)
    places = np.minimum(np.searchsorted(term.rows, rows), len(term.rows) - 1)
    return np.where(term.rows[places] == rows, term.frequencies[places], np.float32(0.0))


def _nth_best(scores: Scores, limit: int) -> float:
    """The score of the *limit*-th best, nothing where there are fewer."""
    if len(scores) < limit:
        return 0.0
    return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])


def _highest(rows: RowNumbers, scores: Scores, limit: int) -> tuple[RowNumbers, Scores]:
    found = scores[rows]
    if len(rows) > limit:
        high = found >= _nth_best(found, limit)
        rows, found = rows[high], found[high]
    return rows, found
