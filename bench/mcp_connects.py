"""What connecting clients leave behind: the server's resident memory over a thousand MCP connects.

    python bench/mcp_connects.py                  1,000 connects over streamable HTTP, then 1,000 over SSE
    python bench/mcp_connects.py --connects 200

Each client connects, lists the tools, searches once and goes. The first tenth warms up (the embedder,
the pool, the allocator); from there on the level must stay, so the table ends with the growth a connect.
Reads ``/proc``, so Linux only.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

STEPS = 10
START_S = 60.0
ASKED = {"query": "Where is item number 7 kept?"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print one table for each transport, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connects", type=int, default=1000, help="how many clients, one after the other")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="hindsight-connects-") as folder, serving(Path(folder)) as (pid, url):
        levels = {transport: anyio.run(measure, pid, url, transport, options.connects) for transport in ("http", "sse")}
    if options.json:
        print(json.dumps(levels, indent=2))
        return
    for transport, rows in levels.items():
        print(f"{transport}: connects, resident MiB")
        for connects, level in rows:
            print(f"{connects:>8} {level:>8.1f}")
        (first, warm), (last, end) = rows[1], rows[-1]
        print(f"growth after warming up: {(end - warm) * 1024 / (last - first):.2f} KiB a connect")


@contextmanager
def serving(folder: Path) -> Any:
    """(process id, URL) of `hindsight serve` on an empty home and a free port."""
    command = [str(Path(sys.executable).with_name("hindsight")), "serve", "--port", "0", "--home", str(folder / "home")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        yield process.pid, _url(process)
    finally:
        process.terminate()
        process.wait(START_S)


def _url(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            return found.group()
    raise SystemExit("the server did not start")


async def measure(pid: int, url: str, transport: str, connects: int) -> list[tuple[int, float]]:
    """(connects so far, resident MiB), at the start and after every tenth."""
    rows = [(0, resident(pid))]
    async with httpx2.AsyncClient(timeout=START_S) as http:
        for number in range(1, connects + 1):
            await visit(_transport(http, url, transport))
            if number % max(1, connects // STEPS) == 0:
                rows.append((number, resident(pid)))
    return rows


def _transport(http: httpx2.AsyncClient, url: str, transport: str) -> AbstractAsyncContextManager[Any]:
    if transport == "sse":
        return sse_client(f"{url}/sse")
    return streamable_http_client(f"{url}/mcp", http_client=http)


async def visit(transport: AbstractAsyncContextManager[Any]) -> None:
    """One client: connect, look, search, go."""
    async with Client(transport, mode="legacy") as client:
        await client.list_tools()
        answer = await client.call_tool("memory_search", ASKED)
        assert not answer.is_error


def resident(pid: int) -> float:
    """The process's resident memory in MiB, after a moment in which it may let go of the last client."""
    time.sleep(0.2)
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    main()
