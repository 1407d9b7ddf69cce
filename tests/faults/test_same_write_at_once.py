"""One fact written twenty times at once, by every road: one memory, and its evidence counted once."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

import hindsight
from faults.test_mcp_stdio import Server, tool_call
from faults.test_serving import running
from hindsight import Hindsight, WriteResult

NS = "default"
TIMES = 20
SAID = "We moved the pottery kiln to the old boathouse."
FACT = {
    "key": "kiln_place",
    "value": "The pottery kiln stands in the old boathouse.",
    "evidence": [{"session_id": "s1", "turn_index": 0, "quote": SAID}],
}
QUIET = {"look_back.worker": False}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is told to stop in another way there")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    with hindsight.open(place, embedder=None, settings=QUIET) as hs:
        hs.observe(NS, "s1", [{"role": "user", "content": SAID, "at": "2026-03-01T09:00:00Z"}], distill=False)
    return place


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    started: list[Server] = []
    yield started
    for server in started:
        server.stop()


def at_once(calls: list[Callable[[], object]]) -> list[object]:
    """Every call on a thread of its own, and what each came to."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def write(hs: Hindsight) -> WriteResult:
    return hs.write(NS, origin="assistant", **FACT)  # pyright: ignore[reportArgumentType]


def assert_one_memory(home: Path, outcomes: list[str]) -> None:
    assert sorted(outcomes) == ["added"] + ["reinforced"] * (len(outcomes) - 1)
    with hindsight.open(home, embedder=None, settings=QUIET) as hs:
        [memory] = hs.memories(NS, statuses=("active", "stale", "archived"))
        assert [item.quote for item in memory.evidence] == [SAID]
        assert (memory.confidence, memory.version) == (0.6, 1)
        assert hs.audit_check() == []


def test_twenty_threads(home: Path) -> None:
    with hindsight.open(home, embedder=None, settings=QUIET) as hs:
        results = at_once([lambda: write(hs)] * TIMES)
    assert_one_memory(home, [result.outcome for result in results])  # type: ignore[attr-defined]


BODY = """
    import json, sys
    from concurrent.futures import ThreadPoolExecutor
    import hindsight
    fact, threads = json.loads(sys.argv[2]), int(sys.argv[3])
    with hindsight.open(sys.argv[1], embedder=None, settings={"look_back.worker": False}) as hs:
        with ThreadPoolExecutor(threads) as pool:
            for result in pool.map(lambda _: hs.write("default", origin="assistant", **fact), range(threads)):
                print(result.outcome)
"""


def start(home: Path, threads: int) -> subprocess.Popen[str]:
    arguments = [str(home), json.dumps(FACT), str(threads)]
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(BODY), *arguments], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(("processes", "threads"), [(4, 1), (4, 5)])
def test_several_processes_with_one_thread_or_five(home: Path, processes: int, threads: int) -> None:
    workers = [start(home, threads) for _ in range(processes)]
    said = [worker.communicate(timeout=120)[0].split() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * processes
    assert_one_memory(home, [outcome for outcomes in said for outcome in outcomes])


def test_two_servers_two_agents_and_this_process_together(home: Path, servers: list[Server]) -> None:
    agents = [Server(home), Server(home)]
    servers.extend(agents)
    for agent in agents:
        agent.start()
    with ExitStack() as stack:
        webs = [stack.enter_context(running(home)) for _ in range(2)]
        hs = stack.enter_context(hindsight.open(home, embedder=None, settings=QUIET))
        for agent in agents:
            agent.send(*(tool_call(number, "memory_write", **FACT) for number in range(1, TIMES // 4 + 1)))
        calls: list[Callable[[], object]] = [lambda: write(hs).outcome] * (TIMES // 4)
        body = {**FACT, "origin": "assistant"}
        for web in webs:
            calls += [lambda web=web: web.call("POST", "/v1/memories", body)[1]["outcome"]] * (TIMES // 4)
        outcomes = [str(outcome) for outcome in at_once(calls)]
    for agent in agents:
        _, lines, _ = agent.finish()
        answers = [json.loads(line) for line in lines]
        outcomes += [answer["result"]["structuredContent"]["outcome"] for answer in answers if answer["id"]]
    assert len(outcomes) == TIMES // 4 * 5
    assert_one_memory(home, outcomes)


def test_one_request_id_from_twenty_threads_is_one_write_and_one_answer(home: Path) -> None:
    with hindsight.open(home, embedder=None, settings=QUIET) as hs:

        def ask() -> WriteResult:
            return hs.write(NS, key="kiln_fuel", value="The kiln burns birch.", request_id="once")

        results = at_once([ask] * TIMES)
        [memory] = hs.memories(NS)
    assert {(r.outcome, r.memory.id, r.memory.version) for r in results} == {("added", memory.id, 1)}  # type: ignore[attr-defined]
