"""Which of a text's words stand in one text and not in another: what an erasure asks of what stays."""

from __future__ import annotations

import re
from typing import Final

from hindsight.language import terms
from hindsight.language.stems import STOP_WORDS

_RUN: Final = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+")
# Shorter words ("at", "we") say nothing of what was erased.
_LATIN_LETTERS_MIN: Final = 3


def only_in(text: str, gone: str, left: str) -> bool:
    """Whether *text* holds a word, or two Chinese characters in a row, from *gone* that *left* does not hold."""
    return bool((_telling(text) & _telling(gone)) - _telling(left))


def shared_spans(text: str, other: str) -> list[tuple[int, int]]:
    """Where *text* repeats telling words of *other*, as sorted (start, end): whole words, or runs of Chinese."""
    found: list[tuple[int, int]] = []
    lowered = other.casefold()
    words = set(_RUN.findall(lowered))
    for run in _RUN.finditer(text):
        piece = run.group().casefold()
        if len(piece) != len(run.group()):
            continue
        if "\u3400" <= piece[0] <= "\u9fff":
            pairs = [at for at in range(len(piece) - 1) if piece[at : at + 2] in lowered]
            found.extend((run.start() + at, run.start() + at + 2) for at in pairs)
        elif len(piece) >= _LATIN_LETTERS_MIN and piece not in STOP_WORDS and piece in words:
            found.append(run.span())
    return found


def telling_pieces(text: str) -> frozenset[str]:
    """The words of *text* that tell something, in lower case; of Chinese every two characters in a row."""
    pieces: set[str] = set()
    for run in _RUN.findall(text.casefold()):
        if "\u3400" <= run[0] <= "\u9fff":
            pieces.update(run[at : at + 2] for at in range(len(run) - 1))
        elif len(run) >= _LATIN_LETTERS_MIN and run not in STOP_WORDS:
            pieces.add(run)
    return frozenset(pieces)


def _telling(text: str) -> set[str]:
    return {
        term
        for term in terms.tokens(text)
        if term not in STOP_WORDS and (len(term) > 1 or term.isdigit() or ord(term) > 0xFFFF)
    }
