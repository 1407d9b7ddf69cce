"""The vectors of questions, kept a while: the same question comes again, in another layer or namespace."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final

from hindsight.ports import Embedder, Vector

QUESTIONS_KEPT: Final = 1_024
"""At 384 dimensions 1.5 MB."""


class QuestionVectors:
    """Makes a question's vector, or remembers it. Safe to share between threads.

    *agree* raises where the embedder's vectors are not to be compared with the stored ones any more.
    """

    def __init__(self, embedder: Embedder | None, *, agree: Callable[[], None] | None = None) -> None:
        self._embedder = embedder
        self._agree = agree
        self._lock = Lock()
        self._known: OrderedDict[str, Vector] = OrderedDict()

    def vector(self, question: str) -> Vector | None:
        """The vector of *question*; None where there is no embedder.

        Raises:
            BackendUnavailable: The embedder does not answer.
        """
        if self._embedder is None:
            return None
        if self._agree is not None:
            self._agree()
        with self._lock:
            known = self._known.get(question)
            if known is not None:
                self._known.move_to_end(question)
                return known
        made = self._embedder.queries([question])[0]
        with self._lock:
            self._known[question] = made
            while len(self._known) > QUESTIONS_KEPT:
                self._known.popitem(last=False)
        return made

    def forget(self) -> None:
        """Keep no question any more, since some may hold words that were just erased."""
        with self._lock:
            self._known.clear()
