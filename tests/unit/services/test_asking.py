"""What part of a message is searched for."""

from __future__ import annotations

import pytest

from hindsight.ports import ItemId, TextMatches
from hindsight.services.asking import WHOLE_CHARACTERS_MAX, asking_of

PADDING = "Nothing of this matters here. "


def nothing(_: str) -> TextMatches:
    raise AssertionError("a short message is not weighed by sentences")


def holding(word: str) -> object:
    def find(words: str) -> TextMatches:
        return TextMatches(scores={ItemId(1): 9.0} if word in words else {}, ceiling=10.0)

    return find


def test_a_short_message_is_searched_for_whole() -> None:
    asking = asking_of("Where is the ladder?", nothing)
    assert (asking.words, asking.latest, asking.times_in) == ("Where is the ladder?", None, "Where is the ladder?")


@pytest.mark.parametrize(
    ("talk", "latest"),
    [
        ("Yesterday was long.\nWhat happened?\nI fell off the ladder.", "I fell off the ladder."),
        ("昨天好累。\n怎么了？\n我从梯子上摔下来了。", "我从梯子上摔下来了。"),
    ],
)
def test_of_talk_the_last_line_counts_most_and_only_its_times_are_meant(talk: str, latest: str) -> None:
    asking = asking_of(talk, nothing)
    assert (asking.words, asking.latest, asking.times_in) == (talk, latest, latest)


def test_of_a_long_message_the_sentences_that_the_store_knows_are_searched_for_in_their_order() -> None:
    message = "The ladder broke. " + PADDING * 40 + "Tell them of the ladder."
    assert len(message) > WHOLE_CHARACTERS_MAX
    asking = asking_of(message, holding("ladder"))  # type: ignore[arg-type]
    assert asking.words == "The ladder broke. Tell them of the ladder."


def test_a_long_message_of_marks_alone_is_still_searched_for() -> None:
    message = "…" * (WHOLE_CHARACTERS_MAX + 1)
    assert asking_of(message, holding("ladder")).words == message  # type: ignore[arg-type]
