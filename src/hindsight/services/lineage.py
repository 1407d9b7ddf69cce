"""What an erased memory takes with it, and what comes back once it is gone.

A merge writes one memory out of several, so the words of each part stand in it: whatever was made of
an erased memory goes as well. What was archived for its sake is served again: the erased one is as if
it never was. Leaving it archived was rejected, since then an erasure took more than was asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hindsight.domain.ids import MemoryId, SessionId
from hindsight.domain.memory import Evidence, Memory
from hindsight.domain.moments import parse_zone
from hindsight.domain.records import AuditEvent
from hindsight.language.extraction import extract
from hindsight.language.wording import only_in
from hindsight.ports import ReadScope, WriteScope
from hindsight.services.admit import CORRECTED, admit, changed, meet_again
from hindsight.services.core import Core
from hindsight.services.indexed import memory_terms
from hindsight.services.look_back import CONTEXT_TURNS, proposed_of

PAGE: Final = 500

Family = Mapping[MemoryId, Memory]


@dataclass(frozen=True, slots=True)
class Kin:
    """Who came of whom in a namespace: ``made_of`` by part, ``replaced`` by heir."""

    made_of: Mapping[MemoryId, Sequence[MemoryId]]
    replaced: Mapping[MemoryId, Sequence[MemoryId]]


def every_memory(scope: ReadScope) -> Iterator[Memory]:
    """Every memory of the namespace, newest first, whatever its status and trust."""
    after: MemoryId | None = None
    while page := scope.memory_page(
        statuses={"active", "archived", "quarantined"},
        trusts={"trusted", "reported", "untrusted"},
        limit=PAGE,
        after=after,
    ):
        yield from page
        after = page[-1].id


def kin_of(scope: ReadScope) -> Kin:
    """The namespace's kinship, read once for one erasure."""
    made_of: defaultdict[MemoryId, list[MemoryId]] = defaultdict(list)
    replaced: defaultdict[MemoryId, list[MemoryId]] = defaultdict(list)
    for memory in every_memory(scope):
        for part in memory.merged_from:
            made_of[part].append(memory.id)
        if memory.superseded_by is not None:
            replaced[memory.superseded_by].append(memory.id)
    return Kin(made_of=made_of, replaced=replaced)


def with_parts(scope: ReadScope, memories: Iterable[Memory]) -> dict[MemoryId, Memory]:
    """*memories* and all that was merged into them: they hold the same words."""
    found: dict[MemoryId, Memory] = {}
    waiting = list(memories)
    while waiting:
        memory = waiting.pop()
        if memory.id not in found:
            found[memory.id] = memory
            waiting.extend(scope.memories(list(memory.merged_from)).values())
    return found


def with_merges(scope: ReadScope, kin: Kin, memories: Iterable[Memory]) -> dict[MemoryId, Memory]:
    """*memories* and all that was merged out of them: their words stand in it."""
    found: dict[MemoryId, Memory] = {}
    waiting = list(memories)
    while waiting:
        memory = waiting.pop()
        if memory.id not in found:
            found[memory.id] = memory
            waiting.extend(scope.memories(list(kin.made_of.get(memory.id, ()))).values())
    return found


def left_of(memory: Memory, session_id: SessionId) -> tuple[Evidence, ...]:
    """The evidence of *memory* outside a session."""
    return tuple(item for item in memory.evidence if item.session_id != session_id)


def doomed_by_session(scope: ReadScope, kin: Kin, session_id: SessionId) -> dict[MemoryId, Memory]:
    """What goes with a session: memories that rest on nothing else, and those that say what only it said."""
    doomed: dict[MemoryId, Memory] = {}
    waiting = list(scope.memories_on_session(session_id))
    said: dict[tuple[SessionId, int], str] = {}
    while waiting:
        memory = waiting.pop()
        if memory.id in doomed or _said_elsewhere(scope, memory, session_id, said):
            continue
        doomed[memory.id] = memory
        waiting.extend(scope.memories(list(kin.made_of.get(memory.id, ()))).values())
    return doomed


def _said_elsewhere(
    scope: ReadScope, memory: Memory, session_id: SessionId, said: dict[tuple[SessionId, int], str]
) -> bool:
    """Whether the evidence outside the session carries all that *memory* says."""
    left = left_of(memory, session_id)
    if not left:
        return False
    gone = [item for item in memory.evidence if item.session_id == session_id]
    texts = [" ".join(_words_around(scope, item, said) for item in items) for items in (gone, left)]
    return not only_in(f"{memory.key.replace('_', ' ')} {memory.value}", texts[0], texts[1])


def _words_around(scope: ReadScope, item: Evidence, said: dict[tuple[SessionId, int], str]) -> str:
    """A quote with the whole turn it stands in: what a value says may come from the sentence before."""
    place = (item.session_id, item.turn_index)
    if place not in said:
        turns = scope.turns(item.session_id, first=item.turn_index, end=item.turn_index + 1)
        said[place] = " ".join(turn.content for turn in turns)
    return f"{item.quote} {said[place]}"


def rebuild(core: Core, scope: WriteScope, memory: Memory, left: tuple[Evidence, ...]) -> None:
    """Let *memory* rest on *left* alone, with no older version left behind."""
    items = scope.items_of([memory.id])
    vector = next(iter(scope.vectors(list(items.values())).values()), None)
    conflicts = scope.conflicts([memory.id])
    proposals = [item for item in scope.proposals() if item.memory_id == memory.id]
    scope.erase_memories([memory.id])
    scope.put_memory(
        replace(memory, evidence=left, version=1, updated_at=core.now()),
        why="evidence erased",
        terms=memory_terms(memory),
        vector=vector,
    )
    for conflict in conflicts:
        scope.put_conflict(conflict)
    for proposal in proposals:
        scope.put_proposal(proposal)


def bring_back(core: Core, scope: WriteScope, kin: Kin, doomed: Family) -> list[Memory]:
    """Serve again what was archived for the sake of *doomed*, which are erased; what comes back.

    It stays archived where something else took its place, where the erased one was itself no longer
    served, or where the user took it back as never true.
    """
    came_back: list[Memory] = []
    for heir_id in sorted(doomed):
        for old_id in kin.replaced.get(heir_id, ()):
            old = scope.memory(old_id)
            if old is None or old.superseded_by != heir_id:
                continue
            last = _last_heir(doomed, doomed[heir_id])
            successor = None if last.superseded_by is None else scope.memory(last.superseded_by)
            if successor is not None or last.status != "active" or _was_corrected(scope, old):
                link = None if successor is None else successor.id
                changed(core, scope, replace(old, superseded_by=link), why="what replaced it was erased")
                continue
            came_back.append(_served_again(core, scope, old, doomed[heir_id]))
    for memory in came_back:
        meet_again(core, scope, memory)
    return came_back


def _last_heir(doomed: Family, heir: Memory) -> Memory:
    """The end of the row of erased memories that *heir* stands in."""
    seen: set[MemoryId] = set()
    while heir.superseded_by is not None and heir.superseded_by in doomed and heir.id not in seen:
        seen.add(heir.id)
        heir = doomed[heir.superseded_by]
    return heir


def _was_corrected(scope: ReadScope, memory: Memory) -> bool:
    return any(version.why.startswith(CORRECTED) for version in scope.versions(memory.id)[-1:])


def _served_again(core: Core, scope: WriteScope, old: Memory, heir: Memory) -> Memory:
    served = [version.memory for version in scope.versions(old.id) if version.memory.status == "active"]
    ended_by_heir = old.valid_to in (heir.valid_from, heir.verified_at)
    valid_to = served[-1].valid_to if served else None if ended_by_heir else old.valid_to
    restored = changed(
        core,
        scope,
        replace(old, status="active", superseded_by=None, valid_to=valid_to),
        why="what replaced it was erased",
    )
    scope.record(
        AuditEvent(
            action="memory.restored", namespace=scope.namespace, subject=old.id, at=core.now(), by="system", detail={}
        )
    )
    return restored


def state_again(core: Core, scope: WriteScope, doomed: Family, session_id: SessionId) -> None:
    """Take anew from the words outside the session what was erased only because it was merged with its words."""
    places = {
        (item.session_id, item.turn_index): [other.quote for other in left_of(memory, session_id)]
        for memory in doomed.values()
        for item in left_of(memory, session_id)
    }
    for (other, index), quotes in sorted(places.items()):
        cited = scope.memories_on_session(other)
        if any(item.session_id == other and item.turn_index == index for memory in cited for item in memory.evidence):
            continue
        _take_anew(core, scope, other, index, quotes)


def _take_anew(core: Core, scope: WriteScope, session_id: SessionId, index: int, quotes: Collection[str]) -> None:
    turns = scope.turns(session_id, first=index, end=index + 1)
    before = scope.turns(session_id, first=max(0, index - CONTEXT_TURNS), end=index)
    session = scope.session(session_id)
    zone = (session.time_zone if session is not None else None) or core.time_zone
    # By rules: a model may not be waited for within a transaction.
    found = extract(turns, context=before, zone=parse_zone(zone) if zone else None)
    for candidate in found.candidates:
        proposed = proposed_of(candidate, turns, before)
        if proposed is not None and any(_overlap(item.quote, quotes) for item in proposed.evidence):
            admit(core, scope, proposed)


def _overlap(quote: str, quotes: Collection[str]) -> bool:
    return any(quote in other or other in quote for other in quotes)
