"""Items: what the derived indexes see, and how they learn what changed.

A change takes the namespace's next ``seq`` and puts it on the item it touched, so an index that asks
for what came after its own ``seq`` gets each item once, in its latest state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Final

import numpy as np

from hindsight.adapters.sqlite.connection import Connection
from hindsight.adapters.sqlite.rows import checked_blob, vector_blob, vector_of
from hindsight.adapters.sqlite.scope import Scope, Writing, listed
from hindsight.domain.memory import CATEGORIES, Language, StoredStatus
from hindsight.domain.namespace import Namespace
from hindsight.domain.trust import TRUSTS, Trust
from hindsight.ports import ItemId, ItemKind, Vector
from hindsight.ports.changes import (
    FACETS,
    KINDS,
    LANGUAGES,
    NO_CATEGORY,
    NO_TIME,
    STORED_STATUSES,
    Changes,
)

# What `str.rstrip` takes for space.
_SPACE: Final = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())


def _code(column: str, words: Sequence[str]) -> str:
    """A word's place in *words*, as FACETS keeps it."""
    return f"CASE {column} " + " ".join(f"WHEN '{word}' THEN {code}" for code, word in enumerate(words)) + " END"


_SAID: Final = "rtrim(t.content, :space)"
# The columns of FACETS in their order, then the speaker, the terms and the vector.
CHANGES: Final = (
    "SELECT i.item, i.seq, ifnull(m.verified_ms, i.at_ms), "
    f"ifnull(m.valid_from_ms, {NO_TIME}), ifnull(m.valid_to_ms, {NO_TIME}), "
    "i.session, i.position, ifnull(e.last_index, i.position), "
    f"ifnull(length({_SAID}), 0), -1, ifnull(m.confidence, 1.0), ifnull(m.ttl_days, :never), "
    f"{_code('i.kind', KINDS)}, {_code('i.language', LANGUAGES)}, {_code('i.trust', TRUSTS)}, "
    f"{_code('i.status', STORED_STATUSES)}, ifnull({_code('m.category', CATEGORIES)}, {NO_CATEGORY}), "
    f"ifnull(substr({_SAID}, -1) IN ('?', '？'), 0), ifnull(t.erased, 0), i.deleted, t.name, i.terms, v.vector "
    "FROM items AS i LEFT JOIN vectors AS v ON v.item = i.item AND i.has_vector = 1 "
    "LEFT JOIN memories AS m ON m.item = i.item AND i.kind = 'memory' "
    "LEFT JOIN turns AS t ON t.item = i.item AND i.kind = 'turn' "
    "LEFT JOIN episodes AS e ON e.item = i.item AND i.kind = 'episode' "
    "WHERE i.namespace = :number AND i.seq > :after ORDER BY i.seq LIMIT :limit"
)
_FACETS_COUNT: Final = len(FACETS.names or ())
_NEVER: Final = float("inf")


def _changes(connection: Connection, number: int, after_seq: int, limit: int) -> Changes:
    # By position: an index that starts reads a whole namespace, and looking up names took a third of it.
    rows = connection.tuples(
        CHANGES, {"number": number, "after": after_seq, "limit": limit, "space": _SPACE, "never": _NEVER}
    )
    facets = np.array([row[:_FACETS_COUNT] for row in rows], dtype=FACETS)
    ttl = facets["ttl_days"]
    ttl[np.isinf(ttl)] = np.nan
    names = [row[_FACETS_COUNT] for row in rows]
    speakers = sorted({name for name in names if name is not None})
    if speakers:
        codes = {name: code for code, name in enumerate(speakers)}
        facets["speaker"] = [codes.get(name, -1) for name in names]
    return Changes(
        facets=facets,
        speakers=speakers,
        terms=[row[_FACETS_COUNT + 1] for row in rows],
        vectors=[_whole(row[_FACETS_COUNT + 2]) for row in rows],
    )


def _whole(blob: bytes | None) -> bytes | None:
    """A vector's bytes, if they are a vector's."""
    return blob if blob is None else checked_blob(blob)


class ChangeReads(Scope):
    """The namespace's changes as of the snapshot."""

    def seq(self) -> int:
        """The number of the namespace's latest change."""
        return self._seq

    def changes(self, after_seq: int, *, limit: int) -> Changes:
        """Items changed after *after_seq*, in order."""
        return _changes(self._connection, self._number, after_seq, limit)

    def vectors(self, items: Sequence[ItemId]) -> Mapping[ItemId, Vector]:
        """The vectors of those of *items* that have one."""
        rows = self._connection.tuples(
            "SELECT v.item, v.vector FROM vectors AS v JOIN items AS i ON i.item = v.item "
            "WHERE v.item IN (SELECT value FROM json_each(?)) AND +i.namespace = ?",
            (listed(items), self._number),
        )
        sizes = {len(blob) for _, blob in rows}
        if len(sizes) != 1:
            return {ItemId(item): vector_of(blob) for item, blob in rows}
        checked_blob(rows[0][1])
        together = np.frombuffer(b"".join([blob for _, blob in rows]), dtype="<f4").astype(np.float32, copy=False)
        return dict(zip([ItemId(item) for item, _ in rows], together.reshape(len(rows), -1), strict=True))


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

    def changes(self, after_seq: int, *, limit: int) -> Changes:
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
        self.take_up_set_aside()
        return len(items)

    def take_up_set_aside(self) -> None:
        """Let every text that was set aside wait for a vector again."""
        self._run("UPDATE items SET set_aside = 0 WHERE namespace = ? AND set_aside = 1", (self._number,))

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
