"""What ranking needs of each item, straight from the rows in memory: no statement, no object a row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.rows import EPISODE, OFFSETS
from hindsight.adapters.indexes.shelf import Shelf
from hindsight.domain.namespace import Namespace
from hindsight.ports import Facets, Items, ReadScope


class RamFacetIndex:
    """`FacetIndex` over the rows that a shelf keeps anyway. Safe to share between threads."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self._shelf = shelf or Shelf(texts=False, vectors=False)

    def facets(self, scope: ReadScope, *, items: Items) -> Facets:
        """(n,) the facets of *items*, ``deleted`` where nothing is known of one."""
        with self._shelf.current(scope) as index:
            return index.rows.facets_of(items)

    def speakers(self, scope: ReadScope) -> Sequence[str]:
        """The names that ``speaker`` counts through."""
        with self._shelf.current(scope) as index:
            return tuple(index.rows.speakers)

    def around(self, scope: ReadScope, *, items: Items, reach: int) -> Items:
        """(n, 2 * reach + 1) the turns heard from each turn, itself in the middle; 0 for none."""
        found = np.zeros((len(items), 2 * reach + 1), dtype=np.int64)
        found[:, reach] = items
        with self._shelf.current(scope) as index:
            rows = index.rows.of(items)
            known = np.flatnonzero(rows >= 0)
            links = index.rows.heard(rows[known]) if index.rows.linked else np.zeros((0, 0), dtype=np.int32)
            for place, offset in enumerate(OFFSETS if index.rows.linked else ()):
                if abs(offset) <= reach:
                    found[known, reach + offset] = index.rows.items_of(links[:, place])
        return found

    def inside(self, scope: ReadScope, *, items: Items) -> tuple[Items, NDArray[np.int64]]:
        """(m,) the turns inside the stretches of the episodes *items*, and (m,) which of *items* each is in."""
        with self._shelf.current(scope) as index:
            facets = index.rows.facets_of(items)
            lengths = np.where(
                facets["deleted"] | (facets["kind"] != EPISODE), 0, facets["last"] - facets["position"] + 1
            )
            owners = np.repeat(np.arange(len(items)), np.maximum(lengths, 0))
            starts = np.cumsum(lengths) - lengths
            positions = facets["position"].astype(np.int64)[owners] + np.arange(len(owners)) - starts[owners]
            rows = index.rows.at_places(facets["session"].astype(np.int64)[owners], positions)
            there = rows >= 0
            return index.rows.items_of(rows[there]), owners[there]

    def drop(self, namespace: Namespace) -> None:
        """Forget what is cached of *namespace*; the next call rebuilds it from the store."""
        self._shelf.drop(namespace)
