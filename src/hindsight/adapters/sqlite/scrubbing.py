"""Leaves no removed byte behind in any file of the store.

``secure_delete`` zeroes rows where they stood, but not every copy of them: when SQLite splits or
merges pages, what it moved stays in the unused middle of a page. Of eight stores filled at random and
erased, two still held the erased text there. So the file is rebuilt by VACUUM, which writes live rows
to fresh pages. What stood before is also in the write-ahead log, which is emptied before and after.
Zeroing only the pages that need it was rejected: no SQL reaches the unused part of a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hindsight.adapters.sqlite.connection import Connection
from hindsight.domain.errors import BackendUnavailable

# Long enough for a reader's ordinary snapshot to end, short enough for an erase to wait.
SCRUB_WAIT_S: Final = 2.0
LOG_SUFFIX: Final = "-wal"
# VACUUM copies the file once over: in memory while that is cheap, else in a nameless temporary file.
_REBUILT_IN_MEMORY_BYTES_MAX: Final = 256 * 1024 * 1024


def scrub(connection: Connection, *, wait_s: float = SCRUB_WAIT_S) -> Sequence[str]:
    """Rebuild the file and empty the log; what is still to be done, in words.

    The caller holds the process's write queue. A reader elsewhere that keeps its snapshot open makes
    the log stay; it is looked for first, so that no rebuild is done in vain.
    """
    connection.wait_at_most(wait_s)
    try:
        if not _empty_log(connection):
            return (_held(connection.path),)
        _rebuild(connection)
        if not _empty_log(connection):
            return (_held(connection.path),)
    except BackendUnavailable as exc:
        return (f"the file could not be rebuilt yet: {exc}",)
    return ()


def _rebuild(connection: Connection) -> None:
    in_memory = connection.path.stat().st_size <= _REBUILT_IN_MEMORY_BYTES_MAX
    connection.run(f"PRAGMA temp_store = {'MEMORY' if in_memory else 'FILE'}")
    try:
        connection.run("VACUUM")
    finally:
        connection.run("PRAGMA temp_store = MEMORY")


def _empty_log(connection: Connection) -> bool:
    """Move the log into the file and cut it to nothing."""
    row = connection.row("PRAGMA wal_checkpoint(TRUNCATE)")
    log = connection.path.with_name(connection.path.name + LOG_SUFFIX)
    return row is not None and not row[0] and (not log.exists() or log.stat().st_size == 0)


def _held(path: Path) -> str:
    return (
        f"another process or thread holds the store at {str(path)!r} open for a read, so its write-ahead log "
        "cannot be emptied yet"
    )
