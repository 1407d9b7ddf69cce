"""``POST /v1/embeddings`` in OpenAI's form, with ``input_type`` to tell questions from passages.

Answers never repeat what was sent, and nothing of it is logged: texts are people's words.
"""

from __future__ import annotations

import base64
import hmac
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import anyio
import numpy as np
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hindsight.domain.budget import tokens_at_most
from hindsight.domain.errors import BackendUnavailable, HindsightError, InvalidRequest, LimitExceeded, PermissionDenied
from hindsight.domain.memory import Language
from hindsight.entrypoints.embedder.batching import Batches, Side
from hindsight.ports import Embedder, Vectors

TEXTS_MAX: Final = 512
TEXT_CHARACTERS_MAX: Final = 32_000
BODY_BYTES_MAX: Final = 16 * 1024 * 1024
ANSWER_S_MAX: Final = 60.0
_CURVE_POINTS: Final = 81
_STATUS: Final = ((PermissionDenied, 401), (LimitExceeded, 429), (BackendUnavailable, 503), (InvalidRequest, 400))


class _Figures:
    """What `/metrics` tells."""

    def __init__(self, batches: Batches) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "hindsight_embedder_requests", "Requests answered.", ("status",), registry=self._registry
        )
        self.texts = Counter("hindsight_embedder_texts", "Texts embedded.", ("input_type",), registry=self._registry)
        self.seconds = Histogram(
            "hindsight_embedder_request_seconds", "Time until a request was answered.", registry=self._registry
        )
        waiting = Gauge("hindsight_embedder_texts_waiting", "Texts in line.", registry=self._registry)
        waiting.set_function(lambda: float(batches.waiting_texts))
        made = Gauge("hindsight_embedder_batches", "Batches embedded since the start.", registry=self._registry)
        made.set_function(lambda: float(batches.batches))

    def text(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self._registry)


class EmbedderService:
    """The routes of one embedder. *api_key*, where there is one, must come with every request but for health."""

    def __init__(self, embedder: Embedder, *, api_key: str = "") -> None:
        self._embedder = embedder
        self._api_key = api_key
        self._batches = Batches(embedder)
        self._figures = _Figures(self._batches)
        self._ready = False

    def app(self) -> Starlette:
        """The application; its lifespan loads the model."""
        return Starlette(
            routes=[
                Route("/v1/embeddings", self._embeddings, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/health/live", self._live),
                Route("/health/ready", self._is_ready),
                Route("/metrics", self._metrics),
            ],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncGenerator[None]:
        del app
        async with anyio.create_task_group() as group:
            group.start_soon(self._batches.run)
            group.start_soon(self._warm_up)
            yield
            group.cancel_scope.cancel()

    async def _warm_up(self) -> None:
        try:
            await self._batches.embed(["warm up"], "passage")
        except BackendUnavailable:
            return
        self._ready = True

    async def _embeddings(self, request: Request) -> Response:
        begin = time.perf_counter()
        try:
            self._authenticate(request)
            texts, side, encoding = _asked(await _body(request), self._embedder.name)
            with anyio.fail_after(ANSWER_S_MAX):
                rows = await self._batches.embed(texts, side)
            response: Response = JSONResponse(_answer(rows, texts, encoding, self._embedder.name))
            self._figures.texts.labels(side).inc(len(texts))
            self._ready = True
        except HindsightError as exc:
            response = _problem(exc)
        except TimeoutError:
            response = _problem(BackendUnavailable(f"no answer within {ANSWER_S_MAX:g} s", code="embedder_busy"))
        self._figures.requests.labels(str(response.status_code)).inc()
        self._figures.seconds.observe(time.perf_counter() - begin)
        return response

    async def _models(self, request: Request) -> Response:
        try:
            self._authenticate(request)
            model = {
                "id": self._embedder.name,
                "object": "model",
                "owned_by": "hindsight",
                "hindsight": {
                    "dimension": self._embedder.dimension,
                    "input_types": ["query", "passage"],
                    "curves": _curves(self._embedder),
                },
            }
        except HindsightError as exc:
            return _problem(exc)
        return JSONResponse({"object": "list", "data": [model]})

    async def _live(self, request: Request) -> Response:
        del request
        return JSONResponse({"alive": True})

    async def _is_ready(self, request: Request) -> Response:
        del request
        waiting = [] if self._ready else ["model"]
        return JSONResponse({"ready": self._ready, "waiting_for": waiting}, status_code=200 if self._ready else 503)

    async def _metrics(self, request: Request) -> Response:
        del request
        return Response(self._figures.text(), media_type=CONTENT_TYPE_LATEST)

    def _authenticate(self, request: Request) -> None:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._api_key and not hmac.compare_digest(given.encode(), self._api_key.encode()):
            raise PermissionDenied("this embedder needs its key: Authorization: Bearer …", code="embedder_key_wrong")


async def _body(request: Request) -> dict[str, Any]:
    size = 0
    parts: list[bytes] = []
    async for part in request.stream():
        size += len(part)
        if size > BODY_BYTES_MAX:
            raise InvalidRequest(f"the body has more than {BODY_BYTES_MAX:,} bytes", code="body_too_large")
        parts.append(part)
    try:
        found = json.loads(b"".join(parts))
    except (ValueError, RecursionError) as exc:
        raise InvalidRequest("the body is not JSON", code="invalid_body") from exc
    if not isinstance(found, dict):
        raise InvalidRequest("the body must be a JSON object", code="invalid_body")
    return cast("dict[str, Any]", found)


def _asked(body: dict[str, Any], name: str) -> tuple[list[str], Side, str]:
    """The texts, which side they are, and how to write the vectors."""
    model = body.get("model", name)
    if model not in (name, ""):
        raise InvalidRequest(f"model {model!r} is not here; this embedder serves {name!r}", code="unknown_embedder")
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in cast("list[Any]", texts)):
        raise InvalidRequest("input must be a text or a list of texts", code="invalid_input")
    texts = cast("list[str]", texts)
    if not 1 <= len(texts) <= TEXTS_MAX:
        raise InvalidRequest(f"input has {len(texts):,} texts; 1 to {TEXTS_MAX} are allowed", code="invalid_input")
    for place, text in enumerate(texts):
        if not text.strip() or len(text) > TEXT_CHARACTERS_MAX:
            raise InvalidRequest(
                f"input[{place}] has {len(text):,} characters; 1 to {TEXT_CHARACTERS_MAX:,} are allowed",
                code="invalid_input",
            )
    side, encoding = body.get("input_type", "passage"), body.get("encoding_format", "float")
    if side not in ("query", "passage"):
        raise InvalidRequest(f"input_type {side!r} must be query or passage", code="invalid_input_type")
    if encoding not in ("float", "base64"):
        raise InvalidRequest(f"encoding_format {encoding!r} must be float or base64", code="invalid_encoding")
    return texts, side, encoding


def _answer(rows: Vectors, texts: list[str], encoding: str, name: str) -> dict[str, Any]:
    tokens = sum(map(tokens_at_most, texts))
    return {
        "object": "list",
        "model": name,
        "data": [
            {"object": "embedding", "index": place, "embedding": _written(row, encoding)}
            for place, row in enumerate(rows)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _written(row: np.ndarray[Any, np.dtype[np.float32]], encoding: str) -> list[float] | str:
    return row.tolist() if encoding == "float" else base64.b64encode(row.astype("<f4").tobytes()).decode("ascii")


def _curves(embedder: Embedder) -> dict[str, list[list[float]]]:
    """The similarity of each pair of languages, sampled: a caller interpolates between the points."""
    cosines = [round(float(cosine), 4) for cosine in np.linspace(-1.0, 1.0, _CURVE_POINTS)]
    pairs: dict[str, tuple[Language, Language]] = {"zh": ("zh", "zh"), "en": ("en", "en"), "cross": ("zh", "en")}
    return {
        name: [cosines, [round(embedder.similarity(cosine, *languages), 5) for cosine in cosines]]
        for name, languages in pairs.items()
    }


def _problem(exc: HindsightError) -> JSONResponse:
    """The error as OpenAI's clients read it."""
    status = next((status for kind, status in _STATUS if isinstance(exc, kind)), 500)
    headers = {"Retry-After": "1"} if status in (429, 503) else None
    error = {"message": str(exc), "type": type(exc).__name__, "code": exc.code}
    return JSONResponse({"error": error}, status_code=413 if exc.code == "body_too_large" else status, headers=headers)
