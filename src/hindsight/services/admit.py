"""The gate that every new memory passes: guard, reconcile, store, in one transaction.

A write, a look back, a changed verification and a settled conflict all come through here, so that
there is one place where trust is decided and one where the known is met.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from itertools import pairwise
from typing import Final, assert_never

from hindsight.domain import confidence as sureness
from hindsight.domain.ids import ConflictId, MemoryId
from hindsight.domain.lifecycle import current_status
from hindsight.domain.memory import Memory
from hindsight.domain.moments import parse_zone
from hindsight.domain.reconcile import (
    CONTRADICTIONS_MAX,
    Add,
    Dispute,
    Judgement,
    Outdated,
    Plan,
    Quarantine,
    Refine,
    Reinforce,
    Supersede,
    held_apart,
    is_late,
    plan,
)
from hindsight.domain.records import AuditEvent, Conflict, SettleOutcome, WriteResult
from hindsight.domain.trust import Origin, outranks
from hindsight.language import relation, terms
from hindsight.language.intervals import held_interval
from hindsight.language.questions import conflict_question
from hindsight.ports import Eligible, ReadScope, Vector, WriteScope
from hindsight.services.core import Core
from hindsight.services.indexed import memory_terms
from hindsight.services.lessons import Said, stopped_by
from hindsight.services.proposed import Proposed, must_wait

# Neighbours looked at for each candidate. More changed no decision on the development pairs.
NEIGHBOURS_MAX: Final = 8
RELATED_MAX: Final = 5
# How the reason of a version begins that says the memory never held.
CORRECTED: Final = "corrected by"
# Quarantine is read through once for an identical item; beyond this it is only ever appended to.
QUARANTINE_SCAN_MAX: Final = 200
_MEETS = Eligible(
    kinds=frozenset({"memory"}),
    statuses=frozenset({"active"}),
    trusts=frozenset({"trusted", "reported", "untrusted"}),
)


def admit(core: Core, scope: WriteScope, proposed: Proposed, *, fresh: Sequence[Memory] = ()) -> WriteResult:
    """Let *proposed* in: as a memory of its own, into a known one, beside one it contradicts, or held back.

    Args:
        scope: The transaction it happens in. Nothing is kept unless that commits.
        fresh: Memories written earlier in this same transaction, which the indexes cannot show yet.
    """
    if must_wait(proposed):
        return _hold(core, scope, proposed, why=f"{proposed.trust}: a {proposed.category} waits for the user")
    lesson = stopped_by(core, scope, _said(proposed, proposed.value, proposed.vector))
    if lesson is not None:
        return _hold(core, scope, proposed, why=f"rejected before: {lesson.id}")
    proposed = _with_interval(core, proposed)
    judgements = _judge(core, scope, proposed, fresh)
    decided = plan(judgements, trust=proposed.trust, corrects=proposed.corrects)
    result = _carry_out(core, scope, proposed, decided)
    if result.outcome == "quarantined":
        return result
    scope.record(
        AuditEvent(
            action="memory." + result.outcome,
            namespace=scope.namespace,
            subject=result.memory.id,
            at=core.now(),
            by=proposed.origin,
            detail={"made_by": proposed.made_by, "trust": result.memory.trust},
        )
    )
    return result


def _said(proposed: Proposed, value: str, vector: Vector | None) -> Said:
    return Said(
        key=proposed.key,
        value=value,
        category=proposed.category,
        language=proposed.language,
        trust=proposed.trust,
        at=proposed.at,
        evidence=proposed.evidence,
        grounds=proposed.grounds,
        vector=vector,
    )


def _with_interval(core: Core, proposed: Proposed) -> Proposed:
    """*proposed* with the span that its words name, where they name one."""
    zone = parse_zone(core.time_zone) if core.time_zone else None
    held = held_interval(proposed.value, proposed.at, zone)
    return proposed if held is None else replace(proposed, valid_from=held[0], valid_to=held[1])


def _judge(
    core: Core, scope: ReadScope, proposed: Proposed, fresh: Sequence[Memory], *, itself: MemoryId | None = None
) -> list[Judgement]:
    """How *proposed* relates to each of its neighbours, nearest first; *itself* is none of them."""
    near = [pair for pair in _neighbours(core, scope, proposed, fresh) if pair[0].id != itself]
    mine = relation.Statement(
        key=proposed.key,
        value=proposed.value,
        category=proposed.category,
        language=proposed.language,
        at=proposed.at,
        valid_from=proposed.valid_from,
        valid_to=proposed.valid_to,
    )
    judgements: list[Judgement] = []
    for memory, similarity in near:
        if not proposed.corrects and held_apart(
            memory, at=proposed.at, valid_from=proposed.valid_from, valid_to=proposed.valid_to
        ):
            continue
        if _known_to_the_letter(memory, proposed):
            # Nothing else that it meets can matter.
            late = is_late(proposed.at, memory, now=core.now())
            return [
                Judgement(memory=memory, relation="duplicate", certain=True, probability=1.0, similarity=1.0, late=late)
            ]
        theirs = relation.Statement(
            key=memory.key,
            value=memory.value,
            category=memory.category,
            language=memory.language,
            at=memory.verified_at,
            valid_from=memory.valid_from,
            valid_to=memory.valid_to,
        )
        late = is_late(proposed.at, memory, now=core.now())
        old, new = (mine, theirs) if late else (theirs, mine)
        verdict = relation.relate(old, new, similarity=similarity)
        if verdict.relation == "unrelated":
            continue
        judgements.append(
            Judgement(
                memory=memory,
                relation=verdict.relation,
                certain=verdict.certain,
                probability=verdict.probability,
                similarity=similarity,
                late=late,
                stale_then=current_status(memory, proposed.at, core.policy) == "stale",
                reasons=verdict.reasons,
            )
        )
    return judgements


def _known_to_the_letter(memory: Memory, proposed: Proposed) -> bool:
    return not outranks(memory.trust, proposed.trust) and _same_words(memory.value, proposed.value)


def _neighbours(
    core: Core, scope: ReadScope, proposed: Proposed, fresh: Sequence[Memory]
) -> list[tuple[Memory, float]]:
    """Active memories that may have to do with *proposed*, with calibrated similarity, nearest first."""
    found: dict[MemoryId, Memory] = {memory.id: memory for memory in scope.memories_with_key(proposed.key)}
    matches = core.texts.search(scope, proposed.value, eligible=_MEETS, limit=NEIGHBOURS_MAX)
    items = set(matches.scores)
    if proposed.vector is not None:
        nearest = core.vectors.search(scope, proposed.vector, eligible=_MEETS, limit=NEIGHBOURS_MAX)
        items.update(item for item, _ in nearest)
    for memory in scope.memories_of(sorted(items)).values():
        found.setdefault(memory.id, memory)
    for memory in fresh:
        current = scope.memory(memory.id)
        if current is not None:
            found[memory.id] = current
    live = [memory for memory in found.values() if memory.status == "active"]
    likeness = _similarities(core, scope, proposed, live)
    ranked = sorted(((m, likeness.get(m.id, 0.0)) for m in live), key=lambda pair: (-pair[1], pair[0].id))
    same_key = [pair for pair in ranked if pair[0].key == proposed.key]
    others = [pair for pair in ranked if pair[0].key != proposed.key][:NEIGHBOURS_MAX]
    return same_key[:NEIGHBOURS_MAX] + others


def _similarities(
    core: Core, scope: ReadScope, proposed: Proposed, memories: Sequence[Memory]
) -> dict[MemoryId, float]:
    exact = {memory.id: 1.0 for memory in memories if _same_words(memory.value, proposed.value)}
    embedder = core.embedder
    if proposed.vector is None or embedder is None:
        return exact
    items = scope.items_of([memory.id for memory in memories])
    stored = scope.vectors(list(items.values()))
    likeness: dict[MemoryId, float] = {}
    for memory in memories:
        vector = stored.get(items[memory.id]) if memory.id in items else None
        if vector is not None:
            cosine = float(vector @ proposed.vector)  # (d,) . (d,) -> cosine, unit rows
            likeness[memory.id] = embedder.similarity(cosine, memory.language, proposed.language)
    return likeness | exact


def _same_words(first: str, second: str) -> bool:
    """Whether two values say the same to the letter, but for case, width and script.

    Signs count: what is left of ✅ and ❌, or of +5 and -5, once they are gone says nothing.
    """
    return terms.normalise(first) == terms.normalise(second) and _signs(first) == _signs(second)


def _signs(text: str) -> list[str]:
    return [character for character in text if unicodedata.category(character)[0] == "S" or character in "-−–"]


def _carry_out(core: Core, scope: WriteScope, proposed: Proposed, decided: Plan) -> WriteResult:
    match decided:
        case Add(related):
            memory = _keep(core, scope, proposed, why="new")
            return WriteResult(outcome="added", memory=memory, related=related[:RELATED_MAX])
        case Reinforce(known, moves):
            memory = _reinforce(core, scope, proposed, known) if moves else known
            return WriteResult(outcome="reinforced", memory=memory)
        case Refine(known):
            return _refine(core, scope, proposed, known)
        case Supersede(old):
            return _supersede(core, scope, proposed, old)
        case Outdated(current):
            _keep(core, scope, proposed, why=f"older than {current.id}", superseded_by=current)
            return WriteResult(outcome="superseded", memory=current)
        case Dispute(memories, marks):
            return _dispute(core, scope, proposed, memories, marks)
        case Quarantine(against):
            return _hold(core, scope, proposed, why=f"untrusted, against {against.id}")
        case _:
            assert_never(decided)


def _build(core: Core, scope: WriteScope, proposed: Proposed) -> Memory:
    now = core.now()
    return Memory(
        id=MemoryId(core.ids.new("mem")),
        namespace=scope.namespace,
        key=proposed.key,
        value=proposed.value,
        category=proposed.category,
        language=proposed.language,
        origin=proposed.origin,
        trust=proposed.trust,
        confidence=sureness.first_confidence(proposed.trust, proposed.stated_confidence),
        status="active",
        created_at=now,
        updated_at=now,
        verified_at=min(proposed.at, now),
        source=proposed.source,
        writer=proposed.writer,
        locator=proposed.locator,
        evidence=proposed.evidence,
        valid_from=proposed.valid_from,
        valid_to=proposed.valid_to,
        ttl_days=proposed.ttl_days,
        supported_by=() if proposed.evidence else tuple(sorted(proposed.grounds)),
        endorsed_from=proposed.endorsed_from,
        made_by=proposed.made_by,
    )


def _put_new(scope: WriteScope, memory: Memory, vector: Vector | None, *, why: str) -> Memory:
    scope.put_memory(memory, why=why, terms=memory_terms(memory), vector=vector)
    return memory


def _keep(
    core: Core, scope: WriteScope, proposed: Proposed, *, why: str, superseded_by: Memory | None = None
) -> Memory:
    memory = _build(core, scope, proposed)
    if superseded_by is not None:
        memory = replace(
            memory,
            status="archived",
            superseded_by=superseded_by.id,
            valid_to=memory.valid_to or superseded_by.valid_from or superseded_by.verified_at,
        )
    return _put_new(scope, memory, proposed.vector, why=why)


def _hold(core: Core, scope: WriteScope, proposed: Proposed, *, why: str) -> WriteResult:
    """Put it in quarantine, once: the same words from the same trust are not listed twice."""
    held = scope.memory_page(statuses={"quarantined"}, trusts={proposed.trust}, limit=QUARANTINE_SCAN_MAX, after=None)
    for memory in held:
        if memory.key == proposed.key and _same_words(memory.value, proposed.value):
            return WriteResult(outcome="quarantined", memory=memory)
    memory = replace(_build(core, scope, proposed), status="quarantined")
    _put_new(scope, memory, proposed.vector, why=why)
    scope.record(
        AuditEvent(
            action="memory.quarantined",
            namespace=scope.namespace,
            subject=memory.id,
            at=core.now(),
            by=proposed.origin,
            detail={"made_by": proposed.made_by, "trust": memory.trust},
        )
    )
    return WriteResult(outcome="quarantined", memory=memory)


def changed(core: Core, scope: WriteScope, grown: Memory, *, why: str) -> Memory:
    """Append *grown* as the next version of its memory, and return it."""
    after = replace(grown, version=grown.version + 1, updated_at=core.now())
    scope.put_memory(after, why=why)
    return after


def _reinforce(core: Core, scope: WriteScope, proposed: Proposed, known: Memory) -> Memory:
    if proposed.echoes:
        return known
    known_quotes = {(item.session_id, item.turn_index, item.quote) for item in known.evidence}
    added = tuple(
        item for item in proposed.evidence if (item.session_id, item.turn_index, item.quote) not in known_quotes
    )
    independent = sureness.is_independent(sureness.known_grounds(known), proposed.grounds)
    lifted = proposed.trust == "trusted" and known.trust != "trusted"
    verified_at = max(known.verified_at, min(proposed.at, core.now()))
    if not added and not independent and not lifted and verified_at == known.verified_at:
        return known
    trust = proposed.trust if lifted else known.trust
    confidence = known.confidence
    if lifted:
        confidence = max(confidence, sureness.first_confidence(trust, proposed.stated_confidence))
    elif independent:
        confidence = sureness.raised(confidence, trust)
    why = (
        f"supported by {proposed.origin}"
        if lifted
        else "confirmed by independent evidence"
        if independent
        else "said again"
    )
    return changed(
        core,
        scope,
        replace(
            known,
            evidence=known.evidence + added,
            supported_by=sureness.also_supported_by(known, frozenset() if added else proposed.grounds),
            confidence=confidence,
            trust=trust,
            origin=proposed.origin if lifted else known.origin,
            endorsed_from=known.origin if lifted else known.endorsed_from,
            verified_at=verified_at,
        ),
        why=why,
    )


def _refine(core: Core, scope: WriteScope, proposed: Proposed, known: Memory) -> WriteResult:
    """Make one memory of both. What they were stays readable, archived."""
    text = relation.merge(known.value, proposed.value, language=proposed.language)
    if text is None:
        memory = _keep(core, scope, proposed, why=f"beside {known.id}: together too long")
        return WriteResult(outcome="added", memory=memory, related=(known,))
    if _same_words(text, known.value):
        memory = _reinforce(core, scope, proposed, known)
        return WriteResult(outcome="reinforced", memory=memory)
    lesson = stopped_by(core, scope, _said(proposed, text, None))
    if lesson is not None:
        return _hold(core, scope, proposed, why=f"with {known.id} it says what was rejected before: {lesson.id}")
    own = _build(core, scope, proposed)
    merged = replace(
        own,
        value=text,
        key=known.key,
        evidence=known.evidence + own.evidence,
        confidence=max(known.confidence, own.confidence),
        verified_at=max(known.verified_at, own.verified_at),
        valid_from=own.valid_from or known.valid_from,
        valid_to=own.valid_to or known.valid_to,
        ttl_days=own.ttl_days or known.ttl_days,
        merged_from=(known.id,),
        supported_by=sureness.also_supported_by(known, frozenset(own.supported_by)),
    )
    vector = proposed.vector
    if not _same_words(text, proposed.value):
        part = replace(own, id=MemoryId(core.ids.new("mem")), status="archived", superseded_by=merged.id)
        _put_new(scope, part, proposed.vector, why=f"merged into {merged.id}")
        merged = replace(merged, merged_from=(known.id, part.id))
        vector = None
    _put_new(scope, merged, vector, why=f"refines {known.id}")
    changed(core, scope, replace(known, status="archived", superseded_by=merged.id), why=f"merged into {merged.id}")
    return WriteResult(outcome="refined", memory=hand_on_conflicts(core, scope, known, merged))


def _supersede(core: Core, scope: WriteScope, proposed: Proposed, old: Sequence[Memory]) -> WriteResult:
    memory = _keep(core, scope, proposed, why="replaces " + ", ".join(item.id for item in old))
    for met in old:
        # Where two of them disputed each other, replacing the first has moved the second.
        item = scope.memory(met.id) or met
        ended = item.valid_from or item.verified_at if proposed.corrects else proposed.valid_from or proposed.at
        changed(
            core,
            scope,
            replace(item, status="archived", superseded_by=memory.id, valid_to=ended),
            why=f"{CORRECTED} {memory.id}" if proposed.corrects else f"replaced by {memory.id}",
        )
        memory = hand_on_conflicts(core, scope, item, memory)
    return WriteResult(outcome="superseded", memory=memory)


def close_conflicts(core: Core, scope: WriteScope, memory_id: MemoryId, *, by: Origin) -> None:
    """End the open conflicts of a memory that is no longer served, and unmark the other side."""
    for conflict in scope.open_conflicts([memory_id]):
        other = conflict.second if conflict.first == memory_id else conflict.first
        close_conflict(core, scope, conflict, "second" if other == conflict.second else "first", by=by)
        remark(core, scope, other)


def close_conflict(
    core: Core, scope: WriteScope, conflict: Conflict, outcome: SettleOutcome, *, by: Origin
) -> Conflict:
    """Record how a conflict was settled, by whom and when."""
    settled = replace(conflict, open=False, outcome=outcome, settled_at=core.now(), settled_by=by)
    scope.put_conflict(settled)
    scope.record(
        AuditEvent(
            action="conflict.settled",
            namespace=scope.namespace,
            subject=conflict.id,
            at=core.now(),
            by=by,
            detail={"outcome": outcome, "first": conflict.first, "second": conflict.second},
        )
    )
    return settled


def hand_on_conflicts(core: Core, scope: WriteScope, old: Memory, heir: Memory) -> Memory:
    """Let *heir*, which takes the place of *old*, stand in its open conflicts; nobody has settled them."""
    for conflict in scope.open_conflicts([old.id]):
        moved = replace(conflict, first=heir.id) if conflict.first == old.id else replace(conflict, second=heir.id)
        first, second = scope.memory(moved.first), scope.memory(moved.second)
        if first is None or second is None or first.id == second.id:
            # Both sides have the same heir: there is nothing left to ask.
            scope.put_conflict(replace(conflict, open=False, outcome="changed", settled_at=core.now()))
            continue
        scope.put_conflict(replace(moved, question=conflict_question(first, second, zone=zone_of(core, scope, heir))))
        remark(core, scope, second.id if first.id == heir.id else first.id)
    return remark(core, scope, heir.id) or heir


def unmark(core: Core, scope: WriteScope, memory_id: MemoryId, disputed_by: MemoryId) -> Memory | None:
    """Take *disputed_by*, which is about to be erased, off a memory's marks."""
    memory = scope.memory(memory_id)
    if memory is None or disputed_by not in memory.disputed_by:
        return memory
    left = tuple(item for item in memory.disputed_by if item != disputed_by)
    confidence = _before_dispute(scope, memory, disputed_by)
    grown = replace(memory, disputed_by=left, confidence=confidence)
    return changed(core, scope, grown, why=f"no longer disputed by {disputed_by}")


def _before_dispute(scope: WriteScope, memory: Memory, disputed_by: MemoryId) -> float:
    """The confidence that a dispute took, where nothing has moved it since."""
    for before, after in pairwise(scope.versions(memory.id)):
        if after.why == f"disputed by {disputed_by}" and after.memory.confidence == memory.confidence:
            return before.memory.confidence
    return memory.confidence


def remark(core: Core, scope: WriteScope, memory_id: MemoryId) -> Memory | None:
    """Make a memory's marks those of its open conflicts with equals and betters; a lesser one leaves none."""
    memory = scope.memory(memory_id)
    if memory is None:
        return None
    others = [c.second if c.first == memory_id else c.first for c in scope.open_conflicts([memory_id])]
    known = scope.memories(others)
    marks = tuple(other for other in others if other in known and not outranks(memory.trust, known[other].trust))
    if set(marks) == set(memory.disputed_by):
        return memory
    return changed(core, scope, replace(memory, disputed_by=marks), why="its open conflicts changed")


def judged_again(core: Core, scope: ReadScope, memory: Memory) -> Sequence[Judgement]:
    """How a stored memory relates to its neighbours as they are now, nearest first."""
    items = scope.items_of([memory.id])
    proposed = Proposed(
        key=memory.key,
        value=memory.value,
        category=memory.category,
        language=memory.language,
        origin=memory.origin,
        at=memory.verified_at,
        made_by=memory.made_by,
        evidence=memory.evidence,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        vector=scope.vectors(list(items.values())).get(items[memory.id]) if items else None,
    )
    return _judge(core, scope, proposed, (), itself=memory.id)


def meet_again(core: Core, scope: WriteScope, memory: Memory) -> Memory:
    """Judge a memory that comes back (released, restored) against what is served now.

    It changes nothing that is known: where it stands against a memory, a conflict is opened.
    """
    against = [
        judgement.memory
        for judgement in judged_again(core, scope, memory)
        if judgement.certain
        and judgement.relation in ("update", "contradiction")
        and judgement.memory.trust != "untrusted"
    ]
    for other in against[:CONTRADICTIONS_MAX]:
        _open_conflict(core, scope, memory, other)
        remark(core, scope, other.id)
    return remark(core, scope, memory.id) or memory


def _open_conflict(core: Core, scope: WriteScope, memory: Memory, other: Memory) -> Conflict:
    late = is_late(memory.verified_at, other, now=core.now())
    first, second = (memory, other) if late else (other, memory)
    conflict = Conflict(
        id=ConflictId(core.ids.new("con")),
        namespace=scope.namespace,
        first=first.id,
        second=second.id,
        question=conflict_question(first, second, zone=zone_of(core, scope, memory)),
        opened_at=core.now(),
    )
    scope.put_conflict(conflict)
    return conflict


def _dispute(
    core: Core,
    scope: WriteScope,
    proposed: Proposed,
    memories: Sequence[Memory],
    marks: Sequence[Memory],
) -> WriteResult:
    memory = _keep(core, scope, proposed, why="contradicts " + ", ".join(item.id for item in memories))
    marked = {item.id for item in marks}
    conflicts: list[Conflict] = []
    for old in memories:
        conflicts.append(_open_conflict(core, scope, memory, old))
        if old.id in marked:
            lower = sureness.disputed(old.confidence)
            grown = replace(old, confidence=lower, disputed_by=(*old.disputed_by, memory.id))
            changed(core, scope, grown, why=f"disputed by {memory.id}")
    memory = remark(core, scope, memory.id) or memory
    return WriteResult(outcome="disputed", memory=memory, conflict=conflicts[0])


def zone_of(core: Core, scope: WriteScope, memory: Memory) -> tzinfo:
    """The zone whose calendar the user reads: that of the conversation, or the configured one."""
    for item in memory.evidence:
        session = scope.session(item.session_id)
        if session is not None and session.time_zone:
            return parse_zone(session.time_zone)
    return parse_zone(core.time_zone) if core.time_zone else UTC
