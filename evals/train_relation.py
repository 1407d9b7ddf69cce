"""Train the relation judge and write its weights as plain numbers.

Needs scikit-learn, which the product does not: ``pip install scikit-learn`` into any environment that
has hindsight. Trains on the read part of the labelled pairs, on the pairs in ``relation_pairs.txt`` and
on unrelated pairs made from both. ``--cross`` trains on two authors and tests on the third instead.
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
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.neural_network import MLPClassifier

from cases import is_unread, load, parser
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
_CLIP = 3.0
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
                pairs.append(Case(f"{one}~{other}", "random", old, new, "unrelated", False, ()))
        for one, old in rng.sample(sides, min(len(sides), _NEIGHBOUR_PAIRS // 2)):
            others = [(similarity(old.value, new.value), other, new) for other, new in sides if other != one]
            others = [entry for entry in others if entry[0] < _NEIGHBOUR_SIMILARITY_MAX]
            _, other, new = max(others, key=lambda entry: entry[0])
            pairs.append(Case(f"{one}~{other}", "neighbour", old, new, "unrelated", True, ()))
    chinese, english = (
        [s for c in cases for s in (c.old, c.new) if s.language == language] for language in ("zh", "en")
    )
    for index in range(_CROSS_PAIRS):
        old, new = rng.choice(chinese), rng.choice(english)
        if index % 2:
            old, new = new, old
        pairs.append(Case(f"cross-{index}", "cross", old, new, "unrelated", False, ()))
    return pairs


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
    found = [case, keyed]
    if case.relation != "update":
        found.append(replace(keyed, old=keyed.new, new=keyed.old))
    apart = replace(case, old=replace(case.old, key="alpha"), new=replace(case.new, key="omega"))
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
        likeness_known = similarity(case.old.value, case.new.value)
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


def fit(rows: Rows, *, trees: int = 110, networks: int = 3) -> dict[str, Any]:
    """Learn, and give back the weights in their JSON form."""
    mean = rows.features.mean(axis=0)
    scale = rows.features.std(axis=0)
    scale[scale < 1e-9] = 1.0
    scaled = np.clip((rows.features - mean) / scale, -_CLIP, _CLIP)
    weights = rows.weights * len(rows.weights) / rows.weights.sum()
    nets: list[dict[str, Any]] = []
    for seed in range(networks):
        rng = np.random.RandomState(seed)
        drawn = rng.choice(len(weights), size=len(weights), p=weights / weights.sum())
        net = MLPClassifier((16,), alpha=1.5, max_iter=25, random_state=seed, learning_rate_init=0.005, batch_size=128)
        net.fit(scaled[drawn], rows.labels[drawn])
        nets.append(
            {
                "hidden": _rounded(net.coefs_[0]),
                "hidden_bias": _rounded(net.intercepts_[0]),
                "out": _rounded(net.coefs_[1]),
                "out_bias": _rounded(net.intercepts_[1]),
            }
        )
    boosted = GradientBoostingClassifier(
        n_estimators=trees,
        max_depth=3,
        learning_rate=0.07,
        subsample=0.6,
        max_features=0.2,
        min_samples_leaf=4,
        random_state=0,
    )
    boosted.fit(rows.features, rows.labels, weights)
    rate = boosted.learning_rate
    return {
        "features": list(rows.names),
        "mean": _rounded(mean),
        "scale": _rounded(scale),
        "clip": _CLIP,
        "networks": nets,
        "trees": [
            [_tree(boosted.estimators_[step, kind].tree_, rate) for step in range(trees)] for kind in range(len(JUDGED))
        ],
        "prior": [round(float(np.log(share)), 4) for share in boosted.init_.class_prior_],
        "temperature": 1.0,
    }


def _rounded(array: np.ndarray) -> Any:
    return np.round(array, 3).tolist()


def _tree(tree: Any, rate: float) -> dict[str, Any]:
    inner = tree.feature >= 0
    return {
        "f": [int(f) if i else -1 for f, i in zip(tree.feature, inner, strict=True)],
        "t": [round(float(t), 3) if i else 0 for t, i in zip(tree.threshold, inner, strict=True)],
        "l": [int(x) if i else 0 for x, i in zip(tree.children_left, inner, strict=True)],
        "r": [int(x) if i else 0 for x, i in zip(tree.children_right, inner, strict=True)],
        "v": [0 if i else round(float(v) * rate, 3) for v, i in zip(tree.value[:, 0, 0], inner, strict=True)],
    }


def main() -> None:
    """Train on everything that may be read, or cross-check between authors."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--cross", action="store_true", help="train on two authors, test on the third")
    arguments.add_argument("--trees", type=int, default=110)
    chosen = arguments.parse_args()
    read = [case_of(d, author) for author in AUTHORS for d in load(author, chosen.shared) if not is_unread(d["id"])]
    own = own_pairs()
    similarity = similarities([s.value for case in (*read, *own) for s in (case.old, case.new)])
    if chosen.cross:
        for author in AUTHORS:
            training = [case for case in read if case.author != author] + own
            training += unrelated_pairs(training, similarity)
            learned = read_weights(fit(rows_of(training, similarity, augment=True), trees=chosen.trees))
            tested = [case for case in read if case.author == author]
            print(author, score(tested, similarity, learned=learned).line())
        return
    training = [*read, *own]
    training += unrelated_pairs(training, similarity)
    data = fit(rows_of(training, similarity, augment=True), trees=chosen.trees)
    _TARGET.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(training)} pairs, {len(data['features'])} features, {_TARGET.stat().st_size:,} bytes")
    probabilities(dict.fromkeys(data["features"], 0.0), read_weights(data))


if __name__ == "__main__":
    sys.exit(main())
