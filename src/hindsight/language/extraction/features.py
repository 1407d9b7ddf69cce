"""What the judge sees of one draft: its cues, its question, its place and its conversation."""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.extraction.cues import LATIN_IN_CHINESE, NAME, NUMBER, PRODUCT, cues_in
from hindsight.language.extraction.ways import ways_in
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
    features.update(_ways(text, cues, features))
    if context.get("assistant:long") or context.get("session:long"):
        # Essays and chat are two ways of talking: the same words weigh differently under long replies.
        features.update({f"long:{name}": value for name, value in features.items() if name.startswith(_SPLIT)})
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


def _ways(text: str, cues: set[str], features: dict[str, float]) -> dict[str, float]:
    """The lasting ways of saying in *text*, and whom it speaks of."""
    ways = ways_in(text)
    found = {f"way:{name}": 1.0 for name in ways}
    if ways:
        found["way:any"] = 1.0
    if len(ways) > 1:
        found["way:several"] = 1.0
    if not ways and not cues & _LASTING:
        found["nothing_lasting"] = 1.0
    if "limit" in cues and "number" in features:
        found["limit+number"] = 1.0
    if "shift" in ways and "named" in features:
        found["shift+named"] = 1.0
    if not cues & {"mine", "ours"}:
        found["nobody"] = 1.0
        if ways or (cues & {"must", "always", "limit"} and not cues & _MOMENTARY):
            found["nobody+lasting"] = 1.0
    if _OTHERS_FIRST.match(text):
        found["others_subject"] = 1.0
    if _BROKEN_NOW.search(text):
        found["broken_now"] = 1.0
        if not ways:
            found["broken_now+nothing"] = 1.0
    return found


_SPLIT: Final = ("cue:", "way:", "number", "named", "pair:", "nothing_lasting")
_OTHERS_FIRST: Final = re.compile(
    r"(?:and |but |so |well )?(?:(?:my|our|the|an?|one|some) (?:\w+ ){0,2}(?:neighbou?rs?|mates?|friends?|colleagues?|"
    r"coworkers?|customers?|clients?|guests?|buddy|people|guy|articles?|reviewers?|students?|flatmates?|"
    r"roommates?)(?:'s \w+)?|he|she|they|everyone|people|someone)\b|"
    r"(?:不过|但)?(?:我|一个|有个?|那个)?(?:邻居|同事|朋友|网友|客人|顾客|客户|室友|人家|别人|大家都|队友|同学|买家|"
    r"[他她](?!们?是我))",
    re.IGNORECASE,
)
_BROKEN_NOW: Final = re.compile(
    r"\b(?:dies|died|drops (?:the|out)|dropping|crash\w*|fails|failing|failed|keeps? (?!to\b)\w+ing|"
    r"won'?t (?:start|boot|connect|"
    r"load|turn|open|charge)|stopped working|(?:isn'?t|not) (?:working|connecting|loading|charging)|is (?:down|"
    r"broken|stuck|dead|"
    r"limping|leaking)|squeaky|clogged|frozen|blank screen|times? out|acting up|playing up)\b|"
    r"(?:又|老是|总是|一直|突然)[^，。]{0,6}(?:不|挂|崩|断|报|卡|死|掉|响|漏)|(?:挂|崩|卡|断|坏|死机|掉线|黑屏)了|不动了|起不来|打不开|"
    r"连不上|没反应|漏水|卷了|发黄|不亮|闪退",
    re.IGNORECASE,
)
_SHORT_WORDS: Final = 6
_LASTING: Final = frozenset(
    "like dislike must always limit cannot identity i_am i_present role stack decision relation recurring skill years "
    "for_long health possession goal standing remember habit from_now_on keep_this to_assistant".split()
)
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
