"""Numbers that mean the same are the same, and others are not."""

from __future__ import annotations

import pytest

from hindsight.language.relation.quantities import quantities_of, same_quantity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("一个半小时", "90 minutes"),
        ("三刻钟", "45分钟"),
        ("1小时45分", "105分钟"),
        ("68 °F", "20 °C"),
        ("-112 °F", "minus 80 Celsius"),
        ("零下十八度", "-18 ℃"),
        ("98.6华氏度", "37摄氏度"),
        ("21/03/2027", "21 March 2027"),
        ("3/21/2027", "2027-03-21"),
        ("$15k", "15,000 dollars"),
        ("两次", "twice"),
        ("9:30 PM", "晚上九点半"),
        ("12 May 2026", "2026年5月12日"),
        ("May 12", "2026-05-12"),
        ("周三", "Wednesday"),
        ("3个副本", "3 replicas"),
        ("30天", "thirty days"),
        ("1000 m", "1公里"),
    ],
)
def test_spellings_of_one_quantity_are_equal(one: str, other: str) -> None:
    first, second = quantities_of(one), quantities_of(other)
    assert len(first) == len(second) == 1
    assert same_quantity(first[0], second[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("118.7", "121.9"),
        ("5 km", "5 kg"),
        ("-4 °C", "4 °C"),
        ("零下四度", "四度"),
        ("9:30 AM", "9:30 PM"),
        ("12 May", "21 May"),
        ("5.7", "8.0"),
        ("#1001", "#1010"),
        ("周一", "周二"),
    ],
)
def test_different_quantities_differ(one: str, other: str) -> None:
    assert not same_quantity(quantities_of(one)[0], quantities_of(other)[0])


@pytest.mark.parametrize("text", ["用户一直统一口径，一些人不同意", "one of them may come", "no numbers"])
def test_words_that_only_look_like_numbers_are_none(text: str) -> None:
    assert quantities_of(text) == []
