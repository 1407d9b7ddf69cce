"""Numbers, dates, clock times, versions and ids in a sentence, made comparable across spellings.

"一个半小时" and "90 minutes" are the same quantity, "118.7" and "121.9" are not: most silent losses of a
similarity-based judge are exactly such pairs. A general date parser was rejected: it resolves
relative words against a clock, and here only what stands in the text may count.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

# Relative tolerance for equal quantities: unit conversion (68 °F, 20 °C) rounds.
_SAME_WITHIN: Final = 0.012

_UNITS_TEXT: Final = """
minute: 分钟 分 minutes minute mins min =1 | 小时 钟头 hours hour hrs hr h =60 | 刻钟 =15 | 秒钟 秒 seconds \
second secs sec =0.0166666667 | ms 毫秒 milliseconds millisecond =0.0000166666667
day: 个工作日 天 days day =1 | 个星期 个礼拜 周 weeks week wks =7 | 个月 months month =30 | 年 years year yrs \
yr =365 | 个季度 quarters =91
age: 岁 周岁 years-old year-old =1
kg: 公斤 千克 kg kgs kilos kilo kilograms =1 | 斤 =0.5 | 克 grams gram g =0.001 | 吨 tonnes tons t =1000 | lbs \
lb pounds-weight =0.4536 | 毫克 mg =0.000001 | oz ounces =0.02835
metre: 米 metres meters metre meter m =1 | 公里 千米 km kilometres kilometers kilometre kilometer k-run =1000 | \
厘米 cm centimetres centimeters =0.01 | 毫米 mm millimetres millimeters =0.001 | miles mile =1609.34 | 英寸 \
inches inch =0.0254 | feet foot ft =0.3048
litre: 升 litres liters litre liter l =1 | 毫升 ml millilitres milliliters =0.001 | gallons gallon =3.785
area: 平米 平方米 平方 sqm =1 | 亩 =666.7
byte: GB gb gigabytes G =1 | TB tb =1024 | MB mb megabytes =0.0009765625 | KB kb =0.00000095367
percent: % 个百分点 percent per-cent =1 | 成 =10
discount: 折 =1
times: 次 回 遍 趟 times =1
rate: bpm rpm fps qps hz mhz ghz kbps mbps kwh kw w watts v volts mah 瓦 伏 节 knots knot mph km/h dpi px =1
point: 分制 points point 级 级别 =1
person: 名 位 人 口 people persons staff members engineers students guests employees 个人 =1
count: 个 只 条 台 辆 套 间 层 盆 本 张 杯 瓶 盒 包 件 份 箱 棵 头 匹 架 门 节课 页 家 块 颗 把 双 顿 篇 题 期 \
排 步 字 词 副本 replicas copies pieces items units nodes cores =1
"""


def _units() -> tuple[dict[str, tuple[str, float]], str]:
    table: dict[str, tuple[str, float]] = {}
    for line in _UNITS_TEXT.strip().splitlines():
        kind, _, groups = line.partition(": ")
        for group in groups.split(" | "):
            names, _, factor = group.rpartition("=")
            for name in names.split():
                table[name.replace("-", " ").lower()] = (kind, float(factor))
    names_by_length = sorted(table, key=len, reverse=True)
    return table, "|".join(re.escape(name) for name in names_by_length)


_UNIT_OF, _UNIT_PATTERN = _units()
_MONTHS: Final = {
    name: index + 1
    for index, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|"
        "september sept sep|october oct|november nov|december dec".split("|")
    )
    for name in names.split()
}
_WEEKDAYS: Final = {
    name: index + 1
    for index, names in enumerate(
        "mondays monday mon|tuesdays tuesday tue|wednesdays wednesday wed|thursdays thursday thu|"
        "fridays friday fri|saturdays saturday sat|sundays sunday sun".split("|")
    )
    for name in names.split()
}
_MONTH_PATTERN = "|".join(sorted((m for m in _MONTHS if m != "may"), key=len, reverse=True))
_WEEKDAY_PATTERN = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_ENGLISH_SMALL: Final = {
    word: index
    for index, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_HAN_DIGITS: Final = {character: index for index, character in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_HAN_SCALES: Final = {"十": 10, "百": 100, "千": 1000}


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number with its kind of unit, in that kind's own scale.

    ``kind`` is ``""`` for a bare number. Dates keep their text form in ``label``: ``2026-05-12``, with
    ``?`` for a part that was not said.
    """

    kind: str
    value: float
    label: str
    start: int
    end: int

    @property
    def norm(self) -> str:
        """A text that is equal for equal quantities of one kind."""
        return f"{self.kind}:{self.label or format(self.value, '.6g')}"


def quantities_of(text: str) -> list[Quantity]:
    """The quantities in *text* (NFKC), in order; their spans do not overlap."""
    found: list[Quantity] = []
    taken = [False] * len(text)
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            quantity = read(match)
            if quantity is None:
                continue
            found.append(Quantity(quantity[0], quantity[1], quantity[2], start, end))
            taken[start:end] = [True] * (end - start)
    found.sort(key=lambda quantity: quantity.start)
    return _joined_durations(found, text)


def same_quantity(first: Quantity, second: Quantity) -> bool:
    """Whether both say the same amount; a bare number equals any kind of that value."""
    if first.kind == second.kind and (first.label or second.label):
        return _labels_agree(first.label, second.label)
    if first.kind != second.kind and "" not in (first.kind, second.kind):
        # A plain counter ("3个副本", "3 replicas") is a number that happens to be counted.
        counted = {"count", "person", "times", "point"}
        if not {first.kind, second.kind} <= counted:
            return False
    if first.label or second.label:
        return False
    scale = max(abs(first.value), abs(second.value), 1e-9)
    exact = first.kind in {"", "count", "person", "times", "version", "age", "point"}
    return abs(first.value - second.value) <= (0.0 if exact else _SAME_WITHIN * scale)


def _labels_agree(first: str, second: str) -> bool:
    """Whether two dates can be the same day: parts that one leaves open are no difference."""
    if first == second:
        return True
    parts, others = first.split("-"), second.split("-")
    return len(parts) == len(others) and all(
        one == other or "?" in (one, other) for one, other in zip(parts, others, strict=True)
    )


def _han_number(text: str) -> float | None:
    """The value of Chinese numerals such as 三十五, 一百二, 2万."""
    if text == "半":
        return 0.5
    total, section, digit = 0.0, 0.0, 0.0
    if all(character in _HAN_DIGITS for character in text):
        return float("".join(str(_HAN_DIGITS[character]) for character in text))
    for character in text:
        if character in _HAN_DIGITS:
            digit = float(_HAN_DIGITS[character])
        elif character in _HAN_SCALES:
            section += (digit or 1.0) * _HAN_SCALES[character]
            digit = 0.0
        elif character == "万":
            total = (total + section + digit) * 10_000
            section = digit = 0.0
        else:
            return None
    return total + section + digit


def _number(text: str) -> float | None:
    text = text.strip().lower()
    plain = text.replace(",", "")
    if re.fullmatch(r"\d+(\.\d+)?", plain):
        return float(plain)
    if text in _ENGLISH_SMALL:
        return float(_ENGLISH_SMALL[text])
    parts = re.split(r"[\s-]+", text)
    if len(parts) == 2 and all(part in _ENGLISH_SMALL for part in parts):
        return float(_ENGLISH_SMALL[parts[0]] + _ENGLISH_SMALL[parts[1]])
    if text in ("half a", "half an"):
        return 0.5
    if text in ("a hundred", "one hundred"):
        return 100.0
    return _han_number(text)


_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_WORD_NUMBER = (
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[\s-](?:one|two|three|four|five|six|seven|"
    r"eight|nine)\b|\b(?:" + "|".join(sorted(_ENGLISH_SMALL, key=len, reverse=True)) + r")\b"
)
_HAN_NUMBER = r"[零〇一二两三四五六七八九十百千万]+"
_ANY_NUMBER = rf"{_DIGITS}|{_WORD_NUMBER}|half an?|a hundred|{_HAN_NUMBER}|半"

_Read = tuple[str, float, str] | None


def _date(match: re.Match[str]) -> _Read:
    groups = match.groupdict()
    year = groups.get("year") or groups.get("year2")
    month_text = (groups.get("month") or groups.get("month2") or "").lower()
    month = _MONTHS.get(month_text) or (int(n) if (n := _number(month_text) if month_text else None) else 0)
    day_text = groups.get("day") or groups.get("day2")
    day = int(_number(day_text) or 0) if day_text else 0
    if month > 12 or day > 31 or not (month or year):
        return None
    label = f"{year or '?'}-{month or '?'}-{day or '?'}"
    return "date", float(month * 100 + day), label


def _day(match: re.Match[str]) -> _Read:
    return "date", float(match.group("day")), f"?-?-{int(match.group('day'))}"


def _weekday(match: re.Match[str]) -> _Read:
    text = match.group("weekday").lower()
    index = _WEEKDAYS.get(text) or "一二三四五六日".find("日" if text == "天" else text) + 1
    return "weekday", float(index), ""


def _clock(match: re.Match[str]) -> _Read:
    groups = match.groupdict()
    hour = _number(groups["hour"])
    if hour is None or hour > 24 or hour != int(hour):
        return None
    rest = groups.get("minute") or ""
    minute = 30.0 if rest == "半" else 15.0 if rest == "一刻" else (_number(rest.strip("分")) or 0.0) if rest else 0.0
    half = (groups.get("half") or groups.get("half2") or "").lower().replace(".", "")
    if half in {"pm", "下午", "晚上", "傍晚", "夜里", "晚"} and hour < 12:
        hour = hour + 12 if not (half in {"夜里", "晚上"} and hour < 5) else hour
    return "clock", hour * 60 + minute, ""


def _money(match: re.Match[str]) -> _Read:
    number = _number(match.group("number"))
    if number is None:
        return None
    scale = (match.groupdict().get("scale") or "").strip().lower()
    factor = {"k": 1e3, "thousand": 1e3, "千": 1e3, "m": 1e6, "million": 1e6, "万": 1e4, "亿": 1e8}.get(scale, 1.0)
    return "money", number * factor, ""


def _measure(match: re.Match[str]) -> _Read:
    number = _number(match.group("number"))
    if number is None:
        return None
    kind, factor = _UNIT_OF[match.group("unit").lower()]
    if match.groupdict().get("half"):
        number += 0.5
    if kind == "discount":
        number = number / 10 if number > 10 else number
    return kind, number * factor, ""


def _temperature(match: re.Match[str]) -> _Read:
    number = _number(match.group("number"))
    if number is None:
        return None
    if match.groupdict().get("below"):
        number = -number
    fahrenheit = match.group("unit").lower().lstrip("° ").startswith(("f", "华", "degrees f", "degree f"))
    return "celsius", round((number - 32) / 1.8 if fahrenheit else number, 1), ""


def _version(match: re.Match[str]) -> _Read:
    parts = match.group("version").split(".")
    value = sum(int(part) / 1000.0**index for index, part in enumerate(parts[:4]))
    return "", value if len(parts) > 2 else float(match.group("version")), ""


def _identifier(match: re.Match[str]) -> _Read:
    return "id", 0.0, match.group(0).lower().lstrip("#").replace(" ", "")


def _bare(match: re.Match[str]) -> _Read:
    number = _number(match.group("number"))
    scale = (match.groupdict().get("scale") or "").strip().lower()
    factor = {"k": 1e3, "万": 1e4, "亿": 1e8, "million": 1e6, "千": 1e3}.get(scale, 1.0)
    return None if number is None else ("", number * factor, "")


def _frequency(match: re.Match[str]) -> _Read:
    return "times", {"once": 1.0, "twice": 2.0}[match.group(0).lower()], ""


def _hour_and_half(match: re.Match[str]) -> _Read:
    number = 1.0 if match.group("number").lower() in {"a", "an"} else _number(match.group("number"))
    return None if number is None else ("minute", (number + 0.5) * 60, "")


def _compiled(
    *entries: tuple[str, Callable[[re.Match[str]], _Read]],
) -> list[tuple[re.Pattern[str], Callable[[re.Match[str]], _Read]]]:
    return [(re.compile(pattern, re.IGNORECASE), read) for pattern, read in entries]


_READERS: Final = _compiled(
    (
        r"(?P<year>\d{4})年(?P<month>\d{1,2}|[一二三四五六七八九十]{1,3})月(?:(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?",
        _date,
    ),
    (r"(?<!\d)(?P<year>(?:19|20)\d{2})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)", _date),
    (r"(?<![\d/.v])(?P<day>\d{1,2})[/.](?P<month>0?[1-9]|1[0-2])[/.](?P<year>(?:19|20)\d{2})(?!\d)", _date),
    (r"(?<![\d/.v])(?P<month>\d{1,2})[/.](?P<day>1[3-9]|2\d|3[01])[/.](?P<year>(?:19|20)\d{2})(?!\d)", _date),
    (
        rf"(?<![A-Za-z0-9.])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH_PATTERN}|(?-i:May))\b\.?(?:,?\s+(?P<year>\d{{4}}))?",
        _date,
    ),
    (
        rf"\b(?P<month>{_MONTH_PATTERN}|(?-i:May))\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?P<year>\d{{4}}))?",
        _date,
    ),
    (rf"\b(?P<month>{_MONTH_PATTERN}|(?-i:May))\s+(?P<year>\d{{4}})\b", _date),
    (r"(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])月(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})[日号]?", _date),
    (r"(?<!个)(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])月(?:份|底|初|中旬)?", _date),
    (rf"\b(?P<month>{_MONTH_PATTERN}|(?<=in\s)(?-i:May)|(?<=each\s)(?-i:May))\b", _date),
    (r"(?P<year>(?:19|20)\d{2})\s*年", _date),
    (r"(?<![\d.])(?P<day>[12]?\d|3[01])[号日](?![楼线库门店院桌车机]|的)", _day),
    (rf"\b(?P<weekday>{_WEEKDAY_PATTERN})\b", _weekday),
    (r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])", _weekday),
    (r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?![\d:])\s*(?P<half>[ap]\.?m\b\.?)?", _clock),
    (r"\b(?P<hour>\d{1,2})\s*(?P<half>[ap]\.?m\b)\.?", _clock),
    (
        r"(?P<half>早上|上午|下午|晚上|凌晨|中午|傍晚|夜里|早|晚)?(?P<hour>\d{1,2}|十[一二]?|[一二两三四五六七八九])(?:点钟?|时)(?P<minute>半|一刻|(?:\d{1,2}|[一二三四五六七八九十]{1,3})分?)?(?!儿|\w?心)",
        _clock,
    ),
    (rf"[$€£¥]\s?(?P<number>{_DIGITS})\s*(?P<scale>k\b|m\b|million|thousand|万)?", _money),
    (
        rf"(?P<number>{_DIGITS}|{_HAN_NUMBER})\s*(?P<scale>万|千|亿|k|million|thousand)?\s*(?:元|块钱|块(?!地|田)|美元|欧元|英镑|人民币|dollars?|usd|eur|euros?|gbp|rmb|pounds?)",
        _money,
    ),
    (
        rf"(?P<below>(?<![\w)])[-−–]\s?|\bminus |零下|负)?(?P<number>{_DIGITS})\s*"
        r"(?P<unit>°\s?[cf]\b|degrees?\s(?:celsius|fahrenheit)|celsius\b|fahrenheit\b|摄氏度|华氏度|℃|degrees|度(?!假|过|量))",
        _temperature,
    ),
    (
        rf"(?P<below>\bminus |零下|负)?(?P<number>{_HAN_NUMBER}|{_WORD_NUMBER})\s?(?P<unit>度(?!假|过|量)|degrees)",
        _temperature,
    ),
    (r"\b(?P<number>an?|one|two|three) hours? and a half\b", _hour_and_half),
    (rf"(?P<number>{_ANY_NUMBER})\s?(?:个)?(?P<half>半)(?P<unit>小时|钟头|月|年)", lambda m: _measure_half(m)),
    (r"(?P<number>半)(?:个)?(?P<unit>小时|钟头|年|天)", _measure),
    (r"\b(?:once|twice)\b", _frequency),
    (rf"(?<![A-Za-z0-9.])(?P<number>{_DIGITS})[\s-]?(?P<unit>{_UNIT_PATTERN})(?![A-Za-z])", _measure),
    (rf"(?<![统唯专单划同万])(?P<number>{_HAN_NUMBER})(?P<unit>{_UNIT_PATTERN})", _measure),
    (rf"(?P<number>half an?|a hundred|{_WORD_NUMBER})[\s-](?P<unit>{_UNIT_PATTERN})\b", _measure),
    (r"(?<![A-Za-z0-9])(?:#\s?\d+|(?-i:[A-Z]{1,4})-?\d{1,6}(?:-\d+)?(?-i:[A-Z]?))(?![A-Za-z0-9.])", _identifier),
    (r"(?<![\d.])v?(?P<version>\d+\.\d+(?:\.\d+){0,2})(?![\d])", _version),
    (r"(?<![A-Za-z0-9.])(?P<year>(?:19|20)\d{2})(?![\d.:])", _date),
    (rf"(?<![\d.])(?P<number>{_DIGITS})\s*(?P<scale>k\b|万|亿|million)?", _bare),
    (
        rf"(?P<number>{_HAN_NUMBER})(?=比)|第(?P<number2>{_HAN_NUMBER})",
        lambda m: ("", _number(m.group("number") or m.group("number2")) or 0.0, ""),
    ),
    (rf"\b(?P<number>{_WORD_NUMBER})", lambda m: None if m.group("number").lower() == "one" else _bare(m)),
)


def _measure_half(match: re.Match[str]) -> _Read:
    number = _number(match.group("number"))
    unit = {"小时": ("minute", 60.0), "钟头": ("minute", 60.0), "月": ("day", 30.0), "年": ("day", 365.0)}
    kind, factor = unit[match.group("unit")]
    return None if number is None else (kind, (number + 0.5) * factor, "")


def _joined_durations(found: list[Quantity], text: str) -> list[Quantity]:
    """One quantity for "1 小时 58 分" and "1 hour 45 minutes"."""
    joined: list[Quantity] = []
    for quantity in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.kind == quantity.kind == "minute"
            and last.value >= 60 > quantity.value
            and not re.sub(r"\s|and|,", "", text[last.end : quantity.start])
        ):
            joined[-1] = Quantity("minute", last.value + quantity.value, "", last.start, quantity.end)
            continue
        joined.append(quantity)
    return joined


def numeral(text: str) -> float | None:
    """The value of a number in figures or words of either language; None where *text* is none."""
    return _number(text)
