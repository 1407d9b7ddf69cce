"""What was served comes back in answers and corrections, and a trace says what came back from where."""

from __future__ import annotations

import pytest

from hindsight import Hindsight
from hindsight.testing import FrozenClock

NS = "user/zhang-san"

CORRECTIONS = [
    ("I like coriander.", "do I like coriander?", "I don't like coriander.", "coriander"),
    ("I was born in 1984.", "when was I born", "I was born in 1986.", "1986"),
    ("我喜欢吃香菜。", "我喜欢香菜吗", "我不喜欢吃香菜。", "香菜"),
    ("我是1984年出生的。", "我哪年出生", "我是1986年出生的。", "1986"),
]


@pytest.mark.parametrize(("said", "asked", "correction", "word"), CORRECTIONS)
@pytest.mark.parametrize("how", ["search", "context"])
def test_a_users_correction_right_after_a_search_is_no_echo(
    each: Hindsight, clock: FrozenClock, said: str, asked: str, correction: str, word: str, how: str
) -> None:
    each.observe(NS, "first", [{"role": "user", "content": said}], end=True)
    each.wait()
    assert len(each.memories(NS)) == 1
    clock.advance(hours=1)
    if how == "search":
        assert each.search(asked, namespace=NS, min_relevance=0).hits
    else:
        assert each.context(said, namespace=NS, window_tokens=20_000).memory_ids
    each.observe(NS, "second", [{"role": "user", "content": correction}], end=True)
    each.wait()
    heard = [m for m in each.memories(NS, statuses=["active", "archived"]) if m.evidence[0].session_id == "second"]
    assert [word in m.value for m in heard] == [True]


def test_a_trace_says_of_each_namespace_what_came_back(each: Hindsight) -> None:
    for name in ("a", "b"):
        for number in range(3):
            each.write(name, key=f"tea_{number}", value=f"{name} drinks oolong tea number {number}.", origin="user")
    found = each.search("oolong tea", namespace=["a", "b"], layers=["semantic"], limit=2, min_relevance=0)
    assert found.trace_id is not None
    trace = each.explain(found.trace_id, namespace="a")
    returned = {candidate.target for candidate in trace.candidates if candidate.returned}
    assert returned == {hit.memory.id for hit in found if hit.memory}
    assert len(returned) == 2
    assert len(trace.candidates) > 2


def test_the_same_place_in_two_namespaces_is_told_apart_in_a_trace(each: Hindsight) -> None:
    each.observe("a", "s", [{"role": "user", "content": "The heron code is 5571."}])
    each.observe("b", "s", [{"role": "user", "content": "A heron stood by the water for hours and hours."}])
    found = each.search("the heron code is 5571", namespace=["a", "b"], layers=["episodic"], limit=1, min_relevance=0)
    assert [hit.namespace for hit in found] == ["a"]
    assert found.trace_id is not None
    candidates = each.explain(found.trace_id, namespace="a").candidates
    assert [(item.target, item.returned) for item in candidates] == [("s#0", True), ("s#0", False)]
