"""What a message asks the store: the whole of a short one, and of a long one the sentences that matter.

Cutting a long message to its first or its last characters was rejected: what is asked stands anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hindsight.language.asking import last_line, likely_questions
from hindsight.ports import TextMatches

WHOLE_CHARACTERS_MAX: Final = 800
"""A longer message is searched by its likeliest sentences: it passes what an embedder reads of a question."""
SENTENCES_KEPT: Final = 2
"""Of questions without a mark, buried in 2,000 characters, R@10 by keyword fell by 3 and 6 points (English,
Chinese) with two, by 3 and 8 with one, by 13 and 5 with three; with a mark by none."""
CEILING_MIN: Final = 3.0
"""A sentence whose words weigh less than one rare word is no better for being found whole."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What is searched for: ``words``, and ``latest``, the line of them that counts most, if any.

    Times are read where they are asked for, in ``latest`` or else in all ``words``: a day that was
    mentioned on the way is seldom the day in question.
    """

    words: str
    latest: str | None = None

    @property
    def times_in(self) -> str:
        """The words whose times are meant."""
        return self.words if self.latest is None else self.latest


def asking_of(query: str, find: Callable[[str], TextMatches]) -> Asking:
    """The part of *query* that asks, by its form and by how much of a sentence one stored text holds.

    Args:
        find: The best match by keyword for some words.
    """
    if len(query) <= WHOLE_CHARACTERS_MAX:
        return Asking(query, last_line(query))
    likely = likely_questions(query)
    weighed = sorted(range(len(likely)), key=lambda place: -likely[place][1] * _held(find(likely[place][0])))
    kept = sorted(weighed[:SENTENCES_KEPT])
    return Asking(" ".join(likely[place][0] for place in kept) or query)


def _held(matches: TextMatches) -> float:
    """The share of a sentence's weight that the best text holds."""
    return max(matches.scores.values(), default=0.0) / max(matches.ceiling, CEILING_MIN)
