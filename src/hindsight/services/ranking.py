"""Putting what was found in order: how much each signal counts, and when nothing is relevant enough.

The signals are put on one scale by the best of each, and added. Reciprocal rank fusion was rejected (it
lost 4 points of R@5 on English dialogues and 11 on Chinese records, because it forgets by how much the
first one leads), and so were learned rankers (3 points won on one set, up to 4 lost on the others).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hindsight.domain.trust import TRUSTS, Trust

Column = NDArray[np.float64]  # (n,)

# What each signal adds at its best. Chosen on five English dialogues and a Chinese year of records, the digest
# by judgement. Tuned on four dialogues, such weights gave R@5 80.6 and R@10 87.4 on the fifth (78.4 and 86.7 before).
KEYWORD_WEIGHT: Final = 1.0
WINDOW_WEIGHT: Final = 1.0
DENSE_WEIGHT: Final = 1.0
TIME_WEIGHT: Final = 0.6
NAME_WEIGHT: Final = 0.25
REPLY_WEIGHT: Final = 0.25
"""A turn that follows a question near the one asked: R@5 1.0 higher; with twice as much, 1.6 lower again."""
QUESTION_WEIGHT: Final = 0.3
BREVITY_WEIGHT: Final = 0.05
DIGEST_WEIGHT: Final = 0.3
COMPANY_SHARE: Final = 1 / 6
"""How far a turn's own score moves towards that of its session's best turns."""
RECORD_COMPANY_SHARE: Final = 0.4
"""The same for a turn that hears none around it, such as one of a day's records (by keyword, R@10 67.5 and
63.2 on one Chinese year, 49.3 and 47.2 on the other). In dialogues it loses 1 point."""
COMPANY_TURNS: Final = 3

COVERAGE_FULL: Final = 0.3
"""Where less of the question's weight is found than this, keywords count for less: a long message has
many words and few that matter (Chinese dialogues as questions: R@5 57 against 59 without)."""
COVERAGE_FLOOR: Final = 0.35

DENSE_RANGE: Final = 1.0
"""How far below the nearest cosine a candidate's counts as nothing."""
WINDOW_RANGE: Final = 0.6
LONE_RANGE: Final = 1.2
"""The same for a turn that hears none around it, whose own cosine would else count twice and steeply: R@10
67.1 against 64.9 on a Chinese year of records, and R@5 66.1 against 64.2 on Chinese event memories."""
BREVITY_CHARACTERS_MIN: Final = 10
BREVITY_CHARACTERS: Final = 100
"""A turn shorter than this says less than its words promise ("Sure, sounds great!")."""

# Whether a question is answered at all. On English dialogues, of a conversation's questions against
# another's, coverage and cosine together have an area under the curve of about 0.95. A
# long message (Chinese dialogues) is answered at half the cosine.
ASSURANCE_OFFSET: Final = -6.5
ASSURANCE_COVERAGE: Final = 8.0
ASSURANCE_COSINE: Final = 12.0
COSINE_UNKNOWN: Final = 0.25
TERMS_ANSWERED: Final = 8
COVERAGE_STRETCH_MIN: Final = 1 / 3
LONG_QUESTION_TERMS: Final = 50
LONG_QUESTION_ALLOWANCE: Final = 3.5
MEMORY_ALLOWANCE: Final = 2.3
"""For a nearest text that is a memory: one statement under its key, which shares few words with a
question. With it 32 written questions about as many memories are all answered, in their language (the
weakest has a cosine of 0.28) and across (0.19), and 45 of 60 beside the point are not (at most 0.20)."""
FOREIGN_ALLOWANCE: Final = 2.3
"""For a nearest text in the other language, which shares no words with the question: with it 32 written
questions are answered across languages about as off-topic ones are not (0.2 at most)."""

# Bounded, so that no amount of freshness lifts what is beside the point: all three together take
# at most 0.88 * 0.9 * 0.85 = 0.67, and what is off topic reaches less than that of the best.
FRESHNESS_SHARE: Final = 0.12
CONFIDENCE_SHARE: Final = 0.10
PASSED_FACTOR: Final = 0.85
_TINY: Final = 1e-9
TRUST_FACTOR: Final[dict[Trust, float]] = {"trusted": 1.0, "reported": 0.95, "untrusted": 0.85}
_TRUST_FACTORS: Final = np.array([TRUST_FACTOR[trust] for trust in TRUSTS])
PARTS_DECIMALS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What speaks for and against each candidate: one value a candidate in every column.

    ``keyword`` is BM25, unbounded. ``dense`` is the cosine to the question and ``window`` the same with
    the turns around; NaN where there is no vector. ``replied`` is the cosine of the question that a turn
    follows, NaN for none, and ``hears`` whether there are turns around it. ``time``, ``name`` and ``digest``
    lie in [0, 1].
    ``trust`` counts through TRUSTS; ``session`` is 0 for what has none.
    """

    keyword: Column
    dense: Column
    window: Column
    replied: Column
    hears: NDArray[np.bool_]
    time: Column
    name: Column
    digest: Column
    asks: NDArray[np.bool_]
    characters: NDArray[np.int64]
    freshness: Column
    confidence: Column
    trust: NDArray[np.uint8]
    passed: NDArray[np.bool_]
    session: NDArray[np.int64]
    foreign: NDArray[np.bool_]
    is_memory: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.keyword)


class Order:
    """What `order` made of candidates, in their own order: each one's ``relevance`` in [0, 1], and its parts."""

    def __init__(self, relevance: Column, parts: dict[str, Column]) -> None:
        self.relevance = relevance
        self._parts = parts

    def parts(self, places: Sequence[int] | NDArray[np.intp]) -> list[dict[str, float]]:
        """The parts of some candidates that say something, to four digits: a trace is read by people."""
        table = np.round(np.array([column[places] for column in self._parts.values()]), PARTS_DECIMALS)
        names = list(self._parts)
        return [{name: value for name, value in zip(names, row, strict=True) if value} for row in table.T.tolist()]


def assurance(coverage: float, cosine: float | None, terms: int, *, allowance: float = 0.0) -> float:
    """The chance, in [0, 1], that anything found is about the question at all.

    Args:
        coverage: The best text's share of what all words of the question would score.
        cosine: The nearest cosine; None where there are no vectors.
        terms: How many words the question has.
        allowance: What the nearest text is allowed for being found by meaning alone.
    """
    found = coverage / min(1.0, max(TERMS_ANSWERED / max(terms, 1), COVERAGE_STRETCH_MIN))
    evidence = ASSURANCE_OFFSET + ASSURANCE_COVERAGE * min(found, 1.0)
    evidence += ASSURANCE_COSINE * (COSINE_UNKNOWN if cosine is None else max(cosine, 0.0))
    evidence += LONG_QUESTION_ALLOWANCE * min(max((terms - LONG_QUESTION_TERMS) / LONG_QUESTION_TERMS, 0.0), 1.0)
    evidence += allowance
    return 1.0 / (1.0 + math.exp(-evidence))


def order(candidates: Signals, *, ceiling: float, terms: int) -> Order:
    """Score *candidates*.

    The best one's relevance is the assurance that the question is answered at all; the others' fall
    with their share of its score. Quality (freshness, confidence, trust) then takes its bounded part.

    Args:
        ceiling: What a text with all words of the question would score by keyword.
        terms: How many words the question has.
    """
    if not len(candidates):
        return Order(np.zeros(0), {})
    best_keyword = float(candidates.keyword.max())
    coverage = best_keyword / ceiling if ceiling > 0 else 0.0
    worth = KEYWORD_WEIGHT * min(max(coverage / COVERAGE_FULL, COVERAGE_FLOOR), 1.0)
    parts = _parts(candidates, worth / max(best_keyword, _TINY))
    parts["company"] = _company(candidates, _sum(parts))
    totals = np.maximum(_sum(parts), 0.0)
    sure = _assured(candidates, coverage, terms)
    relevance = np.minimum(sure * (totals / max(float(totals.max()), _TINY)) * quality(candidates), 1.0)
    parts |= {"freshness": candidates.freshness, "confidence": candidates.confidence}
    parts["trust"] = _TRUST_FACTORS[candidates.trust]
    return Order(relevance, parts)


def _assured(candidates: Signals, coverage: float, terms: int) -> float:
    """The assurance, with the allowance of the nearest candidate by meaning."""
    if np.isnan(candidates.dense).all():
        return assurance(coverage, None, terms)
    nearest = int(np.nanargmax(candidates.dense))
    allowance = FOREIGN_ALLOWANCE if candidates.foreign[nearest] else 0.0
    if candidates.is_memory[nearest]:
        allowance = MEMORY_ALLOWANCE
    return assurance(coverage, float(candidates.dense[nearest]), terms, allowance=allowance)


def quality(candidates: Signals) -> Column:
    """The factors in (0, 1] that freshness, confidence, trust and a passed end take together."""
    factors = 1.0 - FRESHNESS_SHARE * (1.0 - candidates.freshness)
    factors *= 1.0 - CONFIDENCE_SHARE * (1.0 - candidates.confidence)
    return factors * _TRUST_FACTORS[candidates.trust] * np.where(candidates.passed, PASSED_FACTOR, 1.0)


def _company(candidates: Signals, totals: Column) -> Column:
    """What moves each turn towards the best ones of its session."""
    sessions = candidates.session
    by_session = np.lexsort((-totals, sessions))
    ordered = sessions[by_session]
    heads = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(heads, len(ordered)))
    rank = np.arange(len(ordered)) - np.repeat(heads, sizes)
    best = np.where(rank < COMPANY_TURNS, totals[by_session], 0.0)
    means = np.empty(len(totals))
    means[by_session] = np.repeat(np.add.reduceat(best, heads) / np.minimum(sizes, COMPANY_TURNS), sizes)
    share = np.where(candidates.hears, COMPANY_SHARE, RECORD_COMPANY_SHARE)
    return np.where(sessions > 0, share * (means - totals), 0.0)


def _parts(c: Signals, keyword_worth: float) -> dict[str, Column]:
    characters = np.maximum(np.minimum(c.characters, BREVITY_CHARACTERS), BREVITY_CHARACTERS_MIN)
    return {
        "keyword": keyword_worth * c.keyword,
        "dense": DENSE_WEIGHT * _below(c.dense, DENSE_RANGE),
        "window": WINDOW_WEIGHT * _below(c.window, np.where(c.hears | c.is_memory, WINDOW_RANGE, LONE_RANGE)),
        "time": TIME_WEIGHT * c.time,
        "name": NAME_WEIGHT * c.name,
        "reply": REPLY_WEIGHT * _reply(c),
        "digest": DIGEST_WEIGHT * c.digest,
        "question": np.where(c.asks, -QUESTION_WEIGHT, 0.0),
        "brevity": BREVITY_WEIGHT * np.log(characters / BREVITY_CHARACTERS),
    }


def _reply(c: Signals) -> Column:
    """How near the question is that a turn follows, on the scale of the nearest candidate."""
    known = ~(np.isnan(c.replied) | np.isnan(c.dense).all())
    if not known.any():
        return np.zeros(len(c))
    gaps = (float(np.nanmax(c.dense)) - c.replied) / DENSE_RANGE
    return np.where(known, np.clip(1.0 - gaps, 0.0, 1.0), 0.0)


def _below(values: Column, reach: float | Column) -> Column:
    """1 for the best, falling to 0 at *reach* below it, and 0 for what has no value."""
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros(len(values))
    return np.where(known, np.maximum(0.0, 1.0 - (float(values[known].max()) - values) / reach), 0.0)


def _sum(parts: dict[str, Column]) -> Column:
    return np.sum(list(parts.values()), axis=0)
