"""An embedder behind an address: hindsight's own service, or any endpoint in OpenAI's form.

The standard library's client is enough, and one connection a request costs a millisecond beside ten for
a vector. What comes back is checked as if a stranger had sent it: a wrong vector would poison a home.
"""

from __future__ import annotations

import json
import math
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from itertools import pairwise
from typing import Any, Final, cast
from urllib.parse import urlsplit

import numpy as np

from hindsight.adapters.embedders.calibration import Calibration, QueryCache, Side, embeddable
from hindsight.adapters.embedders.probe import PROBE, probed
from hindsight.domain.errors import BackendUnavailable, InvalidRequest
from hindsight.domain.memory import Language
from hindsight.ports import Vectors

PASSAGE_CHARACTERS_MAX: Final = 1_600
QUERY_CHARACTERS_MAX: Final = 800
BATCH_TEXTS: Final = 32
"""Small enough for every service's limit, and for a slow one to answer in time."""
DIMENSION_MAX: Final = 16_384
ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
REST_S: Final = 5.0
"""After a failure the endpoint is left alone this long: a search must not wait for it each time."""
_CHUNK_BYTES: Final = 65_536
_NORM_MIN: Final = 1e-6
_COMPONENT_MAX: Final = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What an endpoint's vectors are: the model as it calls it, their dimension, what their cosines mean.

    ``own`` says that it is hindsight's service: its vectors come centred and it tells questions from passages.
    """

    model: str
    answered_as: str
    dimension: int
    calibration: Calibration | None
    curves: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]
    own: bool

    @property
    def name(self) -> str:
        """What the space is known by: with another way of centring it is another one."""
        return self.model if self.own else f"{self.model}/{PROBE}"


class HttpEmbedder:
    """Embeds by requests to one endpoint. Safe to share between threads.

    It negotiates at the first text, and again whenever the endpoint shows another face: another model
    or dimension than before is never mixed in. Whoever keeps vectors compares `name` and `dimension`.
    """

    def __init__(
        self,
        address: str,
        *,
        model: str = "",
        api_key: str = "",
        timeout_s: float = 10.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._base = api_address(address)
        self._model = model
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._monotonic = monotonic
        self._space: Space | None = None
        self._curves: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {}
        self._lock = threading.Lock()
        self._rested_until = -math.inf
        self._cache = QueryCache(self._embed_queries)

    @property
    def name(self) -> str:
        """What its space is called.

        Raises:
            BackendUnavailable: The endpoint was never reached.
        """
        return self.negotiated().name

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self.negotiated().dimension

    def queries(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d) float32 unit rows, as search queries."""
        return self._cache.vectors(texts) if texts else self._none()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d) float32 unit rows, as texts to be found."""
        if not texts:
            return self._none()
        return self._embed([embeddable(text, PASSAGE_CHARACTERS_MAX) for text in texts], "passage")

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        """Two passages' calibrated similarity in [0, 1]. It asks nobody: a write may be open."""
        curve = self._curves.get(first if first == second else "cross")
        return float(np.interp(cosine, *curve)) if curve else min(max(cosine, 0.0), 1.0)

    def negotiated(self) -> Space:
        """The endpoint's space, asked for where it is not known yet.

        Raises:
            BackendUnavailable: It does not answer, or answers with what is no embedding.
        """
        space = self._space
        if space is not None:
            return space
        with self._lock:
            if self._space is None:
                self._space = self._negotiate()
                self._curves = self._space.curves
            return self._space

    def _none(self) -> Vectors:
        return np.empty((0, self.dimension), dtype=np.float32)

    def _embed_queries(self, texts: list[str]) -> Vectors:
        return self._embed([embeddable(text, QUERY_CHARACTERS_MAX) for text in texts], "query")

    def _embed(self, texts: list[str], side: Side) -> Vectors:
        space = self.negotiated()
        parts = [
            self._request(texts[start : start + BATCH_TEXTS], side, model=space.model, own=space.own)
            for start in range(0, len(texts), BATCH_TEXTS)
        ]
        for rows, answered_as in parts:
            if rows.shape[1] != space.dimension or answered_as != space.answered_as:
                # Another model stands behind the address: nothing of before may be compared with it.
                self._forget()
                raise BackendUnavailable(
                    f"the embedder at {self._base} changed from {space.answered_as} ({space.dimension} dimensions) to "
                    f"{answered_as} ({rows.shape[1]} dimensions); it is negotiated anew",
                    code="embedder_changed",
                )
        raw = np.concatenate([rows for rows, _ in parts])
        return raw if space.calibration is None else space.calibration.centre(raw, texts, side)

    def _forget(self) -> None:
        """Ask anew what the endpoint's vectors are, before the next one is used."""
        self._space = None
        self._cache = QueryCache(self._embed_queries)

    def _negotiate(self) -> Space:
        told = self._told()
        own = told.get("hindsight")
        model = str(told.get("id") or self._model)
        if isinstance(own, dict):
            curves = _curves(cast("Mapping[str, Any]", own).get("curves"))
            if curves is not None:
                rows, answered_as = self._request(["hindsight"], "passage", model=model, own=True)
                return Space(
                    model=model,
                    answered_as=answered_as,
                    dimension=rows.shape[1],
                    calibration=None,
                    curves=curves,
                    own=True,
                )
        if not model:
            raise BackendUnavailable(
                f"the embedder at {self._base} does not say which models it has; name one as embedder.model",
                code="embedder_unnamed",
            )
        answered: set[str] = set()

        def embed(texts: Sequence[str], side: Side) -> Vectors:
            rows, answered_as = self._request(list(texts), side, model=model, own=False)
            answered.add(answered_as)
            return rows

        calibration = probed(embed)
        return Space(
            model=model,
            answered_as=answered.pop(),
            dimension=calibration.means["passage", "en"].shape[0],
            calibration=calibration,
            curves=calibration.curves,
            own=False,
        )

    def _told(self) -> Mapping[str, Any]:
        """What the endpoint says of the model to use; nothing where it lists none, as some do."""
        try:
            listed = self._call("models", None).get("data")
        except _Refused:
            return {}
        models = cast("list[Any]", listed) if isinstance(listed, list) else []
        named = [cast("dict[str, Any]", entry) for entry in models if isinstance(entry, dict)]
        found = [entry for entry in named if not self._model or entry.get("id") == self._model]
        if self._model and not found:
            return {}
        # Without a name, an endpoint with one model means that one.
        return found[0] if self._model or len(found) == 1 else {}

    def _request(self, texts: list[str], side: Side, *, model: str, own: bool) -> tuple[Vectors, str]:
        """(n, d) unit rows, and the model that the answer names."""
        body: dict[str, Any] = {"model": model, "input": texts, "encoding_format": "float"}
        if own:
            body["input_type"] = side
        try:
            answer = self._call("embeddings", body)
        except _Refused as exc:
            # A service that was started again with another model refuses the name of the one before.
            self._forget()
            raise self._failed(f"the embedder at {self._base} refused: {exc}", "embedder_refused") from exc
        try:
            rows = _rows(answer, len(texts))
        except (ValueError, TypeError, KeyError, OverflowError) as exc:
            raise self._failed(
                f"the embedder at {self._base} answered with what is no embedding ({exc})", "embedder_garbage"
            ) from exc
        return rows, str(answer.get("model") or model)

    def _failed(self, message: str, code: str) -> BackendUnavailable:
        self._rested_until = self._monotonic() + REST_S
        return BackendUnavailable(message, code=code)

    def _call(self, path: str, body: object) -> Mapping[str, Any]:
        if self._monotonic() < self._rested_until:
            raise BackendUnavailable(
                f"the embedder at {self._base} did not answer a moment ago; it is asked again soon",
                code="embedder_unavailable",
            )
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        request = urllib.request.Request(f"{self._base}/{path}", data, headers)
        until = self._monotonic() + self._timeout_s
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:
                found = json.loads(self._read(answer, until))
        except urllib.error.HTTPError as exc:
            with exc:
                said = exc.read(_CHUNK_BYTES).decode("utf-8", "replace").strip()
            if exc.code in (404, 405) or (400 <= exc.code < 500 and exc.code not in (408, 429)):
                raise _Refused(f"HTTP {exc.code} {said[:200]}") from exc
            raise self._failed(f"the embedder at {self._base} failed: HTTP {exc.code}", "embedder_unavailable") from exc
        except (OSError, HTTPException) as exc:
            raise self._failed(f"the embedder at {self._base} does not answer ({exc})", "embedder_unavailable") from exc
        except (ValueError, RecursionError) as exc:
            raise self._failed(f"the embedder at {self._base} answered with no JSON", "embedder_garbage") from exc
        if not isinstance(found, dict):
            raise self._failed(f"the embedder at {self._base} answered with no JSON object", "embedder_garbage")
        return cast("Mapping[str, Any]", found)

    def _read(self, answer: Any, until: float) -> bytes:
        """The whole body; an endpoint that drips is given up at the time-out, and one that floods too."""
        parts: list[bytes] = []
        size = 0
        while part := answer.read1(_CHUNK_BYTES):
            parts.append(part)
            size += len(part)
            if size > ANSWER_BYTES_MAX:
                raise ValueError("too long")
            if self._monotonic() > until:
                raise TimeoutError("timed out")
        return b"".join(parts)


class _Refused(Exception):
    """The endpoint answered that it will not; asking again changes nothing."""


def is_address(name: str) -> bool:
    """Whether an embedder's name is an address."""
    return name.startswith(("http://", "https://"))


def api_address(address: str) -> str:
    """The root of the API: an address without a path means its ``/v1``.

    Raises:
        InvalidRequest: It is no address.
    """
    parts = urlsplit(address.strip())
    try:
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment:
        raise InvalidRequest(
            f"embedder {address!r} must be an address such as http://127.0.0.1:8001", code="invalid_setting"
        )
    path = parts.path.rstrip("/").removesuffix("/embeddings") or "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _rows(answer: Mapping[str, Any], count: int) -> Vectors:
    """(count, d) unit rows of an answer.

    Raises:
        ValueError: It holds anything else.
    """
    data = answer["data"]
    if not isinstance(data, list) or len(cast("list[Any]", data)) != count:
        raise ValueError(f"not {count} vectors")
    entries = cast("list[Mapping[str, Any]]", data)
    by_place = {int(entry.get("index", place)): entry["embedding"] for place, entry in enumerate(entries)}
    if sorted(by_place) != list(range(count)):
        raise ValueError("vectors out of order")
    ordered = [by_place[place] for place in range(count)]
    if not all(isinstance(row, list) and len(cast("list[Any]", row)) == len(ordered[0]) for row in ordered):
        raise ValueError("vectors of unequal length")
    rows = np.asarray(ordered, dtype=np.float64)
    if rows.ndim != 2 or not 1 < rows.shape[1] <= DIMENSION_MAX:
        raise ValueError("not a list of numbers each")
    if not np.isfinite(rows).all() or np.abs(rows).max() > _COMPONENT_MAX:
        raise ValueError("numbers beyond any vector's")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    if norms.min() < _NORM_MIN:
        raise ValueError("a vector without direction")
    return (rows / norms).astype(np.float32)


def _curves(told: object) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]] | None:
    """The similarity curves that hindsight's service tells; None where they are not sound."""
    if not isinstance(told, dict):
        return None
    found: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {}
    for name in ("zh", "en", "cross"):
        try:
            cosines, similarities = (tuple(map(float, axis)) for axis in cast("dict[str, Any]", told)[name])
        except (KeyError, TypeError, ValueError):
            return None
        rising = all(lower < higher for lower, higher in pairwise(cosines))
        if len(cosines) != len(similarities) or len(cosines) < 2 or not rising:
            return None
        if list(similarities) != sorted(similarities) or not (similarities[0] >= 0 and similarities[-1] <= 1):
            return None
        found[name] = (cosines, similarities)
    return found
