"""Which days a text speaks of, in Chinese and English, seen from the moment it was said.

Written by rules: parsers that cover both languages bring a hundred locales and guess dates into
ordinary numbers, and a wrong date is worse than none. What is not understood is not reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from re import Match, Pattern
from typing import Final

from hindsight.language import timewords_en, timewords_zh
from hindsight.language.dayspans import DaySpan, Prefer

# A text longer than this is no sentence; its first part is read.
TEXT_CHARACTERS_MAX: Final = 20_000
MENTIONS_MAX: Final = 64

Reading = Callable[[Match[str], date, Prefer], DaySpan | None]
# One character for one, so that positions stay those of the original.
_PLAIN: Final = str.maketrans(
    "０１２３４５６７８９／－．：　週後個號禮這兩點鐘時當節陽從來內間開學",
    "0123456789/-.: 周后个号礼这两点钟时当节阳从来内间开学",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMention:
    """Characters ``start`` to ``end`` name the time from ``first`` to ``last``, both included, in UTC.

    ``recurring`` says that it comes again ("every Monday"); the times are then the nearest occurrence.
    """

    start: int
    end: int
    first: datetime
    last: datetime
    text: str
    recurring: bool = False


def mentions(
    text: str, at: datetime, zone: tzinfo | None = None, *, prefer: Prefer = "nearest"
) -> tuple[TimeMention, ...]:
    """The days that *text*, said at *at*, speaks of, in order and without overlap.

    Args:
        at: The moment of speaking; relative words count from its day in *zone* (UTC when omitted).
        prefer: Which March "in March" means: the ``past`` one suits questions about what was,
            ``future`` plans, and ``nearest`` what is told.
    """
    zone = zone or UTC
    today = at.astimezone(zone).date()
    plain = text[:TEXT_CHARACTERS_MAX].translate(_PLAIN)
    found = sorted(_candidates(plain, today, prefer), key=lambda c: (c[0], -c[1]))
    kept: list[TimeMention] = []
    position = 0
    for start, end, span in found:
        if start < position or len(kept) == MENTIONS_MAX:
            continue
        first, last = _moments(span, zone)
        kept.append(
            TimeMention(start=start, end=end, first=first, last=last, text=text[start:end], recurring=span.recurring)
        )
        position = end
    return tuple(kept)


def _candidates(plain: str, today: date, prefer: Prefer) -> Iterable[tuple[int, int, DaySpan]]:
    for pattern, read in _readings(plain):
        for match in pattern.finditer(plain):
            span = read(match, today, prefer)
            if span is not None:
                yield match.start(), match.end(), span


def _readings(plain: str) -> Iterable[tuple[Pattern[str], Reading]]:
    yield from timewords_en.READINGS
    if not plain.isascii():
        yield from timewords_zh.READINGS


def _moments(span: DaySpan, zone: tzinfo) -> tuple[datetime, datetime]:
    first = datetime.combine(span.first, time.min, zone).astimezone(UTC)
    following = datetime.combine(span.last + timedelta(days=1), time.min, zone).astimezone(UTC)
    return first, following - timedelta(milliseconds=1)
