"""Between rows and the domain's values. Nothing else in this package knows how a value is laid out.

Rows are read by name. What is written comes as a dict of column to value, in the table's own names.
"""

from __future__ import annotations

import json
import operator
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from hindsight.domain.conversation import Entity, Episode, Rejection, Session, Span, Turn
from hindsight.domain.errors import CorruptData, InvalidRequest
from hindsight.domain.ids import ConflictId, EpisodeId, JobId, LessonId, MemoryId, SessionId, TraceId, TurnId
from hindsight.domain.lessons import Lesson
from hindsight.domain.memory import Evidence, Memory, StoredStatus
from hindsight.domain.moments import from_millis, to_millis
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Conflict, Job, Proposal, Receipt, Trace, TraceCandidate, Use
from hindsight.ports import Vector

Columns = dict[str, Any]

# What of a memory its versions keep; the key and the value stand in the memory's own row.
STATE_COLUMNS: Final = (
    "category language origin trust confidence status created_ms updated_ms verified_ms source writer "
    "locator valid_from_ms valid_to_ms ttl_days disputed_by superseded_by merged_from supported_by endorsed_from "
    "made_by version"
).split()


@lru_cache(maxsize=64)
def _upsert(table: str, columns: tuple[str, ...], key: tuple[str, ...]) -> str:
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    places = ", ".join(f":{name}" for name in columns)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places}) "
        f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}"
    )


def upsert(table: str, columns: Columns, *, key: tuple[str, ...]) -> str:
    """The statement that inserts a row or changes the one with the same *key*."""
    return _upsert(table, tuple(columns), key)


@lru_cache(maxsize=64)
def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(':' + name for name in columns)})"


def insert(table: str, columns: Columns) -> str:
    """The statement that inserts a row."""
    return _insert(table, tuple(columns))


def json_text(value: object) -> str:
    """Compact JSON, as it is stored and as lists of ids are bound."""
    # An index may name items by numpy's integers.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=operator.index)


def _millis(moment: datetime | None) -> int | None:
    return None if moment is None else to_millis(moment)


def _moment(millis: int | None) -> datetime | None:
    return None if millis is None else from_millis(millis)


# Vectors.
def vector_blob(vector: Vector) -> bytes:
    """A vector as little-endian float32.

    Raises:
        InvalidRequest: It is no single row, or holds something that is no number.
    """
    if vector.ndim != 1 or not vector.size or not bool(np.isfinite(vector).all()):
        raise InvalidRequest(
            f"a vector must be one row of finite numbers, not of shape {vector.shape}", code="invalid_vector"
        )
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def vector_of(blob: bytes) -> Vector:
    """A vector from its stored bytes."""
    return np.frombuffer(checked_blob(blob), dtype="<f4").astype(np.float32, copy=False)


def checked_blob(blob: bytes) -> bytes:
    """A vector's stored bytes.

    Raises:
        CorruptData: They are none.
    """
    if not blob or len(blob) % 4:
        raise CorruptData(f"a stored vector has {len(blob)} bytes; run `hindsight check`")
    return blob


# Memories.
def stored_status(memory: Memory) -> StoredStatus:
    """The status as it is kept: `stale` is derived at read and never stored."""
    return "active" if memory.status == "stale" else memory.status


def state_columns(memory: Memory) -> Columns:
    """All of a memory that can change, and what describes it; not its id, key, value and evidence."""
    return {
        "category": memory.category,
        "language": memory.language,
        "origin": memory.origin,
        "trust": memory.trust,
        "confidence": memory.confidence,
        "status": stored_status(memory),
        "created_ms": to_millis(memory.created_at),
        "updated_ms": to_millis(memory.updated_at),
        "verified_ms": to_millis(memory.verified_at),
        "source": memory.source,
        "writer": memory.writer,
        "locator": memory.locator,
        "valid_from_ms": _millis(memory.valid_from),
        "valid_to_ms": _millis(memory.valid_to),
        "ttl_days": memory.ttl_days,
        "disputed_by": json_text(memory.disputed_by),
        "superseded_by": memory.superseded_by,
        "merged_from": json_text(memory.merged_from),
        "supported_by": json_text(memory.supported_by),
        "endorsed_from": memory.endorsed_from,
        "made_by": memory.made_by,
        "version": memory.version,
    }


def memory_of(row: sqlite3.Row, namespace: Namespace, evidence: Sequence[Evidence]) -> Memory:
    """A memory from a row that has ``id``, ``key``, ``value`` and the state columns."""
    return Memory(
        id=MemoryId(row["id"]),
        namespace=namespace,
        key=row["key"],
        value=row["value"],
        category=row["category"],
        language=row["language"],
        origin=row["origin"],
        trust=row["trust"],
        confidence=row["confidence"],
        status=row["status"],
        created_at=from_millis(row["created_ms"]),
        updated_at=from_millis(row["updated_ms"]),
        verified_at=from_millis(row["verified_ms"]),
        source=row["source"],
        writer=row["writer"],
        locator=row["locator"],
        evidence=tuple(evidence),
        valid_from=_moment(row["valid_from_ms"]),
        valid_to=_moment(row["valid_to_ms"]),
        ttl_days=row["ttl_days"],
        disputed_by=tuple(json.loads(row["disputed_by"])),
        superseded_by=row["superseded_by"],
        merged_from=tuple(json.loads(row["merged_from"])),
        supported_by=tuple(json.loads(row["supported_by"])),
        endorsed_from=row["endorsed_from"],
        made_by=row["made_by"],
        version=row["version"],
    )


def evidence_columns(evidence: Evidence) -> Columns:
    """One piece of evidence, without the memory it belongs to."""
    return {
        "session_id": evidence.session_id,
        "turn_index": evidence.turn_index,
        "quote": evidence.quote,
        "at_ms": to_millis(evidence.at),
        "origin": evidence.origin,
        "turn_id": evidence.turn_id,
    }


def evidence_of(row: sqlite3.Row) -> Evidence:
    """One piece of evidence."""
    turn_id: str | None = row["turn_id"]
    return Evidence(
        session_id=SessionId(row["session_id"]),
        turn_index=row["turn_index"],
        quote=row["quote"],
        at=from_millis(row["at_ms"]),
        origin=row["origin"],
        turn_id=None if turn_id is None else TurnId(turn_id),
    )


# Conversations.
def session_columns(session: Session) -> Columns:
    """A session, without its namespace."""
    return {
        "id": session.id,
        "turn_count": session.turn_count,
        "user_turns_pending": session.user_turns_pending,
        "distilled_to": session.distilled_to,
        "started_ms": to_millis(session.started_at),
        "last_ms": to_millis(session.last_at),
        "observed_ms": to_millis(session.observed_at),
        "ended": int(session.ended),
        "time_zone": session.time_zone,
    }


def session_of(row: sqlite3.Row) -> Session:
    """A session."""
    return Session(
        id=SessionId(row["id"]),
        turn_count=row["turn_count"],
        user_turns_pending=row["user_turns_pending"],
        distilled_to=row["distilled_to"],
        started_at=from_millis(row["started_ms"]),
        last_at=from_millis(row["last_ms"]),
        observed_at=from_millis(row["observed_ms"]),
        ended=bool(row["ended"]),
        time_zone=row["time_zone"],
    )


def turn_columns(turn: Turn) -> Columns:
    """A turn, without its item and its session's number."""
    return {
        "position": turn.index,
        "id": turn.id,
        "role": turn.role,
        "content": turn.content,
        "at_ms": to_millis(turn.at),
        "origin": turn.origin,
        "name": turn.name,
        "erased": int(turn.erased),
        "observed_ms": _millis(turn.observed_at),
    }


def turn_of(row: sqlite3.Row) -> Turn:
    """A turn from a row that also has its session's id as ``session_id``."""
    return Turn(
        session_id=SessionId(row["session_id"]),
        index=row["position"],
        id=TurnId(row["id"]),
        role=row["role"],
        content=row["content"],
        at=from_millis(row["at_ms"]),
        origin=row["origin"],
        name=row["name"],
        erased=bool(row["erased"]),
        observed_at=_moment(row["observed_ms"]),
    )


def episode_columns(episode: Episode) -> Columns:
    """An episode, without its item, namespace and session's number."""
    return {
        "id": episode.id,
        "first_index": episode.first_index,
        "last_index": episode.last_index,
        "language": episode.language,
        "user_said": episode.user_said,
        "agent_did": episode.agent_did,
        "conclusion": episode.conclusion,
        "entities": json_text([[entity.name, entity.kind] for entity in episode.entities]),
        "started_ms": to_millis(episode.started_at),
        "ended_ms": to_millis(episode.ended_at),
        "created_ms": to_millis(episode.created_at),
    }


def episode_of(row: sqlite3.Row) -> Episode:
    """An episode from a row that also has its session's id as ``session_id``."""
    entities = cast("list[tuple[str, str]]", json.loads(row["entities"]))
    return Episode(
        id=EpisodeId(row["id"]),
        session_id=SessionId(row["session_id"]),
        first_index=row["first_index"],
        last_index=row["last_index"],
        language=row["language"],
        user_said=row["user_said"],
        agent_did=row["agent_did"],
        conclusion=row["conclusion"],
        entities=tuple(Entity(name=name, kind=kind) for name, kind in entities),
        started_at=from_millis(row["started_ms"]),
        ended_at=from_millis(row["ended_ms"]),
        created_at=from_millis(row["created_ms"]),
    )


# Everything else.
def job_columns(job: Job) -> Columns:
    """A job, without its namespace."""
    return {
        "id": job.id,
        "kind": job.kind,
        "state": job.state,
        "created_ms": to_millis(job.created_at),
        "run_after_ms": to_millis(job.run_after),
        "session_id": job.session_id,
        "first_index": job.first_index,
        "end_index": job.end_index,
        "started_by": job.trigger,
        "attempts": job.attempts,
        "lease_owner": job.lease_owner,
        "lease_until_ms": _millis(job.lease_until),
        "finished_ms": _millis(job.finished_at),
        "error": job.error,
        "notes": json_text(job.notes),
        "written": json_text(job.written),
        "rejected": json_text([[r.span.turn_index, r.span.start, r.span.end, r.reason] for r in job.rejected]),
    }


def job_of(row: sqlite3.Row, namespace: Namespace) -> Job:
    """A job."""
    session_id: str | None = row["session_id"]
    rejected = cast("list[tuple[int, int, int, str]]", json.loads(row["rejected"]))
    return Job(
        id=JobId(row["id"]),
        namespace=namespace,
        kind=row["kind"],
        state=row["state"],
        created_at=from_millis(row["created_ms"]),
        run_after=from_millis(row["run_after_ms"]),
        session_id=None if session_id is None else SessionId(session_id),
        first_index=row["first_index"],
        end_index=row["end_index"],
        trigger=row["started_by"],
        attempts=row["attempts"],
        lease_owner=row["lease_owner"],
        lease_until=_moment(row["lease_until_ms"]),
        finished_at=_moment(row["finished_ms"]),
        error=row["error"],
        notes=tuple(json.loads(row["notes"])),
        written=tuple((outcome, memory_id) for outcome, memory_id in json.loads(row["written"])),
        rejected=tuple(
            Rejection(span=Span(turn_index=index, start=start, end=end), reason=reason)
            for index, start, end, reason in rejected
        ),
    )


def conflict_columns(conflict: Conflict) -> Columns:
    """A conflict, without its namespace."""
    return {
        "id": conflict.id,
        "first": conflict.first,
        "second": conflict.second,
        "question": conflict.question,
        "opened_ms": to_millis(conflict.opened_at),
        "open": int(conflict.open),
        "outcome": conflict.outcome,
        "settled_ms": _millis(conflict.settled_at),
        "settled_by": conflict.settled_by,
    }


def conflict_of(row: sqlite3.Row, namespace: Namespace) -> Conflict:
    """A conflict."""
    return Conflict(
        id=ConflictId(row["id"]),
        namespace=namespace,
        first=MemoryId(row["first"]),
        second=MemoryId(row["second"]),
        question=row["question"],
        opened_at=from_millis(row["opened_ms"]),
        open=bool(row["open"]),
        outcome=row["outcome"],
        settled_at=_moment(row["settled_ms"]),
        settled_by=row["settled_by"],
    )


def proposal_columns(proposal: Proposal) -> Columns:
    """A proposal, without its namespace."""
    return {
        "id": proposal.id,
        "memory_id": proposal.memory_id,
        "action": proposal.action,
        "proposed_ms": to_millis(proposal.proposed_at),
        "proposed_by": proposal.proposed_by,
        "value": proposal.value,
        "reason": proposal.reason,
    }


def proposal_of(row: sqlite3.Row) -> Proposal:
    """A proposal."""
    return Proposal(
        id=row["id"],
        memory_id=MemoryId(row["memory_id"]),
        action=row["action"],
        proposed_at=from_millis(row["proposed_ms"]),
        proposed_by=row["proposed_by"],
        value=row["value"],
        reason=row["reason"],
    )


def lesson_body(lesson: Lesson) -> str:
    """All of a lesson but its namespace and its ids, as JSON."""
    return json_text(
        {
            "language": lesson.language,
            "trust": lesson.trust,
            "templated": lesson.templated,
            "by": lesson.by,
            "learned_ms": to_millis(lesson.learned_at),
            "grounds": lesson.grounds,
            "marks": lesson.marks,
        }
    )


def lesson_of(row: sqlite3.Row, namespace: Namespace) -> Lesson:
    """A lesson."""
    body = json.loads(row["body"])
    return Lesson(
        id=LessonId(row["id"]),
        namespace=namespace,
        memory_id=MemoryId(row["memory_id"]),
        language=body["language"],
        trust=body["trust"],
        templated=body["templated"],
        by=body["by"],
        learned_at=from_millis(body["learned_ms"]),
        grounds=tuple(body["grounds"]),
        marks=tuple(body["marks"]),
    )


def trace_body(trace: Trace) -> str:
    """All of a trace but its id, namespace and time."""
    return json_text(
        {
            "query": trace.query,
            "candidates": [
                [c.layer, c.target, c.rank, c.relevance, dict(c.parts), c.returned] for c in trace.candidates
            ],
            "injected": trace.injected,
            "uses": [[use.memory_ids, use.decision, to_millis(use.at)] for use in trace.uses],
            "degraded": trace.degraded,
        }
    )


def trace_of(row: sqlite3.Row, namespace: Namespace) -> Trace:
    """A trace."""
    body: Mapping[str, Any] = json.loads(row["body"])
    return Trace(
        id=TraceId(row["id"]),
        namespace=namespace,
        at=from_millis(row["at_ms"]),
        query=body["query"],
        candidates=tuple(
            TraceCandidate(layer=layer, target=target, rank=rank, relevance=relevance, parts=parts, returned=returned)
            for layer, target, rank, relevance, parts, returned in body["candidates"]
        ),
        injected=tuple(body["injected"]),
        uses=tuple(
            Use(memory_ids=tuple(memory_ids), decision=decision, at=from_millis(at))
            for memory_ids, decision, at in body["uses"]
        ),
        degraded=tuple(body["degraded"]),
    )


def receipt_body(receipt: Receipt) -> str:
    """All of a receipt but its id and namespace."""
    return json_text(
        {
            "subject": receipt.subject,
            "erased_at": to_millis(receipt.erased_at),
            "counts": dict(receipt.counts),
            "retained": receipt.retained,
            "pending": receipt.pending,
            "key_id": receipt.key_id,
            "signature": receipt.signature,
        }
    )


def receipt_of(row: sqlite3.Row, namespace: Namespace) -> Receipt:
    """A receipt."""
    body: Mapping[str, Any] = json.loads(row["body"])
    return Receipt(
        id=row["id"],
        namespace=namespace,
        subject=body["subject"],
        erased_at=from_millis(body["erased_at"]),
        counts=body["counts"],
        retained=body["retained"],
        pending=tuple(body["pending"]),
        key_id=body["key_id"],
        signature=body["signature"],
    )


def fingerprint_columns(fingerprints: Iterable[int]) -> dict[int, int]:
    """Fingerprints by the signed number that stands for them in a column.

    Raises:
        InvalidRequest: One does not fit in 64 bits.
    """
    signed: dict[int, int] = {}
    for fingerprint in fingerprints:
        if not -(1 << 63) <= fingerprint < 1 << 64:
            raise InvalidRequest(f"fingerprint {fingerprint} does not fit in 64 bits")
        signed[fingerprint - (1 << 64) if fingerprint >= 1 << 63 else fingerprint] = fingerprint
    return signed
