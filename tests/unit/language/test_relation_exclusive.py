from __future__ import annotations

import pytest

from hindsight.domain.memory import Category, Language
from hindsight.language.relation import Statement, relate


def said(
    value: str, key: str = "home_city", *, language: Language = "en", category: Category = "identity"
) -> Statement:
    return Statement(key=key, value=value, category=category, language=language)


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        (said("The user lives in Porto"), said("The user lives in Oslo now"), "update"),
        (said("The user lives in Porto"), said("The user lives in Oslo"), "contradiction"),
        (said("用户住在苏州", language="zh"), said("用户现在住在杭州", language="zh"), "update"),
        (
            said("用户在一家银行做会计", "occupation", language="zh"),
            said("用户在一家医院做会计", "occupation", language="zh"),
            "contradiction",
        ),
    ],
)
def test_a_slot_that_holds_one_thing_cannot_hold_two(old: Statement, new: Statement, relation: str) -> None:
    verdict = relate(old, new, similarity=0.7)
    assert (verdict.relation, verdict.certain) == (relation, True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (said("The user likes green tea", "tea_kinds"), said("The user likes black tea", "tea_kinds")),
        (said("用户养了一只猫", "宠物", language="zh"), said("用户养了一只狗", "宠物", language="zh")),
        (said("用户在一家银行做会计", "a", language="zh"), said("用户在一家医院做会计", "b", language="zh")),
    ],
)
def test_one_word_for_another_is_never_merged(old: Statement, new: Statement) -> None:
    assert relate(old, new, similarity=0.95).relation not in ("duplicate", "refinement")


def test_more_words_about_the_same_home_do_not_contradict_it() -> None:
    old, new = said("The user lives in Porto"), said("The user lives in Porto near the river")
    assert relate(old, new, similarity=0.9).relation not in ("contradiction", "update")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            said("The user lives in Porto"),
            said("The user grew tired of the noise and wonders whether the coast would be cheaper"),
        ),
        (
            said("用户是做钟表维修的，眼睛容易累", "occupation", language="zh"),
            said("用户平时下了班喜欢去河边钓鱼，周末也去", "occupation", language="zh"),
        ),
    ],
)
def test_longer_remarks_under_one_slot_are_no_conflict(old: Statement, new: Statement) -> None:
    verdict = relate(old, new, similarity=0.5)
    assert not (verdict.certain and verdict.relation in ("contradiction", "update"))
