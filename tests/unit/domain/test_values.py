from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.domain.budget import tokens_at_most
from hindsight.domain.errors import InvalidRequest
from hindsight.domain.memory import parse_key
from hindsight.domain.moments import from_millis, parse_moment, parse_zone, to_millis, to_text
from hindsight.domain.namespace import parse_namespace


@given(st.text(max_size=80))
def test_a_namespace_comes_back_exactly_or_not_at_all(text: str) -> None:
    try:
        taken = parse_namespace(text)
    except InvalidRequest:
        return
    assert taken == text
    assert unicodedata.normalize("NFC", text) == text
    assert all(character.isalnum() or character in "._-/" for character in text)
    assert 1 <= len(text.encode()) <= 200


@pytest.mark.parametrize("name", ["user/zhang-san", "用户/张三", "agent.ops_1", "a/b", "Ä", "0"])
def test_ordinary_names_are_namespaces(name: str) -> None:
    assert parse_namespace(name) == name


@pytest.mark.parametrize(
    "key", ["coffee_preference", "user_timezone", "用户时区", "data_retention", "过敏", "R2", "笔记本型号"]
)
def test_a_key_with_one_word_that_means_something_is_taken(key: str) -> None:
    assert parse_key(key) == key


@given(st.datetimes(datetime(1971, 1, 1), datetime(2150, 1, 1)), st.integers(-14 * 60, 14 * 60))
def test_equal_instants_are_equal_moments_whatever_their_zone(naive: datetime, offset_minutes: int) -> None:
    utc = naive.replace(tzinfo=UTC)
    elsewhere = utc.astimezone(timezone(timedelta(minutes=offset_minutes)))
    moment = parse_moment(elsewhere, what="at")
    assert moment == parse_moment(utc, what="at")
    assert from_millis(to_millis(moment)) == moment
    assert parse_moment(to_text(moment), what="at") == moment


def test_a_daylight_saving_edge_keeps_order() -> None:
    zone = parse_zone("Europe/Amsterdam")
    before = parse_moment("2026-10-25T01:59:59", what="at", zone=zone)
    after = parse_moment("2026-10-25T03:00:00", what="at", zone=zone)
    assert after - before == timedelta(hours=2, seconds=1)


@pytest.mark.parametrize("value", ["2026-03-08T10:00:00", "2026-03-08", datetime(2026, 3, 8)])
def test_a_time_without_a_zone_is_refused(value: object) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_moment(value, what="at")
    assert caught.value.code == "time_without_zone"


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_token_bound_is_never_below_a_quarter_of_the_characters_and_grows_with_text(one: str, two: str) -> None:
    assert tokens_at_most(one + two) >= tokens_at_most(one) - 1
    assert tokens_at_most(one) >= len(one.replace(" ", "")) / 4


def test_the_token_bound_counts_three_for_a_chinese_character_and_less_than_one_for_a_letter() -> None:
    assert tokens_at_most("过敏") == 6
    assert tokens_at_most("allergies") == 7
    assert tokens_at_most("a b") == 2
    assert tokens_at_most("") == 0
