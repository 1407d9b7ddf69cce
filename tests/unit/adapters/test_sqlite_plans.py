"""The statements that run all day find their rows by an index, however large the store is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hindsight.adapters.sqlite.changes import CHANGES
from hindsight.adapters.sqlite.connection import Connection
from hindsight.adapters.sqlite.migration import migrate
from hindsight.adapters.sqlite.store import DUE_JOB, IDLE_SESSIONS, PENDING_TEXTS, SqliteStore
from hindsight.domain.namespace import Namespace
from hindsight.ports import ReadScope
from hindsight.testing import SAMPLE_TIME


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    opened = Connection(tmp_path / "plans.db", busy_timeout_s=1)
    migrate(opened)
    yield opened
    opened.close()


def plan(connection: Connection, sql: str, parameters: object = ()) -> list[str]:
    return [row["detail"] for row in connection.rows(f"EXPLAIN QUERY PLAN {sql}", parameters)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sql", "parameters", "index"),
    [
        (CHANGES, {"number": 1, "after": 0, "limit": 9, "space": " ", "never": 0.0}, "items_by_change"),
        (PENDING_TEXTS, (0, 9), "items_without_vector"),
        (DUE_JOB, (0,), "jobs_open"),
        (IDLE_SESSIONS, (0, 9), "sessions_pending"),
    ],
)
def test_a_statement_walks_its_index_and_sorts_nothing(
    connection: Connection, sql: str, parameters: object, index: str
) -> None:
    steps = plan(connection, sql, parameters)
    assert index in steps[0] or index in steps[1], steps
    assert not [step for step in steps if "TEMP B-TREE FOR ORDER BY" in step], steps
    assert not [step for step in steps if step.startswith("SCAN") and index not in step], steps


READS = {
    "memories": lambda scope: scope.memories(["mem_1"]),
    "memories_of": lambda scope: scope.memories_of([1]),
    "items_of": lambda scope: scope.items_of(["mem_1"]),
    "memories_with_key": lambda scope: scope.memories_with_key("diet"),
    "memories_on_session": lambda scope: scope.memories_on_session("s"),
    "versions": lambda scope: scope.versions("mem_1"),
    "vectors": lambda scope: scope.vectors([1]),
    "session": lambda scope: scope.session("s"),
    "latest_session": lambda scope: scope.latest_session(),
    "turns": lambda scope: scope.turns("s", first=3, end=9),
    "turn_with_id": lambda scope: scope.turn_with_id("s", "t"),
    "turns_of": lambda scope: scope.turns_of([1]),
    "turn_items": lambda scope: scope.turn_items("s", first=0, end=9),
    "turns_around": lambda scope: scope.turns_around([1], reach=2),
    "turn_places": lambda scope: scope.turn_places([1]),
    "memory_ids_of": lambda scope: scope.memory_ids_of([1]),
    "episodes_at": lambda scope: scope.episodes_at([1]),
    "episode_at": lambda scope: scope.episode_at("s", 0),
    "episodes_of": lambda scope: scope.episodes_of([1]),
    "jobs_of": lambda scope: scope.jobs_of("s"),
    "open_job": lambda scope: scope.open_job("s"),
    "open_conflicts": lambda scope: scope.open_conflicts(["mem_1"]),
    "tombstoned": lambda scope: scope.tombstoned(["d"]),
    "served": lambda scope: scope.served([1]),
    "audit_lines": lambda scope: scope.audit_lines("mem_1"),
    "memories_as_of": lambda scope: scope.memories_as_of(SAMPLE_TIME),
}


# Reads of all there is in a namespace, or of the first row that its index gives.
WHOLE_NAMESPACE = ("memories_as_of", "latest_session")


@pytest.mark.parametrize("name", READS)
def test_no_read_of_a_scope_scans_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    asked: list[tuple[str, object]] = []
    rows, tuples = Connection.rows, Connection.tuples

    def noted(self: Connection, sql: str, parameters: object = ()) -> object:
        asked.append((sql, parameters))
        return rows(self, sql, parameters)  # type: ignore[arg-type]

    def noted_tuples(self: Connection, sql: str, parameters: object = ()) -> object:
        asked.append((sql, parameters))
        return tuples(self, sql, parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(Connection, "rows", noted)
    monkeypatch.setattr(Connection, "tuples", noted_tuples)
    store = SqliteStore.open(tmp_path)
    with store.writing(Namespace("user/li")):
        pass
    with store.reading(Namespace("user/li")) as scope:
        asked.clear()
        read: object = READS[name]
        assert callable(read)
        read(scope)
    store.close()
    reader = Connection(store.path, busy_timeout_s=1)
    statements = [(sql, parameters) for sql, parameters in asked if sql.startswith("SELECT")]
    assert statements
    for sql, parameters in statements:
        steps = plan(reader, sql, parameters)
        scans = [step for step in steps if step.startswith("SCAN") and "json_each" not in step]
        assert not [step for step in scans if "CONSTANT ROW" not in step], (sql, steps)
        walks = [step for step in steps if step.endswith("(namespace=?)")]
        assert not walks or name in WHOLE_NAMESPACE or sql.startswith("SELECT number"), (sql, steps)
    reader.close()


def test_the_list_above_names_reads_of_the_port() -> None:
    assert all(hasattr(ReadScope, name) for name in READS)
