"""Traces and the marks of what was served, committed behind the answer instead of before it.

A search that waits for its trace waits for the disk, and behind every other writer. So they are queued
and committed at once by a thread of this process; whoever reads them here has them committed first. A
kill can lose the last few traces, and nothing else.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hindsight.domain.errors import HindsightError
from hindsight.domain.ids import MemoryId
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Trace
from hindsight.ports import RecordStore, WriteScope

logger = logging.getLogger("hindsight.tracing")

QUEUED_MAX: Final = 10_000
"""More than this are only waiting where the store cannot be written; then the newest are dropped."""
PAUSE_S: Final = 0.5
"""How long a burst of searches is gathered into one commit. Each empties the page cache of every reader: with 0.05 a
search among 100,000 memories took 23 ms, with this 15."""


@dataclass(frozen=True, slots=True)
class Left:
    """What one search leaves behind: its trace, the texts that it showed, and the memories a prompt took."""

    trace: Trace | None
    served: tuple[str, ...]
    used: tuple[MemoryId, ...] = ()


class TraceQueue:
    """Traces on their way to the store. Safe to share between threads; a fork starts it empty."""

    def __init__(self, store: RecordStore, keep: Callable[[WriteScope, Sequence[Left]], None]) -> None:
        self._store = store
        self._keep = keep
        self._lock = threading.Lock()
        self._commit = threading.Lock()
        self._queued: dict[Namespace, list[Left]] = {}
        self._count = 0
        self._failed = False
        self._closed = False
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def put(self, namespace: Namespace, left: Left) -> bool:
        """Queue it; False where traces cannot be kept at present."""
        self._of_this_process()
        with self._lock:
            if self._closed or self._count >= QUEUED_MAX:
                return False
            self._queued.setdefault(namespace, []).append(left)
            self._count += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="hindsight-traces", daemon=True)
                self._thread.start()
            healthy = not self._failed
        self._wake.set()
        return healthy

    def flush(self, namespace: Namespace | None = None) -> bool:
        """Commit what is queued, of *namespace* or of all, before going on.

        False where the store could not be written; what is queued then stays queued.
        """
        self._of_this_process()
        with self._commit:
            with self._lock:
                waiting = [name for name in self._queued if namespace in (None, name)]
            return all(self._commit_all(name) for name in waiting)

    def flush_into(self, scope: WriteScope) -> None:
        """Put what is queued of the scope's namespace into an open write scope.

        For an erasure: what it blanks must be there, and must not follow it.
        """
        self._of_this_process()
        with self._lock:
            left = self._take(scope.namespace)
        if left:
            self._keep(scope, left)

    def close(self) -> None:
        """Commit what is queued and take no more."""
        with self._lock:
            self._closed = True
            thread = self._thread
        self._wake.set()
        if thread is not None and self._process == os.getpid():
            thread.join()
        self.flush()

    def _commit_all(self, namespace: Namespace) -> bool:
        # Queued traces are taken inside the write, so that an erasure that is under way finds them queued.
        left: list[Left] = []
        try:
            with self._store.writing(namespace) as scope:
                with self._lock:
                    left = self._take(namespace)
                if left:
                    self._keep(scope, left)
        except HindsightError as exc:
            logger.warning("traces could not be committed yet: %s", exc)
            with self._lock:
                self._failed = True
                self._queued[namespace] = left + self._queued.get(namespace, [])
                self._count += len(left)
            return False
        with self._lock:
            self._failed = False
        return True

    def _take(self, namespace: Namespace) -> list[Left]:
        left = self._queued.pop(namespace, [])
        self._count -= len(left)
        return left

    def _loop(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            self.flush()
            with self._lock:
                if self._closed:
                    return
            time.sleep(PAUSE_S)

    def _of_this_process(self) -> None:
        """After a fork the parent commits what was queued, and its thread is not here."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._lock, self._commit = threading.Lock(), threading.Lock()
            self._queued, self._count = {}, 0
            self._wake, self._thread = threading.Event(), None
