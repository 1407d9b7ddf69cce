"""A store of any earlier schema opens as one of the newest; a store from the future is refused."""

from __future__ import annotations

import sqlite3
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from hindsight.adapters.sqlite.connection import Connection
from hindsight.adapters.sqlite.migration import APPLICATION_ID, Migration, migrate, migrations
from hindsight.adapters.sqlite.store import DATABASE_NAME, SqliteStore
from hindsight.domain.errors import BackendUnavailable, InvalidRequest
from hindsight.domain.moments import to_millis
from hindsight.domain.namespace import Namespace
from hindsight.testing import SAMPLE_TIME, sample_memory

LI = Namespace("user/li")
STEPS = migrations()
NEXT = Migration(STEPS[-1].version + 1, "CREATE TABLE extra (a TEXT) STRICT;\nINSERT INTO extra VALUES ('; --');\n")


def schema_of(path: Path) -> list[tuple[str, ...]]:
    raw = sqlite3.connect(path)
    try:
        return raw.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
    finally:
        raw.close()


def value(path: Path, pragma: str) -> int:
    raw = sqlite3.connect(path)
    try:
        return raw.execute(f"PRAGMA {pragma}").fetchone()[0]
    finally:
        raw.close()


def test_steps_are_numbered_without_a_gap() -> None:
    assert [step.version for step in STEPS] == list(range(1, len(STEPS) + 1))


@pytest.mark.parametrize("version", range(len(STEPS) + 1))
def test_a_store_of_every_earlier_schema_opens_as_the_newest(tmp_path: Path, version: int) -> None:
    fresh, old = tmp_path / "fresh", tmp_path / "old"
    SqliteStore.open(fresh).close()
    old.mkdir()
    if version:
        connection = Connection(old / DATABASE_NAME, busy_timeout_s=1)
        migrate(connection, steps=STEPS[:version])
        connection.close()
    store = SqliteStore.open(old)
    with store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1"), why="added", terms=b"x")
    assert list(store.check()) == []
    store.close()
    assert schema_of(store.path) == schema_of(fresh / DATABASE_NAME)
    assert value(store.path, "user_version") == STEPS[-1].version
    assert value(store.path, "application_id") == APPLICATION_ID
    assert value(store.path, "journal_mode") == "wal"


def test_a_later_step_is_added_to_a_store_and_keeps_what_it_holds(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    with store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1"), why="added", terms=b"x")
    store.close()
    connection = Connection(store.path, busy_timeout_s=1)
    migrate(connection, steps=(*STEPS, NEXT))
    migrate(connection, steps=(*STEPS, NEXT))
    assert connection.value("SELECT a FROM extra") == "; --"
    assert connection.value("SELECT count(*) FROM memories") == 1
    connection.close()


def test_a_step_that_fails_leaves_the_store_at_its_version(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    store.close()
    before = schema_of(store.path)
    broken = Migration(NEXT.version, NEXT.sql + "INSERT INTO nowhere VALUES (1);\n")
    connection = Connection(store.path, busy_timeout_s=1)
    with pytest.raises(BackendUnavailable, match="nowhere"):
        migrate(connection, steps=(*STEPS, broken))
    connection.close()
    assert schema_of(store.path) == before
    assert value(store.path, "user_version") == STEPS[-1].version
    SqliteStore.open(tmp_path).close()


def test_a_store_from_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path).close()
    connection = Connection(tmp_path / DATABASE_NAME, busy_timeout_s=1)
    migrate(connection, steps=(*STEPS, NEXT))
    connection.close()
    with pytest.raises(InvalidRequest, match="upgrade hindsight") as caught:
        SqliteStore.open(tmp_path)
    assert caught.value.code == "store_too_new"
    assert value(tmp_path / DATABASE_NAME, "user_version") == NEXT.version


def test_threads_that_open_a_new_home_at_once_all_get_a_store(tmp_path: Path) -> None:
    stores: list[SqliteStore] = []
    threads = [threading.Thread(target=lambda: stores.append(SqliteStore.open(tmp_path / "home"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(stores) == 8
    for store in stores:
        assert list(store.check()) == []
        store.close()


def test_deleted_content_is_overwritten_from_the_first_table_on(tmp_path: Path) -> None:
    connection = Connection(tmp_path / DATABASE_NAME, busy_timeout_s=1)
    settings = {
        name: connection.value(f"PRAGMA {name}")
        for name in ("secure_delete", "journal_mode", "synchronous", "foreign_keys", "trusted_schema")
    }
    assert settings == {
        "secure_delete": 1,
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "trusted_schema": 0,
    }
    connection.close()


def test_a_turn_of_an_earlier_schema_is_known_from_its_own_time_on(tmp_path: Path) -> None:
    connection = Connection(tmp_path / DATABASE_NAME, busy_timeout_s=1)
    migrate(connection, steps=STEPS[:2])
    millis = to_millis(SAMPLE_TIME)
    for statement in (
        "INSERT INTO namespaces (number, name, seq) VALUES (1, 'user/li', 1)",
        "INSERT INTO sessions VALUES (1, 1, 's', 1, 1, 0, {at}, {at}, {at}, 0, NULL)",
        "INSERT INTO items VALUES (1, 1, 1, 'turn', 0, 'en', 'trusted', 'active', 1, 0, {at}, 0, x'00')",
        "INSERT INTO turns VALUES (1, 1, 0, 's#0', 'user', 'hello', {at}, 'user', NULL, 0, NULL)",
    ):
        connection.run(statement.format(at=millis))
    connection.close()
    store = SqliteStore.open(tmp_path)
    with store.reading(LI) as scope:
        turn = scope.turns("s")[0]
    store.close()
    assert turn.observed_at is None
    assert turn.known_by(SAMPLE_TIME)
    assert not turn.known_by(SAMPLE_TIME - timedelta(milliseconds=1))
