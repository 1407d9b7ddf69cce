"""Drafts: what could become a memory, with everything the judge and the value need to know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from hindsight.domain.conversation import Span, Turn
from hindsight.domain.memory import Language
from hindsight.domain.trust import Origin
from hindsight.language.extraction import adoption, values
from hindsight.language.extraction.corrections import content_words, corrects
from hindsight.language.extraction.cues import CUES
from hindsight.language.extraction.pronouns import People
from hindsight.language.extraction.questions import NO_QUESTION, Question, last_question, statement_of, topic_of
from hindsight.language.extraction.units import Unit
from hindsight.language.sentences import sentences

# An answer of more words speaks for itself, and so does one that says "I" and points at nothing.
_SHORT_ANSWER_WORDS: Final = 14
# After a long reply only such an answer needs its question.
# "Reaper", "Quarkus, not Spring": an answer that is little more than a name.
_NAMED_ANSWER_WORDS: Final = 4
_WHOLE_ANSWER_WORDS: Final = 5
_SAYS_WHO: Final = re.compile(
    r"^(?:(?:yes|yeah|no|well|so|oh|actually)[, ]+)*(?:i|i'm|i've|we|we're|we've|my|our)\b"
    r"(?! (?:am|do|did|have|was|can|will|are)\b[ ]*(?:[,.;]|and\b))|"
    r"^(?:嗯|对|是的|没有|不是)?[，,]?(?:我|我们|咱们?)(?!也?[是想要觉]?(?:的|吧|$))",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(
    r"\b(?:it|that|this|those|these|them|they|there|one|ones|so|both|either|neither|same|only|just|mostly)\b|"
    r"[它这那]|前者|后者|一样|都|只|第[一二三]",
    re.IGNORECASE,
)
# In labelled conversations nineteen replies in twenty stay below it, in real talk most go beyond.
_LONG_REPLY_LETTERS: Final = 320
# A Chinese character carries about as much as a word of four letters.
_LETTERS_A_HAN: Final = 4
_ADOPTED_CHARACTERS_MAX: Final = 240
_TAINTING: Final[frozenset[Origin]] = frozenset({"tool", "web", "document", "peer", "import", "memory"})
_WANTS: Final = re.compile(
    r"^(?:please |pls |always |never |don'?t |do not |only |no |use |run |put |keep |write |call |"
    r"avoid |skip |add |show |give |stop |make |whenever |from now on)|^(?:以后|今后|每次|凡|别|不要|"
    r"不许|不准|请|一律|统一|必须)",
    re.IGNORECASE,
)
_ABOUT_USER: Final = re.compile(r"\b(?:you|your)\b|[你您]|咱们?|我们", re.IGNORECASE)


@dataclass(slots=True)
class Draft:
    """A possible memory. ``text`` is what the judge reads, ``value`` what would be stored."""

    turn: Turn
    text: str
    value: str
    spans: tuple[Span, ...]
    language: Language
    topic: str = ""
    context: dict[str, float] = field(default_factory=dict[str, float])
    features: dict[str, float] = field(default_factory=dict[str, float])
    corrects: bool = False
    endorsed_from: Origin | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What stood before a user turn: the assistant's last turn, its question, and whether others spoke."""

    assistant: Turn | None
    question: Question
    tainted: bool


def heard_before(turns: Sequence[Turn], position: int) -> Heard:
    """What the user turn at *position* answers."""
    assistant: Turn | None = None
    tainted = False
    for turn in reversed(turns[:position]):
        if turn.role == "user":
            break
        if turn.role == "assistant" and assistant is None:
            assistant = turn
        if turn.role == "tool" or turn.origin in _TAINTING:
            tainted = True
    question = last_question(assistant.content) if assistant and not assistant.erased else NO_QUESTION
    return Heard(assistant, question, tainted)


def draft_of(unit: Unit, heard: Heard, people: People) -> Draft:
    """The draft that one unit makes, with its question where it answers one."""
    text = unit.text
    said = people.resolve(text)
    first = unit.order == 0 or unit.context.get("after_yes_no", 0.0) > 0
    asked = heard.question.kind != "none"
    refuses = adoption.says_no(unit.whole) or unit.context.get("turn_says_no", 0.0) > 0
    topic = ""
    long_reply = bool(heard.assistant and is_long(heard.assistant))
    answer_words = _NAMED_ANSWER_WORDS if long_reply else _SHORT_ANSWER_WORDS
    said_back = heard.question.restates and heard.question.kind != "wh"
    if first and asked and not said_back and _words(text) <= answer_words and not _stands_alone(text):
        topic = topic_of(heard.question, answered=heard.question.kind == "wh" and not refuses)
        if refuses and heard.question.kind in {"guess", "offer"}:
            topic = ""
    context = unit.context
    context["answers"] = float(first and asked)
    context[f"question:{heard.question.kind}"] = 1.0
    if first and asked:
        context[f"answers:{heard.question.kind}"] = 1.0
        context["question:about_user"] = float(bool(_ABOUT_USER.search(heard.question.text)))
    context["in_answer"] = float(asked)
    context["question:task"] = float(first and heard.question.about_task)
    short = _words(text) <= _NAMED_ANSWER_WORDS
    context["picks_option"] = float(first and heard.question.kind == "either" and short)
    context["counter_guess"] = float(
        first and heard.question.kind == "guess" and short and not adoption.says_yes(unit.whole) and not refuses
    )
    context["refuses"] = float(refuses)
    context["agrees"] = float(unit.order == 0 and adoption.says_yes(unit.whole))
    context["tainted"] = float(heard.tainted)
    context["assistant:long"] = float(long_reply)
    context["corrects"] = float(corrects(unit.whole))
    if heard.assistant:
        context["echo"] = _echo(text, heard.assistant.content)
    if topic:
        value = values.answered(topic, said, unit.language)
    else:
        frame = "chooses" if heard.question.kind == "either" and first and _words(text) <= 2 else "says"
        value = values.third_person(said, unit.language, frame="wants" if _WANTS.match(text) else frame)
    spans = tuple(Span(turn_index=unit.turn.index, start=start, end=end) for start, end in unit.pieces)
    return Draft(unit.turn, said, value, spans, unit.language, topic, context, corrects=corrects(unit.whole))


def adopted(turn: Turn, first: Unit | None, heard: Heard, language: Language) -> Draft | None:
    """The draft that a user's agreement makes of the assistant's words, or None."""
    assistant = heard.assistant
    if assistant is None or assistant.erased or first is None:
        return None
    opening = turn.content[first.start : first.end]
    explicit = adoption.endorses(turn.content[:400])
    agrees = adoption.says_yes(opening)
    if adoption.offers_to_keep(heard.question.text) and (agrees or explicit or adoption.says_all(opening)):
        return _kept_on_request(turn, first, heard, language)
    if not (explicit or agrees) or adoption.says_no(opening):
        return None
    if explicit and heard.question.kind in {"none", "offer"}:
        return _endorsed_statement(turn, first, heard, language)
    question = heard.question
    if not agrees or question.kind not in {"guess", "offer"} or question.restates:
        return None
    if not explicit and is_long(assistant):
        # What ends a long reply is small talk or the request said back.
        return None
    if heard.tainted and not (explicit and _names(turn.content, question.text)):
        return None
    statement = statement_of(question)
    if not statement or len(statement) > _ADOPTED_CHARACTERS_MAX:
        return None
    context = {
        "adopted": 1.0,
        f"adopted:{question.kind}": 1.0,
        "adopted_explicit": float(explicit),
        "question:about_user": float(bool(_ABOUT_USER.search(question.text))),
        "assistant:long": float(is_long(assistant)),
        "stable_proposal": float(adoption.proposes_stable(question.text)),
    }
    return _adoption(turn, first, assistant, (question.start, question.end), statement, language, context)


def _kept_on_request(turn: Turn, first: Unit, heard: Heard, language: Language) -> Draft | None:
    """The assistant asked whether to remember what it just said, and the user agreed.

    Of several things a bare yes keeps none, since nobody knows which were meant; "all three" keeps them.
    """
    assistant, question = heard.assistant, heard.question
    if assistant is None or adoption.says_no(turn.content):
        return None
    inside = re.search(r"[:：]\s*(.{4,})", question.text)
    before = [span for span in sentences(assistant.content[:4_000]) if span[1] <= question.start]
    if inside:
        bounds = (question.start + inside.start(1), question.end)
        statement = statement_of(Question("guess", inside.group(1), 0, 0))
    elif before:
        bounds = before[-1]
        statement = assistant.content[bounds[0] : bounds[1]]
    else:
        return None
    said = turn.content[:400]
    if adoption.lists_several(statement) and not adoption.says_all(said):
        return None
    if len(statement) > _ADOPTED_CHARACTERS_MAX or (heard.tainted and not _names(said, statement)):
        return None
    context = {"adopted": 1.0, "adopted:kept": 1.0, "stable_proposal": 1.0}
    return _adoption(turn, first, assistant, bounds, statement, language, context)


def _endorsed_statement(turn: Turn, first: Unit, heard: Heard, language: Language) -> Draft | None:
    assistant = heard.assistant
    if assistant is None:
        return None
    spans = [
        span
        for span in sentences(assistant.content[:4_000])
        if heard.question.kind == "none" or not (span[0] <= heard.question.start < span[1])
    ]
    stable = [span for span in spans if adoption.proposes_stable(assistant.content[span[0] : span[1]])]
    for start, end in reversed(stable or spans):
        text = assistant.content[start:end].strip()
        if len(text) > _ADOPTED_CHARACTERS_MAX or len(text) < 4:
            continue
        if is_long(assistant) and not CUES["keep_this"].search(turn.content[:400]):
            # An essay holds many statements, and "let's do it that way" does not say which.
            return None
        if heard.tainted and not _names(turn.content, text):
            return None
        context = {"adopted": 1.0, "adopted_statement": 1.0, "stable_proposal": float(bool(stable))}
        return _adoption(turn, first, assistant, (start, end), text, language, context)
    return None


def _adoption(
    turn: Turn,
    first: Unit,
    assistant: Turn,
    bounds: tuple[int, int],
    statement: str,
    language: Language,
    context: dict[str, float],
) -> Draft:
    spans = (
        Span(turn_index=assistant.index, start=bounds[0], end=bounds[1]),
        Span(turn_index=turn.index, start=first.start, end=first.end),
    )
    value = values.confirmed(statement, language)
    endorsed_from: Origin = assistant.origin if assistant.origin != "user" else "assistant"
    return Draft(turn, statement, value, spans, language, "", context, endorsed_from=endorsed_from)


def _stands_alone(text: str) -> bool:
    """Whether an answer says who does what, so that its question would only lengthen it."""
    return bool(_SAYS_WHO.match(text)) and _words(text) >= _WHOLE_ANSWER_WORDS and not _POINTS.search(text)


def is_long(turn: Turn) -> bool:
    """Whether *turn* is an essay, after which people answer the whole of it and no single question."""
    hans = len(re.findall(r"[\u3400-\u9fff]", turn.content))
    return len(turn.content) + (_LETTERS_A_HAN - 1) * hans > _LONG_REPLY_LETTERS


def _names(said: str, proposed: str) -> bool:
    return bool(content_words(said[:400]) & content_words(proposed))


def _echo(text: str, assistant: str) -> float:
    words = content_words(text)
    if len(words) < 3:
        return 0.0
    return len(words & content_words(assistant[:2_000])) / len(words)


def _words(text: str) -> float:
    return len(re.findall(r"[A-Za-z0-9']+", text)) + len(re.findall(r"[\u3400-\u9fff]", text)) / 1.7
