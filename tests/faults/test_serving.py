"""A server as a process: it starts, refuses, lets requests and jobs finish, and ends with success."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hindsight

LONGEST_S = 60
PROGRAM = "from hindsight.entrypoints.cli import main; main()"


@dataclass
class Running:
    """A server process, its address, and the code it shows."""

    process: subprocess.Popen[str]
    url: str
    lines: list[str]

    def call(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", data, method=method)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=LONGEST_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LONGEST_S)


def command(home: Path, *more: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_")}
    environment |= {"HINDSIGHT_EMBEDDER_NAME": "none", "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from hindsight.entrypoints.cli import main; main()",
            "serve",
            "--home",
            str(home),
            *more,
        ],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


@contextmanager
def running(home: Path, *more: str) -> Generator[Running]:
    process = command(home, "--port", "0", *more)
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if found := re.search(r"REST\s+(http://\S+)/v1", line):
            url = found.group(1)
        if line.strip().startswith("hindsight search"):
            break
    else:
        raise AssertionError(process.communicate()[1])
    try:
        yield Running(process, url, lines)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def refused(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=LONGEST_S)
    return process.returncode, said


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is told to stop in another way there")


def test_a_server_says_where_it_is_serves_and_ends_with_success(tmp_path: Path) -> None:
    with running(tmp_path / "home", "--namespace", "user/kim") as server:
        text = "\n".join(server.lines)
        assert f"{server.url}/mcp" in text
        assert text.count("mcpServers") == 2
        assert text.count("curl -s") == 2
        body = {"key": "tea_preference", "value": "Drinks green tea in the morning."}
        status, written = server.call("POST", "/v1/memories", body)
        assert (status, written["memory"]["namespace"]) == (201, "user/kim")
        listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        status, answer = server.call("POST", "/mcp", listed, Accept="application/json, text/event-stream")
        assert status == 200
        assert "memory_search" in json.dumps(answer)
        assert server.stop() == 0


@pytest.mark.slow
def test_two_servers_share_a_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(home) as first, running(home) as second:
        body = {"key": "tea_preference", "value": "Drinks green tea in the morning."}
        assert first.call("POST", "/v1/memories", body)[0] == 201
        assert second.call("POST", "/v1/memories", body)[1]["outcome"] == "reinforced"
        [memory] = first.call("GET", "/v1/memories")[1]["items"]
        assert memory["version"] == 2
        assert (first.stop(), second.stop()) == (0, 0)


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        port = server.url.rpartition(":")[2]
        code, said = refused(command(tmp_path / "other", "--port", port))
    assert (code, "port_in_use" in said, port in said) == (7, True, True)
    assert not (tmp_path / "other").exists()


@pytest.mark.slow
def test_nothing_is_served_beyond_this_machine_without_a_key(tmp_path: Path) -> None:
    home = tmp_path / "home"
    code, said = refused(command(home, "--host", "0.0.0.0", "--port", "0"))
    assert (code, "serve_needs_key" in said) == (4, True)
    with hindsight.open(home, embedder=None) as service:
        secret = service.create_key(label="t", namespaces=["default"]).secret
    with running(home, "--host", "0.0.0.0") as server:
        assert server.call("GET", "/v1/memories")[0] == 401
        assert server.call("GET", "/v1/memories", Authorization=f"Bearer {secret}")[0] == 200
        assert server.call("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})[0] == 401
        assert server.stop() == 0


@pytest.mark.slow
def test_requests_in_flight_and_the_job_at_hand_finish_before_the_end(tmp_path: Path) -> None:
    home = tmp_path / "home"
    turns = [{"role": "user", "content": f"I live in Leeds and I work on project number {n}."} for n in range(60)]
    answers: list[tuple[int, Any]] = []
    with running(home) as server:
        server.call("POST", "/v1/sessions/s1/turns", {"turns": turns, "distill": False})
        server.call("POST", "/v1/sessions/s2/turns", {"turns": turns, "end": True})
        call = threading.Thread(target=lambda: answers.append(server.call("POST", "/v1/sessions/s1/distill")))
        call.start()
        # The call that asks for the figures is one of the two.
        while "hindsight_http_requests_in_flight 2.0" not in figures(server) and not answers:
            pass
        assert server.stop() == 0
        call.join(LONGEST_S)
    [(status, result)] = answers
    assert status == 200, result
    with hindsight.open(home, embedder=None, settings={"look_back.worker": False}) as service:
        assert {job.state for job in service.jobs("default")} <= {"done", "queued"}
        assert list(service.check()) == []


def figures(server: Running) -> str:
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=LONGEST_S) as answer:
        return answer.read().decode()
