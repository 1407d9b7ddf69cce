"""Serving many clients over HTTP: streamable HTTP at ``/mcp``, and SSE for clients that know nothing newer.

Every request stands for itself: no session is kept between the calls of streamable HTTP, so nothing
grows with the number of clients and any process may answer. Stateful sessions were rejected, since
this server never asks its clients anything.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, cast

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindsight.domain.errors import BackendUnavailable, PermissionDenied
from hindsight.entrypoints.access import Access
from hindsight.entrypoints.mcp.server import Context, build_server
from hindsight.entrypoints.presenting import present_error
from hindsight.facade import Hindsight

Authenticate = Callable[[str | None], Access]

STREAMABLE_PATH: Final = "/mcp"
SSE_PATH: Final = "/sse"
MESSAGES_PATH: Final = "/messages/"
# A session of turns that long is sent in several calls.
BODY_BYTES_MAX: Final = 16 * 1024 * 1024
_ACCESS: Final = "hindsight.access"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpHttp:
    """The routes to add to an application, and what must run while it serves."""

    routes: list[BaseRoute]
    manager: StreamableHTTPSessionManager
    streams: _SseStreams

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Serve the routes within this block; it belongs into the application's lifespan."""
        async with self.manager.run():
            yield

    def stop(self) -> None:
        """End the open event streams, which would otherwise hold up a shutdown; to be called in the event loop."""
        self.streams.end()


def http_app(
    service: Hindsight,
    *,
    authenticate: Authenticate,
    allowed_hosts: Sequence[str] | None,
    allowed_origins: Sequence[str] | None,
    limiter: anyio.CapacityLimiter,
    language: str = "en",
) -> McpHttp:
    """MCP over HTTP, to be mounted beside other routes on one port.

    Args:
        service: The owner's; each request gets a view of it with the rights of its caller.
        authenticate: Turns the Authorization header, or its absence, into an access; raises
            `PermissionDenied` where there is none.
        allowed_hosts: The Host headers that are answered, such as ``127.0.0.1:8000`` or ``localhost:*``.
            Others are refused, so that a page in the user's browser cannot rebind its name to this port.
            None where the application around these routes checks both headers for all of them.
        allowed_origins: The same for the Origin header, such as ``http://localhost:*``.
        limiter: The bounded pool that every call into the service runs on.
        language: ``en`` or ``zh``: what descriptions and prompts are written in.
    """
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=allowed_hosts is not None,
        allowed_hosts=list(allowed_hosts or ()),
        allowed_origins=list(allowed_origins or ()),
    )
    server = build_server(service, access_of=_access_of, limiter=limiter, language=language)
    manager = StreamableHTTPSessionManager(
        app=server,
        json_response=True,
        stateless=True,
        security_settings=security,
        max_request_body_size=BODY_BYTES_MAX,
    )
    sse = SseServerTransport(MESSAGES_PATH, security_settings=security, max_request_body_size=BODY_BYTES_MAX)

    streams = _SseStreams(server, sse)

    def guarded(app: ASGIApp, *methods: str) -> _Guard:
        return _Guard(app, methods, authenticate, TransportSecurityMiddleware(security), limiter)

    return McpHttp(
        routes=[
            Route(STREAMABLE_PATH, guarded(manager.asgi_app, "POST")),
            Route(SSE_PATH, guarded(streams, "GET")),
            Mount(MESSAGES_PATH, guarded(sse.handle_post_message, "POST")),
        ],
        manager=manager,
        streams=streams,
    )


def _access_of(ctx: Context) -> Access:
    request = cast("Request", ctx.request)
    return cast("Access", request.scope[_ACCESS])


class _Guard:
    """Lets a request through to *app* when its host, method and key are in order."""

    def __init__(
        self,
        app: ASGIApp,
        methods: Sequence[str],
        authenticate: Authenticate,
        security: TransportSecurityMiddleware,
        limiter: anyio.CapacityLimiter,
    ) -> None:
        self._app = app
        self._methods = methods
        self._authenticate = authenticate
        self._security = security
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        answer = await self._security.validate_request(request)
        if answer is None and request.method not in self._methods:
            answer = Response(status_code=405, headers={"Allow": ", ".join(self._methods)})
        if answer is None:
            answer = await self._admit(request)
        await (answer or self._app)(scope, receive, send)

    async def _admit(self, request: Request) -> Response | None:
        """Note who is calling, or say why nobody may."""
        header = request.headers.get("authorization")
        try:
            request.scope[_ACCESS] = await anyio.to_thread.run_sync(self._authenticate, header, limiter=self._limiter)
        except PermissionDenied as error:
            return JSONResponse(present_error(error), status_code=401, headers={"WWW-Authenticate": "Bearer"})
        except BackendUnavailable as error:
            return JSONResponse(present_error(error), status_code=503)
        # The transport lets only the key that opened a stream post to it.
        client = sha256((header or "").encode("utf-8", "surrogateescape")).hexdigest()
        request.scope["user"] = AuthenticatedUser(AccessToken(token=client, client_id=client, scopes=[]))
        return None


class _SseStreams:
    """The open streams of events, one a client; what a client posts comes by the other route."""

    def __init__(self, server: Server[Any], sse: SseServerTransport) -> None:
        self._server = server
        self._sse = sse
        self._open: set[anyio.CancelScope] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = _Response(send)
        async with self._sse.connect_sse(scope, receive, response.send) as (reads, writes):
            with anyio.CancelScope() as serving:
                self._open.add(serving)
                try:
                    await self._server.run(reads, writes, self._server.create_initialization_options())
                finally:
                    self._open.discard(serving)
            # Ends the response from within, so that the transport closes what it opened.
            await writes.aclose()
        await response.end()

    def end(self) -> None:
        """Close every stream."""
        for cancel in tuple(self._open):
            cancel.cancel()


class _Response:
    """What was sent of a response. A stream that the shutdown interrupts is left open by its library."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._open = False

    async def send(self, message: Message) -> None:
        self._open = bool(message.get("more_body", message["type"] == "http.response.start"))
        await self._send(message)

    async def end(self) -> None:
        if self._open:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})
