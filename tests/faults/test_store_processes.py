"""Several processes, killed processes and forks: nothing acknowledged is lost, nothing half-done is seen."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from hindsight.adapters.keyring import FileKeyring
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent
from hindsight.testing import SAMPLE_TIME, sample_memory

LI = Namespace("user/li")
SPAWN = multiprocessing.get_context("spawn")
WRITES = 100
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

# Writes until it is killed, and says after each commit which one is safe.
WRITER = """
import sys
from pathlib import Path
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.records import AuditEvent
from hindsight.testing import SAMPLE_TIME, sample_memory

store = SqliteStore.open(Path(sys.argv[1]))
start = int(sys.argv[2])
for number in range(start, start + 100_000):
    with store.writing("user/li") as scope:
        for part in "ab":
            scope.put_memory(
                sample_memory(f"mem_{number:06d}{part}", value="x" * 3_000), why="added", terms=b"x" * 500
            )
        scope.record(
            AuditEvent(action="write", namespace="user/li", subject=str(number), at=SAMPLE_TIME, by="user")
        )
    print(number, flush=True)
"""


def write_many(home: str, worker: int) -> None:
    store = SqliteStore.open(Path(home))
    for number in range(WRITES):
        with store.writing(LI) as scope:
            scope.put_memory(sample_memory(f"mem_{worker}_{number:03d}"), why="added", terms=b"vim")
            scope.record(AuditEvent(action="write", namespace=LI, subject=f"{worker}", at=SAMPLE_TIME, by="user"))
    store.close()


def open_keys(home: str, found: multiprocessing.Queue[tuple[str, str]]) -> None:
    keyring = FileKeyring.open(Path(home))
    found.put((keyring.key_id, keyring.digest("p", "t")))


def start(target: object, *arguments: object) -> BaseProcess:
    process = SPAWN.Process(target=target, args=arguments)
    process.start()
    return process


def test_four_processes_write_beside_a_reader_and_every_row_is_there(tmp_path: Path) -> None:
    # None of them finds a store: they also race to make it.
    writers = [start(write_many, str(tmp_path), worker) for worker in range(4)]
    store = SqliteStore.open(tmp_path)
    seen = 0
    while any(writer.is_alive() for writer in writers):
        with store.reading(LI) as scope:
            seq = scope.seq()
            assert len(scope.changes(0, limit=9_999)) == seq >= seen
            seen = seq
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    with store.reading(LI) as scope:
        assert [entry.seq for entry in scope.changes(0, limit=9_999)] == list(range(1, 4 * WRITES + 1))
        assert all(len(scope.audit_lines(str(worker))) == WRITES for worker in range(4))
    assert list(store.check()) == []
    store.close()


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is POSIX")
def test_a_killed_writer_loses_nothing_it_acknowledged_and_leaves_no_half_write(tmp_path: Path) -> None:
    acknowledged = -1
    for round_number in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(acknowledged + 10)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        for line in writer.stdout:
            acknowledged = int(line)
            if acknowledged % 10 == 9 - round_number:
                break
        time.sleep(0.003 * round_number)
        writer.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in writer.stdout if line.endswith("\n"))])
        writer.wait(30)
        writer.stdout.close()
        store = SqliteStore.open(tmp_path)
        with store.reading(LI) as scope:
            ids = [f"mem_{acknowledged:06d}{part}" for part in "ab"]
            assert list(scope.memories(ids)) == ids
            entries = scope.changes(0, limit=99_999)
            assert len(entries) % 2 == 0, "both memories of a write, or neither"
            assert len(entries) == scope.seq() == 2 * len(store.chain(after=0, limit=99_999))
        assert list(store.check()) == []
        store.close()
    assert acknowledged > 0


def in_a_forked_child(work: Callable[[], None]) -> int:
    """Run *work* in a fork of this process; 0 when it raised nothing."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def put(store: SqliteStore, memory_id: str) -> None:
    with store.writing(LI) as scope:
        scope.put_memory(sample_memory(memory_id), why="added", terms=b"x")


@needs_fork
def test_a_store_goes_on_on_both_sides_of_a_fork(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    put(store, "mem_before")

    def work() -> None:
        put(store, "mem_child")
        with store.reading(LI) as scope:
            assert len(scope.memories(["mem_before", "mem_child"])) == 2
        store.close()

    assert in_a_forked_child(work) == 0
    put(store, "mem_parent")
    with store.reading(LI) as scope:
        assert len(scope.memories(["mem_before", "mem_child", "mem_parent"])) == 3
    assert list(store.check()) == []
    store.close()


@needs_fork
def test_a_child_forked_amid_a_write_is_refused_and_the_write_is_unharmed(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)

    def work() -> None:
        with pytest.raises(BackendUnavailable, match="forked"):
            scope.put_memory(sample_memory("mem_child"), why="added", terms=b"x")
        with pytest.raises(BackendUnavailable, match="spawn"):
            put(store, "mem_child")
        with pytest.raises(BackendUnavailable, match="spawn"):
            SqliteStore.open(tmp_path)

    with store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1"), why="added", terms=b"x")
        assert in_a_forked_child(work) == 0
        scope.put_memory(sample_memory("mem_2"), why="added", terms=b"x")
    with store.reading(LI) as scope:
        assert len(scope.memories(["mem_1", "mem_2", "mem_child"])) == 2
    assert list(store.check()) == []
    store.close()


def test_processes_that_race_at_the_first_start_agree_on_the_keys(tmp_path: Path) -> None:
    found: multiprocessing.Queue[tuple[str, str]] = SPAWN.Queue()
    processes = [start(open_keys, str(tmp_path), found) for _ in range(3)]
    answers = {found.get(timeout=60) for _ in processes}
    for process in processes:
        process.join(60)
    found.close()
    found.join_thread()
    assert len(answers) == 1
    assert sorted(path.name for path in (tmp_path / "keys").iterdir()) == ["digest.key", "signing.key"]
