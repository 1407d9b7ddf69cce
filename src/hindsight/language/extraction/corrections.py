"""Corrections inside the stretch: what the user took back, and what stands instead.

A correction must share its topic with what it corrects and differ from it in a value (a number, a
day, a month, a product): shared words alone would let every second sentence correct the first.
Ordinals ("the third rule") point and are no values.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.extraction.cues import LATIN_IN_CHINESE, PRODUCT
from hindsight.language.extraction.units import Unit
from hindsight.language.sentences import Bounds, clauses

# A correction comes soon after its error; further back, the same numbers mean other things.
_REACH_UNITS: Final = 14

_CORRECTS: Final = re.compile(
    r"\b(?:(?:no )?wait(?: no)?|sorry|actually|correction|i mean(?:t)?|i misspoke|scratch that|"
    r"my mistake|my bad|typo|i forgot|, forgot|"
    r"make (?:it|that|the \w+)|change (?:it|that|the \w+)|moved to|instead of|rather than|not \S+ but|"
    r"is dead|that'?s wrong|no longer)\b|"
    r"不对|等等|等一下|等下|说错|记岔|记错|搞错|写错|口误|弄错|更正|纠正|应该是|改成|改为|换成|其实是|"
    r"不是.{1,12}[，,]?(?:而)?是|更准确",
    re.IGNORECASE,
)
_TAKES_BACK: Final = re.compile(
    r"\b(?:ignore (?:that|what i (?:just )?said)|never ?mind (?:that|what i)|take that back|"
    r"disregard (?:that|what))\b|"
    r"当我没说|刚才(?:那句|那个|说的)(?:不算|作废|收回)|收回(?:刚才|前面|那)|那句(?:不算|作废)|划掉(?:刚才|前面|那)",
    re.IGNORECASE,
)
_SUBSTITUTES: Final = re.compile(
    r"改成|改为|换成|调(?:整)?(?:成|到|为)|\b(?:make|change|move|bump|lower|raise|set)\b.{0,40}\b", re.IGNORECASE
)
_ORDINAL: Final = re.compile(
    r"第[一二三四五六七八九十]+(?=[条点个项])|\b(?:first|second|third|fourth|fifth)\b|\b(?:rule|point|"
    r"item) (\d)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d+(?:[.:]\d+)*|"
    r"(?<![第星期周])[一二两三四五六七八九十百千]{1,4}(?=[个只天次年岁点块元千万分小人名座台月级号行条周%])|"
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty)\b",
    re.IGNORECASE,
)
_DAY: Final = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?\b|(?:周|星期|"
    r"礼拜)[一二三四五六日天末]",
    re.IGNORECASE,
)
_MONTH: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\b|(?:\d{1,2}|"
    r"[一二三四五六七八九十]+)月",
    re.IGNORECASE,
)
_STOP: Final = frozenset(
    "the a an and or but for with from that this these those what which who have has had was were "
    "are is been be it its to of in on at by as "
    "not now wait sorry actually make change just also can could would should will you your my our "
    "we they them there here one forgot only okay "
    "mean meant thing dead then than".split()
)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'-]{2,}")
_HAN_RUN: Final = re.compile(r"[\u3400-\u9fff]{2,}")
_ZH_STOP: Final = frozenset(
    "我们 你们 他们 这个 那个 刚才 等等 说错 就是 不是 应该 现在 一下 可以 不对 错了 是每 了我 我刚 刚说".split()
)


def corrects(text: str) -> bool:
    """Whether *text* reads as taking an earlier word back in favour of another."""
    return bool(_CORRECTS.search(text))


def takes_back(text: str) -> bool:
    """Whether *text* withdraws what was just said without saying anything instead."""
    return bool(_TAKES_BACK.search(text))


def values_in(text: str) -> dict[str, frozenset[str]]:
    """The comparable values of *text* by kind; ordinals are none."""
    plain = _ORDINAL.sub(" ", text)
    months = frozenset(found.group().lower() for found in _MONTH.finditer(plain))
    return {
        "number": frozenset(found.group().lower() for found in _NUMBER.finditer(_MONTH.sub(" ", plain))),
        "day": frozenset(found.group().lower()[:3].rstrip("s") for found in _DAY.finditer(plain)),
        "month": frozenset(month[:3] for month in months),
        "product": frozenset(
            found.group().lower()
            for pattern in (PRODUCT, LATIN_IN_CHINESE if _HAN_RUN.search(plain) else PRODUCT)
            for found in pattern.finditer(plain)
        ),
    }


def content_words(text: str) -> set[str]:
    """The words of *text* that carry its topic: English words and Chinese character pairs."""
    words = {word.lower().rstrip("s") for word in _WORD.findall(text) if word.lower() not in _STOP}
    for run in _HAN_RUN.findall(text):
        words.update(run[at : at + 2] for at in range(len(run) - 1))
    return words - _ZH_STOP


def corrected_pieces(correction: Unit, earlier: list[Unit]) -> list[tuple[Unit, Bounds]]:
    """The clauses of *earlier* units that *correction* replaces, nearest first."""
    new_values = values_in(correction.text)
    new_words = content_words(correction.text)
    found: list[tuple[Unit, Bounds]] = []
    for unit in reversed(earlier[-_REACH_UNITS:]):
        for piece in unit.pieces:
            text = unit.turn.content[piece[0] : piece[1]]
            if _replaces(new_values, new_words, text, same_turn=unit.position == correction.position):
                found.append((unit, piece))
    return found


def _replaces(new: dict[str, frozenset[str]], words: set[str], text: str, *, same_turn: bool) -> bool:
    old = values_in(text)
    differs = any(new[kind] and old[kind] and not old[kind] <= new[kind] for kind in ("number", "day", "month")) or any(
        new[kind] & old[kind] and new[kind] - old[kind] for kind in ("number", "day")
    )
    shared = words & content_words(text)
    hans = sum(1 for word in shared if not word.isascii())
    related = len(shared) - hans >= 1 or hans >= 2 or (hans >= 1 and same_turn)
    if differs and (related or bool(new["month"] & old["month"])):
        return True
    # "iOS 13" to "iOS 16": the product is the topic and its number differs.
    return bool(new["product"] & old["product"] and new["number"] and old["number"] and new["number"] != old["number"])


def substituted(correction: Unit, earlier: list[Unit]) -> tuple[Unit, str] | None:
    """For "make the third one 80": the unit it points at and its text with the new number.

    None when it points at nothing, or when either side has more than one number to choose from.
    """
    text = correction.text
    if not _SUBSTITUTES.search(text):
        return None
    ordinal = _ORDINAL.search(text)
    fresh = [found.group() for found in _NUMBER.finditer(_ORDINAL.sub(lambda m: " " * len(m.group()), text))]
    if not fresh:
        return None
    for unit in reversed(earlier):
        body = unit.whole
        if ordinal and ordinal.group().lower() in body[:12].lower():
            return _with_number(unit, body, fresh[0])
    if ordinal:
        return None
    words = content_words(text)
    for unit in reversed(earlier[-_REACH_UNITS:]):
        body = unit.text
        if words & content_words(body) and (swapped := _with_number(unit, body, fresh[0])):
            return swapped
    return None


def _with_number(unit: Unit, body: str, number: str) -> tuple[Unit, str] | None:
    old = list(_NUMBER.finditer(_ORDINAL.sub(lambda m: "\x00" * len(m.group()), body)))
    if len(old) != 1 or old[0].group() == number:
        return None
    return unit, body[: old[0].start()] + number + body[old[0].end() :]


def drop_piece(unit: Unit, piece: Bounds) -> None:
    """Take one clause out of *unit*; a unit that loses its last one was corrected away."""
    unit.pieces = [kept for kept in unit.pieces if kept != piece]
    if not unit.pieces and unit.reason is None:
        unit.reason = "corrected"


def split_pieces(unit: Unit) -> None:
    """Make every clause a piece of its own, so that one can be taken out."""
    content = unit.turn.content
    unit.pieces = [
        (outer + start, outer + end) for outer, stop in unit.pieces for start, end in clauses(content[outer:stop])
    ]
