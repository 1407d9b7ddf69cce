"""REST and MCP on one port, until somebody stops it.

A stop lets requests in flight and the background job at hand finish, so that no client loses an answer
and no job is done twice. What is left stays queued for the next start.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from hindsight.domain.errors import BackendUnavailable, PermissionDenied
from hindsight.domain.namespace import parse_namespace
from hindsight.entrypoints.access import Door
from hindsight.entrypoints.http.app import HttpOptions, create_app
from hindsight.entrypoints.http.codes import OneTimeCode
from hindsight.entrypoints.http.guards import is_loopback, trusted
from hindsight.entrypoints.http.joining import LateRoutes
from hindsight.entrypoints.http.limits import CONNECTIONS_MAX, SHUTDOWN_S_MAX
from hindsight.entrypoints.http.pool import Pool
from hindsight.entrypoints.listening import Stop, address_of, listen, server_config
from hindsight.facade import Hindsight
from hindsight.settings import Settings

if TYPE_CHECKING:
    from hindsight.entrypoints.mcp import McpHttp


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A server that listens: its addresses, the namespace it means by default, and whether calls need a key."""

    home: Path
    url: str
    mcp_url: str
    namespace: str
    needs_key: bool


def serve(
    home: Path,
    settings: Settings,
    *,
    namespace: str,
    started: Callable[[Serving], None],
    show_code: Callable[[str], None],
) -> None:
    """Serve *home* until the process is told to stop.

    Args:
        started: Called once it listens.
        show_code: Shows the one-time code that stands for the owner where there are no keys.

    Raises:
        BackendUnavailable: The port is taken, or the home cannot be opened.
        PermissionDenied: It would be reachable from beyond this machine without a key.
    """
    import hindsight

    stop = Stop()
    host, default = settings.text("http.host"), parse_namespace(namespace)
    with (
        closing(listen(host, settings.whole("http.port"), setting="http.host")) as listening,
        hindsight.open(home, settings=settings) as service,
    ):
        closed = not is_loopback(host)
        if closed and not service.any_key():
            raise PermissionDenied(
                f"serving on {host!r} would open this memory to every machine that reaches it: make a key first "
                "with `hindsight keys create`, or serve on 127.0.0.1",
                code="serve_needs_key",
            )
        url = address_of(host, listening.getsockname()[1])
        serving = Serving(
            home=home,
            url=url,
            mcp_url=f"{url}/mcp",
            namespace=default,
            needs_key=service.any_key(),
        )
        code = OneTimeCode(lambda text: None if service.any_key() else show_code(text))
        server = _server(service, settings, code=code, closed=closed, default=default)

        def announce() -> None:
            started(serving)
            code.renew()

        server.announce = announce
        stop.server = server
        server.run(sockets=[listening])
        if not server.started:
            raise BackendUnavailable("the server did not start; what is above says why", code="not_started")


def _server(service: Hindsight, settings: Settings, *, code: OneTimeCode, closed: bool, default: str) -> _Server:
    trusts = trusted(
        bound_to=settings.text("http.host"),
        hosts=[*settings.names("http.allowed_hosts"), *([socket.gethostname()] if closed else [])],
        origins=settings.names("http.allowed_origins"),
    )
    pool = Pool(threads=settings.whole("http.threads"))
    door = Door(service=service, default=default, closed=closed)
    mcp = LateRoutes(lambda: _mcp(door, pool, language=settings.text("mcp.language")))
    options = HttpOptions(
        namespace=default, trusts=trusts, body_bytes_max=settings.whole("http.body_bytes_max"), closed=closed
    )
    app = create_app(service, options, pool=pool, code=code, mcp=mcp)
    config = server_config(app, connections_max=CONNECTIONS_MAX, shutdown_s_max=SHUTDOWN_S_MAX)
    return _Server(config, mcp=mcp)


def _mcp(door: Door, pool: Pool, *, language: str) -> McpHttp:
    # Imported here, on a thread of its own: it takes a second.
    from hindsight.entrypoints.mcp import http_app

    return http_app(
        door.service,
        authenticate=door.authenticate,
        # The guard around all routes has checked both.
        allowed_hosts=None,
        allowed_origins=None,
        limiter=pool.limiter,
        language=language,
    )


class _Server(uvicorn.Server):
    """Says when it listens, and ends streams without an end before it waits for requests in flight."""

    def __init__(self, config: uvicorn.Config, *, mcp: LateRoutes) -> None:
        super().__init__(config)
        self.announce: Callable[[], None] = lambda: None
        self._mcp = mcp

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._mcp.stop()
        await super().shutdown(sockets)
