"""The embedder service in this process: its answers, its limits, and how it gathers what waits."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from starlette.testclient import TestClient

from hindsight.domain.errors import BackendUnavailable
from hindsight.entrypoints.embedder.app import TEXT_CHARACTERS_MAX, TEXTS_MAX, EmbedderService
from hindsight.ports import Vectors
from hindsight.testing import HashEmbedder


class Watched(HashEmbedder):
    """Notes how many texts each call brings, and waits at a gate."""

    def __init__(self) -> None:
        super().__init__(dimension=64)
        self.calls: list[int] = []
        self.gate = threading.Event()
        self.gate.set()
        self.broken = False

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.gate.wait(30)
        if self.broken:
            raise BackendUnavailable("the model is gone", code="embedder_unavailable")
        self.calls.append(len(texts))
        return super().passages(texts)


@pytest.fixture
def embedder() -> Watched:
    return Watched()


@pytest.fixture
def client(embedder: Watched) -> Iterator[TestClient]:
    with TestClient(EmbedderService(embedder).app()) as opened:
        yield opened


def test_texts_come_back_as_the_embedders_own_vectors_in_order(client: TestClient) -> None:
    texts = ["海边的灯塔", "a lighthouse by the sea", "灯塔"]
    answer = client.post("/v1/embeddings", json={"input": texts, "input_type": "query"}).json()
    rows = np.array([entry["embedding"] for entry in sorted(answer["data"], key=lambda e: e["index"])])
    np.testing.assert_allclose(rows, HashEmbedder(dimension=64).queries(texts), atol=1e-6)
    assert (answer["object"], answer["model"]) == ("list", "hash-64")
    assert answer["usage"]["total_tokens"] > 0


def test_base64_holds_the_same_numbers(client: TestClient) -> None:
    body = {"input": "a lighthouse", "encoding_format": "base64"}
    [entry] = client.post("/v1/embeddings", json=body).json()["data"]
    row = np.frombuffer(base64.b64decode(entry["embedding"]), dtype="<f4")
    np.testing.assert_allclose(row, HashEmbedder(dimension=64).passages(["a lighthouse"])[0], atol=1e-6)


def test_it_says_what_its_vectors_are(client: TestClient) -> None:
    [model] = client.get("/v1/models").json()["data"]
    assert (model["id"], model["hindsight"]["dimension"]) == ("hash-64", 64)
    for name in ("zh", "en", "cross"):
        cosines, similarities = model["hindsight"]["curves"][name]
        assert cosines == sorted(cosines)
        assert (cosines[0], cosines[-1]) == (-1.0, 1.0)
        assert similarities == sorted(similarities)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_input"),
        ({"input": []}, "invalid_input"),
        ({"input": [1, 2]}, "invalid_input"),
        ({"input": [[1, 2]]}, "invalid_input"),
        ({"input": "  "}, "invalid_input"),
        ({"input": "x" * (TEXT_CHARACTERS_MAX + 1)}, "invalid_input"),
        ({"input": ["x"] * (TEXTS_MAX + 1)}, "invalid_input"),
        ({"input": "x", "model": "other"}, "unknown_embedder"),
        ({"input": "x", "input_type": "document"}, "invalid_input_type"),
        ({"input": "x", "encoding_format": "int8"}, "invalid_encoding"),
        ([], "invalid_body"),
    ],
)
def test_what_it_does_not_take_is_refused_with_a_code_and_without_the_words(
    client: TestClient, body: object, code: str
) -> None:
    answer = client.post("/v1/embeddings", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_a_body_that_is_no_json_or_too_large_is_refused(client: TestClient) -> None:
    assert client.post("/v1/embeddings", content=b"{").json()["error"]["code"] == "invalid_body"
    large = client.post("/v1/embeddings", content=b" " * (16 * 1024 * 1024 + 1))
    assert (large.status_code, large.json()["error"]["code"]) == (413, "body_too_large")


def test_requests_that_wait_together_are_embedded_together(client: TestClient, embedder: Watched) -> None:
    client.post("/v1/embeddings", json={"input": "first"})
    embedder.gate.clear()
    embedder.calls.clear()
    with ThreadPoolExecutor(20) as pool:
        waiting = [pool.submit(client.post, "/v1/embeddings", json={"input": f"text {n}"}) for n in range(20)]
        while "hindsight_embedder_texts_waiting 20.0" not in client.get("/metrics").text:
            pass
        embedder.gate.set()
        answers = [request.result(30).json() for request in waiting]
    for number, answer in enumerate(answers):
        expected = HashEmbedder(dimension=64).passages([f"text {number}"])[0]
        np.testing.assert_allclose(answer["data"][0]["embedding"], expected, atol=1e-6)
    assert sum(embedder.calls) == 20
    assert len(embedder.calls) <= 3


def test_too_much_waiting_is_told_to_come_back(client: TestClient, embedder: Watched) -> None:
    client.post("/v1/embeddings", json={"input": "first"})
    embedder.gate.clear()
    with ThreadPoolExecutor(12) as pool:
        waiting = [pool.submit(client.post, "/v1/embeddings", json={"input": ["x"] * TEXTS_MAX}) for _ in range(10)]
        refused = next(r.result() for r in _as_done(waiting))
        embedder.gate.set()
        statuses = sorted(request.result(60).status_code for request in waiting)
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "1"
    assert refused.json()["error"]["code"] == "embedder_busy"
    assert statuses.count(200) == 8


def _as_done(waiting: list) -> Iterator:  # type: ignore[type-arg]
    while True:
        yield from (request for request in waiting if request.done())


def test_a_model_that_fails_is_503_and_it_is_ready_once_it_answers(embedder: Watched) -> None:
    embedder.broken = True
    with TestClient(EmbedderService(embedder).app()) as client:
        assert client.get("/health/live").json() == {"alive": True}
        failed = client.post("/v1/embeddings", json={"input": "x"})
        assert (failed.status_code, failed.json()["error"]["code"]) == (503, "embedder_unavailable")
        assert client.get("/health/ready").status_code == 503
        assert client.get("/health/ready").json() == {"ready": False, "waiting_for": ["model"]}
        embedder.broken = False
        assert client.post("/v1/embeddings", json={"input": "x"}).status_code == 200
        assert client.get("/health/ready").json() == {"ready": True, "waiting_for": []}


def test_with_a_key_only_its_holders_are_served(embedder: Watched) -> None:
    with TestClient(EmbedderService(embedder, api_key="open-sesame").app()) as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "open"}):
            assert client.post("/v1/embeddings", json={"input": "x"}, headers=headers).status_code == 401
            assert client.get("/v1/models", headers=headers).status_code == 401
        right = {"Authorization": "Bearer open-sesame"}
        assert client.post("/v1/embeddings", json={"input": "x"}, headers=right).status_code == 200
        assert client.get("/health/live").status_code == 200


def test_figures_hold_no_words(client: TestClient) -> None:
    client.post("/v1/embeddings", json={"input": "my secret garden", "input_type": "query"})
    text = client.get("/metrics").text
    assert 'hindsight_embedder_texts_total{input_type="query"} 1.0' in text
    assert "garden" not in text
