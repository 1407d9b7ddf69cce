from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hindsight.domain.ids import MemoryId
from hindsight.domain.memory import Memory, Relation
from hindsight.domain.namespace import Namespace
from hindsight.domain.reconcile import (
    Add,
    Dispute,
    Judgement,
    Outdated,
    Quarantine,
    Refine,
    Reinforce,
    Supersede,
    plan,
)
from hindsight.domain.trust import TRUSTS, Trust, outranks

AT = datetime(2026, 3, 1, tzinfo=UTC)


def memory(name: str = "m", trust: Trust = "trusted") -> Memory:
    return Memory(
        id=MemoryId(name),
        namespace=Namespace("n"),
        key="home_city",
        value="The user lives in Hangzhou.",
        category="fact",
        language="en",
        origin="user",
        trust=trust,
        confidence=0.9,
        status="active",
        created_at=AT,
        updated_at=AT,
        verified_at=AT,
    )


def judged(relation: Relation, old: Memory, *, certain: bool = True, **more: object) -> Judgement:
    base = Judgement(memory=old, relation=relation, certain=certain, probability=0.9, similarity=0.9)
    return replace(base, **more)  # type: ignore[arg-type]


def test_nothing_near_is_added() -> None:
    assert plan([], trust="trusted", corrects=False) == Add(())


@pytest.mark.parametrize("relation", ["duplicate", "refinement", "update", "contradiction"])
def test_doubt_is_never_acted_on(relation: Relation) -> None:
    old = memory()
    assert plan([judged(relation, old, certain=False)], trust="trusted", corrects=False) == Add((old,))


@pytest.mark.parametrize("mine", TRUSTS)
@pytest.mark.parametrize("theirs", TRUSTS)
@pytest.mark.parametrize("relation", ["duplicate", "refinement", "update", "contradiction", "coexist"])
def test_a_candidate_changes_only_memories_of_equal_or_lower_trust(
    mine: Trust, theirs: Trust, relation: Relation
) -> None:
    old = memory(trust=theirs)
    decided = plan([judged(relation, old)], trust=mine, corrects=False)
    if not outranks(theirs, mine):
        return
    match decided:
        case Reinforce(_, moves):
            assert not moves
        case Dispute(_, marks):
            assert marks == ()
        case Refine() | Supersede() | Outdated():
            pytest.fail(f"{mine} changed {theirs}: {decided}")
        case Add() | Quarantine():
            pass


def test_a_known_fact_is_recognised_before_a_conflict_is_opened_again() -> None:
    same, other = memory("same"), memory("other")
    decided = plan([judged("contradiction", other), judged("duplicate", same)], trust="trusted", corrects=False)
    assert decided == Reinforce(same, moves=True)


def test_a_change_replaces_and_a_correction_turns_a_contradiction_into_a_change() -> None:
    old = memory()
    assert plan([judged("update", old)], trust="trusted", corrects=False) == Supersede((old,))
    assert plan([judged("contradiction", old)], trust="trusted", corrects=False) == Dispute((old,), marks=(old,))
    assert plan([judged("contradiction", old)], trust="trusted", corrects=True) == Supersede((old,))


def test_a_contradicted_stale_memory_gives_way_to_equal_trust() -> None:
    old = memory()
    stale = judged("contradiction", old, stale_then=True)
    assert plan([stale], trust="trusted", corrects=False) == Supersede((old,))
    reported = judged("contradiction", memory(trust="reported"), stale_then=True)
    assert isinstance(plan([reported], trust="trusted", corrects=False), Dispute)


def test_untrusted_words_are_never_held_against_anyones() -> None:
    said = judged("contradiction", memory(trust="untrusted"))
    for trust in ("trusted", "reported"):
        assert isinstance(plan([said], trust=trust, corrects=False), Add)


def test_an_agent_that_repeats_untrusted_words_lifts_nothing_and_the_user_does() -> None:
    page = memory(trust="untrusted")
    assert plan([judged("duplicate", page)], trust="reported", corrects=False) == Reinforce(page, moves=False)
    assert plan([judged("duplicate", page)], trust="trusted", corrects=False) == Reinforce(page, moves=True)


def test_what_stands_against_a_better_one_replaces_nothing() -> None:
    mine, users = memory("mine", trust="reported"), memory("users")
    decided = plan([judged("update", mine), judged("contradiction", users)], trust="reported", corrects=False)
    assert isinstance(decided, Dispute)
    assert decided.marks == (mine,)


def test_a_late_arrival_does_not_replace_what_came_after_it() -> None:
    newer = memory()
    assert plan([judged("update", newer, late=True)], trust="trusted", corrects=False) == Outdated(newer)


def test_untrusted_words_against_the_users_are_held() -> None:
    old = memory()
    assert plan([judged("contradiction", old)], trust="untrusted", corrects=False) == Quarantine(old)
    assert plan([judged("update", old)], trust="untrusted", corrects=False) == Quarantine(old)
