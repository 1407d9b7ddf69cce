"""A model behind real HTTP that answers late, wrong, in pieces or not at all: nothing is lost and the job says so."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import hindsight
from hindsight.testing import FrozenClock, HashEmbedder

pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")
pytest.importorskip("openai", reason="the extra llm is not installed")

NS = "user/ines"
TALK = [
    {"role": "user", "content": "I'm allergic to walnuts. The kiln in my studio fires at 1,240 degrees."},
    {"role": "assistant", "content": "Good to know. Shall I plan the glaze tests?"},
    {"role": "user", "content": "那就这样，先到这里。"},
]
FACT = {
    "key": "kiln_temperature",
    "value": "The kiln in the user's studio fires at 1240 degrees.",
    "category": "fact",
    "evidence": [{"turn": 0, "quote": "kiln in my studio fires at 1,240 degrees"}],
    "confidence": 0.9,
}
GOOD = json.dumps({"memories": [FACT]})

Reply = tuple[int, bytes, dict[str, str]]


def chat(text: str | None, *, finish: str = "stop", **more: Any) -> Reply:
    """An answer in the form of OpenAI's chat completions."""
    message = {"role": "assistant", "content": text} | more
    whole = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1_000},
    }
    return 200, json.dumps(whole).encode(), {}


def claude(text: str) -> Reply:
    """An answer in the form of Anthropic's messages."""
    whole = {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 900, "output_tokens": 100},
    }
    return 200, json.dumps(whole).encode(), {}


@dataclass
class Scripted:
    """A server on loopback that answers by a script; its last line is repeated."""

    script: list[Callable[[], Reply]]
    asked: list[tuple[str, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    port: int = 0

    def reply(self) -> Reply:
        line = self.script[min(len(self.asked), len(self.script)) - 1]
        return line()


@contextmanager
def serving(*script: Reply | Callable[[], Reply]) -> Generator[Scripted]:
    scripted = Scripted([line if callable(line) else (lambda line=line: line) for line in script])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            scripted.asked.append(
                (self.path, json.loads(body), {name.lower(): value for name, value in self.headers.items()})
            )
            status, content, headers = scripted.reply()
            self.send_response(status)
            for name, value in (
                {"Content-Type": "application/json", "Content-Length": str(len(content))} | headers
            ).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that has given up is what these tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    scripted.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield scripted
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def home_on(home: Path, port: int, **more: Any) -> Generator[hindsight.Hindsight]:
    settings = {
        "look_back.worker": False,
        "llm.model": "scripted",
        "llm.base_url": f"http://127.0.0.1:{port}/v1",
        "llm.api_key": "secret-of-the-test",
        "llm.timeout_s": 1,
        "llm.attempts": 2,
    } | {name.replace("__", "."): value for name, value in more.items()}
    clock = FrozenClock("2026-03-08T12:00:00Z")
    with hindsight.open(home, embedder=HashEmbedder(), clock=clock, settings=settings) as service:
        yield service


def look_back(service: hindsight.Hindsight) -> tuple[list[str], hindsight.Job]:
    """What is remembered of the talk, and the job that remembered it."""
    service.observe(NS, "s", TALK, end=True)
    service.wait()
    [job] = service.jobs(NS)
    assert job.state == "done", job.error
    return sorted(memory.value for memory in service.memories(NS)), job


def by_rules(home: Path) -> list[str]:
    """What the rules alone remember of it."""
    with hindsight.open(
        home, embedder=HashEmbedder(), clock=FrozenClock("2026-03-08T12:00:00Z"), settings={"look_back.worker": False}
    ) as service:
        return look_back(service)[0]


@pytest.fixture(scope="module")
def rules_alone(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    found = by_rules(tmp_path_factory.mktemp("rules"))
    assert found
    return found


@pytest.mark.parametrize(
    "answer", [GOOD, f"```json\n{GOOD}\n```", f"Here you are: {GOOD}", f"<think>{{hm}}</think>{GOOD}"]
)
def test_a_good_answer_is_remembered_and_says_who_made_it(tmp_path: Path, answer: str) -> None:
    with serving(chat(answer)) as server, home_on(tmp_path, server.port) as service:
        _, job = look_back(service)
        [memory] = [m for m in service.memories(NS) if m.made_by.startswith("model/")]
        assert memory.value == FACT["value"]
        assert memory.made_by == "model/extract-1:scripted"
        assert memory.trust == "trusted"
        assert memory.evidence[0].quote == "kiln in my studio fires at 1,240 degrees"
        assert not [note for note in job.notes if note.startswith("model")]
    path, body, headers = server.asked[0]
    assert (path, body["model"], body["max_tokens"]) == ("/v1/chat/completions", "scripted", 4_000)
    assert headers["authorization"] == "Bearer secret-of-the-test"


def test_anthropics_form_is_spoken_too(tmp_path: Path) -> None:
    pytest.importorskip("anthropic", reason="the extra llm is not installed")
    with (
        serving(claude(GOOD)) as server,
        home_on(
            tmp_path, server.port, llm__model="anthropic:scripted", llm__base_url=f"http://127.0.0.1:{server.port}"
        ) as hs,
    ):
        values, job = look_back(hs)
        assert FACT["value"] in values
        assert not [note for note in job.notes if note.startswith("model")]
    assert server.asked[0][0].split("?")[0] == "/v1/messages"


def test_a_schema_is_sent_where_the_service_is_said_to_enforce_it(tmp_path: Path) -> None:
    with serving(chat(GOOD)) as server, home_on(tmp_path, server.port, llm__answer="schema") as service:
        look_back(service)
    assert server.asked[0][1]["response_format"]["type"] == "json_schema"


def late() -> Reply:
    time.sleep(8)
    return chat(GOOD)


MISBEHAVING: dict[str, tuple[Reply | Callable[[], Reply], str]] = {
    "a refusal": (chat("I'm sorry, I can't help with that."), "model_output_invalid"),
    "a refusal in its own field": (chat(None, refusal="no"), "model_output_invalid"),
    "a content filter": (chat("", finish="content_filter"), "model_output_invalid"),
    "an empty answer": (chat(""), "model_output_invalid"),
    "no content": (chat(None), "model_output_invalid"),
    "a lone surrogate": (chat("\ud83d"), "model_output_invalid"),
    "half of the JSON": (chat(GOOD[:30]), "model_answer_cut"),
    "another type": (chat('{"memories": "none"}'), "model_output_invalid"),
    "no JSON as the body": ((200, b"<<<", {}), "model_failed"),
    "a page": ((200, b"<html>busy</html>", {"Content-Type": "text/html"}), "model_output_invalid"),
    "another object": ((200, b'{"choices": 3}', {}), "model_output_invalid"),
    "no choices": (
        (200, b'{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[]}', {}),
        "model_output_invalid",
    ),
    "a body shorter than promised": ((200, b'{"id"', {"Content-Length": "900"}), "model_unreachable"),
    "HTTP 400": ((400, b'{"error": {"message": "bad"}}', {}), "model_request_refused"),
    "HTTP 401": ((401, b"{}", {}), "model_key_refused"),
    "HTTP 403": ((403, b"{}", {}), "model_key_refused"),
    "HTTP 404": ((404, b"not here", {}), "model_request_refused"),
    "HTTP 429": ((429, b"{}", {"Retry-After": "0"}), "model_busy"),
    "HTTP 500": ((500, b"boom", {}), "model_failed"),
    "HTTP 503": ((503, b"", {}), "model_busy"),
    "silence": (late, "model_timed_out"),
}


@pytest.mark.parametrize("name", MISBEHAVING)
def test_the_rules_stand_in_and_the_job_says_why(name: str, tmp_path: Path, rules_alone: list[str]) -> None:
    line, note = MISBEHAVING[name]
    timeout = 1 if name == "silence" else 20
    with serving(line) as server, home_on(tmp_path, server.port, llm__timeout_s=timeout, llm__attempts=1) as service:
        values, job = look_back(service)
    assert values == rules_alone
    assert note in job.notes


def test_an_endpoint_that_is_not_there_costs_nothing(tmp_path: Path, rules_alone: list[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with home_on(tmp_path, taken.getsockname()[1], llm__attempts=1) as service:
            values, job = look_back(service)
    assert values == rules_alone
    assert "model_unreachable" in job.notes


@pytest.mark.parametrize("first", [(500, b"boom", {}), (429, b"{}", {"Retry-After": "0"}), chat("no")])
def test_a_second_try_mends_what_the_first_broke(tmp_path: Path, first: Reply) -> None:
    with serving(first, chat(GOOD)) as server, home_on(tmp_path, server.port) as service:
        values, job = look_back(service)
    assert FACT["value"] in values
    assert not [note for note in job.notes if note.startswith("model")]
    assert len(server.asked) == 2


def test_a_refused_key_is_not_tried_again(tmp_path: Path) -> None:
    with serving((401, b"{}", {})) as server, home_on(tmp_path, server.port, llm__attempts=5) as service:
        look_back(service)
    assert len(server.asked) == 1


def test_what_the_model_invents_is_dropped_and_counted_in_the_job(tmp_path: Path) -> None:
    invented = FACT | {"value": "The user's kiln fires at 1300 degrees."}
    unquoted = FACT | {"evidence": [{"turn": 0, "quote": "my kiln is the hottest in town"}]}
    answer = json.dumps({"memories": [invented, unquoted, FACT]})
    with serving(chat(answer)) as server, home_on(tmp_path, server.port) as service:
        values, job = look_back(service)
        assert not any("1300" in value for value in values)
        dropped = sorted(item.reason for item in job.rejected if item.reason.startswith("model:"))
        assert dropped == ["model:number_not_said", "model:quote_not_found"]
        assert {item.reason for item in service.distill(NS, "s").rejected} >= set(dropped)


def test_the_days_cap_holds_over_a_restart(tmp_path: Path) -> None:
    with serving(chat(GOOD)) as server:
        with home_on(tmp_path, server.port, llm__day_tokens_max=12_000) as service:
            assert FACT["value"] in look_back(service)[0]
        with home_on(tmp_path, server.port, llm__day_tokens_max=1_500) as service:
            service.observe(NS, "t", TALK, end=True)
            service.wait()
            notes = [job.notes for job in service.jobs(NS) if job.session_id == "t"]
            assert ["model_day_spent" in found for found in notes] == [True]
    assert len(server.asked) == 1


def test_a_slow_model_keeps_its_lease_and_is_asked_once(tmp_path: Path) -> None:
    def slow() -> Reply:
        time.sleep(2.5)
        return chat(GOOD)

    def opened(port: int) -> hindsight.Hindsight:
        settings = {"look_back.lease_s": 1.0, "llm.model": "scripted", "llm.base_url": f"http://127.0.0.1:{port}/v1"}
        return hindsight.open(tmp_path, embedder=HashEmbedder(), settings=settings)

    with serving(slow) as server, opened(server.port) as first, opened(server.port) as second:
        first.observe(NS, "s", TALK, end=True)
        second.wait()
        assert [job.state for job in first.jobs(NS)] == ["done"]
        assert FACT["value"] in [memory.value for memory in first.memories(NS)]
    assert len(server.asked) == 1


def test_without_the_extra_naming_a_model_is_an_error_that_says_what_to_install(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = (
        "import sys\n"
        "sys.modules['pydantic_ai'] = None\n"
        "import hindsight\n"
        "from hindsight.testing import HashEmbedder\n"
        "hindsight.open(sys.argv[1], embedder=HashEmbedder()).close()\n"
        "try:\n"
        "    hindsight.open(sys.argv[1], embedder=HashEmbedder(), settings={'llm.model': 'openai:any'})\n"
        "except hindsight.InvalidRequest as exc:\n"
        "    print(exc.code, exc)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("llm_missing")
    assert "pip install 'hindsight-agent-memory[llm]'" in done.stdout


def test_a_key_file_is_read_and_the_key_is_never_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = tmp_path / "key"
    key.write_text("from-a-file\n", encoding="utf-8")
    with (
        serving(chat(GOOD)) as server,
        home_on(tmp_path / "home", server.port, llm__api_key="", llm__api_key_file=str(key)) as service,
    ):
        look_back(service)
    assert server.asked[0][2]["authorization"] == "Bearer from-a-file"
    monkeypatch.setenv("HINDSIGHT_LLM_API_KEY", "never-print-this")
    printed = [item.value for item in hindsight.Settings.load(None).effective() if item.setting.name == "llm.api_key"]
    assert printed == ["(set)"]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
