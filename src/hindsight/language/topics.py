"""Whether a sentence speaks of a topic, or repeats another sentence, by the words alone.

Used where a miss leaves behind what should be gone, so names count by themselves and a few personal
slots know their usual wording: an address is rarely called one.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.disguises import unmask

_WORD: Final = re.compile(r"[^\W_\u3400-\u9fff][^\W_\u3400-\u9fff'’-]*")
_HAN_RUN: Final = re.compile(r"[\u3400-\u9fff]+")
_EMPTY: Final = frozenset(
    "a an the my our your his her their its i we you he she it they me us him them is are was "
    "were be been being am do does did have has had will would can could should may might must "
    "to of in on at for with "
    "from by and or but so if as that this these those not no any all some just about said told "
    "mentioned thing things stuff what which who where when how also very really please i'm i've "
    "i'll that's it's "
    "there here up out get got going go one anything everything something fact planning plan".split()
)
_EMPTY_HAN: Final = re.compile(r"[的了吗呢吧啊呀哦嘛我你他她它们是在有和跟与就都也还很把被这那个件事说]+")
_SHARE_MIN: Final = 0.6
# An echo says it in other words; half of the content words was enough to tell it from small talk.
_ECHO_SHARE_MIN: Final = 0.45

_SLOTS: Final[tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = tuple(
    (re.compile(topic, re.IGNORECASE), re.compile(wording, re.IGNORECASE))
    for topic, wording in (
        (
            r"\b(?:home )?address\b|where i live|住址|地址|住哪|住的地方",
            r"\baddress\b|\b(?:i|we) (?:now )?live (?:at|in|on|near)\b|\bmoved (?:to|into)\b|\d+ \w+ "
            r"(?:street|st|road|rd|avenue|ave|lane|drive)\b|住在|住址|地址|搬到|搬去",
        ),
        (
            r"\b(?:phone|mobile|cell|number)\b|电话|手机|号码",
            r"\b(?:phone|mobile|cell)\b|\+?\d[\d -]{6,}\d|电话|手机号?",
        ),
        (r"\be-?mail\b|邮箱", r"\be-?mail\b|\S@\S|邮箱"),
        (r"\bmy name\b|名字|姓名", r"\bmy name\b|\bcall me\b|\bi'?m called\b|我叫|我姓|名字"),
        (r"\b(?:my )?age\b|how old|年龄|多大|岁数", r"\byears old\b|\bi'?m \d\d\b|\bage\b|\d+ ?岁|年龄"),
        (r"\bbirthday\b|生日", r"\bbirthday\b|\bborn\b|生日|出生"),
        (
            r"\b(?:salary|income|pay|wage)\b|工资|薪|收入",
            r"\b(?:salary|income|earn|paid|wage)\w*\b|工资|月薪|年薪|薪水|收入",
        ),
        (
            r"\b(?:job|employer|workplace|company)\b|工作|公司|单位",
            r"\b(?:job|employer|company)\b|\bwork(?:s|ing)? (?:at|for|as)\b|工作|上班|公司|单位",
        ),
        (
            r"\bhealth\b|\bdiagnos|病|诊断",
            r"\bhealth\b|\bdiagnos|\bdisease\b|\bsick\b|\bmedication\b|病|诊断|确诊|吃药",
        ),
    )
)


def content_words(text: str) -> frozenset[str]:
    """The words and Chinese character pairs of *text* that carry meaning, folded and stemmed lightly."""
    plain = unmask(text).lower().replace("’", "'")
    words = {_stem(word) for word in _WORD.findall(plain) if word not in _EMPTY}
    for run in _HAN_RUN.findall(plain):
        for piece in _EMPTY_HAN.split(run):
            words.update(piece[at : at + 2] for at in range(len(piece) - 1))
            if len(piece) == 1:
                words.add(piece)
    return frozenset(words)


def speaks_of(sentence: str, topic: str) -> bool:
    """Whether *sentence* is about *topic*: it has most of its words, one of its names, or fills its slot."""
    wanted = content_words(topic)
    if not wanted:
        return False
    held = content_words(sentence)
    if len(topic) == 1 and _HAN_RUN.fullmatch(topic):
        return topic in unmask(sentence)
    names = frozenset(_stem(word.lower()) for word in _WORD.findall(topic) if _is_name(word))
    if names & held:
        return True
    if any(slot.search(topic) and wording.search(sentence) for slot, wording in _SLOTS):
        return True
    return len(wanted & held) >= _SHARE_MIN * len(wanted)


def says_the_same(sentence: str, said: str) -> bool:
    """Whether *sentence* repeats what was *said*, in much the same words."""
    first, second = content_words(sentence), content_words(said)
    smaller = min(len(first), len(second))
    shared = len(first & second)
    return smaller > 0 and shared >= _ECHO_SHARE_MIN * smaller and (shared >= 2 or smaller == shared)


def _is_name(word: str) -> bool:
    return (
        len(word) > 1
        and (word[0].isupper() or any(character.isdigit() for character in word))
        and word.lower() not in _EMPTY
    )


def _stem(word: str) -> str:
    word = word.removesuffix("'s").strip("'-")
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word
