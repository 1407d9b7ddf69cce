"""The rows of one namespace in memory: which item each is, its facets, and who may see it.

A row whose words change dies and a new one follows, so that postings stay append-only; any other change
is made in place. Whether a search may see a row is told by one small number, its class (kind, status and
trust in one), so that counts and lengths kept for each class give any search its statistics at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.int_map import ABSENT, IntMap
from hindsight.domain.trust import TRUSTS
from hindsight.ports import Eligible, Items
from hindsight.ports.changes import FACETS, KINDS, STORED_STATUSES, Facets

RowNumbers = NDArray[np.int32]  # (k,)
Allowed = NDArray[np.bool_]  # (CLASSES,), which classes a search may see

OFFSETS: Final = (-2, -1, 1, 2)
"""How far the turns stand that a row is linked to."""
TURN: Final = KINDS.index("turn")
EPISODE: Final = KINDS.index("episode")
CLASSES: Final = len(KINDS) * len(STORED_STATUSES) * len(TRUSTS) + 1
DEAD: Final = CLASSES - 1
_TURN_FIRST: Final = TURN * len(STORED_STATUSES) * len(TRUSTS)
TURN_CLASSES: Final = slice(_TURN_FIRST, _TURN_FIRST + len(STORED_STATUSES) * len(TRUSTS))

DEAD_ROWS_MIN: Final = 1_000
"""Below this many dead rows nothing is rebuilt, so that a small namespace is not rebuilt all the time."""
_ROWS_FIRST: Final = 256
_GROWTH: Final = 1.5
_POSITION_BITS: Final = 32

_Column = TypeVar("_Column", bound=NDArray[np.generic])


def grown(column: _Column, count: int, size: int) -> _Column:
    """*column* with room for *size* rows, the first *count* kept and the others zero."""
    # Fresh zeros cost no memory before they are written, and most of a big column's room never is.
    larger = np.zeros((size, *column.shape[1:]), dtype=column.dtype)
    larger[:count] = column[:count]
    return larger  # pyright: ignore[reportReturnType]


class Rows:
    """The rows of one namespace. Every array has room for more than ``count`` rows."""

    def __init__(self) -> None:
        self.count = 0
        self.dead = 0
        self.facets: Facets = np.zeros(_ROWS_FIRST, dtype=FACETS)
        self.classes: NDArray[np.uint8] = np.zeros(_ROWS_FIRST, dtype=np.uint8)
        self.lengths: NDArray[np.int32] = np.zeros(_ROWS_FIRST, dtype=np.int32)
        self.digests: NDArray[np.uint32] = np.zeros(_ROWS_FIRST, dtype=np.uint32)
        # Who speaks: two turns of one speaker and one trust have the same voice.
        self._voices: NDArray[np.int32] = np.zeros(_ROWS_FIRST, dtype=np.int32)
        self.in_class: NDArray[np.int64] = np.zeros(CLASSES, dtype=np.int64)
        self.speakers: list[str] = []
        self.changed: list[RowNumbers] = []
        # For each of OFFSETS the linked row plus one, so that zero is no link.
        self._links: NDArray[np.int32] = np.zeros((0, len(OFFSETS)), dtype=np.int32)
        self._items = IntMap()
        self._places = IntMap()
        self._allowed: dict[Eligible, Allowed] = {}

    @property
    def size(self) -> int:
        """How many rows there is room for."""
        return len(self.classes)

    @property
    def linked(self) -> bool:
        """Whether any turn is here."""
        return len(self._links) > 0

    def of(self, items: Items) -> RowNumbers:
        """(n,) the living row of each of *items*, or ABSENT."""
        return self._items.get(items)

    def _neighbours(self, offset: int, rows: RowNumbers) -> RowNumbers:
        """(n,) the row of the turn at *offset* from each row in its session, or ABSENT."""
        if not self.linked:
            return np.full(len(rows), ABSENT, dtype=np.int32)
        return self._links[rows, OFFSETS.index(offset)] - 1

    def heard(self, rows: RowNumbers) -> NDArray[np.int32]:
        """(n, 4) for each of OFFSETS the row of the turn heard from there, or ABSENT. Only where any turn is here.

        A turn hears its neighbours as far as voices alternate: an answer and its question belong together,
        the records of one day do not (a Chinese year of records by keyword: R@5 51 without, 49 with).
        """
        links = self._links[rows] - 1
        voices = np.where(links >= 0, self._voices[links], self._voices[rows][:, None])
        for near, far in ((1, 0), (2, 3)):
            answers = voices[:, near] != self._voices[rows]
            links[~answers, near] = ABSENT
            links[~(answers & (voices[:, far] != voices[:, near])), far] = ABSENT
        return links

    def at_places(self, sessions: NDArray[np.int64], positions: NDArray[np.int64]) -> RowNumbers:
        """(n,) the living row of the turn at each place, or ABSENT."""
        found = self._places.get((sessions << _POSITION_BITS) + positions)
        found[positions < 0] = ABSENT
        return found

    def allowed(self, eligible: Eligible) -> Allowed:
        """Which classes may be seen."""
        known = self._allowed.get(eligible)
        if known is None:
            known = np.zeros(CLASSES, dtype=np.bool_)
            for kind in eligible.kinds:
                for status in eligible.statuses:
                    for trust in eligible.trusts:
                        known[_class(KINDS.index(kind), STORED_STATUSES.index(status), TRUSTS.index(trust))] = True
            if eligible.only is None:
                self._allowed[eligible] = known
        return known

    def all_allowed(self, allowed: Allowed) -> bool:
        """Whether no row there is would be left out."""
        return self.dead == 0 and not self.in_class[~allowed].any()

    def columns(self) -> dict[str, NDArray[Any]]:
        """The arrays that another index can be restored from, as far as they are used."""
        return {
            "facets": self.facets[: self.count],
            "classes": self.classes[: self.count],
            "lengths": self.lengths[: self.count],
            "digests": self.digests[: self.count],
            "links": self._links[: self.count],
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]], *, dead: int, speakers: Sequence[str]) -> None:
        """Take the columns of another index, in place of no rows."""
        self.facets, self.classes = arrays["facets"], arrays["classes"]
        self.lengths, self.digests, self._links = arrays["lengths"], arrays["digests"], arrays["links"]
        self.count, self.dead, self.speakers = len(self.facets), dead, list(speakers)
        self._voices = _voices_of(self.facets)
        self.in_class = np.bincount(self.classes, minlength=CLASSES).astype(np.int64)
        self.in_class[DEAD] = 0
        living = np.flatnonzero(self.classes != DEAD).astype(np.int32)
        self._items.put(np.ascontiguousarray(self.facets["item"][living]), living)
        turns = living[self.facets["kind"][living] == TURN]
        self._places.put(_places(self.facets[turns]), turns)

    def kill(self, rows: RowNumbers) -> None:
        """Take rows out of every later search."""
        if len(rows) == 0:
            return
        for place, offset in enumerate(OFFSETS if self.linked else ()):
            near = self._neighbours(offset, rows)
            there = near >= 0
            self._links[near[there], len(OFFSETS) - 1 - place] = 0
            self.changed.append(near[there])
        if self.linked:
            self._links[rows] = 0
        gone = self.facets[rows]
        self._items.put(gone["item"], np.full(len(rows), ABSENT, dtype=np.int32))
        spoken = gone[gone["kind"] == TURN]
        self._places.put(_places(spoken), np.full(len(spoken), ABSENT, dtype=np.int32))
        self.in_class -= np.bincount(self.classes[rows], minlength=CLASSES)
        self.classes[rows] = DEAD
        self.dead += len(rows)
        self.changed.append(rows)

    def append(self, facets: Facets, lengths: NDArray[np.int32], digests: NDArray[np.uint32]) -> RowNumbers:
        """New rows for items that have no living one; their numbers."""
        first, end = self.count, self.count + len(facets)
        if end > self.size:
            self._grow(max(end, int(self.size * _GROWTH)))
        rows = np.arange(first, end, dtype=np.int32)
        self.facets[first:end] = facets
        self.lengths[first:end] = lengths
        self.digests[first:end] = digests
        self._voices[first:end] = _voices_of(facets)
        self.classes[first:end] = _classes_of(facets)
        self.in_class += np.bincount(self.classes[first:end], minlength=CLASSES)
        self.count = end
        self._items.put(np.ascontiguousarray(facets["item"]), rows)
        self._link(rows[facets["kind"] == TURN])
        self.changed.append(rows)
        return rows

    def change(self, rows: RowNumbers, facets: Facets) -> None:
        """Give rows other facets; their words and their place stay."""
        if len(rows) == 0:
            return
        self.in_class -= np.bincount(self.classes[rows], minlength=CLASSES)
        self.facets[rows] = facets
        self._voices[rows] = _voices_of(facets)
        self.classes[rows] = _classes_of(facets)
        self.in_class += np.bincount(self.classes[rows], minlength=CLASSES)
        self.changed.append(rows)
        for offset in OFFSETS if self.linked else ():
            near = self._neighbours(offset, rows)
            self.changed.append(near[near >= 0])

    def facets_of(self, items: Items) -> Facets:
        """(n,) the facets of *items*, ``deleted`` where one has no row."""
        rows = self.of(items)
        # Whole records are copied as bytes: numpy takes five times as long over them field by field.
        size = FACETS.itemsize
        plain = self.facets.view(np.uint8).reshape(-1, size)
        found = plain.take(np.maximum(rows, 0), axis=0).reshape(-1).view(FACETS)
        found["item"] = items
        found["deleted"] = rows < 0
        return found

    def items_of(self, rows: RowNumbers) -> Items:
        """(n,) the item of each row, 0 where the row is ABSENT."""
        found = self.facets["item"][np.maximum(rows, 0)]
        found[rows < 0] = 0
        return found

    def _link(self, rows: RowNumbers) -> None:
        if len(rows) == 0:
            return
        if len(self._links) < self.size:
            self._links = grown(self._links, len(self._links), self.size)
        keys = _places(self.facets[rows])
        positions = self.facets["position"][rows].astype(np.int64)
        self._places.put(keys, rows)
        for place, offset in enumerate(OFFSETS):
            near = self._places.get(keys + offset)
            # The place below a session's first turn belongs to the session before.
            near[positions + offset < 0] = ABSENT
            there = near >= 0
            self._links[rows, place] = near + 1
            self._links[near[there], len(OFFSETS) - 1 - place] = rows[there] + 1
            self.changed.append(near[there])

    def _grow(self, size: int) -> None:
        self.facets = grown(self.facets, self.count, size)
        self.classes = grown(self.classes, self.count, size)
        self.lengths = grown(self.lengths, self.count, size)
        self.digests = grown(self.digests, self.count, size)
        self._voices = grown(self._voices, self.count, size)
        if self.linked:
            self._links = grown(self._links, len(self._links), size)


def mostly_dead(rows: Rows) -> bool:
    """Whether a rebuild is cheaper than dragging the dead rows along."""
    return rows.dead > DEAD_ROWS_MIN and rows.dead > rows.count // 2


def chosen_rows(rows: Rows, eligible: Eligible) -> RowNumbers:
    """The rows that may be seen, of those that ``only`` names."""
    assert eligible.only is not None, "without it every row is asked by its class"
    found = rows.of(np.array(sorted(eligible.only), dtype=np.int64))
    found = found[found >= 0]
    return np.sort(found[rows.allowed(eligible)[rows.classes[found]]])


def _class(kind: int, status: int, trust: int) -> int:
    return (kind * len(STORED_STATUSES) + status) * len(TRUSTS) + trust


def _classes_of(facets: Facets) -> NDArray[np.uint8]:
    return (facets["kind"] * len(STORED_STATUSES) + facets["status"]) * len(TRUSTS) + facets["trust"]


def _voices_of(facets: Facets) -> NDArray[np.int32]:
    return facets["speaker"] * len(TRUSTS) + facets["trust"]


def _places(turns: Facets) -> NDArray[np.int64]:
    return (turns["session"].astype(np.int64) << _POSITION_BITS) + turns["position"]
