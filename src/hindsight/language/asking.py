"""Which part of a long message asks something.

A message brings along much that is no question: the talk before it, house rules, a forwarded mail. All
of its words together find what resembles the message, not what answers it. Only marks and question words
are looked at here; what the store knows of each sentence is weighed by the search.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.sentences import sentences

SENTENCES_MAX: Final = 64
"""Sentences of one message that are weighed: about 4,000 characters of them."""
QUESTION_WORD_FACTOR: Final = 1.5
"""What a question word is worth to a sentence without a mark: of 70 English questions without one,
buried in instructions, 93 in 100 were picked; 91 with 1."""

_MARKED: Final = re.compile(r"[?？][\"'”’」』）)]*\Z")
_WORDED: Final = re.compile(
    r"\b(?:what|when|who|whom|whose|which|where|why|how)\b|什么|甚么|什麼|谁|誰|哪|吗|嗎|多少|怎|几|幾|是否|为何|為何|如何|何时|何時",
    re.IGNORECASE,
)


def last_line(message: str) -> str | None:
    """The last line of a message of several lines, None where it has but one: talk ends with what is wanted now."""
    lines = [line for line in message.splitlines() if line.strip()]
    return lines[-1].strip() if len(lines) > 1 else None


def likely_questions(message: str) -> list[tuple[str, float]]:
    """The sentences that may be what *message* asks, in order, each with what its form is worth.

    Where any ends with a question mark, only such ones; else all. Of very many, those with a question
    word go before the others, and the last ones before the first.
    """
    found = list(dict.fromkeys(message[start:end] for start, end in sentences(message)))
    likely = [sentence for sentence in found if _MARKED.search(sentence)] or found
    worth = [QUESTION_WORD_FACTOR if _WORDED.search(sentence) else 1.0 for sentence in likely]
    places = sorted(range(len(likely)), key=lambda place: (-worth[place], -place))[:SENTENCES_MAX]
    return [(likely[place], worth[place]) for place in sorted(places)]
