"""Routes that join the port a little after it has opened.

Loading the MCP library takes a good second, a third of the time that a cold start may take. REST answers
meanwhile; a call to these routes waits until they are there.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, Protocol

import anyio
import anyio.to_thread
from starlette.routing import BaseRoute, Route, Router
from starlette.types import Receive, Scope, Send

PATHS: Final = ("/mcp", "/sse", "/messages/{rest:path}")


class Joined(Protocol):
    """What joins: its routes, what runs while it serves, and how its streams without an end are ended."""

    @property
    def routes(self) -> Sequence[BaseRoute]:
        """What is added to the port."""
        ...

    def running(self) -> AbstractAsyncContextManager[None]:
        """Serve within this block."""
        ...

    def stop(self) -> None:
        """End streams that would not end by themselves."""
        ...


class LateRoutes:
    """Stands at the paths of MCP from the start, and passes on to what *load* gives once that is there."""

    def __init__(self, load: Callable[[], Joined]) -> None:
        self.routes: Sequence[BaseRoute] = [Route(path, self, include_in_schema=False) for path in PATHS]
        self._load = load
        self._joined: Joined | None = None
        self._router: Router | None = None
        self._there = anyio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Load and serve within this block."""
        self._there = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(self._serve)
            yield
            group.cancel_scope.cancel()

    def stop(self) -> None:
        """End streams that would not end by themselves."""
        if self._joined is not None:
            self._joined.stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, when there is somebody to pass it on to."""
        await self._there.wait()
        assert self._router is not None, "it is there"
        await self._router(scope, receive, send)

    async def _serve(self) -> None:
        self._joined = await anyio.to_thread.run_sync(self._load, abandon_on_cancel=True)
        async with self._joined.running():
            self._router = Router(self._joined.routes, redirect_slashes=False)
            self._there.set()
            await anyio.sleep_forever()
