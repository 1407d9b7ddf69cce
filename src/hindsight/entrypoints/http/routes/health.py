"""Whether the server is alive, whether it is ready, and how it is doing. Open without a key: no content is in it."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import PlainTextResponse

from hindsight.domain.errors import HindsightError
from hindsight.entrypoints.http import examples
from hindsight.entrypoints.http.answering import AtDesk, rendered
from hindsight.entrypoints.http.documenting import Alive, Ready, answers
from hindsight.entrypoints.http.metrics import Metrics

router = APIRouter(tags=["health"])


@dataclass(slots=True)
class Warmth:
    """Whether the embedder has loaded: None while it is loading."""

    warm: bool | None = None


@router.get("/health/live", **answers(Alive, examples.ALIVE))
async def live() -> Response:
    """Say that the process answers. It waits for nothing."""
    return rendered(Alive(alive=True))


@router.get("/health/ready", **answers(Ready, examples.READY, statuses=(200, 503)))
async def ready(request: Request, desk: AtDesk) -> Response:
    """Say whether to send requests here: the store answers, and the embedder has loaded or is known to be away.

    503 while it waits. Without the embedder search still works, by words; then `degraded` says so.
    """
    warmth = request.app.state.warmth
    waiting = ["embedder"] if warmth.warm is None else []
    try:
        await desk.pool.run(desk.service.pending)
    except HindsightError:
        waiting.append("store")
    answer = Ready(ready=not waiting, waiting_for=tuple(waiting), degraded=("vectors",) if warmth.warm is False else ())
    return rendered(answer, status=503 if waiting else 200)


@router.get(
    "/metrics",
    response_model=None,
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}, "example": examples.METRICS}}}},
)
async def metrics(request: Request, desk: AtDesk) -> Response:
    """Read figures for Prometheus: requests and their time by route, and the background work that waits."""
    kept: Metrics = request.app.state.metrics
    return Response(await desk.pool.run(kept.text), media_type=CONTENT_TYPE_LATEST)
