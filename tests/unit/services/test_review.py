"""What most needs a look, seen through the public API."""

from __future__ import annotations

from pathlib import Path

import pytest

import hindsight
from hindsight import Hindsight
from hindsight.testing import FrozenClock, HashEmbedder

NS = "user/zhang-san"


def use(hs: Hindsight, question: str, times: int) -> None:
    for _ in range(times):
        hs.context(question, namespace=NS, window_tokens=4_000)


def listed(hs: Hindsight) -> list[tuple[str, tuple[str, ...]]]:
    return [(item.memory.key, item.reasons) for item in hs.review(NS).memories]


def test_what_is_in_use_is_listed_before_it_turns_stale_and_until_it_is_confirmed(
    hs: Hindsight, clock: FrozenClock
) -> None:
    used = hs.write(NS, key="lunch_place", value="Eats lunch at the canteen by the lock.", origin="user").memory
    use(hs, "Where does the user eat lunch?", 3)
    hs.write(NS, key="bus_line", value="Takes the number 12 bus.", origin="user")
    clock.advance(days=71)
    assert listed(hs) == []
    clock.advance(days=1)
    assert listed(hs) == [("lunch_place", ("soon_stale",))]
    clock.advance(days=200)
    [item] = hs.review(NS).memories
    assert (item.memory.status, item.uses) == ("stale", 3)
    hs.verify(used.id, namespace=NS, outcome="confirmed")
    assert listed(hs) == []


def test_what_nobody_uses_may_go_stale_in_peace(hs: Hindsight, clock: FrozenClock) -> None:
    hs.write(NS, key="lunch_place", value="Eats lunch at the canteen by the lock.", confidence=0.2)
    use(hs, "Where does the user eat lunch?", 2)
    clock.advance(days=300)
    assert listed(hs) == []


def test_the_worst_come_first(hs: Hindsight) -> None:
    for key, value, question, times in (
        ("lunch_place", "Eats lunch at the canteen by the lock.", "Where does the user eat lunch?", 3),
        ("午饭", "中午在船闸旁边的食堂吃饭。", "中午在哪里吃饭？", 5),
    ):
        hs.write(NS, key=key, value=value, confidence=0.5)
        use(hs, question, times)
    hs.write(NS, key="饮食_香菜", value="用户喜欢吃香菜。", origin="user")
    hs.write(NS, key="饮食_香菜", value="用户不喜欢吃香菜。", origin="user")
    found = listed(hs)
    assert [key for key, _ in found] == ["饮食_香菜", "饮食_香菜", "午饭", "lunch_place"]
    assert [reasons[0] for _, reasons in found] == ["disputed", "disputed", "low_confidence", "low_confidence"]


def test_an_erased_memory_leaves_no_count_behind(hs: Hindsight) -> None:
    memory = hs.write(NS, key="lunch_place", value="Eats lunch at the canteen by the lock.", confidence=0.2).memory
    use(hs, "Where does the user eat lunch?", 3)
    assert len(hs.review(NS).memories) == 1
    hs.erase(namespace=NS, memory_id=memory.id)
    assert listed(hs) == []


def test_a_cursor_whose_memory_is_gone_is_told(hs: Hindsight) -> None:
    with pytest.raises(hindsight.StateMismatch, match="first page"):
        hs.review(NS, cursor="mem_unknown")


def test_changing_a_policy_changes_every_state_at_once_and_nothing_is_lost(home: Path, clock: FrozenClock) -> None:
    def opened(**days: float) -> Hindsight:
        settings = {"look_back.worker": False, **{f"lifecycle.{name}_days": value for name, value in days.items()}}
        return hindsight.open(home, embedder=HashEmbedder(), clock=clock, settings=settings)

    with opened() as hs:
        skill = hs.write(NS, key="oboe", value="Plays the oboe.", category="skill", origin="user").memory
        other = hs.write(
            NS, key="shed_tool", value="The rake hangs in the shed.", category="fact", origin="user"
        ).memory
        own = hs.write(NS, key="permit", value="The permit is on file.", ttl_days=20, origin="user").memory
    clock.advance(days=30)

    def states(hs: Hindsight) -> list[str]:
        return [hs.memory(each.id, namespace=NS).status for each in (skill, other, own)]

    with opened() as hs:
        before = [hs.memory(each.id, namespace=NS) for each in (skill, other, own)]
        assert states(hs) == ["active", "active", "stale"]
    with opened(skill=10) as hs:
        assert states(hs) == ["stale", "active", "stale"]
        assert [memory.id for memory in hs.memories(NS, statuses=["stale"])] == [own.id, skill.id]
    with opened(default=10) as hs:
        assert states(hs) == ["stale", "stale", "stale"]
    with opened() as hs:
        assert [hs.memory(each.id, namespace=NS) for each in (skill, other, own)] == before
