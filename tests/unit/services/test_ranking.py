"""What counts how much: bounded quality, comparable relevance, and doubt where little was found."""

from __future__ import annotations

import pytest

from hindsight.domain.ranking import Signals, order, quality


def relevances(*candidates: Signals, ceiling: float = 10.0) -> list[float]:
    return [s.relevance for s in order(candidates, ceiling=ceiling, terms=3)]


def test_nothing_found_is_nothing_ranked() -> None:
    assert order([], ceiling=0.0, terms=3) == []


def test_of_two_equally_relevant_the_fresh_one_leads() -> None:
    fresh, stale = relevances(
        Signals(keyword=8.0, dense=0.6, window=0.6, freshness=1.0),
        Signals(keyword=8.0, dense=0.6, window=0.6, freshness=0.2),
    )
    assert fresh > stale


def test_a_relevant_stale_one_beats_an_irrelevant_fresh_one() -> None:
    stale, fresh = relevances(
        Signals(keyword=8.0, dense=0.6, window=0.6, freshness=0.01, confidence=0.4, trust="reported"),
        Signals(keyword=0.5, dense=0.1, window=0.1, freshness=1.0),
    )
    assert stale > fresh


@pytest.mark.parametrize("worse", [{"confidence": 0.3}, {"trust": "reported"}, {"passed": True}])
def test_lower_quality_ranks_lower_and_never_below_half(worse: dict[str, object]) -> None:
    factor = quality(Signals(**worse))  # pyright: ignore[reportArgumentType]
    assert 0.5 < factor < 1.0


def test_relevance_lies_in_the_unit_interval_whatever_the_signals() -> None:
    found = relevances(
        Signals(keyword=1e9, dense=1.0, window=1.0, time=1.0, name=1.0, digest=1.0),
        Signals(keyword=0.0, dense=-1.0, window=-1.0, asks=True, characters=0),
        Signals(),
    )
    assert all(0.0 <= relevance <= 1.0 for relevance in found)
    assert found[0] == max(found)


def test_little_of_the_question_found_leaves_doubt() -> None:
    (doubtful,) = relevances(Signals(keyword=1.0, dense=0.1, window=0.1))
    (assured,) = relevances(Signals(keyword=9.0, dense=0.6, window=0.6))
    assert doubtful < 0.4 < 0.9 < assured


def test_words_alone_are_enough_where_there_are_no_vectors() -> None:
    (found,) = relevances(Signals(keyword=9.0))
    assert found > 0.5


def test_turns_of_one_session_lift_each_other() -> None:
    scored = order(
        [
            Signals(keyword=8.0, session="a"),
            Signals(keyword=3.0, session="a"),
            Signals(keyword=3.0, session="b"),
        ],
        ceiling=10.0,
        terms=3,
    )
    assert scored[1].relevance > scored[2].relevance
    assert scored[1].parts["company"] > scored[2].parts["company"]


def test_the_asked_days_and_the_named_speaker_count() -> None:
    plain, dated, named = relevances(
        Signals(keyword=5.0), Signals(keyword=5.0, time=1.0), Signals(keyword=5.0, name=1.0)
    )
    assert dated > named > plain
