"""The distiller that needs no model: rules in both languages over the user's own sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.moments import parse_zone
from hindsight.language.extraction import extract
from hindsight.ports import Distilled, Embedder, Stretch


class RuleDistiller:
    """Proposes memories by rules, helped by an embedder where one is there."""

    def __init__(self, load_embedder: Callable[[], Embedder | None]) -> None:
        self._load_embedder = load_embedder

    def distil(self, stretch: Stretch) -> Distilled:
        """Propose memories from *stretch*. It never fails for want of an embedder; it says so in the notes."""
        notes: list[str] = []
        embed: Callable[[Sequence[str]], NDArray[np.float32]] | None = None
        try:
            embedder = self._load_embedder()
            embed = embedder.passages if embedder is not None else None
        except BackendUnavailable:
            embedder = None
        if embed is None:
            notes.append("without_vectors")
        found = extract(
            stretch.turns,
            context=stretch.context,
            embed=embed,
            zone=parse_zone(stretch.time_zone) if stretch.time_zone else None,
        )
        return Distilled(candidates=found.candidates, rejections=found.rejections, notes=notes)
