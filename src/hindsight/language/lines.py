"""The lines of a message with their positions: pasted text shows itself by what whole lines look like.

Every kind of line break counts, also the Unicode ones: a forged line would otherwise hide behind one
that a model reads as a break and a pattern does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

Bounds = tuple[int, int]

_BREAK: Final = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its break. ``head`` is its stripped beginning, bounded so that patterns stay cheap."""

    start: int
    end: int
    head: str
    blank: bool


# Longer than any header or lead-in; what follows in the line is not looked at by line patterns.
HEAD_CHARACTERS_MAX: Final = 400


def split_lines(text: str) -> list[Line]:
    """The lines of *text*, in order. A text without breaks is one line."""
    found: list[Line] = []
    start = 0
    for mark in _BREAK.finditer(text):
        found.append(_line(text, start, mark.start()))
        start = mark.end()
    found.append(_line(text, start, len(text)))
    return found


def merge(spans: Iterable[Bounds]) -> tuple[Bounds, ...]:
    """Sorted, disjoint and never empty: overlapping and touching spans become one."""
    merged: list[Bounds] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _line(text: str, start: int, end: int) -> Line:
    head = text[start : min(end, start + HEAD_CHARACTERS_MAX)].strip()
    blank = not head and (end - start <= HEAD_CHARACTERS_MAX or not text[start:end].strip())
    return Line(start, end, head, blank)
