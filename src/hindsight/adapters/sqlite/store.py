"""The embedded record store: one SQLite file in the home, shared by threads and processes.

A server database was rejected as the default: memory must work offline in one process, with nothing
to start. One file with a write-ahead log serves several processes on one machine, and survives kill -9.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from hindsight.adapters.sqlite.changes import ChangeWrites
from hindsight.adapters.sqlite.checking import faults
from hindsight.adapters.sqlite.connection import Connection
from hindsight.adapters.sqlite.conversations import ConversationReads
from hindsight.adapters.sqlite.erasing import Erasure
from hindsight.adapters.sqlite.keys import find_key, list_keys, put_key
from hindsight.adapters.sqlite.memories import MemoryReads
from hindsight.adapters.sqlite.migration import migrate, prepare_file
from hindsight.adapters.sqlite.pool import ConnectionPool
from hindsight.adapters.sqlite.proofs import chained_event_of
from hindsight.adapters.sqlite.records import RecordReads
from hindsight.adapters.sqlite.rows import job_of
from hindsight.adapters.sqlite.scope import listed
from hindsight.adapters.sqlite.scrubbing import scrub
from hindsight.adapters.sqlite.write_queue import write_queue
from hindsight.domain.access import KeyId
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.ids import SessionId
from hindsight.domain.memory import under_key
from hindsight.domain.moments import to_millis
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Job
from hindsight.ports import ChainedEvent, ItemId, PendingText, ReadScope, StoredKey, WriteScope

DATABASE_NAME: Final = "memory.db"
# Longer than any write measured here takes, also behind four processes that write at once.
BUSY_TIMEOUT_S: Final = 30.0

# The index `items_without_vector` holds exactly these rows: the terms must stay word for word.
_WANTED: Final = "i.has_vector = 0 AND i.deleted = 0 AND i.status <> 'quarantined' AND i.terms <> x'' "
_WITHOUT_VECTOR: Final = f"{_WANTED}AND i.set_aside = 0"
PENDING_TEXTS: Final = (
    "SELECT n.name AS namespace, i.item, i.kind, m.key, m.value, t.name AS speaker, t.content, "
    "e.user_said, e.agent_did, e.conclusion "
    "FROM items AS i JOIN namespaces AS n ON n.number = i.namespace "
    "LEFT JOIN memories AS m ON m.item = i.item LEFT JOIN turns AS t ON t.item = i.item "
    "LEFT JOIN episodes AS e ON e.item = i.item "
    f"WHERE i.item > ? AND {_WITHOUT_VECTOR} ORDER BY i.item LIMIT ?"
)
DUE_JOB: Final = (
    "SELECT j.*, n.name FROM jobs AS j JOIN namespaces AS n ON n.number = j.namespace "
    "WHERE j.state IN ('queued', 'running') AND "
    "CASE j.state WHEN 'queued' THEN j.run_after_ms ELSE j.lease_until_ms END <= ? "
    "ORDER BY j.created_ms, j.id LIMIT 1"
)
IDLE_SESSIONS: Final = (
    "SELECT n.name, s.id FROM sessions AS s JOIN namespaces AS n ON n.number = s.namespace "
    "WHERE s.user_turns_pending > 0 AND s.observed_ms < ? AND NOT EXISTS (SELECT 1 FROM jobs AS j "
    "WHERE j.namespace = s.namespace AND j.session_id = s.id AND j.kind = 'look_back' "
    "AND j.state IN ('queued', 'running')) ORDER BY s.observed_ms, s.number LIMIT ?"
)
_HOLDING: Final = " UNION ".join(
    f"SELECT namespace FROM {table}"
    for table in ("memories", "sessions", "jobs", "conflicts", "proposals", "traces", "requests", "served")
)


_HOLDS: Final = "EXISTS (SELECT 1 FROM json_each(:words) AS w WHERE instr({column}, w.value) > 0)"
_IS: Final = "{column} IN (SELECT value FROM json_each(:words))"
_PLACES: Final = (
    "SELECT (SELECT count(*) FROM memories AS m JOIN namespaces AS n ON n.number = m.namespace "
    "WHERE n.name <> :outside AND {in_value}) + "
    "(SELECT count(*) FROM turns AS t JOIN sessions AS s ON s.number = t.session "
    "JOIN namespaces AS n ON n.number = s.namespace WHERE n.name <> :outside AND {in_content})"
)


class SqliteReadScope(MemoryReads, ConversationReads, RecordReads):
    """One namespace's data as of one snapshot."""


class SqliteWriteScope(Erasure, ChangeWrites):
    """One namespace's data in one transaction."""


class SqliteStore:
    """The record store in ``HOME/memory.db``.

    It may be shared by threads, opened by several processes, and used on after a fork.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._pool = ConnectionPool(path, busy_timeout_s=busy_timeout_s)

    @classmethod
    def open(cls, home: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> SqliteStore:
        """Open the store of *home*, making or migrating it where that is due.

        Raises:
            InvalidRequest: *home* is no directory, or a newer version made the store.
            BackendUnavailable: The file cannot be opened or written.
            CorruptData: The file is no store.
        """
        try:
            path = prepare_file(home, DATABASE_NAME)
        except OSError as exc:
            raise BackendUnavailable(
                f"the home {str(home)!r} cannot be made or written ({exc}); name another, or make it "
                "writable for this user",
                code="store_not_opened",
            ) from exc
        with ExitStack() as undo:
            store = cls(path, busy_timeout_s=busy_timeout_s)
            undo.callback(store.close)
            with write_queue(path).turn(timeout_s=busy_timeout_s), store._pool.connection() as connection:
                migrate(connection)
            undo.pop_all()
        return store

    @property
    def path(self) -> Path:
        """The database file."""
        return self._path

    @contextmanager
    def reading(self, namespace: Namespace) -> Generator[ReadScope]:
        """A snapshot of the namespace; writers go on beside it."""
        with self._pool.connection() as connection, connection.transaction(write=False):
            scope = SqliteReadScope(connection, namespace)
            try:
                yield scope
            finally:
                scope.leave()

    @contextmanager
    def writing(self, namespace: Namespace) -> Generator[WriteScope]:
        """One transaction on the namespace. It must not be opened within another in the same thread."""
        with self._write_transaction() as connection:
            scope = SqliteWriteScope(connection, namespace, committed=self._pool.connection())
            try:
                yield scope
                scope.finish()
            finally:
                scope.leave()

    def namespaces(self) -> Sequence[Namespace]:
        """Every namespace that holds anything, sorted."""
        with self._pool.connection() as connection:
            rows = connection.rows(f"SELECT name FROM namespaces WHERE number IN ({_HOLDING}) ORDER BY name")
        return [Namespace(row["name"]) for row in rows]

    def places_holding(self, words: Collection[str], *, outside: Namespace, whole: bool = False) -> int:
        """How many memories and turns of other namespaces hold one of *words*, or are one where *whole*."""
        meets = _IS if whole else _HOLDS
        statement = _PLACES.format(in_value=meets.format(column="m.value"), in_content=meets.format(column="t.content"))
        with self._pool.connection() as connection:
            return int(connection.value(statement, {"words": listed(words), "outside": outside}))

    def claim_job(self, *, now: datetime, lease_until: datetime, owner: str) -> Job | None:
        """Lease the oldest job that is due, of any namespace."""
        due = (to_millis(now),)
        with self._pool.connection() as connection:
            # Looking first keeps idle workers from taking the write lock every time.
            if connection.row(DUE_JOB, due) is None:
                return None
        with self._write_transaction() as connection:
            row = connection.row(DUE_JOB, due)
            if row is None:
                return None
            place = (row["namespace"], row["id"])
            connection.run(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1, lease_owner = ?, "
                "lease_until_ms = ? WHERE namespace = ? AND id = ?",
                (owner, to_millis(lease_until), *place),
            )
            leased = connection.rows("SELECT * FROM jobs WHERE namespace = ? AND id = ?", place)[0]
            return job_of(leased, Namespace(row["name"]))

    def jobs_waiting(self) -> int:
        """How many jobs are queued or running, in all namespaces."""
        with self._pool.connection() as connection:
            return int(connection.value("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')"))

    def idle_sessions(self, *, observed_before: datetime, limit: int) -> Sequence[tuple[Namespace, SessionId]]:
        """Sessions with user turns to look back on that fell silent before that, the longest silent first."""
        with self._pool.connection() as connection:
            rows = connection.rows(IDLE_SESSIONS, (to_millis(observed_before), limit))
        return [(Namespace(row["name"]), SessionId(row["id"])) for row in rows]

    def pending_texts(self, *, limit: int, after: ItemId | None = None) -> Sequence[PendingText]:
        """Texts that wait for a vector, by item, of all namespaces."""
        with self._pool.connection() as connection:
            rows = connection.rows(PENDING_TEXTS, (0 if after is None else after, limit))
        texts: list[PendingText] = []
        for row in rows:
            if row["kind"] == "episode":
                text = "\n".join(part for part in (row["user_said"], row["agent_did"], row["conclusion"]) if part)
            else:
                is_memory = row["kind"] == "memory"
                text = under_key(row["key"], row["value"]) if is_memory else _spoken(row["speaker"], row["content"])
            texts.append(PendingText(namespace=Namespace(row["namespace"]), item=ItemId(row["item"]), text=text))
        return texts

    def pending_count(self) -> int:
        """How many texts are without a vector."""
        with self._pool.connection() as connection:
            return int(connection.value(f"SELECT count(*) FROM items AS i WHERE {_WITHOUT_VECTOR}"))

    def set_aside_count(self) -> int:
        """How many texts are without a vector because the embedder fails on them."""
        with self._pool.connection() as connection:
            return int(connection.value(f"SELECT count(*) FROM items AS i WHERE {_WANTED} AND i.set_aside = 1"))

    def meta(self, name: str) -> str | None:
        """A setting of the store as a whole."""
        with self._pool.connection() as connection:
            return connection.value("SELECT value FROM meta WHERE name = ?", (name,))

    def set_meta(self, name: str, value: str) -> None:
        """Change a setting of the store as a whole."""
        with self._write_transaction() as connection:
            connection.run("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))

    def change_meta(self, name: str, change: Callable[[str | None], str]) -> str:
        """Set a setting to what *change* makes of its present value, in one transaction."""
        with self._write_transaction() as connection:
            value = change(connection.value("SELECT value FROM meta WHERE name = ?", (name,)))
            connection.run("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))
        return value

    def chain(self, *, after: int, limit: int) -> Sequence[ChainedEvent]:
        """Audit events of all namespaces after that number, in order."""
        with self._pool.connection() as connection:
            rows = connection.rows("SELECT * FROM audit WHERE number > ? ORDER BY number LIMIT ?", (after, limit))
        return [chained_event_of(row) for row in rows]

    def lease(self, name: str, *, owner: str, now: datetime, until: datetime) -> bool:
        """Take or extend a named lease; False while another owner holds it."""
        with self._write_transaction() as connection:
            taken = connection.run(
                "INSERT INTO leases (name, owner, until_ms) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE "
                "SET owner = excluded.owner, until_ms = excluded.until_ms "
                "WHERE leases.owner = excluded.owner OR leases.until_ms <= ?",
                (name, owner, to_millis(until), to_millis(now)),
            )
        return taken > 0

    def put_api_key(self, stored: StoredKey, *, event: AuditEvent) -> None:
        """Insert or change an API key, with its audit event."""
        with self._write_transaction() as connection:
            scope = SqliteWriteScope(connection, event.namespace, committed=self._pool.connection())
            try:
                scope.record(event)
                scope.finish()
            finally:
                scope.leave()
            put_key(connection, stored)

    def api_key(self, key_id: KeyId) -> StoredKey | None:
        """The API key with that id, if any."""
        with self._pool.connection() as connection:
            return find_key(connection, key_id)

    def api_keys(self, *, limit: int | None = None) -> Sequence[StoredKey]:
        """The API keys of the home, by id."""
        with self._pool.connection() as connection:
            return list_keys(connection, limit)

    def scrub(self) -> Sequence[str]:
        """Leave no deleted byte behind in any file; what could not be scrubbed yet, in words."""
        with (
            write_queue(self._path).turn(timeout_s=self._busy_timeout_s),
            self._pool.connection() as connection,
        ):
            try:
                return scrub(connection)
            finally:
                connection.wait_at_most(self._busy_timeout_s)

    def check(self) -> Sequence[str]:
        """What is wrong with the store, in words; empty when it is sound."""
        with self._pool.connection() as connection, connection.transaction(write=False):
            return list(faults(connection))

    def close(self) -> None:
        """Give the file back. Scopes that are still open end as they would."""
        self._pool.close()

    @contextmanager
    def _write_transaction(self) -> Generator[Connection]:
        with (
            write_queue(self._path).turn(timeout_s=self._busy_timeout_s),
            self._pool.connection() as connection,
            connection.transaction(write=True),
        ):
            yield connection


def _spoken(speaker: str | None, content: str) -> str:
    """As `Turn.spoken`."""
    return f"{speaker}: {content}" if speaker else content
