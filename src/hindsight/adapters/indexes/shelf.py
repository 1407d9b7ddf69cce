"""The shelf of namespaces' indexes: built or loaded on demand, caught up before use, shared by threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Final

from hindsight.adapters.indexes.namespace_index import NamespaceIndex
from hindsight.adapters.indexes.rows import mostly_dead
from hindsight.adapters.indexes.sidecar import SideCars
from hindsight.domain.errors import StateMismatch
from hindsight.domain.namespace import Namespace
from hindsight.ports import ReadScope

CHANGES_PER_PAGE: Final = 5_000
ROWS_CACHED_MAX: Final = 2_000_000
"""Rows kept over all namespaces: about 1.2 GB."""


class Shelf:
    """Each namespace's index, built on demand, caught up before use, the longest unused dropped first."""

    def __init__(
        self,
        *,
        texts: bool = True,
        vectors: bool = True,
        rows_max: int = ROWS_CACHED_MAX,
        files: SideCars | None = None,
    ) -> None:
        self._texts, self._vectors, self._files = texts, vectors, files
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
            before = cell[0].rows.count if cell else 0
            if not cell:
                cell.append(self._build())
                if self._files is not None:
                    self._files.load(scope.namespace, cell[0])
            try:
                _catch_up(cell[0], scope)
            except StateMismatch:
                # The vectors moved to another number of dimensions while this was held.
                cell[0] = self._build()
                _catch_up(cell[0], scope)
            if mostly_dead(cell[0].rows):
                cell[0] = self._build()
                _catch_up(cell[0], scope)
            if cell[0].rows.count != before:
                self._shed()
            yield cell[0]

    def drop(self, namespace: Namespace) -> None:
        """Forget what is held of *namespace*, in memory and in files."""
        with self._lock:
            self._held.pop(namespace, None)
        if self._files is not None:
            self._files.drop(namespace)

    def keep(self, *, closing: bool = False) -> None:
        """Write the indexes that have outgrown their files. Searches go on meanwhile."""
        if self._files is None:
            return
        with self._lock:
            held = [(namespace, cell[0]) for namespace, (_, cell) in self._held.items() if cell]
        for namespace, index in held:
            if self._files.wants(namespace, index, closing=closing):
                self._files.save(namespace, index)

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
