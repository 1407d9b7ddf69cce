"""A home whose database is gone, emptied or damaged is told, and nothing is made in its place."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import hindsight
from hindsight.adapters.sqlite.connection import Connection
from hindsight.adapters.sqlite.translation import translated
from hindsight.entrypoints.doctor import Finding, examine
from hindsight.testing import HashEmbedder

NS = "user/zhang-san"
QUIET = {"look_back.worker": False}


@pytest.fixture
def used(home: Path) -> Path:
    with hindsight.open(home, embedder=HashEmbedder(), settings=QUIET) as hs:
        for number in range(40):
            hs.write(NS, key=f"fruit_{number}", value=f"The user has {number} quinces.", origin="user")
        hs.wait()
    return home


def told(home: Path, subject: str) -> list[Finding]:
    return [finding for finding in examine(home) if finding.subject == subject]


def remove(database: Path) -> None:
    for path in database.parent.glob("memory.db*"):
        path.unlink()


def empty(database: Path) -> None:
    remove(database)
    database.touch()


@pytest.mark.parametrize("lose", [remove, empty])
@pytest.mark.parametrize("left", ["keys", "audit", "both"])
def test_a_home_whose_database_is_gone_is_refused(used: Path, lose: Callable[[Path], None], left: str) -> None:
    lose(used / "memory.db")
    if left != "both":
        shutil.rmtree(used / ("audit" if left == "keys" else "keys"))
    before = sorted((str(path), path.stat().st_size) for path in used.rglob("*"))
    for opened in (
        lambda: hindsight.open(used, embedder=HashEmbedder(), settings=QUIET),
        lambda: hindsight.reembed(used, embedder=HashEmbedder(), settings=QUIET),
    ):
        with pytest.raises(hindsight.CorruptData, match="from a backup") as caught:
            opened()
        assert caught.value.code == "store_missing"
    assert sorted((str(path), path.stat().st_size) for path in used.rglob("*")) == before
    [finding] = told(used, "store")
    assert (finding.state, "backup" in finding.next_step) == ("failed", True)


def test_a_home_with_settings_only_is_new(home: Path) -> None:
    home.mkdir()
    (home / "hindsight.toml").write_text("", encoding="utf-8")
    hindsight.open(home, embedder=HashEmbedder(), settings=QUIET).close()


def test_the_doctor_finds_a_damaged_database(used: Path) -> None:
    assert told(used, "store")[0].state == "ok"
    path = used / "memory.db"
    whole = path.read_bytes()
    for start in (0, 4_096):
        path.write_bytes(whole[:start] + b"\xa5" * 4_096 + whole[start + 4_096 :])
        [finding] = told(used, "store")
        assert finding.state == "failed", start
        assert "restore a backup" in finding.next_step
        assert told(used, "vectors") == []


def test_the_doctor_compares_the_vectors_with_the_settings(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [finding] = told(used, "vectors")
    assert finding.state == "failed"
    assert "hash-256 (256 dimensions)" in finding.found
    assert "reembed" in finding.next_step
    monkeypatch.setenv("HINDSIGHT_EMBEDDER_NAME", "none")
    assert told(used, "vectors")[0].state == "ok"


def test_the_doctor_counts_texts_that_were_set_aside(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINDSIGHT_EMBEDDER_NAME", "none")
    with hindsight.open(used, embedder="none", settings=QUIET) as hs:
        hs.write(NS, key="heron_code", value="The heron code is 5571.", origin="user")
        with hs._core.store.writing(NS) as scope:
            scope.set_aside(hs._core.store.pending_texts(limit=1)[0].item)
    [finding] = told(used, "vectors")
    assert (finding.state, "1 texts" in finding.found) == ("warning", True)


def test_the_doctor_changes_nothing(used: Path) -> None:
    before = sorted((str(path), path.read_bytes()) for path in used.rglob("*") if path.is_file())
    assert {finding.state for finding in examine(used) if finding.subject != "vectors"} <= {"ok", "warning"}
    assert sorted((str(path), path.read_bytes()) for path in used.rglob("*") if path.is_file()) == before


@pytest.fixture
def full(used: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home on a disk with no room: SQLite may not make its file one page larger."""
    opened = Connection.__init__

    def small(self: Connection, path: Path, *, busy_timeout_s: float) -> None:
        opened(self, path, busy_timeout_s=busy_timeout_s)
        self.rows("PRAGMA max_page_count = 1")

    monkeypatch.setattr(Connection, "__init__", small)
    return used


def test_a_context_is_built_on_a_full_disk(full: Path) -> None:
    with hindsight.open(full, embedder=HashEmbedder(), settings=QUIET) as hs:
        found = hs.context("quinces " + "and pears " * 700, namespace=NS, window_tokens=20_000)
        assert "quinces" in found.text
        assert found.degraded == ("trace",)
        with pytest.raises(hindsight.BackendUnavailable) as caught:
            hs.observe(NS, "s", [{"role": "user", "content": "pears " * 9_000}])
        assert caught.value.code == "disk_full"


def test_an_io_error_where_there_is_no_room_is_told_as_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    error = sqlite3.OperationalError("disk I/O error")
    assert translated(error, tmp_path / "memory.db").code == "disk_error"
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1_000))
    found = translated(error, tmp_path / "memory.db")
    assert (found.code, "free some disk space" in str(found)) == ("disk_full", True)
