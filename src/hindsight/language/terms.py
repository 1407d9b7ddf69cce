"""What a text is found by: its terms, the same for what is stored and for what is asked.

Chinese goes in as character bigrams: words from a segmenter found less (dialogue memories, R@5 39
against 50), because the question and the memory are cut differently. Single characters go in too, so
that a question of one character is answered. English is stemmed. Whatever looks like code goes in whole
and in parts. Stop words are stored as well: a question made of nothing else must still find its text.
"""

from __future__ import annotations

import re
import struct
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from operator import add
from typing import Any, Final, cast

import opencc

from hindsight.language.stems import STOP_WORDS, stem

TERMS_VERSION: Final = 1
"""Raised whenever the same text would give other terms: stored terms must then be made again."""

# A blob is one uint32 for the length and one for each term: 28 bits of hash, 4 of frequency.
# Two of 100,000 distinct terms meet in 28 bits with a chance of 4 in 10,000 a query term.
HASH_BITS: Final = 28
FREQUENCY_BITS: Final = 4
FREQUENCY_MAX: Final = (1 << FREQUENCY_BITS) - 1

_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
# Letters, digits and the marks that join them in names, paths, numbers and code.
_JOINED = r"0-9A-Za-z_\-./\\:@#+&'*=~$%"
_HAS_HAN = re.compile(f"[{_HAN}]")
_PIECE = re.compile(
    r"(?P<dated>\d+[年月日号点])"
    rf"|(?P<han>[{_HAN}]+)"
    rf"|(?P<latin>(?:[{_JOINED}]++|[^\W\x00-\x7f{_HAN}])+)"
    r"|(?P<symbol>[^\s\w])"
)
# The same for what holds no other letters, in half the time.
_ASCII_PIECE = re.compile(rf"([{_JOINED}]+)|([^\s\w])")
_PARTS = re.compile(r"[^\W_]+")
_UNIT = re.compile(r"(\d+)([^\W\d_]+)|([^\W\d_]+)(\d+)")
_EDGES: Final = "-./\\:@&'*=~$%"
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "′": "'"})
_CODE_CHARACTERS_MAX: Final = 200
_CACHED_CHARACTERS_MAX: Final = 24
# Punctuation that says nothing even when a question holds nothing else.
_MUTE: Final = frozenset("，。！？、；：（）《》「」『』【】…—·.,!?;:()[]{}")

_HAN_DIGITS: Final = {d: i for i, d in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_DATED = re.compile("([一二三四五六七八九十]{1,3})([月日号点])")

# Characters that carry grammar rather than matter: a bigram of two of them is no reason to match.
_HAN_EMPTY: Final = frozenset(
    "的了吗呢吧啊呀么嘛哦噢是在有和与或就都也还又很太最更把被给让对向从到于我你他她它们您咱这那哪谁"
    "什怎几多少个些每会能可以要想得着过没不为因所但而且如果么样时候次"
)
_HAN_STOP: Final = frozenset(
    "什么 怎么 怎样 哪些 哪里 哪个 哪位 多少 几个 是否 有没 没有 可以 我们 你们 他们 她们 自己 这个 那个 "
    "这些 那些 一个 一些 时候 为什 因为 所以 如何 请问 是什 么时 了什 的是 分别 以及 进行 具体 主要".split()
)


@lru_cache(maxsize=1)
def _simplifier() -> Callable[[str], str]:
    return cast(Any, opencc.OpenCC("t2s")).convert


def normalise(text: str) -> str:
    """*text* in the one form that is compared: NFKC, lower case, simplified Chinese, nothing invisible.

    Full-width letters and digits become plain ones. A lone surrogate becomes U+FFFD.
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    plain = unicodedata.normalize("NFKC", _SURROGATE.sub("\ufffd", text)).casefold()
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", plain)).translate(_APOSTROPHES)
    return _simplifier()(plain) if _HAS_HAN.search(plain) else plain


def tokens(text: str) -> list[str]:
    """The terms of a text to be found, in order, with repeats and stop words."""
    found: list[str] = []
    for kind, piece in _pieces(text):
        if kind == "latin":
            found.extend(_latin_terms(piece))
        elif kind == "han":
            found.extend(piece)
            found.extend(map(add, piece, piece[1:]))
        elif piece not in _MUTE:
            found.append(piece)
    return found


def query_tokens(text: str) -> list[str]:
    """The terms of a question, each once: without stop words, unless nothing else is left."""
    strong: dict[str, None] = {}
    weak: dict[str, None] = {}
    for kind, piece in _pieces(text):
        if kind == "han":
            _han_query(piece, strong, weak)
        elif kind == "latin":
            for term in _latin_terms(piece):
                plain = term in STOP_WORDS or (piece in STOP_WORDS and term in piece)
                (weak if plain else strong).setdefault(term)
        elif kind == "dated":
            strong.setdefault(piece)
        elif piece not in _MUTE:
            # An emoji is a word; a lone quotation mark or asterisk is one only in want of others.
            (strong if unicodedata.category(piece) == "So" else weak).setdefault(piece)
    return list(strong or weak)


def _han_query(run: str, strong: dict[str, None], weak: dict[str, None]) -> None:
    if len(run) == 1:
        (weak if run in _HAN_EMPTY else strong).setdefault(run)
        return
    for i in range(len(run) - 1):
        pair = run[i : i + 2]
        empty = pair in _HAN_STOP or (pair[0] in _HAN_EMPTY and pair[1] in _HAN_EMPTY)
        (weak if empty else strong).setdefault(pair)


def _pieces(text: str) -> list[tuple[str, str]]:
    plain = normalise(text)
    if plain.isascii():
        return [
            ("latin", piece if piece.isalnum() else piece.strip(_EDGES) or piece) if piece else ("symbol", symbol)
            for piece, symbol in _ASCII_PIECE.findall(plain)
        ]
    if _HAS_HAN.search(plain):
        plain = _HAN_DATED.sub(_digits_of_date, plain)
    pieces: list[tuple[str, str]] = []
    for dated, han, latin, symbol in _PIECE.findall(plain):
        if han:
            pieces.append(("han", han))
        elif latin:
            pieces.append(("latin", latin.strip(_EDGES) or latin))
        elif dated:
            pieces.append(("dated", dated.lstrip("0").replace("号", "日") or dated))
        else:
            pieces.append(("symbol", symbol))
    return pieces


def _digits_of_date(match: re.Match[str]) -> str:
    digits = match.group(1)
    tens, ten, units = digits.rpartition("十") if "十" in digits else ("", "", digits)
    if len(tens) > 1 or len(units) > 1:
        return match.group()
    value = (_HAN_DIGITS.get(tens, 1) * 10 if ten else 0) + _HAN_DIGITS.get(units, 0)
    return f"{value}{match.group(2)}"


def _latin_terms(piece: str) -> tuple[str, ...]:
    """One run of letters, digits and joining marks: whole where it reads as code, and its words."""
    # A long run is code or data that is seldom met again.
    return _cached_latin_terms(piece) if len(piece) <= _CACHED_CHARACTERS_MAX else tuple(_cut_latin(piece))


@lru_cache(maxsize=65_536)
def _cached_latin_terms(piece: str) -> tuple[str, ...]:
    return tuple(_cut_latin(piece))


def _cut_latin(piece: str) -> list[str]:
    parts = _PARTS.findall(piece)
    if not parts:
        return [piece] if piece else []
    if len(parts) == 1 and parts[0] == piece:
        return [_word(piece), *_mixed_parts(piece)]
    if piece.count("'") == 1 and len(parts) == 2 and piece.replace("'", "").isalpha():
        return [piece] if len(parts[1]) < 3 and piece in STOP_WORDS else [piece, _word(parts[0])]
    terms = [piece[:_CODE_CHARACTERS_MAX]]
    for part in parts:
        terms.append(_word(part))
        terms.extend(_mixed_parts(part))
    return terms


def _word(part: str) -> str:
    folded = part
    if not part.isascii():
        decomposed = unicodedata.normalize("NFKD", part)
        folded = "".join(c for c in decomposed if not unicodedata.combining(c)) or part
    return folded if folded in STOP_WORDS else stem(folded)


def _mixed_parts(part: str) -> list[str]:
    """The letters and the digits of ``5kg``, ``7th`` or ``v3``, which are also written apart."""
    match = _UNIT.fullmatch(part)
    return [stem(piece) for piece in match.groups() if piece] if match else []


def hash_of(term: str) -> int:
    """The number under which *term* is packed."""
    return zlib.crc32(term.encode("utf-8")) >> (32 - HASH_BITS)


@lru_cache(maxsize=262_144)
def _packed(term: str) -> tuple[int, bool]:
    """The term's hash in its place, and whether it makes its text longer.

    Stop words, single characters and marks do not.
    """
    longer = (len(term) > 1 or term.isdigit()) and term not in STOP_WORDS
    return hash_of(term) << FREQUENCY_BITS, longer


def pack(text: str, day: datetime | None = None) -> bytes:
    """The terms of *text* as a store keeps them: little-endian uint32, the length, then the terms.

    *day* adds the terms by which people name that date.

    Empty only where *text* has no term at all. A frequency above 15 is kept as 15: BM25 has long
    stopped counting there.
    """
    counts = Counter(tokens(text))
    if day is not None:
        counts.update(_date_terms(day.year, day.month, day.day))
    if not counts:
        return b""
    length = 0
    packed: list[int] = []
    for term, count in counts.items():
        number, longer = _packed(term)
        packed.append(number | (count if count < FREQUENCY_MAX else FREQUENCY_MAX))
        if longer:
            length += count
    packed.sort()
    return struct.pack(f"<{len(packed) + 1}I", length, *packed)


def memory_text(key: str, value: str) -> str:
    """What a memory is found by."""
    return f"{key.replace('_', ' ')}\n{value}" if "_" in key else f"{key}\n{value}"


def turn_text(name: str | None, content: str) -> str:
    """What a turn is found by beside its date: its speaker and its words."""
    return f"{name}: {content}" if name else content


def episode_text(user_said: str, agent_did: str, conclusion: str, entities: str) -> str:
    """What an episode is found by beside its date."""
    return "\n".join(part for part in (user_said, agent_did, conclusion, entities) if part)


_MONTHS: Final = "january february march april may june july august september october november december".split()


@lru_cache(maxsize=4_096)
def _date_terms(year: int, month: int, day: int) -> tuple[str, ...]:
    """The date as people write it in either language."""
    return tuple(tokens(f"{day} {_MONTHS[month - 1]} {year} {year}年{month}月{day}日"))
