"""Recognising text that the service itself served, when it comes back in a later turn.

A memory that is injected, repeated by the assistant and distilled again would confirm itself. Served
text is therefore kept as keyed fingerprints, never as words: they survive case, spacing, punctuation
and full-width forms, and without the key they say nothing about what was served.

The method is winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003) over words and Chinese characters.
Embeddings were rejected: a user who says the same thing in their own words is fresh evidence.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Container, Sequence
from typing import Final, NamedTuple

# One window holds five characters of Chinese or three words: the shortest pieces that rarely recur
# by chance. A character weighs 3 and a word 5; a window is full at 15.
_CHARACTER_WEIGHT: Final = 3
_WORD_WEIGHT: Final = 5
_WINDOW_WEIGHT: Final = 15
# Of every two neighbouring windows the smaller fingerprint is kept. That halves what is stored and
# costs at most one unit at each edge of an echo; larger values lose short Chinese sentences.
_WINNOW: Final = 2
# The share of a sentence that must have been served for the sentence to count as an echo.
ECHO_SHARE_MIN: Final = 0.6

_PIECE: Final = re.compile(r"[0-9A-Za-z]+|[\u3400-\u9fff]|[^\x00-\x7f]")
_SENTENCE_END: Final = re.compile(r"[。！？!?；;\n\r\u2028\u2029]+[”’」』\"')）]*|(?<!\.)\.+(?=\s|\Z)")
# Scripts from here on are written without spaces: every character is a unit of its own.
_UNSPACED_FROM: Final = 0x2E80
_FINGERPRINT_BYTES: Final = 8


class _Unit(NamedTuple):
    text: str
    start: int
    end: int
    weight: int


def fingerprints(text: str, *, key: bytes) -> frozenset[int]:
    """The fingerprints to keep of a *text* that is served.

    Args:
        text: What was put into a prompt or answered.
        key: A secret of the installation; other keys give unrelated fingerprints.

    Returns:
        Integers in [0, 2**63); empty for a text shorter than one window.
    """
    hashes = [value for value, _, _ in _windows(_units(text), key)]
    if len(hashes) < _WINNOW:
        return frozenset(hashes)
    return frozenset(min(hashes[at : at + _WINNOW]) for at in range(len(hashes) - _WINNOW + 1))


def windows_of(text: str, *, key: bytes) -> frozenset[int]:
    """Every window's fingerprint: for a *text* that is looked for at once and not kept."""
    return frozenset(value for value, _, _ in _windows(_units(text), key))


def echoed_share(text: str, served: Container[int], *, key: bytes) -> float:
    """How much of *text* stands in what was *served*, in [0, 1]; 0 where it is too short to tell."""
    units = _units(text)
    total = sum(unit.weight for unit in units)
    if not total:
        return 0.0
    covered = _covered(units, served, key)
    return sum(unit.weight for unit, seen in zip(units, covered, strict=True) if seen) / total


def echoed_spans(
    text: str, served: Container[int], *, key: bytes, share_min: float = ECHO_SHARE_MIN
) -> tuple[tuple[int, int], ...]:
    """The sentences of *text* that repeat what was *served*.

    Returns:
        Sorted, disjoint (start, end) character spans; neighbouring echoes are one span.
    """
    units = _units(text)
    covered = _covered(units, served, key)
    found: list[tuple[int, int]] = []
    at = 0
    for start, end in _sentences(text):
        total = echoed = 0
        while at < len(units) and units[at].start < end:
            total += units[at].weight
            echoed += units[at].weight if covered[at] else 0
            at += 1
        if not total or echoed < share_min * total:
            continue
        if found and not text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(found)


def _covered(units: Sequence[_Unit], served: Container[int], key: bytes) -> list[bool]:
    """For every unit, whether some window over it was served."""
    seen = [False] * len(units)
    reach = 0
    for value, first, last in _windows(units, key):
        if value in served:
            for at in range(max(first, reach), last):
                seen[at] = True
            reach = max(reach, last)
    return seen


def _windows(units: Sequence[_Unit], key: bytes) -> list[tuple[int, int, int]]:
    """Every full window as (fingerprint, first unit, unit after the last)."""
    found: list[tuple[int, int, int]] = []
    texts = [unit.text for unit in units]
    weight = last = 0
    for first in range(len(units)):
        while last < len(units) and weight < _WINDOW_WEIGHT:
            weight += units[last].weight
            last += 1
        if weight < _WINDOW_WEIGHT:
            break
        words = "\x1f".join(texts[first:last])
        digest = hmac.digest(key, words.encode("utf-8", "surrogatepass"), "sha256")
        # One bit is dropped so that the number fits the signed integers of every store.
        found.append((int.from_bytes(digest[:_FINGERPRINT_BYTES], "big") >> 1, first, last))
        weight -= units[first].weight
    return found


def _units(text: str) -> list[_Unit]:
    """The words and characters of *text*, folded, with where they stood."""
    units: list[_Unit] = []
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        if _is_plain_han(piece.group()):
            units.append(_Unit(piece.group(), start, end, _CHARACTER_WEIGHT))
            continue
        for character in _folded(piece.group()):
            unspaced = ord(character[0]) >= _UNSPACED_FROM
            previous = units[-1] if units else None
            if (
                previous is not None
                and previous.end == start
                and not unspaced
                and ord(previous.text[0]) < _UNSPACED_FROM
            ):
                units[-1] = _Unit(previous.text + character, previous.start, end, _WORD_WEIGHT)
            else:
                units.append(_Unit(character, start, end, _CHARACTER_WEIGHT if unspaced else _WORD_WEIGHT))
    return units


def _is_plain_han(piece: str) -> bool:
    """Whether *piece* is one unified ideograph, which no folding changes."""
    return len(piece) == 1 and "\u4e00" <= piece <= "\u9fff"


def _folded(piece: str) -> list[str]:
    """The letters and digits that *piece* reads as: an ASCII run stays whole, a full-width one joins it."""
    if piece.isascii():
        return [piece.lower()]
    decomposed = unicodedata.normalize("NFKD", piece).casefold()
    kept = [character for character in decomposed if character.isalnum()]
    return ["".join(kept)] if kept and all(ord(character) < _UNSPACED_FROM for character in kept) else kept


def _sentences(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = 0
    for mark in _SENTENCE_END.finditer(text):
        found.append((start, mark.end()))
        start = mark.end()
    found.append((start, len(text)))
    trimmed = [(first + len(text[first:last]) - len(text[first:last].lstrip()), last) for first, last in found]
    return [(first, last) for first, last in trimmed if first < last]
