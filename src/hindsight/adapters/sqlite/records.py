"""What is kept beside memories and conversations: jobs, conflicts, proposals, traces and requests."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from hindsight.adapters.sqlite.lessons import LessonReads, LessonWrites
from hindsight.adapters.sqlite.proofs import ProofReads, ProofWrites
from hindsight.adapters.sqlite.rows import (
    conflict_columns,
    conflict_of,
    job_columns,
    job_of,
    json_text,
    proposal_columns,
    proposal_of,
    trace_body,
    trace_of,
    upsert,
)
from hindsight.adapters.sqlite.scope import listed
from hindsight.domain.ids import ConflictId, JobId, MemoryId, RequestId, SessionId, TraceId
from hindsight.domain.moments import to_millis
from hindsight.domain.records import Conflict, Job, Proposal, Trace
from hindsight.ports import StoredRequest


class RecordReads(ProofReads, LessonReads):
    """The namespace's records."""

    def job(self, job_id: JobId) -> Job | None:
        """The job with that id."""
        row = self._row("SELECT * FROM jobs WHERE namespace = ? AND id = ?", (self._number, job_id))
        return None if row is None else job_of(row, self._namespace)

    def job_page(self, *, limit: int, after: JobId | None) -> Sequence[Job]:
        """Jobs by id descending (newest first), starting below *after*."""
        rows = self._rows(
            "SELECT * FROM jobs WHERE namespace = :namespace AND (:after IS NULL OR id < :after) "
            "ORDER BY id DESC LIMIT :limit",
            {"namespace": self._number, "after": after, "limit": limit},
        )
        return [job_of(row, self._namespace) for row in rows]

    def jobs_of(self, session_id: SessionId) -> Sequence[Job]:
        """The jobs of one session, oldest first."""
        rows = self._rows(
            "SELECT * FROM jobs INDEXED BY jobs_by_session WHERE namespace = ? AND session_id = ? ORDER BY id",
            (self._number, session_id),
        )
        return [job_of(row, self._namespace) for row in rows]

    def open_job(self, session_id: SessionId) -> Job | None:
        """The look back on that session that is queued or running, if any; the oldest of several."""
        row = self._row(
            "SELECT * FROM jobs INDEXED BY jobs_by_session WHERE namespace = ? AND session_id = ? "
            "AND kind = 'look_back' AND state IN ('queued', 'running') ORDER BY created_ms, id LIMIT 1",
            (self._number, session_id),
        )
        return None if row is None else job_of(row, self._namespace)

    def conflict(self, conflict_id: ConflictId) -> Conflict | None:
        """The conflict with that id."""
        row = self._row("SELECT * FROM conflicts WHERE namespace = ? AND id = ?", (self._number, conflict_id))
        return None if row is None else conflict_of(row, self._namespace)

    def open_conflicts(self, memory_ids: Collection[MemoryId] | None = None) -> Sequence[Conflict]:
        """Open conflicts, oldest first; those touching *memory_ids* only, where given."""
        return self._conflicts(memory_ids, "AND open = 1")

    def conflicts(self, memory_ids: Collection[MemoryId] | None = None) -> Sequence[Conflict]:
        """As `open_conflicts`, the settled ones included."""
        return self._conflicts(memory_ids, "")

    def _conflicts(self, memory_ids: Collection[MemoryId] | None, which: str) -> Sequence[Conflict]:
        touching = (
            "AND id IN (SELECT id FROM conflicts WHERE namespace = :namespace "
            "AND first IN (SELECT value FROM json_each(:ids)) UNION SELECT id FROM conflicts "
            "WHERE namespace = :namespace AND second IN (SELECT value FROM json_each(:ids)))"
        )
        rows = self._rows(
            f"SELECT * FROM conflicts WHERE namespace = :namespace {which} "
            f"{'' if memory_ids is None else touching} ORDER BY opened_ms, id",
            {"namespace": self._number, "ids": listed(memory_ids or ())},
        )
        return [conflict_of(row, self._namespace) for row in rows]

    def proposals(self) -> Sequence[Proposal]:
        """What waits in the review list, oldest first."""
        rows = self._rows("SELECT * FROM proposals WHERE namespace = ? ORDER BY proposed_ms, id", (self._number,))
        return [proposal_of(row) for row in rows]

    def trace(self, trace_id: TraceId) -> Trace | None:
        """The trace with that id."""
        row = self._row("SELECT * FROM traces WHERE namespace = ? AND id = ?", (self._number, trace_id))
        return None if row is None else trace_of(row, self._namespace)

    def trace_ids(self) -> Sequence[TraceId]:
        """The ids of all traces, ascending."""
        rows = self._rows("SELECT id FROM traces WHERE namespace = ? ORDER BY id", (self._number,))
        return [TraceId(row["id"]) for row in rows]

    def request(self, request_id: RequestId) -> StoredRequest | None:
        """What was answered under that request id."""
        row = self._row("SELECT * FROM requests WHERE namespace = ? AND id = ?", (self._number, request_id))
        if row is None:
            return None
        return StoredRequest(
            digest=row["digest"],
            outcome=row["outcome"],
            memory_id=MemoryId(row["memory_id"]),
            version=row["version"],
            related=tuple(MemoryId(each) for each in json.loads(row["related"])),
            conflict_id=None if row["conflict"] is None else ConflictId(row["conflict"]),
        )


class RecordWrites(RecordReads, ProofWrites, LessonWrites):
    """Writes records."""

    def put_job(self, job: Job) -> None:
        """Insert or change a job."""
        self._own(job.namespace, what=f"job {job.id!r}")
        row = {"namespace": self._number, **job_columns(job)}
        self._run(upsert("jobs", row, key=("namespace", "id")), row)

    def put_conflict(self, conflict: Conflict) -> None:
        """Insert or change a conflict."""
        self._own(conflict.namespace, what=f"conflict {conflict.id!r}")
        row = {"namespace": self._number, **conflict_columns(conflict)}
        self._run(upsert("conflicts", row, key=("namespace", "id")), row)

    def put_proposal(self, proposal: Proposal) -> None:
        """Insert or change a proposal."""
        row = {"namespace": self._number, **proposal_columns(proposal)}
        self._run(upsert("proposals", row, key=("namespace", "id")), row)

    def remove_proposals(self, memory_id: MemoryId) -> None:
        """Remove what was proposed about a memory."""
        self._run("DELETE FROM proposals WHERE namespace = ? AND memory_id = ?", (self._number, memory_id))

    def put_trace(self, trace: Trace) -> None:
        """Insert or change a trace."""
        self._own(trace.namespace, what=f"trace {trace.id!r}")
        row = {
            "namespace": self._number,
            "id": trace.id,
            "at_ms": to_millis(trace.at),
            "body": trace_body(trace),
        }
        self._run(upsert("traces", row, key=("namespace", "id")), row)

    def replace_trace(self, trace: Trace) -> None:
        """Change a trace, unless it is gone."""
        self._run(
            "UPDATE traces SET at_ms = ?, body = ? WHERE namespace = ? AND id = ?",
            (to_millis(trace.at), trace_body(trace), self._number, trace.id),
        )

    def put_request(self, request_id: RequestId, stored: StoredRequest) -> None:
        """Keep what was answered under a request id."""
        row = {
            "namespace": self._number,
            "id": request_id,
            "digest": stored.digest,
            "outcome": stored.outcome,
            "memory_id": stored.memory_id,
            "version": stored.version,
            "related": json_text(stored.related),
            "conflict": stored.conflict_id,
        }
        self._run(upsert("requests", row, key=("namespace", "id")), row)
