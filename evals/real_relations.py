"""What the judge acts on among memories distilled from real talks, one namespace a user.

Nearly all neighbours in real talks have nothing to settle, so each pair acted on is worth a look: ``--show``
prints them for a reader, who says which are right. Nothing here is labelled, and no figure is a score.
"""

from __future__ import annotations

from collections import Counter

from cases import parser
from hindsight.language.relation import Statement, Verdict, relate
from reconcile import Similarity, similarities
from train_relation import talk_memories

# As many as a write looks at.
_NEIGHBOURS = 8
_SHOWN_MAX = 300


def acted_on(memories: list[Statement], similarity: Similarity) -> list[tuple[Statement, Statement, Verdict]]:
    """Each memory's relation to its nearest earlier ones, where that is more than to stand beside them."""
    found: list[tuple[Statement, Statement, Verdict]] = []
    for index, new in enumerate(memories):
        earlier = sorted(memories[:index], key=lambda old: -similarity(old, new))[:_NEIGHBOURS]
        for old in earlier:
            verdict = relate(old, new, similarity=similarity(old, new))
            if verdict.certain and verdict.relation not in ("coexist", "unrelated"):
                found.append((old, new, verdict))
    return found


def main() -> None:
    """Count the outcomes by kind, and show them when asked."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--show", action="store_true", help="print each pair that was acted on")
    chosen = arguments.parse_args()
    talks = talk_memories(chosen.shared)
    similarity = similarities([statement for talk in talks for statement in talk])
    kinds: Counter[str] = Counter()
    asked = 0
    for talk in talks:
        asked += sum(min(index, _NEIGHBOURS) for index in range(len(talk)))
        for old, new, verdict in acted_on(talk, similarity)[:_SHOWN_MAX]:
            kinds[verdict.relation] += 1
            if chosen.show:
                print(f"{verdict.relation} {verdict.probability:.2f} | {old.value} | {new.value}")
    print(f"{sum(map(len, talks))} memories, {asked} neighbours, {kinds.total()} acted on: {dict(kinds)}")


if __name__ == "__main__":
    main()
