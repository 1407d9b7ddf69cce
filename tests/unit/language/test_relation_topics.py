"""Where a statement turns from what it is about to what it says."""

from __future__ import annotations

import pytest

from hindsight.language.relation.alignment import align
from hindsight.language.relation.parsing import parse
from hindsight.language.relation.topics import topic_features, topic_size
from hindsight.language.script import language_of


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("The stove in the chalet is black", 2),
        ("The user lives in Ghent", 0),
        ("The user's niece is four", 1),
        ("会议室坐12人", 1),
        ("用户喜欢吃茼蒿", 0),
    ],
)
def test_the_topic_is_what_stands_before_the_predicate_without_the_user(text: str, size: int) -> None:
    parsed = parse("", text, language_of(text))
    assert len(parsed.content[: topic_size(parsed)]) >= size
    assert (topic_size(parsed) == 0) == (size == 0)


def test_two_things_that_share_a_property_have_topics_apart() -> None:
    old, new = (parse("", f"The stove in the {place} is black", "en") for place in ("chalet", "cabin"))
    found = topic_features(old, new, align(old, new))
    assert (found["topic_apart"], found["topic_same"], found["comment_share"]) == (1.0, 0.0, 1.0)


def test_two_values_of_one_thing_have_one_topic() -> None:
    old, new = (parse("", f"The stove is {colour}", "en") for colour in ("black", "red"))
    found = topic_features(old, new, align(old, new))
    assert (found["topic_apart"], found["topic_same"], found["comment_share"]) == (0.0, 1.0, 0.0)
