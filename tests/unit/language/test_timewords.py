"""Days that people name, seen from Wednesday 11 March 2026."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from hindsight.language.timewords import mentions

AT = datetime(2026, 3, 11, 12, tzinfo=UTC)


def days(text: str, **options: str) -> tuple[date, date]:
    (found,) = mentions(text, AT, **options)  # pyright: ignore[reportArgumentType]
    return found.first.date(), found.last.date()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("see you next Wednesday", "2026-03-18", "2026-03-18"),
        ("下周三交稿", "2026-03-18", "2026-03-18"),
        ("下週三交稿", "2026-03-18", "2026-03-18"),
        ("上周三去的", "2026-03-04", "2026-03-04"),
        ("last Friday", "2026-03-06", "2026-03-06"),
        ("明天出发", "2026-03-12", "2026-03-12"),
        ("the day before yesterday", "2026-03-09", "2026-03-09"),
        ("last spring we moved", "2025-03-01", "2025-05-31"),
        ("3月上旬", "2026-03-01", "2026-03-10"),
        ("2025年1月", "2025-01-01", "2025-01-31"),
        ("十二月二十五日", "2025-12-25", "2025-12-25"),
        ("May 7th", "2026-05-07", "2026-05-07"),
        ("7 May 2023", "2023-05-07", "2023-05-07"),
        ("2023-05-08", "2023-05-08", "2023-05-08"),
        ("两周前", "2026-02-23", "2026-02-27"),
        ("three months ago", "2025-12-01", "2025-12-31"),
        ("in March", "2026-03-01", "2026-03-31"),
        ("last March", "2025-03-01", "2025-03-31"),
        ("去年国庆", "2025-10-01", "2025-10-07"),
        ("the last 3 weeks", "2026-02-18", "2026-03-11"),
        ("这周末", "2026-03-14", "2026-03-15"),
        ("上个月15号", "2026-02-15", "2026-02-15"),
    ],
)
def test_a_time_word_means_the_days_a_speaker_means(text: str, first: str, last: str) -> None:
    assert days(text) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "text",
    ["May I ask?", "march on", "Feb 30", "version 3.11.2", "三天两头", "5号楼", "星期一个", "sun and sat", ""],
)
def test_what_names_no_day_is_not_reported(text: str) -> None:
    assert mentions(text, AT) == ()


@pytest.mark.parametrize("text", ["every Monday", "on Mondays", "每周一", "每月5号", "daily"])
def test_what_comes_again_is_marked(text: str) -> None:
    (found,) = mentions(text, AT)
    assert found.recurring


def test_a_question_about_the_past_means_the_past_month() -> None:
    assert days("in May", prefer="past") == (date(2025, 5, 1), date(2025, 5, 31))
    assert days("in May", prefer="future") == (date(2026, 5, 1), date(2026, 5, 31))


def test_positions_are_those_of_the_original() -> None:
    text = "我們１０月１日放假，10月7日回來"
    assert [text[m.start : m.end] for m in mentions(text, AT)] == ["１０月１日", "10月7日"]


def test_relative_days_count_from_the_day_in_the_speakers_zone() -> None:
    late = datetime(2026, 3, 11, 20, tzinfo=UTC)
    (found,) = mentions("明天", late, ZoneInfo("Asia/Shanghai"))
    assert found.first == datetime(2026, 3, 12, 16, tzinfo=UTC)


def test_the_longest_reading_wins_and_none_overlap() -> None:
    found = mentions("On May 7, 2023 and 2025年3月中旬", AT)
    assert [m.text for m in found] == ["May 7, 2023", "2025年3月中旬"]


def test_hostile_text_takes_no_long_time() -> None:
    assert mentions("一" * 20_000 + "1" * 20_000, AT) == ()
