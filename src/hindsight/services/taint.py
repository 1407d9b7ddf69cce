"""What an agent has read since the user last spoke lowers what its words are worth.

An agent that has just read a page may be writing what the page told it to. The user's own program
(origin ``user``) is no agent and is not lowered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hindsight.domain.conversation import Session, Turn
from hindsight.domain.ids import SessionId
from hindsight.domain.trust import Origin, lowest_origin
from hindsight.language.spans import foreign_spans
from hindsight.ports import ReadScope

# A turn further back than this has been answered many times over.
TURNS_LOOKED_AT: Final = 200


def tainted(scope: ReadScope, asked: Origin, session_id: SessionId | None) -> Origin:
    """*asked*, lowered to the lowest origin among what was read in the session.

    The namespace's latest session counts as well as the named one: naming another, or one that is
    not there, must not wash anything off.
    """
    if asked == "user":
        return asked
    named = None if session_id is None else scope.session(session_id)
    seen: list[Origin] = [asked]
    for session in {s.id: s for s in (named, scope.latest_session()) if s is not None}.values():
        seen.extend(_read_since_user(scope, session))
    return lowest_origin(seen)


def read_before(scope: ReadScope, turn: Turn) -> list[Origin]:
    """The origins of what stands between *turn* and the user's turn before it."""
    earlier = scope.turns(turn.session_id, first=max(0, turn.index - TURNS_LOOKED_AT), end=turn.index)
    return _until_user(earlier)


def _read_since_user(scope: ReadScope, session: Session) -> list[Origin]:
    first = max(0, session.turn_count - TURNS_LOOKED_AT)
    return _until_user(scope.turns(session.id, first=first))


def _until_user(turns: Sequence[Turn]) -> list[Origin]:
    """The origins from the end back to the user's last turn; pasted text in that turn counts as a document."""
    seen: list[Origin] = []
    for turn in reversed(turns):
        if turn.role == "user" and turn.origin in ("user", "assistant"):
            if foreign_spans(turn.content):
                seen.append("document")
            break
        seen.append(turn.origin)
    return seen
