"""Which of the two languages a text is in."""

from __future__ import annotations

import re

from hindsight.domain.memory import Language

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_LATIN_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")


def language_of(text: str) -> Language:
    """The language *text* is written in: ``zh`` as soon as Chinese carries it, else ``en``.

    Code-mixed Chinese ("用 uv 装 requirements") is Chinese: a Chinese character carries about as much
    as a word, so Chinese wins when its characters outnumber half the Latin words.
    """
    han = len(_HAN.findall(text))
    if han == 0:
        return "en"
    return "zh" if han * 2 >= len(_LATIN_WORD.findall(text)) else "en"
