"""Settle a contradiction: the user says which of two memories holds."""

from __future__ import annotations

from dataclasses import replace

from hindsight.domain import confidence as sureness
from hindsight.domain.errors import InvalidRequest, NotFound, StateMismatch
from hindsight.domain.ids import ConflictId, MemoryId
from hindsight.domain.lifecycle import present
from hindsight.domain.memory import Memory, parse_value, under_key
from hindsight.domain.namespace import Namespace, parse_namespace
from hindsight.domain.records import SETTLE_OUTCOMES, Change, Conflict, SettleOutcome
from hindsight.domain.trust import Origin, lower_only, parse_origin
from hindsight.ports import Vector, WriteScope
from hindsight.services.admit import changed, close_conflict, remark
from hindsight.services.core import Caller, Core
from hindsight.services.embedding import passage_vector
from hindsight.services.lessons import learn
from hindsight.services.proposing import propose
from hindsight.services.verify import archive, refuse_secret, replace_value


def settle(
    core: Core,
    caller: Caller,
    conflict_id: object,
    *,
    namespace: object,
    outcome: object,
    value: object = None,
    origin: object = "user",
) -> Change:
    """End a conflict: keep the first, the second, both, neither, or put *value* in their place.

    The loser is archived. Below ``user`` this is only a proposal.

    Raises:
        InvalidRequest: *outcome* is unknown, or *value* does not go with it.
        NotFound: No such conflict is here.
        StateMismatch: It is settled already.
    """
    space = parse_namespace(namespace)
    by = lower_only(parse_origin(origin), caller.ceiling)
    said = _parse_outcome(outcome)
    new_value = _parse_new_value(said, value)
    vector = None if new_value is None else _vector_of(core, space, conflict_id, new_value)
    with core.store.writing(space) as scope:
        conflict = scope.conflict(ConflictId(conflict_id)) if isinstance(conflict_id, str) else None
        if conflict is None:
            raise NotFound(f"no conflict {conflict_id!r} in namespace {space!r}")
        if not conflict.open:
            raise StateMismatch(f"conflict {conflict.id!r} was settled already ({conflict.outcome})", code="settled")
        if by != "user":
            return _propose(core, scope, conflict, said, by=by, value=new_value)
        settled = close_conflict(core, scope, conflict, said, by=by)
        for side in (conflict.first, conflict.second):
            scope.remove_proposals(side)
        kept = _carry_out(core, scope, conflict, said, by=by)
        if new_value is not None:
            base = scope.memory(conflict.second) or scope.memory(conflict.first)
            assert base is not None, "a conflict outlives neither of its memories"
            kept = replace_value(core, scope, base, new_value, by=by, vector=vector).memory
        scope.remove_proposals(conflict.first)
        scope.remove_proposals(conflict.second)
    core.wake()
    return Change(
        outcome="applied",
        memory=None if kept is None else present(kept, core.now(), core.policy),
        conflict=settled,
    )


def _vector_of(core: Core, space: Namespace, conflict_id: object, value: str) -> Vector | None:
    """The new value's vector, under the key it will stand under."""
    with core.store.reading(space) as scope:
        conflict = scope.conflict(ConflictId(conflict_id)) if isinstance(conflict_id, str) else None
        memory = None if conflict is None else scope.memory(conflict.second)
    return None if memory is None else passage_vector(core, under_key(memory.key, value))


def _carry_out(core: Core, scope: WriteScope, conflict: Conflict, said: SettleOutcome, *, by: Origin) -> Memory | None:
    """Archive the losers, unmark the rest, and return the memory that holds now, if one does."""
    losers: dict[SettleOutcome, tuple[MemoryId, ...]] = {
        "first": (conflict.second,),
        "second": (conflict.first,),
        "both": (),
        "neither": (conflict.first, conflict.second),
        "changed": (conflict.first, conflict.second),
    }
    remark(core, scope, conflict.first)
    remark(core, scope, conflict.second)
    for memory_id in losers[said]:
        loser = scope.memory(memory_id)
        if loser is not None and loser.status == "active" and said != "changed":
            archive(core, scope, loser, by=by, why=f"lost conflict {conflict.id}, settled by {by}")
            if said == "neither":
                # The user rejected it; a loser of the other kinds may have been right once.
                learn(core, scope, loser, by=by)
    if said == "changed":
        # The second is replaced by the new value in a moment; the first has nothing to wait for.
        first = scope.memory(conflict.first)
        if first is not None and first.status == "active":
            archive(core, scope, first, by=by, why=f"conflict {conflict.id} was settled with another value by {by}")
        return None
    kept: Memory | None = None
    for memory_id in (conflict.first, conflict.second):
        memory = scope.memory(memory_id)
        if memory is not None and memory.status == "active" and memory_id not in losers[said]:
            kept = changed(
                core,
                scope,
                replace(
                    memory,
                    # The user chose it: that is the user's own evidence for it.
                    trust="trusted",
                    origin="user",
                    endorsed_from=memory.endorsed_from or (memory.origin if memory.origin != "user" else None),
                    confidence=sureness.raised(
                        max(memory.confidence, sureness.first_confidence("trusted", None)), "trusted"
                    ),
                    verified_at=core.now(),
                ),
                why=f"conflict {conflict.id} was settled by {by}",
            )
    return kept


def _propose(
    core: Core, scope: WriteScope, conflict: Conflict, said: SettleOutcome, *, by: Origin, value: str | None
) -> Change:
    action = f"settle:{conflict.id}:{said}"
    proposal = propose(core, scope, memory_id=conflict.second, action=action, by=by, value=value)
    return Change(outcome="proposed", conflict=conflict, proposal=proposal)


def _parse_outcome(value: object) -> SettleOutcome:
    for outcome in SETTLE_OUTCOMES:
        if value == outcome:
            return outcome
    raise InvalidRequest(f"outcome {value!r} must be one of {', '.join(SETTLE_OUTCOMES)}", code="invalid_outcome")


def _parse_new_value(outcome: SettleOutcome, value: object) -> str | None:
    if outcome != "changed":
        if value is not None:
            raise InvalidRequest(f"value goes only with outcome 'changed', not {outcome!r}", code="invalid_value")
        return None
    if value is None:
        raise InvalidRequest("outcome 'changed' needs the new value", code="empty_value")
    new_value = parse_value(value)
    refuse_secret(new_value, "value")
    return new_value
