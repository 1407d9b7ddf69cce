"""Carrying a person across sentences: "she" becomes "the user's sister" where that is known.

Only people the user named by relation are carried, and only the nearest fitting one. A wrong
antecedent would move one person's traits to another, so anything ambiguous stays as it was said.
"""

from __future__ import annotations

import re
from typing import Final

_FEMALE: Final = (
    "wife|girlfriend|mum|mom|mother|sister|daughter|nan|gran(?:ny|dma|dmother)?|aunt|niece|"
    "mother-in-law|mother in law|granddaughter"
)
_MALE: Final = "husband|boyfriend|dad|father|brother|son|lad|uncle|nephew|grand(?:pa|dad|father|son)|father-in-law"
_EITHER_SEX: Final = (
    "partner|boss|colleague|friend|mate|neighbou?r|flatmate|roommate|cousin|cat|dog|rabbit|baby|toddler|kid"
)
_PERSON: Final = re.compile(
    rf"\bmy (?:(?:older|younger|little|big|elder|old|best|youngest|eldest) )?(?P<f>{_FEMALE})\b(?!'s \w+er\b)|"
    rf"\bmy (?:\w+ )?(?P<m>{_MALE})\b|\b(?:my|our) (?:\w+ )?(?P<e>{_EITHER_SEX})\b",
    re.IGNORECASE,
)
_CHINESE_PERSON: Final = re.compile(
    r"(?:我家?的?)?(?P<w>老婆|妻子|太太|媳妇儿?|老公|丈夫|女朋友|男朋友|女友|男友|对象|婆婆|岳母|岳父|"
    r"老妈|老爸|妈妈|爸爸|我妈|我爸|奶奶|爷爷|外婆|外公|姥姥|姥爷|"
    r"儿子|女儿|闺女|表姐|表哥|表妹|表弟|堂[哥姐弟妹]|姐姐|哥哥|妹妹|弟弟|我姐|我哥|我妹|我弟|舅舅|"
    r"姑姑|叔叔|阿姨|室友|同事|邻居|领导|老板)"
)
_SHE: Final = re.compile(r"\b(she's|she is|she has|she|hers?|herself)\b", re.IGNORECASE)
_HE: Final = re.compile(r"\b(he's|he is|he has|he|his|him|himself)\b", re.IGNORECASE)
_TA: Final = re.compile(r"(?<![其吉])[她他](?!们|人)")


class People:
    """The people the user spoke of so far, nearest last."""

    def __init__(self) -> None:
        self._female: str | None = None
        self._male: str | None = None
        self._chinese: str | None = None

    def hear(self, text: str) -> None:
        """Take note of everyone *text* names by relation."""
        for found in _PERSON.finditer(text):
            noun = (found.group("f") or found.group("m") or found.group("e")).lower()
            if found.group("f") or found.group("e"):
                self._female = noun
            if found.group("m") or found.group("e"):
                self._male = noun
        for found in _CHINESE_PERSON.finditer(text):
            self._chinese = found.group("w").removeprefix("我")

    def resolve(self, text: str) -> str:
        """*text* with its first pronoun replaced by the person it means, where that is known."""
        if not _PERSON.search(text):
            if self._female and (found := _SHE.search(text)):
                return _swap(text, found, self._female)
            if self._male and (found := _HE.search(text)):
                return _swap(text, found, self._male)
        if self._chinese and not _CHINESE_PERSON.search(text) and (found := _TA.search(text)):
            return f"{text[: found.start()]}我{self._chinese}{text[found.end() :]}"
        return text


def _swap(text: str, found: re.Match[str], noun: str) -> str:
    word = found.group().lower()
    person = f"my {noun}"
    if word in {"she's", "he's", "she is", "he is"}:
        has = re.match(
            r"\s+(?:(?:just|already|never|always|recently) )?(?:got|been|had|found|gone|become|started|done|"
            r"taken|moved|lost|bought)\b",
            text[found.end() :],
        )
        replacement = f"{person} has" if has and "'" in word else f"{person} is"
    elif (word in {"her", "his"} and re.match(r"\s+[a-z]", text[found.end() :], re.IGNORECASE)) or word in {"hers"}:
        replacement = f"{person}'s"
    elif word in {"herself", "himself"}:
        return text
    else:
        replacement = person
    return text[: found.start()] + replacement + text[found.end() :]
