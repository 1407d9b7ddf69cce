"""What the conversation is about, so that a bare answer ("first week of June") can stand alone.

Only names in the opening request count, and only up to two: a longer list is a comparison, and any
single one of it would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hindsight.domain.conversation import Turn
from hindsight.domain.memory import Language
from hindsight.language.extraction.cues import LATIN_IN_CHINESE, PRODUCT
from hindsight.language.extraction.tagging import tagged
from hindsight.language.script import language_of
from hindsight.language.sentences import sentences
from hindsight.language.spans import foreign_spans

_NAMES_MAX: Final = 2
_OPENING_CHARACTERS_MAX: Final = 200
_NAME_TAGS: Final = frozenset({"ns", "nt", "nz", "nr"})
_CAPITALISED: Final = re.compile(r"(?<=[\w,;:] )(?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*")
_NO_NAMES: Final = frozenset("I I'm I've I'd I'll Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())


def subject_of(turns: Sequence[Turn]) -> str:
    """The one or two names that the user's opening request holds, or nothing."""
    opening = next((turn for turn in turns if turn.role == "user" and not turn.erased), None)
    if opening is None or foreign_spans(opening.content):
        return ""
    spans = sentences(opening.content[:_OPENING_CHARACTERS_MAX])
    if not spans:
        return ""
    names = names_in(opening.content[spans[0][0] : spans[0][1]])
    return ", ".join(names) if 1 <= len(names) <= _NAMES_MAX else ""


def names_in(text: str) -> list[str]:
    """The names and products in one sentence, in order, each once."""
    if language_of(text) == "zh":
        places = [word.lstrip("从在到去") for word, tag in tagged(text) if tag in _NAME_TAGS and not word.isascii()]
        found = [*(name for name in LATIN_IN_CHINESE.findall(text) if name[0].isupper()), *places]
    else:
        found = [name for name in _CAPITALISED.findall(text) if name not in _NO_NAMES]
        found += [
            name for name in PRODUCT.findall(text) if name[0].isupper() and not any(name in other for other in found)
        ]
    return list(dict.fromkeys(name for name in found if len(name) > 1 and not re.search(r"\d", name)))


def about(value: str, subject: str, language: Language) -> str:
    """*value* with what the conversation is about."""
    return f"{value}（关于{subject}）" if language == "zh" else f"{value} (about {subject})"
