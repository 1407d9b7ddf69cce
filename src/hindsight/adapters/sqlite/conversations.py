"""Conversations: sessions, their turns, and the episodes they became."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hindsight.adapters.sqlite.changes import ChangeReads, ChangeWrites
from hindsight.adapters.sqlite.rows import (
    episode_columns,
    episode_of,
    insert,
    session_columns,
    session_of,
    turn_columns,
    turn_of,
)
from hindsight.adapters.sqlite.scope import listed
from hindsight.domain.conversation import Episode, Session, Turn
from hindsight.domain.errors import NotFound, StateMismatch
from hindsight.domain.ids import EpisodeId, SessionId, TurnId
from hindsight.domain.moments import to_millis
from hindsight.domain.trust import Trust, lowest_trust, trust_of
from hindsight.language.script import language_of
from hindsight.ports import ItemId

_TURNS: Final = (
    "SELECT t.*, s.id AS session_id FROM sessions AS s JOIN turns AS t ON t.session = s.number "
    "WHERE s.namespace = :namespace"
)
# By item the turns come first, and the plus keeps the planner from walking a whole namespace instead.
_TURNS_BY_ITEM: Final = (
    "SELECT t.*, s.id AS session_id FROM turns AS t JOIN sessions AS s ON s.number = t.session "
    "WHERE +s.namespace = :namespace AND t.item IN (SELECT value FROM json_each(:items))"
)
_EPISODES: Final = (
    "SELECT e.*, s.id AS session_id FROM episodes AS e JOIN sessions AS s ON s.number = e.session "
    "WHERE e.namespace = :namespace"
)
_EPISODES_BY_ITEM: Final = (
    "SELECT e.*, s.id AS session_id FROM episodes AS e JOIN sessions AS s ON s.number = e.session "
    "WHERE +e.namespace = :namespace AND e.item IN (SELECT value FROM json_each(:items))"
)
_INDEX_MAX: Final = 2**62
# Whose words a digest repeats: tool results and system turns are context to it.
_DIGESTED_ROLES: Final = ("user", "assistant")


class ConversationReads(ChangeReads):
    """The namespace's conversations."""

    def session(self, session_id: SessionId) -> Session | None:
        """The session with that id."""
        row = self._row("SELECT * FROM sessions WHERE namespace = ? AND id = ?", (self._number, session_id))
        return None if row is None else session_of(row)

    def session_page(self, *, limit: int, after: SessionId | None) -> Sequence[Session]:
        """Sessions in the opposite order of their first turn's arrival, starting behind *after*.

        Raises:
            StateMismatch: *after* is no session here any more, so its place is not known.
        """
        below = _INDEX_MAX if after is None else self._session_number(after)
        if below is None:
            raise StateMismatch(
                f"the list changed: session {after!r} is not in it any more; start from the first page",
                code="cursor_gone",
            )
        rows = self._rows(
            "SELECT * FROM sessions WHERE namespace = ? AND number < ? ORDER BY number DESC LIMIT ?",
            (self._number, below, limit),
        )
        return [session_of(row) for row in rows]

    def latest_session(self) -> Session | None:
        """The session that was observed last."""
        row = self._row(
            "SELECT * FROM sessions WHERE namespace = ? ORDER BY observed_ms DESC, number DESC LIMIT 1",
            (self._number,),
        )
        return None if row is None else session_of(row)

    def turns(self, session_id: SessionId, *, first: int = 0, end: int | None = None) -> Sequence[Turn]:
        """Turns with ``first <= index < end``, in order, erased ones included."""
        rows = self._rows(
            f"{_TURNS} AND s.id = :session AND t.position >= :first AND t.position < :end ORDER BY t.position",
            {
                "namespace": self._number,
                "session": session_id,
                "first": first,
                "end": _INDEX_MAX if end is None else end,
            },
        )
        return [turn_of(row) for row in rows]

    def turn_with_id(self, session_id: SessionId, turn_id: TurnId) -> Turn | None:
        """The session's turn with that id; the first of them where the caller used it twice."""
        row = self._row(
            f"{_TURNS} AND s.id = :session AND t.id = :turn ORDER BY t.position LIMIT 1",
            {"namespace": self._number, "session": session_id, "turn": turn_id},
        )
        return None if row is None else turn_of(row)

    def turns_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Turn]:
        """The turns behind those of *items* that stand for one."""
        rows = self._rows(
            _TURNS_BY_ITEM,
            {"namespace": self._number, "items": listed(items)},
        )
        return {ItemId(row["item"]): turn_of(row) for row in rows}

    def turn_items(self, session_id: SessionId, *, first: int, end: int) -> Mapping[int, ItemId]:
        """The item of each turn in the span."""
        rows = self._rows(
            "SELECT t.position, t.item FROM sessions AS s JOIN turns AS t ON t.session = s.number "
            "WHERE s.namespace = ? AND s.id = ? AND t.position >= ? AND t.position < ? ORDER BY t.position",
            (self._number, session_id, first, end),
        )
        return {int(row["position"]): ItemId(row["item"]) for row in rows}

    def turns_around(self, items: Sequence[ItemId], *, reach: int) -> Mapping[ItemId, Sequence[Turn]]:
        """For each turn item, the turns up to *reach* before and behind it, in order, without it."""
        rows = self._rows(
            "SELECT t.item AS middle, n.*, s.id AS session_id FROM turns AS t "
            "JOIN sessions AS s ON s.number = t.session JOIN turns AS n ON n.session = t.session "
            "AND n.position BETWEEN t.position - :reach AND t.position + :reach "
            "WHERE t.item IN (SELECT value FROM json_each(:items)) AND +s.namespace = :namespace "
            "ORDER BY t.item, n.position",
            {"items": listed(items), "namespace": self._number, "reach": reach},
        )
        found: dict[ItemId, list[Turn]] = {}
        for row in rows:
            near = found.setdefault(ItemId(row["middle"]), [])
            if row["item"] != row["middle"]:
                near.append(turn_of(row))
        return found

    def turn_places(self, items: Sequence[ItemId]) -> Mapping[ItemId, tuple[SessionId, int]]:
        """The session and index of each turn item."""
        rows = self._rows(
            "SELECT t.item, t.position, s.id FROM turns AS t JOIN sessions AS s ON s.number = t.session "
            "WHERE t.item IN (SELECT value FROM json_each(?)) AND +s.namespace = ?",
            (listed(items), self._number),
        )
        return {ItemId(row["item"]): (SessionId(row["id"]), int(row["position"])) for row in rows}

    def erased_digest(self, session_id: SessionId, index: int) -> str | None:
        """The keyed digest of the words that once stood in an erased turn."""
        return self._value(
            "SELECT t.erased_digest FROM sessions AS s JOIN turns AS t ON t.session = s.number "
            "WHERE s.namespace = ? AND s.id = ? AND t.position = ?",
            (self._number, session_id, index),
        )

    def episode(self, episode_id: EpisodeId) -> Episode | None:
        """The episode with that id."""
        row = self._row(f"{_EPISODES} AND e.id = :id", {"namespace": self._number, "id": episode_id})
        return None if row is None else episode_of(row)

    def episodes_of(self, items: Sequence[ItemId]) -> Mapping[ItemId, Episode]:
        """The episodes behind those of *items* that stand for one."""
        rows = self._rows(
            _EPISODES_BY_ITEM,
            {"namespace": self._number, "items": listed(items)},
        )
        return {ItemId(row["item"]): episode_of(row) for row in rows}

    def episode_at(self, session_id: SessionId, index: int) -> Episode | None:
        """The episode that turn belongs to; the newest where stretches overlap."""
        row = self._row(
            "SELECT e.*, s.id AS session_id FROM sessions AS s JOIN episodes AS e ON e.session = s.number "
            "WHERE s.namespace = :namespace AND s.id = :session "
            "AND e.first_index <= :position AND e.last_index >= :position ORDER BY e.item DESC LIMIT 1",
            {"namespace": self._number, "session": session_id, "position": index},
        )
        return None if row is None else episode_of(row)

    def episodes_at(self, items: Sequence[ItemId]) -> Mapping[ItemId, Episode]:
        """The episode of each turn item that has one; the newest where stretches overlap."""
        rows = self._rows(
            "SELECT t.item AS turn, e.*, s.id AS session_id FROM turns AS t "
            "JOIN sessions AS s ON s.number = t.session JOIN episodes AS e ON e.session = t.session "
            "AND e.first_index <= t.position AND e.last_index >= t.position "
            "WHERE t.item IN (SELECT value FROM json_each(?)) AND +s.namespace = ? ORDER BY t.item, e.item",
            (listed(items), self._number),
        )
        return {ItemId(row["turn"]): episode_of(row) for row in rows}

    def episode_page(self, *, limit: int, after: EpisodeId | None) -> Sequence[Episode]:
        """Episodes by id descending (newest first), starting below *after*."""
        rows = self._rows(
            f"{_EPISODES} AND (:after IS NULL OR e.id < :after) ORDER BY e.id DESC LIMIT :limit",
            {"namespace": self._number, "after": after, "limit": limit},
        )
        return [episode_of(row) for row in rows]

    def _session_number(self, session_id: SessionId) -> int | None:
        return self._value("SELECT number FROM sessions WHERE namespace = ? AND id = ?", (self._number, session_id))


class ConversationWrites(ConversationReads, ChangeWrites):
    """Writes conversations."""

    def put_session(self, session: Session) -> None:
        """Insert or change a session."""
        row = {"namespace": self._number, **session_columns(session)}
        changed = ", ".join(f"{name} = :{name}" for name in row if name not in ("namespace", "id"))
        # Not an upsert: one that finds its row burns a session number all the same.
        if not self._run(f"UPDATE sessions SET {changed} WHERE namespace = :namespace AND id = :id", row):
            self._run(insert("sessions", row), row)

    def add_turns(self, turns: Sequence[Turn], *, terms: Sequence[bytes]) -> None:
        """Append turns to their session. Empty terms keep a turn out of every index.

        Raises:
            NotFound: Their session does not exist.
            StateMismatch: A turn stands at one of the indexes already.
        """
        numbers = {turn.session_id: self._existing_session(turn.session_id) for turn in turns}
        if not turns:
            return
        self._refuse_taken(turns, numbers)
        item = int(self._value("SELECT ifnull(max(item), 0) FROM items"))
        items: list[tuple[object, ...]] = []
        rows: list[dict[str, object]] = []
        for turn, packed in zip(turns, terms, strict=True):
            item += 1
            session = numbers[turn.session_id]
            columns = turn_columns(turn)
            rows.append({"item": item, "session": session, **columns})
            items.append(
                (
                    item,
                    self._number,
                    self._next_seq(),
                    language_of(turn.content),
                    trust_of(turn.origin),
                    session,
                    turn.index,
                    columns["at_ms"],
                    packed,
                )
            )
        self._run_many(
            "INSERT INTO items (item, namespace, seq, kind, language, trust, status, session, position, "
            "at_ms, has_vector, terms) VALUES (?, ?, ?, 'turn', ?, ?, 'active', ?, ?, ?, 0, ?)",
            items,
        )
        self._run_many(insert("turns", rows[0]), rows)

    def put_episode(self, episode: Episode, *, terms: bytes) -> None:
        """Insert an episode, or change the one with its id.

        It is worth its weakest source: the least trusted turn of its stretch whose words it repeats.

        Raises:
            NotFound: Its session does not exist.
        """
        session = self._existing_session(episode.session_id)
        if self._value("SELECT 1 FROM episodes WHERE namespace = ? AND id = ?", (self._number, episode.id)):
            self.replace_episode(episode, terms=terms)
            return
        item = self._new_item(
            "episode",
            language=episode.language,
            trust=self._digest_trust(session, episode),
            status="active",
            place=(session, episode.first_index),
            at_ms=to_millis(episode.ended_at),
            terms=terms,
        )
        row = {"item": item, "namespace": self._number, "session": session, **episode_columns(episode)}
        self._run(insert("episodes", row), row)

    def replace_episode(self, episode: Episode, *, terms: bytes) -> None:
        """Change an episode's words, unless it is gone. What it loses is gone too, and so is its vector."""
        row = {"namespace": self._number, **episode_columns(episode)}
        changed = ", ".join(f"{name} = :{name}" for name in row if name not in ("namespace", "id"))
        item = self._value("SELECT item FROM episodes WHERE namespace = ? AND id = ?", (self._number, episode.id))
        if item is not None:
            self._run(f"UPDATE episodes SET {changed} WHERE namespace = :namespace AND id = :id", row)
            self._replace_words(item, language=episode.language, terms=terms)

    def replace_turn_words(
        self, session_id: SessionId, index: int, *, content: str, digest: str | None, terms: bytes
    ) -> None:
        """Blank part or all of a turn. A keyed *digest* of what stood there marks it as erased."""
        item = self.turn_items(session_id, first=index, end=index + 1).get(index)
        if item is not None:
            self._run(
                "UPDATE turns SET content = ?, erased = erased OR ?, "
                "erased_digest = ifnull(?, erased_digest) WHERE item = ?",
                (content, int(digest is not None), digest, item),
            )
            self._replace_words(item, language=language_of(content), terms=terms)

    def _existing_session(self, session_id: SessionId) -> int:
        number = self._session_number(session_id)
        if number is None:
            raise NotFound(f"session {session_id!r} is not there; put it before its turns")
        return number

    def _refuse_taken(self, turns: Sequence[Turn], numbers: Mapping[SessionId, int]) -> None:
        for session_id, number in numbers.items():
            places = [turn.index for turn in turns if turn.session_id == session_id]
            taken = self._value(
                "SELECT position FROM turns WHERE session = ? AND position IN (SELECT value FROM json_each(?))",
                (number, listed(places)),
            )
            if taken is not None or len(set(places)) < len(places):
                raise StateMismatch(
                    f"session {session_id!r} already has a turn at one of the indexes {places[0]} to {places[-1]}; "
                    "read the session again and append behind its last turn",
                    code="turn_exists",
                )

    def _digest_trust(self, session: int, episode: Episode) -> Trust:
        rows = self._rows(
            "SELECT DISTINCT origin FROM turns WHERE session = ? AND position BETWEEN ? AND ? "
            "AND role IN (SELECT value FROM json_each(?))",
            (session, episode.first_index, episode.last_index, listed(_DIGESTED_ROLES)),
        )
        return lowest_trust(trust_of(row["origin"]) for row in rows) if rows else "untrusted"
