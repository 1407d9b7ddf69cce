"""Whether a sentence that somebody else wrote about a conversation stands on what was said there.

A language model paraphrases, and what it invents reads as well as what it read. What can be checked
without judging is checked: that the quote stands in the turn, that every number of the sentence was
said there or is the date of a time word, and that every name written in Latin letters was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, date, timedelta, tzinfo
from functools import lru_cache
from typing import Final

from hindsight.domain.conversation import Turn
from hindsight.language.dayspans import Prefer
from hindsight.language.relation.quantities import numeral
from hindsight.language.sentences import Bounds
from hindsight.language.timewords import mentions

# A shorter quote ("yes", 好) stands everywhere and shows nothing on its own.
QUOTE_CHARACTERS_MIN: Final = 2
# What a quote may be wrapped in or lose when it is copied.
_WRAPPING: Final = " \t\r\n\"'“”‘’「」『』`.…。"
_FIGURES: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_HAN_NUMERAL: Final = re.compile(r"[零〇一二两三四五六七八九十百千万]+")
_ENGLISH_NUMERAL: Final = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|"
    r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b",
    re.IGNORECASE,
)
_WEEK_DAYS: Final = 7
_READINGS: Final[tuple[Prefer, ...]] = ("nearest", "future", "past")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
# Capitals that a sentence about the user brings along without naming anything.
_PLAIN_CAPITALS: Final = frozenset(
    "user i monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december utc".split()
)


def find_quote(content: str, quote: str) -> Bounds | None:
    """Where *quote* stands in *content*, or None.

    Case, width, kinds of quotation marks and runs of white space may differ, words may not.
    """
    bare = quote.strip(_WRAPPING)
    if len(bare) < QUOTE_CHARACTERS_MIN:
        return None
    at = content.find(bare)
    if at >= 0:
        return at, at + len(bare)
    plain, offsets = _plain(content)
    wanted, _ = _plain(bare)
    at = plain.find(wanted) if wanted else -1
    if at < 0:
        return None
    return offsets[at], offsets[at + len(wanted) - 1] + 1


@lru_cache(maxsize=64)
def _plain(text: str) -> tuple[str, tuple[int, ...]]:
    """*text* for comparison, and for each of its characters the place it comes from."""
    kept: list[str] = []
    offsets: list[int] = []
    for place, character in enumerate(text):
        for folded in unicodedata.normalize("NFKC", character).casefold():
            if folded.isspace():
                if kept and kept[-1] == " ":
                    continue
                folded = " "
            elif folded in "“”「」『』":
                folded = '"'
            elif folded in "‘’":
                folded = "'"
            kept.append(folded)
            offsets.append(place)
    return "".join(kept), tuple(offsets)


def unsupported(value: str, turns: Sequence[Turn], zone: tzinfo | None = None) -> str | None:
    """What in *value* was not said in *turns*: ``number``, ``name``, or None where all of it was.

    Dates that time words of the turns mean, seen from when they were said, count as said. Numbers may
    change their spelling (三 for 3, 1,000 for 1000), and one is no number: it is an article too often.
    """
    said = " ".join(turn.content for turn in turns)
    dates = [date for turn in turns for date in _parts_of_dates(turn, zone)]
    days = [_parts(turn.at.astimezone(zone or UTC).date()) for turn in turns]
    years = {turn.at.astimezone(zone or UTC).year for turn in turns}
    known = {_figure(match) for match in _figures(said)} | set(_numerals(said))
    for figure in _figures(value):
        if _figure(figure) in known:
            continue
        groups = {int(group) for group in re.findall(r"\d+", figure)}
        # A day of the month alone is too small a number to count as the day of the talk.
        written_out = len(groups) > 1 or groups <= years
        if not any(groups <= date for date in (*dates, *(days if written_out else ()))):
            return "number"
    spelled = {int(figure) for figure in known if figure.isdigit()} | {part for date in dates for part in date}
    if any(int(number) not in spelled for number in _numerals(value) if number != "1"):
        return "number"
    return "name" if _strange_name(value, said) else None


def _figures(text: str) -> Iterator[str]:
    return (match.group() for match in _FIGURES.finditer(unicodedata.normalize("NFKC", text)))


def _figure(text: str) -> str:
    """A written number as it compares: no thousands' commas, no leading zeros."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", text):
        text = text.replace(",", "")
    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


def _numerals(text: str) -> Iterator[str]:
    """Numbers in words, as digits."""
    for pattern in (_HAN_NUMERAL, _ENGLISH_NUMERAL):
        for match in pattern.finditer(text):
            number = numeral(match.group())
            if number is not None and number == int(number):
                yield str(int(number))


def _parts_of_dates(turn: Turn, zone: tzinfo | None) -> list[frozenset[int]]:
    """Year, month and day of each day that the turn's time words mean."""
    local = zone or UTC
    days: list[date] = []
    for prefer in _READINGS:
        for time in mentions(turn.content, turn.at, zone, prefer=prefer):
            first, last = time.first.astimezone(local).date(), time.last.astimezone(local).date()
            days += [first, last]
            # "Next week" may be told as any of its days.
            days += [first + timedelta(days=step) for step in range(1, min((last - first).days, _WEEK_DAYS))]
    return [_parts(day) for day in days]


def _parts(day: date) -> frozenset[int]:
    return frozenset({day.year, day.month, day.day})


def _strange_name(value: str, said: str) -> bool:
    """Whether *value* holds a Latin name that was not said: any word in Chinese, a capital one in English."""
    plain = unicodedata.normalize("NFKC", said)
    known = {match.group().casefold() for match in _NAME.finditer(plain)} | _PLAIN_CAPITALS
    chinese = bool(_HAN.search(value))
    value = unicodedata.normalize("NFKC", value)
    for match in _NAME.finditer(value):
        word = match.group()
        opens = match.start() == 0 or value[: match.start()].rstrip().endswith((".", "!", "?", ":"))
        named = chinese or (word[0].isupper() and not opens) or any(c.isdigit() or c.isupper() for c in word[1:])
        if named and word.casefold() not in known and not _inflected(word.casefold(), known):
            return True
    return False


def _inflected(word: str, known: set[str]) -> bool:
    """Whether *word* is another form of a word that was said: "Germans" of "German"."""
    return any(word == other + end or other == word + end for other in known for end in ("s", "es", "n"))
