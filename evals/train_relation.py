"""Train the relation judge and write its weights as plain numbers.

Needs scikit-learn, which the product does not: ``pip install scikit-learn`` into any environment that
has hindsight. Trains on the read part of the labelled pairs, on the pairs in ``relation_pairs.txt``, on
unrelated pairs made from both, and on nearest neighbours among memories distilled from real talks: only
their features enter the weights. ``--cross`` trains on two authors and tests on the third instead.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from cases import is_unread, load, parser
from distill import turns_of
from hindsight.language.extraction import extract
from hindsight.language.relation.features import compare
from hindsight.language.relation.judge import probabilities, read_weights
from hindsight.language.relation.parsing import parse
from hindsight.language.relation.statement import JUDGED, Statement
from hindsight.language.script import language_of
from reconcile import AUTHORS, Case, case_of, score, similarities

_HERE = Path(__file__).resolve().parent
_TARGET = _HERE.parent / "src" / "hindsight" / "language" / "weights" / "relation.json"
_LETTERS = {
    "d": "duplicate",
    "r": "refinement",
    "u": "update",
    "c": "contradiction",
    "x": "coexist",
    "n": "coexist",
}
# Unrelated pairs of each kind: without them the judge saw a relation in 89% of random pairs.
_RANDOM_PAIRS, _NEIGHBOUR_PAIRS = 160, 160
_NEIGHBOUR_SIMILARITY_MAX = 0.8
_CROSS_PAIRS = 60
# What an unrelated pair weighs beside a labelled one: at 1 the judge called pairs under one key
# unrelated (accuracy across authors .66 instead of .69).
_UNRELATED_WEIGHT = 0.35
# Real neighbours: nearly all that the judge acted on among them was wrong before it had seen any. Likelier
# than this they may be one fact said twice.
_TALKS = ("chats_zh", "chats_en")
_TALK_NEIGHBOURS, _TALK_PAIRS_MAX = 2, 600
_TALK_SIMILARITY_MAX = 0.85
_TALK_WEIGHT = 0.25
_CLIP = 3.0
# Between .005 and .02 accuracy across authors stayed at .783 to .785.
_PENALTY_INVERSE = 0.01
# Noise on the similarity, so that another calibration of it moves little.
_SIMILARITY_NOISE = 0.06
# What an aside takes off the similarity, on average; embedding each variant would take minutes.
_TAIL_LOWERS = 0.12


@dataclass(frozen=True)
class Rows:
    """Features, labels and weights: (N, F), (N,), (N,)."""

    features: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    names: tuple[str, ...]


def own_pairs(name: str = "relation_pairs.txt") -> list[Case]:
    """The pairs invented for training."""
    pairs: list[Case] = []
    for index, line in enumerate((_HERE / name).read_text(encoding="utf-8").splitlines()):
        if not line.strip() or line.startswith("#"):
            continue
        letter, old, new = line.split("|")
        old_statement, new_statement = (
            Statement(key="topic", value=text, category="fact", language=language_of(text)) for text in (old, new)
        )
        pairs.append(Case(f"own-{index}", "own", old_statement, new_statement, _LETTERS[letter], letter == "n", ()))
    return pairs


def unrelated_pairs(cases: Sequence[Case], similarity: Any, *, seed: int = 0) -> list[Case]:
    """Random pairs and nearest neighbours of different cases, as a search puts them side by side."""
    rng = random.Random(seed)
    pairs: list[Case] = []
    for language in ("zh", "en"):
        sides = [(c.id, s) for c in cases for s in (c.old, c.new) if s.language == language]
        for _ in range(_RANDOM_PAIRS // 2):
            (one, old), (other, new) = rng.sample(sides, 2)
            if one != other:
                pairs.append(_unrelated(f"{one}~{other}", old, new, near=False))
        for one, old in rng.sample(sides, min(len(sides), _NEIGHBOUR_PAIRS // 2)):
            others = [(similarity(old, new), other, new) for other, new in sides if other != one]
            others = [entry for entry in others if entry[0] < _NEIGHBOUR_SIMILARITY_MAX]
            _, other, new = max(others, key=lambda entry: entry[0])
            pairs.append(_unrelated(f"{one}~{other}", old, new, near=True))
    chinese, english = (
        [s for c in cases for s in (c.old, c.new) if s.language == language] for language in ("zh", "en")
    )
    for index in range(_CROSS_PAIRS):
        old, new = rng.choice(chinese), rng.choice(english)
        if index % 2:
            old, new = new, old
        pairs.append(_unrelated(f"cross-{index}", old, new, near=False))
    return pairs


def _unrelated(name: str, old: Statement, new: Statement, *, near: bool) -> Case:
    """A pair that has nothing to settle. Invented pairs all carry one key, which must not teach that
    statements under one key are unrelated: with it the judge missed contradictions under equal keys."""
    if old.key == new.key:
        old, new = replace(old, key="alpha"), replace(new, key="omega")
    return Case(name, "unrelated", old, new, "unrelated", near, ())


def talk_memories(shared: str | None) -> list[list[Statement]]:
    """What the extraction keeps of real talks, a list for each namespace."""
    by_namespace: dict[str, list[Statement]] = {}
    for name in _TALKS:
        for talk in load(name, shared):
            kept = by_namespace.setdefault(talk["namespace"], [])
            for found in extract(turns_of(talk)).candidates:
                language = language_of(found.value)
                kept.append(Statement(key=found.key, value=found.value, category=found.category, language=language))
    return list(by_namespace.values())


def talk_neighbours(memories: Sequence[Statement], similarity: Any) -> list[Case]:
    """The nearest earlier memories of each, as a write meets them: hardly ever is there anything to settle."""
    pairs: list[Case] = []
    for index, new in enumerate(memories):
        likeness = [(similarity(old, new), place) for place, old in enumerate(memories[:index])]
        near = sorted((entry for entry in likeness if entry[0] < _TALK_SIMILARITY_MAX), reverse=True)
        pairs += [
            Case(f"talk-{index}-{place}", "talk", memories[place], new, "unrelated", True, ())
            for _, place in near[:_TALK_NEIGHBOURS]
        ]
    return pairs if len(pairs) <= _TALK_PAIRS_MAX else random.Random(0).sample(pairs, _TALK_PAIRS_MAX)


def _tails() -> dict[str, list[str]]:
    tails: dict[str, list[str]] = {"zh": [], "en": []}
    for line in (_HERE / "relation_tails.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            language, tail = line.split("|")
            tails[language].append(tail)
    return tails


def _variants(case: Case, tails: dict[str, list[str]], rng: random.Random) -> list[Case]:
    """The case; with equal keys; turned round where that is sound; and with an aside on one side.

    An aside makes a refinement of a duplicate and leaves every other relation as it is.
    """
    keyed = replace(case, old=replace(case.old, key="same"), new=replace(case.new, key="same"))
    apart = replace(case, old=replace(case.old, key="alpha"), new=replace(case.new, key="omega"))
    # Unrelated pairs never share a key. Where related ones nearly always do, other keys come to mean unrelated.
    found = [apart if case.old.key == case.new.key else case, keyed]
    if case.relation != "update":
        turned = apart if rng.random() < 0.5 else keyed
        found.append(replace(turned, old=turned.new, new=turned.old))
    relation = "refinement" if case.relation == "duplicate" else case.relation
    if rng.random() < 0.5:
        found.append(replace(keyed, old=_with_tail(keyed.old, tails, rng), relation=relation))
    else:
        found.append(replace(apart, new=_with_tail(apart.new, tails, rng), relation=relation))
    return found


def _with_tail(statement: Statement, tails: dict[str, list[str]], rng: random.Random) -> Statement:
    return replace(statement, value=statement.value.rstrip("。.") + rng.choice(tails[statement.language]))


def rows_of(cases: Sequence[Case], similarity: Any, *, augment: bool) -> Rows:
    """Features of *cases*; with *augment* also of their variants, sharing one case's weight."""
    rng = random.Random(1)
    tails = _tails()
    features: list[list[float]] = []
    labels: list[int] = []
    weights: list[float] = []
    names: tuple[str, ...] = ()
    for case in cases:
        variants = _variants(case, tails, rng) if augment else [case]
        likeness_known = similarity(case.old, case.new)
        for place, variant in enumerate(variants):
            likeness = likeness_known
            if augment:
                lower = _TAIL_LOWERS if place == len(variants) - 1 else 0.0
                likeness = min(1.0, max(0.0, likeness - lower + rng.gauss(0.0, _SIMILARITY_NOISE)))
            found = compare(
                parse(variant.old.key, variant.old.value, variant.old.language),
                parse(variant.new.key, variant.new.value, variant.new.language),
                similarity=likeness,
                same_category=variant.old.category == variant.new.category,
            ).features
            names = tuple(found)
            features.append(list(found.values()))
            labels.append(JUDGED.index(variant.relation))  # type: ignore[arg-type]
            weights.append((1.0 if variant.relation == case.relation else 0.3) / len(variants))
    return Rows(np.array(features), np.array(labels), np.array(weights), names)


def fit(rows: Rows) -> dict[str, Any]:
    """Learn, and give back the weights in their JSON form."""
    mean = rows.features.mean(axis=0)
    scale = rows.features.std(axis=0)
    scale[scale < 1e-9] = 1.0
    scaled = np.clip((rows.features - mean) / scale, -_CLIP, _CLIP)
    judge = LogisticRegression(C=_PENALTY_INVERSE, max_iter=200, tol=1e-3)
    judge.fit(scaled, rows.labels, rows.weights)
    return {
        "features": list(rows.names),
        "mean": _rounded(mean),
        "scale": _rounded(scale),
        "clip": _CLIP,
        "slopes": _rounded(judge.coef_.T),
        "offsets": _rounded(judge.intercept_),
    }


def _rounded(array: np.ndarray) -> Any:
    return np.round(array, 4).tolist()


def joined(parts: Sequence[Rows]) -> Rows:
    """Several rows as one."""
    return Rows(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.weights for part in parts]),
        parts[0].names,
    )


def lighter(rows: Rows, weight: float) -> Rows:
    """The same rows, each counting for less."""
    return replace(rows, weights=rows.weights * weight)


def main() -> None:
    """Train on everything that may be read, or cross-check between authors."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--cross", action="store_true", help="train on two authors, test on the third")
    chosen = arguments.parse_args()
    read = [case_of(d, author) for author in AUTHORS for d in load(author, chosen.shared) if not is_unread(d["id"])]
    groups = {author: [case for case in read if case.author == author] for author in AUTHORS} | {"own": own_pairs()}
    talks = talk_memories(chosen.shared)
    statements = [s for cases in groups.values() for case in cases for s in (case.old, case.new)]
    similarity = similarities([*statements, *(s for talk in talks for s in talk)])
    labelled = {
        name: joined(
            [
                rows_of(cases, similarity, augment=True),
                lighter(
                    rows_of(unrelated_pairs(cases, similarity), similarity, augment=False),
                    _UNRELATED_WEIGHT,
                ),
            ]
        )
        for name, cases in groups.items()
    }
    real = [
        lighter(rows_of(talk_neighbours(talk, similarity), similarity, augment=False), _TALK_WEIGHT)
        for talk in talks
        if len(talk) > 1
    ]
    if chosen.cross:
        for author in AUTHORS:
            rows = joined([part for name, part in labelled.items() if name != author] + real)
            learned = read_weights(fit(rows))
            print(author, score(groups[author], similarity, learned=learned).line())
        return
    rows = joined([*labelled.values(), *real])
    data = fit(rows)
    _TARGET.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(rows.labels)} rows, {len(data['features'])} features, {_TARGET.stat().st_size:,} bytes")
    probabilities(dict.fromkeys(data["features"], 0.0), read_weights(data))


if __name__ == "__main__":
    sys.exit(main())
