"""Seeing through disguised text, so that a guard reads what a person or a model would read.

Zero-width marks, tag characters, HTML entities, full-width letters and look-alikes from other
scripts hide a word from a pattern and from nobody else. Guards match on the unmasked text and
report positions in the original: rewriting what is stored was rejected, since evidence is verbatim.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

# Format characters that show nothing (soft hyphen, joiners, directions, variation selectors, tags).
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e01ef"
)
# Runs that normalisation leaves alone; the long way is taken only for what is left.
_PLAIN = re.compile(r"[\x00-\x25\x27-\x7f\u3001-\u301f\u4e00-\u9fff]+")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_IS_INVISIBLE = re.compile(f"[{_INVISIBLE}]")
_TAGGED = re.compile("[\U000e0020-\U000e007f]{2,}")
# Longer chains of combining marks are decoration ("zalgo"); the limit keeps one cluster small.
_CLUSTER_MAX: Final = 16

_LOOKALIKES: Final = str.maketrans(
    "асеорхуіјѕһԁԛԝьвкмнтАВСЕНІЈКМОРЅТУХԌԚԜαεικνορτυχϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹıɑɡ",
    "aceopxyijshdqwbbkmhtABCEHIJKMOPSTYXGQWaeikvoptuxcABEZHIKMNOPTYXCiag",
)
_WORD = re.compile("[A-Za-z\u0131\u0251\u0261\u0370-\u03ff\u0400-\u052f]{2,}")
_ASCII_LETTER = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Unmasked:
    """Plain text and where each of its characters stood.

    ``offsets`` has one entry more than ``text``: ``offsets[i]`` is the original position of character
    *i*, and the last entry is the original length.
    """

    text: str
    offsets: tuple[int, ...] | range

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The original span of ``text[start:end]``, with any invisible characters inside or right after."""
        return self.offsets[start], self.offsets[end]


def unmask(text: str) -> str:
    """*text* as it is read: compatibility forms folded, the invisible removed, entities decoded.

    Look-alike letters are folded only in words that mix scripts or are made of nothing else, so that
    a Greek symbol or a Russian word stays what it is. The result is for matching, never for storing.
    """
    return unmask_with_offsets(text).text


def unmask_with_offsets(text: str) -> Unmasked:
    """The same as `unmask`, with the way back to positions in *text*."""
    if text.isascii() and "&" not in text:
        return Unmasked(text, range(len(text) + 1))
    pieces: list[str] = []
    offsets: list[int] = []
    position = 0
    while position < len(text):
        plain = _PLAIN.match(text, position)
        if plain is not None and not _is_combining(text, plain.end()):
            pieces.append(plain.group())
            offsets.extend(range(position, plain.end()))
            position = plain.end()
            continue
        if plain is not None and plain.end() - 1 > position:
            pieces.append(text[position : plain.end() - 1])
            offsets.extend(range(position, plain.end() - 1))
            position = plain.end() - 1
        piece, following = _one_cluster(text, position)
        pieces.append(piece)
        offsets.extend([position] * len(piece))
        position = following
    offsets.append(len(text))
    return Unmasked(_fold_lookalikes("".join(pieces)), tuple(offsets))


def invisible_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where *text* holds words written in tag characters: a model reads them and a person does not."""
    return tuple(match.span() for match in _TAGGED.finditer(text))


def _is_combining(text: str, position: int) -> bool:
    return position < len(text) and unicodedata.combining(text[position]) != 0


def _one_cluster(text: str, start: int) -> tuple[str, int]:
    """One character with its combining marks, or one entity, as it reads; and where the next begins."""
    character = text[start]
    if character == "&":
        entity = _ENTITY.match(text, start)
        if entity is not None:
            return _without_invisible(html.unescape(entity.group())), entity.end()
    end = start + 1
    while end - start < _CLUSTER_MAX and _is_combining(text, end):
        end += 1
    return _without_invisible(unicodedata.normalize("NFKC", text[start:end])), end


def _without_invisible(text: str) -> str:
    return _IS_INVISIBLE.sub("", text)


def _fold_lookalikes(text: str) -> str:
    return text if text.isascii() else _WORD.sub(_fold_word, text)


def _fold_word(match: re.Match[str]) -> str:
    word = match.group()
    folded = word.translate(_LOOKALIKES)
    if _ASCII_LETTER.search(word) or folded.isascii():
        return folded
    return word
