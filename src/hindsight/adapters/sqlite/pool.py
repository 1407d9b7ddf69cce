"""Lends out the connections to one file, and keeps them on one side of a fork.

No connection may cross a fork: SQLite keeps the locks of a file by process, so a child would believe
it holds its parent's. Idle connections are closed before a fork, and both sides open their own after
it. Where one was in use at that moment, the child is refused the file for good, since even a new
connection there would lean on the parent's locks.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hindsight.adapters.sqlite.connection import Connection, connect, forked
from hindsight.adapters.sqlite.translation import translating
from hindsight.adapters.sqlite.write_queue import forget_write_queues
from hindsight.domain.errors import BackendUnavailable

IDLE_CONNECTIONS_MAX: Final = 8


class ConnectionPool:
    """Connections to one file, lent out one borrower at a time."""

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        self.path = path
        self._busy_timeout_s = busy_timeout_s
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._lent: set[Connection] = set()
        self._opening = 0
        self._closed = False
        _forks.watch(self)

    @contextmanager
    def connection(self) -> Generator[Connection]:
        """Borrow a connection; it is rolled back and kept for the next when the block ends."""
        connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close what is idle now, and what is lent out as soon as it comes back."""
        with self._lock:
            self._closed = True
            self._close_idle()

    def before_fork(self) -> None:
        """Close what is idle, and let nobody borrow until the fork is done."""
        self._lock.acquire()
        self._close_idle()

    def after_fork_in_parent(self) -> None:
        """Lend out again."""
        self._lock.release()

    def after_fork_in_child(self) -> bool:
        """Start over; whether a connection was in use at the fork."""
        in_use = bool(self._lent or self._opening)
        # Kept so that they are never closed here: closing what the parent uses breaks its locks.
        _of_parent.extend(self._lent)
        self._lent, self._opening = set(), 0
        self._lock = threading.Lock()
        return in_use

    def _take(self) -> Connection:
        if self.path in _forks.refused:
            raise forked(self.path)
        with self._lock:
            if self._closed:
                raise BackendUnavailable(
                    f"the store at {str(self.path)!r} is closed; open it again", code="store_closed"
                )
            if self._idle:
                connection = self._idle.pop()
                self._lent.add(connection)
                return connection
            self._opening += 1
        opened: list[Connection] = []
        try:
            opened.append(connect(self.path, busy_timeout_s=self._busy_timeout_s))
            return opened[0]
        finally:
            with self._lock:
                self._opening -= 1
                self._lent.update(opened)

    def _give_back(self, connection: Connection) -> None:
        with translating(self.path):
            connection.abandon()
        with self._lock:
            self._lent.discard(connection)
            if not self._closed and len(self._idle) < IDLE_CONNECTIONS_MAX:
                self._idle.append(connection)
                return
        connection.close()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()


class _Forks:
    """Tells every pool of the process about forks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: weakref.WeakSet[ConnectionPool] = weakref.WeakSet()
        self._at_fork: list[ConnectionPool] = []
        self._registered = False
        self.refused: set[Path] = set()

    def watch(self, pool: ConnectionPool) -> None:
        with self._lock:
            self._pools.add(pool)
            if not self._registered and hasattr(os, "register_at_fork"):
                os.register_at_fork(before=self._before, after_in_parent=self._in_parent, after_in_child=self._in_child)
                self._registered = True

    def _before(self) -> None:
        self._lock.acquire()
        self._at_fork = list(self._pools)
        for pool in self._at_fork:
            pool.before_fork()

    def _in_parent(self) -> None:
        for pool in self._at_fork:
            pool.after_fork_in_parent()
        self._at_fork = []
        self._lock.release()

    def _in_child(self) -> None:
        self.refused.update(pool.path for pool in self._at_fork if pool.after_fork_in_child())
        self._at_fork = []
        self._lock = threading.Lock()
        forget_write_queues()


_of_parent: list[Connection] = []
_forks = _Forks()
