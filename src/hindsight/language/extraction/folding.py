"""A question and its answer as one statement.

"What's your resting heart rate?" and "52" become "The user's resting heart rate: 52". The words of both
are kept; where the question word can give way to the answer it does, and otherwise the question
without its asking words names what the answer is about.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.domain.memory import Language
from hindsight.language.extraction.voice_english import third

# An answer of more characters is a sentence and cannot take the place of a question word.
_PLACED_CHARACTERS_MAX: Final = 14

_GIVES_WAY: Final = re.compile(r"哪里|哪儿|哪天|哪年|什么时候|什么时间|何时|多久|谁|(?<=是)(?:多少|什么|啥|几)$")
_WHICH_AT_END: Final = re.compile(
    r"(?P<head>.*?[\u3400-\u9fff])(?:是)?(?:什么|啥|哪[一]?[个种款家些门支台]|"
    r"哪些?)(?P<noun>[\u3400-\u9fffA-Za-z]{0,6})$"
)
_TAIL: Final = re.compile(r"(?:[呢啊呀吗吧]|的)$")
_PUNCTUATED: Final = re.compile(r"[，,。；;：:！!？?]|用户")

_IS_ASKED: Final = re.compile(
    r"^(?:what|which|who|where|when|how)(?:'s|’s| is| are| was| were)\s+(?P<rest>.+)$", re.IGNORECASE
)
_DO_ASKED: Final = re.compile(
    r"^(?P<wh>(?:what|which|where|when|how|who|why)\b[\w '/-]{0,40}?)\s+(?P<aux>does|do|did|is|are|was|will|can|"
    r"should|would|has|have)\s+(?P<who>the user(?:'s (?:\w+ ){0,2}\w+)?|(?:the|their) \w+)\s+(?P<rest>.+)$",
    re.IGNORECASE,
)


def folded(topic: str, answer: str, language: Language) -> str:
    """*answer* with *topic*, both already in the third person, as one statement."""
    return _chinese(topic.rstrip(" ？?。，,"), answer) if language == "zh" else _english(topic.rstrip(" ?.,"), answer)


def _chinese(topic: str, answer: str) -> str:
    topic = _TAIL.sub("", topic)
    short = len(answer) <= _PLACED_CHARACTERS_MAX and not _PUNCTUATED.search(answer)
    if short and len(_GIVES_WAY.findall(topic)) == 1:
        return _GIVES_WAY.sub(answer.replace("\\", ""), topic)
    if short and (found := _WHICH_AT_END.match(topic)):
        return f"{found['head']}的{found['noun']}是{answer}"
    return f"{topic}：{answer}"


def _english(topic: str, answer: str) -> str:
    if found := _IS_ASKED.match(topic):
        topic = found["rest"]
    elif found := _DO_ASKED.match(topic):
        rest = found["rest"]
        if found["aux"].lower() in {"do", "does"}:
            verb, _, tail = rest.partition(" ")
            rest = f"{third(verb) if found['who'].lower().startswith('the user') else verb} {tail}".strip()
        elif found["aux"].lower() != "did":
            rest = f"{found['aux']} {rest}"
        topic = f"{found['wh']} {found['who']} {rest}"
    return f"{topic[:1].upper()}{topic[1:]}: {answer}"
