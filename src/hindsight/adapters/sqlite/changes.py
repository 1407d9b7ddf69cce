"""Items: what the derived indexes see, and how they learn what changed.

A change takes the namespace's next ``seq`` and puts it on the item it touched, so an index that asks
for what came after its own ``seq`` gets each item once, in its latest state.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Final

from hindsight.adapters.sqlite.connection import Connection
from hindsight.adapters.sqlite.rows import vector_blob, vector_of
from hindsight.adapters.sqlite.scope import Scope, Writing, listed
from hindsight.domain.memory import Language, StoredStatus
from hindsight.domain.namespace import Namespace
from hindsight.domain.trust import Trust
from hindsight.ports import IndexEntry, ItemId, ItemKind, Vector

CHANGES: Final = (
    "SELECT i.seq, i.item, i.kind, i.deleted, i.language, i.trust, i.status, i.session, i.position, i.at_ms, "
    "i.terms, v.vector FROM items AS i LEFT JOIN vectors AS v ON v.item = i.item "
    "WHERE i.namespace = ? AND i.seq > ? ORDER BY i.seq LIMIT ?"
)


def _changes(connection: Connection, number: int, after_seq: int, limit: int) -> Sequence[IndexEntry]:
    return [_entry_of(row) for row in connection.rows(CHANGES, (number, after_seq, limit))]


def _entry_of(row: sqlite3.Row) -> IndexEntry:
    # By position: an index that starts reads a whole namespace, and looking up names took a third of it.
    seq, item, kind, deleted, language, trust, status, session, position, at_ms, terms, blob = row
    return IndexEntry(
        seq=seq,
        item=item,
        kind=kind,
        deleted=bool(deleted),
        language=language,
        trust=trust,
        status=status,
        session=session,
        position=position,
        at_millis=at_ms,
        terms=terms,
        vector=None if blob is None else vector_of(blob),
    )


class ChangeReads(Scope):
    """The namespace's changes as of the snapshot."""

    def seq(self) -> int:
        """The number of the namespace's latest change."""
        return self._seq

    def changes(self, after_seq: int, *, limit: int) -> Sequence[IndexEntry]:
        """Items changed after *after_seq*, in order."""
        return _changes(self._connection, self._number, after_seq, limit)

    def vectors(self, items: Sequence[ItemId]) -> Mapping[ItemId, Vector]:
        """The vectors of those of *items* that have one."""
        rows = self._rows(
            "SELECT v.item, v.vector FROM vectors AS v JOIN items AS i ON i.item = v.item "
            "WHERE v.item IN (SELECT value FROM json_each(?)) AND i.namespace = ?",
            (listed(items), self._number),
        )
        return {ItemId(row["item"]): vector_of(row["vector"]) for row in rows}


class ChangeWrites(Writing, ChangeReads):
    """Stamps items. Its own `changes` and `seq` show what was committed before.

    They are read through a second connection: a reader beside an open transaction sees exactly the
    state before it, and no other writer can commit while it is open.
    """

    def __init__(
        self,
        connection: Connection,
        namespace: Namespace,
        *,
        committed: AbstractContextManager[Connection],
    ) -> None:
        super().__init__(connection, namespace, committed=committed)
        self._lent = ExitStack()
        self._before: Connection | None = None

    def leave(self) -> None:
        """End the scope and give the second connection back."""
        super().leave()
        self._before = None
        self._lent.close()

    def seq(self) -> int:
        """The number of the namespace's latest committed change."""
        return self._seq_before

    def changes(self, after_seq: int, *, limit: int) -> Sequence[IndexEntry]:
        """Committed changes only."""
        self._connection  # noqa: B018 - a closed scope must not open a connection.
        if self._before is None:
            self._before = self._lent.enter_context(self._committed)
        return _changes(self._before, self._number, after_seq, limit)

    def put_vector(self, item: ItemId, vector: Vector) -> None:
        """Set an item's vector, unless the item is gone or its words are."""
        item, blob = ItemId(int(item)), vector_blob(vector)
        wanted = self._value(
            "SELECT 1 FROM items WHERE item = ? AND namespace = ? AND deleted = 0 AND terms <> x''",
            (item, self._number),
        )
        if wanted:
            self._put_vector_blob(item, blob)
            self._run(
                "UPDATE items SET seq = ?, has_vector = 1, set_aside = 0 WHERE item = ?", (self._next_seq(), item)
            )

    def drop_vectors(self) -> int:
        """Remove every vector of the namespace; its texts wait for new ones."""
        items = [
            row["item"]
            for row in self._rows("SELECT item FROM items WHERE namespace = ? AND has_vector = 1", (self._number,))
        ]
        self._run_many("DELETE FROM vectors WHERE item = ?", ((item,) for item in items))
        self._run_many(
            "UPDATE items SET seq = ?, has_vector = 0 WHERE item = ?", ((self._next_seq(), item) for item in items)
        )
        self._run("UPDATE items SET set_aside = 0 WHERE namespace = ? AND set_aside = 1", (self._number,))
        return len(items)

    def set_aside(self, item: ItemId) -> None:
        """Let an item wait for no vector until its words change or the vectors are dropped."""
        self._run(
            "UPDATE items SET set_aside = 1 WHERE item = ? AND namespace = ? AND deleted = 0 AND has_vector = 0",
            (int(item), self._number),
        )

    def _put_vector_blob(self, item: ItemId, blob: bytes) -> None:
        self._run("INSERT OR REPLACE INTO vectors (item, vector) VALUES (?, ?)", (item, blob))

    def _new_item(
        self,
        kind: ItemKind,
        *,
        language: Language,
        trust: Trust,
        status: StoredStatus,
        at_ms: int,
        terms: bytes,
        place: tuple[int, int] = (0, 0),
    ) -> ItemId:
        """Add an item; *place* is its session's number and its position there."""
        self._run(
            "INSERT INTO items (namespace, seq, kind, language, trust, status, session, position, at_ms, "
            "has_vector, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
            (self._number, self._next_seq(), kind, language, trust, status, *place, at_ms, terms),
        )
        return ItemId(int(self._value("SELECT last_insert_rowid()")))

    def _replace_words(self, item: ItemId, *, language: Language, terms: bytes) -> None:
        """Give an item other terms. Its vector stood for the old words, so it goes."""
        self._run("DELETE FROM vectors WHERE item = ?", (item,))
        self._run(
            "UPDATE items SET seq = ?, language = ?, terms = ?, has_vector = 0, set_aside = 0 WHERE item = ?",
            (self._next_seq(), language, terms, item),
        )

    def _bury(self, items: Sequence[int]) -> int:
        """Turn items into tombstones and remove their vectors; how many vectors went."""
        vectors = self._run_many("DELETE FROM vectors WHERE item = ?", ((item,) for item in items))
        self._run_many(
            "UPDATE items SET seq = ?, deleted = 1, language = 'en', trust = 'untrusted', "
            "status = 'archived', session = 0, position = 0, at_ms = 0, has_vector = 0, set_aside = 0, "
            "terms = x'' WHERE item = ?",
            ((self._next_seq(), item) for item in items),
        )
        return max(vectors, 0)
