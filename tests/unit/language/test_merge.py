"""A merged memory keeps every detail of both."""

from __future__ import annotations

import pytest

from hindsight.language.relation import merge


def test_a_text_that_says_it_all_stands_alone_in_english() -> None:
    old, new = "The user rows", "The user rows a single scull on Sundays"
    assert merge(old, new, language="en") == new
    assert merge(new, old, language="en") == new


def test_a_text_that_says_it_all_stands_alone_in_chinese() -> None:
    old, new = "用户划船", "用户划船，每周日用单人艇"
    assert merge(old, new, language="zh") == new
    assert merge(new, old, language="zh") == new


@pytest.mark.parametrize(
    ("old", "new", "language", "kept"),
    [
        ("The user's club is called Otter", "The club meets on Mondays at 7 pm", "en", ("Otter", "Mondays", "7 pm")),
        ("用户的俱乐部叫水獭", "俱乐部周一晚七点活动，不收会费", "zh", ("水獭", "周一", "七点", "不收会费")),
        ("用户用 uv 装包", "The user pins uv to 0.5", "en", ("uv 装包", "0.5")),
    ],
)
def test_details_of_both_are_kept(old: str, new: str, language: str, kept: tuple[str, ...]) -> None:
    merged = merge(old, new, language="zh" if language == "zh" else "en")
    assert merged is not None
    assert all(part in merged for part in kept)


def test_a_sentence_already_said_is_not_said_twice() -> None:
    merged = merge("用户养了一只乌龟。", "用户养了一只乌龟。乌龟住在阳台。", language="zh")
    assert merged == "用户养了一只乌龟。乌龟住在阳台。"


def test_a_negation_is_a_detail() -> None:
    merged = merge("The user eats fish", "The user eats no fish", language="en")
    assert merged is not None
    assert "no fish" in merged


def test_what_does_not_fit_is_not_merged() -> None:
    assert merge("a" * 1500, "b" * 1500, language="en") is None
    assert merge("The user rows", "The user sings", language="en", characters_max=10) is None


def test_equal_texts_merge_to_themselves() -> None:
    assert merge("用户划船", "用户划船", language="zh") == "用户划船"


def test_details_late_in_a_long_text_are_kept() -> None:
    long = "The user rows on the river. " * 30 + "The boat is called Otter."
    merged = merge(long, "The user rows", language="en")
    assert merged is not None
    assert "Otter" in merged
    other = merge("The user rows on the river " * 30 + "in Otter", "The user rows in Heron", language="en")
    assert other is not None
    assert "Heron" in other
    assert "Otter" in other
