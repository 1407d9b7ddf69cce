"""Signs that something changed, and ordered comparisons, read from the sentence itself.

Only an explicit sign of change may archive a memory, so the lists name verbs and adverbs of change and
leave world knowledge out. A strong sign says by itself that another state held before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hindsight.domain.memory import Language

_STRONG_ENGLISH: Final = re.compile(
    r"\b(?:no longer|any ?more|used to|switch(?:ed|ing)|migrat(?:ed|ing|ion)|upgraded|downgraded|replac(?:ed|"
    r"es)|instead|"
    r"gave up|given up|in favou?r of|reversed|overturned|moved (?:from|to|out|in|into|over|off|away|on)|"
    r"(?:raised|lowered|increased|reduced|cut|down|up|changed|extended|shortened|grown|risen|fallen|"
    r"dropped) (?:from|to)|"
    r"these days|nowadays|has since|have since|since then|from .{1,40}? to|ripped out|dropped|ditched|sold|quit|"
    r"cancell?ed|"
    r"(?:is|are|am|has|have|does|do|lives|works|uses) now|now (?:\w+ ){0,2}(?:is|are|has|have|uses?|runs?|"
    r"lives?|works?|\w+s)|stopped|relocated|transferred|brought (?:\w+ )?forward|"
    r"pushed back|put (?:back|off)|postponed|previously|formerly|former|took over|taken over|scaled (?:up|down|back)|"
    r"phased out|changed|rescheduled|has become|have become|became|resigned|promoted|retired|come round|healed|"
    r"recovered|"
    r"swapped|traded|converted|renamed|abandoned|scrapped|broke up|divorced|split up|passed away|died|handed over|"
    r"closed (?:the|her|his|their)|got (?:married|divorced|engaged|rid)|decommissioned|shut down|lifted|relaxed|"
    r"withdrawn|"
    r"at first|originally|initially|turned into|went (?:from|over|back)|gone (?:back|over|vegan|vegetarian)|"
    r"after all|any longer)\b",
    re.IGNORECASE,
)
_WEAK_ENGLISH: Final = re.compile(
    r"\b(?:now|moved|raised|lowered|increased|reduced|changing|changes|left|started|begun|began|ended|as of|"
    r"from now on|"
    r"already|again|currently|latest|new|newly|recently|last (?:week|month|year|sprint|quarter|\w+day)|"
    r"this (?:week|month|year|quarter)|"
    r"yesterday|today|finally|actually|corrected|grew|grown|settled on|extended|shortened|went|for good|"
    r"finished|completed|since)\b",
    re.IGNORECASE,
)
_STRONG_CHINESE: Final = re.compile(
    r"不再|改(?:成|为|用|到|在|走|由|叫|吃|喝|寄|签|做|跑|学|去|开|坐|名|口|约|期)|换(?:成|到|了|作|为|上)|更换|"
    r"升级|升(?:到|为|至|任)|降(?:到|为|成|至)|迁(?:到|移|至|往)|"
    r"搬(?:到|去|进|回|至|出|了|走)|转(?:岗|行|到|为|成|用|投|正|学|去|让)|切(?:到|换|成)|取代|替换|替代|代替|"
    r"推翻|作废|取消|撤销|废弃|弃用|停用|停了|下线|离职|辞职|"
    r"退休|退(?:了|出|掉|役|租|订)|卸(?:了|载|掉)|卖(?:了|掉|给)|扔(?:了|掉)|戒(?:了|掉|烟|酒)|放弃|以前|原来|"
    r"原先|之前|过去|曾经?|如今|现在|(?:提前|推迟|延期|延后|延|挪|调|顺延)(?:到|至)|"
    r"上调|下调|调整|涨(?:到|至|了|价)|(?:增加|减|扩|缩|瘦|胖|加|提高|提升|降低|压缩|放宽)(?:到|至|了)|变(?:成|"
    r"为|了|更)|不走|不用了|[^为]?不.{1,6}了(?:$|[，。,；])|好了|痊愈|康复|注销|接(?:手|替|任)|"
    r"让位|交给|离婚|分手|去世|结婚了|解除|收回|从.{1,14}(?:换|改|转|迁|搬|升|降|调|切|涨|增|减|提|变|挪)|"
    r"由.{1,14}(?:换|改|转|升|降|调|涨|增|减|提|变)|起改|从此|今后|重新|恢复|挪"
)
_WEAK_CHINESE: Final = re.compile(
    r"已经?|目前|最近|改|换|升|搬|迁|变|以后|起$|从今|从下|这个?月起|起，|上周|上个?月|今年|去年|开始|终于|刚|"
    r"新|更新|更正|重|又|了$|了[，。]|入冬以后|自从|后来"
)
_OVER_ENGLISH: Final = (
    re.compile(
        r"(?:prefer\w*|choose\w*|chose|favou?r\w*|picks?|picked)\s+(?P<a>.{2,40}?)\s+"
        r"(?:over|to|rather than|instead of)\s+(?P<b>.{2,40})",
        re.I,
    ),
    re.compile(
        r"(?P<a>[\w#+. -]{2,40}?)\s+(?:rather than|instead of|ahead of|before|over|above|below)\s+"
        r"(?P<b>[\w#+. -]{2,40})",
        re.I,
    ),
    re.compile(
        r"(?P<a>[\w#+.' -]{2,50}?)\s+(?:is|are|was|runs?|works?|more|\w+er)?\s*"
        r"(?:\w+er|more(?: \w+)?)\s+than\s+(?P<b>[\w#+.' -]{2,40})",
        re.I,
    ),
    re.compile(
        r"(?P<a>[\w#+. -]{2,40}?)\s+(?:comes? )?first\W+(?:then|followed by)\s+(?P<b>[\w#+. -]{2,40})",
        re.I,
    ),
    re.compile(r"from\s+(?P<a>.{2,30}?)\s+to\s+(?P<b>.{2,30})", re.I),
)  # fmt: skip
_OVER_CHINESE: Final = (
    re.compile(r"(?P<a>[^，。]{1,14}?)(?:比|胜过|优于|高于|大于|多于|快于|不如)(?P<b>[^，。]{1,10}?)(?:更|好|高|大|多|快|强|重要|优先|便宜|贵|早|晚|喜欢|合适|[，。]|$)"),
    re.compile(r"(?:宁可|宁愿|宁肯)(?P<a>[^，。]{1,12})，?也不(?P<b>[^，。]{1,12})"),
    re.compile(r"(?:喜欢|爱|偏好|偏爱|选|要|用|走|坐|首选|优先)(?P<a>[^，。]{1,12})，?(?:而不是|而非|不是|胜过|多过|甚于|其次才?是?|再)(?P<b>[^，。]{1,12})"),
    re.compile(r"比起(?P<b>[^，。]{1,12})，?(?:用户)?(?:更|还是|宁)?(?:喜欢|爱|愿意|偏爱|想)?(?P<a>[^，。]{1,12})"),
    re.compile(r"先(?P<a>[^，。再]{1,12})，?[再后](?P<b>[^，。]{1,12})"),
    re.compile(r"从(?P<a>[^，。从到]{1,10}?)(?:飞|到|去|开|坐)(?P<b>[^，。]{1,10})"),
    re.compile(r"(?P<a>[\u4e00-\u9fff]{1,2})译(?P<b>[\u4e00-\u9fff]{1,2})"),
)  # fmt: skip
_LESS: Final = re.compile(r"\b(?:less|worse|lower|smaller|slower|fewer|cheaper|below)\b|不如", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cues:
    """How loudly a sentence says that something changed: 0 silent, 1 a weak sign, 2 and more strong ones."""

    strong: int
    weak: int


def cues_of(text: str, language: Language) -> Cues:
    """Count the signs of change in *text*; an English term inside Chinese counts by both lists."""
    strong = len(_STRONG_ENGLISH.findall(text))
    weak = len(_WEAK_ENGLISH.findall(text))
    if language == "zh":
        strong += len(_STRONG_CHINESE.findall(text))
        weak += len(_WEAK_CHINESE.findall(text))
    return Cues(strong, weak)


def comparisons_of(text: str, language: Language) -> list[tuple[str, str]]:
    """Ordered pairs that *text* compares, the favoured or first one first."""
    patterns = _OVER_ENGLISH if language == "en" else _OVER_CHINESE + _OVER_ENGLISH[:1]
    pairs: list[tuple[str, str]] = []
    for pattern in patterns:
        for match in pattern.finditer(text):
            first, second = match.group("a").strip(), match.group("b").strip()
            pairs.append((second, first) if _LESS.search(match.group(0)) else (first, second))
    return pairs
