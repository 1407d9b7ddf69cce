"""The surface of MCP: a client session of the SDK and the server in this process, or the command over stdio."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import anyio
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

import hindsight
from hindsight.domain.errors import HindsightError
from hindsight.entrypoints.access import keyless
from hindsight.entrypoints.mcp import build_server
from hindsight.entrypoints.mcp.server import ERROR_META
from hindsight.entrypoints.mcp.tools import TOOLS, uri_of
from hindsight.entrypoints.presenting import present
from surfaces.refused import Refused

Answer = Any

_FIRST_ARGUMENTS = {
    "write": ("namespace",),
    "search": ("query",),
    "forget": ("memory_id",),
    "verify": ("memory_id",),
    "context": ("query",),
    "observe": ("namespace", "session_id", "turns"),
}
_CALLS_AT_ONCE = 4


class McpSurface:
    """What MCP offers goes through a client; what it leaves to the user is done as the user does it, in Python."""

    ceiling = "assistant"

    def __init__(self, home: Path) -> None:
        self._owner = hindsight.open(home, settings={"look_back.worker": False})
        access = keyless("default")
        self._server = build_server(
            self._owner, access_of=lambda _: access, limiter=anyio.CapacityLimiter(_CALLS_AT_ONCE), language="en"
        )
        self._open = ExitStack()
        self._portal = self._open.enter_context(start_blocking_portal())
        self._client = self._open.enter_context(self._session(home))

    def _session(self, home: Path) -> AbstractContextManager[Client]:
        return self._portal.wrap_async_context_manager(Client(self._server, mode="legacy"))

    def call(self, verb: str, *positional: Answer, **named: Answer) -> Answer:
        if verb == "memory":
            return self._read(named["namespace"], positional[0])
        if verb == "why":
            return self._read(named["namespace"], positional[0], "/why")
        if f"memory_{verb}" not in TOOLS or named.get("origin", self.ceiling) == "user":
            return self._by_the_user(verb, *positional, **named)
        given = {**dict(zip(_FIRST_ARGUMENTS[verb], positional, strict=False)), **named}
        if verb in ("forget", "verify"):
            # The tools have no such argument: an agent speaks for itself.
            given.pop("origin", None)
        return self._call_tool(f"memory_{verb}", given)

    def _call_tool(self, name: str, given: dict[str, Answer]) -> Answer:
        result = self._portal.call(self._client.call_tool, name, given)
        assert isinstance(result, CallToolResult)
        if result.is_error:
            assert result.meta is not None
            told = result.meta[ERROR_META]
            assert told["message"] in result.content[0].text  # type: ignore[union-attr]
            raise Refused(told["code"], told["kind"], told["message"])
        return result.structured_content

    def _read(self, namespace: str, memory_id: str, ending: str = "") -> Answer:
        import json

        try:
            read = self._portal.call(self._client.read_resource, uri_of(namespace, memory_id) + ending)
        except MCPError as error:
            told = error.error.data
            raise Refused(told["code"], told["kind"], told["message"]) from error
        return json.loads(read.contents[0].text)  # type: ignore[union-attr]

    def _by_the_user(self, verb: str, *positional: Answer, **named: Answer) -> Answer:
        try:
            return present(getattr(self._owner, verb)(*positional, **named))
        except HindsightError as error:
            raise Refused(error.code, type(error).__name__, str(error)) from error

    def close(self) -> None:
        self._open.close()
        self._owner.close()


class StdioSurface(McpSurface):
    """The same with the command that clients start, in a process of its own on the same home."""

    def _session(self, home: Path) -> AbstractContextManager[Client]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_")}
        command = StdioServerParameters(
            command=str(Path(sys.executable).with_name("hindsight")),
            args=["mcp", "--home", str(home)],
            env={**environment, "HINDSIGHT_LOOK_BACK_WORKER": "false", "PYTHONIOENCODING": "gbk"},
        )
        return self._portal.wrap_async_context_manager(Client(command))
