"""The look back: from a finished stretch of conversation to an episode and the memories worth keeping.

Reading and judging happen outside any transaction; what came of it, the episode, the memories and
the job's end, is stored in one. A crash before that leaves nothing behind and the job is tried again;
a crash after it finds the session's mark moved and does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from hindsight.domain.conversation import Candidate, Episode, Rejection, Session, Span, Turn
from hindsight.domain.errors import BackendUnavailable, StateMismatch
from hindsight.domain.fingerprints import ECHO_SHARE_MIN
from hindsight.domain.ids import EpisodeId, MemoryId, SessionId
from hindsight.domain.memory import Evidence, Memory, under_key
from hindsight.domain.records import AuditEvent, Job, WriteOutcome, WriteResult
from hindsight.language.digest import Digest, digest
from hindsight.language.script import language_of
from hindsight.language.secrets import find_secrets
from hindsight.ports import Distilled, ReadScope, Stretch, WriteScope
from hindsight.services.admit import admit
from hindsight.services.core import Core
from hindsight.services.indexed import episode_terms
from hindsight.services.proposed import Proposed, classified
from hindsight.services.serving import served_in

# A stretch is judged in pieces of this many turns, each seeing the ones before it.
PIECE_TURNS: Final = 120
CONTEXT_TURNS: Final = 20


def run_look_back(core: Core, job: Job) -> Sequence[WriteResult]:
    """Look back on the job's stretch and store what came of it, with the job's end.

    Raises:
        HindsightError: Nothing was stored; the caller decides whether to try again.
    """
    assert job.session_id is not None, "a look back has a session"
    with core.store.reading(job.namespace) as scope:
        session = scope.session(job.session_id)
        if session is None or session.distilled_to >= job.end_index:
            turns: Sequence[Turn] = ()
            earlier: Sequence[Turn] = ()
        else:
            first = session.distilled_to
            turns = scope.turns(job.session_id, first=first, end=job.end_index)
            earlier = scope.turns(job.session_id, first=max(0, first - CONTEXT_TURNS), end=first)
        turns = [_without_echo(core, scope, turn) for turn in turns]
    if session is None or not turns:
        with core.store.writing(job.namespace) as scope:
            _close(core, scope, job, (), (), ())
        return ()
    distilled = _distil(core, job, session, turns, earlier)
    ready = [_prepare(candidate, turns, earlier) for candidate in distilled.candidates]
    kept = _with_vectors(core, [item for item in ready if item is not None])
    episode = _episode(core, job.session_id, turns, digest([t for t in turns if not t.erased]))
    return _store(core, job, session, turns, distilled, kept, episode)


def _without_echo(core: Core, scope: ReadScope, turn: Turn) -> Turn:
    """*turn* with our own served text blanked at its length: it is never evidence of anything."""
    if turn.role not in ("user", "assistant") or turn.erased:
        return turn
    # A user who says nearly what was served, but for a "not" or a number, is correcting it.
    spans = served_in(core, scope, turn.content, share_min=1.0 if turn.role == "user" else ECHO_SHARE_MIN)
    content = turn.content
    for start, end in spans:
        content = content[:start] + " " * (end - start) + content[end:]
    return replace(turn, content=content) if spans else turn


def _distil(core: Core, job: Job, session: Session, turns: Sequence[Turn], earlier: Sequence[Turn]) -> Distilled:
    candidates: list[Candidate] = []
    rejections: list[Rejection] = []
    notes: list[str] = []
    everything = [*earlier, *turns]
    for start in range(0, len(turns), PIECE_TURNS):
        if start:
            _renew(core, job)
        piece = turns[start : start + PIECE_TURNS]
        before = everything[: len(earlier) + start][-CONTEXT_TURNS:]
        result = core.distiller.distil(
            Stretch(turns=piece, context=before, time_zone=session.time_zone or core.time_zone)
        )
        candidates.extend(result.candidates)
        rejections.extend(result.rejections)
        notes.extend(note for note in result.notes if note not in notes)
    return Distilled(candidates=candidates, rejections=rejections, notes=notes)


def _renew(core: Core, job: Job) -> None:
    """Hold the job for another lease, so that a long one is not begun again elsewhere before it ends.

    Raises:
        StateMismatch: Another worker has taken it over.
    """
    with core.store.writing(job.namespace) as scope:
        mine = scope.job(job.id)
        if mine is None or mine.state != "running" or mine.lease_owner != job.lease_owner:
            raise StateMismatch(f"job {job.id!r} was taken over by another worker", code="lease_lost")
        until = core.now() + timedelta(seconds=core.limits.lease_s)
        scope.put_job(replace(mine, lease_until=until))


def _with_vectors(core: Core, kept: Sequence[Proposed]) -> list[Proposed]:
    """*kept*, each with its vector; without where no embedder answers: they are made later."""
    if core.embedder is None or not kept:
        return list(kept)
    try:
        vectors = core.embedder.passages([under_key(item.key, item.value) for item in kept])  # (n, d)
    except BackendUnavailable:
        return list(kept)
    return [replace(item, vector=vector) for item, vector in zip(kept, vectors, strict=True)]


def _prepare(candidate: Candidate, turns: Sequence[Turn], earlier: Sequence[Turn]) -> Proposed | None:
    if find_secrets(candidate.value) or find_secrets(candidate.key):
        return None
    by_index = {turn.index: turn for turn in (*earlier, *turns)}
    evidence = tuple(_cite(by_index[span.turn_index], span) for span in candidate.spans if span.turn_index in by_index)
    if not evidence:
        return None
    return Proposed(
        key=candidate.key,
        value=candidate.value,
        category=classified(candidate.value, candidate.category),
        language=candidate.language,
        origin=candidate.origin,
        at=candidate.at,
        made_by=candidate.made_by,
        stated_confidence=candidate.confidence,
        evidence=evidence,
        source=None,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
        corrects=candidate.corrects,
        endorsed_from=candidate.endorsed_from,
    )


def _cite(turn: Turn, span: Span) -> Evidence:
    return Evidence(
        session_id=turn.session_id,
        turn_index=turn.index,
        quote=turn.content[span.start : span.end],
        at=turn.at,
        origin=turn.origin,
        turn_id=turn.id,
    )


def _episode(core: Core, session_id: SessionId, turns: Sequence[Turn], found: Digest) -> Episode | None:
    if not any(turn.content.strip() for turn in turns):
        return None
    spoken = " ".join(turn.content for turn in turns if turn.role == "user")
    return Episode(
        id=EpisodeId(core.ids.new("epi")),
        session_id=session_id,
        first_index=turns[0].index,
        last_index=turns[-1].index,
        language=language_of(spoken or found.user_said),
        user_said=found.user_said,
        agent_did=found.agent_did,
        conclusion=found.conclusion,
        entities=found.entities,
        started_at=min(turn.at for turn in turns),
        ended_at=max(turn.at for turn in turns),
        created_at=core.now(),
    )


def _store(
    core: Core,
    job: Job,
    session: Session,
    turns: Sequence[Turn],
    distilled: Distilled,
    kept: Sequence[Proposed],
    episode: Episode | None,
) -> Sequence[WriteResult]:
    with core.store.writing(job.namespace) as scope:
        current = scope.session(session.id)
        mine = scope.job(job.id)
        if (
            current is None
            or current.distilled_to != session.distilled_to
            or mine is None
            or mine.lease_owner != job.lease_owner
            or mine.state != "running"
        ):
            return ()
        results: list[WriteResult] = []
        fresh: list[Memory] = []
        erased = {turn.index for turn in scope.turns(session.id, first=turns[0].index) if turn.erased}
        for proposed in kept:
            if any(item.turn_index in erased for item in proposed.evidence):
                continue
            result = admit(core, scope, proposed, fresh=fresh)
            results.append(result)
            fresh.append(result.memory)
        if episode is not None:
            scope.put_episode(episode, terms=episode_terms(episode))
        _mark(scope, current, turns)
        done: list[tuple[WriteOutcome, MemoryId]] = [(result.outcome, result.memory.id) for result in results]
        _close(core, scope, job, done, distilled.rejections, distilled.notes)
        scope.record(
            AuditEvent(
                action="session.looked_back",
                namespace=job.namespace,
                subject=session.id,
                at=core.now(),
                by="system",
                detail={"job": job.id, "memories": len(results), "rejected": len(distilled.rejections)},
            )
        )
    return results


def _mark(scope: WriteScope, session: Session, turns: Sequence[Turn]) -> None:
    end = turns[-1].index + 1
    left = scope.turns(session.id, first=end)
    scope.put_session(replace(session, distilled_to=end, user_turns_pending=sum(turn.role == "user" for turn in left)))


def _close(
    core: Core,
    scope: WriteScope,
    job: Job,
    written: Sequence[tuple[WriteOutcome, MemoryId]],
    rejections: Sequence[Rejection],
    notes: Sequence[str],
) -> None:
    scope.put_job(
        replace(
            job,
            state="done",
            finished_at=core.now(),
            lease_owner=None,
            lease_until=None,
            error=None,
            notes=tuple(notes),
            written=tuple(written),
            rejected=tuple(rejections),
        )
    )
