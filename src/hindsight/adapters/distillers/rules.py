"""The distiller that needs no model: rules in both languages over the user's own sentences."""

from __future__ import annotations

from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.moments import parse_zone
from hindsight.language.extraction import extract
from hindsight.ports import Distilled, Embedder, Stretch


class RuleDistiller:
    """Proposes memories by rules, helped by an embedder where one is there."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    def distil(self, stretch: Stretch) -> Distilled:
        """Propose memories from *stretch*. Without an embedder it judges by rules alone, and notes it."""
        zone = parse_zone(stretch.time_zone) if stretch.time_zone else None
        embed = self._embedder.passages if self._embedder is not None else None
        notes: list[str] = [] if embed is not None else ["without_vectors"]
        try:
            found = extract(stretch.turns, context=stretch.context, embed=embed, zone=zone)
        except BackendUnavailable:
            notes.append("without_vectors")
            found = extract(stretch.turns, context=stretch.context, embed=None, zone=zone)
        return Distilled(candidates=found.candidates, rejections=found.rejections, notes=notes)
