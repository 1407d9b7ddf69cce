"""Characters that nobody sees: taken out of what is kept as a memory.

They turn the reading direction, split words or smuggle text past a reader, and none of them says
anything about a fact. Refusing them was rejected: they come along with copied text, unseen by
whoever copied it. Turns keep them, since evidence is verbatim.
"""

from __future__ import annotations

import re
from typing import Final

_JOINERS: Final = "\u200c\u200d"
# Soft hyphens, zero-width and directional marks, fillers and tags. Controls are seen: what shows text escapes them.
_HIDDEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
# One variation selector chooses a glyph; a row of them is text in hiding.
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
# Joiners shape emoji and some scripts; between Latin letters or Chinese characters they do nothing.
_JOINER: Final = re.compile(f"[{_JOINERS}]")
_PLAIN: Final = re.compile(r"[\x00-\x7f\u00c0-\u024f\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")


def without_hidden(text: str) -> str:
    """*text* without characters that nobody sees; emoji and scripts that need joiners stay whole."""
    text = _SELECTORS.sub("", _HIDDEN.sub("", text))
    return _JOINER.sub(_joining, text)


def _joining(joiner: re.Match[str]) -> str:
    before = joiner.string[joiner.start() - 1 : joiner.start()] if joiner.start() else ""
    after = joiner.string[joiner.end() : joiner.end() + 1]
    shapes = before and after and not any(_PLAIN.match(c) or c in _JOINERS for c in (before, after))
    return joiner.group() if shapes else ""
