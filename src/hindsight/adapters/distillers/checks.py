"""What a model claims, held against what was said: a candidate, or the reason why there is none.

A model reads well and is believed easily, so nothing rests on its word. Who said something, whether
the user accepted it and whether words were forgotten, corrected or pasted is decided by the rules that
decide it without a model; the model can add candidates and can never lift one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final

from hindsight.adapters.distillers.answers import Claim
from hindsight.domain.conversation import Candidate, Rejection, Span, Turn
from hindsight.domain.errors import InvalidRequest
from hindsight.domain.memory import Category, parse_category, parse_key
from hindsight.domain.trust import Origin, lowest_origin
from hindsight.language.extraction.corrections import corrects
from hindsight.language.grounding import find_quote, unsupported
from hindsight.language.script import language_of
from hindsight.language.secrets import find_secrets
from hindsight.language.spans import foreign_spans
from hindsight.language.timewords import mentions
from hindsight.language.topics import content_words
from hindsight.ports import Distilled

# A sentence of 80 Chinese characters or 40 words; a model that writes more retells the conversation.
VALUE_CHARACTERS_MAX: Final = 400
# Below it a candidate is in doubt, as everywhere.
CONFIDENCE_MIN: Final = 0.5
# A model is never surer than the rules are of what the user says outright.
CONFIDENCE_MAX: Final = 0.9
# How much of a value's content must stand in the turns: a paraphrase keeps most of it, an invention little.
SAID_SHARE_MIN: Final = 0.4
# What the rules set aside for good: no paraphrase brings it back.
_CLOSED: Final = frozenset({"forgotten", "corrected", "fiction"})
_FRAME: Final = re.compile(r"用户们?|\busers?(?:'s?)?(?![a-z])", re.IGNORECASE)
_DATED: Final[frozenset[Category]] = frozenset({"schedule", "project"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What claims about one stretch are held against: its turns, and what the rules found in them."""

    turns: Sequence[Turn]
    rules: Distilled
    made_by: str
    zone: tzinfo | None

    def turn(self, index: int) -> Turn | None:
        """The turn with that index, unless it is erased."""
        return next((turn for turn in self.turns if turn.index == index and not turn.erased), None)

    def before(self, turn: Turn) -> Turn | None:
        """The assistant's turn that *turn* answers."""
        earlier = [other for other in self.turns if other.index < turn.index]
        return earlier[-1] if earlier and earlier[-1].role == "assistant" else None


def checked(claim: Claim, ground: Ground, *, piece: Sequence[Turn]) -> Candidate | Rejection:
    """The candidate that *claim* makes, or where it was looked for and why it falls.

    Args:
        piece: The turns the model was asked about; a claim must rest on a user's turn among them.
    """
    spans = _spans(claim, ground)
    place = spans[0] if spans else Span(turn_index=piece[0].index, start=0, end=0)
    asked = {turn.index for turn in piece}
    cited = [turn for turn in map(ground.turn, dict.fromkeys(s.turn_index for s in spans or ())) if turn is not None]
    users = [turn for turn in cited if turn.role == "user"]
    if spans is None:
        return Rejection(span=place, reason="model:quote_not_found")
    if not any(turn.index in asked for turn in users):
        return Rejection(span=place, reason="model:not_the_users")
    reason = _unfit(claim) or _closed(spans, ground) or _unsaid(claim, spans, cited, ground)
    category = _category(claim)
    if reason is not None or category is None:
        return Rejection(span=place, reason=f"model:{reason or 'unknown_category'}")
    origin, endorsed_from = _origin(claim, spans, cited, ground)
    at = max(turn.at for turn in users)
    first, last = _validity(spans, ground)
    return Candidate(
        key=claim.key,
        value=claim.value,
        category=category,
        language=language_of(claim.value),
        confidence=round(min(claim.confidence, CONFIDENCE_MAX), 3),
        spans=spans,
        origin=origin,
        at=at,
        made_by=ground.made_by,
        valid_from=first,
        valid_to=last if category in _DATED else None,
        corrects=any(corrects(_quote(span, ground)) for span in spans),
        endorsed_from=endorsed_from,
    )


def _spans(claim: Claim, ground: Ground) -> tuple[Span, ...] | None:
    """Where the quotes stand; None as soon as one does not."""
    spans: list[Span] = []
    for cited in claim.cited:
        turn = ground.turn(cited.turn_index)
        bounds = find_quote(turn.content, cited.quote) if turn is not None else None
        if bounds is None:
            return None
        span = Span(turn_index=cited.turn_index, start=bounds[0], end=bounds[1])
        if span not in spans:
            spans.append(span)
    return tuple(spans)


def _quote(span: Span, ground: Ground) -> str:
    turn = ground.turn(span.turn_index)
    return turn.content[span.start : span.end] if turn is not None else ""


def _unfit(claim: Claim) -> str | None:
    """What is wrong with the claim whatever was said."""
    if not claim.value or len(claim.value) > VALUE_CHARACTERS_MAX:
        return "too_long" if claim.value else "empty"
    if not CONFIDENCE_MIN <= claim.confidence <= 1.0:
        return "unsure"
    if find_secrets(claim.value) or find_secrets(claim.key):
        return "secret"
    try:
        parse_key(claim.key)
    except InvalidRequest:
        return "vague_key"
    return None


def _closed(spans: Sequence[Span], ground: Ground) -> str | None:
    """Why words that a quote touches may never be kept: secret, pasted, forgotten, taken back."""
    for span in spans:
        turn = ground.turn(span.turn_index)
        assert turn is not None, "a span was found in its turn"
        if any(_touch(span, secret.start, secret.end) for secret in find_secrets(turn.content)):
            return "secret"
        if turn.role == "user" and any(_touch(span, *bounds) for bounds in foreign_spans(turn.content)):
            return "quoted"
        for rejection in ground.rules.rejections:
            other = rejection.span
            here = rejection.reason in _CLOSED and other.turn_index == span.turn_index
            if here and _touch(span, other.start, other.end):
                return rejection.reason
    return None


def _touch(span: Span, start: int, end: int) -> bool:
    return start < span.end and span.start < end


def _unsaid(claim: Claim, spans: Sequence[Span], cited: Sequence[Turn], ground: Ground) -> str | None:
    """What the value adds to the turns it cites and the questions these answer."""
    heard = {turn.index: turn for turn in cited}
    for turn in cited:
        asked = ground.before(turn) if turn.role == "user" else None
        if asked is not None:
            heard.setdefault(asked.index, asked)
    added = unsupported(claim.value, list(heard.values()), ground.zone)
    if added is not None:
        return f"{added}_not_said"
    words = _content(claim.value)
    known = content_words(" ".join(turn.content for turn in heard.values()))
    if words and len(words & known) < SAID_SHARE_MIN * len(words):
        return "not_said"
    return None


def _content(value: str) -> frozenset[str]:
    """What *value* says, without its frame ("The user ...") and its figures, which are checked by themselves."""
    return frozenset(
        word for word in content_words(_FRAME.sub("，", value)) if not any(character.isdigit() for character in word)
    )


def _origin(claim: Claim, spans: Sequence[Span], cited: Sequence[Turn], ground: Ground) -> tuple[Origin, Origin | None]:
    """Whose words the candidate counts as, and whose proposal the user accepted in it.

    What the user said about it in words of their own is theirs. For the rest the rules say whether the
    assistant's words were accepted; where they do not, the candidate is worth the assistant's word.
    """
    users = [turn for turn in cited if turn.role == "user"]
    own = lowest_origin(turn.origin for turn in users)
    words = _content(claim.value)
    said = content_words(
        " ".join(_quote(span, ground) for span in spans if span.turn_index in {t.index for t in users})
    )
    proposed = [asked for asked in map(ground.before, users) if asked is not None]
    offered = content_words(" ".join(turn.content for turn in proposed))
    if (words & said) - offered or (not offered and words & said):
        return own, None
    accepted = {turn.index for turn in users}
    for candidate in ground.rules.candidates:
        if candidate.endorsed_from is not None and accepted & {span.turn_index for span in candidate.spans}:
            return lowest_origin((own, candidate.origin)), candidate.endorsed_from
    return lowest_origin((own, "assistant", *(turn.origin for turn in cited))), None


def _validity(spans: Sequence[Span], ground: Ground) -> tuple[datetime | None, datetime | None]:
    """The one time that the quotes speak of, where it lies ahead."""
    found = {
        (time.first, time.last)
        for span in spans
        for turn in [ground.turn(span.turn_index)]
        if turn is not None and turn.role == "user"
        for time in mentions(_quote(span, ground), turn.at, ground.zone, prefer="future")
        if not time.recurring and time.last >= turn.at
    }
    return found.pop() if len(found) == 1 else (None, None)


def _category(claim: Claim) -> Category | None:
    try:
        return parse_category(claim.category)
    except InvalidRequest:
        return None
