"""Lets the writers of one process through one at a time, in the order they came.

SQLite's own waiting polls, so that a thread can starve while others write back to back.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hindsight.domain.errors import BackendUnavailable


class WriteQueue:
    """The line of writers to one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._writer: int | None = None

    @property
    def waiting(self) -> int:
        """How many writers stand in line behind the one that writes."""
        return len(self._waiting)

    @contextmanager
    def turn(self, *, timeout_s: float) -> Generator[None]:
        """Hold the queue's front while the block runs.

        Raises:
            BackendUnavailable: The writers before did not finish in *timeout_s*.
        """
        self._enter(timeout_s)
        try:
            yield
        finally:
            self._leave()

    def _enter(self, timeout_s: float) -> None:
        with self._lock:
            if self._writer == threading.get_ident():
                raise RuntimeError("a write scope is already open in this thread; they do not nest")
            if self._writer is None and not self._waiting:
                self._writer = threading.get_ident()
                return
            ready = threading.Event()
            self._waiting.append(ready)
        waited = False
        try:
            ready.wait(timeout_s)
            waited = True
        finally:
            # An interrupt must not leave the line waiting for a thread that went away.
            if not waited and not self._withdraw(ready):
                self._leave()
        if self._withdraw(ready):
            raise BackendUnavailable(
                f"the store at {str(self._path)!r} was busy with other writes for {timeout_s:g} s; try again",
                code="store_busy",
            )
        with self._lock:
            self._writer = threading.get_ident()

    def _withdraw(self, ready: threading.Event) -> bool:
        """Leave the line, unless the turn has come already."""
        with self._lock:
            if ready.is_set():
                return False
            self._waiting.remove(ready)
            return True

    def _leave(self) -> None:
        with self._lock:
            self._writer = None
            if self._waiting:
                # The next one in line owns the turn from here on: no newcomer can slip in between.
                self._writer = 0
                self._waiting.popleft().set()


class _Queues:
    """The write queues of this process, one for each file however many stores are open on it."""

    def __init__(self) -> None:
        self.forget()

    def of(self, path: Path) -> WriteQueue:
        with self._lock:
            return self._by_path.setdefault(path, WriteQueue(path))

    def forget(self) -> None:
        """Start over in a forked child: whoever held a queue there is not in it."""
        self._lock = threading.Lock()
        self._by_path: dict[Path, WriteQueue] = {}


_queues = _Queues()


def write_queue(path: Path) -> WriteQueue:
    """The queue of this process for the file at *path*, shared by every store opened on it."""
    return _queues.of(path)


def forget_write_queues() -> None:
    """Start over in a forked child: whoever held a queue is not in it."""
    _queues.forget()
