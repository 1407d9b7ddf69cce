"""What a new memory does to the ones it meets: the effects, given how it relates to each.

Judging the relation is language's business; deciding what follows from it is this module's. A
candidate changes only memories of equal or lower trust. Doubt is never acted on: an uncertain
relation becomes coexistence, flagged for a look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from hindsight.domain.memory import Memory, Relation
from hindsight.domain.trust import Trust, outranks

# A candidate that contradicts more memories than this is more likely misread than right.
CONTRADICTIONS_MAX: Final = 3
# What held for a shorter time is an appointment: a later word about it is about the same one.
_STRETCH_MIN: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How the candidate relates to one neighbour.

    ``late`` says that the candidate's evidence is older than the neighbour's, so that the neighbour is
    the newer statement of the two; ``relation`` is then that of the neighbour to the candidate.
    ``stale_then`` says that the neighbour was stale at the candidate's time. ``reasons`` are the stable
    codes of what told the two apart or together.
    """

    memory: Memory
    relation: Relation
    certain: bool
    probability: float
    similarity: float
    late: bool = False
    stale_then: bool = False
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Add:
    """Keep it as a memory of its own, beside ``related`` ones."""

    related: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Reinforce:
    """It is known already. ``moves`` is False where the known one is more trusted and stays as it is."""

    memory: Memory
    moves: bool


@dataclass(frozen=True, slots=True)
class Refine:
    """It and ``memory`` become one that holds the details of both."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Supersede:
    """It replaces ``memories``, which are archived."""

    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Outdated:
    """It comes late: ``memory`` says what holds now, so it is kept as history only."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Dispute:
    """It and ``memories`` contradict each other. ``marks`` lists those that may be marked for it."""

    memories: tuple[Memory, ...]
    marks: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Quarantine:
    """It stands against something more trusted and may not be served."""

    against: Memory


Plan = Add | Reinforce | Refine | Supersede | Outdated | Dispute | Quarantine


def plan(judgements: Sequence[Judgement], *, trust: Trust, corrects: bool) -> Plan:
    """Decide what a candidate of *trust* does, given its *judgements*, nearest first.

    A known fact is recognised before anything else, so that saying it again beside a conflict does
    not open the conflict twice. Then changes, then contradictions, then refinements: where one
    neighbour says that the fact changed, merging into another would keep the outdated words.

    Args:
        judgements: One for each neighbour that is not in quarantine.
        trust: The candidate's own.
        corrects: The user took an earlier word back: a contradiction is then a change.
    """
    sure = [j for j in judgements if j.certain]
    duplicates = [j for j in sure if j.relation == "duplicate"]
    if duplicates:
        best = max(duplicates, key=lambda j: (not outranks(j.memory.trust, trust), j.probability))
        return Reinforce(best.memory, moves=_may_move(best.memory, trust))

    against = [j for j in sure if j.relation in ("update", "contradiction")]
    higher = [j for j in against if outranks(j.memory.trust, trust)]
    if trust == "untrusted":
        if higher:
            return Quarantine(higher[0].memory)
    else:
        # What untrusted text says is no statement that could be held against anyone's.
        against = [j for j in against if j.memory.trust != "untrusted"]
    replaced = [j for j in against if j not in higher and _replaces(j, trust, corrects)]
    if replaced and not higher:
        overtaken = next((j for j in replaced if j.late), None)
        return Outdated(overtaken.memory) if overtaken else Supersede(tuple(j.memory for j in replaced))
    if against:
        worst = sorted(against, key=lambda j: -j.probability)[:CONTRADICTIONS_MAX]
        return Dispute(
            tuple(j.memory for j in worst),
            marks=tuple(j.memory for j in worst if not outranks(j.memory.trust, trust)),
        )
    refined = [j for j in sure if j.relation == "refinement" and j.memory.trust == trust]
    if refined:
        return Refine(max(refined, key=lambda j: j.probability).memory)
    return Add(tuple(j.memory for j in judgements if j.relation != "coexist" or not j.certain))


def _may_move(known: Memory, trust: Trust) -> bool:
    """Whether a duplicate of *trust* moves *known*: never upward, except by the user's own word.

    An agent that repeats what a page said adds nothing to it.
    """
    return known.trust == trust or (trust == "trusted" and not outranks(known.trust, trust))


def _replaces(judgement: Judgement, trust: Trust, corrects: bool) -> bool:
    if judgement.relation == "update" or corrects:
        return True
    return judgement.stale_then and judgement.memory.trust == trust


def held_apart(
    memory: Memory, *, at: datetime, valid_from: datetime | None = None, valid_to: datetime | None = None
) -> bool:
    """Whether *memory* and a candidate say what held at separate times, so that both stand.

    Who was in a team from January to March, and again from July to September, was there twice. A
    candidate without a span is about its own time *at*, and so is a memory about that of its evidence.
    """
    mine = _stretch(valid_from, valid_to)
    theirs = _stretch(memory.valid_from, memory.valid_to)
    if mine is None and theirs is None:
        return False
    begins, ends = mine or (valid_from or at, valid_to or at)
    began, ended = theirs or (memory.valid_from or memory.verified_at, memory.valid_to or memory.verified_at)
    return ended < begins or ends < began


def _stretch(first: datetime | None, last: datetime | None) -> tuple[datetime, datetime] | None:
    """A span with both ends that is long enough to be one."""
    return (first, last) if first is not None and last is not None and last - first >= _STRETCH_MIN else None


def is_late(at: datetime, memory: Memory, *, now: datetime) -> bool:
    """Whether evidence from *at* is older than the newest that *memory* rests on.

    Evidence from a clock that runs ahead counts as of *now*: nothing could ever replace it otherwise.
    """
    newest = max((item.at for item in memory.evidence), default=memory.verified_at)
    return at < min(newest, now)
