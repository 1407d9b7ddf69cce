"""What the judge sees of one draft: its cues, its question, its place and its conversation."""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.extraction.cues import LATIN_IN_CHINESE, NAME, NUMBER, PRODUCT, cues_in
from hindsight.language.script import language_of

_WORDS: Final = re.compile(r"[A-Za-z0-9']+")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")

# Pairs that mean more together than apart: a rule about the user's own project, a taste of today.
_PAIRS: Final = (
    ("ours", "must"),
    ("ours", "stack"),
    ("mine", "like"),
    ("mine", "dislike"),
    ("mine", "cannot"),
    ("must", "project"),
    ("standing", "must"),
    ("today", "like"),
    ("this_once", "must"),
    ("request", "mine"),
    ("address", "must"),
    ("relation", "third_party"),
    ("recurring", "mine"),
    ("edit", "must"),
    ("reaction", "praise"),
    ("feeling", "mine"),
    ("try", "mine"),
    ("date", "goal"),
    ("limit", "must"),
    ("cannot", "reason"),
    ("this_once", "limit"),
    ("possession", "mine"),
    ("today", "possession"),
    ("standing", "address"),
    ("always", "project"),
    ("third_party", "hearsay"),
    ("address", "feeling"),
    ("ours", "cannot"),
    ("recurring", "date"),
    ("from_now_on", "must"),
    ("from_now_on", "always"),
    ("to_assistant", "mine"),
    ("to_assistant", "always"),
    ("i_present", "to_assistant"),
    ("i_present", "always"),
    ("past_event", "mine"),
    ("error", "symptom"),
    ("today", "symptom"),
)


def features_of(text: str, context: dict[str, float]) -> dict[str, float]:
    """The named features of *text*, a draft's own words, in its *context*."""
    cues = cues_in(text)
    features = {f"cue:{name}": 1.0 for name in cues}
    features.update({f"pair:{one}+{two}": 1.0 for one, two in _PAIRS if one in cues and two in cues})
    words = len(_WORDS.findall(text)) + len(_HAN.findall(text)) / 1.7
    features[f"length:{_bucket(words)}"] = 1.0
    if NUMBER.search(text):
        features["number"] = 1.0
    chinese = language_of(text) == "zh"
    named = PRODUCT.search(text) or NAME.search(text) or (chinese and LATIN_IN_CHINESE.search(text))
    if named:
        features["named"] = 1.0
    for name, value in context.items():
        if value:
            features[name] = value
    if context.get("answers") and words <= _SHORT_WORDS:
        features["short_answer"] = 1.0
        if named or "number" in features:
            features["short_answer+fact"] = 1.0
    for name in ("dislike", "health", "limit", "recurring", "skill", "possession", "mine"):
        if name in cues and context.get("in_answer"):
            features[f"in_answer+{name}"] = 1.0
    if context.get("frame:edit:somewhere") and context.get("answers"):
        features["answers_about_text"] = 1.0
    if context.get("frame:behalf") and ("third_party" in cues or "mine" not in cues):
        features["behalf_of_other"] = 1.0
    if cues & {"must", "always", "limit"} and not cues & _MOMENTARY:
        features["rule_like"] = 1.0
        if _ENUMERATED.match(text):
            features["enumerated_rule"] = 1.0
    if context.get("turn:first"):
        for name in ("error", "symptom", "project", "must", "mine", "ours", "relation", "date", "skill", "stack"):
            if name in cues:
                features[f"first+{name}"] = 1.0
    if context.get("adopted"):
        for name in ("must", "limit", "stack", "identity", "address", "project", "recurring", "date", "request"):
            if name in cues:
                features[f"adopted+{name}"] = 1.0
    for name in ("must", "dislike", "like", "cannot"):
        if name in cues and context.get("answers"):
            features[f"answers+{name}"] = 1.0
    return features


_SHORT_WORDS: Final = 6
_MOMENTARY: Final = frozenset(
    {"today", "this_once", "request", "imperative_start", "edit", "question", "undecided", "error"}
)
_ENUMERATED: Final = re.compile(
    r"^(?:第[一二三四五六七八九十]+|\d{1,2}[.)、]|(?:first|second|third|fourth|fifth|rule \d)\b)", re.IGNORECASE
)


def _bucket(words: float) -> str:
    for limit in (2, 4, 7, 12, 20, 35):
        if words <= limit:
            return str(limit)
    return "long"
