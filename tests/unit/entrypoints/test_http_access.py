"""Who may do what over HTTP: keys, rights, namespaces, the owner's code, hosts and origins."""

from __future__ import annotations

from typing import Any

import pytest

from hindsight import Hindsight, PermissionDenied
from hindsight.domain.namespace import Namespace
from hindsight.entrypoints.access import Access, by_key
from hindsight.entrypoints.http.codes import OneTimeCode
from hindsight.entrypoints.http.guards import host_name, is_loopback
from hindsight.entrypoints.http.limits import WRONG_CODES_MAX
from hindsight.services.core import Caller
from serving_apps import served

TEA = {"key": "tea_preference", "value": "Drinks green tea in the morning."}


def bearer(hs: Hindsight, *namespaces: str, **more: Any) -> dict[str, str]:
    return {"Authorization": f"Bearer {hs.create_key(label='t', namespaces=namespaces, **more).secret}"}


# --- Keys ---


def test_without_keys_a_caller_on_this_machine_is_an_agent(hs: Hindsight) -> None:
    with served(hs) as rest:
        written = rest.json("POST", "/v1/memories", 201, json=TEA)["memory"]
        assert (written["origin"], written["trust"], written["writer"]) == ("assistant", "reported", None)
        told = rest.json("POST", "/v1/memories", 403, json={**TEA, "origin": "user"})
        assert told["code"] == "origin_above_caller"
        turns = [{"role": "user", "content": "I live in Leeds."}]
        rest.json("POST", "/v1/sessions/s/turns", json={"turns": turns})
        assert [turn["origin"] for turn in rest.json("GET", "/v1/sessions/s/turns")["items"]] == ["assistant"]


def test_without_keys_a_caller_only_proposes_against_what_is_trusted(hs: Hindsight) -> None:
    memory_id = hs.write("default", **TEA, origin="user").memory.id
    with served(hs) as rest:
        change = rest.json("POST", f"/v1/memories/{memory_id}/forget", json={"reason": "a page said so"})
        assert change["outcome"] == "proposed"
        change = rest.json("POST", f"/v1/memories/{memory_id}/verify", json={"outcome": "rejected"})
        assert change["outcome"] == "proposed"
        assert rest.json("GET", f"/v1/memories/{memory_id}")["status"] == "active"
        assert len(rest.json("GET", "/v1/review")["proposals"]) == 2


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/namespaces", "/v1/audit", "/v1/review", "/v1/quarantine"])
def test_once_there_is_a_key_every_call_needs_one(hs: Hindsight, path: str) -> None:
    headers = bearer(hs, "*")
    with served(hs) as rest:
        answer = rest.client.get(path)
        assert (answer.status_code, answer.json()["code"]) == (401, "key_required")
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert rest.client.get(path, headers=headers).status_code == 200
        assert rest.client.get("/health/ready").status_code in (200, 503)


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer ", "Bearer hsk_x_y", "Basic dXNlcjpwYXNz", "hsk_x_y"])
def test_a_key_that_opens_nothing_is_refused(hs: Hindsight, value: str) -> None:
    with served(hs) as rest:
        assert rest.json("GET", "/v1/memories", 401, headers={"Authorization": value})["code"] == "key_refused"


def test_a_revoked_key_is_refused_at_once_and_the_home_stays_closed(hs: Hindsight) -> None:
    issued = hs.create_key(label="t", namespaces=["*"])
    headers = {"Authorization": f"Bearer {issued.secret}"}
    with served(hs) as rest:
        rest.json("GET", "/v1/memories", headers=headers)
        hs.revoke_key(issued.key.id)
        assert rest.json("GET", "/v1/memories", 401, headers=headers)["code"] == "key_refused"
        assert rest.json("GET", "/v1/memories", 401)["code"] == "key_required"


def test_beyond_this_machine_a_key_is_needed_even_where_there_is_none(hs: Hindsight) -> None:
    with served(hs, bound_to="0.0.0.0", closed=True) as rest:
        assert rest.json("GET", "/v1/memories", 401)["code"] == "key_required"


def test_a_key_opens_its_namespaces_and_no_other(hs: Hindsight) -> None:
    for space in ("user/kim", "user/lee", "user"):
        hs.write(space, **TEA, origin="user")
    foreign = hs.memories("user/lee").items[0].id
    headers = bearer(hs, "user/kim")
    with served(hs) as rest:
        assert [m["namespace"] for m in rest.json("GET", "/v1/memories", headers=headers)["items"]] == ["user/kim"]
        assert rest.json("GET", "/v1/namespaces", headers=headers) == {"items": ["user/kim"], "default": "user/kim"}
        for space in ("user/lee", "user", "user/ki", "user/kim1", "nobody"):
            told = rest.json("GET", f"/v1/memories?namespace={space}", 403, headers=headers)
            assert told["code"] == "namespace_not_permitted"
        asked = {"query": "tea", "namespace": ["user/kim", "user/lee"]}
        assert rest.json("POST", "/v1/search", 403, json=asked, headers=headers)["code"] == "namespace_not_permitted"
        # Another's id and one that never was are told apart by nothing.
        unknown = rest.json("GET", "/v1/memories/mem_unknown", 404, headers=headers)
        other = rest.json("GET", f"/v1/memories/{foreign}", 404, headers=headers)
        assert other["detail"].replace(foreign, "mem_unknown") == unknown["detail"]


def test_a_key_of_no_namespace_gets_nothing(hs: Hindsight) -> None:
    hs.write("default", **TEA, origin="user")
    nothing = Access(caller=Caller(ceiling="assistant", owner=False), namespaces=(), default="default")
    for named in (None, "default", "user/kim"):
        with pytest.raises(PermissionDenied):
            nothing.permit(named)


def test_a_key_of_several_namespaces_means_the_servers_own_if_it_may(hs: Hindsight) -> None:
    several = hs.create_key(label="t", namespaces=["user/kim", "user/lee"]).key
    assert by_key(several, "user/lee").permit(None) == "user/lee"
    with pytest.raises(PermissionDenied):
        by_key(several, "default").permit(None)
    every = hs.create_key(label="t", namespaces=["*"]).key
    assert by_key(every, "default").permit("user/anyone") == Namespace("user/anyone")


@pytest.mark.parametrize(
    ("rights", "method", "path", "body", "status"),
    [
        (["read"], "GET", "/v1/memories", None, 200),
        (["read"], "POST", "/v1/search", {"query": "tea"}, 200),
        (["read"], "POST", "/v1/memories", TEA, 403),
        (["read"], "POST", "/v1/sessions/s/turns", {"turns": []}, 403),
        (["write"], "POST", "/v1/memories", TEA, 201),
        (["write"], "GET", "/v1/memories", None, 403),
        (["read", "write"], "DELETE", "/v1/memories/mem_x", None, 403),
        (["read", "write"], "POST", "/v1/quarantine/mem_x/release", {}, 403),
        (["owner"], "DELETE", "/v1/memories/mem_x", None, 404),
        (["owner"], "POST", "/v1/quarantine/mem_x/release", {}, 404),
        (["owner"], "POST", "/v1/erase", {"everything": True}, 200),
    ],
)
def test_a_key_does_what_its_rights_say(
    hs: Hindsight, rights: list[str], method: str, path: str, body: Any, status: int
) -> None:
    headers = bearer(hs, "default", rights=rights)
    with served(hs) as rest:
        rest.json(method, path, status, json=body, headers=headers)


def test_words_count_as_the_keys_highest_origin_at_most(hs: Hindsight) -> None:
    user, tool = bearer(hs, "default", highest_origin="user"), bearer(hs, "default", highest_origin="tool")
    with served(hs) as rest:
        said = rest.json("POST", "/v1/memories", 201, json={**TEA, "origin": "user"}, headers=user)["memory"]
        assert said["trust"] == "trusted"
        assert said["writer"].startswith("key_")
        written = {"key": "opening_hours", "value": "The shop on Mill Lane opens at nine."}
        read = rest.json("POST", "/v1/memories", 201, json=written, headers=tool)["memory"]
        assert (read["origin"], read["trust"]) == ("tool", "untrusted")
        forget = f"/v1/memories/{said['id']}/forget"
        assert rest.json("POST", forget, json={"reason": "x"}, headers=tool)["outcome"] == "proposed"
        assert rest.json("POST", forget, json={"reason": "x"}, headers=user)["outcome"] == "applied"


# --- The owner's code ---


def test_the_code_on_the_terminal_is_good_for_one_action(hs: Hindsight) -> None:
    first, second = (hs.write("default", key=f"{tea}_tea", value=f"Drinks {tea} tea.").memory.id for tea in "ab")
    with served(hs) as rest:
        assert rest.json("DELETE", f"/v1/memories/{first}", 403)["code"] == "owner_only"
        code = {"X-Hindsight-Code": rest.codes[-1]}
        assert rest.json("DELETE", f"/v1/memories/{first}", headers=code)["complete"] is True
        assert rest.json("DELETE", f"/v1/memories/{second}", 403, headers=code)["code"] == "wrong_code"
        assert rest.json("DELETE", f"/v1/memories/{second}", headers={"X-Hindsight-Code": rest.codes[-1]})


def test_the_code_does_not_stand_for_a_key(hs: Hindsight) -> None:
    headers = bearer(hs, "*")
    with served(hs) as rest:
        code = {"X-Hindsight-Code": rest.codes[-1]}
        assert rest.json("DELETE", "/v1/memories/mem_x", 401, headers=code)["code"] == "key_required"
        assert rest.json("DELETE", "/v1/memories/mem_x", 403, headers={**headers, **code})["code"] == "owner_only"


def test_a_code_that_is_guessed_at_is_replaced() -> None:
    shown: list[str] = []
    code = OneTimeCode(shown.append)
    code.renew()
    for _ in range(WRONG_CODES_MAX):
        with pytest.raises(PermissionDenied):
            code.spend("guess")
    assert len(set(shown)) == 2
    with pytest.raises(PermissionDenied):
        code.spend(shown[0])
    code.spend(f" {shown[1].upper()} ")


def test_before_a_code_is_shown_nothing_is_one() -> None:
    with pytest.raises(PermissionDenied):
        OneTimeCode(lambda _: None).spend("")


# --- Hosts and origins ---


@pytest.mark.parametrize(
    ("host", "bound_to", "status"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 200),
        ("localhost", "127.0.0.1", 200),
        ("[::1]:8000", "127.0.0.1", 200),
        ("LocalHost:9", "127.0.0.1", 200),
        ("memory.example:8000", "127.0.0.1", 200),
        ("evil.example", "127.0.0.1", 421),
        ("127.0.0.1.evil.example", "127.0.0.1", 421),
        ("localhost.evil.example:8000", "127.0.0.1", 421),
        ("192.168.1.7:8000", "127.0.0.1", 421),
        ("", "127.0.0.1", 421),
        ("192.168.1.7:8000", "0.0.0.0", 200),
        ("evil.example:8000", "0.0.0.0", 421),
    ],
)
def test_only_known_hosts_are_answered(hs: Hindsight, host: str, bound_to: str, status: int) -> None:
    with served(hs, bound_to=bound_to, hosts=("memory.example",)) as rest:
        assert rest.client.get("/health/live", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://127.0.0.1:8000", 200),
        ("https://app.example", 200),
        ("http://127.0.0.1:9000", 403),
        ("http://evil.example", 403),
        ("https://app.example.evil.example", 403),
        ("chrome-extension://127.0.0.1:8000", 403),
        ("null", 403),
    ],
)
def test_only_pages_of_known_origins_may_call(hs: Hindsight, origin: str | None, status: int) -> None:
    with served(hs, origins=("https://app.example/",)) as rest:
        headers = {} if origin is None else {"Origin": origin}
        assert rest.client.post("/v1/search", json={"query": "tea"}, headers=headers).status_code == status


def test_an_allowed_page_may_ask_before_it_calls(hs: Hindsight) -> None:
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    with served(hs, origins=("https://app.example",)) as rest:
        answer = rest.client.options("/v1/search", headers=asked)
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        assert rest.client.options("/v1/search", headers={**asked, "Origin": "https://x.example"}).status_code == 403


def test_an_address_is_told_from_a_name() -> None:
    assert [is_loopback(host) for host in ("localhost", "127.0.0.9", "::1", "[::1]")] == [True] * 4
    assert [is_loopback(host) for host in ("0.0.0.0", "::", "192.168.1.7", "memory.example")] == [False] * 4
    assert host_name("[2001:db8::1]:80") == "2001:db8::1"
