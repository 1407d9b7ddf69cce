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

from hindsight.domain.trust import Trust

# What each signal adds at its best. The first four were chosen on five English dialogues and a Chinese
# year of records, the others by judgement.
KEYWORD_WEIGHT: Final = 1.0
WINDOW_WEIGHT: Final = 1.0
DENSE_WEIGHT: Final = 0.5
TIME_WEIGHT: Final = 0.6
NAME_WEIGHT: Final = 0.2
QUESTION_WEIGHT: Final = 0.2
BREVITY_WEIGHT: Final = 0.05
DIGEST_WEIGHT: Final = 0.3
COMPANY_WEIGHT: Final = 0.2
"""A turn whose session holds other good ones: 0.4 to 1.4 points of R@10."""
COMPANY_TURNS: Final = 3

COVERAGE_FULL: Final = 0.3
"""Where less of the question's weight is found than this, keywords count for less: a long message has
many words and few that matter (Chinese dialogues as questions: R@5 57 against 59 without)."""
COVERAGE_FLOOR: Final = 0.35

DENSE_RANGE: Final = 1.0
"""How far below the nearest cosine a candidate's counts as nothing."""
WINDOW_RANGE: Final = 0.6
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What speaks for and against one candidate.

    ``keyword`` is BM25, unbounded. ``dense`` is the cosine to the question and ``window`` the same with
    the turns around; None where there is no vector. ``time``, ``name`` and ``digest`` lie in [0, 1].
    """

    keyword: float = 0.0
    dense: float | None = None
    window: float | None = None
    time: float = 0.0
    name: float = 0.0
    digest: float = 0.0
    asks: bool = False
    characters: int = BREVITY_CHARACTERS
    freshness: float = 1.0
    confidence: float = 1.0
    trust: Trust = "trusted"
    passed: bool = False
    session: str | None = None
    foreign: bool = False
    is_memory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate's place: ``relevance`` in [0, 1], and the parts that made it."""

    relevance: float
    parts: dict[str, float]


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


def order(candidates: Sequence[Signals], *, ceiling: float, terms: int) -> list[Scored]:
    """Score *candidates*, in their own order.

    The best one's relevance is the assurance that the question is answered at all; the others' fall
    with their share of its score. Quality (freshness, confidence, trust) then takes its bounded part.

    Args:
        ceiling: What a text with all words of the question would score by keyword.
        terms: How many words the question has.
    """
    if not candidates:
        return []
    best_keyword = max(c.keyword for c in candidates)
    best_dense = max((c.dense for c in candidates if c.dense is not None), default=0.0)
    best_window = max((c.window for c in candidates if c.window is not None), default=0.0)
    coverage = best_keyword / ceiling if ceiling > 0 else 0.0
    worth = KEYWORD_WEIGHT * min(max(coverage / COVERAGE_FULL, COVERAGE_FLOOR), 1.0)
    parts = [_parts(c, worth / max(best_keyword, _TINY), best_dense, best_window) for c in candidates]
    _add_company(candidates, parts)
    totals = [max(sum(p.values()), 0.0) for p in parts]
    top = max(max(totals), _TINY)
    nearest = max((c for c in candidates if c.dense is not None), key=lambda c: c.dense or 0.0, default=Signals())
    sure = assurance(coverage, nearest.dense, terms, allowance=_allowance(nearest))
    scored: list[Scored] = []
    for candidate, part, total in zip(candidates, parts, totals, strict=True):
        relevance = sure * (total / top) * quality(candidate)
        named = {**part, "freshness": candidate.freshness, "confidence": candidate.confidence}
        named["trust"] = TRUST_FACTOR[candidate.trust]
        scored.append(Scored(relevance=min(relevance, 1.0), parts=_rounded(named)))
    return scored


def _allowance(nearest: Signals) -> float:
    if nearest.is_memory:
        return MEMORY_ALLOWANCE
    return FOREIGN_ALLOWANCE if nearest.foreign else 0.0


def quality(candidate: Signals) -> float:
    """The factor in (0, 1] that freshness, confidence, trust and a passed end take together."""
    factor = 1.0 - FRESHNESS_SHARE * (1.0 - candidate.freshness)
    factor *= 1.0 - CONFIDENCE_SHARE * (1.0 - candidate.confidence)
    return factor * TRUST_FACTOR[candidate.trust] * (PASSED_FACTOR if candidate.passed else 1.0)


def _add_company(candidates: Sequence[Signals], parts: Sequence[dict[str, float]]) -> None:
    """Let each session's best turns lift the others of it."""
    sessions: dict[str, list[float]] = {}
    for candidate, part in zip(candidates, parts, strict=True):
        if candidate.session is not None:
            sessions.setdefault(candidate.session, []).append(sum(part.values()))
    lift = {
        session: COMPANY_WEIGHT * max(sum(best) / len(best), 0.0)
        for session, totals in sessions.items()
        if (best := sorted(totals, reverse=True)[:COMPANY_TURNS])
    }
    for candidate, part in zip(candidates, parts, strict=True):
        if candidate.session is not None:
            part["company"] = lift[candidate.session]


def _parts(c: Signals, keyword_worth: float, best_dense: float, best_window: float) -> dict[str, float]:
    brevity = math.log(max(min(c.characters, BREVITY_CHARACTERS), 10) / BREVITY_CHARACTERS)
    return {
        "keyword": keyword_worth * c.keyword,
        "dense": DENSE_WEIGHT * _below(c.dense, best_dense, DENSE_RANGE),
        "window": WINDOW_WEIGHT * _below(c.window, best_window, WINDOW_RANGE),
        "time": TIME_WEIGHT * c.time,
        "name": NAME_WEIGHT * c.name,
        "digest": DIGEST_WEIGHT * c.digest,
        "question": -QUESTION_WEIGHT if c.asks else 0.0,
        "brevity": BREVITY_WEIGHT * brevity,
    }


def _below(value: float | None, best: float, reach: float) -> float:
    """1 for the best, falling to 0 at *reach* below it."""
    return 0.0 if value is None else max(0.0, 1.0 - (best - value) / reach)


def _rounded(parts: dict[str, float]) -> dict[str, float]:
    """The parts that say something, to four digits: a trace is read by people."""
    return {name: round(value, 4) for name, value in parts.items() if value}
