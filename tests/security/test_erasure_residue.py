"""What must not be left of erased words, wherever they had got to: over each record store."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight import Hindsight
from hindsight.testing import FrozenClock

NS = "user/zhang-san"


def all_kept(hs: Hindsight) -> str:
    """Everything that the store keeps of a namespace, as one text."""
    with hs._core.store.reading(NS) as scope:
        return "\n".join(
            [
                *(str(scope.turns(session.id)) for session in scope.session_page(limit=99, after=None)),
                *(str(episode) for episode in scope.episode_page(limit=99, after=None)),
                *(str(scope.trace(trace_id)) for trace_id in scope.trace_ids()),
                str(scope.reasons()),
                str(scope.proposals()),
                str(scope.conflicts()),
                str(
                    scope.memory_page(
                        statuses={"active", "archived", "quarantined"},
                        trusts={"trusted", "reported", "untrusted"},
                        limit=99,
                        after=None,
                    )
                ),
            ]
        )


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I have news. My sister Wilhelmina plays the zither. It is loud.", "my sister wilhelmina plays the zither"),
        ("告诉你个消息。我姐姐婉仪在学古筝。挺吵的。", "我姐姐婉仪在学古筝"),
    ],
)
def test_a_query_that_was_one_sentence_of_an_erased_turn_is_gone(each: Hindsight, said: str, asked: str) -> None:
    each.observe(NS, "s", [{"role": "user", "content": said}])
    each.search(asked, namespace=NS, layers=["semantic"])
    each.search(f"{said.split(' ')[0]} {asked}!", namespace=NS)
    each.erase(namespace=NS, session_id="s")
    kept = all_kept(each)
    assert not any(word in kept.casefold() for word in ("wilhelmina", "zither", "婉仪", "古筝"))


@pytest.mark.parametrize(
    ("said", "asked", "names"),
    [
        ("My sister Wilhelmina plays the zither.", "what does Wilhelmina play?", ["Wilhelmina"]),
        ("我姐姐婉仪在学古筝。", "婉仪最近怎么样", ["婉仪"]),
    ],
)
def test_a_query_that_found_an_erased_turn_keeps_none_of_its_words(
    each: Hindsight, said: str, asked: str, names: list[str]
) -> None:
    each.observe(NS, "s", [{"role": "user", "content": said}])
    assert each.search(asked, namespace=NS, min_relevance=0).hits
    each.erase(namespace=NS, session_id="s")
    assert not any(name in all_kept(each) for name in names)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("徐汇", "我在徐汇租了房子，离公司近。"),
        ("Lyon", "I rent a flat in Lyon, close to work."),
        ("9313", "My code is 9313."),
    ],
)
def test_a_short_value_is_gone_from_other_turns_as_well(each: Hindsight, value: str, said: str) -> None:
    memory = each.write(NS, key="rented_place", value=value, origin="user").memory
    each.observe(NS, "s", [{"role": "user", "content": said}], end=True)
    each.observe(NS, "t", [{"role": "user", "content": "Do you know the Lyonesse legend? 汇率多少？ Dial 93130."}])
    each.erase(namespace=NS, memory_id=memory.id)
    assert value not in str(each.turns(NS, "s"))
    assert each.turns(NS, "t")[0].content == "Do you know the Lyonesse legend? 汇率多少？ Dial 93130."


def test_common_short_answers_stay_where_they_are_not_cited(each: Hindsight) -> None:
    each.observe(NS, "a", [{"role": "user", "content": "好的"}, {"role": "user", "content": "yes"}])
    each.observe(NS, "b", [{"role": "user", "content": "好的"}, {"role": "user", "content": "yes"}])
    cited = [{"session_id": "a", "turn_index": n, "quote": quote} for n, quote in enumerate(("好的", "yes"))]
    memory = each.write(NS, key="newsletter", value="用户订阅了简报", origin="user", evidence=cited).memory
    each.erase(namespace=NS, memory_id=memory.id)
    assert [turn.content for turn in each.turns(NS, "a")] == ["", ""]
    assert [turn.content for turn in each.turns(NS, "b")] == ["好的", "yes"]


@pytest.mark.parametrize("value", ["The user rents a boathouse in Giethoorn.", "用户在羊角村租了一间船屋。"])
def test_reasons_and_proposals_keep_no_erased_words(each: Hindsight, value: str) -> None:
    other = each.write(NS, key="weekend_plans", value="The user rows at weekends.", origin="user").memory
    third = each.write(NS, key="favourite_bread", value="The user bakes rye bread.", origin="user").memory
    gone = each.write(NS, key="boathouse", value=value, origin="user").memory
    each.forget(other.id, namespace=NS, reason=f"because {value}")
    each.forget(third.id, namespace=NS, reason=f"said {value}", origin="assistant")
    each.verify(third.id, namespace=NS, outcome="changed", value=f"{value} Or so.", origin="assistant")
    assert len(each.review(NS).proposals) == 2
    each.erase(namespace=NS, memory_id=gone.id)
    assert value not in all_kept(each)
    assert len(each.review(NS).proposals) == 2


def test_a_settled_conflict_s_question_keeps_no_erased_words(each: Hindsight) -> None:
    each.write(NS, key="饮食_香菜", value="用户喜欢吃香菜。", origin="user")
    each.write(NS, key="饮食_香菜", value="用户不喜欢吃香菜。", origin="user")
    conflict = each.conflicts(NS).items[0]
    with each._core.store.writing(NS) as scope:
        scope.put_conflict(
            type(conflict)(**{**{f: getattr(conflict, f) for f in conflict.__slots__}, "question": "在羊角村租船屋？"})
        )
    each.settle(conflict.id, namespace=NS, outcome="second")
    gone = each.write(NS, key="boathouse", value="在羊角村租船屋", origin="user").memory
    each.erase(namespace=NS, memory_id=gone.id)
    assert "羊角村" not in all_kept(each)


@pytest.mark.parametrize(
    ("said", "value", "echo", "name"),
    [
        (
            "My violin teacher is Ottoline Farquharson.",
            "The user's violin teacher is Ottoline Farquharson.",
            "Sure. Your violin teacher is Ottoline Farquharson. Shall I write to her?",
            "Ottoline",
        ),
        (
            "我的小提琴老师是欧阳若兰。",
            "用户的小提琴老师是欧阳若兰。",
            "好的。您的小提琴老师是欧阳若兰。要联系她吗？",
            "欧阳若兰",
        ),
    ],
)
def test_the_assistant_s_echo_of_an_erased_memory_is_gone(
    each: Hindsight, said: str, value: str, echo: str, name: str
) -> None:
    each.observe(NS, "s", [{"role": "user", "content": said}])
    each.observe(NS, "t", [{"role": "user", "content": "?"}, {"role": "assistant", "content": echo}], end=True)
    each.wait()
    cited = [{"session_id": "s", "turn_index": 0, "quote": said}]
    memory = each.write(NS, key="violin_teacher", value=value, origin="user", evidence=cited).memory
    each.erase(namespace=NS, memory_id=memory.id)
    assert name not in all_kept(each)
    assert not any(name in hit.text for hit in each.search(name, namespace=NS, min_relevance=0))
    left = each.turns(NS, "t")[1].content
    assert ("Shall I write to her?" in left) or ("要联系她吗？" in left)


@pytest.mark.parametrize("said", ["I'm vegan.", "我是素食者。"])
def test_what_was_served_and_erased_is_the_user_s_again_when_said_afresh(
    each: Hindsight, clock: FrozenClock, said: str
) -> None:
    each.observe(NS, "s", [{"role": "user", "content": said}])
    cited = [{"session_id": "s", "turn_index": 0, "quote": said}]
    memory = each.write(NS, key="garden", value=said, origin="user", evidence=cited).memory
    assert each.context(said, namespace=NS, window_tokens=8_000).memory_ids == (memory.id,)
    each.erase(namespace=NS, memory_id=memory.id)
    clock.advance(days=1)
    each.observe(NS, "new", [{"role": "user", "content": said}], end=True)
    each.wait()
    assert any(item.session_id == "new" for m in each.memories(NS) for item in m.evidence)


@pytest.mark.parametrize("what", ["memory", "session", "everything"])
def test_what_other_namespaces_hold_is_counted_as_retained(each: Hindsight, what: str) -> None:
    said = "We moor at Giethoorn in May."
    for name in (NS, "user/li", "user/wang"):
        each.observe(name, "s", [{"role": "user", "content": said if name != "user/wang" else "Other words."}])
        cited = [{"session_id": "s", "turn_index": 0, "quote": said}] if name == NS else None
        value = "The user moors at Giethoorn." if name != "user/wang" else "The user has no boat."
        memory = each.write(name, key="mooring", value=value, origin="user", evidence=cited).memory
        if name == NS:
            mine = memory
    named = {"memory": {"memory_id": mine.id}, "session": {"session_id": "s"}, "everything": {"everything": True}}
    receipt = each.erase(namespace=NS, **named[what])
    assert receipt.retained == 2
    assert each.turns("user/li", "s")[0].content == said


def test_no_byte_of_the_residue_is_in_any_file(hs: Hindsight, home: Path) -> None:
    hs.observe(NS, "s", [{"role": "user", "content": "News! My sister Wilhelmina plays the zither."}], end=True)
    hs.wait()
    hs.search("Wilhelmina and her zither", namespace=NS, min_relevance=0)
    for memory in hs.memories(NS):
        hs.forget(memory.id, namespace=NS, reason="My sister Wilhelmina plays the zither")
    assert hs.erase(namespace=NS, session_id="s").complete
    left = [path for path in home.rglob("*") if path.is_file() and b"Wilhelmina" in path.read_bytes()]
    assert left == []
