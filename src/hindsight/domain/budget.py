"""How many tokens a text takes at most, without the caller's tokenizer.

The bound must not be passed by any tokenizer in use, so it is generous: byte-level tokenizers spend
up to one token a byte on a Chinese character (three), older ones split digits and marks one by one,
and a rare word costs about three tokens for four letters.
"""

from __future__ import annotations

import math
import re
from typing import Final

LETTERS_PER_TOKEN: Final = 4 / 3
_PIECES = re.compile(r"[A-Za-z]+| (?=[A-Za-z])|[^A-Za-z]")


def tokens_at_most(text: str) -> int:
    """A number of tokens that *text* does not exceed, whatever common tokenizer reads it."""
    total = 0
    for match in _PIECES.finditer(text):
        piece = match.group()
        if piece.isascii() and piece.isalpha():
            total += math.ceil(len(piece) / LETTERS_PER_TOKEN)
        elif piece != " " or not text[match.end() : match.end() + 1].isalpha():
            total += len(piece.encode("utf-8", "surrogatepass"))
    return total
