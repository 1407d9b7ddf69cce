"""The relation of a new memory to an old one: what must hold whatever the weights are."""

from __future__ import annotations

import pytest

from hindsight.domain.memory import Language
from hindsight.language.relation import JUDGED, Statement, Verdict, relate
from hindsight.language.script import language_of


def statement(value: str, key: str = "topic", language: Language | None = None) -> Statement:
    return Statement(key=key, value=value, category="fact", language=language or language_of(value))


def verdict(old: str, new: str, *, similarity: float = 0.9) -> Verdict:
    return relate(statement(old), statement(new), similarity=similarity)


MERGING = ("duplicate", "refinement")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user enjoys rowing.", "the user  enjoys rowing"),
        ("用户喜欢划船。", "用户喜欢划船"),
        ("用户喜欢划船", "用戶喜歡划船"),
    ],
)
def test_the_same_words_again_are_a_duplicate(old: str, new: str) -> None:
    found = verdict(old, new, similarity=1.0)
    assert (found.relation, found.certain) == ("duplicate", True)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("The user prefers kayaks over canoes", "The user prefers canoes over kayaks", "comparison_reversed"),
        ("用户觉得皮划艇比独木舟好", "用户觉得独木舟比皮划艇好", "comparison_reversed"),
        ("The user is allergic to latex", "The user is not allergic to latex", "one_negation"),
        ("用户对乳胶过敏", "用户对乳胶不过敏", "one_negation"),
        ("The user is learning the oboe", "The user's daughter is learning the oboe", "other_person"),
        ("用户在学双簧管", "用户的女儿在学双簧管", "other_person"),
        ("Ticket #7301 is closed", "Ticket #7310 is closed", "other_id"),
        ("工单 #7301 已关闭", "工单 #7310 已关闭", "other_id"),
        ("The trailer weighs 740 kg", "The trailer weighs 470 kg", "number_differs"),
        ("拖车重740公斤", "拖车重470公斤", "number_differs"),
        ("Staging deploys are automatic", "Production deploys are automatic", "other_scope"),
        ("预发环境自动部署", "生产环境自动部署", "other_scope"),
    ],
)
def test_one_small_difference_forbids_a_merge(old: str, new: str, reason: str) -> None:
    found = verdict(old, new, similarity=0.97)
    assert found.relation not in MERGING
    assert f"veto:{reason}" in found.reasons


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user lives in Ghent", "The user no longer lives in Ghent but has moved to Bruges"),
        ("The team uses Mercurial", "The team switched from Mercurial to Git"),
        ("用户住在绵阳", "用户从绵阳搬到了宜宾"),
        ("团队用 SVN", "团队已经从 SVN 换成 Git"),
    ],
)
def test_a_stated_change_is_an_update(old: str, new: str) -> None:
    assert verdict(old, new, similarity=0.6).relation == "update"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user loves sailing", "The user hates sailing"),
        ("用户喜欢帆船", "用户讨厌帆船"),
        ("The user's boat is 9 metres long", "The user's boat is 12 metres long"),
        ("用户的船长9米", "用户的船长12米"),
    ],
)
def test_two_values_of_one_slot_contradict(old: str, new: str) -> None:
    assert verdict(old, new, similarity=0.8).relation == "contradiction"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user keeps bees on the roof", "The quarterly tax return is filed by the accountant"),
        ("用户在楼顶养蜂", "季度报税由会计办理"),
        ("用户在楼顶养蜂", "The quarterly tax return is filed by the accountant"),
        ("爬山看日出", "晚上煮面"),
    ],
)
def test_what_has_nothing_in_common_is_left_alone(old: str, new: str) -> None:
    found = verdict(old, new, similarity=0.1)
    assert found.relation in ("coexist", "unrelated") or not found.certain


def test_two_languages_are_merged_only_on_strong_evidence() -> None:
    found = relate(statement("用户住在成都"), statement("The user lives in Chengdu"), similarity=0.5)
    assert found.relation not in MERGING


@pytest.mark.parametrize("similarity", [0.0, 0.3, 0.6, 0.9, 1.0])
def test_similarity_alone_never_merges_a_denial(similarity: float) -> None:
    assert verdict("用户吃辣", "用户不吃辣", similarity=similarity).relation not in MERGING


def test_a_verdict_names_two_relations_a_probability_and_a_reason() -> None:
    found = verdict("The user drinks tea", "The user drinks green tea without milk at four")
    assert found.relation in JUDGED
    assert found.runner_up in JUDGED
    assert found.relation != found.runner_up
    assert 0.0 <= found.probability <= 1.0
    assert found.reasons


@pytest.mark.parametrize("text", ["?", "…", "a", "用", "1", "🙂", "x" * 2000, "的" * 2000])
def test_odd_texts_are_judged_without_failing(text: str) -> None:
    assert verdict(text, "The user rows on Sundays").relation in JUDGED
    assert verdict("用户周日划船", text).relation in JUDGED


def test_the_same_pair_gets_the_same_verdict() -> None:
    pair = ("用户每周划船三次", "用户一周划船 3 次，都在周末")
    assert verdict(*pair) == verdict(*pair)


def test_long_texts_that_differ_at_the_end_are_not_merged() -> None:
    start = "The user keeps a diary of every trip. " * 40
    found = verdict(start + "It is blue.", start + "It is lost.", similarity=1.0)
    assert found.relation not in MERGING


@pytest.mark.parametrize("similarity", [0.3, 0.6, 0.9])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The stove in the chalet is black.", "The stove in the cabin is black."),
        ("The stove in the chalet is black.", "The ladder in the chalet is black."),
        ("一号仓的灯是白色的", "二号仓的灯是白色的"),
        ("用户平时爱划船，觉得现在的练习不够", "用户膝盖有伤，医生让休息两周"),
    ],
)
def test_different_things_are_never_set_against_each_other(old: str, new: str, similarity: float) -> None:
    found = verdict(old, new, similarity=similarity)
    assert found.relation in ("coexist", "unrelated") or not found.certain


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user likes beetroot", "The user doesn't like beetroot"),
        ("用户喜欢吃茼蒿", "用户不喜欢吃茼蒿"),
    ],
)
def test_an_opposite_feeling_about_one_thing_is_acted_on_as_a_contradiction(old: str, new: str) -> None:
    found = verdict(old, new, similarity=0.8)
    assert (found.relation, found.certain) == ("contradiction", True)
