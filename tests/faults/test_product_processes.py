"""The whole product under several processes and under kill -9."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import hindsight
from hindsight.testing import HashEmbedder

NS = "user/zhang-san"
QUIET = {"look_back.worker": False}
HEAD = """
import json, sys
import hindsight
from hindsight.testing import HashEmbedder
home, name = sys.argv[1], sys.argv[2]
hs = hindsight.open(home, embedder=HashEmbedder(), settings={"look_back.worker": False, "look_back.lease_s": 1.0})
"""
TALK = [
    {"role": "user", "content": "I live in Utrecht and I work as a tram driver.", "at": "2026-03-01T10:00:00Z"},
    {"role": "assistant", "content": "Good to know.", "at": "2026-03-01T10:00:05Z"},
    {"role": "user", "content": "I'm allergic to hazelnuts, remember that.", "at": "2026-03-01T10:01:00Z"},
    {"role": "user", "content": "From now on always answer me in metric units.", "at": "2026-03-01T10:02:00Z"},
    {"role": "user", "content": "我只喝燕麦奶做的拿铁。", "at": "2026-03-01T10:03:00Z"},
]


def start(home: Path, body: str, name: str) -> subprocess.Popen[str]:
    code = HEAD + textwrap.dedent(body)
    return subprocess.Popen([sys.executable, "-c", code, str(home), name], stdout=subprocess.PIPE, text=True)


def reopened(home: Path) -> hindsight.Hindsight:
    return hindsight.open(home, embedder=HashEmbedder(), settings=QUIET)


def test_four_processes_writing_the_same_fact_leave_one_memory(home: Path) -> None:
    reopened(home).close()
    body = f"""
    for _ in range(5):
        hs.write({NS!r}, key="咖啡口味", value="用户只喝燕麦拿铁。", origin="user")
    hs.close()
    """
    workers = [start(home, body, str(number)) for number in range(4)]
    assert [worker.wait(timeout=120) for worker in workers] == [0] * 4
    for worker in workers:
        worker.communicate()
    with reopened(home) as hs:
        assert len(hs.memories(NS)) == 1
        assert hs.audit_check() == []


def test_two_processes_writing_and_one_reading_lose_nothing(home: Path) -> None:
    reopened(home).close()
    body = f"""
    for number in range(40):
        value = f"Locker {{name}}{{number}} holds rope."
        hs.write({NS!r}, key=f"locker_{{name}}_{{number}}", value=value, origin="user")
    hs.close()
    """
    writers = [start(home, body, name) for name in ("A", "B")]
    with reopened(home) as hs:
        while any(writer.poll() is None for writer in writers):
            hs.search("locker rope", namespace=NS, layers=["semantic"])
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0]
    with reopened(home) as hs:
        statuses = ("active", "stale", "archived")
        kept = hs.memories(NS, statuses=statuses, limit=1000).items
        sources = {memory.key for memory in kept}
        assert len(sources) == 80
        assert list(hs.check()) == []


def test_every_acknowledged_write_survives_kill_9(home: Path) -> None:
    reopened(home).close()
    body = f"""
    for number in range(1000):
        result = hs.write({NS!r}, key=f"locker_{{number}}", value=f"Locker {{number}} holds rope.", origin="user")
        print(json.dumps([number, result.memory.id]), flush=True)
    """
    writer = start(home, body, "A")
    assert writer.stdout is not None
    acknowledged: list[str] = []
    for line in writer.stdout:
        acknowledged.append(json.loads(line)[1])
        if len(acknowledged) == 12:
            writer.send_signal(signal.SIGKILL)
            break
    acknowledged += [json.loads(line)[1] for line in writer.stdout if line.endswith("\n")]
    writer.communicate()
    with reopened(home) as hs:
        for memory_id in acknowledged:
            assert hs.memory(memory_id, namespace=NS).id == memory_id
        assert list(hs.check()) == []
        assert list(hs.audit_check()) == []


@pytest.mark.slow
@pytest.mark.parametrize("delay_ms", [0, 20, 40, 80, 120, 200, 300, 500])
def test_a_look_back_killed_at_any_moment_is_finished_and_doubles_nothing(home: Path, delay_ms: int) -> None:
    with reopened(home) as hs:
        hs.observe(NS, "whole", TALK, end=True)
        hs.wait()
        expected = sorted(memory.value for memory in hs.memories(NS))
        assert expected
        hs.observe("user/li-si", "s", TALK, end=True)
    body = """
    print("ready", flush=True)
    hs.distill("user/li-si", "s")
    """
    worker = start(home, body, "A")
    assert worker.stdout is not None
    worker.stdout.readline()
    time.sleep(delay_ms / 1000)
    worker.send_signal(signal.SIGKILL)
    worker.communicate()
    with hindsight.open(home, embedder=HashEmbedder(), settings=QUIET) as hs:
        deadline = time.monotonic() + 60
        while hs.pending().jobs and time.monotonic() < deadline:
            hs.wait()
        assert sorted(memory.value for memory in hs.memories("user/li-si")) == expected
        assert len(hs.episodes("user/li-si")) == 1
        assert [len(memory.evidence) for memory in hs.memories("user/li-si")] == [
            len(memory.evidence) for memory in hs.memories(NS)
        ]
