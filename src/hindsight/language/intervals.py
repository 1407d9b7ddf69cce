"""When a statement says that it held: "January to March", "2025年1月至3月", from its own words.

Only a span with both ends counts. A fact that was true twice is told by two such spans, and merging or
superseding across them would lose one. Single days and weekdays are the business of `timewords`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from re import Match
from typing import Final

# A span shorter than this is an appointment, not a time in which something held.
INTERVAL_DAYS_MIN: Final = 7
_DAY: Final = timedelta(days=1)
_MONTHS: Final[tuple[str, ...]] = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
_NAMES: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
_EN_POINT: Final = (
    r"(?:(?:the )?(?:early|mid|late|start of|beginning of|end of)[ -]?)?(?:"
    rf"(?P<y{{n}}a>(?:19|20)\d\d)-(?P<m{{n}}a>\d\d)(?:-(?P<d{{n}}a>\d\d))?"
    rf"|(?:(?P<d{{n}}b>\d{{{{1,2}}}})(?:st|nd|rd|th)? )?(?P<m{{n}}b>{_NAMES})\b\.?"
    rf"(?: (?P<d{{n}}c>\d{{{{1,2}}}})(?:st|nd|rd|th)?\b)?(?:,? (?P<y{{n}}b>(?:19|20)\d\d)\b)?"
    rf"|(?P<y{{n}}c>(?:19|20)\d\d)\b)"
)
_ENGLISH: Final = re.compile(
    # "May and June" is a span only between them, and 2019-2021 may be a part of any number.
    r"(?<![\d-])\b(?P<between>between (?:the )?)?" + _EN_POINT.format(n=1) + r"(?:(?<=[a-z.]) ?(?:–|—|-|~) ?"
    r"| (?:to|until|till|through|thru) | (?(between)and|to) )(?:in )?" + _EN_POINT.format(n=2) + r"(?![\d-])",
    re.IGNORECASE,
)
_FIGURE: Final = r"(?:\d{{1,2}}|十[一二]?|[一二三四五六七八九])"
_ZH_POINT: Final = (
    r"(?:(?P<y{n}a>(?:19|20)\d\d)\s*年|(?P<y{n}b>今年|去年|前年|明年))?\s*(?P<m{n}a>" + _FIGURE + r")\s*月份?"
    r"(?:\s*(?P<d{n}a>\d{{1,2}})\s*[日号])?(?:初|中旬|上旬|下旬|底|末)?"
    r"|(?P<y{n}c>(?:19|20)\d\d)\s*年"
)
_CHINESE: Final = re.compile(
    "(?:"
    + _ZH_POINT.format(n=1)
    + r")\s*(?:开始)?\s*(?:一直到|直到|到|至|~|～|—|–|-)+\s*(?:"
    + _ZH_POINT.format(n=2)
    + ")"
)
_AHEAD: Final = re.compile(
    r"\b(?:will|going to|plans?|planned|upcoming|next|shall)\b|将|计划|打算|准备|要去|即将|明年", re.IGNORECASE
)
# What comes again every year has no one span: when it holds is a part of the fact itself.
_AGAIN: Final = re.compile(
    r"\b(?:every|each|usually|always|annual(?:ly)?|yearly|season(?:al)?|open|closed|fiscal|tax)\b|每|通常|一般|总是|年度|营业|开放",
    re.IGNORECASE,
)
_HAN_MONTHS: Final = {name: number for number, name in enumerate("一 二 三 四 五 六 七 八 九 十 十一 十二".split(), 1)}
_RELATIVE_YEARS: Final = {"今年": 0, "去年": -1, "前年": -2, "明年": 1}


@dataclass(frozen=True, slots=True)
class _Point:
    """One end as it was said: what is missing is None."""

    year: int | None
    month: int | None
    day: int | None


def held_interval(text: str, at: datetime, zone: tzinfo | None = None) -> tuple[datetime, datetime] | None:
    """The first and the last moment of the one span that *text*, said at *at*, names; None for none or several.

    A span without a year is the one that lies behind or around *at*, unless the words look ahead.
    """
    zone = zone or UTC
    found = list(_ENGLISH.finditer(text)) + ([] if text.isascii() else list(_CHINESE.finditer(text)))
    if len(found) != 1 or _AGAIN.search(text):
        return None
    today = at.astimezone(zone).date()
    days = _days(_point(found[0], 1, today), _point(found[0], 2, today), today, ahead=bool(_AHEAD.search(text)))
    if days is None or (days[1] - days[0]).days < INTERVAL_DAYS_MIN:
        return None
    first = datetime.combine(days[0], time.min, zone).astimezone(UTC)
    following = datetime.combine(days[1] + _DAY, time.min, zone).astimezone(UTC)
    return first, following - timedelta(milliseconds=1)


def _point(match: Match[str], number: int, today: date) -> _Point:
    said = {name[0]: value for name, value in match.groupdict().items() if value and name[1:2] == str(number)}
    year, month, day = said.get("y"), said.get("m"), said.get("d")
    return _Point(
        None if year is None else today.year + _RELATIVE_YEARS[year] if year in _RELATIVE_YEARS else int(year),
        None if month is None else _month(month),
        None if day is None else int(day),
    )


def _month(word: str) -> int:
    if word.isdecimal():
        return int(word)
    return _HAN_MONTHS[word] if word in _HAN_MONTHS else _MONTHS.index(word[:3].lower()) + 1


def _days(start: _Point, end: _Point, today: date, *, ahead: bool) -> tuple[date, date] | None:
    wraps = start.month is not None and end.month is not None and start.month > end.month
    first_year, last_year = start.year, end.year
    if first_year is None and last_year is not None:
        first_year = last_year - wraps
    elif first_year is not None and last_year is None:
        last_year = first_year + wraps
    elif first_year is None or last_year is None:
        first_year = today.year - 1
        for year in (today.year - 1, today.year, today.year + 1):
            opens, closes = _edge(start, year, last=False), _edge(end, year + wraps, last=True)
            if opens is not None and closes is not None and (opens <= today or (ahead and closes >= today)):
                first_year = year
                if ahead and closes >= today:
                    break
        last_year = first_year + wraps
    opens, closes = _edge(start, first_year, last=False), _edge(end, last_year, last=True)
    return None if opens is None or closes is None or opens > closes else (opens, closes)


def _edge(point: _Point, year: int, *, last: bool) -> date | None:
    """The first or the last day of what *point* names in *year*; None for a day that the calendar lacks."""
    try:
        if point.month is None:
            return date(year, 12, 31) if last else date(year, 1, 1)
        if point.day is not None:
            return date(year, point.month, point.day)
        first = date(year, point.month, 1)
        return (first + 31 * _DAY).replace(day=1) - _DAY if last else first
    except ValueError:
        return None
