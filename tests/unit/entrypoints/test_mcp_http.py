"""MCP over HTTP: who is let in, from which page, with which key, and what is left when a client is gone."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette

from hindsight import Hindsight
from hindsight.domain.errors import PermissionDenied
from hindsight.entrypoints.access import Access, keyless
from hindsight.entrypoints.mcp import McpHttp, http_app
from hindsight.services.core import Caller

KIM = "user/kim"
LEE = "user/lee"
WAIT_S = 30.0
ORIGINS = ["http://localhost:*", "http://127.0.0.1:*"]
HOSTS = ["localhost:*", "127.0.0.1:*"]
TOOLS_LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def two_keys(authorization: str | None) -> Access:
    """Kim's key and Lee's; anyone else is refused."""
    names = {"Bearer hsk_kim": KIM, "Bearer hsk_lee": LEE}
    if authorization not in names:
        raise PermissionDenied("the API key is unknown", code="key_refused")
    mine = names[authorization]
    return Access(caller=Caller(ceiling="user", owner=True, writer=mine), namespaces=(mine,), default=mine)


def application(hs: Hindsight, authenticate: Callable[[str | None], Access]) -> tuple[Starlette, McpHttp]:
    served = http_app(
        hs,
        authenticate=authenticate,
        allowed_hosts=HOSTS,
        allowed_origins=ORIGINS,
        limiter=anyio.CapacityLimiter(4),
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with served.running():
            yield

    return Starlette(routes=served.routes, lifespan=lifespan), served


def ask(hs: Hindsight, method: str = "POST", path: str = "/mcp", *, keys: bool = False, **headers: str) -> Any:
    """The response to one request, without a server."""
    app, served = application(hs, two_keys if keys else lambda _: keyless(KIM))

    async def run() -> httpx2.Response:
        transport = httpx2.ASGITransport(app=app)
        async with served.running(), httpx2.AsyncClient(transport=transport, base_url="http://localhost:8000") as http:
            sent = {**HEADERS, **{name.replace("_", "-"): value for name, value in headers.items()}}
            return await http.request(method, path, headers=sent, json=TOOLS_LIST if method == "POST" else None)

    return anyio.run(run)


def test_a_request_stands_for_itself(hs: Hindsight) -> None:
    answer = ask(hs)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert len(answer.json()["result"]["tools"]) == 6
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example:8000"}, 421),
        ({"Host": "evil.example:8000", "Origin": "http://localhost:8000"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_a_page_cannot_rebind_its_name_to_this_port(
    hs: Hindsight, path: str, headers: dict[str, str], status: int
) -> None:
    assert ask(hs, "GET" if path == "/sse" else "POST", path, **headers).status_code == status


@pytest.mark.parametrize(
    ("method", "path", "allowed"), [("GET", "/mcp", "POST"), ("DELETE", "/mcp", "POST"), ("POST", "/sse", "GET")]
)
def test_another_method_is_told_which_is_allowed(hs: Hindsight, method: str, path: str, allowed: str) -> None:
    answer = ask(hs, method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer hsk_other"}])
@pytest.mark.parametrize(("method", "path"), [("POST", "/mcp"), ("GET", "/sse"), ("POST", "/messages/")])
def test_without_a_good_key_nothing_is_served(hs: Hindsight, method: str, path: str, headers: dict[str, str]) -> None:
    answer = ask(hs, method, path, keys=True, **headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["error"]["code"] == "key_refused"


class Served:
    """A real server on a port of its own, with two keys."""

    def __init__(self, hs: Hindsight) -> None:
        app, self._mcp = application(hs, two_keys)
        self._server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none"))
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        deadline = time.monotonic() + WAIT_S
        while not self._server.started and time.monotonic() < deadline:
            self._thread.join(0.01)
        [self._listening] = self._server.servers
        self.url = f"http://127.0.0.1:{self._listening.sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        if self._thread.is_alive():
            self._listening.get_loop().call_soon_threadsafe(self._mcp.stop)
            self._server.should_exit = True
            self._thread.join(WAIT_S)
        assert not self._thread.is_alive()


@pytest.fixture
def served(hs: Hindsight) -> Iterator[Served]:
    running = Served(hs)
    yield running
    running.stop()


@pytest.fixture
def url(served: Served) -> str:
    return served.url


async def story(client: Client, mine: str) -> None:
    written = await client.call_tool("memory_write", {"key": "tea_preference", "value": f"Drinks tea of {mine}."})
    assert written.structured_content["memory"]["namespace"] == mine
    found = await client.call_tool("memory_search", {"query": "tea"})
    assert [hit["memory"]["value"] for hit in found.structured_content["hits"]] == [f"Drinks tea of {mine}."]
    other = LEE if mine == KIM else KIM
    refused = await client.call_tool("memory_search", {"query": "tea", "namespace": other})
    assert refused.is_error


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_each_key_sees_its_own_over_streamable_http(url: str, mode: str) -> None:
    async def run() -> None:
        for mine, key in ((KIM, "hsk_kim"), (LEE, "hsk_lee")):
            headers = {"Authorization": f"Bearer {key}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as http,
                Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
            ):
                await story(client, mine)

    anyio.run(run)


def test_each_key_sees_its_own_over_sse(url: str) -> None:
    async def run() -> None:
        for mine, key in ((KIM, "hsk_kim"), (LEE, "hsk_lee")):
            stream = sse_client(f"{url}/sse", headers={"Authorization": f"Bearer {key}"})
            async with Client(stream, mode="legacy") as client:
                await story(client, mine)

    anyio.run(run)


def test_another_key_cannot_post_to_an_open_stream(url: str) -> None:
    async def run() -> None:
        kim, lee = ({"Authorization": f"Bearer {key}"} for key in ("hsk_kim", "hsk_lee"))
        async with (
            httpx2.AsyncClient(base_url=url, timeout=WAIT_S) as http,
            http.stream("GET", "/sse", headers=kim) as stream,
        ):
            lines = stream.aiter_lines()
            posted_to = [await anext(lines), await anext(lines)][1].removeprefix("data: ")
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            assert (await http.post(posted_to, json=ping, headers=lee)).status_code == 404
            assert (await http.post(posted_to, json=ping, headers=kim)).status_code == 202

    anyio.run(run)


def test_an_open_stream_does_not_hold_up_the_shutdown(served: Served) -> None:
    headers = {"Authorization": "Bearer hsk_kim"}
    with httpx2.Client(base_url=served.url, timeout=WAIT_S) as http, http.stream("GET", "/sse", headers=headers) as sse:
        lines = sse.iter_lines()
        assert next(lines) == "event: endpoint"
        served.stop()
