"""An embedder held to the space that a home's vectors are in.

A home can be moved to another model while services run on it, and a model behind an address can change
while a home is open. So the space is compared at each use, not at start alone: where it differs, there
are no vectors for now, searches go on by words and texts wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.memory import Language
from hindsight.ports import Embedder, Vectors

EMBEDDER_META: Final = "embedder"


class Spaces(Protocol):
    """Where a home's space is kept: a part of `hindsight.ports.RecordStore`."""

    def meta(self, name: str) -> str | None: ...
    def change_meta(self, name: str, change: Callable[[str | None], str]) -> str: ...


def space_of(embedder: Embedder) -> str:
    """What tells the embedder's vectors from those of others."""
    return f"{embedder.name} ({embedder.dimension} dimensions)"


class AgreedEmbedder:
    """Passes on to an embedder as long as its space is the home's.

    *moved* is called when the home has come to another space than it was last seen in: whatever is
    cached of its vectors is then of no use.
    """

    def __init__(self, embedder: Embedder, spaces: Spaces, *, moved: Callable[[], None]) -> None:
        self._embedder = embedder
        self._spaces = spaces
        self._moved = moved
        self._agreed_on: str | None = None

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def queries(self, texts: Sequence[str]) -> Vectors:
        """As the embedder's own; `BackendUnavailable` where its space is not the home's."""
        self.agree()
        return self._embedder.queries(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """As the embedder's own; `BackendUnavailable` where its space is not the home's."""
        self.agree()
        vectors = self._embedder.passages(texts)
        # A move to another space may have begun while the vectors were made.
        self.agree()
        return vectors

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        """As the embedder's own."""
        return self._embedder.similarity(cosine, first, second)

    def agree(self) -> None:
        """Raise `BackendUnavailable` where the embedder's space is not the home's."""
        mine = space_of(self._embedder)
        known = self._spaces.meta(EMBEDDER_META) or name_space(self._spaces, mine)
        if known != mine:
            raise BackendUnavailable(
                f"this home's vectors come from {known}, and the embedder here is {mine}: run `hindsight reembed` to "
                "move them, or go back to the other embedder",
                code="embedder_mismatch",
            )
        if self._agreed_on not in (None, mine):
            self._moved()
        self._agreed_on = mine


def name_space(spaces: Spaces, mine: str) -> str:
    """The home's space; *mine* becomes it where it has none yet: the first embedder to come names it."""
    return spaces.change_meta(EMBEDDER_META, lambda known: known or mine)
