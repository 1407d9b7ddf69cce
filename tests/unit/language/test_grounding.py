from __future__ import annotations

import pytest

from hindsight.domain.conversation import Turn
from hindsight.language.grounding import find_quote, unsupported
from hindsight.testing import sample_turn


def said(content: str) -> Turn:
    """A user's turn on Sunday, 8 March 2026."""
    return sample_turn("s", 0, content)


@pytest.mark.parametrize(
    ("content", "quote", "found"),
    [
        ("We brew at 92 degrees, always.", "brew at 92 degrees", "brew at 92 degrees"),
        ("We brew at 92 degrees,  always.", "“brew AT 92 degrees, always.”", "brew at 92 degrees,  always"),
        ("客厅刷成了　米白色，", "刷成了 米白色", "刷成了　米白色"),
        ("端口是８４４３。", "端口是8443", "端口是８４４３"),
        ("She said ‘never again’", "said 'never again'", "said ‘never again"),
    ],
)
def test_a_quote_is_found_whatever_its_case_width_and_spacing(content: str, quote: str, found: str) -> None:
    bounds = find_quote(content, quote)
    assert bounds is not None
    assert content[slice(*bounds)] == found


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("We brew at 92 degrees.", "We brew at 94 degrees"),
        ("We brew at 92 degrees.", "brew 92 degrees"),
        ("客厅刷成了米白色", "卧室刷成了米白色"),
        ("anything", ""),
        ("anything", "…"),
        ("a", "a"),
    ],
)
def test_a_quote_whose_words_differ_is_not_found(content: str, quote: str) -> None:
    assert find_quote(content, quote) is None


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("We have three goats and 1,200 hens", "The user keeps 3 goats and 1200 hens."),
        ("养了3只羊", "用户养了三只羊。"),
        ("我们周会改到下周三了", "用户的周会改到了2026年3月11日（下周三）。"),
        ("the inspection is next Wednesday", "The inspection is on 2026-03-11."),
        ("version 3.12 only", "The user requires version 3.12."),
        ("I start at 07:30", "The user starts at 7:30."),
        ("家里用的是 fedora", "用户家里用 Fedora。"),
        ("my neighbour is german", "The user's neighbour is German."),
        ("one of my sons plays the cello", "A son of the user plays the cello."),
    ],
)
def test_what_was_said_in_other_spellings_is_supported(content: str, value: str) -> None:
    assert unsupported(value, [said(content)]) is None


@pytest.mark.parametrize(
    ("content", "value", "missing"),
    [
        ("We have three goats", "The user keeps four goats.", "number"),
        ("养了3只羊", "用户养了五只羊。", "number"),
        ("version 3.12 only", "The user requires version 3.13.", "number"),
        ("version 3.12 only", "The user requires version 12.", "number"),
        ("we ship in small batches", "The user ships 8 batches.", "number"),
        ("the inspection is next Wednesday", "The inspection is on 2026-04-19.", "number"),
        ("我们周会改到下周三了", "用户的周会改到了2026年5月2日。", "number"),
        ("家里装的是 fedora", "用户家里用 Ubuntu。", "name"),
        ("my sister lives near the coast", "The user's sister lives in Lisbon.", "name"),
        ("we deploy with a script", "The user deploys with FluxCD.", "name"),
    ],
)
def test_what_was_never_said_is_named(content: str, value: str, missing: str) -> None:
    assert unsupported(value, [said(content)]) == missing
