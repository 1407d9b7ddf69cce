"""Calibrating a model that came without constants: a few dozen neutral sentences show how its cosines lie.

Shipped constants rest on thousands of texts and are better. For a model behind an endpoint there are
none, and raw cosines mean nothing: in many models every pair of sentences is above 0.7. Fourteen
facts, each in two wordings of two languages and with a question, give the means to centre by and the
quantiles of chance and of sameness. The sentences are fixed, so a model always gives the same constants.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Final

import numpy as np

from hindsight.adapters.embedders.calibration import Calibration, Side
from hindsight.domain.memory import Language
from hindsight.ports import Vector, Vectors

PROBE: Final = "probed-1"
# Where each quantile of unrelated pairs and of paraphrases lies, as for the shipped constants.
_CHANCE: Final = ((0.5, 0.02), (0.99, 0.2))
_ALIKE: Final = ((0.1, 0.7), (0.5, 0.9), (0.9, 0.97))
_COSINE_STEP: Final = 1e-3

Embed = Callable[[Sequence[str], Side], Vectors]
Curve = tuple[tuple[float, ...], tuple[float, ...]]


def probed(embed: Embed) -> Calibration:
    """The calibration of the model behind *embed*, (n texts) -> (n, d) raw rows."""
    items = _items()
    passages = {name: embed([item[name] for item in items], "passage") for name in ("zh", "zh2", "en", "en2")}
    queries = {name: embed([item[f"q_{name}"] for item in items], "query") for name in ("zh", "en")}
    means: dict[tuple[Side, Language], Vector] = {}
    languages: tuple[Language, ...] = ("zh", "en")
    for language in languages:
        means["passage", language] = np.concatenate([passages[language], passages[f"{language}2"]]).mean(axis=0)
        means["query", language] = queries[language].mean(axis=0)
    unit = {
        name: _unit(rows - means["passage", "zh" if name.startswith("zh") else "en"]) for name, rows in passages.items()
    }
    return Calibration(
        means=means,
        curves={
            "zh": _curve(unit["zh"], unit["zh2"]),
            "en": _curve(unit["en"], unit["en2"]),
            "cross": _curve(unit["zh"], unit["en"]),
        },
    )


def _items() -> list[dict[str, str]]:
    text = files("hindsight.adapters.embedders").joinpath("constants", "probe.json").read_text("utf-8")
    return json.loads(text)["items"]


def _unit(rows: Vectors) -> Vectors:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def _curve(first: Vectors, second: Vectors) -> Curve:
    """From row-aligned paraphrases: the diagonal says what alike is, the rest what chance is."""
    cosines = first @ second.T  # (n, d) x (d, n) -> (n, n)
    alike = np.diag(cosines)
    chance = cosines[~np.eye(len(cosines), dtype=bool)]
    points = [(-1.0, 0.0)]
    points += [(float(np.quantile(chance, share)), height) for share, height in _CHANCE]
    points += [(float(np.quantile(alike, share)), height) for share, height in _ALIKE]
    points.append((1.0, 1.0))
    xs, ys = [points[0][0]], [points[0][1]]
    for x, y in points[1:]:
        # Where the two overlap, the curve still rises: an odd model gets a steep one, never a falling one.
        xs.append(max(x, xs[-1] + _COSINE_STEP))
        ys.append(y)
    return tuple(xs), tuple(ys)
