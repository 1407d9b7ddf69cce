"""MCP over stdio as clients start it: a clean wire, an end with the client, two servers on one home."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hindsight
from surfaces.mcp_driver import StdioSurface

Message = dict[str, Any]

# The machine may be busy, and the first start loads everything.
ANSWER_S = 90
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
TEA = {"key": "饮茶偏好", "value": "喜欢喝龙井，不加糖。"}


def tool_call(number: int, name: str, **given: object) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": given}}


class Server:
    """`hindsight mcp` in a process of its own, its lines read as they come."""

    def __init__(self, home: Path, *options: str, **environment: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_")}
        self.process = subprocess.Popen(
            [str(Path(sys.executable).with_name("hindsight")), "mcp", "--home", str(home), *options],
            env={**inherited, "HINDSIGHT_EMBEDDER_NAME": "none", **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def send(self, *messages: Message | bytes) -> None:
        assert self.process.stdin is not None
        for message in messages:
            raw = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
            self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def line(self) -> bytes:
        return self._lines.get(timeout=ANSWER_S)

    def start(self) -> Message:
        self.send(INITIALIZE, INITIALIZED)
        return json.loads(self.line())

    def finish(self) -> tuple[int, list[bytes], str]:
        """Close its input: (exit code, the lines not read yet, standard error)."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        said = self.process.stderr.read().decode("utf-8", "replace")
        code = self.process.wait(timeout=ANSWER_S)
        self._reader.join(timeout=ANSWER_S)
        return code, list(self._lines.queue), said

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    started: list[Server] = []
    yield started
    for server in started:
        server.stop()


def test_every_line_is_one_message_also_at_the_first_start(home: Path, servers: list[Server]) -> None:
    # The embedder is loaded here too: whatever a library prints while it starts must not reach the wire.
    server = Server(home, HINDSIGHT_EMBEDDER_NAME="auto", PYTHONIOENCODING="gbk", PYTHONUNBUFFERED="1")
    servers.append(server)
    first = server.start()
    assert first["result"]["serverInfo"]["name"] == "hindsight"
    server.send(tool_call(1, "memory_write", **TEA), tool_call(2, "memory_search", query="饮茶偏好", min_relevance=0))
    server.send({"jsonrpc": "2.0", "id": 3, "method": "tools/list"})
    code, lines, said = server.finish()
    assert (code, said) == (0, "")
    messages = [json.loads(line) for line in lines]
    assert {message["id"] for message in messages} == {1, 2, 3}
    assert all(message["jsonrpc"] == "2.0" and "result" in message for message in messages)
    for line in lines:
        assert line.endswith(b"\n")
        assert b"\r" not in line
    assert TEA["value"].encode() in b"".join(lines)


def test_what_was_asked_before_the_input_closed_is_answered(home: Path, servers: list[Server]) -> None:
    server = Server(home)
    servers.append(server)
    server.send(INITIALIZE, INITIALIZED, *(tool_call(n, "memory_search", query="tea") for n in range(1, 21)))
    code, lines, _ = server.finish()
    assert code == 0
    assert {json.loads(line)["id"] for line in lines} == set(range(21))


def test_it_exits_when_its_input_is_closed_before_a_word(home: Path, servers: list[Server]) -> None:
    server = Server(home)
    servers.append(server)
    assert server.finish() == (0, [], "")


@pytest.mark.skipif(sys.platform == "win32", reason="a console's Ctrl-C cannot be sent to one process here")
def test_ctrl_c_ends_it_while_the_client_is_silent(home: Path, servers: list[Server]) -> None:
    server = Server(home)
    servers.append(server)
    server.start()
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(timeout=ANSWER_S) == 130


BROKEN_LINES = [
    (b"not json", -32700),
    (b"\xff\xfe\x00", -32700),
    (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "ping"}', -32700),
    (b"[1, 2]", -32600),
    (b'{"jsonrpc": "2.0", "id": 5}', -32600),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": 7}', -32600),
]


def test_a_broken_line_is_answered_and_the_next_one_served(home: Path, servers: list[Server]) -> None:
    server = Server(home)
    servers.append(server)
    server.start()
    for number, (line, code) in enumerate(BROKEN_LINES, start=1):
        server.send(line, b"", {"jsonrpc": "2.0", "id": number, "method": "ping"})
        assert json.loads(server.line())["error"]["code"] == code
        assert json.loads(server.line()) == {"jsonrpc": "2.0", "id": number, "result": {}}
    assert server.finish()[0] == 0


def test_two_servers_on_one_home_lose_nothing(home: Path, servers: list[Server]) -> None:
    two = [Server(home), Server(home)]
    servers.extend(two)
    writes = 20
    for which, server in enumerate(two):
        server.send(INITIALIZE, INITIALIZED)
        for number in range(1, writes + 1):
            fact = f"Stall {which}-{number} sells lanterns of make {which * 1000 + number}."
            server.send(tool_call(number, "memory_write", key=f"stall_{which}_{number}", value=fact))
    acknowledged = 0
    for server in two:
        code, lines, said = server.finish()
        assert (code, said) == (0, "")
        answers = [json.loads(line) for line in lines]
        acknowledged += sum(answer["id"] != 0 and not answer["result"].get("isError") for answer in answers)
    assert acknowledged == 2 * writes
    with hindsight.open(home, embedder=None, settings={"look_back.worker": False}) as service:
        found = service.memories("default", limit=1000, statuses=("active", "stale", "archived"))
        values = {memory.key for memory in found}
        assert values == {f"stall_{which}_{number}" for which in range(2) for number in range(1, writes + 1)}
        assert list(service.check()) == []
        assert list(service.audit_check()) == []


def test_a_bound_server_refuses_other_namespaces(home: Path, servers: list[Server]) -> None:
    server = Server(home, "--namespace", "user/kim", "--only")
    servers.append(server)
    server.start()
    server.send(tool_call(1, "memory_write", **TEA), tool_call(2, "memory_write", **TEA, namespace="user/lee"))
    answers = {message["id"]: message["result"] for message in (json.loads(server.line()), json.loads(server.line()))}
    assert answers[1]["structuredContent"]["memory"]["namespace"] == "user/kim"
    assert answers[2]["isError"]
    assert "namespace_not_permitted" in answers[2]["content"][0]["text"]


def test_a_client_of_the_sdk_uses_the_command(home: Path) -> None:
    surface = StdioSurface(home)
    try:
        written = surface.call("write", "user/kim", **TEA)
        assert (written["outcome"], written["memory"]["trust"]) == ("added", "reported")
        found = surface.call("search", "饮茶偏好 龙井", namespace="user/kim", min_relevance=0)
        assert found["hits"][0]["memory"]["value"] == TEA["value"]
        memory_id = written["memory"]["id"]
        assert surface.call("memory", memory_id, namespace="user/kim")["key"] == TEA["key"]
        forgotten = surface.call("forget", memory_id, namespace="user/kim", reason="不再需要")
        assert forgotten["memory"]["status"] == "archived"
    finally:
        surface.close()
