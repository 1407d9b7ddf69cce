"""Which rows hold a term, and how often: sorted runs of four bytes a posting.

A run keeps its distinct terms, where each one's postings begin, and the postings: 28 bits of row and 4 of
frequency. Runs are merged as they come to equal each other, up to a size that no reader waits on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hindsight.language.terms import FREQUENCY_BITS

Packed = NDArray[np.uint32]  # (k,), row and frequency in one
RUN_POSTINGS_MAX: Final = 2_000_000
"""Sorting as many takes about 40 ms: the longest that one write's merge can hold up a search."""
FREQUENCY_MASK: Final = (1 << FREQUENCY_BITS) - 1
ROWS_MAX: Final = 1 << (32 - FREQUENCY_BITS)
_FREQUENCY_BITS: Final = np.uint32(FREQUENCY_BITS)
_FREQUENCY_MASK: Final = np.uint32(FREQUENCY_MASK)
_POSTING_BITS: Final = np.uint64(32)
_POSTING_MASK: Final = np.uint64(0xFFFF_FFFF)


@dataclass(frozen=True, slots=True)
class Run:
    """Postings of some stretch of rows, by term and row."""

    terms: NDArray[np.uint32]  # (t,), distinct, ascending
    starts: NDArray[np.int32]  # (t + 1,)
    postings: Packed

    def of(self, term: int) -> Packed:
        """The postings of *term*, by row."""
        place = int(np.searchsorted(self.terms, term))
        if place == len(self.terms) or self.terms[place] != term:
            return self.postings[:0]
        return self.postings[self.starts[place] : self.starts[place + 1]]

    def without(self, dead: NDArray[np.bool_]) -> Run:
        """The run without the postings of dead rows."""
        kept = ~dead[self.postings >> _FREQUENCY_BITS]
        before = np.append(0, np.cumsum(kept))
        starts = before[self.starts]
        there = np.diff(starts) > 0
        return Run(self.terms[there], np.append(starts[:-1][there], starts[-1]).astype(np.int32), self.postings[kept])


class Postings:
    """The postings of one namespace, in runs of ascending rows."""

    def __init__(self, runs: Sequence[Run] = ()) -> None:
        self.runs = list(runs)

    def add(self, terms: NDArray[np.uint32], rows: NDArray[np.int32]) -> None:
        """Take in packed terms (28 bits of hash, 4 of frequency), each with its row; all rows are new."""
        owners = (rows.astype(np.uint32) << _FREQUENCY_BITS) | (terms & _FREQUENCY_MASK)
        keys = ((terms >> _FREQUENCY_BITS).astype(np.uint64) << _POSTING_BITS) | owners.astype(np.uint64)
        while self.runs and len(self.runs[-1].postings) < min(2 * len(keys), RUN_POSTINGS_MAX - len(keys) + 1):
            keys = np.concatenate((_keys(self.runs.pop()), keys))
        if len(keys):
            keys.sort()
            self.runs.append(_run(keys))

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the runs of another index, in place of none."""
        count = sum(name.startswith("postings-") for name in arrays)
        self.runs = [
            Run(arrays[f"terms-{place}"], arrays[f"starts-{place}"], arrays[f"postings-{place}"])
            for place in range(count)
        ]

    def of(self, term: int) -> list[Packed]:
        """The postings of *term*, by row, in one piece a run that has it."""
        return [piece for run in self.runs if len(piece := run.of(term))]


def _run(keys: NDArray[np.uint64]) -> Run:
    terms = (keys >> _POSTING_BITS).astype(np.uint32)
    first = np.flatnonzero(np.append(True, terms[1:] != terms[:-1]))
    starts = np.append(first, len(keys)).astype(np.int32)
    return Run(terms[first], starts, (keys & _POSTING_MASK).astype(np.uint32))


def _keys(run: Run) -> NDArray[np.uint64]:
    terms = np.repeat(run.terms.astype(np.uint64), np.diff(run.starts))
    return (terms << _POSTING_BITS) | run.postings.astype(np.uint64)
