"""Where sentences and clauses begin and end, in Chinese, English and both mixed.

Chat is the measure here: no capital after a full stop, line breaks for full stops, a space between
two Chinese clauses. A general segmenter was not taken, since it splits versions, paths and decimals
that a memory must keep whole. One pass over the terminators, so the time grows with the length only.
"""

from __future__ import annotations

import re
from typing import Final

Bounds = tuple[int, int]

_TERMINATOR: Final = re.compile(
    r"[。！？!?…\n\r\u2028\u2029]+[”’」』）)\"']*|(?<!\.)\.+(?=[\s”\"’)\u3400-\u9fff]|\Z)|(?<!～)～+(?=\s|\Z)"
)
_CLAUSE_MARK: Final = re.compile(
    r"[，；：]|[,;](?=\s|\Z|[^\d\W])|:(?=\s)|\s[-–—]+\s|——+|\.{2,}(?=\S)|"
    r"(?<=[\u3400-\u9fff])[ \u3000]+(?=[\u3400-\u9fff])|"
    r"\s+(?=(?:but|so|because|cos|coz|since|although|though|and (?:i|i'm|i've|we|we've|my|our|also)|oh and)\s)",
    re.IGNORECASE,
)
# A full stop after these ends no sentence. Single letters ("J.", "e.g.", "U.S.") are handled apart.
_ABBREVIATIONS: Final = frozenset(
    "mr mrs ms dr prof st vs ca etc approx inc incl ltd co no nr fig vol ch sec dept est min max avg "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun".split()
)
_LIST_MARK: Final = re.compile(r"\s*(?:\d{1,3}|[a-zA-Z])\Z")
_LAST_WORD: Final = re.compile(r"[A-Za-z]+\Z")
_WORD_WINDOW: Final = 16
_SKIPPED: Final = " \t\r\n\u3000\u2028\u2029"


def sentences(text: str) -> list[Bounds]:
    """The sentences of *text* as (start, end), in order, without surrounding blanks.

    A full stop inside a decimal, a version, a path or an address ends nothing, nor does one after an
    abbreviation. A line break always ends a sentence. The final mark belongs to its sentence.
    """
    found: list[Bounds] = []
    start = 0
    for mark in _TERMINATOR.finditer(text):
        if mark.group().startswith(".") and _is_no_end(text, start, mark):
            continue
        _append(found, text, start, mark.end())
        start = mark.end()
    _append(found, text, start, len(text))
    return found


def clauses(text: str) -> list[Bounds]:
    """The clauses of one sentence as (start, end), without surrounding blanks and joining commas."""
    found: list[Bounds] = []
    start = 0
    for mark in _CLAUSE_MARK.finditer(text):
        _append(found, text, start, mark.start())
        start = mark.end()
    _append(found, text, start, len(text))
    return found


def _append(found: list[Bounds], text: str, start: int, end: int) -> None:
    while start < end and text[start] in _SKIPPED:
        start += 1
    while end > start and text[end - 1] in _SKIPPED:
        end -= 1
    if any(character.isalnum() for character in text[start : min(end, start + 200)]):
        found.append((start, end))


def _is_no_end(text: str, start: int, mark: re.Match[str]) -> bool:
    if len(mark.group()) > 1:
        # "I've got... 11 or so": dots before a small letter or a figure are a pause.
        after = text[mark.end() : mark.end() + 2].strip()
        return bool(after) and (after[0].islower() or after[0].isdigit())
    before = text[max(start, mark.start() - _WORD_WINDOW) : mark.start()]
    if _LIST_MARK.fullmatch(text[start : mark.start()][:8]):
        return True
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    letters = word.group().lower()
    if letters in _ABBREVIATIONS:
        # "at most 5 min." at the very end is an end all the same.
        rest = text[mark.end() : mark.end() + 2].strip()
        return bool(rest) and not (letters in {"no", "min", "max", "sat", "sun", "co"} and rest[:1].isupper())
    if letters == "c" and text[mark.end() : mark.end() + 2].strip()[:1].isdigit():
        return True
    return len(letters) == 1 and (word.start() > 0 and before[word.start() - 1] == ".")
