"""Big indexes kept in files beside the store, so that a start need not read a million rows again.

A file holds flat arrays and is valid only where the store itself names it: a save puts the file in its
place while no other can write, and then leaves the file's mark in the store. A file of another store, of
a later state than a restored backup, or one that a crash cut short is therefore no file at all, and the
index is built from the rows instead. An erasure deletes the namespace's files, whoever wrote them.
Comparing rows with the file at each start was rejected: two states of one store can number alike.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.matrix import BLOCK_ROWS
from hindsight.adapters.indexes.namespace_index import NamespaceIndex
from hindsight.adapters.indexes.rows import DEAD, Rows
from hindsight.domain.errors import HindsightError
from hindsight.domain.namespace import Namespace
from hindsight.language.terms import TERMS_VERSION
from hindsight.ports import RecordStore
from hindsight.ports.changes import FACETS, Changes

ROWS_MIN: Final = 20_000
"""A smaller namespace is read from the store in about as much time (20,000 rows: 0.3 s)."""
GROWTH_MIN: Final = 1.1
"""What has come since the file is caught up with by rows; from a tenth more on it is written anew."""
SAVE_AGAIN_S: Final = 600.0
"""After a save that other writes spoilt, the next one waits this long, for the sake of the disk."""
CHANGES_LOOKED_AT_MAX: Final = 5_000

_MAGIC: Final = b"hindsight-index-1\n"
_LENGTH_BYTES: Final = 8
_META: Final = "index."
_SUFFIX: Final = ".idx"
_FACETS_KIND: Final = "facets"

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Kept:
    """How many rows the namespace's file holds, and when a save was last tried."""

    rows: int
    tried_s: float


class SideCars:
    """The index files of one home. Only a shelf that keeps words and vectors is kept in them."""

    def __init__(
        self,
        folder: Path,
        store: RecordStore,
        *,
        rows_min: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._store, self._clock = folder, store, clock
        self._rows_min = ROWS_MIN if rows_min is None else rows_min
        self._kept: dict[Namespace, _Kept] = {}

    def load(self, namespace: Namespace, index: NamespaceIndex) -> bool:
        """Fill an empty *index* from the namespace's file, if there is a valid one; a bad one is deleted."""
        path = self._path(namespace)
        mark = self._store.meta(_META + path.stem) if path.is_file() else None
        if mark is None:
            return False
        try:
            with path.open("rb") as file:
                header, arrays = _read(file, mark)
        except (OSError, ValueError, KeyError):
            self._delete(path)
            return False
        _restore(index, header, arrays)
        self._kept[namespace] = _Kept(index.rows.count, -np.inf)
        return True

    def wants(self, namespace: Namespace, index: NamespaceIndex, *, closing: bool = False) -> bool:
        """Whether *index* has outgrown its file; a try that failed a moment ago holds only until *closing*."""
        kept = self._kept.get(namespace, _Kept(0, -np.inf))
        rows = index.rows.count
        outgrown = rows >= self._rows_min and rows >= GROWTH_MIN * kept.rows
        return outgrown and (closing or self._clock() >= kept.tried_s + SAVE_AGAIN_S)

    def save(self, namespace: Namespace, index: NamespaceIndex) -> bool:
        """Write *index* to its file; False where it changed meanwhile, or cannot be written.

        The caller must not hold the index: readers go on while the file is written.
        """
        path, mark = self._path(namespace), os.urandom(16).hex()
        partial = path.with_name(f"{path.stem}.{mark}.tmp")
        kept = self._kept.get(namespace, _Kept(0, -np.inf))
        self._kept[namespace] = _Kept(kept.rows, self._clock())
        edition, seq = index.edition, index.seq
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                _write(file, index, mark, seq)
                file.flush()
                os.fsync(file.fileno())
            # No erasure can commit now, and one that did shows among the changes.
            with self._store.writing(namespace) as scope:
                if index.edition != edition or _loses_words(index, scope.changes(seq, limit=CHANGES_LOOKED_AT_MAX)):
                    return False
                partial.replace(path)
            self._store.set_meta(_META + path.stem, mark)
        except (OSError, HindsightError):
            return False
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        self._kept[namespace] = _Kept(index.rows.count, -np.inf)
        return True

    def drop(self, namespace: Namespace) -> None:
        """Delete the namespace's file, and what unfinished saves left."""
        path = self._path(namespace)
        self._kept.pop(namespace, None)
        if self._folder.is_dir():
            for found in self._folder.glob(f"{path.stem}.*"):
                self._delete(found)

    def _path(self, namespace: Namespace) -> Path:
        return self._folder / (hashlib.sha256(namespace.encode()).hexdigest()[:32] + _SUFFIX)

    @staticmethod
    def _delete(path: Path) -> None:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _loses_words(index: NamespaceIndex, changes: Changes) -> bool:
    """Whether *changes* take words away that a file of *index* would still hold; or too many to tell."""
    if len(changes) >= CHANGES_LOOKED_AT_MAX:
        return True
    rows = index.rows.of(np.ascontiguousarray(changes.facets["item"]))
    digests = np.array([zlib.crc32(blob) for blob in changes.terms], dtype=np.uint32)
    return bool(
        ((rows >= 0) & (changes.facets["deleted"] | (index.rows.digests[np.maximum(rows, 0)] != digests))).any()
    )


def _write(file: BufferedWriter, index: NamespaceIndex, mark: str, seq: int) -> None:
    """The arrays one after the other, then what they are, then how long that is."""
    file.write(_MAGIC)
    sections: list[dict[str, object]] = []
    for name, array in _arrays(index):
        data = np.ascontiguousarray(array)
        file.write(_bytes_of(data))
        kind = _FACETS_KIND if data.dtype.names else data.dtype.str
        checksum = zlib.crc32(_bytes_of(data))
        sections.append({"name": name, "kind": kind, "shape": list(data.shape), "checksum": checksum})
    told = {
        "mark": mark,
        "terms": TERMS_VERSION,
        "seq": seq,
        "dead": index.rows.dead,
        "dimension": 0 if index.matrix is None else index.matrix.dimension,
        "speakers": _speakers(index.rows),
        "sections": sections,
    }
    header = json.dumps(told).encode()
    file.write(header + len(header).to_bytes(_LENGTH_BYTES, "little"))


def _bytes_of(array: Array) -> memoryview:
    # numpy arrays are buffers, which their stubs say only from Python 3.12 on.
    plain: Any = array.reshape(-1).view(np.uint8) if array.size else bytearray()
    return memoryview(plain)


def _speakers(rows: Rows) -> list[str]:
    """The names, without those that no living row has any more."""
    living = rows.facets["speaker"][: rows.count][rows.classes[: rows.count] != DEAD]
    spoken = set(np.unique(living).tolist())
    return [name if code in spoken else "" for code, name in enumerate(rows.speakers)]


def _arrays(index: NamespaceIndex) -> Iterator[tuple[str, Array]]:
    """The arrays by name, with nothing of dead rows in them."""
    rows = index.rows
    gone = rows.classes[: rows.count] == DEAD
    dead = np.flatnonzero(gone)
    for name, column in rows.columns().items():
        blank = np.uint8(DEAD) if name == "classes" else np.zeros((), dtype=column.dtype)
        yield name, _blanked(column, dead if len(column) else dead[:0], blank)
    if index.postings is not None:
        for place, run in enumerate(index.postings.runs):
            lean = run.without(gone) if len(dead) else run
            yield f"terms-{place}", lean.terms
            yield f"starts-{place}", lean.starts
            yield f"postings-{place}", lean.postings
    if index.matrix is not None:
        yield "factors", _blanked(index.matrix.factors[: rows.count], dead, np.float32(np.nan))
        for place, block in enumerate(index.matrix.blocks):
            first = place * BLOCK_ROWS
            inside = dead[(dead >= first) & (dead < first + len(block))] - first
            yield f"block-{place}", _blanked(block[: rows.count - first], inside, np.int8(0))


def _blanked(array: Array, places: NDArray[np.int64], value: np.generic | Array) -> Array:
    if len(places):
        array = array.copy()
        array[places] = value
    return array


def _read(file: BufferedReader, mark: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """What a file that bears *mark* holds: its header and its arrays.

    Raises:
        ValueError: It does not bear it, is of another version, or is damaged.
    """
    if file.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("not an index file of this version")
    end = file.seek(-_LENGTH_BYTES, os.SEEK_END)
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    if not 0 < length <= end - len(_MAGIC):
        raise ValueError("the file is cut short")
    file.seek(end - length)
    header = cast("dict[str, Any]", json.loads(file.read(length)))
    if header["mark"] != mark or header["terms"] != TERMS_VERSION:
        raise ValueError("the file of another state of the store")
    file.seek(len(_MAGIC))
    arrays: dict[str, Array] = {}
    for section in cast("list[dict[str, Any]]", header["sections"]):
        array = np.empty(section["shape"], dtype=FACETS if section["kind"] == _FACETS_KIND else section["kind"])
        view = _bytes_of(array)
        if file.readinto(view) != array.nbytes or zlib.crc32(view) != section["checksum"]:
            raise ValueError(f"section {section['name']!r} is damaged")
        arrays[section["name"]] = array
    return header, arrays


def _restore(index: NamespaceIndex, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    index.restore(
        arrays,
        seq=int(header["seq"]),
        dead=int(header["dead"]),
        dimension=int(header["dimension"]),
        speakers=[str(name) for name in header["speakers"]],
    )
