"""The exported audit files: complete, rotated, signed, and whole again after a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hindsight.adapters.audit.export import AuditExport
from hindsight.adapters.keyring import FileKeyring
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent
from hindsight.testing import SAMPLE_TIME, InMemoryStore

LI = Namespace("user/li")


@pytest.fixture
def store() -> Iterator[InMemoryStore]:
    opened = InMemoryStore()
    yield opened
    opened.close()


@pytest.fixture
def keyring(tmp_path: Path) -> FileKeyring:
    return FileKeyring.open(tmp_path)


def record(store: InMemoryStore, *subjects: str) -> None:
    with store.writing(LI) as scope:
        for subject in subjects:
            scope.record(
                AuditEvent(action="write", namespace=LI, subject=subject, at=SAMPLE_TIME, by="user", detail={"n": 1})
            )


def files(home: Path) -> list[Path]:
    return sorted((home / "audit").glob("*.jsonl"))


def test_each_event_is_exported_once_as_a_line_of_json(
    tmp_path: Path, store: InMemoryStore, keyring: FileKeyring
) -> None:
    export = AuditExport(store, keyring, tmp_path, owner="a")
    assert export.run(now=SAMPLE_TIME) == 0
    record(store, "mem_1", "茶\n\u2028")
    assert export.run(now=SAMPLE_TIME) == 2
    record(store, "mem_3")
    assert AuditExport(store, keyring, tmp_path, owner="b").run(now=SAMPLE_TIME) == 1
    assert export.run(now=SAMPLE_TIME) == 0
    [path] = files(tmp_path)
    assert path.name == "events-000000000001.jsonl"
    lines = path.read_bytes().decode().split("\n")
    assert lines.pop() == ""
    exported = [json.loads(line) for line in lines]
    assert [(each["number"], each["event"]["subject"]) for each in exported] == [
        (1, "mem_1"),
        (2, "茶\n\u2028"),
        (3, "mem_3"),
    ]
    assert [each["hash"] for each in exported] == [each.hash for each in store.chain(after=0, limit=9)]
    assert list(export.check()) == []


def test_a_file_that_reached_its_size_is_followed_by_another(
    tmp_path: Path, store: InMemoryStore, keyring: FileKeyring
) -> None:
    export = AuditExport(store, keyring, tmp_path, owner="a", file_bytes_max=400)
    for number in range(6):
        record(store, f"mem_{number}")
        export.run(now=SAMPLE_TIME)
    assert [path.name for path in files(tmp_path)] == [f"events-{first:012d}.jsonl" for first in (1, 3, 5)]
    assert list(export.check()) == []
    files(tmp_path)[0].unlink()
    assert list(export.check()) == [], "older files may be archived elsewhere"


@pytest.mark.parametrize("kept", [0, 1, 40, -1])
def test_a_line_cut_by_a_crash_is_written_again(
    tmp_path: Path, store: InMemoryStore, keyring: FileKeyring, kept: int
) -> None:
    record(store, "mem_1", "mem_2", "mem_3")
    AuditExport(store, keyring, tmp_path, owner="a").run(now=SAMPLE_TIME)
    [path] = files(tmp_path)
    whole = path.read_bytes()
    first, last = whole.split(b"\n", 1)
    path.write_bytes(first + b"\n" + last[:kept])
    assert AuditExport(store, keyring, tmp_path, owner="b").run(now=SAMPLE_TIME) > 0
    assert path.read_bytes() == whole


def test_a_file_with_no_whole_line_is_begun_again(tmp_path: Path, store: InMemoryStore, keyring: FileKeyring) -> None:
    record(store, "mem_1")
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "events-000000000001.jsonl").write_bytes(b'{"event":{"act')
    export = AuditExport(store, keyring, tmp_path, owner="a")
    assert export.run(now=SAMPLE_TIME) == 1
    assert list(export.check()) == []


def test_only_the_holder_of_the_lease_writes(tmp_path: Path, store: InMemoryStore, keyring: FileKeyring) -> None:
    record(store, "mem_1")
    later = SAMPLE_TIME + timedelta(seconds=60)
    assert store.lease("audit.export", owner="another", now=SAMPLE_TIME, until=later)
    export = AuditExport(store, keyring, tmp_path, owner="a")
    assert export.run(now=SAMPLE_TIME) == 0
    assert files(tmp_path) == []
    assert export.run(now=later) == 1


def test_every_kind_of_tampering_shows(tmp_path: Path, store: InMemoryStore, keyring: FileKeyring) -> None:
    record(store, "mem_1", "mem_2", "mem_3")
    export = AuditExport(store, keyring, tmp_path, owner="a")
    export.run(now=SAMPLE_TIME)
    [path] = files(tmp_path)
    head = tmp_path / "audit" / "head.json"
    whole, signed = path.read_bytes(), head.read_bytes()
    one, two, three = whole.splitlines(keepends=True)
    for tampered in (
        one + two.replace(b"mem_2", b"mem_9") + three,
        one + three,
        one + two,
        two + one + three,
        one + b"not json\n" + three,
        b"",
    ):
        path.write_bytes(tampered)
        assert list(export.check()), tampered
    path.write_bytes(whole)
    for forged in (signed.replace(b'"number":3', b'"number":2'), b"{}", b"[]", b"rubbish"):
        head.write_bytes(forged)
        assert list(export.check()), forged
    head.unlink()
    assert list(export.check())
    head.write_bytes(signed)
    assert list(export.check()) == []


def test_files_that_cannot_be_written_are_a_clear_error(
    tmp_path: Path, store: InMemoryStore, keyring: FileKeyring
) -> None:
    record(store, "mem_1")
    (tmp_path / "audit").write_text("a file where the directory should be")
    export = AuditExport(store, keyring, tmp_path, owner="a")
    with pytest.raises(BackendUnavailable, match="safe in the store"):
        export.run(now=SAMPLE_TIME)
    (tmp_path / "audit").unlink()
    assert export.run(now=SAMPLE_TIME) == 1
