"""The value of a memory: the user's own words as one sentence in the third person.

The words are kept, since numbers, names and versions decide everything later; who speaks is turned
("I'm coeliac" to "The user is coeliac"), and what belongs to the talk and not to the fact falls away:
openers, greetings, thanks, the request to remember. Free rewording was rejected: rules cannot reword
without changing now and then what was said.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.domain.memory import Language
from hindsight.language.extraction import voice_chinese, voice_english
from hindsight.language.extraction.folding import folded
from hindsight.language.extraction.openers import bare_chinese, bare_english

# A value longer than this crowds the others out of a context block.
VALUE_CHARACTERS_AIM: Final = 200
_HARD_MAX: Final = 400

_EMOJI: Final = re.compile(r"[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+")
_UNSTORABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]+")
_NEGATED_ORDER: Final = re.compile(r"^(?:don'?t|do not)\s+(?:ever\s+)?(?=[a-z])", re.IGNORECASE)
_ADVERB_ORDER: Final = re.compile(
    r"^(always|never)\s+(?!on\b|in\b|at\b|for\b|with\b|the\b|a\b|an\b|any\b|before\b|after\b)(?=[a-z])", re.IGNORECASE
)
_ORDER: Final = re.compile(
    r"^(?:use|run|put|keep|write|call|avoid|skip|add|show|give|stop|make|answer|reply|send|check|ask|explain|"
    r"format|name|commit|store|leave|list)\b",
    re.IGNORECASE,
)
_NO_ORDER: Final = re.compile(r"^(?:no|only)\s+(?=[a-z])", re.IGNORECASE)
# A sentence with a subject and a finite verb of its own stands alone.
_STANDS: Final = re.compile(
    r"^(?:the|this|that|these|those|all|every|each|any|an?|there|it|she|he|they|everything|everyone|nobody|"
    r"[A-Z][\w'-]+|[a-z]+s)\b.{0,60}?\b(?:is|are|was|were|isn'?t|aren'?t|has|have|had|must|can|cannot|can'?t|should|"
    r"may|will|won'?t|does|doesn'?t|do|don'?t|needs?|goes?|runs?|lives?|works?|comes?|takes?|costs?|starts?|ends?|"
    r"stays?|gets?|uses?|\w+ed)\b"
)
_CHINESE_ORDER: Final = re.compile(
    r"^(?:请|麻烦)?(?=以后|今后|每次|凡|别|不要|不许|不准|一律|统一|必须|"
    r"都|用|回答|叫)"
)


def third_person(text: str, language: Language, *, frame: str = "says") -> str:
    """*text* as one sentence about the user.

    Args:
        text: What the user said, one sentence or less.
        language: The conversation's language.
        frame: ``says``, ``wants`` or ``chooses``: how words that name nobody are given to the user.
    """
    return _chinese(text, frame) if language == "zh" else _english(text, frame)


def answered(topic: str, answer: str, language: Language) -> str:
    """An answer folded into one statement with the question it answers."""
    if language == "zh":
        asked = _storable(voice_chinese.turned_question(topic))
        return cut(folded(asked, voice_chinese.turned_chinese(clean(answer, "zh")), "zh"))
    asked = _storable(voice_english.turned_question(topic))
    return cut(folded(asked, voice_english.turned_english(clean(answer, "en")), "en"))


def confirmed(statement: str, language: Language) -> str:
    """A guess or a proposal of the assistant that the user accepted."""
    if language == "zh":
        text = cut(bare_chinese(_storable(voice_chinese.turned_question(statement)).strip(" 。？?")))
        return text if text.startswith(voice_chinese.USER) else f"用户确认{text}"
    text = cut(_storable(voice_english.turned_question(statement)).strip())
    if re.match(r"the user\b", text, re.IGNORECASE):
        return _capital(text)
    return f"The user confirmed: {text}"


def clean(text: str, language: Language) -> str:
    """*text* without openers and fillers at its ends, and without what cannot be stored."""
    text = _storable(text)
    shorter = bare_chinese(text) if language == "zh" else bare_english(text)
    return cut(shorter or text)


def cut(text: str) -> str:
    """*text* at most so long that it can be stored and still read at a glance."""
    if len(text) <= _HARD_MAX:
        return text
    stop = max(text.rfind(mark, 0, _HARD_MAX) for mark in (" ", "，", "、", ","))
    return text[: stop if stop > _HARD_MAX // 2 else _HARD_MAX].rstrip(" ,，、") + "…"


def _storable(text: str) -> str:
    return re.sub(r"\s+", " ", _EMOJI.sub("", _UNSTORABLE.sub(" ", text))).strip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _english(text: str, frame: str) -> str:
    text = clean(text, "en")
    turned = voice_english.turned_english(text)
    if frame == "wants" and not re.match(r"the user\b", turned, re.IGNORECASE):
        return _wish(turned)
    if frame == "chooses":
        return f"The user chooses {turned}"
    if "the user" in turned.lower() or _STANDS.match(turned):
        return _capital(turned)
    return f"The user says: {turned}"


def _wish(text: str) -> str:
    """An order to the assistant, or a rule that names nobody, as a wish of the user."""
    text = re.sub(r"^(?:please|pls)\s+", "", text, flags=re.IGNORECASE)
    if _NEGATED_ORDER.match(text):
        return f"The user asks not to {_NEGATED_ORDER.sub('', text)}"
    if found := _ADVERB_ORDER.match(text):
        return f"The user asks to {found.group(1).lower()} {text[found.end() :]}"
    if _ORDER.match(text):
        return f"The user asks to {text[:1].lower()}{text[1:]}"
    if _NO_ORDER.match(text):
        return f"The user wants {text[:1].lower()}{text[1:]}"
    return f"The user wants: {text}"


def _chinese(text: str, frame: str) -> str:
    turned = voice_chinese.turned_chinese(clean(text, "zh"))
    if frame == "wants" and not turned.startswith(voice_chinese.USER):
        return f"用户要求{_CHINESE_ORDER.sub('', turned)}"
    if frame == "chooses":
        return f"用户选择{turned}"
    return voice_chinese.with_subject(turned)
