"""Making a model's cosines mean something: centring, and the way from a cosine to a similarity.

A sentence model's vectors share one large direction, and each language and each side (question or
passage) has its own, so that raw cosines sit in a narrow band (0.75 to 0.9 for multilingual-e5) and
almost never cross languages. Subtracting shipped means spreads them. Means taken from a running store
were rejected: one search must not change another, and a stored vector must never need a second one.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from threading import Lock
from typing import Any, Final, Literal

import numpy as np

from hindsight.domain.memory import Language
from hindsight.language.script import language_of
from hindsight.ports import Vector, Vectors

Side = Literal["query", "passage"]
QUERIES_CACHED: Final = 512
"""Question vectors kept, about 1 MB; embedding one again costs 25 to 40 ms."""

_NORM_MIN: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Calibration:
    """One model's shipped constants: means by side and language, and similarity curves.

    A curve is two rising lists: at ``cosines[i]`` the similarity is ``similarities[i]``, linear between.
    """

    means: Mapping[tuple[Side, Language], Vector]
    curves: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]

    def centre(self, vectors: Vectors, texts: Sequence[str], side: Side) -> Vectors:
        """(n, d) raw rows -> (n, d) unit rows, each less the mean of its side and language.

        A row too short to have a direction, such as that of an empty text, becomes the first axis.
        """
        means = np.stack([self.means[side, language_of(text)] for text in texts])
        moved = np.asarray(vectors, dtype=np.float32) - means
        norms = np.linalg.norm(moved, axis=1, keepdims=True)
        lost = ~(norms[:, 0] > _NORM_MIN)
        moved[lost] = 0.0
        moved[lost, 0] = 1.0
        norms[lost] = 1.0
        return moved / norms

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        """The calibrated similarity of two passages in these languages, in [0, 1]."""
        cosines, similarities = self.curves[first if first == second else "cross"]
        return float(np.interp(cosine, cosines, similarities))


@lru_cache(maxsize=4)
def shipped(model: str) -> Calibration:
    """The constants that come with the package for *model*."""
    text = files("hindsight.adapters.embedders").joinpath("constants", f"{model}.json").read_text("utf-8")
    return from_plain(json.loads(text))


def from_plain(plain: Mapping[str, Any]) -> Calibration:
    """Constants from their JSON form: ``means.query.zh`` and so on, ``curves.zh``, ``curves.cross``."""
    sides: tuple[Side, ...] = ("query", "passage")
    languages: tuple[Language, ...] = ("zh", "en")
    return Calibration(
        means={
            (side, language): np.asarray(plain["means"][side][language], dtype=np.float32)
            for side in sides
            for language in languages
        },
        curves={name: (tuple(curve[0]), tuple(curve[1])) for name, curve in plain["curves"].items()},
    )


def embeddable(text: str, characters_max: int) -> str:
    """*text* as a native library takes it: cut, without NUL, lone surrogates replaced, never empty."""
    cut = text[:characters_max].replace("\x00", " ")
    return cut.encode("utf-8", "replace").decode("utf-8") if cut.strip() else "."


class QueryCache:
    """Question vectors by a digest of their text: bounded, shared by threads, keeping no words."""

    def __init__(self, embed: Callable[[list[str]], Vectors]) -> None:
        self._embed = embed
        self._known: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = Lock()

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d), from the cache where it has them."""
        keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        with self._lock:
            rows = {key: self._known[key] for key in keys if key in self._known}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            rows.update(zip(missing, self._embed(list(missing.values())), strict=True))
        with self._lock:
            for key in keys:
                self._known[key] = rows[key]
                self._known.move_to_end(key)
            while len(self._known) > QUERIES_CACHED:
                self._known.popitem(last=False)
        return np.stack([rows[key] for key in keys])
