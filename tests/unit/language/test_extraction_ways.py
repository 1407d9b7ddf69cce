from datetime import UTC, datetime

import pytest

from hindsight.domain.conversation import Turn
from hindsight.language.extraction import KEPT_FROM, extract
from hindsight.language.extraction.categories import category_of
from hindsight.language.extraction.keys import key_of
from hindsight.language.extraction.ways import ways_in
from hindsight.language.script import language_of

AT = datetime(2026, 5, 4, 8, 0, tzinfo=UTC)


def said(*contents: str) -> list[Turn]:
    return [
        Turn(
            session_id="s",  # type: ignore[arg-type]
            index=n,
            id=f"s#{n}",  # type: ignore[arg-type]
            role="assistant" if n % 2 else "user",
            content=content,
            at=AT,
            origin="assistant" if n % 2 else "user",
        )
        for n, content in enumerate(contents)
    ]


def kept(*contents: str) -> list[str]:
    return [c.value for c in extract(said(*contents)).candidates if c.confidence >= KEPT_FROM]


def key(text: str) -> str:
    return key_of(text, category_of(text, {}), "", language_of(text))


@pytest.mark.parametrize(
    ("sentence", "way"),
    [
        ("I swore off energy drinks.", "gave_up"),
        ("Our payroll moved from spreadsheets to Xero.", "shift"),
        ("Refunds above 80 need Dora's signature.", "in_charge"),
        ("The kids only drink oat milk.", "only_ever"),
        ("My landlord insists on cash.", "told_to"),
        ("奶粉早就戒了。", "gave_up"),
        ("仓库系统从金蝶换成用友了。", "shift"),
        ("采购由老陈拍板。", "in_charge"),
        ("医生不让他碰糖。", "told_to"),
        ("这家店只收现金，我只用支付宝。", "only_ever"),
    ],
)
def test_a_lasting_way_of_saying_is_told_by_its_build(sentence: str, way: str):
    assert way in ways_in(sentence)


@pytest.mark.parametrize("sentence", ["Thanks a lot!", "What time is it?", "好的，谢谢", "外面下雨呢"])
def test_small_talk_shows_no_lasting_way(sentence: str):
    assert ways_in(sentence) == set()


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("I swore off energy drinks two years ago.", "energy drinks"),
        ("Our payroll moved from spreadsheets to Xero in April.", "Xero"),
        ("仓库系统从金蝶换成用友了。", "用友"),
        ("我戒咖啡三年了。", "咖啡"),
        ("从可乐改喝苏打水了。", "苏打水"),
        ("外卖平台的后端从 Rails 换成 Go 了。", "Go"),
    ],
)
def test_a_change_that_holds_is_kept_with_its_new_value(sentence: str, word: str):
    assert any(word in value for value in kept(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "The rollout went well, no trouble at all.",
        "My neighbour prefers gas to induction.",
        "The dishwasher keeps beeping again.",
        "搬家还挺顺利的，没出岔子。",
        "邻居喜欢烧烤，天天冒烟。",
        "洗碗机又报警了。",
    ],
)
def test_passing_trouble_good_news_and_other_peoples_tastes_are_not_kept(sentence: str):
    assert kept(sentence) == []


def test_a_rule_for_all_texts_is_the_users_own_beside_a_story():
    values = kept(
        "Write a scene for my novel. The narrator, Bo, hates the sea and never eats fish.",
        "The waves rose ...",
        "For every text you draft for me, use British spelling.",
    )
    assert any("British spelling" in value for value in values)
    assert not any("fish" in value or "sea" in value for value in values)


def test_the_reason_behind_a_question_is_a_statement_of_its_own():
    values = kept("Any ideas for lunch, since I'm allergic to shellfish?")
    assert any("shellfish" in value for value in values)


def test_a_plan_of_the_users_own_is_not_the_assistants_proposal():
    values = kept(
        "How much should I put aside?",
        "You could put aside 700 a month.",
        "700 is steep. I'll do 300 every month, that's the plan.",
    )
    assert not any("could put aside 700" in value for value in values)


def test_we_are_a_family_only_where_people_of_it_are_named():
    assert kept("We switched our house insurance to Lemonade for good.") == [
        "The user switched their house insurance to Lemonade for good"
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I moved from Bath to Turin.", "I live in Trento now."),
        ("Our servers moved from Linode to Scaleway.", "We host on Linode."),
        ("Our sprint is three weeks.", "Our sprints are two weeks now."),
        ("Keep answers short.", "From now on give me short answers."),
        ("I prefer green tea.", "I prefer black tea."),
        ("My manager is Olga.", "My new manager is Bert."),
        ("I switched from Android to an iPhone.", "My phone is a Fairphone."),
        ("我从昆明搬到大理了。", "我现在住在丽江。"),
        ("监控用夜莺。", "监控从夜莺换成 Prometheus 了。"),
        ("我每天喝美式。", "从美式改喝乌龙了。"),
        ("后端用 Gin。", "后端从 Gin 换成 Spring 了。"),
        ("我对头孢过敏。", "我头孢过敏。"),
        ("上班骑车。", "通勤改坐地铁了。"),
        ("手机从安卓换回苹果了。", "我的手机是华为。"),
        ("以后用英文回答我。", "回答用中文吧，以后都这样。"),
    ],
)
def test_two_talks_on_one_slot_share_its_key(one: str, other: str):
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer green tea.", "I prefer window seats."),
        ("My cat is called Momo.", "My dog is called Rex."),
        ("Our sprint is three weeks.", "Our servers moved to Scaleway."),
        ("我对头孢过敏。", "我对花粉过敏。"),
        ("监控用夜莺。", "后端用 Gin。"),
        ("I prefer black tea.", "We use black for formatting."),
        ("I react badly to penicillin.", "The shop front runs on React."),
    ],
)
def test_two_slots_have_two_keys(one: str, other: str):
    assert key(one) != key(other)


def test_a_short_name_that_the_segmenter_cuts_stays_whole_in_the_key():
    assert "铁" not in key("我喜欢拿铁。").replace("拿铁", "")
