"""Turns what the driver raises into the service's own errors, each with the next step.

SQLite tells a full disk from a lock only by its message in Python 3.11's driver for some builds, so
both the extended code's name and the message are looked at.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hindsight.domain.errors import (
    BackendUnavailable,
    CorruptData,
    HindsightError,
    InvalidRequest,
    StateMismatch,
)

# What the message says, the code of the error, and what to do about it.
_UNAVAILABLE: Final[tuple[tuple[str, str, str], ...]] = (
    ("disk is full", "disk_full", "free some disk space and try again; nothing was lost"),
    ("locked", "store_busy", "another writer held it for too long; try again"),
    ("busy", "store_busy", "another writer held it for too long; try again"),
    ("readonly", "store_read_only", "make the file and its directory writable for this user"),
    ("unable to open", "store_not_opened", "see that the directory exists and is writable for this user"),
    ("disk i/o", "disk_error", "see the system's log for the disk, then try again"),
)
# The shared-memory file takes 32 KiB, and the log one page for each that changes.
_ROOM_BYTES_LEAST: Final = 64 * 1024
_CORRUPT: Final = ("malformed", "not a database", "corrupt")


def translated(error: Exception, path: Path) -> HindsightError:
    """The service's error for what the driver raised about the store at *path*."""
    text = str(error).lower()
    if isinstance(error, sqlite3.IntegrityError):
        return StateMismatch(
            f"the store at {str(path)!r} refused a row ({error}); read the state again before retrying"
        )
    if isinstance(error, (UnicodeEncodeError, OverflowError)):
        return InvalidRequest(f"a value cannot be stored ({type(error).__name__}); send valid Unicode and sizes")
    if any(word in text for word in _CORRUPT):
        return CorruptData(
            f"the file {str(path)!r} cannot be read as a store ({error}); move it away and restore a backup"
        )
    if "disk i/o" in text and _is_full(path):
        # Where even the file for shared memory has no room, SQLite speaks of an I/O error.
        text = "disk is full"
    for words, code, advice in _UNAVAILABLE:
        if words in text:
            return BackendUnavailable(f"the store at {str(path)!r} did not answer ({error}): {advice}", code=code)
    return BackendUnavailable(f"the store at {str(path)!r} did not answer ({error})")


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _ROOM_BYTES_LEAST
    except OSError:
        return False


@contextmanager
def translating(path: Path) -> Generator[None]:
    """Translate every driver error that leaves the block."""
    try:
        yield
    except (sqlite3.Error, UnicodeEncodeError, OverflowError) as exc:
        raise translated(exc, path) from exc
