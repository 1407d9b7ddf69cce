"""Chinese words for days, weeks, months, seasons and years.

Patterns read simplified characters; the caller has turned the traditional ones that matter, one for one.
"""

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
)

_Reading = Callable[[Match[str], date, Prefer], DaySpan | None]

_DIGITS: Final = {d: i for i, d in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_NUMBER: Final = r"(?:\d{1,4}|[一二两三四五六七八九十]{1,3})"
_YEAR: Final = r"(?P<year>(?:19|20|21)\d\d|二[零〇][零〇一二三四五六七八九]{2}|今|去|前|明|后)年"
_YEAR_STEPS: Final = {"今": 0, "去": -1, "前": -2, "明": 1, "后": 2}
_MONTH: Final = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?"
_DAY: Final = r"(?P<day>[0-3]?\d|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])[日号]"
_PART: Final = r"(?P<part>上旬|中旬|下旬|月?初|月?底|月?末|中)"
_WEEK: Final = r"(?:个)?(?:周|星期|礼拜)"
_WEEKDAY: Final = r"(?P<weekday>[一二三四五六日天1-6])(?![0-9一二三四五六七八九十]|个|些|起|样|家|次|点|岁|年|月|百|千)"
_WEEKDAYS: Final = {d: i for i, d in enumerate("一二三四五六日")} | {"天": 6}
_SEASONS: Final = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_UNITS: Final = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
}
_UNIT: Final = r"(?:个)?(?P<unit>天|周|星期|礼拜|月|年)"
_HOLIDAYS: Final = {
    "元旦": (1, 1, 1), "情人节": (2, 14, 14), "三八节": (3, 8, 8), "妇女节": (3, 8, 8),
    "五一": (5, 1, 5), "劳动节": (5, 1, 5), "儿童节": (6, 1, 1), "教师节": (9, 10, 10),
    "国庆": (10, 1, 7), "万圣节": (10, 31, 31), "双十一": (11, 11, 11), "双11": (11, 11, 11),
    "平安夜": (12, 24, 24), "圣诞": (12, 25, 25), "跨年夜": (12, 31, 31),
}  # fmt: skip
_NAMED: Final = {
    "大前天": -3, "前天": -2, "前晚": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "今天": 0, "今日": 0,
    "今晚": 0, "今早": 0, "今晨": 0, "当天": 0, "明天": 1, "明日": 1, "明晚": 1, "明早": 1, "后天": 2, "大后天": 3,
}  # fmt: skip


def _number(text: str) -> int:
    """A number below 100 in Chinese or plain digits; 0 where it is none."""
    if text.isdigit():
        return int(text)
    tens, ten, units = text.partition("十")
    if not ten:
        return _DIGITS.get(text, 0)
    return _DIGITS.get(tens, 1) * 10 + _DIGITS.get(units, 0)


def _year_number(text: str | None, today: date) -> int | None:
    if not text:
        return None
    if text in _YEAR_STEPS:
        return today.year + _YEAR_STEPS[text]
    return int(text) if text.isdigit() else int("".join(str(_DIGITS[d]) for d in text))


def _month_day(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    year, month, day = _year_number(match["year"], today), _number(match["month"]), _number(match["day"])
    if year is not None:
        return day_of(year, month, day)
    return meant((day_of(today.year + step, month, day) for step in (-1, 0, 1)), today, prefer)


def _third(part: str | None) -> Literal["", "early", "mid", "late"]:
    if not part:
        return ""
    return "early" if part in {"上旬", "初", "月初"} else "mid" if part in {"中旬", "中"} else "late"


def _month(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    year, month, part = _year_number(match["year"], today), _number(match["month"]), _third(match["part"])
    if year is not None:
        return month_of(year, month, part)
    return meant((month_of(today.year + step, month, part) for step in (-1, 0, 1)), today, prefer)


def _steps(text: str) -> int:
    """上 is one back, 上上 two, 下 one ahead, 这 and 本 none."""
    return text.count("下") - text.count("上")


def _relative_month(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    span = months_from(today, _steps(match["which"]))
    if span is None:
        return None
    if match["day"]:
        return day_of(span.first.year, span.first.month, _number(match["day"]))
    return month_of(span.first.year, span.first.month, _third(match["part"]))


def _month_edge(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return month_of(today.year, today.month, _third(match["part"]))


def _day_of_month(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    day = _number(match["day"])
    months = (months_from(today, step) for step in (-1, 0, 1))
    spans = [day_of(span.first.year, span.first.month, day) for span in months if span is not None]
    found = meant(spans, today, prefer)
    return every(found) if found and match["again"] else found


def _relative_weekday(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return weekday_in(today, _steps(match["which"]), _weekday_number(match))


def _weekday(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    found = meant((weekday_in(today, w, _weekday_number(match)) for w in (-1, 0, 1)), today, prefer)
    return every(found) if found and match["again"] else found


def _weekday_number(match: Match[str]) -> int:
    text = match["weekday"]
    return int(text) - 1 if text.isdigit() else _WEEKDAYS[text]


def _relative_week(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    steps = _steps(match["which"])
    return weekend_from(today, steps) if match["end"] else week_from(today, steps)


def _weekend(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    found = meant((weekend_from(today, weeks) for weeks in (-1, 0, 1)), today, prefer)
    return every(found) if found and match["again"] else found


def _named_day(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    day = shift_days(today, _NAMED[match.group()])
    return day and one_day(day)


def _ago(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    if match["half"]:
        return months_from(today, -6)
    return away(today, -_number(match["amount"]), _UNITS[match["unit"]])


def _ahead(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    if match["half"]:
        return months_from(today, 6)
    return away(today, _number(match["amount"]), _UNITS[match["unit"]])


def _lasting(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    sign = -1 if match["side"].startswith("未") else 1
    if match["half"]:
        return lasting(today, sign * 6, "month")
    return lasting(today, sign * _number(match["amount"]), _UNITS[match["unit"]])


def _year(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    year = _year_number(match["year"], today)
    if year is None:
        return None
    edge = match["edge"] or ""
    first, last = {
        "初": (1, 2), "头": (1, 2), "底": (11, 12), "末": (11, 12), "中": (6, 7),
        "上半年": (1, 6), "下半年": (7, 12),
    }.get(edge, (1, 12))  # fmt: skip
    start, end = month_of(year, first), month_of(year, last)
    return start and end and DaySpan(start.first, end.last)


def _year_edge(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    first, last = {"年初": (1, 2), "年底": (11, 12), "年末": (11, 12), "上半年": (1, 6), "下半年": (7, 12)}[
        match["edge"]
    ]
    start, end = month_of(today.year, first), month_of(today.year, last)
    return start and end and DaySpan(start.first, end.last)


def _season(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    season, year = _SEASONS[match["season"]], _year_number(match["year"], today)
    if year is not None:
        return season_of(year, season)
    return meant((season_of(today.year + step, season) for step in (-2, -1, 0, 1)), today, prefer)


def _holiday(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    month, first, last = _HOLIDAYS[match["holiday"]]
    year = _year_number(match["year"], today)
    years = (today.year - 1, today.year, today.year + 1) if year is None else (year,)
    spans: list[DaySpan] = []
    for candidate in years:
        start, end = day_of(candidate, month, first), day_of(candidate, month, last)
        if start is not None and end is not None:
            spans.append(DaySpan(start.first, end.last))
    return meant(spans, today, prefer)


def _every_unit(match: Match[str], today: date, prefer: Prefer) -> DaySpan | None:
    return DaySpan(today, today, recurring=True)


def _reading(pattern: str, read: _Reading) -> tuple[Pattern[str], _Reading]:
    return re.compile(pattern, re.ASCII), read


_AMOUNT: Final = rf"(?:(?P<half>半)年|(?P<amount>{_NUMBER}){_UNIT})"
_NO_MORE: Final = r"(?![0-9一二三四五六七八九十])"

READINGS: Final[tuple[tuple[Pattern[str], _Reading], ...]] = (
    _reading(rf"(?:{_YEAR}的?)?{_MONTH}{_DAY}", _month_day),
    _reading(rf"(?:{_YEAR}的?)?(?<![0-9一二三四五六七八九十个]){_MONTH}的?{_PART}?{_NO_MORE}", _month),
    _reading(rf"(?P<which>上+|下+|这|本)(?:一)?个?月份?的?(?:{_DAY}|{_PART})?", _relative_month),
    _reading(r"(?<![一二三四五六七八九十个0-9上下这本])(?P<part>月初|月底|月末|月中(?!旬))", _month_edge),
    _reading(rf"(?P<again>每个?月的?)?(?<![0-9一二三四五六七八九十月]){_DAY}(?![线楼院门店机馆召])", _day_of_month),
    _reading(rf"(?P<again>每个?月的?){_DAY}", _day_of_month),
    _reading(rf"(?P<which>上+|下+|这|本){_WEEK}{_WEEKDAY}", _relative_weekday),
    _reading(rf"(?P<again>每个?)?(?:周|星期|礼拜){_WEEKDAY}", _weekday),
    _reading(rf"(?P<which>上+|下+|这|本)(?:一)?{_WEEK}(?P<end>末)?", _relative_week),
    _reading(r"(?P<again>每个?)?周末", _weekend),
    _reading("|".join(_NAMED), _named_day),
    _reading(rf"{_AMOUNT}(?:以|之)?前", _ago),
    _reading(rf"{_AMOUNT}(?:以|之)?后", _ahead),
    _reading(rf"(?P<side>过去|最近|近|这|未来|接下来)的?{_AMOUNT}(?:里|内|来)?", _lasting),
    _reading(rf"{_YEAR}的?(?P<edge>初|头|底|末|中(?!旬)|上半年|下半年)?", _year),
    _reading(r"(?<![0-9个几多来一二三四五六七八九])(?P<edge>年初|年底|年末|上半年|下半年)", _year_edge),
    _reading(rf"(?:{_YEAR}的?)?(?P<season>[春夏秋冬])(?:天|季)", _season),
    _reading(rf"{_YEAR}的?(?P<season>[春夏秋冬])", _season),
    _reading(rf"(?:{_YEAR}的?)?(?P<holiday>{'|'.join(_HOLIDAYS)})(?:节|假期|期间)?", _holiday),
    _reading(r"每(?:天|日|晚|早|周|星期|礼拜|个?月|年|逢)", _every_unit),
)
