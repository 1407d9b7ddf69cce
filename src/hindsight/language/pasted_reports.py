"""Clauses that the user only passes on: "the page says I ...", 邻居说我…, and lines this service served.

A page may claim anything, so whatever it says is its own; of people only what they say about the
speaker is taken, since "my sister says she will come" is the user's knowledge about the sister.
Doctors and family are left out: who repeats their word usually vouches for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight.language.lines import Bounds, Line

_SOURCE: Final = (
    r"(?:web ?)?(?:page|site|website|article|post|blog|e-?mail|mail|document|doc|pdf|file|tool|result|"
    r"readme|review|comment|letter|flyer|sign|report|ad|transcript|listing|bot|assistant)"
)
_PERSON: Final = (
    r"(?:neighbou?r|friend|colleague|co-?worker|classmate|stranger|flatmate|roommate|housemate|landlord|"
    r"customer|client|guy)"
)
# A part of a verb that every report holds: the patterns below are tried only where one stands.
_VERBS: Final = ("say", "said", "claim", "state", "writ", "wrote", "insist", "according", "说", "写", "称")
_SAYS: Final = r"(?:says?|said|claims?|claimed|states?|stated|writes|wrote|insists|insisted)"
# A report ends with its sentence or where the user turns back to speak.
_REST: Final = r"(?:(?!,? (?:but|however|although|though|yet) |[,;] (?:and|so) |;)(?:[^.!?。！？\n]|\.(?=\S))){1,400}"
_REST_ZH: Final = r"(?:(?![，,；;](?:但|不过|其实|可是|然而|所以|而我|我觉得))[^。！？!?；;\n]){1,300}"
_REPORTED: Final = re.compile(
    rf"(?i)\b(?:the|this|that|a|an|one|their|some) {_SOURCE} (?:also |just )?{_SAYS}[,:]? (?P<source>{_REST})|"
    rf"\b(?:(?:my|the|a|our|some|one) (?:\w+ )?{_PERSON}|someone|somebody|people) (?:also |just )?{_SAYS}[,:]? "
    rf"(?P<person>(?:that )?(?:i|i'm|i've|i’m|i’ve|my|we)\b{_REST})|"
    rf"(?:网页|页面|网站|文章|帖子|邮件|文档|文件|工具|新闻|评论|资料|网)(?:上|里|中)?(?:面)?(?:是)?(?:说|写着|写道|声称|称)"
    rf"(?:的是)?[，,：:]?(?P<written>{_REST_ZH})|"
    rf"(?:邻居|朋友|同事|同学|室友|房东|别人|有人|客户|网友|陌生人)(?:总|都|老|还|也|又|跟别人)?(?:说|声称)[，,：:]?"
    rf"(?P<told>[我咱]{_REST_ZH})"
)
_SAYS_AFTER: Final = re.compile(
    rf"(?i)(?:[,，] ?{_SAYS}|,? ?\baccording to) (?:the|this|that|a|my|our|some) (?:\w+ )?(?:{_SOURCE}|{_PERSON})\b"
)
_WITH_TEXT: Final = re.compile(
    r"(?i)\bwith the (?:text|words|caption|wording|inscription|slogan)[:,]? "
    r"(?!of\b|that\b|from\b|in\b|on\b|above\b|below\b|you\b|and\b|i (?:wrote|sent|pasted|have)\b)"
    r"(?P<text>(?:[^.!?。！？\n]|\.(?=\S)){1,400})"
)
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[。！？\n]")
_SERVED: Final = re.compile(
    r"\[\d{4}-\d\d-\d\d[^\[\]\n]{0,60}(?:the agent says|maybe outdated|disputed|said by|助手转述|可能过时|有争议|"
    r"发言者)[^\[\]\n]{0,40}\]\s*\Z"
)
_TAIL_CHARACTERS: Final = 140
_BEFORE_CHARACTERS_MAX: Final = 400


def reported_clauses(text: str, lines: list[Line]) -> Iterator[Bounds]:
    """The clauses of *text* that somebody else is said to have uttered, and lines served from memory."""
    lowered = text.lower()
    if any(verb in lowered for verb in _VERBS):
        yield from _of_sources(text)
    if "with the" in lowered:
        for match in _WITH_TEXT.finditer(text):
            yield match.span("text")
    if "[" in text:
        for line in lines:
            if _SERVED.search(text[max(line.start, line.end - _TAIL_CHARACTERS) : line.end]):
                yield line.start, line.end


def _of_sources(text: str) -> Iterator[Bounds]:
    for match in _REPORTED.finditer(text):
        yield match.span(match.lastgroup or 0)
    for match in _SAYS_AFTER.finditer(text):
        first = max(0, match.start() - _BEFORE_CHARACTERS_MAX)
        ends = [mark.end() for mark in _SENTENCE_END.finditer(text, first, match.start())]
        start = ends[-1] if ends else first
        if text[start : match.start()].strip():
            yield start, match.start()
