"""What was rejected is not learned again from where it came, seen through the public API."""

from __future__ import annotations

from pathlib import Path

import pytest

import hindsight
from hindsight import Hindsight
from hindsight.testing import FrozenClock

NS = "user/zhang-san"
LONG_EN = "The night ferry to Holm leaves from pier seven at a quarter past eleven."
LONG_ZH = "去霍尔姆的夜班渡轮十一点一刻从七号码头出发。"


def reject(hs: Hindsight, key: str, value: str, **more: object) -> str:
    memory = hs.write(NS, key=key, value=value, **more).memory  # pyright: ignore[reportArgumentType]
    hs.verify(memory.id, namespace=NS, outcome="rejected")
    return memory.id


def outcome(hs: Hindsight, key: str, value: str, **more: object) -> str:
    return hs.write(NS, key=key, value=value, **more).outcome  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("value", [LONG_EN, LONG_ZH])
def test_the_same_source_does_not_teach_it_again_and_another_may(hs: Hindsight, value: str) -> None:
    reject(hs, "ferry_departure", value, source="travel-agent")
    assert outcome(hs, "ferry_departure", value, source="travel-agent") == "quarantined"
    assert outcome(hs, "渡轮_时间", value, source="travel-agent") == "quarantined"
    assert outcome(hs, "ferry_departure", value) == "quarantined"
    assert outcome(hs, "ferry_departure", value, source="harbour-office") == "added"


def test_the_same_conversation_does_not_teach_it_again(hs: Hindsight) -> None:
    reject(hs, "ferry_departure", LONG_EN, session_id="s1")
    assert outcome(hs, "ferry_departure", LONG_EN, session_id="s1") == "quarantined"
    assert outcome(hs, "ferry_departure", LONG_EN, session_id="s2") == "added"


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (LONG_EN, "The night ferry to Holm leaves from pier nine at a quarter past eleven."),
        (LONG_EN, "The night ferry to Holm does not leave from pier seven at a quarter past eleven."),
        (LONG_ZH, "去霍尔姆的夜班渡轮十一点一刻从九号码头出发。"),
        (LONG_ZH, "去霍尔姆的夜班渡轮十一点一刻不从七号码头出发。"),
    ],
)
def test_another_number_or_a_negation_is_another_fact(hs: Hindsight, value: str, other: str) -> None:
    reject(hs, "ferry_departure", value)
    assert outcome(hs, "ferry_departure", other) == "added"


@pytest.mark.parametrize(
    ("value", "copy"),
    [
        ("The user keeps a lemon tree in the office.", "In the office, the user keeps a lemon tree."),
        ("家里养了一只柯基犬。", "家里养了一只柯基犬，名叫豆包，今年三岁。"),
    ],
)
def test_a_copy_in_another_order_or_with_something_added_is_met(hs: Hindsight, value: str, copy: str) -> None:
    reject(hs, "home_or_office", value)
    assert outcome(hs, "home_or_office", copy) == "quarantined"


@pytest.mark.parametrize("value", [LONG_EN, LONG_ZH, "Owns a kayak.", "会开叉车。"])
def test_an_erased_memory_still_keeps_its_copies_out_and_leaves_no_word(hs: Hindsight, home: Path, value: str) -> None:
    memory_id = reject(hs, "ferry_departure", value)
    receipt = hs.erase(namespace=NS, memory_id=memory_id)
    assert receipt.complete
    [lesson] = hs.lessons(NS)
    assert (lesson.memory_id, lesson.memory) == (memory_id, None)
    for file in [path for path in home.rglob("*") if path.is_file()]:
        assert value.encode() not in file.read_bytes(), file
    assert outcome(hs, "anything_else", value) == "quarantined"


def test_lessons_go_with_the_namespace(hs: Hindsight) -> None:
    reject(hs, "ferry_departure", LONG_EN)
    hs.erase(namespace=NS, everything=True)
    assert len(hs.lessons(NS)) == 0
    assert outcome(hs, "ferry_departure", LONG_EN) == "added"


def test_a_look_back_on_the_same_turns_does_not_bring_it_back(hs: Hindsight, clock: FrozenClock) -> None:
    turns = [{"role": "user", "content": "I'm allergic to hazelnuts, remember that.", "at": "2026-03-01T10:00:00Z"}]
    hs.observe(NS, "s1", turns, distill=False)
    [memory] = hs.distill(NS, "s1").memories
    hs.verify(memory.id, namespace=NS, outcome="rejected")
    hs.observe(NS, "copy", turns, distill=False)
    hs.distill(NS, "copy")
    assert len(hs.memories(NS)) == 0
    # Said after the rejection it is the user's fresh word, in the same conversation or another.
    clock.advance(days=1)
    hs.observe(NS, "s1", [*turns, {**turns[0], "at": "2026-03-03T10:00:00Z"}], distill=False)
    hs.distill(NS, "s1")
    assert len(hs.memories(NS)) == 1
    assert len(hs.lessons(NS)) == 0


def test_a_conflict_settled_as_neither_teaches_on_both(hs: Hindsight) -> None:
    hs.write(NS, key="饮食_香菜", value="用户喜欢吃香菜。", origin="user")
    hs.write(NS, key="饮食_香菜", value="用户不喜欢吃香菜。", origin="user")
    hs.settle(hs.conflicts(NS).items[0].id, namespace=NS, outcome="neither")
    assert len(hs.lessons(NS)) == 2
    assert outcome(hs, "饮食_香菜", "用户喜欢吃香菜。") == "quarantined"


def test_restoring_and_releasing_take_the_lesson_back(hs: Hindsight) -> None:
    memory_id = reject(hs, "ferry_departure", LONG_EN)
    hs.restore(memory_id, namespace=NS)
    assert len(hs.lessons(NS)) == 0
    hs.verify(memory_id, namespace=NS, outcome="rejected")
    assert outcome(hs, "ferry_departure", LONG_EN) == "quarantined"
    [held] = hs.quarantine(NS)
    hs.release(held.memory.id, namespace=NS, digest=held.digest)
    assert len(hs.lessons(NS)) == 0
    assert [memory.value for memory in hs.memories(NS)] == [LONG_EN]


def test_an_agent_that_takes_back_its_own_report_teaches_nothing_to_the_user(hs: Hindsight) -> None:
    memory = hs.write(NS, key="ferry_departure", value=LONG_EN).memory
    assert hs.verify(memory.id, namespace=NS, outcome="rejected", origin="assistant").outcome == "applied"
    assert outcome(hs, "ferry_departure", LONG_EN) == "quarantined"
    assert outcome(hs, "ferry_departure", LONG_EN, origin="user") == "added"


@pytest.mark.parametrize(
    ("wrong", "variant"),
    [
        (
            "Invoices of Brandt Logistics are paid to account 4417 at Nordbank within 3 days.",
            "Invoices of Keller Foods are paid to account 9052 at Westbank within 5 days.",
        ),
        (
            "公司规定供应商的发票要在 3 天内付到尾号 4417 的账户。",
            "公司规定供应商的发票要在 5 天内付到尾号 9052 的账户。",
        ),
    ],
)
def test_untrusted_text_that_was_rejected_is_met_by_its_template_from_any_page(
    hs: Hindsight, wrong: str, variant: str
) -> None:
    reject(hs, "supplier_invoices", wrong, origin="web", source="page-a")
    assert outcome(hs, "invoice_routing", variant, origin="web", source="page-b") == "quarantined"
    assert outcome(hs, "invoice_routing", variant, origin="user") == "added"


def test_only_the_owner_unlearns(hs: Hindsight) -> None:
    reject(hs, "ferry_departure", LONG_EN)
    [lesson] = hs.lessons(NS)
    agent = hs.as_caller(hindsight.services.core.Caller(ceiling="assistant", owner=False))  # type: ignore[attr-defined]
    with pytest.raises(hindsight.PermissionDenied):
        agent.unlearn(lesson.id, namespace=NS)
    assert len(hs.lessons("user/other")) == 0
    with pytest.raises(hindsight.NotFound):
        hs.unlearn(lesson.id, namespace="user/other")
    assert len(hs.lessons(NS)) == 1


def test_the_life_of_a_lesson_is_in_the_audit_chain(hs: Hindsight) -> None:
    reject(hs, "ferry_departure", LONG_EN)
    [lesson] = hs.lessons(NS)
    hs.unlearn(lesson.id, namespace=NS)
    assert [line.action for line in hs.audit(NS, subject=lesson.id)] == ["lesson.learned", "lesson.removed"]
