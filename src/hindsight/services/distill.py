"""Look back on request, in the caller's own time."""

from __future__ import annotations

import time
from typing import Final

from hindsight.domain.errors import BackendUnavailable, NotFound
from hindsight.domain.ids import SessionId, parse_caller_id
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import DistillResult
from hindsight.services.browse import session_result
from hindsight.services.core import Core
from hindsight.services.observe import queue_look_back
from hindsight.services.worker import run_due_jobs

POLL_S: Final = 0.02
WAIT_S_MAX: Final = 600.0


def distill(core: Core, namespace: object, session_id: object, *, owner: str) -> DistillResult:
    """Look back on what is pending of a session, here or with whoever is at it already.

    Raises:
        NotFound: There is no such session here.
        BackendUnavailable: The job failed; it is tried again in the background, and says why.
    """
    space = parse_namespace(namespace)
    session = SessionId(parse_caller_id(session_id, what="session_id"))
    with core.store.writing(space) as scope:
        found = scope.session(session)
        if found is None:
            raise NotFound(f"no session {session!r} in namespace {space!r}")
        job_id = None
        if found.distilled_to < found.turn_count:
            job_id = queue_look_back(core, scope, found, end_index=found.turn_count, trigger="request").id
    deadline = time.monotonic() + WAIT_S_MAX
    while job_id is not None:
        run_due_jobs(core, owner=owner)
        with core.store.reading(space) as scope:
            job = scope.job(job_id)
        if job is None or job.state == "done":
            break
        if job.error is not None or time.monotonic() > deadline:
            raise BackendUnavailable(
                f"the look back on session {session!r} did not succeed ({job.error}); it is tried again"
            )
        time.sleep(POLL_S)
    core.audit_log.run(now=core.now())
    return session_result(core, space, session)
