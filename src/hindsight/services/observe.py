"""Take in the turns of a running session. The look back on them happens later, elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hindsight.domain.conversation import Session, Turn
from hindsight.domain.ids import JobId, SessionId, TurnId, parse_caller_id
from hindsight.domain.memory import parse_flag
from hindsight.domain.moments import parse_zone
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import AuditEvent, Job, ObserveResult, Receipt, Trigger
from hindsight.language.endings import ends_task
from hindsight.language.forgetting import forget_request, forget_targets
from hindsight.ports import WriteScope
from hindsight.services.alignment import new_turns
from hindsight.services.core import Caller, Core
from hindsight.services.erasing import Erasure, finish_erasure, start_erasure
from hindsight.services.incoming import Incoming, parse_turns
from hindsight.services.indexed import turn_terms
from hindsight.services.replay import replay_digest, replayed


def observe(
    core: Core,
    caller: Caller,
    namespace: object,
    session_id: object,
    turns: object,
    *,
    end: object = False,
    distill: object = True,
    from_index: object = None,
    time_zone: object = None,
) -> ObserveResult:
    """Append what is new in *turns* to the session and return at once.

    The user's words that ask to forget something are obeyed before this returns; the receipts come
    back. Secrets are masked before anything is stored.

    Raises:
        InvalidRequest: A turn is wrong. Nothing of the call is stored then.
        StateMismatch: A turn that is stored already would change.
    """
    space = parse_namespace(namespace)
    session = SessionId(parse_caller_id(session_id, what="session_id"))
    zone_name = core.time_zone if time_zone is None else parse_zone(time_zone).key
    zone = parse_zone(zone_name) if zone_name else None
    ended = parse_flag(end, what="end")
    triggers = parse_flag(distill, what="distill")
    incoming = parse_turns(turns, ceiling=caller.ceiling, zone=zone)

    with core.store.writing(space) as scope:
        running = scope.session(session)
        stored = _Stored(scope, session, running.turn_count if running else 0)
        fresh = new_turns(stored, incoming, from_index=from_index, same=lambda a, b: _same(core, scope, a, b))
        appended = _append(core, scope, running, session, fresh, zone_name)
        erasures = [erasure for turn in appended if (erasure := _obey(core, scope, turn)) is not None]
        job, trigger = _trigger(core, scope, session, appended, end=ended) if triggers else (None, None)
        count = (running.turn_count if running else 0) + len(appended)
        if appended:
            scope.record(
                AuditEvent(
                    action="session.observed",
                    namespace=space,
                    subject=session,
                    at=core.now(),
                    by=caller.ceiling,
                    detail={"appended": len(appended), "turns": count},
                )
            )
    receipts: list[Receipt] = [finish_erasure(core, space, erasure) for erasure in erasures]
    core.wake()
    return ObserveResult(
        session_id=session,
        appended=len(appended),
        turn_count=count,
        job_id=job,
        trigger=trigger,
        receipts=tuple(receipts),
        masked_secrets=sum(turn.masked for turn in fresh),
    )


@dataclass(frozen=True, slots=True)
class _Stored:
    """A session's turns, read as they are asked for."""

    scope: WriteScope
    session: SessionId
    count: int

    def between(self, first: int, end: int) -> Sequence[Turn]:
        return self.scope.turns(self.session, first=first, end=end) if self.count else ()

    def with_ids(self, turn_ids: Sequence[TurnId]) -> Sequence[Turn]:
        return self.scope.turns_with_ids(self.session, turn_ids) if self.count else ()


def _same(core: Core, scope: WriteScope, stored: Turn, incoming: Incoming) -> bool:
    if stored.role != incoming.role or (incoming.id is not None and incoming.id != stored.id):
        return False
    if incoming.at is not None and incoming.at != stored.at:
        return False
    if stored.content == incoming.content and not stored.erased:
        return True
    erased = scope.erased_digest(stored.session_id, stored.index)
    return erased is not None and erased == replay_digest(core, incoming.content, stored.at)


def _append(
    core: Core,
    scope: WriteScope,
    running: Session | None,
    session: SessionId,
    fresh: Sequence[Incoming],
    zone_name: str | None,
) -> list[Turn]:
    if running is None and not fresh:
        return []
    now = core.now()
    index = running.turn_count if running else 0
    # Only within one call: what is sent tomorrow was not said today.
    at = None
    turns: list[Turn] = []
    timed: list[bool] = []
    for offset, item in enumerate(fresh):
        timed.append(item.at is not None or (offset > 0 and timed[-1]))
        at = item.at or at or now
        turns.append(
            Turn(
                session_id=session,
                index=index + offset,
                id=item.id or TurnId(f"{session}#{index + offset}"),
                role=item.role,
                content=item.content,
                at=at,
                origin=item.origin,
                name=item.name,
                observed_at=now,
            )
        )
    back = replayed(core, scope, session, turns, timed=timed)
    digests = {turn.index: replay_digest(core, turn.content, turn.at) for turn in turns if turn.index in back}
    turns = [replace(turn, content="", erased=True) if turn.index in back else turn for turn in turns]
    users = sum(turn.role == "user" for turn in turns)
    before = running or Session(
        id=session,
        turn_count=0,
        user_turns_pending=0,
        distilled_to=0,
        started_at=turns[0].at,
        last_at=turns[0].at,
        observed_at=now,
    )
    scope.put_session(
        replace(
            before,
            turn_count=before.turn_count + len(turns),
            user_turns_pending=before.user_turns_pending + users,
            last_at=max([before.last_at, *(turn.at for turn in turns)]),
            observed_at=now if turns else before.observed_at,
            time_zone=zone_name or before.time_zone,
        )
    )
    scope.add_turns(turns, terms=[turn_terms(turn) for turn in turns])
    for turn in turns:
        if turn.erased:
            scope.replace_turn_words(
                session,
                turn.index,
                content="",
                digest=digests[turn.index],
                terms=b"",
            )
    return turns


def _obey(core: Core, scope: WriteScope, turn: Turn) -> Erasure | None:
    """Erase what the user's turn asks to forget, in turns and memories."""
    if turn.role != "user" or turn.origin != "user" or turn.erased:
        return None
    request = forget_request(turn.content)
    if request is None:
        return None
    turns = scope.turns(turn.session_id, end=turn.index + 1)
    targets = forget_targets(request, turns, turn.index)
    return start_erasure(core, scope, session_id=turn.session_id, spans=targets, topic=request.topic)


def _trigger(
    core: Core, scope: WriteScope, session_id: SessionId, appended: Sequence[Turn], *, end: bool
) -> tuple[JobId | None, Trigger | None]:
    session = scope.session(session_id)
    if session is None or session.distilled_to >= session.turn_count:
        return None, None
    trigger: Trigger | None = None
    end_index = session.turn_count
    if end:
        trigger = "request"
        scope.put_session(replace(session, ended=True))
    elif session.user_turns_pending >= core.limits.user_turns:
        trigger = "user_turns"
    elif core.limits.task_end:
        closing = [turn for turn in appended if turn.role == "user" and ends_task(turn.content)]
        if closing:
            trigger, end_index = "task_end", closing[-1].index + 1
    if trigger is None:
        return None, None
    return queue_look_back(core, scope, session, end_index=end_index, trigger=trigger).id, trigger


def queue_look_back(core: Core, scope: WriteScope, session: Session, *, end_index: int, trigger: Trigger) -> Job:
    """Queue the look back on what is pending up to *end_index*, or stretch the job that waits for it."""
    waiting = scope.open_job(session.id)
    if waiting is not None and waiting.state == "queued":
        job = replace(
            waiting, end_index=max(waiting.end_index, end_index), trigger=trigger, run_after=core.now(), error=None
        )
    else:
        now = core.now()
        job = Job(
            id=JobId(core.ids.new("job")),
            namespace=scope.namespace,
            kind="look_back",
            state="queued",
            created_at=now,
            run_after=now,
            session_id=session.id,
            first_index=session.distilled_to,
            end_index=end_index,
            trigger=trigger,
        )
    scope.put_job(job)
    return job
