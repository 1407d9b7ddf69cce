"""How an erased turn is known again, should a replay or an import bring it back.

Two keyed digests stand for it. One goes by its words and its time, and holds in every session. The
other goes by its words and its session, and holds in a session that was erased and begun anew: a list
that is sent again without times gets new ones. Words are compared in one form, so that width, case,
blanks and invisible characters make no other turn of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from hindsight.domain.conversation import Turn
from hindsight.domain.ids import SessionId
from hindsight.domain.moments import to_millis
from hindsight.language import terms
from hindsight.ports import ReadScope, WriteScope
from hindsight.services.core import Core

_BY_TIME: Final = "erased-turn"
_BY_SESSION: Final = "erased-turn-of-session"
_SESSION: Final = "erased-session"
# Exports cut times to seconds or to minutes. Nobody says one sentence afresh within a minute.
_MINUTE_MS: Final = 60_000
# Shorter words ("yes", 好的) are said again and again: they are a replay only at their old place.
_PLACED_CHARACTERS_MAX: Final = 12


def replay_digest(core: Core, content: str, at: datetime) -> str:
    """The keyed digest of a turn's words and the minute they were said in."""
    return core.keyring.digest(_BY_TIME, f"{to_millis(at) // _MINUTE_MS}\n{_plain(content)}")


def _near_digests(core: Core, content: str, at: datetime) -> tuple[str, ...]:
    minute, words = to_millis(at) // _MINUTE_MS, _plain(content)
    return tuple(core.keyring.digest(_BY_TIME, f"{near}\n{words}") for near in (minute - 1, minute, minute + 1))


def _session_digest(core: Core, turn: Turn) -> str:
    words = _plain(turn.content)
    place = turn.index if len(words) <= _PLACED_CHARACTERS_MAX else "anywhere"
    return core.keyring.digest(_BY_SESSION, f"{turn.session_id}\n{turn.role}\n{place}\n{words}")


def _session_mark(core: Core, session_id: SessionId) -> str:
    return core.keyring.digest(_SESSION, session_id)


def _plain(content: str) -> str:
    return "".join(terms.normalise(content).split())


def entomb(core: Core, scope: WriteScope, turns: Iterable[Turn], *, erased_session: SessionId | None = None) -> None:
    """Keep what tells *turns* when they come again, whose words are about to be erased."""
    digests = [
        digest
        for turn in turns
        if turn.content
        for digest in (replay_digest(core, turn.content, turn.at), _session_digest(core, turn))
    ]
    if erased_session is not None:
        digests.append(_session_mark(core, erased_session))
    scope.put_tombstones(digests, at=core.now())


def replayed(
    core: Core, scope: ReadScope, session_id: SessionId, turns: Sequence[Turn], *, timed: Sequence[bool]
) -> frozenset[int]:
    """The indexes of *turns* that bring back what was erased.

    Args:
        timed: For each turn, whether its caller gave it a time. A time of ours says nothing about when
            it was first said.
    """
    if not scope.any_tombstone():
        return frozenset()
    by_time = {
        turn.index: _near_digests(core, turn.content, turn.at)
        for turn, own_time in zip(turns, timed, strict=True)
        if own_time and turn.content
    }
    by_session = {turn.index: _session_digest(core, turn) for turn in turns if turn.content}
    mark = _session_mark(core, session_id)
    known = scope.tombstoned({mark, *by_session.values(), *(d for near in by_time.values() for d in near)})
    found = {index for index, near in by_time.items() if any(digest in known for digest in near)}
    for turn, own_time in zip(turns, timed, strict=True):
        if _is_back(known, mark, by_session.get(turn.index), turn.at if own_time else None):
            found.add(turn.index)
    return frozenset(found)


def _is_back(known: Mapping[str, datetime], mark: str, digest: str | None, said_at: datetime | None) -> bool:
    """Whether words of an erased session stand in the one begun anew under its id, without a later time."""
    if digest is None or mark not in known or digest not in known:
        return False
    # Erased after the session began anew: there the user may say it again.
    return known[digest] <= known[mark] and (said_at is None or said_at <= known[mark])
