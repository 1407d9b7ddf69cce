"""English words for days, weeks, months, seasons and years, and dates in figures."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from re import Match, Pattern
from typing import Final, Literal

from hindsight.language.dayspans import (
    DaySpan,
    Prefer,
    away,
    day_of,
    every,
    lasting,
    meant,
    month_of,
    months_from,
    one_day,
    season_of,
    shift_days,
    week_from,
    weekday_in,
    weekend_from,
    year_of,
)

_Reading = Callable[[Match[str], date, Prefer], DaySpan | None]

_MONTHS: Final = {
    name[:3]: number
    for number, name in enumerate(
        "january february march april may june july august september october november december".split(), 1
    )
}
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
# "may" and "march" are verbs, "dec" and "mar" abbreviations of other things: alone they need a lead.
_LONG_MONTH: Final = r"(?P<month>january|february|april|june|july|august|september|october|november|december)"
_WEEKDAYS: Final = {d: i for i, d in enumerate("mon tue wed thu fri sat sun".split())}
_WEEKDAY: Final = (
    r"(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|"
    r"sat(?:urday)?|sun(?:day)?)"
)
_LONG_WEEKDAY: Final = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4, "thirty": 30, "forty": 40}
_AMOUNT: Final = rf"(?P<amount>\d{{1,4}}|{'|'.join(w for w in _NUMBERS if len(w) > 2)}|an?)(?:\s+of)?"
_UNIT: Final = r"(?P<unit>day|week|month|year)s?"
_SEASON: Final = r"(?P<season>spring|summer|autumn|fall|winter)"
_YEAR: Final = r"(?P<year>(?:19|20|21)\d\d)"
_DAY: Final = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_RELATIVE: Final = r"(?P<which>last|previous|past|next|coming|this|upcoming)"
_STEPS: Final = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1, "coming": 1, "upcoming": 1}
_HOLIDAYS: Final = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year's": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
}


def _month_number(match: Match[str]) -> int:
    return _MONTHS[match["month"][:3].lower()]


def _weekday_number(match: Match[str]) -> int:
    return _WEEKDAYS[match["weekday"][:3].lower()]


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


def _figures(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return day_of(int(match["year"]), int(match["m"]), int(match["d"]))


def _year_month(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return month_of(int(match["year"]), int(match["m"]))


def _month_day(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    month, day = _month_number(match), int(match["day"])
    if match["year"]:
        return day_of(int(match["year"]), month, day)
    return meant((day_of(today.year + step, month, day) for step in (-1, 0, 1)), today, prefer)


def _months_part(match: Match[str]) -> Literal["", "early", "mid", "late"]:
    lead = (match["part"] or "").lower()
    if lead.startswith(("early", "beginning", "start")):
        return "early"
    if lead.startswith(("mid", "middle")):
        return "mid"
    return "late" if lead.startswith(("late", "end")) else ""


def _month_alone(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    month, part, groups = _month_number(match), _months_part(match), match.groupdict()
    if groups.get("year"):
        return month_of(int(match["year"]), month, part)
    step = _STEPS.get((groups.get("which") or "").lower(), None)
    if step == 0:
        return month_of(today.year, month, part)
    prefer = prefer if step is None else "past" if step < 0 else "future"
    spans = (month_of(today.year + years, month, part) for years in (-1, 0, 1))
    if step is not None:
        # "last March" said in March is a year ago.
        spans = (s for s in spans if s is not None and not s.first <= today <= s.last)
    return meant(spans, today, prefer)


def _weekday(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    weekday, which = _weekday_number(match), (match["which"] or "").lower()
    if which in {"last", "past", "previous"}:
        back = (today.weekday() - weekday - 1) % 7 + 1
        day = shift_days(today, -back)
        return day and one_day(day)
    if which in {"next", "coming", "upcoming"}:
        return weekday_in(today, 1, weekday) if which == "next" else _coming(today, weekday)
    if which == "this":
        return weekday_in(today, 0, weekday)
    return meant((weekday_in(today, weeks, weekday) for weeks in (-1, 0, 1)), today, prefer)


def _coming(today: date, weekday: int) -> DaySpan | None:
    day = shift_days(today, (weekday - today.weekday() - 1) % 7 + 1)
    return day and one_day(day)


def _every_weekday(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    span = meant((weekday_in(today, w, _weekday_number(match)) for w in (-1, 0, 1)), today, prefer)
    return span and every(span)


def _weekday_of_week(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return weekday_in(today, _STEPS[match["which"].lower()], _weekday_number(match))


def _relative_unit(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    step, unit = _STEPS[match["which"].lower()], match["unit"].lower()
    if unit == "weekend":
        if step < 0 and today.weekday() >= 5:
            return weekend_from(today, -1)
        return weekend_from(today, step)
    if unit == "week":
        return week_from(today, step)
    return months_from(today, step) if unit == "month" else year_of(today.year + step)


def _unit_before_last(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    step = -2 if match["side"].lower() == "before last" else 2
    unit = match["unit"].lower()
    if unit == "week":
        return week_from(today, step)
    return months_from(today, step) if unit == "month" else year_of(today.year + step)


def _relative_season(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    season = match["season"].lower().replace("fall", "autumn")
    spans = [season_of(today.year + years, season) for years in (-2, -1, 0, 1)]
    known = [span for span in spans if span is not None]
    which = (match["which"] or "").lower()
    if which in {"last", "past", "previous"}:
        return meant((s for s in known if s.last < today), today, "past")
    if which in {"next", "coming", "upcoming"}:
        return meant((s for s in known if s.first > today), today, "future")
    return meant(known, today, "nearest" if which == "this" else prefer)


def _season_year(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return season_of(int(match["year"]), match["season"].lower().replace("fall", "autumn"))


def _year(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return year_of(int(match["year"]))


def _ago(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return away(today, -_number(match["amount"]), match["unit"].lower())


def _ahead(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return away(today, _number(match["amount"]), match["unit"].lower())


def _lasting(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    sign = -1 if _STEPS[match["which"].lower()] > 0 else 1
    return lasting(today, sign * _number(match["amount"]), match["unit"].lower())


_DAY_STEPS: Final = {
    "today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1, "last night": -1,
    "day before yesterday": -2, "day after tomorrow": 2,
}  # fmt: skip


def _named_day(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    words = " ".join(match["named"].lower().split())
    day = shift_days(today, 0 if words.startswith("this") else _DAY_STEPS[words])
    return day and one_day(day)


def _holiday(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    month, day = _HOLIDAYS[match["holiday"].lower().replace("’", "'")]
    if match["year"]:
        return day_of(int(match["year"]), month, day)
    return meant((day_of(today.year + years, month, day) for years in (-1, 0, 1)), today, prefer)


def _every_unit(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return DaySpan(today, today, recurring=True)


def _reading(pattern: str, read: _Reading) -> tuple[Pattern[str], _Reading]:
    return re.compile(rf"(?<![A-Za-z0-9_]){pattern}(?![A-Za-z0-9_])", re.IGNORECASE | re.ASCII), read


_PART: Final = r"(?:(?P<part>early|mid|late|(?:the\s+)?(?:beginning|start|middle|end)\s+of)[\s-]+)?"

READINGS: Final[tuple[tuple[Pattern[str], _Reading], ...]] = (
    _reading(r"(?P<year>(?:19|20|21)\d\d)(?P<sep>[-/.])(?P<m>[01]?\d)(?P=sep)(?P<d>[0-3]?\d)(?!\.?\d)", _figures),
    _reading(r"(?P<year>(?:19|20|21)\d\d)-(?P<m>[01]\d)(?!-\d)", _year_month),
    _reading(rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:(?:,\s*|\s+){_YEAR})?(?!:\d)", _month_day),
    _reading(rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}(?:(?:,\s*|\s+){_YEAR})?", _month_day),
    _reading(rf"{_PART}{_MONTH}(?:,\s*|\s+(?:of\s+)?){_YEAR}", _month_alone),
    _reading(rf"(?:in|since|during|until|by|around|before|after|{_RELATIVE})\s+{_PART}{_MONTH}", _month_alone),
    _reading(rf"(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+{_MONTH}", _month_alone),
    _reading(rf"{_PART}{_LONG_MONTH}", _month_alone),
    _reading(rf"(?:every|each)\s+(?:other\s+)?{_WEEKDAY}", _every_weekday),
    _reading(rf"(?:on\s+)?{_LONG_WEEKDAY}s", _every_weekday),
    _reading(rf"(?:{_RELATIVE}\s+){_WEEKDAY}", _weekday),
    _reading(rf"{_WEEKDAY}\s+(?:of\s+)?{_RELATIVE}\s+week", _weekday_of_week),
    _reading(rf"(?:on\s+)?(?P<which>\b){_LONG_WEEKDAY}", _weekday),
    _reading(r"(?:the\s+)?(?P<named>day\s+before\s+yesterday|day\s+after\s+tomorrow|today|tonight|yesterday|"
             r"tomorrow|last\s+night|this\s+(?:morning|afternoon|evening))", _named_day),
    _reading(rf"{_RELATIVE}\s+(?P<unit>week(?:end)?|month|year)", _relative_unit),
    _reading(r"(?:the\s+)?(?P<unit>week|month|year)\s+(?P<side>before\s+last|after\s+next)", _unit_before_last),
    _reading(rf"(?:{_RELATIVE}\s+){_SEASON}", _relative_season),
    _reading(rf"(?:in|during|over)\s+(?:the\s+)?(?P<which>\b){_SEASON}", _relative_season),
    _reading(rf"{_SEASON}(?:\s+of|,)?\s+{_YEAR}", _season_year),
    _reading(rf"(?:in|since|during|until|by|before|after|around|year|of)\s+{_YEAR}", _year),
    _reading(rf"(?:a\s+)?{_AMOUNT}\s+{_UNIT}\s+(?:ago|back|earlier|before\s+now)", _ago),
    _reading(rf"in\s+(?:a\s+)?{_AMOUNT}\s+{_UNIT}(?:'?\s+time)?", _ahead),
    _reading(rf"(?:a\s+)?{_AMOUNT}\s+{_UNIT}\s+(?:from\s+now|from\s+today|later)", _ahead),
    _reading(rf"(?:the\s+)?{_RELATIVE}\s+(?:a\s+)?{_AMOUNT}\s+{_UNIT}", _lasting),
    _reading(rf"(?P<holiday>{'|'.join(h.replace(chr(39), '[’' + chr(39) + ']') for h in _HOLIDAYS)})(?:,?\s+{_YEAR})?",
             _holiday),
    _reading(r"every\s?(?:day|week|month|year|morning|evening|night|weekend)|daily|weekly|monthly|yearly|annually",
             _every_unit),
)  # fmt: skip
