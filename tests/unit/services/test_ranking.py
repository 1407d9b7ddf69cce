"""What counts how much: bounded quality, comparable relevance, and doubt where little was found."""

from __future__ import annotations

import numpy as np
import pytest

from hindsight.domain.trust import TRUSTS
from hindsight.services.ranking import BREVITY_CHARACTERS, Order, Signals, order, quality

REPORTED = TRUSTS.index("reported")
COLUMNS: dict[str, tuple[object, type]] = {
    "keyword": (0.0, float), "dense": (np.nan, float), "window": (np.nan, float), "time": (0.0, float),
    "replied": (np.nan, float), "hears": (True, bool),
    "name": (0.0, float), "digest": (0.0, float), "asks": (False, bool),
    "characters": (BREVITY_CHARACTERS, int), "freshness": (1.0, float), "confidence": (1.0, float),
    "trust": (TRUSTS.index("trusted"), np.uint8), "passed": (False, bool), "session": (0, int),
    "foreign": (False, bool), "is_memory": (False, bool),
}  # fmt: skip


def signals(*candidates: dict[str, object]) -> Signals:
    """The columns of candidates, each given by what is special of it."""
    return Signals(
        **{
            name: np.array([each.get(name, usual) for each in candidates], dtype=kind)
            for name, (usual, kind) in COLUMNS.items()
        }
    )


def ranked(*candidates: dict[str, object], ceiling: float = 10.0) -> Order:
    return order(signals(*candidates), ceiling=ceiling, terms=3)


def relevances(*candidates: dict[str, object], ceiling: float = 10.0) -> list[float]:
    return ranked(*candidates, ceiling=ceiling).relevance.tolist()


def test_nothing_found_is_nothing_ranked() -> None:
    assert relevances(ceiling=0.0) == []


def test_of_two_equally_relevant_the_fresh_one_leads() -> None:
    fresh, stale = relevances(
        {"keyword": 8.0, "dense": 0.6, "window": 0.6, "freshness": 1.0},
        {"keyword": 8.0, "dense": 0.6, "window": 0.6, "freshness": 0.2},
    )
    assert fresh > stale


def test_a_relevant_stale_one_beats_an_irrelevant_fresh_one() -> None:
    stale, fresh = relevances(
        {
            "keyword": 8.0,
            "dense": 0.6,
            "window": 0.6,
            "freshness": 0.01,
            "confidence": 0.4,
            "trust": REPORTED,
        },
        {"keyword": 0.5, "dense": 0.1, "window": 0.1, "freshness": 1.0},
    )
    assert stale > fresh


@pytest.mark.parametrize("worse", [{"confidence": 0.3}, {"trust": REPORTED}, {"passed": True}])
def test_lower_quality_ranks_lower_and_never_below_half(worse: dict[str, object]) -> None:
    [factor] = quality(signals(worse))
    assert 0.5 < factor < 1.0


def test_relevance_lies_in_the_unit_interval_whatever_the_signals() -> None:
    found = relevances(
        {"keyword": 1e9, "dense": 1.0, "window": 1.0, "time": 1.0, "name": 1.0, "digest": 1.0},
        {"keyword": 0.0, "dense": -1.0, "window": -1.0, "asks": True, "characters": 0},
        {},
    )
    assert all(0.0 <= relevance <= 1.0 for relevance in found)
    assert found[0] == max(found)


def test_little_of_the_question_found_leaves_doubt() -> None:
    (doubtful,) = relevances({"keyword": 1.0, "dense": 0.1, "window": 0.1})
    (assured,) = relevances({"keyword": 9.0, "dense": 0.6, "window": 0.6})
    assert doubtful < 0.4 < 0.9 < assured


def test_words_alone_are_enough_where_there_are_no_vectors() -> None:
    (found,) = relevances({"keyword": 9.0})
    assert found > 0.5


def test_a_turn_moves_towards_the_best_ones_of_its_session() -> None:
    found = ranked(
        {"keyword": 8.0, "session": 1},
        {"keyword": 3.0, "session": 1},
        {"keyword": 3.0, "session": 2},
        {"keyword": 3.0},
    )
    assert found.relevance[0] > found.relevance[1] > found.relevance[2] == found.relevance[3]
    assert found.parts([1])[0]["company"] > 0.0
    assert "company" not in found.parts([2])[0]
    assert "company" not in found.parts([3])[0]


def test_records_that_hear_no_others_count_more_on_their_company() -> None:
    talk = ranked({"keyword": 8.0, "session": 1}, {"keyword": 3.0, "session": 1})
    records = ranked({"keyword": 8.0, "session": 1, "hears": False}, {"keyword": 3.0, "session": 1, "hears": False})
    assert records.parts([1])[0]["company"] > talk.parts([1])[0]["company"] > 0.0


def test_only_the_best_three_turns_of_a_session_say_how_good_it_is() -> None:
    four = [{"keyword": 8.0, "session": 1}] * 3 + [{"keyword": 4.0, "session": 1}]
    alone = ranked(*four)
    with_chatter = ranked(*four, *[{"keyword": 0.1, "session": 1}] * 5)
    assert with_chatter.parts([3])[0]["company"] == alone.parts([3])[0]["company"] > 0.0


def test_what_follows_a_question_near_the_one_asked_counts_more() -> None:
    usual = {"keyword": 5.0, "dense": 0.3, "window": 0.3}
    after_near, after_far, after_none = relevances(
        {**usual, "replied": 0.4}, {**usual, "replied": -0.4}, {**usual, "replied": np.nan}
    )
    assert after_near > after_far > after_none


def test_the_asked_days_and_the_named_speaker_count() -> None:
    plain, dated, named = relevances({"keyword": 5.0}, {"keyword": 5.0, "time": 1.0}, {"keyword": 5.0, "name": 1.0})
    assert dated > named > plain
