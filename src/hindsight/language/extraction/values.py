"""The value of a memory: the user's own words as one sentence in the third person.

The words are kept, since numbers, names and versions decide everything later; only who speaks is
turned ("I'm coeliac" to "The user is coeliac"). Free rewording was rejected: rules cannot reword
without changing now and then what was said.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.domain.memory import Language

# A value longer than this crowds the others out of a context block.
VALUE_CHARACTERS_AIM: Final = 200
_HARD_MAX: Final = 400

_CHINESE_FRAMES: Final = {"wants": "要求", "chooses": "选择"}
_FAMILY: Final = re.compile(
    r"\b(?:family|kids?|toddler|bab(?:y|ies)|husband|wife|partner|son|daughter|home|house|garden|flat|"
    r"holiday|car|bunny|cat|dog)\b",
    re.IGNORECASE,
)
_TEAM: Final = re.compile(
    r"\b(?:team|repo|code|branch\w*|deploy\w*|prod|ci|server|client|customers?|product|release|"
    r"database|db|cluster|company|office|app|tests?|lint|merge|style|standardi[sz]ed|render|services?|"
    r"office|shop|ship|tree|callbacks?)\b|/",
    re.IGNORECASE,
)
_PAST: Final = frozenset(
    "was were had did went took made said got came saw knew thought found gave told left felt kept began "
    "brought bought wrote ran sat stood lost paid met set led read grew drew broke spoke chose drove ate fell "
    "built sent spent understood taught caught slept swore wore won cut put hit quit let cost hurt "
    "shot rode flew swam sang rang drank sank hid bit stole woke tore froze threw blew "
    "shook forgot forgave fought sought dealt meant learnt burnt lent bent shut split spread bet "
    "hung stuck struck swung dug spun fed sold "
    "told held heard wove rose shone lit can "
    "could will would must should might may shall cannot can't could've won't wouldn't shouldn't couldn't didn't "
    "wasn't am've".split()
)
_ADVERBS: Final = frozenset(
    "always never only usually often really just also still mostly ever rarely sometimes actually generally "
    "normally already even mainly currently both either now then absolutely basically strongly definitely "
    "probably honestly truly simply typically kinda literally personally rather recently".split()
)
_VERB_AFTER_I: Final = re.compile(r"(\s+)([A-Za-z']+)")
_EN_FIXED: Final = (
    (re.compile(r"\bI(?:'|’)?m\b|\bim\b|\bI am\b", re.IGNORECASE), "{S} is"),
    (re.compile(r"\bI(?:'|’)?ve\b|\bive\b|\bI have\b", re.IGNORECASE), "{S} has"),
    (re.compile(r"\bI(?:'|’)d\b|\bI would\b", re.IGNORECASE), "{S} would"),
    (re.compile(r"\bI(?:'|’)ll\b|\bI will\b", re.IGNORECASE), "{S} will"),
    (re.compile(r"\bI (?:don'?t|do not)\b", re.IGNORECASE), "{S} doesn't"),
    (re.compile(r"\bI do\b", re.IGNORECASE), "{S} does"),
    (re.compile(r"\bI (?:haven'?t)\b", re.IGNORECASE), "{S} hasn't"),
    (re.compile(r"\bwe(?:'|’)re\b|\bwe are\b", re.IGNORECASE), "{W} is"),
    (re.compile(r"\bwe(?:'|’)ve\b|\bweve\b|\bwe have\b", re.IGNORECASE), "{W} has"),
    (re.compile(r"\bwe(?:'|’)d\b", re.IGNORECASE), "{W} would"),
    (re.compile(r"\bwe(?:'|’)ll\b", re.IGNORECASE), "{W} will"),
    (re.compile(r"\bwe (?:don'?t|do not)\b", re.IGNORECASE), "{W} doesn't"),
    (re.compile(r"\bwe haven'?t\b", re.IGNORECASE), "{W} hasn't"),
)
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i|i'm|im|ive|i've|i'd|i'll|we|we're|we've|my|our|me|us|mine|ours)\b", re.IGNORECASE
)
_EN_LEAD: Final = re.compile(
    r"^(?:(?:oh|ok(?:ay)?|so|and|also|but|well|btw|by the way|hey|hi|hiya|hello|yeah|yea|yes|yep|yup|"
    r"sure|right|no(?=[,.!…]| (?:i|we|it|the|my|our|people|that)\b)|nope|nah|god no|woah no|woah|"
    r"wait no|wait|ugh|haha|lol|actually|sorry|fyi|quick one|one more(?: thing)?|one more:|exactly|"
    r"nice|great|cool|lovely|ace|hmm?|um|er|oh and|plus|cause|because|cos|though|speaking of which|"
    r"last thing)\b(?!-)[\s,.:;!…-]*)+",
    re.IGNORECASE,
)
_ZH_LEAD: Final = re.compile(
    r"^(?:(?:嗯+|哦+|噢|啊|呃|诶|哎|唉|好的?|行|对了?|是的|没错|另外|还有|顺便(?:说一下|说一句)?|那个|"
    r"其实|不过|而且|然后|就是|话说|你好|您好|哈哈+|等等|等下|不对|"
    r"对对对)(?=[，,。.、！!…~～：:\s])[，,。.、！!…~～：:\s]*)+|^(?:对了|另外|还有|而且|不过|"
    r"那就?)(?=[\u3400-\u9fff])"
)
_ZH_TAIL: Final = re.compile(r"(?:哈|啊|呀|哦|噢|嘛|呗|啦|咯|喔|～|~|[哈]{2,}|\[[^\]]{1,6}\]|[。.!！…，,\s])+$")
_EMOJI: Final = re.compile(r"[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+")
_UNSTORABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]+")


def third_person(text: str, language: Language, *, frame: str = "says") -> str:
    """*text* as one sentence about the user.

    Args:
        text: What the user said, one sentence or less.
        language: The conversation's language.
        frame: ``says``, ``wants`` or ``chooses``: how words that name nobody are given to the user.
    """
    return _chinese(text, frame) if language == "zh" else _english(text, frame)


def answered(topic: str, answer: str, language: Language) -> str:
    """An answer with the question it answers."""
    if language == "zh":
        said = _turn_chinese(clean(answer, "zh"))
        return f"用户（问及“{_second_person_chinese(topic)}”）：{said}"
    said = _turn_english(clean(answer, "en"))
    return f'On "{_second_person_english(topic)}", the user says: {said}'


def confirmed(statement: str, language: Language) -> str:
    """A guess or a proposal of the assistant that the user accepted."""
    if language == "zh":
        return f"用户确认：{_second_person_chinese(statement)}"
    return f"The user confirmed: {_second_person_english(statement)}"


def clean(text: str, language: Language) -> str:
    """*text* without greetings and fillers at its ends, and without what cannot be stored."""
    text = _EMOJI.sub("", _UNSTORABLE.sub(" ", text))
    text = re.sub(r"\s+", " ", text).strip()
    if language == "zh":
        shorter = _ZH_TAIL.sub("", _ZH_LEAD.sub("", text)).strip()
    else:
        shorter = re.sub(
            r"[\s.!…,;:]+(?:lol|haha+|lmao|tho|though|btw|pls|please|x)?[\s.!…]*$", "", _EN_LEAD.sub("", text)
        ).strip()
    return cut(shorter or text)


def cut(text: str) -> str:
    """*text* at most so long that it can be stored and still read at a glance."""
    if len(text) <= _HARD_MAX:
        return text
    stop = max(text.rfind(mark, 0, _HARD_MAX) for mark in (" ", "，", "、", ","))
    return text[: stop if stop > _HARD_MAX // 2 else _HARD_MAX].rstrip(" ,，、") + "…"


def _english(text: str, frame: str) -> str:
    text = clean(text, "en")
    if not _FIRST_PERSON.search(text):
        return f"The user {frame}: {_me_to_them(text)}"
    turned = _turn_english(text)
    if re.match(r"the user", turned, re.IGNORECASE):
        return turned[:1].upper() + turned[1:]
    return f"The user {frame}: {turned}"


def _turn_english(text: str) -> str:
    we = _group(text)
    for pattern, replacement in _EN_FIXED:
        text = pattern.sub(replacement.replace("{S}", "the user").replace("{W}", we), text)
    text = _inflect(text, re.compile(r"(?<![\w/'-])I(?![\w/.'’-])"), "the user")
    text = _inflect(text, re.compile(r"(?<![\w/'-])i(?![\w/.'’-])"), "the user")
    text = _inflect(text, re.compile(r"\bwe\b", re.IGNORECASE), we)
    return _me_to_them(text)


def _me_to_them(text: str) -> str:
    for word, replacement in (
        (r"my|our", "the user's"),
        (r"mine|ours", "the user's"),
        (r"me|us", "the user"),
        (r"myself", "themselves"),
        (r"ourselves", "themselves"),
    ):
        text = re.sub(rf"(?<![\w/.'-])(?:{word})(?![\w/'-])", replacement, text, flags=re.IGNORECASE)
    return text


def _group(text: str) -> str:
    if _FAMILY.search(text):
        return "the user's family"
    return "the user's team" if _TEAM.search(text) else "the user's group"


def _inflect(text: str, pronoun: re.Pattern[str], subject: str) -> str:
    parts: list[str] = []
    at = 0
    for found in pronoun.finditer(text):
        parts.append(text[at : found.start()] + subject)
        at = found.end()
        while (verb := _VERB_AFTER_I.match(text, at)) is not None:
            word = verb.group(2)
            if word.lower() in _ADVERBS:
                parts.append(verb.group())
                at = verb.end()
                continue
            parts.append(verb.group(1) + _third(word))
            at = verb.end()
            break
    return "".join(parts) + text[at:]


def _third(verb: str) -> str:
    low = verb.lower()
    if low in {"have", "do", "am", "are", "go"}:
        return {"have": "has", "do": "does", "am": "is", "are": "is", "go": "goes"}[low]
    if low in {"dont", "don't"}:
        return "doesn't"
    past = low.endswith("ed") and not low.endswith("eed")
    if (
        low in _PAST
        or past
        or low.endswith(("ing", "n't", "ly"))
        or "'" in low
        or len(low) < 2
        or low in {"and", "or", "in", "on", "at", "to", "the", "a"}
    ):
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _second_person_english(text: str) -> str:
    text = re.sub(r"\bdo you\b", "does the user", text, flags=re.IGNORECASE)
    text = re.sub(r"\byou(?:'|’)re\b|\byou are\b|\bare you\b", "the user is", text, flags=re.IGNORECASE)
    text = re.sub(r"\byou(?:'|’)ve\b|\byou have\b", "the user has", text, flags=re.IGNORECASE)
    text = re.sub(r"\byours?\b", "the user's", text, flags=re.IGNORECASE)
    text = re.sub(r"\byou\b", "the user", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(?:I'll|I will|I'd|I)\b", "the assistant", text)
    return cut(re.sub(r"\s+", " ", _UNSTORABLE.sub(" ", text)).strip())


def _second_person_chinese(text: str) -> str:
    text = re.sub(r"我(?!们)", "助手", text)
    text = re.sub(r"[您你](?:们)?", "用户", text)
    return cut(re.sub(r"\s+", " ", _UNSTORABLE.sub(" ", text)).strip(" 。？?"))


def _chinese(text: str, frame: str) -> str:
    turned = _turn_chinese(clean(text, "zh"))
    if turned.startswith("用户"):
        return turned
    return f"用户{_CHINESE_FRAMES.get(frame, '说')}：{turned}"


def _turn_chinese(text: str) -> str:
    text = re.sub(r"(?:我|咱|俺)(?:们)(?!家)", "用户这边", text)
    text = re.sub(r"(?:我们|咱们?|我|俺)家", "用户家", text)
    text = re.sub(r"(?<!自)咱(?!们)", "用户这边", text)
    return re.sub(r"(?:我本人|我自己|我)", "用户", text)
