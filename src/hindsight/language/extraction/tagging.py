"""Words with their part of speech, for telling Chinese names from other words.

The tagger takes UTF-8 only, so a lone surrogate is replaced first, one character for one.
"""

from __future__ import annotations

import re

import rjieba

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def tagged(text: str) -> list[tuple[str, str]]:
    """The words of *text* in order, each with its tag (``ns`` place, ``nr`` person, ``n`` noun, …)."""
    return rjieba.tag(_SURROGATE.sub("?", text))
