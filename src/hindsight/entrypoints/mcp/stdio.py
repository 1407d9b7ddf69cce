"""Serving one client over standard input and output.

Standard output carries the protocol and nothing else: `hindsight.entrypoints.wire` has taken it away
before anything was loaded. The SDK's own transport does so only once it serves, ends lines as the
platform does, drops what it cannot parse without a word, and leaves requests unanswered that a client
sends right before it closes our input.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import AsyncIterator
from io import TextIOWrapper
from typing import Any, BinaryIO, Final, cast

import anyio
from anyio import from_thread
from anyio.lowlevel import current_token
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import INVALID_REQUEST, PARSE_ERROR

from hindsight.entrypoints.presenting import Json

# How long answers may still take after the client has closed our input.
LAST_ANSWERS_S: Final = 30.0
# A client that sends faster than we answer waits; what it sent is in the pipe.
LINES_AHEAD: Final = 16


async def serve_stdio(server: Server[Any], *, wire: BinaryIO) -> None:
    """Serve until the client closes our input, and answer everything it had sent by then."""
    outgoing = _Outgoing(wire)
    # A descriptor of its own: at exit the interpreter would wait for a lock on `sys.stdin`.
    incoming = _Incoming(os.fdopen(os.dup(0), "rb", closefd=False), outgoing)
    async with stdio_server(
        stdin=cast("anyio.AsyncFile[str]", incoming), stdout=cast("anyio.AsyncFile[str]", outgoing)
    ) as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


class _Outgoing:
    """Lines to the client, each one message, and the requests that still wait for theirs."""

    def __init__(self, wire: BinaryIO) -> None:
        self._file = anyio.wrap_file(TextIOWrapper(wire, encoding="utf-8", newline="\n", write_through=True))
        self._waiting: set[str] = set()
        self._changed = anyio.Event()

    def expect(self, request_id: Json) -> None:
        """Note a request that will be answered."""
        self._waiting.add(json.dumps(request_id))

    def settle(self, request_id: Json) -> None:
        """Note that a request needs no answer any more."""
        self._waiting.discard(json.dumps(request_id))
        self._changed.set()
        self._changed = anyio.Event()

    async def write(self, line: str) -> None:
        await self._file.write(line)
        message = cast("dict[str, Json]", json.loads(line))
        if "method" not in message:
            self.settle(message.get("id"))

    async def flush(self) -> None:
        await self._file.flush()

    async def all_answered(self) -> None:
        """Return when no request waits for its answer."""
        while self._waiting:
            await self._changed.wait()


class _Incoming:
    """Lines from the client. Its end is passed on once everything that was asked is answered."""

    def __init__(self, source: BinaryIO, outgoing: _Outgoing) -> None:
        self._source = source
        self._outgoing = outgoing

    async def __aiter__(self) -> AsyncIterator[str]:
        async for raw in self._lines():
            if not raw.strip():
                continue
            line = raw.decode("utf-8", "replace")
            try:
                message: object = json.loads(line)
            except (ValueError, RecursionError):
                await self._refuse(PARSE_ERROR, "the line is not JSON; send one JSON-RPC message a line")
                continue
            if not _is_message(message):
                await self._refuse(INVALID_REQUEST, "the line is no JSON-RPC 2.0 message; it needs a method")
                continue
            self._note(cast("dict[str, Json]", message))
            yield line
        with anyio.move_on_after(LAST_ANSWERS_S):
            await self._outgoing.all_answered()

    async def _lines(self) -> AsyncIterator[bytes]:
        """Lines as bytes, because text would also break them at a lone carriage return.

        A thread of the pool would keep the process alive after Ctrl-C until the client sends a line.
        """
        send, receive = anyio.create_memory_object_stream[bytes](LINES_AHEAD)
        token = current_token()

        def read() -> None:
            try:
                while line := self._source.readline():
                    from_thread.run(send.send, line, token=token)
                from_thread.run_sync(send.close, token=token)
            except (anyio.BrokenResourceError, anyio.RunFinishedError):
                # Nobody serves any more.
                return

        threading.Thread(target=read, name="hindsight-stdin", daemon=True).start()
        async with receive:
            async for line in receive:
                yield line

    def _note(self, message: dict[str, Json]) -> None:
        params = message.get("params")
        if "method" in message and "id" in message:
            self._outgoing.expect(message["id"])
        elif message.get("method") == "notifications/cancelled" and isinstance(params, dict):
            self._outgoing.settle(params.get("requestId"))

    async def _refuse(self, code: int, said: str) -> None:
        error = {"code": code, "message": said}
        await self._outgoing.write(json.dumps({"jsonrpc": "2.0", "id": None, "error": error}) + "\n")
        await self._outgoing.flush()


def _is_message(message: object) -> bool:
    """Whether the SDK will take it: what it does not take it drops without a word."""
    if not isinstance(message, dict):
        return False
    fields = cast("dict[str, object]", message)
    has_id = isinstance(fields.get("id"), str | int) and not isinstance(fields.get("id"), bool)
    if "method" in fields:
        return (
            isinstance(fields["method"], str)
            and (has_id or "id" not in fields)
            and isinstance(fields.get("params", {}), dict)
        )
    return has_id and ("result" in fields or "error" in fields)
