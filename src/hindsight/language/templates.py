"""The template of a sentence: what is left when names, numbers and addresses are taken out.

An attack that was found out once comes back with another account, another sum, another name. Its
template stays.
"""

from __future__ import annotations

import re
from typing import Final

# No word of either language, and one unit for the fingerprints.
_SLOT: Final = " 0 "
_VARIABLE: Final = re.compile(
    r"https?://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b[\w-]+(?:\.[\w-]+)+(?:/\S*)?"
    r"|[“\"「『《][^”\"」』》]{1,80}[”\"」』》]"
    r"|[$€£¥￥]?\d[\d,.:/\- ]*\d[%％]?|[$€£¥￥]?\d[%％]?"
    r"|[零一二两三四五六七八九十百千万亿]{2,}"
    # A capital inside a sentence begins a name.
    r"|(?<=[a-z0-9,;:] )[A-Z][\w'-]*(?: [A-Z][\w'-]*)*"
    # Latin letters within Chinese are a name or a code.
    r"|(?<=[\u4e00-\u9fff])[A-Za-z][\w-]*|[A-Za-z][\w-]*(?=[\u4e00-\u9fff])"
)


def templated(text: str) -> str:
    """*text* with every name, number and address that can be told by its form replaced by one mark."""
    return " ".join(_VARIABLE.sub(_SLOT, text).split())
