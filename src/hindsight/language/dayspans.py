"""Spans of whole days, and which of several a speaker means.

People name days, not instants, so everything a time word can mean is a pair of dates, both included.
Weeks begin on Monday in both languages: 下周日 and "Sunday next week" then agree.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

Prefer = Literal["past", "future", "nearest"]

# datetime ends at year 9999; nobody's memory reaches beyond these.
YEAR_MIN: Final = 1900
YEAR_MAX: Final = 2199
AMOUNT_MAX: Final = 9_999

# Meteorological, northern: both languages' speakers mostly live there. Winter runs into the next year.
SEASON_MONTH: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Days from ``first`` to ``last``, both included."""

    first: date
    last: date
    recurring: bool = False


def one_day(day: date) -> DaySpan:
    """A day as a span."""
    return DaySpan(day, day)


def every(span: DaySpan) -> DaySpan:
    """The same days, as one occurrence of something that comes again."""
    return DaySpan(span.first, span.last, recurring=True)


def day_of(year: int, month: int, day: int) -> DaySpan | None:
    """A single day, or None where the calendar has no such day."""
    if not YEAR_MIN <= year <= YEAR_MAX or not 1 <= month <= 12:
        return None
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return one_day(date(year, month, day))


def month_of(year: int, month: int, part: Literal["", "early", "mid", "late"] = "") -> DaySpan | None:
    """A month, or a third of it (上旬, 中旬, 下旬)."""
    if not YEAR_MIN <= year <= YEAR_MAX or not 1 <= month <= 12:
        return None
    end = calendar.monthrange(year, month)[1]
    first, last = {"": (1, end), "early": (1, 10), "mid": (11, 20), "late": (21, end)}[part]
    return DaySpan(date(year, month, first), date(year, month, last))


def months_from(today: date, months: int) -> DaySpan | None:
    """The calendar month that lies *months* away from today's."""
    count = today.year * 12 + today.month - 1 + months
    return month_of(count // 12, count % 12 + 1)


def year_of(year: int) -> DaySpan | None:
    """A calendar year; None where nobody means it."""
    if not YEAR_MIN <= year <= YEAR_MAX:
        return None
    return DaySpan(date(year, 1, 1), date(year, 12, 31))


def season_of(year: int, season: str) -> DaySpan | None:
    """A season; a year's winter begins in its December."""
    first = month_of(year, SEASON_MONTH[season])
    return first and DaySpan(first.first, _end_of_season(first.first))


def _end_of_season(first: date) -> date:
    count = first.year * 12 + first.month - 1 + 2
    year, month = count // 12, count % 12 + 1
    return date(year, month, calendar.monthrange(year, month)[1])


def week_from(today: date, weeks: int) -> DaySpan | None:
    """The week, Monday to Sunday, that lies *weeks* away."""
    monday = shift_days(today, 7 * weeks - today.weekday())
    return monday and DaySpan(monday, monday + timedelta(days=6))


def weekday_in(today: date, weeks: int, weekday: int) -> DaySpan | None:
    """The weekday (Monday is 0) of the week that lies *weeks* away."""
    day = shift_days(today, 7 * weeks - today.weekday() + weekday)
    return day and one_day(day)


def weekend_from(today: date, weeks: int) -> DaySpan | None:
    """Saturday and Sunday of the week that lies *weeks* away."""
    saturday = shift_days(today, 7 * weeks - today.weekday() + 5)
    return saturday and DaySpan(saturday, saturday + timedelta(days=1))


def shift_days(today: date, days: int) -> date | None:
    """*today* moved by *days*; None where that leaves the calendar."""
    moved = today.toordinal() + days
    if not date(YEAR_MIN, 1, 1).toordinal() <= moved <= date(YEAR_MAX, 12, 1).toordinal():
        return None
    return date.fromordinal(moved)


def away(today: date, amount: int, unit: str) -> DaySpan | None:
    """What "two weeks ago" or 三个月后 points at, as roughly as it is said.

    Days are exact; a week away is meant to within a day or two, a month or a year by its name.
    """
    if abs(amount) > AMOUNT_MAX:
        return None
    if unit == "day":
        day = shift_days(today, amount)
        return day and one_day(day)
    if unit == "week":
        day = shift_days(today, 7 * amount)
        return day and DaySpan(day - timedelta(days=2), day + timedelta(days=2))
    return months_from(today, amount) if unit == "month" else year_of(today.year + amount)


def lasting(today: date, amount: int, unit: str) -> DaySpan | None:
    """The last *amount* units up to today, or the next ones where it is negative."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * amount
    if abs(amount) > AMOUNT_MAX:
        return None
    other = shift_days(today, -days)
    return other and DaySpan(min(today, other), max(today, other))


def meant(spans: Iterable[DaySpan | None], today: date, prefer: Prefer) -> DaySpan | None:
    """Which of several possible spans a speaker means when nothing says so.

    ``past`` takes the latest that has begun, ``future`` the earliest that has not ended, ``nearest``
    the one least far away; a tie goes to the future.
    """
    known = sorted((span for span in spans if span is not None), key=lambda span: span.first)
    if not known:
        return None
    if prefer == "past":
        return next((span for span in reversed(known) if span.first <= today), known[0])
    if prefer == "future":
        return next((span for span in known if span.last >= today), known[-1])
    return min(reversed(known), key=lambda span: _distance_days(span, today))


def _distance_days(span: DaySpan, today: date) -> int:
    if span.first > today:
        return (span.first - today).days
    return max((today - span.last).days, 0)
