"""How a second statement takes up the first."""

from __future__ import annotations

import pytest

from hindsight.language.relation.features import compare
from hindsight.language.relation.parsing import parse
from hindsight.language.script import language_of


def features(old: str, new: str) -> dict[str, float]:
    first, second = (parse("", text, language_of(text)) for text in (old, new))
    return compare(first, second, similarity=0.7, same_category=True).features


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user owns a kayak", "The kayak is kept in a shed by the canal"),
        ("用户有一条皮划艇", "皮划艇放在运河边的棚子里"),
    ],
)
def test_what_was_brought_in_and_is_then_spoken_of_is_described(old: str, new: str) -> None:
    assert features(old, new)["described"] == 1.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user owns a kayak", "The user owns a caravan"),
        ("用户有一条皮划艇", "用户有一辆房车"),
    ],
)
def test_a_second_thing_does_not_describe_the_first(old: str, new: str) -> None:
    assert features(old, new)["described"] == 0.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user never paddles alone", "The user paddled down the canal by himself on Sunday with the new kayak"),
        ("用户从不独自划艇", "用户周日一个人划艇去了下游的船闸，回来天都黑了"),
    ],
)
def test_a_rule_beside_an_occasion_is_seen(old: str, new: str) -> None:
    found = features(old, new)
    assert found["rule_one_side"] == 1.0
    assert found["rule_and_occasion"] > 0.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user went paddling in Norway last year", "The user plans to paddle in Wales next year"),
        ("用户去年去挪威划过艇", "用户打算明年去桂林划艇"),
    ],
)
def test_what_was_and_what_is_planned_lie_apart_in_time(old: str, new: str) -> None:
    assert features(old, new)["past_and_plan"] == 1.0


def test_more_words_count_as_a_refinement_only_where_the_shorter_statement_is_held() -> None:
    held = features("The user paddles", "The user paddles on the canal with two friends")
    other = features("The user paddles on Sundays", "The user keeps two goats on a hill with a view of the canal")
    assert held["adds_to_all"] > held["adds_to_part"]
    assert other["adds_to_part"] > other["adds_to_all"]
