"""What a surface costs: search and write over Python, REST and MCP, each beside the floor under it.

    python bench/surfaces.py                                  5,000 turns and 100,000 memories, a minute of load
    python bench/surfaces.py --turns 500 --memories 2000 --seconds 10

The home is filled straight into the store, with random vectors: what a search costs depends on how many
there are, not on what they mean. Questions and writes are embedded for real. REST and MCP go over a
socket to `hindsight serve` in a process of its own, on one kept connection a client.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import numpy as np

import hindsight
from hindsight.adapters.embedders.auto import open_embedder
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.namespace import Namespace
from hindsight.services.indexed import memory_terms, turn_terms
from hindsight.testing import SAMPLE_TIME, sample_memory, sample_session, sample_turn

SPACE = Namespace("bench")
BATCH = 1_000
WORDS = (
    "quarterly report regional logistics second reviewer board review supplier contract warehouse shift plan".split()
)
QUESTIONS = ("who reviews the regional report", "which supplier has the warehouse contract", "谁负责仓库的排班")
ONE_WRITE_IN = 8
PROGRAM = "from hindsight.entrypoints.cli import main; main()"


@dataclass
class Timed:
    """The milliseconds that calls of one kind took, this process's part of them, and the errors."""

    ms: list[float] = field(default_factory=list)
    cpu_ms: float = 0.0
    errors: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        if len(self.ms) < 2:
            return f"{name:<34} no calls"
        cut = statistics.quantiles(self.ms, n=20)
        # On a machine that others use too, the CPU time of a call says more than its wall time.
        cpu = f"   cpu {self.cpu_ms / len(self.ms):8.2f} ms" if self.cpu_ms else ""
        wall = f"p50 {statistics.median(self.ms):8.2f} ms   p95 {cut[18]:8.2f} ms"
        return f"{name:<34} {wall}{cpu}   of {len(self.ms)}"


def timed(call: Callable[[int], object], count: int, *, here: bool = True) -> Timed:
    """*call* with 0 to *count*, one after the other; its work is done in this process where *here*."""
    taken = Timed()
    begin_cpu = time.process_time()
    for number in range(count):
        begin = time.perf_counter()
        call(number)
        taken.ms.append((time.perf_counter() - begin) * 1e3)
    taken.cpu_ms = (time.process_time() - begin_cpu) * 1e3 if here else 0.0
    return taken


# --- Filling ---


def sentence(number: int) -> str:
    """A made-up fact, different for each number."""
    words = " ".join(WORDS[(number * step + step) % len(WORDS)] for step in (1, 3, 5, 7))
    return f"Item {number} is about the {words} of room {number % 997}."


def fill(home: Path, *, turns: int, memories: int, dimension: int) -> None:
    """Put memories and turns with random unit vectors into the store."""
    chance = np.random.default_rng(7)

    def vectors(count: int) -> np.ndarray:
        found = chance.standard_normal((count, dimension), dtype=np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    store = SqliteStore.open(home)
    for start in range(0, memories, BATCH):
        with store.writing(SPACE) as scope:
            for number, vector in enumerate(vectors(min(BATCH, memories - start)), start):
                at = SAMPLE_TIME + timedelta(seconds=number)
                memory = sample_memory(
                    f"mem_{number:032x}", namespace=SPACE, key=f"item_{number}_topic", value=sentence(number), at=at
                )
                scope.put_memory(memory, why="added", terms=memory_terms(memory), vector=vector)
    for start in range(0, turns, BATCH):
        with store.writing(SPACE) as scope:
            session, count = f"s{start}", min(BATCH, turns - start)
            scope.put_session(sample_session(session, turn_count=count))
            said = [sample_turn(session, n, sentence(start + n), at=SAMPLE_TIME) for n in range(count)]
            scope.add_turns(said, terms=[turn_terms(turn) for turn in said])
            items = scope.turn_items(session, first=0, end=count)
            for n, vector in enumerate(vectors(count)):
                scope.put_vector(items[n], vector)
    store.close()


# --- Floors ---


def floors(folder: Path, *, rows: int, count: int) -> list[str]:
    """What no surface can go below: embedding the question, reading every vector once, one fsync."""
    embedder = open_embedder("auto")
    embedder.queries([QUESTIONS[0]])
    matrix = np.random.default_rng(7).integers(-127, 127, (rows, embedder.dimension), dtype=np.int8)
    words = matrix.reshape(-1).view(np.int64)
    with (folder / "floor").open("wb") as file:

        def sync(number: int) -> None:
            file.write(os.urandom(4096))
            file.flush()
            os.fsync(file.fileno())

        return [
            timed(lambda n: embedder.queries([f"{QUESTIONS[n % 3]} {n}"]), count).line("floor: embed one question"),
            timed(lambda _: np.bitwise_xor.reduce(words), count).line(f"floor: read {rows:,} int8 vectors once"),
            timed(sync, count).line("floor: one fsync of 4 kB"),
        ]


# --- Surfaces ---


class Rest:
    """One kept connection to the server."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def _post(self, path: str, body: object, **headers: str) -> dict[str, object]:
        sent = {"Content-Type": "application/json", **headers}
        self._connection.request("POST", path, json.dumps(body).encode(), sent)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{answer.status} {text[:200]!r}")
        return json.loads(text)

    def search(self, number: int) -> object:
        """One search, never the same question twice."""
        return self._post("/v1/search", {"namespace": SPACE, "query": f"{QUESTIONS[number % 3]} {number}"})

    def write(self, name: str) -> object:
        """One new fact."""
        return self._post("/v1/memories", {"namespace": SPACE, **fact(name)})


class Mcp(Rest):
    """The same through the tools."""

    def _tool(self, name: str, arguments: dict[str, object]) -> object:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        answer = self._post("/mcp", call, Accept="application/json, text/event-stream")
        result = answer.get("result")
        if not isinstance(result, dict) or result.get("isError"):
            raise RuntimeError(str(answer)[:200])
        return result

    def search(self, number: int) -> object:
        return self._tool("memory_search", {"namespace": SPACE, "query": f"{QUESTIONS[number % 3]} {number}"})

    def write(self, name: str) -> object:
        return self._tool("memory_write", {"namespace": SPACE, **fact(name), "source": "bench"})


def fact(name: str) -> dict[str, str]:
    """A fact of its own, far from every other."""
    return {"key": f"locker_{name}_owner", "value": f"Locker {name} belongs to team {name}."}


@contextmanager
def server(home: Path) -> Generator[tuple[int, int]]:
    """`hindsight serve` on *home*: its port and process id."""
    command = [sys.executable, "-c", PROGRAM, "serve", "--home", str(home), "--port", "0"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    port = next(int(found.group(1)) for line in process.stdout if (found := re.search(r":(\d+)/v1", line)))
    print(f"{'serve: start to listening':<34} {time.perf_counter() - begin:.2f} s")
    # Nobody reads on; the pipe must not fill up.
    threading.Thread(target=process.stdout.read, daemon=True).start()
    try:
        yield port, process.pid
    finally:
        process.terminate()
        print(f"{'serve: exit code after SIGTERM':<34} {process.wait(120)}")


def resident_mb(pid: int) -> float:
    """Resident memory of a process, where the system tells."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found.group(1)) / 1024 if found else float("nan")


def load(port: int, *, clients: int, seconds: float) -> tuple[Timed, Timed]:
    """Many clients at once, each with a connection of its own; one call in eight writes."""
    searches, writes = Timed(), Timed()
    end = time.monotonic() + seconds

    def client(name: int) -> None:
        rest = Rest(port)
        number = 0
        while time.monotonic() < end:
            number += 1
            writing = (number + name) % ONE_WRITE_IN == 0
            begin = time.perf_counter()
            try:
                _ = rest.write(f"{name}x{number}") if writing else rest.search(name * 100_000 + number)
            except (OSError, RuntimeError, http.client.HTTPException) as error:
                (writes if writing else searches).errors.append(repr(error)[:200])
                rest = Rest(port)
                continue
            (writes if writing else searches).ms.append((time.perf_counter() - begin) * 1e3)

    threads = [threading.Thread(target=client, args=(name,)) for name in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return searches, writes


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=5_000)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="hindsight-surfaces-") as folder:
        home = Path(folder) / "home"
        fill(home, turns=chosen.turns, memories=chosen.memories, dimension=open_embedder("auto").dimension)
        print(f"{chosen.turns:,} turns, {chosen.memories:,} memories, load average {os.getloadavg()[0]:.1f}")
        for line in floors(Path(folder), rows=chosen.turns + chosen.memories, count=chosen.calls):
            print(line)
        with hindsight.open(home, settings={"look_back.worker": False}) as hs:
            hs.search("warm up", namespace=SPACE)
            python = timed(lambda n: hs.search(f"{QUESTIONS[n % 3]} {n}", namespace=SPACE), chosen.calls)
            print(python.line("python search"))
            wrote = timed(lambda n: hs.write(SPACE, **fact(f"py{n}")), chosen.calls)
            print(wrote.line("python write"))
        with server(home) as (port, pid):
            for name, surface in (("rest", Rest(port)), ("mcp", Mcp(port))):
                surface.search(0)
                print(timed(surface.search, chosen.calls, here=False).line(f"{name} search"))
                print(
                    timed(lambda n, s=surface, p=name: s.write(f"{p}{n}"), chosen.calls, here=False).line(
                        f"{name} write"
                    )
                )
            before = resident_mb(pid)
            searches, writes = load(port, clients=chosen.clients, seconds=chosen.seconds)
            print(searches.line(f"{chosen.clients} clients, search"))
            print(writes.line(f"{chosen.clients} clients, write"))
            failed = searches.errors + writes.errors
            print(f"{'errors':<34} {len(failed)} {failed[:3] if failed else ''}")
            print(f"{'server memory before and after':<34} {before:.0f} MB {resident_mb(pid):.0f} MB")
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
