"""Index files: a start with one answers as a start without, and a file that does not fit is none."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hindsight.adapters.indexes.shelf import Shelf
from hindsight.adapters.indexes.sidecar import SideCars
from hindsight.adapters.indexes.text import RamTextIndex
from hindsight.adapters.indexes.vector import RamVectorIndex
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.namespace import Namespace
from hindsight.language import terms
from hindsight.ports import Eligible, ItemId
from hindsight.testing import HashEmbedder, sample_memory, sample_session, sample_turn

NS = Namespace("user/li")
EMBEDDER = HashEmbedder()
SEEN = Eligible(kinds=frozenset({"memory", "turn"}), statuses=frozenset({"active"}), trusts=frozenset({"trusted"}))
VALUES = [
    "keeps two budgerigars",
    "plays the cello on Sundays",
    "会做红烧肉",
    "cello strings were replaced",
    "大提琴课",
]
QUESTION = "cello 红烧肉 strings"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "home")
    write(opened, range(40))
    with opened.writing(NS) as scope:
        scope.put_session(sample_session("s", turn_count=3))
        lines = ["Where are the cello strings?", "In the attic.", "好"]
        turns = [sample_turn("s", place, line) for place, line in enumerate(lines)]
        scope.add_turns(turns, terms=[terms.pack(line) for line in lines])
    yield opened
    opened.close()


def write(store: SqliteStore, numbers: range) -> None:
    with store.writing(NS) as scope:
        for number in numbers:
            value = f"{VALUES[number % len(VALUES)]} number {number}"
            memory = sample_memory(f"mem_{number:03d}", namespace=NS, key=f"slot_{number}", value=value)
            scope.put_memory(memory, why="test", terms=terms.pack(value), vector=EMBEDDER.passages([value])[0])


def files(store: SqliteStore, *, folder: Path | None = None) -> SideCars:
    return SideCars(folder or store.path.parent / "cache", store, rows_min=10)


def shelf(store: SqliteStore, **changes: Path) -> Shelf:
    return Shelf(files=files(store, **changes))


def answers(store: SqliteStore, held: Shelf) -> tuple[dict[ItemId, float], list[tuple[ItemId, float]]]:
    with store.reading(NS) as scope:
        words = RamTextIndex(held).search(scope, QUESTION, eligible=SEEN, limit=50)
        near = RamVectorIndex(held).search(scope, EMBEDDER.queries([QUESTION])[0], eligible=SEEN, limit=50)
        return dict(words.scores), list(near)


def kept(store: SqliteStore) -> Path:
    """The file of an index that was asked and then kept."""
    held = shelf(store)
    answers(store, held)
    held.keep()
    [file] = (store.path.parent / "cache").iterdir()
    return file


def changes_read(store: SqliteStore, held: Shelf, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """After which changes a shelf asks the store for more, when it starts."""
    asked: list[int] = []
    with store.reading(NS) as scope:
        original = scope.changes

        def noted(after_seq: int, *, limit: int) -> object:
            asked.append(after_seq)
            return original(after_seq, limit=limit)

        monkeypatch.setattr(scope, "changes", noted)
        with held.current(scope):
            pass
    return asked


def test_a_start_from_a_file_reads_no_row_and_answers_the_same(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(store, Shelf())
    file = kept(store)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    held = shelf(store)
    assert changes_read(store, held, monkeypatch) == []
    assert answers(store, held) == expected


def test_what_came_after_the_file_is_caught_up_with(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(store)
    write(store, range(40, 60))
    with store.writing(NS) as scope:
        scope.erase_memories([sample_memory("mem_003").id])
        scope.replace_turn_words("s", 1, content="In the cellar.", digest=None, terms=terms.pack("in the cellar"))
    held = shelf(store)
    assert len(changes_read(store, held, monkeypatch)) == 1
    assert answers(store, held) == answers(store, Shelf())


def test_a_small_namespace_has_no_file_and_one_that_hardly_grew_keeps_its_own(store: SqliteStore) -> None:
    held = Shelf(files=SideCars(store.path.parent / "cache", store, rows_min=1_000))
    answers(store, held)
    held.keep()
    assert not (store.path.parent / "cache").exists()
    file = kept(store)
    written = file.stat().st_mtime_ns
    write(store, range(40, 42))
    held = shelf(store)
    answers(store, held)
    held.keep()
    assert file.stat().st_mtime_ns == written
    write(store, range(42, 60))
    answers(store, held)
    held.keep()
    assert file.stat().st_mtime_ns > written


@pytest.mark.parametrize("place", [0, 40, 0.3, 0.6, 0.97, -3])
def test_a_damaged_file_is_deleted_and_the_rows_are_read(store: SqliteStore, place: float) -> None:
    file = kept(store)
    data = bytearray(file.read_bytes())
    at = int(place * len(data)) if 0 < place < 1 else int(place)
    data[at] ^= 0xFF
    file.write_bytes(data)
    assert answers(store, shelf(store)) == answers(store, Shelf())
    assert not file.exists()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_a_file_cut_short_is_deleted_and_the_rows_are_read(store: SqliteStore, share: float) -> None:
    file = kept(store)
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    assert answers(store, shelf(store)) == answers(store, Shelf())
    assert not file.exists()


def test_the_file_of_another_store_is_none_here(store: SqliteStore, tmp_path: Path) -> None:
    file = kept(store)
    other = SqliteStore.open(tmp_path / "other")
    with other.writing(NS) as scope:
        for number in range(43):
            value = f"another life {number}"
            memory = sample_memory(f"mem_{number:03d}", namespace=NS, key=f"slot_{number}", value=value)
            scope.put_memory(memory, why="test", terms=terms.pack(value), vector=EMBEDDER.passages([value])[0])
    (tmp_path / "other" / "cache").mkdir()
    shutil.copy(file, tmp_path / "other" / "cache" / file.name)
    assert answers(other, shelf(other)) == answers(other, Shelf())
    other.close()


def test_a_file_newer_than_a_restored_backup_is_none(store: SqliteStore, tmp_path: Path) -> None:
    home = store.path.parent
    kept(store)
    store.close()
    shutil.copy(home / "memory.db", tmp_path / "backup.db")
    store = SqliteStore.open(home)
    write(store, range(40, 60))
    kept(store)
    store.close()
    shutil.copy(tmp_path / "backup.db", home / "memory.db")
    store = SqliteStore.open(home)
    # As many changes as the file knows of, but others.
    with store.writing(NS) as scope:
        for number in range(100, 120):
            memory = sample_memory(f"mem_{number:03d}", namespace=NS, key=f"slot_{number}", value=f"tuba {number}")
            scope.put_memory(memory, why="test", terms=terms.pack("tuba"), vector=EMBEDDER.passages(["tuba"])[0])
    assert answers(store, shelf(store)) == answers(store, Shelf())
    store.close()


def test_an_erasure_deletes_the_file_and_unfinished_ones(store: SqliteStore) -> None:
    file = kept(store)
    (file.parent / f"{file.stem}.abc.tmp").write_bytes(b"left by a crash")
    shelf(store).drop(NS)
    assert list(file.parent.iterdir()) == []


def test_an_index_that_has_not_heard_of_an_erasure_yet_is_not_kept(store: SqliteStore) -> None:
    held = shelf(store)
    answers(store, held)
    with store.writing(NS) as scope:
        scope.erase_memories([sample_memory("mem_003").id])
    held.keep()
    assert list((store.path.parent / "cache").iterdir()) == []


def test_dead_rows_leave_neither_vector_nor_words_in_a_file(store: SqliteStore) -> None:
    held = shelf(store)
    value = "Xanthippe tunes zithers 古筝调音"
    with store.writing(NS) as scope:
        memory = sample_memory("mem_900", namespace=NS, key="slot", value=value)
        vector = EMBEDDER.passages([value])[0]
        scope.put_memory(memory, why="test", terms=terms.pack(value), vector=vector)
        scope.put_session(sample_session("x", turn_count=1))
        turn = sample_turn("x", 0, "zither")
        scope.add_turns([turn], terms=[terms.pack("zither")])
    answers(store, held)
    with store.writing(NS) as scope:
        scope.erase_memories([memory.id])
    answers(store, held)
    held.keep()
    [file] = (store.path.parent / "cache").iterdir()
    rounded = np.rint(vector / (np.abs(vector).max() / 127.0)).astype(np.int8)
    assert rounded.tobytes() not in file.read_bytes()
    reread = shelf(store)
    answers(store, reread)
    with store.reading(NS) as scope, reread.current(scope) as index:
        assert index.postings is not None
        assert index.postings.of(terms.hash_of("xanthipp")) == []
