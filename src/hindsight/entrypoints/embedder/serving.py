"""Serve the embedder of this machine until somebody stops it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import uvicorn

from hindsight.bootstrap import serving_embedder
from hindsight.domain.errors import BackendUnavailable
from hindsight.entrypoints.embedder.app import EmbedderService
from hindsight.entrypoints.listening import Stop, address_of, listen, server_config
from hindsight.settings import Settings

if TYPE_CHECKING:
    from hindsight.ports import Embedder

CONNECTIONS_MAX: Final = 512
SHUTDOWN_S_MAX: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingEmbedder:
    """An embedder that listens: its address, and the space its vectors are in."""

    url: str
    model: str
    dimension: int
    needs_key: bool


def serve_embedder(settings: Settings, *, started: Callable[[ServingEmbedder], None]) -> None:
    """Serve the embedder that the settings name.

    Raises:
        InvalidRequest: It is none of this machine.
        BackendUnavailable: The port is taken.
    """
    stop = Stop()
    host = settings.text("embedder.host")
    embedder: Embedder = serving_embedder(settings)
    key = settings.secret("embedder.api_key")
    with closing(listen(host, settings.whole("embedder.port"), setting="embedder.host")) as listening:
        serving = ServingEmbedder(
            url=address_of(host, listening.getsockname()[1]),
            model=embedder.name,
            dimension=embedder.dimension,
            needs_key=bool(key),
        )
        config = server_config(
            EmbedderService(embedder, api_key=key).app(),
            connections_max=CONNECTIONS_MAX,
            shutdown_s_max=SHUTDOWN_S_MAX,
        )
        server = _Server(config, announce=lambda: started(serving))
        stop.server = server
        server.run(sockets=[listening])
        if not server.started:
            raise BackendUnavailable("the embedder did not start; what is above says why", code="not_started")


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, *, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()
