"""Distilling stable facts from a finished conversation, by rules, in Chinese and English.

The user's sentences become drafts, each with the question it answers; hard vetoes take out what is
quoted, secret, asked, forgotten, corrected or said as somebody else; a linear judge weighs the rest.
Only user turns yield memories: the assistant's words count where the user accepted them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from hindsight.domain.conversation import Candidate, Rejection, Span, Turn
from hindsight.language.extraction.assemble import candidate_of, reason_for
from hindsight.language.extraction.drafts import Draft
from hindsight.language.extraction.judge import Embed, judge
from hindsight.language.extraction.plain import PLAIN_CONFIDENCE, plainly_said
from hindsight.language.extraction.stretch import drafts_of

KEPT_FROM = 0.5
# Under long replies people think aloud. Of what the judge put between this and 0.5 there, a reader found one in
# four worth keeping: it enters as doubtful, below every figure and behind every sure memory.
DOUBTFUL_UNDER_LONG_REPLIES_FROM = 0.4
# A longer talk that holds anything to keep holds something clear. Asking for one clear draft emptied
# all of the 41 talks with nothing in them (39 without) and cost half a point of recall.
CLEAR_FROM = 0.7
_TALK_TURNS_MIN = 3
_ASKED_FOR = frozenset({"cue:keep_this", "cue:from_now_on", "adopted:kept", "adopted_explicit"})

__all__ = ["CLEAR_FROM", "KEPT_FROM", "Embed", "Extraction", "extract"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a look back proposes, and what it looked at and set aside."""

    candidates: tuple[Candidate, ...]
    rejections: tuple[Rejection, ...]


def extract(
    turns: Sequence[Turn],
    *,
    context: Sequence[Turn] = (),
    embed: Embed | None = None,
    zone: tzinfo | None = None,
) -> Extraction:
    """Propose memories from *turns*, one stretch of one session in order.

    The same turns give the same result. Nothing is proposed from *context*; it only says what an
    answer answers and whom a pronoun means. A turn that is not the user's own (its origin is lower)
    passes its origin on.

    Args:
        turns: The stretch to look back on.
        context: Up to 20 turns before it.
        embed: Texts to unit rows, (n,) -> (n, d). Used only when it is the embedder that the weights
            were made with; without it the judge looks at cues alone.
        zone: The user's time zone, for relative dates; UTC when omitted.

    Returns:
        Candidates in the order of the talk, and the rejected pieces with their reasons; both are empty
        where the user said nothing. A confidence below 0.5 marks a doubtful candidate, which only talk
        under long replies yields.
    """
    drafts, rejections = drafts_of(turns, context)
    judged = judge([(draft.text, draft.features) for draft in drafts], embed)
    confidences = [
        max(confidence, PLAIN_CONFIDENCE) if draft.endorsed_from is None and plainly_said(draft.text) else confidence
        for draft, confidence in zip(drafts, judged, strict=True)
    ]
    if sum(turn.role == "user" for turn in turns) >= _TALK_TURNS_MIN and not _holds_something_clear(
        drafts, confidences
    ):
        confidences = [0.0 for _ in confidences]
    candidates: list[Candidate] = []
    seen: set[str] = set()
    for draft, confidence in zip(drafts, confidences, strict=True):
        if confidence < _bar(draft):
            reason = reason_for(draft)
            rejections += [Rejection(span=span, reason=reason) for span in draft.spans]
            continue
        candidate = candidate_of(draft, confidence, zone)
        if candidate.value.casefold() in seen:
            rejections += [Rejection(span=span, reason="repeated") for span in draft.spans]
            continue
        seen.add(candidate.value.casefold())
        candidates.append(candidate)
    rejections.sort(key=_place)
    return Extraction(candidates=tuple(candidates), rejections=tuple(rejections))


def _bar(draft: Draft) -> float:
    """How sure the judge must be of *draft*."""
    if draft.context.get("assistant:long") and draft.endorsed_from is None:
        return DOUBTFUL_UNDER_LONG_REPLIES_FROM
    return KEPT_FROM


def _holds_something_clear(drafts: Sequence[Draft], confidences: Sequence[float]) -> bool:
    return any(
        confidence >= CLEAR_FROM or (confidence >= KEPT_FROM and draft.features.keys() & _ASKED_FOR)
        for draft, confidence in zip(drafts, confidences, strict=True)
    )


def _place(rejection: Rejection) -> tuple[int, int, int]:
    span: Span = rejection.span
    return span.turn_index, span.start, span.end
