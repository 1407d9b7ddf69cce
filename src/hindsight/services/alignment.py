"""Which of the turns just sent are new.

Callers send a conversation turn by turn, in pieces, or whole again and again. Ids and ``from_index``
settle it exactly. Without either, a list that is at least as long as the stored conversation counts as
the whole of it again when at least half of the stored turns stand in their places; one that begins
with the last two or more stored turns is a window that has slid on; anything else is a continuation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from hindsight.domain.conversation import Turn
from hindsight.domain.errors import InvalidRequest, StateMismatch, shown
from hindsight.domain.ids import TurnId
from hindsight.services.incoming import Incoming

Same = Callable[[Turn, Incoming], bool]


class StoredTurns(Protocol):
    """What a session holds so far, read only where it is compared: a long session costs no more than a short one."""

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    def between(self, first: int, end: int) -> Sequence[Turn]:
        """Turns with ``first <= index < end``, in order."""
        ...

    def with_ids(self, turn_ids: Sequence[TurnId]) -> Sequence[Turn]:
        """Those of the turns that have one of these ids, in order."""
        ...


def new_turns(
    stored: StoredTurns, incoming: Sequence[Incoming], *, from_index: object, same: Same
) -> Sequence[Incoming]:
    """The tail of *incoming* that is to be appended.

    Raises:
        InvalidRequest: *from_index* is no index.
        StateMismatch: A stored turn would change, or *from_index* would leave a gap.
    """
    if from_index is not None:
        return _from(stored, incoming, _parse_index(from_index), same)
    if any(turn.id is not None for turn in incoming):
        return _by_id(stored, incoming, same)
    return _whole_or_tail(stored, incoming, same)


def _parse_index(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidRequest(f"from_index {shown(value)} must be a whole number from 0", code="invalid_from_index")
    return value


def _from(stored: StoredTurns, incoming: Sequence[Incoming], start: int, same: Same) -> Sequence[Incoming]:
    if start > stored.count:
        raise StateMismatch(
            f"from_index {shown(start)} leaves a gap: the session has {stored.count} turns; send from there",
            code="turn_gap",
        )
    known = stored.between(start, start + len(incoming)) if start < stored.count else ()
    for turn, new in zip(known, incoming, strict=False):
        if not same(turn, new):
            raise _changed(turn.index)
    return incoming[len(known) :]


def _by_id(stored: StoredTurns, incoming: Sequence[Incoming], same: Same) -> Sequence[Incoming]:
    known = {turn.id: turn for turn in stored.with_ids([turn.id for turn in incoming if turn.id is not None])}
    first = next(((p, known[t.id].index) for p, t in enumerate(incoming) if t.id is not None and t.id in known), None)
    if first is None:
        _refuse_twice(incoming)
        return incoming
    if any(turn.id is None for turn in incoming):
        place, index = first
        return _from(stored, incoming, max(0, index - place), same)
    fresh: list[Incoming] = []
    for turn in incoming:
        if turn.id is None or turn.id not in known:
            fresh.append(turn)
        elif not same(known[turn.id], turn):
            raise _changed(known[turn.id].index, turn.id)
    _refuse_twice(fresh)
    return fresh


def _refuse_twice(incoming: Sequence[Incoming]) -> None:
    seen: set[str] = set()
    for turn in incoming:
        if turn.id is not None and turn.id in seen:
            raise StateMismatch(f"turn id {turn.id!r} stands twice in this call", code="turn_changed")
        if turn.id is not None:
            seen.add(turn.id)


def _whole_or_tail(stored: StoredTurns, incoming: Sequence[Incoming], same: Same) -> Sequence[Incoming]:
    if not stored.count or not incoming:
        return incoming
    # No overlap is longer than what was sent.
    known = stored.between(max(0, stored.count - len(incoming)), stored.count)
    if len(incoming) >= stored.count:
        alike = [same(turn, new) for turn, new in zip(known, incoming, strict=False)]
        if all(alike):
            return incoming[len(known) :]
        if len(incoming) > 1 and sum(alike) * 2 >= len(known):
            raise _changed(alike.index(False))
    # A window that slides over the conversation: what it begins with is what the stored one ends with.
    for shared in range(len(known), 1, -1):
        if all(same(known[len(known) - shared + place], incoming[place]) for place in range(shared)):
            return incoming[shared:]
    return incoming


def _changed(index: int, turn_id: str | None = None) -> StateMismatch:
    named = f" (id {turn_id!r})" if turn_id else ""
    return StateMismatch(
        f"turn {index}{named} differs from the one stored; turns never change. Send it under a new id, "
        "or pass from_index to append",
        code="turn_changed",
    )
