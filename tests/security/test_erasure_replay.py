"""An erased conversation that is sent again stays erased; what the user says afresh is heard."""

from __future__ import annotations

import pytest

from hindsight import Hindsight
from hindsight.testing import FrozenClock

NS = "user/zhang-san"
TALKS = {
    "en": ["My locker is number 4471.", "Noted.", "Anna.", "And I keep bees in Drenthe."],
    "zh": ["我的储物柜号码是四四七一。", "记下了。", "安娜", "我还在德伦特养蜜蜂。"],
}
ROLES = ("user", "assistant", "user", "user")


def talk(language: str, **fields: object) -> list[dict[str, object]]:
    return [{"role": role, "content": words, **fields} for role, words in zip(ROLES, TALKS[language], strict=True)]


def words(hs: Hindsight, session: str) -> list[str]:
    return [turn.content for turn in hs.turns(NS, session)]


@pytest.mark.parametrize("language", TALKS)
@pytest.mark.parametrize("later", [0, 1])
@pytest.mark.parametrize("what", ["session", "everything"])
def test_a_list_without_times_stays_erased_when_it_is_sent_again(
    each: Hindsight, clock: FrozenClock, language: str, later: int, what: str
) -> None:
    each.observe(NS, "s", talk(language))
    clock.advance(days=later)
    each.erase(namespace=NS, **({"session_id": "s"} if what == "session" else {"everything": True}))
    clock.advance(days=later)
    each.observe(NS, "s", talk(language)[:2])
    each.observe(NS, "s", talk(language), end=True)
    each.wait()
    assert words(each, "s") == [""] * 4
    assert len(each.memories(NS)) == 0
    assert each.observe(NS, "s", talk(language)).appended == 0


@pytest.mark.parametrize(
    ("told", "again"),
    [
        ("My locker is number 4471.", "My locker is number 4471. "),
        ("My locker is number 4471.", "Ｍy locker is number ４４７１．"),
        ("我住在杭州，门牌12号。", "我住在杭州,门牌１２号。\n"),
        ("My locker is number 4471.", "My locker\u200b is number 4471."),
    ],
)
@pytest.mark.parametrize("at", [None, "2026-03-01T10:00:00Z"])
def test_width_blanks_and_invisible_marks_make_no_other_turn(
    each: Hindsight, told: str, again: str, at: str | None
) -> None:
    time = {} if at is None else {"at": at}
    each.observe(NS, "s", [{"role": "user", "content": told, **time}])
    each.erase(namespace=NS, session_id="s")
    each.observe(NS, "s", [{"role": "user", "content": again, **time}])
    assert words(each, "s") == [""]


@pytest.mark.parametrize("shifted", ["2026-03-01T10:00:00.001Z", "2026-03-01T09:59:59.999Z", "2026-03-01T10:00:45Z"])
@pytest.mark.parametrize("session", ["s", "imported"])
def test_a_replay_whose_times_were_rounded_is_caught_in_any_session(
    each: Hindsight, shifted: str, session: str
) -> None:
    each.observe(NS, "s", talk("en", at="2026-03-01T10:00:00Z"))
    each.erase(namespace=NS, session_id="s")
    each.observe(NS, session, talk("en", at=shifted))
    assert words(each, session) == [""] * 4


def test_a_session_sent_again_with_times_of_before_the_erasure_stays_erased(each: Hindsight) -> None:
    each.observe(NS, "s", talk("en"))
    each.erase(namespace=NS, session_id="s")
    each.observe(NS, "s", talk("en", at="2026-02-20T08:00:00Z"))
    assert words(each, "s") == [""] * 4


@pytest.mark.parametrize("language", TALKS)
def test_the_same_words_in_a_new_session_are_the_user_s_to_say(each: Hindsight, language: str) -> None:
    each.observe(NS, "s", talk(language))
    each.erase(namespace=NS, session_id="s")
    each.observe(NS, "new", talk(language))
    assert words(each, "new") == TALKS[language]


def test_the_same_words_with_a_time_after_the_erasure_are_fresh_in_any_session(
    each: Hindsight, clock: FrozenClock
) -> None:
    each.observe(NS, "s", talk("en"))
    each.erase(namespace=NS, session_id="s")
    clock.advance(hours=1)
    each.observe(NS, "s", talk("en", at=clock.now()))
    assert words(each, "s") == TALKS["en"]


def test_short_answers_are_heard_in_a_session_begun_anew(each: Hindsight) -> None:
    each.observe(NS, "s", talk("en"))
    each.erase(namespace=NS, session_id="s")
    each.observe(NS, "s", [{"role": "user", "content": "Hello."}, {"role": "user", "content": "Anna."}])
    assert words(each, "s") == ["Hello.", "Anna."]


def test_what_was_forgotten_may_be_said_again_in_the_same_session(each: Hindsight) -> None:
    turns = [{"role": "user", "content": text} for text in ("My locker is number 4471.", "Forget what I just said.")]
    each.observe(NS, "s", turns)
    assert words(each, "s")[0] == ""
    each.observe(NS, "s", [{"role": "user", "content": "My locker is number 4471."}])
    assert words(each, "s")[-1] == "My locker is number 4471."
    each.erase(namespace=NS, session_id="s")
    each.observe(NS, "s", turns)
    assert words(each, "s")[0] == ""
