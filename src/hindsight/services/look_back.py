"""The look back: from a finished stretch of conversation to an episode and the memories worth keeping.

Reading and judging happen outside any transaction; what came of it, the episode, the memories and
the job's end, is stored in one. A crash before that leaves nothing behind and the job is tried again;
a crash after it finds the session's mark moved and does nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from hindsight.domain.conversation import FILLER, Candidate, Episode, Rejection, Session, Span, Turn
from hindsight.domain.errors import BackendUnavailable, HindsightError, StateMismatch
from hindsight.domain.fingerprints import ECHO_SHARE_MIN
from hindsight.domain.hidden import without_hidden
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
# A missed renewal or two must not cost the lease.
RENEWALS_A_LEASE: Final = 3

logger = logging.getLogger("hindsight.look_back")
# An erasure during a reading is rare; three in a row are something else.
READINGS_MAX: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a look back judged: the session, its stretch and what came before it, word for word."""

    session: Session
    turns: Sequence[Turn]
    earlier: Sequence[Turn]
    # The stretch as it is judged: without what the service itself had served.
    heard: Sequence[Turn]


def run_look_back(core: Core, job: Job) -> Sequence[WriteResult]:
    """Look back on the job's stretch and store what came of it, with the job's end.

    Raises:
        HindsightError: Nothing was stored; the caller decides whether to try again.
    """
    for _ in range(READINGS_MAX):
        reading = _read(core, job)
        if reading is None:
            _close_empty(core, job)
            return ()
        with _held(core, job):
            distilled = _distil(core, job, reading)
        ready = [proposed_of(candidate, reading.heard, reading.earlier) for candidate in distilled.candidates]
        kept = _with_vectors(core, [item for item in ready if item is not None])
        results = _store(core, job, reading, distilled, kept)
        if results is not None:
            return results
    raise StateMismatch(
        f"the words of session {job.session_id!r} changed during each of {READINGS_MAX} readings", code="turns_changed"
    )


def _read(core: Core, job: Job) -> Reading | None:
    """The stretch that is pending; None where nothing is."""
    assert job.session_id is not None, "a look back has a session"
    # What was served a moment ago must be known again here.
    core.traces.flush(job.namespace)
    with core.store.reading(job.namespace) as scope:
        session = scope.session(job.session_id)
        if session is None or session.distilled_to >= job.end_index:
            return None
        first = session.distilled_to
        turns = scope.turns(session.id, first=first, end=job.end_index)
        if not turns:
            return None
        return Reading(
            session=session,
            turns=turns,
            earlier=scope.turns(session.id, first=max(0, first - CONTEXT_TURNS), end=first),
            heard=[_without_echo(core, scope, turn) for turn in turns],
        )


def _still_reads(scope: ReadScope, reading: Reading) -> bool:
    """Whether the turns say what was judged: a piece that was erased meanwhile must not come back."""
    known = [*reading.earlier, *reading.turns]
    return list(scope.turns(reading.session.id, first=known[0].index, end=known[-1].index + 1)) == known


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


def _distil(core: Core, job: Job, reading: Reading) -> Distilled:
    turns, earlier, session = reading.heard, reading.earlier, reading.session
    candidates: list[Candidate] = []
    rejections: list[Rejection] = []
    notes: list[str] = []
    everything = [*earlier, *turns]
    for start in range(0, len(turns), PIECE_TURNS):
        piece = turns[start : start + PIECE_TURNS]
        before = everything[: len(earlier) + start][-CONTEXT_TURNS:]
        result = core.distiller.distil(
            Stretch(turns=piece, context=before, time_zone=session.time_zone or core.time_zone)
        )
        candidates.extend(result.candidates)
        rejections.extend(result.rejections)
        notes.extend(note for note in result.notes if note not in notes)
    return Distilled(candidates=candidates, rejections=rejections, notes=notes)


@contextmanager
def _held(core: Core, job: Job) -> Generator[None]:
    """Hold the job for as long as the work inside takes: a language model may need longer than a lease.

    Where another worker has taken it over all the same, what comes of the work is not stored.
    """
    done = threading.Event()

    def renew() -> None:
        while not done.wait(core.limits.lease_s / RENEWALS_A_LEASE):
            try:
                _renew(core, job)
            except HindsightError as exc:
                logger.warning("the lease of job %s was not renewed: %s", job.id, exc)
                if not exc.retryable:
                    return

    thread = threading.Thread(target=renew, name="hindsight-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(core: Core, job: Job) -> None:
    """Hold the job for another lease.

    Raises:
        StateMismatch: Another worker has taken it over.
    """
    with core.store.writing(job.namespace) as scope:
        mine = scope.job(job.id)
        if mine is None or not mine.is_run(job):
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


def proposed_of(candidate: Candidate, turns: Sequence[Turn], earlier: Sequence[Turn]) -> Proposed | None:
    """*candidate* with its quotes out of *turns* and what came *earlier*; None where it may not be kept."""
    key, value = without_hidden(candidate.key).strip(), without_hidden(candidate.value).strip()
    if not key or not value or FILLER in key + value or find_secrets(value) or find_secrets(key):
        return None
    by_index = {turn.index: turn for turn in (*earlier, *turns)}
    evidence = tuple(_cite(by_index[span.turn_index], span) for span in candidate.spans if span.turn_index in by_index)
    if not evidence:
        return None
    return Proposed(
        key=key,
        value=value,
        category=classified(value, candidate.category),
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
    core: Core, job: Job, reading: Reading, distilled: Distilled, kept: Sequence[Proposed]
) -> Sequence[WriteResult] | None:
    """Store what came of *reading*; None where the turns no longer say what was read."""
    with core.store.writing(job.namespace) as scope:
        current = scope.session(reading.session.id)
        mine = scope.job(job.id)
        if mine is None or not mine.is_run(job):
            return ()
        if current is None or current.distilled_to != reading.session.distilled_to:
            _give_way(core, scope, mine, current)
            return ()
        if not _still_reads(scope, reading):
            return None
        results: list[WriteResult] = []
        fresh: list[Memory] = []
        for proposed in kept:
            result = admit(core, scope, proposed, fresh=fresh)
            results.append(result)
            fresh.append(result.memory)
        heard = [turn for turn in reading.heard if not turn.erased]
        episode = _episode(core, current.id, reading.heard, digest(heard))
        if episode is not None:
            scope.put_episode(episode, terms=episode_terms(episode))
        _mark(scope, current, reading.turns)
        done: list[tuple[WriteOutcome, MemoryId]] = [(result.outcome, result.memory.id) for result in results]
        _close(core, scope, mine, done, distilled.rejections, distilled.notes)
        scope.record(
            AuditEvent(
                action="session.looked_back",
                namespace=job.namespace,
                subject=current.id,
                at=core.now(),
                by="system",
                detail={"job": job.id, "memories": len(results), "rejected": len(distilled.rejections)},
            )
        )
    return results


def _close_empty(core: Core, job: Job) -> None:
    """End a job that found nothing to do, unless it is gone with what was erased."""
    with core.store.writing(job.namespace) as scope:
        mine = scope.job(job.id)
        if mine is not None and mine.is_run(job):
            _close(core, scope, mine, (), (), ())


def _give_way(core: Core, scope: WriteScope, mine: Job, session: Session | None) -> None:
    """Another look back was first: end this one, or queue it for what the other left."""
    if session is None or session.distilled_to >= mine.end_index:
        _close(core, scope, mine, (), (), ())
        return
    attempts = max(0, mine.attempts - 1)
    scope.put_job(
        replace(mine, state="queued", attempts=attempts, run_after=core.now(), lease_owner=None, lease_until=None)
    )


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
