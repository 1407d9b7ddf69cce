"""The two values the relation judge trades in: what is compared, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from hindsight.domain.memory import Category, Language

Judged = Literal["duplicate", "refinement", "update", "contradiction", "coexist", "unrelated"]
JUDGED: Final[tuple[Judged, ...]] = get_args(Judged)

# Below these probabilities a verdict is not acted on: both memories stay, and the pair is flagged. Chosen on
# pairs of authors whom the judge had not seen: of some 215 pairs acted on 84% were right; acted on
# were also 2% of the nearest neighbours and .5% of the random pairs that had nothing to settle.
CERTAIN_FROM: Final[dict[Judged, float]] = {
    "duplicate": 0.5,
    "refinement": 0.6,
    "update": 0.45,
    "contradiction": 0.52,
    "coexist": 0.0,
    "unrelated": 0.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One memory as the judge sees it. Times matter only where both sides have them."""

    key: str
    value: str
    category: Category
    language: Language
    at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the new memory is to the old one.

    ``probability`` is that of ``relation``, calibrated, in [0, 1]. ``reasons`` are stable codes, the
    weightiest first, such as ``number_differs``, ``negation`` or ``veto:comparison_reversed``.
    """

    relation: Judged
    probability: float
    runner_up: Judged
    reasons: tuple[str, ...]

    @property
    def certain(self) -> bool:
        """Whether this is enough to act on; where it is not, keep both and say so."""
        return self.probability >= CERTAIN_FROM[self.relation]
