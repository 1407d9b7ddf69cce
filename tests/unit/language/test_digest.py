import re
from datetime import UTC, datetime, timedelta

import pytest

from hindsight.domain.conversation import Role, Turn
from hindsight.language.digest import CHARACTERS_MAX, Digest, digest

START = datetime(2026, 5, 4, 8, 0, tzinfo=UTC)


def talk(*said: tuple[Role, str]) -> list[Turn]:
    return [
        Turn(
            session_id="s",  # type: ignore[arg-type]
            index=n,
            id=f"s#{n}",  # type: ignore[arg-type]
            role=role,
            content=content,
            at=START + timedelta(minutes=n),
            origin=role,
        )
        for n, (role, content) in enumerate(said)
    ]


def whole(found: Digest) -> str:
    return "\n".join((found.user_said, found.agent_did, found.conclusion))


GREENHOUSE = talk(
    ("user", "Help me plan the heating for our greenhouse in Delft. It must stay above 12 degrees."),
    ("assistant", "How big is it, and which fuel do you have?"),
    ("user", "48 square metres, only electricity"),
    ("assistant", "A 6 kW fan heater with a frost thermostat keeps 12 degrees down to minus 8 outside."),
    ("user", "great, let's go with the 6 kW one"),
    ("assistant", "Noted: a 6 kW fan heater. The shopping list has 4 items."),
)
WAREHOUSE = talk(
    ("user", "帮我给新仓库排盘点计划，货架一共 36 排"),
    ("assistant", "盘点需要几个人？每天能停几个小时？"),
    ("user", "四个人，每天最多停两小时，下午三点以后"),
    ("assistant", "计划如下：每天盘 6 排，六天盘完，每天 15:00 到 17:00。"),
    ("user", "行，就这么定"),
)


@pytest.mark.parametrize("turns", [GREENHOUSE, WAREHOUSE])
def test_every_number_and_word_of_a_digest_stands_in_the_turns(turns: list[Turn]):
    spoken = " ".join(turn.content for turn in turns)
    found = whole(digest(turns))
    assert found.strip()
    assert set(re.findall(r"\d+", found)) <= set(re.findall(r"\d+", spoken))
    assert set(re.findall(r"[A-Za-z]{2,}", found)) <= set(re.findall(r"[A-Za-z]{2,}", spoken))


def test_a_digest_tells_what_the_talk_was_for_and_names_what_it_was_about():
    found = digest(GREENHOUSE)
    assert "greenhouse" in found.user_said
    assert "Delft" in {entity.name for entity in found.entities}
    assert "盘点" in digest(WAREHOUSE).user_said


def test_a_short_talk_keeps_forty_words_or_eighty_characters_at_most():
    assert len(whole(digest(GREENHOUSE)).split()) <= 40
    assert len(whole(digest(WAREHOUSE)).replace("\n", "")) <= 84


def test_a_long_talk_stays_under_six_hundred_characters():
    long = [
        turn
        for n in range(60)
        for turn in talk(("user", f"Rule {n} is that shelf {n} holds at most {n} boxes of glass."))
    ]
    assert len(whole(digest(long))) <= CHARACTERS_MAX


def test_pasted_words_secrets_and_forgotten_things_stay_out():
    turns = talk(
        ("user", 'Summarise this:\n"""\nThe tenant keeps two ferrets in the attic.\n"""'),
        ("assistant", "It is about a tenant."),
        ("user", "my password is Wq7!tandem, by the way"),
        ("user", "I was once married to the mayor. forget what I just said"),
    )
    found = whole(digest(turns))
    assert "ferrets" not in digest(turns).user_said
    assert "tandem" not in found
    assert "mayor" not in found


def test_nothing_said_makes_an_empty_digest():
    assert digest([]) == Digest(user_said="", agent_did="", conclusion="", entities=())
    assert whole(digest(talk(("user", "ok"), ("assistant", "Sure!")))).strip() == ""


@pytest.mark.parametrize(
    "sentence", ["我想把阳台改成书房，先量尺寸再买柜子", "I want the hall painted before the movers come"]
)
def test_marks_between_the_sentences_count_towards_the_length(sentence: str):
    turns = talk(*(pair for n in range(6) for pair in (("user", f"{sentence}{n}"), ("assistant", f"OK {n}"))))
    text = whole(digest(turns)).replace("\n", "")
    assert len(text) <= 80 if sentence[0] == "我" else len(text.split()) <= 40


def test_numbers_of_list_items_do_not_run_into_each_other():
    turns = talk(("user", "放风筝怎么放？"), ("assistant", "放飞时：1. 迎风跑。\n4. 慢慢放线。"))
    assert "1.4" not in whole(digest(turns))
