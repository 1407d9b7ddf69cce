from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

import pytest

from hindsight.domain.conversation import Turn
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.ids import MemoryId, SessionId, TraceId, TurnId
from hindsight.domain.memory import Evidence, Memory
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Hit, Page, Receipt, SearchResult
from hindsight.entrypoints.presenting import present, present_error

NOON = datetime(2026, 3, 8, 12, 2, 0, 5000, tzinfo=UTC)


def memory() -> Memory:
    return Memory(
        id=MemoryId("mem_1"),
        namespace=Namespace("user/kim"),
        key="饮茶偏好",
        value="喜欢喝龙井。",
        category="preference",
        language="zh",
        origin="user",
        trust="trusted",
        confidence=0.9,
        status="active",
        created_at=NOON,
        updated_at=NOON,
        verified_at=NOON,
        evidence=(Evidence(session_id=SessionId("s1"), turn_index=0, quote="喜欢喝龙井", at=NOON, origin="user"),),
    )


def test_a_memory_keeps_every_field_under_its_python_name() -> None:
    form = present(memory())
    assert isinstance(form, dict)
    assert list(form) == [name for name in Memory.__slots__ if not name.startswith("_")]
    assert form["verified_at"] == "2026-03-08T12:02:00.005Z"
    assert form["valid_to"] is None
    assert form["evidence"] == [
        {
            "session_id": "s1",
            "turn_index": 0,
            "quote": "喜欢喝龙井",
            "at": "2026-03-08T12:02:00.005Z",
            "origin": "user",
            "turn_id": None,
        }
    ]


def test_times_are_utc_whatever_zone_they_came_in() -> None:
    assert present(NOON.astimezone(timezone(timedelta(hours=8)))) == "2026-03-08T12:02:00.005Z"


def test_a_search_result_nests_memories_and_turns() -> None:
    turn = Turn(
        session_id=SessionId("s1"),
        index=0,
        id=TurnId("s1#0"),
        role="user",
        content="hello",
        at=NOON,
        origin="user",
    )
    result = SearchResult(
        hits=(
            Hit(
                layer="episodic",
                namespace=Namespace("user/kim"),
                relevance=0.5,
                parts={"words": 0.5},
                turn=turn,
                around=(turn,),
            ),
        ),
        degraded=("vectors",),
        trace_id=TraceId("trc_1"),
    )
    form = json.loads(json.dumps(present(result)))
    assert form["hits"][0]["turn"]["content"] == "hello"
    assert form["hits"][0]["around"][0]["index"] == 0
    assert form["hits"][0]["parts"] == {"words": 0.5}
    assert (form["degraded"], form["trace_id"]) == (["vectors"], "trc_1")


def test_a_page_gives_items_and_the_next_cursor() -> None:
    assert present(Page((1, 2), next_cursor="2")) == {"items": [1, 2], "next_cursor": "2"}


def test_a_receipt_says_whether_it_is_complete() -> None:
    receipt = Receipt(
        id="rcp_1",
        namespace=Namespace("user/kim"),
        subject="memory mem_1",
        erased_at=NOON,
        counts={"memories": 1},
        retained=0,
        pending=("the log",),
    )
    form = present(receipt)
    assert isinstance(form, dict)
    assert (form["complete"], form["pending"], form["counts"]) == (False, ["the log"], {"memories": 1})


def test_counts_are_objects() -> None:
    assert present(Counter(added=2)) == {"added": 2}


def test_what_has_no_form_is_a_defect() -> None:
    with pytest.raises(TypeError, match="object"):
        present(object())


def test_an_error_carries_code_kind_and_whether_to_retry() -> None:
    assert present_error(BackendUnavailable("the store is locked")) == {
        "error": {
            "code": "backend_unavailable",
            "kind": "BackendUnavailable",
            "message": "the store is locked",
            "retryable": True,
        }
    }
