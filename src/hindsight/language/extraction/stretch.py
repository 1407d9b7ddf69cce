"""From turns to drafts: what one stretch of talk offers the judge, after the hard vetoes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight.domain.conversation import Rejection, Span, Turn
from hindsight.domain.memory import Language
from hindsight.language.extraction import adoption
from hindsight.language.extraction.corrections import (
    corrected_pieces,
    corrects,
    drop_piece,
    split_pieces,
    substituted,
    takes_back,
)
from hindsight.language.extraction.cues import CUES
from hindsight.language.extraction.drafts import Draft, adopted, draft_of, heard_before, is_long
from hindsight.language.extraction.features import features_of
from hindsight.language.extraction.forgotten import forgotten_spans, touches
from hindsight.language.extraction.frames import frames_of
from hindsight.language.extraction.pronouns import People
from hindsight.language.extraction.subject import about, subject_of
from hindsight.language.extraction.units import Unit, units_of
from hindsight.language.extraction.values import third_person
from hindsight.language.extraction.vetoes import veto_of
from hindsight.language.script import language_of

# Frames in which "I" is nobody: nothing said inside is kept.
_VETOING_FRAMES = ("fiction", "hypothetical", "voice", "sarcasm", "venting")
# Beside a story people also say how all of their texts should be: that is meant by themselves.
_RULE_FOR_ALL = re.compile(
    r"\b(?:for|in) (?:any|every|all)(?:thing)? (?:\w+ ){0,2}(?:of mine|i (?:write|send|post)|you (?:write|draft|"
    r"give|edit))\b|"
    r"\b(?:everything|anything|whatever) (?:of mine|i (?:write|send)|you (?:write|draft|edit) for me)\b|"
    r"(?:以后|今后|往后)[^，。]{0,6}(?:给我|帮我|你)[^，。]{0,8}(?:都|别|不要|一律|要|用|写)|"
    r"给我(?:改|写|润色|回)[^，。]{0,8}(?:别|不要|都|一律|也别)|我写(?:东西|文章|稿子?)[^，。]{0,4}(?:不|都|一律|只|喜欢|习惯)",
    re.IGNORECASE,
)
_LANGUAGE_CHARACTERS_PER_TURN = 500


def drafts_of(turns: Sequence[Turn], context: Sequence[Turn]) -> tuple[list[Draft], list[Rejection]]:
    """The drafts of *turns* with their features, in order, and what was vetoed on the way."""
    everything = [*context, *turns]
    language = _language(everything)
    frames = frames_of(everything)
    people = People()
    units: list[Unit] = []
    first_units: dict[int, Unit] = {}
    for position, turn in enumerate(everything):
        if turn.role != "user" or turn.erased:
            continue
        if position < len(context):
            people.hear(turn.content[:2_000])
            continue
        answering = heard_before(everything, position).question.kind != "none"
        own = units_of(turn, position, _turn_language(turn, language), answering=answering)
        _mark_turn(own, frames[position])
        if own:
            first_units[position] = own[0]
        units += own
    _forget(units, forgotten_spans(everything))
    rewritten = _apply_corrections(units)
    essays = any(turn.role == "assistant" and is_long(turn) for turn in everything)
    drafts: list[Draft] = []
    for position in range(len(context), len(everything)):
        turn = everything[position]
        if turn.role != "user" or turn.erased:
            continue
        heard = heard_before(everything, position)
        accepted = adopted(turn, first_units.get(position), heard, language)
        framed = any(frame in frames[position][0] for frame in _VETOING_FRAMES)
        if accepted is not None and not framed:
            _mark_frames(accepted.context, frames[position])
            drafts.append(accepted)
        for unit in (unit for unit in units if unit.position == position):
            if unit.reason is None and _speaks_of_others(unit):
                unit.reason = "others_view"
            if unit.reason is None:
                if unit.pieces[0][0] > unit.start:
                    people.hear(turn.content[unit.start : unit.pieces[0][0]])
                draft = draft_of(unit, heard, people)
                draft.context["session:long"] = float(essays)
                unit.reason = veto_of(draft.text, draft.context)
                if unit.reason is not None:
                    people.hear(unit.whole)
                    continue
                _apply_rewriting(draft, unit, rewritten)
                drafts.append(draft)
            people.hear(unit.whole)
    share = _request_share(units)
    subject = subject_of(everything)
    for draft in drafts:
        if draft.topic and subject and not any(word in draft.value.lower() for word in subject.lower().split()):
            draft.value = about(draft.value, subject, draft.language)
        draft.context["session:requests"] = share
        draft.features = features_of(draft.text, draft.context)
    return drafts, [_rejection(unit) for unit in units if unit.reason is not None]


def _speaks_of_others(unit: Unit) -> bool:
    """Asked on behalf of somebody, what is said of them is no fact about the user."""
    text = unit.text
    return bool(
        unit.context.get("frame:behalf") and CUES["others"].search(text) and not CUES["as_subject"].search(text)
    )


def _forget(units: list[Unit], spans: dict[int, list[tuple[int, int]]]) -> None:
    for unit in units:
        closed = spans.get(unit.turn.index, [])
        if not closed or not touches((unit.start, unit.end), closed):
            continue
        split_pieces(unit)
        unit.pieces = [piece for piece in unit.pieces if not touches(piece, closed)]
        if not unit.pieces:
            unit.reason = "forgotten"


def _language(turns: Sequence[Turn]) -> Language:
    words = " ".join(turn.content[:_LANGUAGE_CHARACTERS_PER_TURN] for turn in turns if turn.role == "user")
    return language_of(words)


def _turn_language(turn: Turn, fallback: Language) -> Language:
    """A turn of names only ("mvn") speaks the conversation's language."""
    content = turn.content[:_LANGUAGE_CHARACTERS_PER_TURN]
    return language_of(content) if len(content.split()) > 3 or re.search(r"[\u3400-\u9fff]", content) else fallback


def _mark_turn(units: list[Unit], frames: tuple[frozenset[str], frozenset[str]]) -> None:
    here, _ = frames
    yes_no = bool(units) and (adoption.says_yes(units[0].whole) or adoption.says_no(units[0].whole))
    for unit in units:
        _mark_frames(unit.context, frames)
        unit.context["turn:first"] = float(unit.position == 0)
        unit.context["turn:opening"] = float(unit.order == 0)
        unit.context["turn:sentences"] = min(len(units), 8) / 8
        if unit.order == 1 and yes_no and units[0].reason is not None:
            unit.context["after_yes_no"] = 1.0
        unit.context["turn_says_no"] = float(unit.order == 1 and yes_no and adoption.says_no(units[0].whole))
        vetoing = next((frame for frame in _VETOING_FRAMES if frame in here), None)
        if vetoing and unit.reason is None and not _RULE_FOR_ALL.search(unit.whole):
            unit.reason = vetoing


def _mark_frames(context: dict[str, float], frames: tuple[frozenset[str], frozenset[str]]) -> None:
    here, everywhere = frames
    for frame in everywhere:
        context[f"frame:{frame}:somewhere"] = 1.0
    for frame in here:
        context[f"frame:{frame}"] = 1.0


def _apply_corrections(units: list[Unit]) -> dict[int, str]:
    """Drop what was corrected; return the units (by identity) whose text was rewritten with a new number."""
    rewritten: dict[int, str] = {}
    for number, unit in enumerate(units):
        if unit.reason is not None and unit.reason != "small_talk":
            continue
        earlier = [other for other in units[:number] if other.reason is None]
        if takes_back(unit.whole) and earlier:
            before = max((other.position for other in units[:number] if other.position < unit.position), default=-1)
            same = [other for other in earlier if other.position == unit.position]
            for target in same or [other for other in earlier if other.position == before][-1:]:
                target.pieces, target.reason = [], "corrected"
            continue
        if not corrects(unit.whole) or unit.reason is not None:
            continue
        swapped = substituted(unit, earlier)
        if swapped is not None:
            target, text = swapped
            rewritten[id(unit)] = text
            target.pieces, target.reason = [], "corrected"
            continue
        for other in earlier:
            split_pieces(other)
        for target, piece in corrected_pieces(unit, earlier):
            unit.context["corrected_earlier"] = 1.0
            drop_piece(target, piece)
    return rewritten


def _apply_rewriting(draft: Draft, unit: Unit, rewritten: dict[int, str]) -> None:
    text = rewritten.get(id(unit))
    if text is None:
        return
    draft.text = text
    draft.value = third_person(text, unit.language)
    draft.corrects = True


def _request_share(units: list[Unit]) -> float:
    """How much of what the user said were questions and requests: talk that only orders work keeps little."""
    if not units:
        return 0.0
    return sum(unit.reason in {"question", "request"} for unit in units) / len(units)


def _rejection(unit: Unit) -> Rejection:
    span = Span(turn_index=unit.turn.index, start=unit.start, end=unit.end)
    return Rejection(span=span, reason=unit.reason or "small_talk")
