"""Taking a port and giving it back: what every server of this program does before and after it serves."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import uvicorn

from hindsight.domain.errors import BackendUnavailable, InvalidRequest
from hindsight.entrypoints.http.guards import host_name

_BACKLOG: Final = 512
_EVERY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})


class Stop:
    """Ends the process with success when it is told to stop, however early.

    uvicorn passes the signal on to the handler that was there before, once it has stopped; Python's
    own would then report a kill.
    """

    def __init__(self) -> None:
        self.server: uvicorn.Server | None = None
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.server is None:
            sys.exit(0)
        self.server.should_exit = True


def server_config(app: Callable[..., Any], *, connections_max: int, shutdown_s_max: int) -> uvicorn.Config:
    """How every server of this program runs *app*. It keeps no access log: paths name sessions and namespaces."""
    return uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        limit_concurrency=connections_max,
        timeout_graceful_shutdown=shutdown_s_max,
    )


def listen(host: str, port: int, *, setting: str) -> socket.socket:
    """A bound socket; uvicorn lets it listen. *setting* is what the host came from.

    Raises:
        BackendUnavailable: Another program has the port, or this one may not take it.
        InvalidRequest: *host* is no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host_name(host), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as exc:
        raise InvalidRequest(f"{setting} {host!r} is no address of this machine", code="invalid_host") from exc
    listening = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":
            # A restart must not wait for old connections to fade. On Windows the same option would let
            # two programs share the port.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as exc:
        listening.close()
        raise BackendUnavailable(
            f"cannot listen on port {port} of {host!r} ({exc.strerror or exc}): stop what is using it, or name "
            "another with --port",
            code="port_in_use",
        ) from exc
    return listening


def address_of(host: str, port: int) -> str:
    """Where a program on this machine reaches a server bound to *host* and *port*."""
    name = host_name(host)
    shown = "127.0.0.1" if name in _EVERY_ADDRESS else f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}"
