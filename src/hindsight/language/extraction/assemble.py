"""From a judged draft to a candidate, or to the reason why there is none."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import Final

from hindsight.domain.conversation import Candidate
from hindsight.language.extraction.categories import category_of
from hindsight.language.extraction.cues import CUES
from hindsight.language.extraction.drafts import Draft
from hindsight.language.extraction.judge import weights
from hindsight.language.extraction.keys import key_of
from hindsight.language.timewords import mentions

MAKER: Final = "rules/1"

# The first that fits names the reason: the clearer ones stand first.
_REASONS: Final[tuple[tuple[str, str], ...]] = (
    ("hypothetical", "hypothetical"),
    ("request", "request"),
    ("imperative_start", "request"),
    ("question", "question"),
    ("this_once", "one_off"),
    ("edit", "one_off"),
    ("undecided", "undecided"),
    ("mood", "mood"),
    ("weather", "small_talk"),
    ("laugh", "joke"),
    ("praise", "reaction"),
    ("reaction", "reaction"),
    ("try", "intention"),
    ("error", "momentary"),
    ("symptom", "momentary"),
    ("today", "momentary"),
    ("hearsay", "others_view"),
    ("third_party", "others_view"),
    ("feeling", "feeling"),
    ("past_event", "momentary"),
    ("closing", "small_talk"),
)
_RELATIVE: Final = re.compile(
    r"\b(?:next|this|coming|tomorrow|tonight|today|yesterday|last|ago|in (?:a|\d+) (?:day|week|month|"
    r"year)s?)\b|[今明后昨前][天晚早年]|[上下本这]个?(?:周|月|星期|礼拜|半年)|[前后]天",
    re.IGNORECASE,
)
_DATED_VALUE_MAX: Final = 380


def candidate_of(draft: Draft, confidence: float, zone: tzinfo | None) -> Candidate:
    """The candidate that a kept draft becomes."""
    category = category_of(draft.text, draft.context)
    value, first, last = _dated(draft, zone)
    return Candidate(
        key=key_of(draft.text, category, draft.topic, draft.language),
        value=value,
        category=category,
        language=draft.language,
        confidence=round(confidence, 3),
        spans=draft.spans,
        origin=draft.turn.origin,
        at=draft.turn.at,
        made_by=f"{MAKER}:{_leading_cue(draft)}",
        valid_from=first,
        valid_to=last if category in {"schedule", "project"} else None,
        corrects=draft.corrects,
        endorsed_from=draft.endorsed_from,
    )


def reason_for(draft: Draft) -> str:
    """The stable code for why the judge set *draft* aside."""
    if draft.endorsed_from is not None:
        return "unaccepted_suggestion" if not draft.context.get("adopted_statement") else "one_off"
    for cue, reason in _REASONS:
        if CUES[cue].search(draft.text):
            return reason
    return "no_cue"


def _leading_cue(draft: Draft) -> str:
    if draft.endorsed_from is not None:
        return "adopted"
    weighed = weights(embedded=False).features
    positive = [
        (weighed.get(name, 0.0) * value, name)
        for name, value in draft.features.items()
        if name.startswith("cue:") and weighed.get(name, 0.0) > 0
    ]
    return max(positive)[1].removeprefix("cue:") if positive else "context"


def _dated(draft: Draft, zone: tzinfo | None) -> tuple[str, datetime | None, datetime | None]:
    """The value with the day that a relative time word means, and the span the memory is about."""
    value = draft.value
    found = [time for time in mentions(draft.text, draft.turn.at, zone, prefer="future") if not time.recurring]
    if len(found) != 1:
        return value, None, None
    time = found[0]
    if _RELATIVE.search(draft.text[time.start : time.end]) and len(value) <= _DATED_VALUE_MAX:
        local = time.first.astimezone(zone or UTC).date().isoformat()
        end = time.last.astimezone(zone or UTC).date().isoformat()
        day = local if local == end else f"{local} – {end}"
        mark = f"（{day}）" if draft.language == "zh" else f" ({day})"
        word = draft.text[time.start : time.end]
        at = value.lower().find(word.lower())
        if at >= 0:
            value = value[: at + len(word)] + mark + value[at + len(word) :]
    upcoming = time.last >= draft.turn.at
    return value, (time.first if upcoming else None), (time.last if upcoming else None)
