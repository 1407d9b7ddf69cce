"""What the user asked to forget inside the stretch, so that it never becomes a candidate.

The service erases such words before it looks back; this keeps the promise too where a transcript
arrives whole.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from hindsight.domain.conversation import Turn
from hindsight.language.forgetting import forget_request, forget_targets
from hindsight.language.sentences import Bounds

# A request to forget is short; longer turns are pasted text, where no such request counts.
_ASKING_CHARACTERS_MAX = 4_000
# A wish is as good as an order where it names the keeping itself.
_WISHES = re.compile(r"\brather (?:you|u) (?:don'?t|didn'?t|not) (?:store|save|keep|remember|record)", re.IGNORECASE)


def forgotten_spans(turns: Sequence[Turn]) -> dict[int, list[Bounds]]:
    """For each turn index, the pieces that the user asked to forget, the asking itself among them."""
    found: dict[int, list[Bounds]] = defaultdict(list)
    for position, turn in enumerate(turns):
        if turn.role != "user" or turn.erased or len(turn.content) > _ASKING_CHARACTERS_MAX:
            continue
        request = forget_request(turn.content)
        if request is None:
            found[turn.index] += [(0, wish.end()) for wish in _WISHES.finditer(turn.content)]
            continue
        found[turn.index].append((request.start, request.end))
        for span in forget_targets(request, turns, position):
            found[span.turn_index].append((span.start, span.end))
    return dict(found)


def touches(bounds: Bounds, spans: Sequence[Bounds]) -> bool:
    """Whether *bounds* shares a character with any of *spans*."""
    return any(start < bounds[1] and end > bounds[0] for start, end in spans)
