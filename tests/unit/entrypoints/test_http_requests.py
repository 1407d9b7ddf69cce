"""What REST takes and refuses, and how it says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from hindsight import Hindsight
from serving_apps import BODY_BYTES_MAX, Served, served

JSON = {"Content-Type": "application/json"}
TEA = {"namespace": "user/kim", "key": "tea_preference", "value": "Drinks green tea in the morning."}


@pytest.fixture
def rest(hs: Hindsight) -> Iterator[Served]:
    with served(hs) as opened:
        yield opened


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b'{"query": ', JSON, 400, "invalid_json"),
        (b'{"query": NaN}', JSON, 400, "invalid_json"),
        (b"[" * 100_000, JSON, 400, "invalid_json"),
        (b'{"limit": ' + b"1" * 5_000 + b"}", JSON, 400, "invalid_json"),
        (b'{"query": "\xff"}', JSON, 400, "invalid_utf8"),
        ('{"query": "茶"}'.encode("utf-16"), JSON, 400, "invalid_utf8"),
        (b'{"query": "tea"}', {}, 415, "not_json"),
        (b'{"query": "tea"}', {"Content-Type": "text/plain"}, 415, "not_json"),
        (b'{"query": "tea"}', {"Content-Type": "application/json; charset=gbk"}, 415, "not_json"),
        (b"", JSON, 422, "missing_field"),
        (b"[]", JSON, 422, "invalid_field"),
        (b"{}", JSON, 422, "missing_field"),
        (b'{"query": "tea", "top_k": 5}', JSON, 422, "unknown_field"),
        (b'{"query": "tea", "include_untrusted": "yes"}', JSON, 422, "invalid_field"),
        (b'{"query": "\\ud800"}', JSON, 422, "invalid_query"),
        (b'{"query": 5}', JSON, 422, "invalid_query"),
        (b'{"query": "tea", "limit": true}', JSON, 422, "invalid_limit"),
        (b'{"query": "tea", "namespace": 5}', JSON, 422, "invalid_namespace"),
        (b'{"query": "tea", "namespace": []}', JSON, 422, "invalid_namespace"),
        (b'{"query": "' + b"a" * BODY_BYTES_MAX + b'"}', JSON, 413, "body_too_large"),
    ],
)
def test_a_wrong_body_is_told_as_a_problem(
    rest: Served, body: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    answer = rest.client.post("/v1/search", content=body, headers=headers)
    told = answer.json()
    assert (answer.status_code, told["status"], told["code"]) == (status, status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert told["type"] == f"urn:hindsight:error:{code}"
    assert told["detail"]
    assert told["kind"] in ("InvalidRequest", "LimitExceeded")


def test_a_body_without_a_length_is_counted(rest: Served) -> None:
    pieces = (b"a" * 100_000 for _ in range(20))
    answer = rest.client.post("/v1/search", content=pieces, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("query", "code"),
    [("namespace=user%20kim", "invalid_namespace"), ("limit=many", "invalid_field"), ("limit=0", "invalid_limit"),
     ("namespaces=user/kim", "unknown_field"), ("statuses=quarantined", "invalid_statuses"),
     ("cursor=", "invalid_cursor")],
)  # fmt: skip
def test_a_wrong_query_is_told_as_a_problem(rest: Served, query: str, code: str) -> None:
    assert rest.json("GET", f"/v1/memories?{query}", 422)["code"] == code


def test_every_wrong_field_is_named_by_a_pointer(rest: Served) -> None:
    told = rest.json("POST", "/v1/memories", 422, json={"key": "tea", "a/b": 1})
    assert {(error["in"], error["pointer"]) for error in told["errors"]} == {("body", "/value"), ("body", "/a~1b")}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/v2/memories", 404, "no_such_route"), ("PUT", "/v1/memories", 405, "method_not_allowed"),
     ("GET", "/v1/memories/mem_unknown", 404, "not_found"), ("GET", "/v1/sessions/unknown/turns", 404, "not_found"),
     ("GET", "/v1/traces/tra_unknown", 404, "not_found"), ("GET", "/v1/memories/%FF", 422, "invalid_field")],
)  # fmt: skip
def test_what_is_not_there_is_told_as_a_problem(rest: Served, method: str, path: str, status: int, code: str) -> None:
    assert rest.json(method, path, status)["code"] == code


def test_words_that_cannot_be_stored_are_refused(rest: Served) -> None:
    for value in ("a\\u0000b", "\\udfff", "茶\\ud83d"):
        body = f'{{"key": "tea_preference", "value": "{value}"}}'.encode()
        answer = rest.client.post("/v1/memories", content=body, headers=JSON)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_value")


def test_a_new_memory_is_created_and_a_known_one_is_ok(rest: Served) -> None:
    first = rest.json("POST", "/v1/memories", 201, json=TEA)
    second = rest.json("POST", "/v1/memories", 200, json=TEA)
    assert (first["outcome"], second["outcome"]) == ("added", "reinforced")


def test_an_idempotency_key_makes_a_retry_answer_as_before(rest: Served) -> None:
    headers = {"Idempotency-Key": "order-17-茶".encode()}
    first = rest.json("POST", "/v1/memories", 201, json=TEA, headers=headers)
    again = rest.json("POST", "/v1/memories", 201, json=TEA, headers=headers)
    assert again["memory"]["version"] == first["memory"]["version"] == 1
    assert again["outcome"] == first["outcome"]
    other = {**TEA, "value": "Drinks black tea."}
    assert rest.json("POST", "/v1/memories", 409, json=other, headers=headers)["code"] == "request_id_reused"


def test_an_answer_is_utf8_and_chinese_stands_in_it_as_it_is(rest: Served) -> None:
    body = {"key": "过敏_青霉素", "value": "对青霉素过敏。", "namespace": "用户/小林"}
    answer = rest.client.post("/v1/memories", content=json.dumps(body).encode(), headers=JSON)
    assert "对青霉素过敏。" in answer.content.decode("utf-8")
    refused = rest.client.post("/v1/memories", json={**body, "key": "用户信息"})
    assert "用户信息" in refused.content.decode("utf-8")
    assert answer.headers["cache-control"] == "no-store"


def test_a_namespace_stands_in_the_query_or_in_the_body_or_is_the_servers_own(rest: Served) -> None:
    bare = {"key": "tea_preference", "value": "Drinks green tea in the morning."}
    assert rest.json("POST", "/v1/memories?namespace=user/a", 201, json=bare)["memory"]["namespace"] == "user/a"
    body = {**bare, "namespace": "user/b"}
    assert rest.json("POST", "/v1/memories", 201, json=body)["memory"]["namespace"] == "user/b"
    assert rest.json("POST", "/v1/memories?namespace=user/b", 200, json=body)["memory"]["namespace"] == "user/b"
    assert rest.json("POST", "/v1/memories", 201, json=bare)["memory"]["namespace"] == "default"
    assert rest.json("POST", "/v1/memories?namespace=user/c", 422, json=body)["code"] == "namespace_named_twice"


def test_several_namespaces_are_searched_at_once(rest: Served) -> None:
    for space in ("user/a", "user/b"):
        rest.json("POST", "/v1/memories", 201, json={**TEA, "namespace": space})
    found = rest.json("POST", "/v1/search", json={"query": "green tea", "namespace": ["user/a", "user/b"]})
    assert {hit["namespace"] for hit in found["hits"]} == {"user/a", "user/b"}


@pytest.mark.parametrize("session_id", ["a/b", "turns", "a/b/turns", "会话 7", "50%2F", "a?b#c"])
def test_a_session_may_be_called_anything(rest: Served, session_id: str) -> None:
    path = f"/v1/sessions/{quote(session_id, safe='')}/turns"
    observed = rest.json("POST", path, json={"turns": [{"role": "user", "content": "I live in Leeds."}]})
    assert observed["session_id"] == session_id
    [turn] = rest.json("GET", path)["items"]
    assert (turn["session_id"], turn["content"]) == (session_id, "I live in Leeds.")


def test_pages_make_the_whole_list_once_each(rest: Served) -> None:
    for city in ("Leeds", "York", "Bath", "Hull", "Ely"):
        body = {"key": f"visited_{city.lower()}", "value": f"Has been to the market in {city}."}
        rest.json("POST", "/v1/memories", 201, json=body)
    seen: list[str] = []
    query = "limit=2"
    while query:
        page = rest.json("GET", f"/v1/memories?{query}")
        seen += [memory["key"] for memory in page["items"]]
        query = f"limit=2&cursor={page['next_cursor']}" if page["next_cursor"] else ""
    assert len(seen) == len(set(seen)) == 5


def test_a_long_session_is_read_page_by_page(rest: Served) -> None:
    turns = [{"role": "user", "content": f"Sentence {number}."} for number in range(5)]
    rest.json("POST", "/v1/sessions/s/turns", json={"turns": turns, "distill": False})
    seen: list[int] = []
    cursor = "0"
    while cursor is not None:
        page = rest.json("GET", f"/v1/sessions/s/turns?limit=2&cursor={cursor}")
        seen += [turn["index"] for turn in page["items"]]
        cursor = page["next_cursor"]
    assert seen == [0, 1, 2, 3, 4]
    assert rest.json("GET", "/v1/sessions/s/turns?cursor=99999999999999999999999")["items"] == []
    for wrong in ("-1", "x", "²"):
        assert rest.json("GET", f"/v1/sessions/s/turns?cursor={wrong}", 422)["code"] == "invalid_cursor"


def test_a_memory_tells_its_whole_life(rest: Served) -> None:
    memory_id = rest.json("POST", "/v1/memories", 201, json=TEA)["memory"]["id"]
    shown = rest.json("GET", f"/v1/memories/{memory_id}/history?namespace=user/kim")
    assert [version["why"] for version in shown["versions"]]
    assert shown["memory"]["id"] == memory_id
    events = rest.json("GET", f"/v1/audit?namespace=user/kim&subject={memory_id}")["items"]
    assert [event["action"] for event in events] == ["memory.added"]


def test_a_defect_tells_nothing_of_itself(rest: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the user's own words")

    monkeypatch.setattr(Hindsight, "memories", broken)
    told = rest.json("GET", "/v1/memories", 500)
    assert (told["code"], told["kind"]) == ("internal", "")
    assert "words" not in json.dumps(told)
