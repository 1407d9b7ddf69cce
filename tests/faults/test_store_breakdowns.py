"""Full disks, read-only files, foreign and damaged files, long waits: a clear error, and nothing lost."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hindsight.adapters.sqlite.connection import Connection
from hindsight.adapters.sqlite.pool import ConnectionPool
from hindsight.adapters.sqlite.store import DATABASE_NAME, SqliteStore
from hindsight.adapters.sqlite.write_queue import write_queue
from hindsight.domain.errors import BackendUnavailable, CorruptData, HindsightError, InvalidRequest
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent
from hindsight.testing import SAMPLE_TIME, sample_memory

LI = Namespace("user/li")
as_root = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with_one_memory = SqliteStore.open(tmp_path / "home", busy_timeout_s=0.2)
    with with_one_memory.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1"), why="added", terms=b"vim")
    yield with_one_memory
    with_one_memory.close()


def put(store: SqliteStore, memory_id: str, *, size: int = 10) -> None:
    with store.writing(LI) as scope:
        scope.put_memory(sample_memory(memory_id, value="x" * size), why="added", terms=b"x" * size)


def test_a_full_disk_is_a_clear_error_and_loses_nothing(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = sqlite3.connect(store.path)
    used = pages.execute("PRAGMA page_count").fetchone()[0]
    pages.close()
    opened = Connection.__init__

    def small(self: Connection, path: Path, *, busy_timeout_s: float) -> None:
        opened(self, path, busy_timeout_s=busy_timeout_s)
        self.rows(f"PRAGMA max_page_count = {used + 3}")

    home = store.path.parent
    store.close()
    with monkeypatch.context() as patched:
        patched.setattr(Connection, "__init__", small)
        full = SqliteStore.open(home)
        with pytest.raises(BackendUnavailable, match="full") as caught:
            put(full, "mem_big", size=200_000)
        assert caught.value.code == "disk_full"
        assert str(store.path) in str(caught.value)
        with full.reading(LI) as scope:
            assert scope.memories(["mem_1", "mem_big"]) == {"mem_1": sample_memory("mem_1")}
        full.close()
    again = SqliteStore.open(home)
    put(again, "mem_big", size=200_000)
    assert list(again.check()) == []
    again.close()


def test_a_lock_that_another_program_keeps_ends_in_a_retryable_error(store: SqliteStore) -> None:
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(BackendUnavailable, match="locked") as caught:
        put(store, "mem_2")
    assert (caught.value.code, caught.value.retryable) == ("store_busy", True)
    with store.reading(LI) as scope:
        assert scope.memory("mem_1") is not None
    [waiting] = store.scrub()
    assert waiting
    other.execute("ROLLBACK")
    other.close()
    put(store, "mem_2")


def test_a_thread_that_waits_too_long_for_its_turn_is_told_so_and_the_line_moves_on(store: SqliteStore) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with store.writing(LI):
            entered.set()
            leave.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait(30)
    with pytest.raises(BackendUnavailable, match="busy"):
        put(store, "mem_2")
    leave.set()
    holder.join(30)
    put(store, "mem_2")


def test_writers_of_one_process_go_in_the_order_they_came(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    order: list[int] = []

    def write(number: int) -> None:
        with store.writing(LI):
            order.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(5)]
    with store.writing(LI):
        for place, thread in enumerate(threads, start=1):
            thread.start()
            while write_queue(store.path).waiting < place:
                thread.join(0.001)
    for thread in threads:
        thread.join(30)
    assert order == [0, 1, 2, 3, 4]
    store.close()


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"these are notes, not a database, " * 200, CorruptData),
        (b"SQLite format 3\x00" + b"\x7f" * 4096, CorruptData),
    ],
)
def test_a_file_that_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, content: bytes, error: type[HindsightError]
) -> None:
    path = tmp_path / DATABASE_NAME
    path.write_bytes(content)
    with pytest.raises(error, match=r"memory\.db"):
        SqliteStore.open(tmp_path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / DATABASE_NAME
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE notes (text)")
    other.commit()
    other.close()
    with pytest.raises(CorruptData, match="another program"):
        SqliteStore.open(tmp_path)
    other = sqlite3.connect(path)
    assert other.execute("SELECT name FROM sqlite_schema").fetchall() == [("notes",)]
    other.close()


def test_a_damaged_page_is_found_and_named(store: SqliteStore) -> None:
    for number in range(50):
        put(store, f"mem_x{number}", size=3_000)
    store.scrub()
    home = store.path.parent
    store.close()
    data = bytearray(store.path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\x0d" + b"\xff" * 4095
    store.path.write_bytes(bytes(data))
    damaged = SqliteStore.open(home)
    assert any("damaged" in fault or "malformed" in fault for fault in damaged.check())
    damaged.close()


def test_a_home_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(InvalidRequest, match="is a file"):
        SqliteStore.open(file)
    with pytest.raises((InvalidRequest, BackendUnavailable)):
        SqliteStore.open(file / "below")
    (tmp_path / "home" / DATABASE_NAME).mkdir(parents=True)
    with pytest.raises(InvalidRequest, match="is a directory"):
        SqliteStore.open(tmp_path / "home")


@pytest.mark.skipif(os.name == "nt" or as_root, reason="root may write everywhere")
def test_a_home_that_may_not_be_written_is_a_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(BackendUnavailable, match="writable"):
        SqliteStore.open(tmp_path / "home")
    tmp_path.chmod(0o700)


def test_a_store_that_turned_read_only_says_so(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Connection.__init__

    def read_only(self: Connection, path: Path, *, busy_timeout_s: float) -> None:
        opened(self, path, busy_timeout_s=busy_timeout_s)
        self.rows("PRAGMA query_only = ON")

    monkeypatch.setattr(Connection, "__init__", read_only)
    monkeypatch.setattr(store, "_pool", ConnectionPool(store.path, busy_timeout_s=1))
    with pytest.raises(BackendUnavailable, match="readonly") as caught:
        put(store, "mem_2")
    assert caught.value.code == "store_read_only"


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_only_the_owner_can_read_the_files(store: SqliteStore) -> None:
    home = store.path.parent
    assert home.stat().st_mode & 0o777 == 0o700
    files = [path for path in home.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"memory.db", "memory.db-wal"}
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_an_edited_or_shortened_audit_chain_is_found(store: SqliteStore) -> None:
    with store.writing(LI) as scope:
        for number in range(3):
            scope.record(AuditEvent(action="write", namespace=LI, subject=f"mem_{number}", at=SAMPLE_TIME, by="user"))
    assert list(store.check()) == []
    tamper = sqlite3.connect(store.path, isolation_level=None)
    tamper.execute("BEGIN")
    tamper.execute("DELETE FROM audit WHERE number = 3")
    tamper.execute("COMMIT")
    assert any("cut" in fault for fault in store.check())
    tamper.execute("UPDATE audit SET line = replace(line, 'mem_1', 'mem_9') WHERE number = 2")
    assert any("edit" in fault for fault in store.check())
    tamper.execute("DELETE FROM audit WHERE number = 1")
    assert any("missing" in fault for fault in store.check())
    tamper.close()


def test_rows_that_hang_in_the_air_are_found(store: SqliteStore) -> None:
    tamper = sqlite3.connect(store.path, isolation_level=None)
    tamper.execute("DELETE FROM memory_versions")
    tamper.execute("INSERT INTO vectors VALUES (99, x'00000000')")
    tamper.execute("UPDATE namespaces SET seq = 0")
    tamper.close()
    found = " ".join(store.check())
    for words in ("without a version", "vectors of items that are gone", "outran their seq", "points at a row"):
        assert words in found


def test_unstorable_text_is_refused_and_the_store_goes_on(store: SqliteStore) -> None:
    with pytest.raises(InvalidRequest, match="Unicode"), store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_2", value="lone \ud800 surrogate"), why="added", terms=b"x")
    put(store, "mem_2")
    assert list(store.check()) == []
