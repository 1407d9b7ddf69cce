"""Memories: their current state, the versions behind it, and the evidence they rest on."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from hindsight.adapters.sqlite.changes import ChangeReads, ChangeWrites
from hindsight.adapters.sqlite.rows import (
    STATE_COLUMNS,
    evidence_columns,
    evidence_of,
    insert,
    memory_of,
    state_columns,
    stored_status,
    upsert,
    vector_blob,
)
from hindsight.adapters.sqlite.scope import listed
from hindsight.domain.errors import InvalidRequest, StateMismatch
from hindsight.domain.ids import MemoryId, SessionId
from hindsight.domain.memory import Evidence, Memory, MemoryVersion, StoredStatus
from hindsight.domain.moments import from_millis, to_millis
from hindsight.domain.trust import Trust
from hindsight.ports import ItemId, Vector

_MEMORIES: Final = "SELECT m.* FROM memories AS m WHERE m.namespace = :namespace"
# The plus keeps the planner from walking a whole namespace for the sake of a few items.
_BY_ITEM: Final = "SELECT m.* FROM memories AS m WHERE +m.namespace = :namespace AND m.item IN"
_OLDEST_FIRST: Final = "ORDER BY m.created_ms, m.id"
_VERSION: Final = "m.id, m.key, m.value, m.item, v.why, " + ", ".join(f"v.{name}" for name in STATE_COLUMNS)


class MemoryReads(ChangeReads):
    """The namespace's memories."""

    def memory(self, memory_id: MemoryId) -> Memory | None:
        """The memory with that id."""
        return self.memories([memory_id]).get(memory_id)

    def memories(self, memory_ids: Sequence[MemoryId]) -> Mapping[MemoryId, Memory]:
        """Those of *memory_ids* that are here."""
        rows = self._rows(
            f"{_MEMORIES} AND m.id IN (SELECT value FROM json_each(:ids))",
            {"namespace": self._number, "ids": listed(memory_ids)},
        )
        return {memory.id: memory for memory in self._with_evidence(rows)}

    def memories_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Memory]:
        """The memories behind those of *items* that stand for one."""
        rows = self._rows(
            f"{_BY_ITEM} (SELECT value FROM json_each(:items))",
            {"namespace": self._number, "items": listed(items)},
        )
        return {ItemId(row["item"]): memory for row, memory in zip(rows, self._with_evidence(rows), strict=True)}

    def items_of(self, memory_ids: Sequence[MemoryId]) -> Mapping[MemoryId, ItemId]:
        """The items of those of *memory_ids* that are here."""
        rows = self._rows(
            "SELECT id, item FROM memories WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))",
            (self._number, listed(memory_ids)),
        )
        return {MemoryId(row["id"]): ItemId(row["item"]) for row in rows}

    def memory_ids_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, MemoryId]:
        """The ids of the memories behind those of *items* that stand for one."""
        rows = self._rows(
            "SELECT item, id FROM memories WHERE item IN (SELECT value FROM json_each(?)) AND +namespace = ?",
            (listed(items), self._number),
        )
        return {ItemId(row["item"]): MemoryId(row["id"]) for row in rows}

    def memories_with_key(self, key: str) -> Sequence[Memory]:
        """Active memories under exactly *key*, oldest first."""
        return self._with_evidence(
            self._rows(
                f"{_MEMORIES} AND m.key = :key AND m.status = 'active' {_OLDEST_FIRST}",
                {"namespace": self._number, "key": key},
            )
        )

    def memories_on_session(self, session_id: SessionId) -> Sequence[Memory]:
        """Memories in any status that rest on a turn of the session, oldest first."""
        return self._with_evidence(
            self._rows(
                f"{_BY_ITEM} (SELECT item FROM evidence WHERE session_id = :session) " + _OLDEST_FIRST,
                {"namespace": self._number, "session": session_id},
            )
        )

    def memory_page(
        self,
        *,
        statuses: Collection[StoredStatus],
        trusts: Collection[Trust],
        limit: int,
        after: MemoryId | None,
    ) -> Sequence[Memory]:
        """Memories by id descending (newest first), starting below *after*."""
        return self._with_evidence(
            self._rows(
                f"{_MEMORIES} AND (:after IS NULL OR m.id < :after) "
                "AND m.status IN (SELECT value FROM json_each(:statuses)) "
                "AND m.trust IN (SELECT value FROM json_each(:trusts)) ORDER BY m.id DESC LIMIT :limit",
                {
                    "namespace": self._number,
                    "after": after,
                    "statuses": listed(statuses),
                    "trusts": listed(trusts),
                    "limit": limit,
                },
            )
        )

    def versions(self, memory_id: MemoryId) -> Sequence[MemoryVersion]:
        """A memory's life, oldest first; empty when it never was here."""
        rows = self._rows(
            f"SELECT {_VERSION} FROM memories AS m JOIN memory_versions AS v ON v.item = m.item "
            "WHERE m.namespace = ? AND m.id = ? ORDER BY v.version",
            (self._number, memory_id),
        )
        return [
            MemoryVersion(memory=memory, recorded_at=from_millis(row["updated_ms"]), why=row["why"])
            for row, memory in zip(rows, self._with_evidence(rows), strict=True)
        ]

    def memories_as_of(self, at: datetime) -> Mapping[ItemId, Memory]:
        """Every memory that was recorded by *at*, as it was recorded then."""
        rows = self._rows(
            f"SELECT {_VERSION} FROM memories AS m JOIN memory_versions AS v ON v.item = m.item "
            "WHERE m.namespace = ? AND v.version = (SELECT max(version) FROM memory_versions "
            "WHERE item = m.item AND updated_ms <= ?)",
            (self._number, to_millis(at)),
        )
        return {ItemId(row["item"]): memory for row, memory in zip(rows, self._with_evidence(rows), strict=True)}

    def _with_evidence(self, rows: Sequence[sqlite3.Row]) -> list[Memory]:
        """The memories of *rows*, each with the evidence its version had."""
        evidence = self._evidence({int(row["item"]) for row in rows})
        return [
            memory_of(
                row,
                self._namespace,
                [piece for since, piece in evidence.get(row["item"], ()) if since <= row["version"]],
            )
            for row in rows
        ]

    def _evidence(self, items: Iterable[int]) -> Mapping[int, Sequence[tuple[int, Evidence]]]:
        """Each item's evidence in order, with the version it came with."""
        found: defaultdict[int, list[tuple[int, Evidence]]] = defaultdict(list)
        for row in self._rows(
            "SELECT * FROM evidence WHERE item IN (SELECT value FROM json_each(?)) ORDER BY item, position",
            (listed(items),),
        ):
            found[row["item"]].append((row["since_version"], evidence_of(row)))
        return found


class MemoryWrites(MemoryReads, ChangeWrites):
    """Writes memories."""

    def put_memory(self, memory: Memory, *, why: str, terms: bytes | None = None, vector: Vector | None = None) -> None:
        """Insert or change a memory and append the version.

        Evidence that *memory* no longer carries is removed from its earlier versions too.

        Raises:
            InvalidRequest: The first version comes without terms, or another namespace's memory.
            StateMismatch: The version is not above the stored one, or key or value differ.
        """
        self._own(memory.namespace, what=f"memory {memory.id!r}")
        blob = None if vector is None else vector_blob(vector)
        stored = self._row(
            "SELECT item, key, value, version FROM memories WHERE namespace = ? AND id = ?",
            (self._number, memory.id),
        )
        if stored is None:
            if terms is None:
                raise InvalidRequest(f"memory {memory.id!r} is new: its first version must bring its terms")
            item = self._add(memory, terms)
        else:
            item = ItemId(stored["item"])
            self._change(item, stored, memory, terms)
        if blob is not None:
            self._put_vector_blob(item, blob)
            self._run("UPDATE items SET has_vector = 1 WHERE item = ?", (item,))
        version = {"item": item, "why": why, **state_columns(memory)}
        self._run(insert("memory_versions", version), version)
        self._put_evidence(item, memory)

    def _add(self, memory: Memory, terms: bytes) -> ItemId:
        item = self._new_item(
            "memory",
            language=memory.language,
            trust=memory.trust,
            status=stored_status(memory),
            at_ms=to_millis(newest_evidence(memory)),
            terms=terms,
        )
        row = {
            "item": item,
            "namespace": self._number,
            "id": memory.id,
            "key": memory.key,
            "value": memory.value,
            **state_columns(memory),
        }
        self._run(insert("memories", row), row)
        return item

    def _change(self, item: ItemId, stored: sqlite3.Row, memory: Memory, terms: bytes | None) -> None:
        if memory.version <= stored["version"]:
            raise StateMismatch(
                f"memory {memory.id!r} is at version {stored['version']}, and {memory.version} was to "
                "follow; read it again"
            )
        if (memory.key, memory.value) != (stored["key"], stored["value"]):
            raise StateMismatch(
                f"memory {memory.id!r} keeps its key and value for life; write another that supersedes it"
            )
        row = {
            "item": item,
            "namespace": self._number,
            "id": memory.id,
            "key": memory.key,
            "value": memory.value,
        }
        row |= state_columns(memory)
        self._run(upsert("memories", row, key=("item",)), row)
        self._run(
            "UPDATE items SET seq = ?, language = ?, trust = ?, status = ?, at_ms = ?, "
            "terms = ifnull(?, terms) WHERE item = ?",
            (
                self._next_seq(),
                memory.language,
                memory.trust,
                stored_status(memory),
                to_millis(newest_evidence(memory)),
                terms,
                item,
            ),
        )

    def _put_evidence(self, item: ItemId, memory: Memory) -> None:
        stored = list(self._evidence([item]).get(item, ()))
        since = evidence_since(stored, memory)
        if since == stored:
            return
        if stored and since[: len(stored)] != stored:
            self._run("DELETE FROM evidence WHERE item = ?", (item,))
            stored = []
        rows = [
            {"item": item, "position": position, "since_version": version, **evidence_columns(piece)}
            for position, (version, piece) in enumerate(since)
        ][len(stored) :]
        if rows:
            self._run_many(insert("evidence", rows[0]), rows)


def newest_evidence(memory: Memory) -> datetime:
    """The time of a memory's newest evidence; the call that wrote it is its evidence where it has none."""
    return max((piece.at for piece in memory.evidence), default=memory.created_at)


def evidence_since(stored: Iterable[tuple[int, Evidence]], memory: Memory) -> list[tuple[int, Evidence]]:
    """The memory's evidence, each piece with the version it came with: its own, if it was not *stored*."""
    known: defaultdict[Evidence, list[int]] = defaultdict(list)
    for version, piece in stored:
        known[piece].append(version)
    return [(known[piece].pop(0) if known[piece] else memory.version, piece) for piece in memory.evidence]
