"""What both indexes in memory share: following a namespace's changes, and which rows a search may see.

An index row never changes: a changed item gets a new row and its old one dies. That keeps postings and
matrices append-only, and costs a rebuild when more rows are dead than alive.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Final, Generic, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from hindsight.domain.memory import StoredStatus
from hindsight.domain.namespace import Namespace
from hindsight.domain.trust import TRUSTS
from hindsight.ports import Eligible, IndexEntry, ItemId, ItemKind, ReadScope

Mask = NDArray[np.bool_]  # (rows,)
RowNumbers = NDArray[np.int64]  # (k,)

CHANGES_PER_PAGE: Final = 5_000
ROWS_FIRST: Final = 256
DEAD_ROWS_MIN: Final = 1_000
"""Below this many dead rows nothing is rebuilt, so that a small namespace is not rebuilt all the time."""
ROWS_CACHED_MAX: Final = 2_000_000
"""Rows kept over all namespaces: 0.8 GB of int8 vectors and about as much of postings."""

_KINDS: Final[tuple[ItemKind, ...]] = get_args(ItemKind)
_STATUSES: Final[tuple[StoredStatus, ...]] = get_args(StoredStatus)
_DEAD: Final = 255
_POSITION_BITS: Final = 32


class Rows:
    """The rows of one namespace: which item each belongs to, and what decides who may see it."""

    def __init__(self) -> None:
        self.count = 0
        self.dead = 0
        self.items: NDArray[np.int64] = np.zeros(ROWS_FIRST, dtype=np.int64)
        self._kinds: NDArray[np.uint8] = np.zeros(ROWS_FIRST, dtype=np.uint8)
        self._statuses: NDArray[np.uint8] = np.zeros(ROWS_FIRST, dtype=np.uint8)
        self._trusts: NDArray[np.uint8] = np.zeros(ROWS_FIRST, dtype=np.uint8)
        # Session above, position below: a turn's neighbour has the number next to its own.
        self._places: NDArray[np.int64] = np.zeros(ROWS_FIRST, dtype=np.int64)
        self._row_of: dict[int, int] = {}

    def append(self, entry: IndexEntry) -> int:
        """A new row for the entry's item, in place of any older one."""
        self.kill(entry.item)
        row = self.count
        if row == len(self.items):
            self._grow()
        self.items[row] = entry.item
        self._kinds[row] = _KINDS.index(entry.kind)
        self._statuses[row] = _STATUSES.index(entry.status)
        self._trusts[row] = TRUSTS.index(entry.trust)
        self._places[row] = (entry.session << _POSITION_BITS) + entry.position if entry.kind == "turn" else -1
        self._row_of[entry.item] = row
        self.count = row + 1
        return row

    def kill(self, item: ItemId) -> None:
        """Take the item's row out of every later search."""
        row = self._row_of.pop(item, None)
        if row is not None:
            self._kinds[row] = _DEAD
            self._places[row] = -1
            self.dead += 1

    @property
    def mostly_dead(self) -> bool:
        """Whether a rebuild is cheaper than dragging the dead rows along."""
        return self.dead > DEAD_ROWS_MIN and self.dead > self.count // 2

    def eligible(self, eligible: Eligible) -> Mask:
        """Which rows the search may see."""
        mask = np.isin(self._kinds[: self.count], [_KINDS.index(kind) for kind in eligible.kinds])
        mask &= np.isin(self._statuses[: self.count], [_STATUSES.index(s) for s in eligible.statuses])
        mask &= np.isin(self._trusts[: self.count], [TRUSTS.index(trust) for trust in eligible.trusts])
        if eligible.only is not None:
            chosen = np.zeros(self.count, dtype=np.bool_)
            chosen[self.of(sorted(eligible.only))] = True
            mask &= chosen
        return mask

    def of(self, items: Sequence[ItemId]) -> RowNumbers:
        """The living rows of those of *items* that have one, in their order."""
        rows = (self._row_of.get(item) for item in items)
        return np.fromiter((row for row in rows if row is not None), dtype=np.int64)

    def neighbours(self, offsets: Sequence[int]) -> dict[int, RowNumbers]:
        """For each offset, (rows,) the row of the turn that far away in the same session, or -1."""
        places = self._places[: self.count]
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        found: dict[int, RowNumbers] = {}
        for offset in offsets:
            wanted = places + offset
            at = np.minimum(np.searchsorted(ordered, wanted), max(self.count - 1, 0))
            # A turn at position 0 has none before it: the place below belongs to the session before.
            inside = (wanted >> _POSITION_BITS) == (places >> _POSITION_BITS)
            there = (places >= 0) & inside & (ordered[at] == wanted)
            found[offset] = np.where(there, order[at], -1)
        return found

    def _grow(self) -> None:
        size = 2 * len(self.items)
        self.items = np.resize(self.items, size)
        self._kinds = np.resize(self._kinds, size)
        self._statuses = np.resize(self._statuses, size)
        self._trusts = np.resize(self._trusts, size)
        self._places = np.resize(self._places, size)


def best_first(scores: NDArray[np.float64], items: NDArray[np.int64], limit: int) -> RowNumbers:
    """Positions of the *limit* highest scores, ties by item, the same in every process."""
    positions = np.arange(len(scores))
    if len(scores) > limit:
        # All that tie with the last place stay in, so that the item decides and not the row.
        positions = np.flatnonzero(scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit])
    return positions[np.lexsort((items[positions], -scores[positions]))][:limit]


class _NamespaceIndex(Protocol):
    rows: Rows
    seq: int

    def apply(self, entries: Sequence[IndexEntry]) -> None: ...


Built = TypeVar("Built", bound=_NamespaceIndex)


class Shelf(Generic[Built]):
    """Each namespace's index, built on demand, caught up before use, the longest unused dropped first."""

    def __init__(self, build: Callable[[], Built], *, rows_max: int = ROWS_CACHED_MAX) -> None:
        self._build = build
        self._rows_max = rows_max
        self._lock = Lock()
        self._held: OrderedDict[Namespace, tuple[RLock, list[Built]]] = OrderedDict()

    @contextmanager
    def current(self, scope: ReadScope) -> Generator[Built]:
        """The namespace's index as of *scope* or later, for one thread at a time."""
        with self._lock:
            lock, cell = self._held.setdefault(scope.namespace, (RLock(), []))
            self._held.move_to_end(scope.namespace)
        with lock:
            if not cell:
                cell.append(self._build())
            _catch_up(cell[0], scope)
            if cell[0].rows.mostly_dead:
                cell[0] = self._build()
                _catch_up(cell[0], scope)
            yield cell[0]
        self._shed()

    def drop(self, namespace: Namespace) -> None:
        """Forget what is held of *namespace*."""
        with self._lock:
            self._held.pop(namespace, None)

    def _shed(self) -> None:
        with self._lock:
            total = sum(cell[0].rows.count for _, cell in self._held.values() if cell)
            while total > self._rows_max and len(self._held) > 1:
                _, (_, cell) = self._held.popitem(last=False)
                total -= cell[0].rows.count if cell else 0


def _catch_up(built: _NamespaceIndex, scope: ReadScope) -> None:
    """Apply what changed since the index was last current. An older scope than that changes nothing."""
    newest = scope.seq()
    while built.seq < newest:
        page = scope.changes(built.seq, limit=CHANGES_PER_PAGE)
        if not page:
            # The last changes were to rows that left no trace; their numbers are used up all the same.
            built.seq = newest
            return
        built.apply(page)
        built.seq = page[-1].seq
