"""Reading what a model answered: JSON as it should be, and JSON as it comes.

Models wrap their answer in fences, think aloud before it, stop in the middle, give a text where a
number belongs. Whatever is whole is read; a strict parser would throw good memories away with bad ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from hindsight.domain.errors import ModelOutputInvalid

# More memories from one request than this are a loop, not an answer.
MEMORIES_MAX: Final = 100
EVIDENCE_MAX: Final = 8
_THINKING: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_BEGUN: Final = re.compile(r'"memories"\s*:\s*\[')
_DECODER: Final = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Cited:
    """A turn that the model names, and what it says stands there."""

    turn_index: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A memory as the model gave it, of the right types and checked for nothing else."""

    key: str
    value: str
    category: str
    cited: tuple[Cited, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class Claims:
    """What one answer holds. ``unreadable`` counts entries of wrong types; ``cut`` says that it stopped early."""

    claims: tuple[Claim, ...]
    unreadable: int
    cut: bool


def read_claims(text: str) -> Claims:
    """The memories in a model's answer.

    Raises:
        ModelOutputInvalid: It holds no list of memories at all: a refusal, silence, rubbish.
    """
    entries, cut = _entries(_THINKING.sub("", text))
    claims: list[Claim] = []
    unreadable = 0
    for entry in entries[:MEMORIES_MAX]:
        claim = _claim(entry)
        if claim is None:
            unreadable += 1
        elif claim not in claims:
            claims.append(claim)
    return Claims(tuple(claims), unreadable, cut)


def _entries(text: str) -> tuple[list[object], bool]:
    """The list of memories in *text*, and whether it breaks off."""
    for start in _openings(text):
        try:
            found, _ = _DECODER.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            continue
        entries = _listed(found)
        if entries is not None:
            return entries, False
    begun = _BEGUN.search(text)
    if begun is None:
        raise ModelOutputInvalid("the model's answer holds no JSON with memories", code="model_output_invalid")
    return list(_whole_objects(text, begun.end())), True


# Prose before the answer may hold braces of its own; beyond this many it is no answer.
_OPENINGS_MAX: Final = 20


def _openings(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"[{\[]", text)][:_OPENINGS_MAX]


def _listed(found: object) -> list[object] | None:
    if isinstance(found, dict):
        memories = cast("dict[str, object]", found).get("memories")
        return cast("list[object]", memories) if isinstance(memories, list) else None
    if isinstance(found, list):
        entries = cast("list[object]", found)
        return entries if entries and all(isinstance(entry, dict) and "value" in entry for entry in entries) else None
    return None


def _whole_objects(text: str, start: int) -> Iterator[object]:
    """The complete objects of a list that breaks off."""
    at = start
    while (at := text.find("{", at)) >= 0:
        try:
            found, at = _DECODER.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            return
        yield found


def _claim(entry: object) -> Claim | None:
    if not isinstance(entry, dict):
        return None
    fields = cast("Mapping[str, Any]", entry)
    key, value, category = fields.get("key"), fields.get("value"), fields.get("category")
    if not isinstance(key, str) or not isinstance(value, str) or not isinstance(category, str):
        return None
    cited = tuple(_cited(fields.get("evidence")))
    confidence = _number(fields.get("confidence", 1.0))
    if not cited or confidence is None or not all(map(_is_unicode, (key, value, *(c.quote for c in cited)))):
        return None
    return Claim(
        key=key.strip(), value=value.strip(), category=category.strip().lower(), cited=cited, confidence=confidence
    )


def _cited(evidence: object) -> Iterator[Cited]:
    items = cast("list[object]", evidence if isinstance(evidence, list) else [evidence])
    for item in items[:EVIDENCE_MAX]:
        if not isinstance(item, dict):
            continue
        fields = cast("Mapping[str, Any]", item)
        turn, quote = _number(fields.get("turn")), fields.get("quote")
        if turn is not None and turn == int(turn) and isinstance(quote, str):
            yield Cited(int(turn), quote)


def _number(value: object) -> float | None:
    """A number, also one that came as text; None for what is none, or is beyond any use."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < _NUMBER_MAX else None


_NUMBER_MAX: Final = 1e9


def _is_unicode(text: str) -> bool:
    """Whether *text* can be stored: no lone surrogate, no NUL."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
