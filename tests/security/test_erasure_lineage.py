"""What an erasure takes with it, and what it must leave: over each record store."""

from __future__ import annotations

import pytest

from hindsight import Hindsight, Memory
from hindsight.domain.memory import Evidence
from hindsight.domain.reconcile import Refine
from hindsight.domain.records import WriteResult
from hindsight.services import admit
from hindsight.testing import FrozenClock

NS = "user/zhang-san"
EVERY_STATUS = ("active", "stale", "archived")

# What is said in two sessions, the values made of it, and the detail that only each of them gives.
PARTS = {
    "en": (
        ("I have a dog named Rex.", "I have a dog, a beagle."),
        ("The user has a dog named Rex.", "The user has a dog, a beagle."),
        ("Rex", "beagle"),
    ),
    "zh": (
        ("我养了一条狗，名字叫豆豆。", "我养了一条狗，品种是柯基。"),
        ("用户养了一条狗，名字叫豆豆。", "用户养了一条狗，品种是柯基。"),
        ("豆豆", "柯基"),
    ),
}
# The second says all that the first does, and more.
GROWN = {
    "en": (
        ("I play the cello.", "I play the cello on Tuesdays in Ghent."),
        ("The user plays the cello.", "The user plays the cello on Tuesdays in Ghent."),
    ),
    "zh": (("我喝咖啡。", "我喝咖啡加燕麦奶。"), ("用户喝咖啡。", "用户喝咖啡加燕麦奶。")),
}


def say(hs: Hindsight, session: str, words: str) -> tuple[Evidence, ...]:
    hs.observe(NS, session, [{"role": "user", "content": words}])
    turn = hs.turns(NS, session)[0]
    return (Evidence(session_id=session, turn_index=0, quote=words, at=turn.at, origin="user", turn_id=turn.id),)


def refine(hs: Hindsight, known: Memory, value: str, evidence: tuple[Evidence, ...]) -> WriteResult:
    """Merge *value* into *known* as reconciling does. The judge is careful, so the decision is given here."""
    proposed = admit.Proposed(
        key=known.key,
        value=value,
        category=known.category,
        language=known.language,
        origin="user",
        at=evidence[0].at,
        made_by="rules",
        evidence=evidence,
    )
    with hs._core.store.writing(NS) as scope:
        return admit._carry_out(hs._core, scope, proposed, Refine(known))


def merged(hs: Hindsight, words: tuple[str, str], values: tuple[str, str]) -> tuple[Memory, Memory]:
    """A memory of session s1, and what became of it when s2 refined it."""
    proof = say(hs, "s1", words[0])
    cited = [{"session_id": "s1", "turn_index": 0, "quote": words[0]}]
    first = hs.write(NS, key="some_habit", value=values[0], category="fact", origin="user", evidence=cited).memory
    assert first.evidence == proof
    result = refine(hs, first, values[1], say(hs, "s2", words[1]))
    assert result.outcome == "refined"
    return first, result.memory


def everything(hs: Hindsight) -> list[Memory]:
    return list(hs.memories(NS, statuses=EVERY_STATUS))


def links(memories: list[Memory]) -> set[str]:
    """Every id that a memory names."""
    return {
        name
        for m in memories
        for name in (*m.merged_from, *m.disputed_by, *([m.superseded_by] if m.superseded_by else []))
    }


@pytest.mark.parametrize("language", PARTS)
@pytest.mark.parametrize("gone", ["s1", "s2"])
def test_erasing_one_session_of_a_merge_serves_the_part_that_the_other_said(
    each: Hindsight, language: str, gone: str
) -> None:
    words, values, details = PARTS[language]
    _, both = merged(each, words, values)
    assert all(detail in both.value for detail in details)
    assert each.erase(namespace=NS, session_id=gone).complete
    lost, kept = details if gone == "s1" else details[::-1]
    left = everything(each)
    assert [(m.value, m.status) for m in left] == [(values[1] if gone == "s1" else values[0], "active")]
    assert kept in left[0].value
    assert lost not in str(left)
    assert links(left) == set()
    assert {item.session_id for item in left[0].evidence} == {"s2" if gone == "s1" else "s1"}
    assert kept in each.turns(NS, "s2" if gone == "s1" else "s1")[0].content
    assert list(each.check()) == []


@pytest.mark.parametrize("language", GROWN)
@pytest.mark.parametrize("gone", ["s1", "s2"])
def test_erasing_one_session_leaves_what_the_other_says_alone(each: Hindsight, language: str, gone: str) -> None:
    words, values = GROWN[language]
    merged(each, words, values)
    assert each.erase(namespace=NS, session_id=gone).complete
    stays = "s2" if gone == "s1" else "s1"
    left = everything(each)
    assert [(m.value, m.status) for m in left] == [(values[1] if gone == "s1" else values[0], "active")]
    assert {item.session_id for item in left[0].evidence} == {stays}
    assert links(left) == set()
    assert each.turns(NS, stays)[0].content == (words[1] if gone == "s1" else words[0])


@pytest.mark.parametrize("language", PARTS)
def test_forgetting_what_one_session_said_leaves_the_part_of_the_other(each: Hindsight, language: str) -> None:
    words, values, details = PARTS[language]
    merged(each, words, values)
    order = {"en": "Forget what I just said.", "zh": "忘掉我刚才说的。"}[language]
    result = each.observe(NS, "s1", [{"role": "user", "content": order}])
    assert result.receipt is not None
    left = everything(each)
    assert [(m.value, m.status) for m in left] == [(values[1], "active")]
    assert details[0] not in str(left) + str(each.turns(NS, "s1"))
    assert each.turns(NS, "s2")[0].content == words[1]


@pytest.mark.parametrize("language", PARTS)
def test_erasing_a_merged_memory_by_id_takes_all_its_parts(each: Hindsight, language: str) -> None:
    words, values, details = PARTS[language]
    _, both = merged(each, words, values)
    each.erase(namespace=NS, memory_id=both.id)
    assert everything(each) == []
    said = str(each.turns(NS, "s1")) + str(each.turns(NS, "s2"))
    assert not any(detail in said for detail in details)


@pytest.mark.parametrize("language", PARTS)
def test_erasing_a_part_by_id_takes_the_merge_and_serves_the_other_part(each: Hindsight, language: str) -> None:
    words, values, details = PARTS[language]
    part, _ = merged(each, words, values)
    each.erase(namespace=NS, memory_id=part.id)
    left = everything(each)
    assert [(m.value, m.status) for m in left] == [(values[1], "active")]
    assert each.turns(NS, "s2")[0].content == words[1]
    assert details[0] not in str(each.turns(NS, "s1"))


@pytest.mark.parametrize(
    ("first", "second", "value", "detail"),
    [
        (
            "I live in Leiden, at the Rapenburg canal.",
            "I live in Leiden.",
            "The user lives in Leiden, at the Rapenburg canal.",
            "Rapenburg",
        ),
        ("我住在杭州，就在龙井路旁边。", "我住在杭州。", "用户住在杭州，就在龙井路旁边。", "龙井路"),
    ],
)
def test_what_two_sessions_support_is_taken_anew_from_the_one_that_stays(
    each: Hindsight, first: str, second: str, value: str, detail: str
) -> None:
    say(each, "s1", first)
    say(each, "s2", second)
    cited = [{"session_id": f"s{n}", "turn_index": 0, "quote": words} for n, words in ((1, first), (2, second))]
    each.write(NS, key="home_city", value=value, origin="user", evidence=cited)
    each.erase(namespace=NS, session_id="s1")
    left = everything(each)
    assert detail not in str(left)
    assert [item.session_id for m in left for item in m.evidence] == ["s2"]
    assert each.turns(NS, "s2")[0].content == second


def test_a_memory_that_stays_keeps_its_conflict_and_its_proposals(each: Hindsight) -> None:
    say(each, "s1", "I like coriander.")
    say(each, "s2", "I like coriander.")
    cited = [{"session_id": s, "turn_index": 0, "quote": "I like coriander."} for s in ("s1", "s2")]
    kept = each.write(NS, key="coriander", value="The user likes coriander.", origin="user", evidence=cited).memory
    other = each.write(NS, key="coriander", value="The user does not like coriander.", origin="user").memory
    each.forget(kept.id, namespace=NS, reason="seems wrong", origin="assistant")
    before = (each.conflicts(NS).items, each.review(NS).proposals)
    assert [len(part) for part in before] == [1, 1]
    each.erase(namespace=NS, session_id="s1")
    assert (each.conflicts(NS).items, each.review(NS).proposals) == before
    assert each.memory(kept.id, namespace=NS).disputed_by == (other.id,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user lives in Hangzhou.", "The user has moved from Hangzhou to Chengdu."),
        ("用户住在杭州。", "用户已经从杭州搬到成都了。"),
    ],
)
def test_what_an_erased_memory_had_replaced_is_served_again_as_it_was(
    each: Hindsight, clock: FrozenClock, old: str, new: str
) -> None:
    first = each.write(NS, key="home_city", value=old, origin="user").memory
    clock.advance(days=3)
    result = each.write(NS, key="home_city", value=new, origin="user")
    assert result.outcome == "superseded"
    each.erase(namespace=NS, memory_id=result.memory.id)
    now = each.memory(first.id, namespace=NS)
    assert (now.status, now.superseded_by, now.valid_to) == ("active", None, None)
    assert [hit.memory.id for hit in each.search(old, namespace=NS) if hit.memory] == [first.id]


def test_erasing_the_middle_of_a_row_links_its_neighbours(each: Hindsight, clock: FrozenClock) -> None:
    values = [
        "The user's phone is a Nokia.",
        "The user switched from Nokia to Fairphone.",
        "The user's phone is now a Pixel instead of the Fairphone.",
    ]
    ids: list[str] = []
    for value in values:
        ids.append(each.write(NS, key="mobile_phone", value=value, origin="user").memory.id)
        clock.advance(days=3)
    each.erase(namespace=NS, memory_id=ids[1])
    first = each.memory(ids[0], namespace=NS)
    assert (first.status, first.superseded_by) == ("archived", ids[2])


def test_what_the_user_corrected_stays_archived_when_the_correction_is_erased(each: Hindsight) -> None:
    wrong = each.write(NS, key="birthday", value="The user's birthday is 3 May.", origin="user").memory
    right = each.verify(wrong.id, namespace=NS, outcome="changed", value="The user's birthday is 5 May.").memory
    assert right is not None
    each.erase(namespace=NS, memory_id=right.id)
    now = each.memory(wrong.id, namespace=NS)
    assert (now.status, now.superseded_by) == ("archived", None)


def test_what_was_forgotten_with_its_heir_stays_forgotten(each: Hindsight) -> None:
    first = each.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user").memory
    moved = each.write(NS, key="home_city", value="The user has moved from Hangzhou to Chengdu.", origin="user").memory
    each.forget(moved.id, namespace=NS, reason="private")
    each.erase(namespace=NS, memory_id=moved.id)
    now = each.memory(first.id, namespace=NS)
    assert (now.status, now.superseded_by) == ("archived", None)


def test_a_dispute_with_what_was_erased_costs_no_confidence(each: Hindsight) -> None:
    kept = each.write(NS, key="饮食_香菜", value="用户喜欢吃香菜。", origin="user").memory
    gone = each.write(NS, key="饮食_香菜", value="用户不喜欢吃香菜。", origin="user").memory
    assert each.memory(kept.id, namespace=NS).confidence < kept.confidence
    each.erase(namespace=NS, memory_id=gone.id)
    now = each.memory(kept.id, namespace=NS)
    assert (now.confidence, now.disputed_by) == (kept.confidence, ())


@pytest.mark.parametrize("language", GROWN)
def test_what_stays_on_another_session_s_word_is_counted(each: Hindsight, language: str) -> None:
    words, values = GROWN[language]
    merged(each, words, values)
    assert each.erase(namespace=NS, session_id="s1").retained == 1
    assert each.erase(namespace=NS, session_id="s2").retained == 0
    assert everything(each) == []
