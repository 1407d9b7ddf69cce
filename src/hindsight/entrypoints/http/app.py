"""Puts the HTTP side together: routes, guards, figures, and the MCP routes on the same port."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.middleware.cors import CORSMiddleware

from hindsight.entrypoints.access import Door
from hindsight.entrypoints.http import errors, examples
from hindsight.entrypoints.http.answering import Desk, rendered
from hindsight.entrypoints.http.codes import HEADER, OneTimeCode
from hindsight.entrypoints.http.documenting import describe
from hindsight.entrypoints.http.guards import Guard, Trusted
from hindsight.entrypoints.http.joining import Joined
from hindsight.entrypoints.http.metrics import Measured, Metrics
from hindsight.entrypoints.http.pool import Pool
from hindsight.entrypoints.http.routes import deciding, health, memories, records, searching, sessions
from hindsight.facade import Hindsight

DISTRIBUTION: Final = "hindsight-agent-memory"
# What pages of allowed origins may send and read, beside what every page may.
_CORS_HEADERS: Final = (
    "authorization",
    "content-type",
    "idempotency-key",
    HEADER.lower(),
    "mcp-protocol-version",
    "mcp-session-id",
    "last-event-id",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """What the server is bound to and trusts."""

    namespace: str
    trusts: Trusted
    body_bytes_max: int
    closed: bool


# An embedder in another container takes seconds to come; asking it costs one request.
WARM_UP_AGAIN_S: Final = 2.0


def create_app(
    service: Hindsight, options: HttpOptions, *, pool: Pool, code: OneTimeCode, mcp: Joined | None = None
) -> FastAPI:
    """The application that serves *service*. Closing the service is the caller's part."""
    metrics = Metrics(service.pending)
    warmth = health.Warmth()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        del app
        async with AsyncExitStack() as stack:
            if mcp is not None:
                await stack.enter_async_context(mcp.running())
            group = await stack.enter_async_context(anyio.create_task_group())
            group.start_soon(_warm_up, service, warmth)
            yield
            group.cancel_scope.cancel()

    app = FastAPI(
        title="hindsight",
        version=version(DISTRIBUTION),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=_operation,
        lifespan=lifespan,
    )
    app.state.desk = Desk(
        service=service,
        door=Door(service=service, default=options.namespace, closed=options.closed),
        pool=pool,
        code=code,
    )
    app.state.metrics, app.state.warmth = metrics, warmth
    for module in (memories, searching, sessions, deciding, records):
        app.include_router(module.router)
    app.include_router(health.router)
    app.add_api_route("/openapi.json", _openapi, include_in_schema=False, response_model=None)
    app.add_api_route("/", _index, include_in_schema=False, response_model=None)
    if mcp is not None:
        app.router.routes.extend(mcp.routes)
    errors.install(app)
    _wrap(app, options, metrics)
    return app


def _wrap(app: FastAPI, options: HttpOptions, metrics: Metrics) -> None:
    """Put around the routes what every request passes; the last one added is met first."""
    if options.trusts.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=sorted(options.trusts.origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=_CORS_HEADERS,
            expose_headers=["mcp-session-id"],
        )
    app.add_middleware(Guard, trusts=options.trusts, body_bytes_max=options.body_bytes_max)
    app.add_middleware(Measured, metrics=metrics)


def _operation(route: APIRoute) -> str:
    return route.name


async def _warm_up(service: Hindsight, warmth: health.Warmth) -> None:
    """Load the embedder before the first search needs it; one that is away is asked again until it comes.

    A shutdown does not wait for it.
    """
    while not warmth.warm:
        warmth.warm = await anyio.to_thread.run_sync(service.warm_up, abandon_on_cancel=True)
        if not warmth.warm:
            await anyio.sleep(WARM_UP_AGAIN_S)


async def _openapi(request: Request) -> Response:
    """The OpenAPI description."""
    return rendered(describe(request.app, examples=examples.REQUESTS))


async def _index(request: Request) -> Response:
    """Where everything is, for whoever opens the address in a browser."""
    has_mcp = any(getattr(route, "path", "") == "/mcp" for route in request.app.router.routes)
    return rendered(
        {
            "name": "hindsight",
            "version": request.app.version,
            "rest": "/v1",
            "openapi": "/openapi.json",
            "health": "/health/ready",
            "metrics": "/metrics",
            "mcp": "/mcp" if has_mcp else None,
        }
    )
