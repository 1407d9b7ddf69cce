"""One connection to the database file: how it is set up, and errors that are already the service's own."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from hindsight.adapters.sqlite.translation import translated
from hindsight.domain.errors import BackendUnavailable

# The driver's default of 128 is below the number of distinct statements here.
_STATEMENTS_CACHED: Final = 256
_OPEN_RETRY_S: Final = 0.02

# secure_delete overwrites what is deleted with zeros; it is per connection, and must come before the
# first table. trusted_schema keeps a tampered file from running functions when it is read.
_SETTINGS: Final = (
    "PRAGMA secure_delete = ON",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA temp_store = MEMORY",
)

Parameters = Sequence[Any] | Mapping[str, Any]


class Connection:
    """One connection whose errors are already the service's own."""

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        self.path = path
        self._process = os.getpid()
        self._raw = sqlite3.connect(
            path,
            timeout=busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=_STATEMENTS_CACHED,
        )
        self._raw.row_factory = sqlite3.Row
        with ExitStack() as undo:
            undo.callback(self._raw.close)
            for setting in _SETTINGS:
                self._raw.execute(setting).fetchall()
            undo.pop_all()

    def rows(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """All rows of a query."""
        try:
            return self._own.execute(sql, parameters).fetchall()
        except (sqlite3.Error, UnicodeEncodeError, OverflowError) as exc:
            raise translated(exc, self.path) from exc

    def tuples(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """All rows of a query that is read by position, for many rows at once."""
        try:
            cursor = self._own.cursor()
            cursor.row_factory = None
            return cursor.execute(sql, parameters).fetchall()
        except (sqlite3.Error, UnicodeEncodeError, OverflowError) as exc:
            raise translated(exc, self.path) from exc

    def row(self, sql: str, parameters: Parameters = ()) -> sqlite3.Row | None:
        """The first row of a query, if any."""
        found = self.rows(sql, parameters)
        return found[0] if found else None

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """The first column of the first row; None where there is none."""
        found = self.row(sql, parameters)
        return None if found is None else found[0]

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement; the number of rows it touched."""
        try:
            return self._own.execute(sql, parameters).rowcount
        except (sqlite3.Error, UnicodeEncodeError, OverflowError) as exc:
            raise translated(exc, self.path) from exc

    def run_many(self, sql: str, parameters: Iterable[Parameters]) -> int:
        """Run one statement for each set of parameters; the number of rows touched."""
        try:
            return self._own.executemany(sql, parameters).rowcount
        except (sqlite3.Error, UnicodeEncodeError, OverflowError) as exc:
            raise translated(exc, self.path) from exc

    @contextmanager
    def transaction(self, *, write: bool) -> Generator[None]:
        """One transaction: committed when the block ends, rolled back when it raises.

        A write takes the lock at once. A read that turned into a write later could not wait for
        the lock: its snapshot would be too old.
        """
        self.run("BEGIN IMMEDIATE" if write else "BEGIN DEFERRED")
        try:
            yield
            # A read has nothing to commit, and a commit can fail on a damaged file.
            self.run("COMMIT" if write else "ROLLBACK")
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Roll back what is open. SQLite itself did so already after some errors."""
        if self._process == os.getpid() and self._raw.in_transaction:
            self.run("ROLLBACK")

    def wait_at_most(self, seconds: float) -> None:
        """How long the next statements wait for a lock."""
        self.rows(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def close(self) -> None:
        """Give the file back."""
        if self._process == os.getpid():
            self._raw.close()

    @property
    def _own(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            raise forked(self.path)
        return self._raw


def connect(path: Path, *, busy_timeout_s: float) -> Connection:
    """Open a connection, waiting out another process that is turning the file to WAL just now.

    SQLite answers "locked" there at once, without waiting.

    Raises:
        BackendUnavailable: The file cannot be opened.
        CorruptData: It is no database.
    """
    deadline = time.monotonic() + busy_timeout_s
    while True:
        try:
            return Connection(path, busy_timeout_s=busy_timeout_s)
        except sqlite3.OperationalError as exc:
            if "locked" not in str(exc) or time.monotonic() >= deadline:
                raise translated(exc, path) from exc
            time.sleep(_OPEN_RETRY_S)
        except sqlite3.Error as exc:
            raise translated(exc, path) from exc


def forked(path: Path) -> BackendUnavailable:
    """The error of a process that was forked while the file was in use."""
    return BackendUnavailable(
        f"this process was forked while the store at {str(path)!r} was in use, so it cannot be used here; "
        "fork while nothing is read or written, or start processes by 'spawn'",
        code="store_forked",
    )
