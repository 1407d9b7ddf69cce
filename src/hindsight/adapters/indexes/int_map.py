"""From numbers to row numbers, for millions of them: sorted runs instead of a dict.

A dict takes some 100 bytes an entry, this takes 12. Runs are merged as they come to equal each other, so
that a write touches few and a lookup asks few.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]  # (n,)
RowNumbers = NDArray[np.int32]  # (n,)
_Run = tuple[Keys, RowNumbers]

ABSENT = -1


class IntMap:
    """A mapping of int64 to rows. A row of ABSENT takes a key out."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def put(self, keys: Keys, rows: RowNumbers) -> None:
        """Set *keys*, each given once, to *rows*."""
        if len(keys) == 0:
            return
        order = np.argsort(keys, kind="stable")
        run = keys[order], rows[order]
        while self._runs and len(self._runs[-1][0]) < 2 * len(run[0]):
            run = _merged(self._runs.pop(), run)
        self._runs.append(run)

    def get(self, keys: Keys) -> RowNumbers:
        """(n,) the row of each of *keys*, or ABSENT."""
        found = np.full(len(keys), ABSENT, dtype=np.int32)
        for run_keys, run_rows in self._runs:
            places = np.minimum(np.searchsorted(run_keys, keys), len(run_keys) - 1)
            known = run_keys[places] == keys
            found[known] = run_rows[places[known]]
        return found

    @property
    def run(self) -> _Run:
        """All of it as one run."""
        while len(self._runs) > 1:
            newer = self._runs.pop()
            self._runs.append(_merged(self._runs.pop(), newer))
        return self._runs[0] if self._runs else (np.zeros(0, np.int64), np.zeros(0, np.int32))


def _merged(older: _Run, newer: _Run) -> _Run:
    keys, rows = np.concatenate((older[0], newer[0])), np.concatenate((older[1], newer[1]))
    if len(older[0]) and len(newer[0]) and older[0][-1] < newer[0][0]:
        return keys, rows
    order = np.argsort(keys, kind="stable")
    keys, rows = keys[order], rows[order]
    # Of equal keys the later one counts, which the stable order puts last.
    last = np.append(keys[1:] != keys[:-1], True)
    return keys[last], rows[last]
