"""Health, figures and the bounded pool."""

from __future__ import annotations

import threading

import anyio
import pytest

from hindsight import BackendUnavailable, Hindsight
from hindsight.entrypoints.http.pool import Pool
from serving_apps import served


def test_a_server_is_alive_and_then_ready(hs: Hindsight) -> None:
    with served(hs) as rest:
        assert rest.json("GET", "/health/live") == {"alive": True}
        while (answer := rest.client.get("/health/ready")).status_code == 503:
            assert answer.json()["waiting_for"] == ["embedder"]
        assert answer.json() == {"ready": True, "waiting_for": [], "degraded": []}


def test_a_store_that_is_away_makes_a_server_unready_and_not_dead(hs: Hindsight) -> None:
    with served(hs) as rest:
        hs.close()
        assert "store" in rest.json("GET", "/health/ready", 503)["waiting_for"]
        assert rest.json("GET", "/health/live") == {"alive": True}
        answer = rest.client.get("/v1/memories")
        assert (answer.status_code, answer.json()["retryable"]) == (503, True)
        assert answer.headers["retry-after"]


def test_figures_name_routes_and_never_what_was_asked(hs: Hindsight) -> None:
    with served(hs) as rest:
        rest.client.post("/v1/sessions/chat-7/turns", json={"namespace": "user/kim", "turns": []})
        rest.client.get("/v1/memories/mem_secret?namespace=user/kim")
        rest.client.get("/nothing/user-kim")
        rest.client.request("BREW", "/v1/memories")
        figures = rest.client.get("/metrics").text
    assert 'hindsight_http_requests_total{method="POST",route="/v1/sessions/{session_id}/turns",status="200"} 1.0' in (
        figures
    )
    assert 'route="/v1/memories/{memory_id}",status="404"' in figures
    assert 'method="GET",route="unmatched",status="404"' in figures
    assert 'method="other"' in figures
    assert "hindsight_jobs_waiting 0.0" in figures
    assert "hindsight_texts_waiting 0.0" in figures
    for told in ("chat-7", "kim", "mem_secret"):
        assert told not in figures


def test_the_root_says_where_everything_is(hs: Hindsight) -> None:
    with served(hs, namespace="user/kim") as rest:
        assert rest.json("GET", "/")["openapi"] == "/openapi.json"


def test_a_full_line_is_refused_at_once() -> None:
    release, order = threading.Event(), []

    async def main() -> None:
        pool = Pool(threads=1, waiting_max=1)
        async with anyio.create_task_group() as group:
            group.start_soon(pool.run, lambda: order.append(release.wait(10)))
            await anyio.wait_all_tasks_blocked()
            group.start_soon(pool.run, lambda: order.append("second"))
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(BackendUnavailable) as refused:
                await pool.run(lambda: order.append("third"))
            assert refused.value.code == "too_busy"
            release.set()

    anyio.run(main)
    assert order == [True, "second"]
