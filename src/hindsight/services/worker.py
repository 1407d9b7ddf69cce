"""The loop that does what was put off: look backs, vectors, unfinished erasures, idle sessions, the audit file.

One loop for every process: the background thread of a service, a command that drains before it
ends, and a call that waits. Work is leased, so that several processes share it and none doubles it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from hindsight.domain.errors import BackendUnavailable, HindsightError, InvalidRequest, shown
from hindsight.domain.records import Job
from hindsight.services.core import Core
from hindsight.services.embedding import embed_pending
from hindsight.services.erasing import resume_erasure
from hindsight.services.look_back import run_look_back
from hindsight.services.observe import queue_look_back

logger = logging.getLogger("hindsight.worker")

BACKOFF_S: Final = 2.0
BACKOFF_S_MAX: Final = 300.0
# Doubling past this exceeds the longest wait anyway, and a float ends at 2 ** 1,023.
DOUBLINGS_MAX: Final = 10
IDLE_SESSIONS_MAX: Final = 50
POLL_S: Final = 5.0
WAIT_POLL_S: Final = 0.02
# A year: whoever waits longer waits for something else.
WAIT_S_MAX: Final = 31_536_000
# A new job waits for at most this many batches of vectors.
BATCHES_BETWEEN_JOBS: Final = 4


def run_due_jobs(core: Core, *, owner: str, progress: Callable[[Job], None] | None = None) -> int:
    """Run every job that is due and return how many ran, whether they succeeded or not."""
    ran = 0
    while True:
        now = core.now()
        job = core.store.claim_job(now=now, lease_until=now + timedelta(seconds=core.limits.lease_s), owner=owner)
        if job is None:
            return ran
        _run(core, job)
        ran += 1
        if progress is not None:
            progress(job)


def queue_idle(core: Core) -> int:
    """Queue look backs on sessions that have been quiet long enough; return how many."""
    before = core.now() - timedelta(minutes=core.limits.idle_minutes)
    queued = 0
    for namespace, session_id in core.store.idle_sessions(observed_before=before, limit=IDLE_SESSIONS_MAX):
        with core.store.writing(namespace) as scope:
            session = scope.session(session_id)
            if session is None or session.user_turns_pending == 0 or scope.open_job(session_id) is not None:
                continue
            queue_look_back(core, scope, session, end_index=session.turn_count, trigger="idle")
            queued += 1
    return queued


def _run(core: Core, job: Job) -> None:
    try:
        if job.kind == "look_back":
            run_look_back(core, job)
        elif not resume_erasure(core, job):
            raise BackendUnavailable("another process still holds the store open; the scrub is tried again")
    except KeyboardInterrupt:
        # Whoever comes next need not wait for the lease of a run that was given up.
        _hand_back(core, job)
        raise
    except HindsightError as exc:
        _put_off(core, job, f"{exc.code}: {exc}")
    except Exception as exc:
        # The loop must outlive any fault of one job; what it was is logged and kept with the job.
        logger.exception("job %s failed", job.id)
        _put_off(core, job, f"internal: {type(exc).__name__}")


def _hand_back(core: Core, job: Job) -> None:
    """Queue a job again as if this run had not begun."""
    with core.store.writing(job.namespace) as scope:
        current = scope.job(job.id)
        if current is not None and current.is_run(job):
            attempts = max(0, current.attempts - 1)
            scope.put_job(replace(current, state="queued", attempts=attempts, lease_owner=None, lease_until=None))


def _put_off(core: Core, job: Job, error: str) -> None:
    """Try again later, or give up with the reason kept. An erasure is never given up."""
    with core.store.writing(job.namespace) as scope:
        current = scope.job(job.id)
        if current is None or not current.is_run(job):
            return
        last = job.attempts >= core.limits.attempts and job.kind != "erase"
        wait_s = min(BACKOFF_S_MAX, BACKOFF_S * 2 ** min(job.attempts - 1, DOUBLINGS_MAX))
        scope.put_job(
            replace(
                current,
                state="failed" if last else "queued",
                run_after=core.now() + timedelta(seconds=wait_s),
                finished_at=core.now() if last else None,
                lease_owner=None,
                lease_until=None,
                error=error,
            )
        )


class Worker:
    """Runs the loop on one thread until it is stopped."""

    def __init__(self, core: Callable[[], Core], *, owner: str) -> None:
        self._core = core
        self._owner = owner
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._start = threading.Lock()

    def wake(self) -> None:
        """Let the loop look for work now, starting its thread the first time."""
        if self._stop.is_set():
            return
        with self._start:
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="hindsight-worker", daemon=True)
                self._thread.start()
        self._wake.set()

    def stop(self) -> None:
        """Stop after the job at hand. What is left stays queued for the next process."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _loop(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(POLL_S)
            self._wake.clear()
            if self._stop.is_set():
                return
            try:
                drain(self._core(), owner=self._owner, stopped=self._stop.is_set)
            except Exception:
                # A store that is away for a moment must not end the loop.
                logger.exception("background work failed; it goes on in %s s", POLL_S)


def drain(core: Core, *, owner: str, stopped: Callable[[], bool] = lambda: False) -> None:
    """Do all the work there is to be done now."""
    queue_idle(core)
    while not stopped():
        ran = run_due_jobs(core, owner=owner)
        embedded = _embed(core)
        if not ran and not embedded:
            break
    core.audit_log.run(now=core.now())
    core.finders.keep(False)


def _embed(core: Core) -> int:
    try:
        return embed_pending(core, batches_max=BATCHES_BETWEEN_JOBS)
    except BackendUnavailable as exc:
        logger.warning("no vectors for now: %s", exc)
        return 0


def wait_for(core: Core, *, owner: str, timeout_s: object) -> bool:
    """Work, and wait for others' work, until no job and no vector is outstanding; False on time-out.

    Raises:
        InvalidRequest: *timeout_s* is no number of seconds.
    """
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)) or not 0 <= timeout_s <= WAIT_S_MAX:
        raise InvalidRequest(
            f"timeout_s {shown(timeout_s)} must be a number of seconds from 0 to {WAIT_S_MAX:,}",
            code="invalid_timeout_s",
        )
    deadline = time.monotonic() + timeout_s
    while True:
        drain(core, owner=owner)
        if core.store.jobs_waiting() == 0 and (core.embedder is None or core.store.pending_count() == 0):
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(WAIT_POLL_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """How much background work is outstanding, in all namespaces.

    ``set_aside`` are texts that the embedder fails on: they are found by their words only, and are
    tried again by `reembed`.
    """

    jobs: int
    texts: int
    set_aside: int = 0


def pending(core: Core) -> Pending:
    """The jobs that wait or run, and the texts that still want a vector."""
    return Pending(
        jobs=core.store.jobs_waiting(),
        texts=core.store.pending_count(),
        set_aside=core.store.set_aside_count(),
    )
