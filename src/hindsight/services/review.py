"""What most needs the user's look, worst first: what is disputed, and what is doubtful and often used.

A memory that nobody uses may go stale in peace; one that decisions rest on every week may not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from hindsight.domain.errors import StateMismatch
from hindsight.domain.ids import ConflictId, MemoryId
from hindsight.domain.lifecycle import Policy, present, span_days, stale_at
from hindsight.domain.memory import Memory
from hindsight.domain.records import Conflict
from hindsight.ports import ReadScope
from hindsight.services.core import Core

LookReason = Literal["disputed", "soon_stale", "low_confidence"]

# Judged, not measured: what went into three prompts or decisions is in use.
OFTEN_TIMES: Final = 3
# Soon stale: less than this share of the span is left; a look now keeps it from being served as stale.
SOON_SHARE: Final = 0.2
# A report starts at 0.6, and a dispute takes the user's own word from 0.9 to 0.63.
LOW_CONFIDENCE: Final = 0.65
# Those used most are looked at; a list beyond this would be read by nobody.
USED_READ_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsLook:
    """One memory to look at: why, how often it was used, and from when it counts as stale.

    ``conflict_id`` is the oldest open conflict it stands in, if it is disputed.
    """

    memory: Memory
    reasons: tuple[LookReason, ...]
    uses: int
    stale_from: datetime
    conflict_id: ConflictId | None = None


def needing_look(core: Core, scope: ReadScope) -> list[NeedsLook]:
    """Every memory that needs a look: disputed ones first, then by how often they are used."""
    now = core.now()
    disputes = _by_memory(scope.open_conflicts())
    used = scope.uses(limit=USED_READ_MAX)
    wanted = [*disputes, *(memory_id for memory_id, times in used.items() if times >= OFTEN_TIMES)]
    uses = {**scope.uses(list(disputes), limit=max(len(disputes), 1)), **used}
    memories = [memory for memory in scope.memories(wanted).values() if memory.status == "active"]
    found = [_look_at(memory, now, core.policy, uses, disputes) for memory in memories]
    return sorted((item for item in found if item is not None), key=_order)


def after_cursor(found: Sequence[NeedsLook], cursor: str | None) -> Sequence[NeedsLook]:
    """What follows the memory that *cursor* names.

    Raises:
        StateMismatch: That memory needs no look any more.
    """
    if cursor is None:
        return found
    places = [place for place, item in enumerate(found) if item.memory.id == cursor]
    if not places:
        raise StateMismatch(
            f"the list changed: memory {cursor!r} is not in it any more; start from the first page", code="cursor_gone"
        )
    return found[places[0] + 1 :]


def _look_at(
    memory: Memory,
    now: datetime,
    policy: Policy,
    uses: Mapping[MemoryId, int],
    disputes: Mapping[MemoryId, Conflict],
) -> NeedsLook | None:
    reasons: list[LookReason] = ["disputed"] if memory.id in disputes else []
    times = uses.get(memory.id, 0)
    if times >= OFTEN_TIMES:
        soon = timedelta(days=SOON_SHARE * span_days(memory, policy))
        if now >= stale_at(memory, policy) - soon:
            reasons.append("soon_stale")
        if memory.confidence < LOW_CONFIDENCE:
            reasons.append("low_confidence")
    if not reasons:
        return None
    return NeedsLook(
        memory=present(memory, now, policy),
        reasons=tuple(reasons),
        uses=times,
        stale_from=stale_at(memory, policy),
        conflict_id=disputes[memory.id].id if memory.id in disputes else None,
    )


def _order(item: NeedsLook) -> tuple[bool, int, int, float, MemoryId]:
    return ("disputed" not in item.reasons, -len(item.reasons), -item.uses, item.memory.confidence, item.memory.id)


def _by_memory(conflicts: Iterable[Conflict]) -> dict[MemoryId, Conflict]:
    """Each memory in a conflict with the oldest it stands in."""
    found: dict[MemoryId, Conflict] = {}
    for conflict in conflicts:
        for memory_id in (conflict.first, conflict.second):
            found.setdefault(memory_id, conflict)
    return found
