"""Confirm, reject, change, forget, restore and release: what is said about a memory that exists.

Each carries its caller's origin. Below ``user`` it settles nothing and moves nothing of a trusted
memory: it becomes a proposal for the user to review.
"""

from __future__ import annotations

from dataclasses import replace

from hindsight.domain import confidence as sureness
from hindsight.domain.errors import InvalidRequest, NotFound, StateMismatch
from hindsight.domain.ids import ConflictId, MemoryId
from hindsight.domain.lifecycle import present
from hindsight.domain.memory import Memory, parse_shown, parse_value, under_key
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import (
    VERIFY_OUTCOMES,
    AuditEvent,
    Change,
    VerifyOutcome,
    WriteResult,
)
from hindsight.domain.trust import Origin, lower_only, outranks, parse_origin, trust_of
from hindsight.language.script import language_of
from hindsight.language.secrets import find_secrets
from hindsight.ports import ReadScope, Vector, WriteScope
from hindsight.services.admit import (
    admit,
    changed,
    close_conflict,
    close_conflicts,
    meet_again,
    remark,
)
from hindsight.services.core import Caller, Core
from hindsight.services.embedding import passage_vector
from hindsight.services.lessons import forget_lessons_against, forget_lessons_of, learn
from hindsight.services.proposed import Proposed, classified
from hindsight.services.proposing import propose
from hindsight.services.taint import tainted


def verify(
    core: Core,
    caller: Caller,
    memory_id: object,
    *,
    namespace: object,
    outcome: object,
    value: object = None,
    origin: object = "user",
) -> Change:
    """Say that a memory is right, wrong, or has changed to *value*.

    It settles the conflicts that the memory stands in: the loser is archived, and each conflict keeps
    how it ended, on whose word and when. The first of them is in the answer. What is rejected leaves a
    lesson, so that its source does not bring it again.

    Raises:
        InvalidRequest: *outcome* is unknown, or *value* does not go with it.
        NotFound: No such memory is visible here.
        StateMismatch: The memory is archived; restore it first.
    """
    space = parse_namespace(namespace)
    by = lower_only(parse_origin(origin), caller.ceiling)
    said = _parse_outcome(outcome)
    new_value = _parse_new_value(said, value)
    vector = None
    if new_value is not None:
        with core.store.reading(space) as scope:
            # What an agent has just read may be what it wants to change things to.
            by = tainted(scope, by, None)
            vector = passage_vector(core, under_key(find_visible(scope, memory_id).key, new_value))
    with core.store.writing(space) as scope:
        memory = find_visible(scope, memory_id)
        if memory.status == "archived":
            raise StateMismatch(f"memory {memory.id!r} is archived; restore it before verifying it", code="archived")
        by = tainted(scope, by, None)
        disputes = scope.open_conflicts([memory.id])
        if _may_only_propose(by, memory, said):
            return _propose(core, scope, memory, action=f"verify:{said}", by=by, value=new_value)
        if said == "confirmed":
            result = _confirm(core, scope, memory, by)
        elif said == "rejected":
            result = archive(core, scope, memory, by=by, why=f"rejected by {by}")
            learn(core, scope, memory, by=by)
        else:
            assert new_value is not None, "a change has a value"
            result = replace_value(core, scope, memory, new_value, by=by, vector=vector).memory
        scope.remove_proposals(memory.id)
        settled = None if not disputes else scope.conflict(disputes[0].id)
    core.wake()
    return Change(outcome="applied", memory=present(result, core.now(), core.policy), conflict=settled)


def forget(
    core: Core,
    caller: Caller,
    memory_id: object,
    *,
    namespace: object,
    reason: object,
    origin: object = "user",
) -> Change:
    """Archive a memory: it is no longer served and keeps its history.

    Forgetting what is archived already changes nothing.

    Raises:
        NotFound: No such memory is visible here.
    """
    space = parse_namespace(namespace)
    by = lower_only(parse_origin(origin), caller.ceiling)
    why = parse_shown(reason, what="reason", characters_max=500)
    refuse_secret(why, "reason")
    with core.store.writing(space) as scope:
        memory = find_visible(scope, memory_id)
        if memory.status == "archived":
            return Change(outcome="applied", memory=present(memory, core.now(), core.policy))
        by = tainted(scope, by, None)
        disputed = bool(scope.open_conflicts([memory.id]))
        if by != "user" and (outranks(memory.trust, trust_of(by)) or memory.trust == "trusted" or disputed):
            return _propose(core, scope, memory, action="forget", by=by, reason=why)
        result = archive(core, scope, memory, by=by, why=f"forgotten: {why}")
        scope.remove_proposals(memory.id)
    return Change(outcome="applied", memory=present(result, core.now(), core.policy))


def restore(core: Core, caller: Caller, memory_id: object, *, namespace: object, origin: object = "user") -> Change:
    """Serve an archived memory again. What replaced it stays as it is.

    Raises:
        NotFound: No such memory is visible here.
    """
    space = parse_namespace(namespace)
    by = lower_only(parse_origin(origin), caller.ceiling)
    with core.store.writing(space) as scope:
        memory = find_visible(scope, memory_id)
        if memory.status != "archived":
            return Change(outcome="applied", memory=present(memory, core.now(), core.policy))
        if by != "user":
            return _propose(core, scope, memory, action="restore", by=by)
        result = changed(
            core, scope, replace(memory, status="active", superseded_by=None, valid_to=None), why=f"restored by {by}"
        )
        forget_lessons_of(core, scope, memory.id, by=by)
        result = meet_again(core, scope, result)
        scope.remove_proposals(memory.id)
        _note(core, scope, "memory.restored", memory.id, by)
    return Change(outcome="applied", memory=present(result, core.now(), core.policy))


def release(core: Core, caller: Caller, memory_id: object, *, namespace: object, digest: object = None) -> Change:
    """Let a memory out of quarantine, as the user's own decision.

    Args:
        digest: The digest that the quarantine list showed; when given, the memory must still have it.

    Raises:
        PermissionDenied: The caller is not the owner.
        NotFound: Nothing in quarantine has that id.
        StateMismatch: It is not what was shown.
    """
    space = parse_namespace(namespace)
    caller.require_owner("release")
    with core.store.writing(space) as scope:
        memory = scope.memory(MemoryId(_parse_id(memory_id)))
        if memory is None or memory.status != "quarantined":
            raise NotFound(f"nothing in quarantine has the id {memory_id!r}")
        if digest is not None and digest != shown_digest(core, memory):
            raise StateMismatch("it is not what was shown; list the quarantine again", code="digest_mismatch")
        result = changed(
            core,
            scope,
            replace(
                memory,
                status="active",
                trust="trusted",
                origin="user",
                endorsed_from=memory.origin,
                confidence=max(memory.confidence, sureness.first_confidence("trusted", None)),
                verified_at=core.now(),
            ),
            why="released by the owner",
        )
        forget_lessons_against(core, scope, result, by="user")
        result = meet_again(core, scope, result)
        _note(core, scope, "memory.released", memory.id, "user")
    core.wake()
    return Change(outcome="applied", memory=present(result, core.now(), core.policy))


def shown_digest(core: Core, memory: Memory) -> str:
    """What binds a release to what was shown: a keyed digest of id, key and value."""
    return core.keyring.digest("quarantine", f"{memory.id}\n{memory.key}\n{memory.value}")[:32]


def find_visible(scope: ReadScope, memory_id: object) -> Memory:
    """The memory, unless it is not here or in quarantine, which is on no path but its own list."""
    memory = scope.memory(MemoryId(_parse_id(memory_id)))
    if memory is None or memory.status == "quarantined":
        raise NotFound(f"no memory {memory_id!r} in namespace {scope.namespace!r}")
    return memory


def archive(core: Core, scope: WriteScope, memory: Memory, *, by: Origin, why: str) -> Memory:
    """Stop serving a memory and end its conflicts."""
    result = changed(core, scope, replace(memory, status="archived"), why=why)
    close_conflicts(core, scope, memory.id, by=by)
    _note(core, scope, "memory.archived", memory.id, by)
    return scope.memory(memory.id) or result


def replace_value(
    core: Core, scope: WriteScope, memory: Memory, value: str, *, by: Origin, vector: Vector | None
) -> WriteResult:
    """Put a new value in a memory's place: a candidate like any other, through guard and reconcile."""
    proposed = Proposed(
        key=memory.key,
        value=value,
        category=classified(value, memory.category),
        language=language_of(value),
        origin=by,
        at=core.now(),
        made_by="verify",
        evidence=(),
        source=memory.source,
        ttl_days=memory.ttl_days,
        corrects=True,
        vector=vector,
    )
    disputes = scope.open_conflicts([memory.id])
    result = admit(core, scope, proposed)
    if result.outcome == "quarantined":
        return result
    heir, current = result.memory.id, scope.memory(memory.id)
    if current is not None and current.status == "active" and heir != memory.id:
        changed(
            core,
            scope,
            replace(current, status="archived", superseded_by=heir, valid_to=core.now()),
            why=f"changed by {by} to {heir}",
        )
    for conflict in disputes:
        other = conflict.second if conflict.first == memory.id else conflict.first
        _settle_as_changed(core, scope, conflict.id, other=other, heir=heir, by=by)
    return replace(result, memory=scope.memory(heir) or result.memory)


def _settle_as_changed(
    core: Core, scope: WriteScope, conflict_id: ConflictId, *, other: MemoryId, heir: MemoryId, by: Origin
) -> None:
    """End a conflict that was answered with a third value: the other side did not hold either."""
    conflict, loser = scope.conflict(conflict_id), scope.memory(other)
    if conflict is not None and (conflict.open or conflict.settled_by is None):
        close_conflict(core, scope, conflict, "changed", by=by)
    if loser is not None and loser.status == "active" and other != heir:
        archive(core, scope, loser, by=by, why=f"conflict {conflict_id} was settled with another value by {by}")
    remark(core, scope, heir)


def _confirm(core: Core, scope: WriteScope, memory: Memory, by: Origin) -> Memory:
    """The user's word makes it trusted and certain, and settles what disputes it."""
    for conflict in scope.open_conflicts([memory.id]):
        other_id = conflict.second if conflict.first == memory.id else conflict.first
        other = scope.memory(other_id)
        if other is not None and other.status == "active":
            archive(core, scope, other, by=by, why=f"{memory.id} was confirmed by {by}")
    current = scope.memory(memory.id) or memory
    result = changed(
        core,
        scope,
        replace(
            current,
            trust=trust_of(by),
            origin=by,
            endorsed_from=current.endorsed_from or (current.origin if current.origin != by else None),
            confidence=sureness.raised(
                max(current.confidence, sureness.first_confidence(trust_of(by), None)), trust_of(by)
            ),
            verified_at=max(current.verified_at, core.now()),
        ),
        why=f"confirmed by {by}",
    )
    _note(core, scope, "memory.confirmed", memory.id, by)
    return result


def _may_only_propose(by: Origin, memory: Memory, outcome: VerifyOutcome) -> bool:
    if by == "user":
        return False
    # An agent confirming its own report would be the report confirming itself.
    return (
        memory.trust == "trusted"
        or outranks(memory.trust, trust_of(by))
        or outcome == "confirmed"
        or bool(memory.disputed_by)
    )


def _propose(
    core: Core,
    scope: WriteScope,
    memory: Memory,
    *,
    action: str,
    by: Origin,
    value: str | None = None,
    reason: str | None = None,
) -> Change:
    proposal = propose(core, scope, memory_id=memory.id, action=action, by=by, value=value, reason=reason)
    return Change(outcome="proposed", memory=present(memory, core.now(), core.policy), proposal=proposal)


def _note(core: Core, scope: WriteScope, action: str, subject: str, by: Origin) -> None:
    scope.record(AuditEvent(action=action, namespace=scope.namespace, subject=subject, at=core.now(), by=by))


def _parse_outcome(value: object) -> VerifyOutcome:
    for outcome in VERIFY_OUTCOMES:
        if value == outcome:
            return outcome
    raise InvalidRequest(f"outcome {value!r} must be one of {', '.join(VERIFY_OUTCOMES)}", code="invalid_outcome")


def _parse_new_value(outcome: VerifyOutcome, value: object) -> str | None:
    if outcome != "changed":
        if value is not None:
            raise InvalidRequest(f"value goes only with outcome 'changed', not {outcome!r}", code="invalid_value")
        return None
    if value is None:
        raise InvalidRequest("outcome 'changed' needs the new value", code="empty_value")
    new_value = parse_value(value)
    refuse_secret(new_value, "value")
    return new_value


def refuse_secret(text: str, what: str) -> None:
    """Raise InvalidRequest where *text* holds what looks like a secret."""
    found = find_secrets(text)
    if found:
        raise InvalidRequest(f"{what} holds what looks like a secret ({found[0].kind})", code="secret")


def _parse_id(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidRequest(f"memory id {value!r} must be text such as 'mem_0192…'", code="invalid_id")
    return value
