"""The judge: a linear model over named features, and over the embedding where there is one.

Hard vetoes come before it. A linear model was chosen since its weights can be read, travel as plain
numbers and answer in microseconds; a threshold on hand-given points lost to it on unseen authors.
``evals/train_extraction.py`` makes the weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

Embed = Callable[[Sequence[str]], "np.ndarray[Any, np.dtype[np.float32]]"]

# One fixed sentence tells whether vectors come from the embedder that the weights were made with.
PROBE: Final = "The user works with the same tools every week."
_PROBE_COSINE_MIN: Final = 0.98


@dataclass(frozen=True, slots=True)
class Weights:
    """A trained judge. ``direction`` is empty when it looks at features only."""

    bias: float
    features: dict[str, float]
    threshold: float
    direction: tuple[float, ...] = ()
    probe: tuple[float, ...] = ()


@cache
def weights(*, embedded: bool) -> Weights:
    """The weights shipped with the package."""
    name = "extraction_embedded.json" if embedded else "extraction.json"
    raw = json.loads(files("hindsight.language.weights").joinpath(name).read_text("utf-8"))
    return parse_weights(raw)


def parse_weights(raw: dict[str, Any]) -> Weights:
    """Weights from their JSON form."""
    return Weights(
        bias=float(raw["bias"]),
        features={str(name): float(value) for name, value in raw["features"].items()},
        threshold=float(raw["threshold"]),
        direction=tuple(float(number) for number in raw.get("direction", ())),
        probe=tuple(float(number) for number in raw.get("probe", ())),
    )


def judge(drafts: Sequence[tuple[str, dict[str, float]]], embed: Embed | None) -> list[float]:
    """How likely each draft is worth keeping, in [0, 1]; 0.5 is the point where keeping begins.

    All texts go to *embed* in one call. Whether it is the embedder of the weights is asked once per
    embedder, with the first call; a stranger is not asked again.
    """
    if not drafts:
        return []
    trained = weights(embedded=True)
    known = None if embed is None else _known(embed)
    if embed is not None and known is not False:
        texts = [_storable(text) for text, _ in drafts]
        vectors = embed(texts if known else [*texts, PROBE])
        if known is None:
            known = _same_embedder(vectors[-1], trained)
            _remember(embed, known)
        if known:
            direction = np.asarray(trained.direction, dtype=np.float32)
            along = vectors[: len(texts)] @ direction  # (N, D) x (D,) -> (N,)
            return [_confidence(trained, features, float(along[n])) for n, (_, features) in enumerate(drafts)]
    plain = weights(embedded=False)
    return [_confidence(plain, features, 0.0) for _, features in drafts]


# Whether an embedder is the one of the weights, as long as it lives. A bound method is made anew at each
# look-up, so the object it belongs to stands for it.
_RECOGNISED: Final[WeakKeyDictionary[object, bool]] = WeakKeyDictionary()


def _known(embed: Embed) -> bool | None:
    try:
        return _RECOGNISED.get(_owner(embed))
    except TypeError:
        return None


def _remember(embed: Embed, known: bool) -> None:
    # Objects with slots take no weak reference: they are asked each time.
    with suppress(TypeError):
        _RECOGNISED[_owner(embed)] = known


def _owner(embed: Embed) -> object:
    return getattr(embed, "__self__", embed)


def _storable(text: str) -> str:
    """Embedders take UTF-8: a lone surrogate or a NUL must not cost the whole stretch."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")


def _same_embedder(vector: np.ndarray[Any, np.dtype[np.float32]], trained: Weights) -> bool:
    if vector.shape != (len(trained.direction),) or len(trained.probe) != len(trained.direction):
        return False
    return float(vector @ np.asarray(trained.probe, dtype=np.float32)) >= _PROBE_COSINE_MIN


def _confidence(trained: Weights, features: dict[str, float], along: float) -> float:
    score = trained.bias + along - trained.threshold
    score += sum(trained.features.get(name, 0.0) * value for name, value in features.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))
