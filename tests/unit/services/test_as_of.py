"""A read as of a moment answers as was known then, not as the turns date themselves."""

from __future__ import annotations

import pytest

from hindsight import Hindsight
from hindsight.testing import FrozenClock

NS = "user/zhang-san"


@pytest.mark.parametrize("said", ["I keep bees in Drenthe.", "我在德伦特养蜜蜂。"])
def test_a_turn_is_not_known_before_it_was_observed(each: Hindsight, clock: FrozenClock, said: str) -> None:
    before = clock.now()
    clock.advance(days=10)
    each.observe(NS, "old", [{"role": "user", "content": said, "at": "2025-11-01T10:00:00Z"}])
    observed = clock.now()
    clock.advance(days=10)
    assert each.search(said, namespace=NS, at=before, min_relevance=0).hits == ()
    found = each.search(said, namespace=NS, at=observed, min_relevance=0)
    assert [hit.turn.content for hit in found if hit.turn] == [said]
    assert each.turns(NS, "old")[0].observed_at == observed


def test_neighbours_of_a_hit_are_those_that_were_known_then(each: Hindsight, clock: FrozenClock) -> None:
    first = {"role": "user", "content": "I keep bees in Drenthe.", "at": "2025-11-01T10:00:00Z"}
    each.observe(NS, "s", [first])
    then = clock.now()
    clock.advance(days=1)
    each.observe(NS, "s", [first, {"role": "assistant", "content": "Lovely.", "at": "2025-11-01T10:00:05Z"}])
    at_once = each.search("bees in Drenthe", namespace=NS, at=then)
    now = each.search("bees in Drenthe", namespace=NS, at=clock.now())
    assert [len(hit.around) for hit in (*at_once, *now) if hit.turn and "bees" in hit.turn.content] == [0, 1]


def test_a_turn_that_runs_ahead_of_the_clock_is_known_once_it_is_observed(each: Hindsight, clock: FrozenClock) -> None:
    each.observe(NS, "s", [{"role": "user", "content": "I keep bees in Drenthe.", "at": "2027-01-01T10:00:00Z"}])
    assert each.search("bees in Drenthe", namespace=NS, at=clock.now()).hits


def test_a_conflict_that_was_settled_since_is_open_as_of_before(each: Hindsight, clock: FrozenClock) -> None:
    each.write(NS, key="饮食_香菜", value="用户喜欢吃香菜。", origin="user")
    opened = each.write(NS, key="饮食_香菜", value="用户不喜欢吃香菜。", origin="user").conflict
    assert opened is not None
    before = clock.now()
    clock.advance(days=2)
    each.settle(opened.id, namespace=NS, outcome="second")
    settled = clock.now()
    clock.advance(days=2)
    ask = {"namespace": NS, "layers": ["semantic"], "min_relevance": 0}
    assert each.search("香菜", at=before, **ask).conflicts == (opened,)
    assert each.search("香菜", at=settled, **ask).conflicts == ()
    assert each.search("香菜", **ask).conflicts == ()
