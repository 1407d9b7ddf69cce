"""From features to probabilities: a small learned judge whose weights are plain numbers.

In a prototype, a hand-written decision list lost 17 points on another author's pairs where a learned
judge lost 4. Two views are averaged: boosted trees, which find conjunctions, and a few small
networks, which carry over to unseen wording. No learning library is needed to evaluate them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hindsight.language.relation.statement import JUDGED, Judged

_WEIGHTS_FILE: Final = "relation.json"
_FLOOR: Final = 1e-4

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer: ``max(0, x @ hidden + hidden_bias) @ out + out_bias``."""

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats


@dataclass(frozen=True, slots=True)
class Tree:
    """A regression tree as parallel arrays; a leaf has ``feature`` -1."""

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def at(self, row: list[float]) -> float:
        """The value of the leaf that *row* falls into."""
        node = 0
        while self.feature[node] >= 0:
            goes_left = row[self.feature[node]] <= self.threshold[node]
            node = self.left[node] if goes_left else self.right[node]
        return self.value[node]


@dataclass(frozen=True, slots=True)
class Weights:
    """Everything that was learned."""

    features: tuple[str, ...]
    mean: Floats
    scale: Floats
    clip: float
    networks: tuple[Network, ...]
    trees: tuple[tuple[Tree, ...], ...]
    prior: tuple[float, ...]
    temperature: float


@cache
def weights() -> Weights:
    """The shipped weights, read once."""
    path = resources.files("hindsight.language") / "weights" / _WEIGHTS_FILE
    return read_weights(json.loads(path.read_text(encoding="utf-8")))


def read_weights(data: dict[str, Any]) -> Weights:
    """Weights from their JSON form."""
    return Weights(
        features=tuple(data["features"]),
        mean=np.array(data["mean"]),
        scale=np.array(data["scale"]),
        clip=float(data["clip"]),
        networks=tuple(
            Network(
                np.array(network["hidden"]),
                np.array(network["hidden_bias"]),
                np.array(network["out"]),
                np.array(network["out_bias"]),
            )
            for network in data["networks"]
        ),
        trees=tuple(
            tuple(Tree(tuple(t["f"]), tuple(t["t"]), tuple(t["l"]), tuple(t["r"]), tuple(t["v"])) for t in per_relation)
            for per_relation in data["trees"]
        ),
        prior=tuple(data["prior"]),
        temperature=float(data["temperature"]),
    )


def probabilities(features: dict[str, float], learned: Weights | None = None) -> dict[Judged, float]:
    """The probability of each relation; they sum to one."""
    learned = learned or weights()
    row = [features[name] for name in learned.features]
    logs = (_log(_networks(row, learned)) + _log(_forest(row, learned))) / 2.0 / learned.temperature
    shares = _softmax(logs)
    return {relation: float(share) for relation, share in zip(JUDGED, shares, strict=True)}


def _networks(row: list[float], learned: Weights) -> Floats:
    scaled = np.clip((np.array(row) - learned.mean) / learned.scale, -learned.clip, learned.clip)
    shares = [
        _softmax(np.maximum(0.0, scaled @ network.hidden + network.hidden_bias) @ network.out + network.out_bias)
        for network in learned.networks
    ]
    return np.mean(np.array(shares), axis=0)  # (networks, relations) -> (relations,)


def _forest(row: list[float], learned: Weights) -> Floats:
    sums = [
        prior + sum(tree.at(row) for tree in per_relation)
        for prior, per_relation in zip(learned.prior, learned.trees, strict=True)
    ]
    return _softmax(np.array(sums))


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - np.max(logits))
    return powers / np.sum(powers)


def _log(shares: Floats) -> Floats:
    return np.log(shares + _FLOOR)
