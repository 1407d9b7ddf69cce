"""The OpenAPI description: a change shows as a diff, every operation has examples, and they fit.

`SNAPSHOTS=write pytest tests/surfaces/test_openapi.py` writes the snapshot anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import hindsight
from hindsight.entrypoints.http.errors import STATUS_OF_KIND
from hindsight.testing import HashEmbedder
from serving_apps import Served, served

SNAPSHOT = Path(__file__).parent / "snapshots" / "openapi.json"


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("openapi") / "home"
    with (
        hindsight.open(home, embedder=HashEmbedder(), settings={"look_back.worker": False}) as service,
        served(service) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def description(rest: Served) -> dict[str, Any]:
    return rest.json("GET", "/openapi.json")


def operations(description: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, one) for path, each in description["paths"].items() for method, one in each.items()]


def test_the_description_is_what_it_was(description: dict[str, Any]) -> None:
    text = json.dumps({**description, "info": {**description["info"], "version": ""}}, ensure_ascii=False, indent=1)
    if os.environ.get("SNAPSHOTS") == "write":
        SNAPSHOT.write_text(text + "\n", encoding="utf-8")
    assert json.loads(SNAPSHOT.read_text(encoding="utf-8")) == json.loads(text)


def test_every_reference_resolves(description: dict[str, Any]) -> None:
    text = json.dumps(description)
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= set(description["components"]["schemas"])


def test_every_operation_says_what_it_does_with_examples_that_fit(description: dict[str, Any]) -> None:
    seen: set[str] = set()
    for path, method, operation in operations(description):
        assert operation["operationId"] not in seen
        seen.add(operation["operationId"])
        assert operation["description"]
        contents = [one["content"] for one in operation["responses"].values() if "content" in one]
        contents += [operation["requestBody"]["content"]] if "requestBody" in operation else []
        assert contents, f"{method} {path}"
        for media in (one for content in contents for one in content.values()):
            schema = {**media["schema"], "components": description["components"]}
            jsonschema.validate(media["example"], schema)


def test_answers_fit_their_description(rest: Served, description: dict[str, Any]) -> None:
    body = {"key": "tea_preference", "value": "Drinks green tea in the morning."}
    turns = {"turns": [{"role": "user", "content": "I'm a vegetarian and I live in Leeds."}]}
    calls: list[tuple[str, str, int, dict[str, Any] | None]] = [
        ("/v1/memories", "post", 201, body),
        ("/v1/memories", "get", 200, None),
        ("/v1/search", "post", 200, {"query": "green tea"}),
        ("/v1/context", "post", 200, {"query": "green tea", "window_tokens": 4000}),
        ("/v1/sessions/{session_id}/turns", "post", 200, turns),
        ("/v1/sessions/{session_id}/turns", "get", 200, None),
        ("/v1/sessions/{session_id}/distill", "post", 200, None),
        ("/v1/sessions", "get", 200, None),
        ("/v1/episodes", "get", 200, None),
        ("/v1/jobs", "get", 200, None),
        ("/v1/review", "get", 200, None),
        ("/v1/conflicts", "get", 200, None),
        ("/v1/quarantine", "get", 200, None),
        ("/v1/receipts", "get", 200, None),
        ("/v1/audit", "get", 200, None),
        ("/v1/namespaces", "get", 200, None),
        ("/v1/memories/{memory_id}", "get", 404, None),
        ("/v1/memories/{memory_id}", "delete", 403, None),
    ]
    for path, method, status, sent in calls:
        given = {} if sent is None else {"json": sent}
        answer = rest.json(method.upper(), path.format(session_id="s1", memory_id="mem_x"), status, **given)
        responses = description["paths"][path][method]["responses"]
        content = responses.get(str(status), responses["default"])["content"]
        [media] = content.values()
        jsonschema.validate(answer, {**media["schema"], "components": description["components"]})


def test_every_kind_of_error_has_a_status() -> None:
    kinds = {kind for kind in vars(hindsight).values() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert kinds - {hindsight.HindsightError} == set(STATUS_OF_KIND)


def test_every_route_and_every_status_is_documented(description: dict[str, Any]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "http.md").read_text(encoding="utf-8")
    missing = [
        f"{method} {path}" for path, method, _ in operations(description) if f"{method.upper()} {path}`" not in page
    ]
    assert missing == []
    assert [status for status in STATUS_OF_KIND.values() if f"| {status} |" not in page] == []
