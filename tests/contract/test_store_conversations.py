"""What every record store promises about sessions, turns and episodes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hindsight.domain.conversation import Entity, Episode, Turn
from hindsight.domain.errors import NotFound, StateMismatch
from hindsight.domain.namespace import Namespace
from hindsight.ports import RecordStore, WriteScope
from hindsight.testing import SAMPLE_TIME, sample_session, sample_turn

LI = Namespace("user/li")
HOUR = timedelta(hours=1)
LINES = ("I moved to Chengdu", "好的", "帮我查一下天气", "It rains", "谢谢")


def converse(scope: WriteScope, session_id: str, *, lines: tuple[str, ...] = LINES) -> None:
    scope.put_session(sample_session(session_id, turn_count=len(lines)))
    turns = [sample_turn(session_id, index, line) for index, line in enumerate(lines)]
    scope.add_turns(turns, terms=[line.encode() for line in lines])


def an_episode(episode_id: str, session_id: str, *, first: int = 0, last: int = 2) -> Episode:
    return Episode(
        id=episode_id,
        session_id=session_id,
        first_index=first,
        last_index=last,
        language="zh",
        user_said="搬到了成都",
        agent_did="",
        conclusion="下雨",
        entities=(Entity(name="成都", kind="place"), Entity(name="Li's cat", kind="pet")),
        started_at=SAMPLE_TIME,
        ended_at=SAMPLE_TIME + HOUR,
        created_at=SAMPLE_TIME + 2 * HOUR,
    )


def test_a_session_and_its_turns_come_back_as_they_were(store: RecordStore) -> None:
    session = replace(sample_session("聊天 #1 'x'", turn_count=2), ended=True, distilled_to=1)
    turns = [
        replace(sample_turn(session.id, 0, "a\x00b\nc \u2028 🦊"), name="Li", id="caller's id"),
        replace(sample_turn(session.id, 1, ""), role="tool", origin="web", at=SAMPLE_TIME + HOUR),
    ]
    with store.writing(LI) as scope:
        scope.put_session(session)
        scope.add_turns(turns, terms=[b"", b""])
        assert scope.turns(session.id) == turns
    with store.reading(LI) as scope:
        assert scope.session(session.id) == session
        assert scope.turns(session.id) == turns
        assert scope.turns(session.id, first=1) == turns[1:]
        assert scope.turns(session.id, end=1) == turns[:1]
        assert scope.turns("another") == []
        assert scope.turns_with_ids(session.id, ["none", "caller's id"]) == turns[:1]
        assert scope.turns_with_ids(session.id, ["none"]) == []
        assert scope.session("another") is None


def test_turns_need_their_session_and_a_free_place(store: RecordStore) -> None:
    with pytest.raises(NotFound), store.writing(LI) as scope:
        scope.add_turns([sample_turn("s", 0, "hi")], terms=[b""])
    with store.writing(LI) as scope:
        converse(scope, "s")
    for indexes in ([4], [5, 6, 2], [7, 7]):
        with pytest.raises(StateMismatch), store.writing(LI) as scope:
            scope.add_turns([sample_turn("s", index, "again") for index in indexes], terms=[b""] * len(indexes))
    with store.writing(LI) as scope:
        scope.add_turns([], terms=[])
    with store.reading(LI) as scope:
        assert [turn.content for turn in scope.turns("s")] == list(LINES)


def test_neighbours_of_turns_come_by_their_offset_within_the_session(store: RecordStore) -> None:
    with store.writing(LI) as scope:
        converse(scope, "r", lines=("before",))
        converse(scope, "s")
        converse(scope, "t", lines=("after",))
    with store.reading(LI) as scope:
        items = scope.turn_items("s", first=0, end=99)
        assert sorted(items) == [0, 1, 2, 3, 4]
        assert scope.turn_items("s", first=1, end=3) == {1: items[1], 2: items[2]}
        found = scope.turns_around([items[0], items[3], 10_000], reach=2)
        assert {item: [turn.content for turn in turns] for item, turns in found.items()} == {
            items[0]: [LINES[1], LINES[2]],
            items[3]: [LINES[1], LINES[2], LINES[4]],
        }
        assert scope.turn_places([items[3], 10_000]) == {items[3]: ("s", 3)}
        assert scope.turns_of([items[2]]) == {items[2]: sample_turn("s", 2, LINES[2])}


def test_sessions_are_paged_from_the_newest_and_a_lost_cursor_says_so(store: RecordStore) -> None:
    with store.writing(LI) as scope:
        for number, name in enumerate("bca"):
            scope.put_session(sample_session(name, at=SAMPLE_TIME + number * HOUR))
        scope.put_session(replace(sample_session("b"), observed_at=SAMPLE_TIME + 9 * HOUR))
    with store.reading(LI) as scope:
        assert [session.id for session in scope.session_page(limit=2, after=None)] == ["a", "c"]
        assert [session.id for session in scope.session_page(limit=2, after="c")] == ["b"]
        latest = scope.latest_session()
        assert latest is not None
        assert latest.id == "b"
        with pytest.raises(StateMismatch, match="first page"):
            scope.session_page(limit=2, after="gone")
    with store.reading(Namespace("user/nobody")) as scope:
        assert scope.latest_session() is None
        assert scope.session_page(limit=2, after=None) == []


def test_an_episode_comes_back_and_is_found_by_its_turns(store: RecordStore) -> None:
    first, second = an_episode("ep_1", "s"), an_episode("ep_2", "s", first=3, last=4)
    with store.writing(LI) as scope:
        converse(scope, "s")
        scope.put_episode(first, terms=b"x")
        scope.put_episode(second, terms=b"x")
    with store.reading(LI) as scope:
        assert scope.episode("ep_1") == first
        assert scope.episode_at("s", 2) == first
        assert scope.episode_at("s", 3) == second
        assert scope.episode_at("s", 5) is None
        assert scope.episode_at("t", 0) is None
        assert scope.episode_page(limit=1, after=None) == [second]
        assert scope.episode_page(limit=9, after="ep_2") == [first]
        entries = {entry.item: entry for entry in scope.changes(0, limit=99) if entry.kind == "episode"}
        assert [(e.position, e.trust, e.session > 0) for e in entries.values()] == [
            (0, "trusted", True),
            (3, "trusted", True),
        ]
        assert list(scope.episodes_of(list(entries)).values()) == [first, second]


def test_an_episode_is_worth_the_least_trusted_words_it_repeats(store: RecordStore) -> None:
    turns: list[Turn] = [
        sample_turn("s", 0, "what is in this page?"),
        replace(sample_turn("s", 1, "<html>"), role="tool", origin="web"),
        replace(sample_turn("s", 2, "it says so"), role="assistant", origin="assistant"),
        replace(sample_turn("s", 3, "pasted"), origin="document"),
    ]
    with store.writing(LI) as scope:
        scope.put_session(sample_session("s", turn_count=4))
        scope.add_turns(turns, terms=[b""] * 4)
        for episode_id, first, last in (("ep_1", 0, 1), ("ep_2", 0, 2), ("ep_3", 0, 3), ("ep_4", 8, 9)):
            scope.put_episode(an_episode(episode_id, "s", first=first, last=last), terms=b"x")
    with store.reading(LI) as scope:
        episodes = [entry for entry in scope.changes(0, limit=99) if entry.kind == "episode"]
        assert [entry.trust for entry in episodes] == ["trusted", "reported", "untrusted", "untrusted"]


def test_a_blanked_turn_keeps_its_place_and_its_digest(store: RecordStore) -> None:
    with store.writing(LI) as scope:
        converse(scope, "s")
    with store.writing(LI) as scope:
        scope.replace_turn_words("s", 0, content="I moved to […]", digest=None, terms=b"less")
        scope.replace_turn_words("s", 2, content="", digest="d1", terms=b"")
        scope.replace_turn_words("s", 77, content="", digest="d2", terms=b"")
    with store.reading(LI) as scope:
        turns = scope.turns("s")
        assert [(turn.content, turn.erased) for turn in turns[:3]] == [
            ("I moved to […]", False),
            ("好的", False),
            ("", True),
        ]
        assert [scope.erased_digest("s", index) for index in (0, 2, 77)] == [None, "d1", None]
        changed = {entry.position: entry.terms for entry in scope.changes(5, limit=9)}
        assert changed == {0: b"less", 2: b""}


def test_a_replaced_episode_has_only_its_new_words(store: RecordStore) -> None:
    with store.writing(LI) as scope:
        converse(scope, "s")
        scope.put_episode(an_episode("ep_1", "s"), terms=b"old")
    blanked = replace(an_episode("ep_1", "s"), user_said="[…]", entities=())
    with store.writing(LI) as scope:
        scope.replace_episode(blanked, terms=b"new")
        scope.replace_episode(replace(blanked, id="ep_9"), terms=b"new")
    with store.reading(LI) as scope:
        assert scope.episode("ep_1") == blanked
        assert scope.episode("ep_9") is None
        [entry] = scope.changes(6, limit=9)
        assert (entry.kind, entry.terms) == ("episode", b"new")


def test_ten_thousand_turns_go_in_at_once(store: RecordStore) -> None:
    lines = tuple(f"line {number}" for number in range(10_000))
    with store.writing(LI) as scope:
        converse(scope, "long", lines=lines)
    with store.reading(LI) as scope:
        assert scope.seq() == 10_000
        assert [turn.content for turn in scope.turns("long", first=9_998)] == ["line 9998", "line 9999"]
