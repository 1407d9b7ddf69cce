"""How much of the evidence a block of so many tokens holds, beside taking the top hits in order.

    python evals/context.py --shared DIR [--only locomo] [--conversation ID]

The search is the product's, over turns. ``in order`` writes the top hits as they were written before, a
label behind each, until one does not fit; ``block`` is what the product builds. A token is taken as four
bytes of English or two of Chinese. Evidence counts when its line is in the block.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

import cases
from hindsight.adapters.embedders.auto import open_embedder
from hindsight.domain.moments import to_text
from hindsight.domain.records import Hit
from hindsight.ports import ReadScope
from hindsight.services.context import HITS_MAX, fill, worth_showing
from hindsight.services.retrieval import retrieve
from hindsight.services.search import AROUND_TURNS
from hindsight.testing import InMemoryStore
from retrieval import SETS, TURNS, Bench, CachedEmbedder

BUDGETS = (1_000, 2_000, 4_000)
BYTES_PER_TOKEN = {"en": 4, "zh": 2}
MARK = "0" * 16


def hits_of(bench: Bench, scope: ReadScope, query: dict[str, str]) -> list[Hit]:
    """What the product's search finds, with what stands around."""
    ranked, _ = retrieve(
        scope, query["text"], finders=bench.finders, now=bench.asked_at(query),
        eligible=TURNS, limit=HITS_MAX, min_relevance=0.0,
    )  # fmt: skip
    items = [found.item for found in ranked]
    turns, around = scope.turns_of(items), scope.turns_around(items, reach=AROUND_TURNS)
    return [
        Hit(
            layer="episodic", namespace=bench.namespace, relevance=found.relevance, parts={},
            turn=turns[found.item], around=tuple(around.get(found.item, ())),
        )
        for found in ranked
    ]  # fmt: skip


def in_order(hits: Sequence[Hit], budget: int, bytes_per_token: int) -> list[str]:
    """The ids of the top hits that fit, each with a label of its date and speaker behind it."""
    kept: list[str] = []
    used = 0
    for hit in hits:
        turn = hit.turn
        assert turn is not None
        line = f"- “{turn.content}” [{to_text(turn.at)[:10]}, said by {turn.name or turn.role}]\n"
        used += len(line.encode())
        if math.ceil(used / bytes_per_token) > budget:
            break
        kept.append(turn.id)
    return kept


def report(bench: Bench) -> list[list[float]]:
    """Rows of recall in order and by block at each budget, then the share of each budget that was used."""
    language = bench.stack["lang"]
    width = BYTES_PER_TOKEN[language]

    def count(text: str) -> int:
        return math.ceil(len(text.encode()) / width)

    rows: list[list[float]] = []
    with bench.store.reading(bench.namespace) as scope:
        for query in bench.stack["queries"]:
            gold = set(query["gold"])
            if not gold:
                continue
            hits = hits_of(bench, scope, query)
            entries = worth_showing(hits)
            row: list[float] = []
            used: list[float] = []
            for budget in BUDGETS:
                row.append(len(gold & set(in_order(hits, budget, width))) / len(gold))
                lines, shown = fill(entries, (), language, MARK, budget, count)
                row.append(len(gold & {hit.turn.id for hit in shown if hit.turn is not None}) / len(gold))
                used.append(count("\n".join(lines)) / budget)
            rows.append(row + used)
    return rows


def _print(label: str, rows: Sequence[Sequence[float]]) -> None:
    means = 100 * np.mean(np.asarray(rows), axis=0)
    cells = [
        f"{budget}: in order {means[2 * place]:.1f}, block {means[2 * place + 1]:.1f} "
        f"({means[2 * len(BUDGETS) + place]:.0f}% used)"
        for place, budget in enumerate(BUDGETS)
    ]
    print(f"  {label:12} {'  '.join(cells)}", flush=True)


def main() -> None:
    parser = cases.parser(__doc__ or "")
    parser.add_argument("--only", default="locomo")
    parser.add_argument("--conversation", default=None)
    arguments = parser.parse_args()
    embedder = CachedEmbedder(open_embedder(), Path(tempfile.gettempdir()) / "hindsight-eval-vectors")
    for name in arguments.only.split(","):
        everything: list[list[float]] = []
        with closing(InMemoryStore()) as store:
            for stack in cases.load(SETS[name], arguments.shared):
                if arguments.conversation in (None, stack["cid"]):
                    rows = report(Bench(store, stack, embedder))
                    _print(stack["cid"], rows)
                    everything += rows
        _print(name, everything)
        embedder.save()


if __name__ == "__main__":
    main()
