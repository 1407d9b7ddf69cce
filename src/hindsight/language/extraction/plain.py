"""Statements so plain that no judge is asked: a whole sentence that names a lasting thing about its speaker.

The judge weighs cues against each other and was trained on long talks; a bare "I love spicy food."
gives it one cue and no more. People who try a memory say exactly such sentences first.
"""

from __future__ import annotations

import re
from typing import Final

# What a plainly said sentence is worth: clear, and below what several cues together reach.
PLAIN_CONFIDENCE: Final = 0.72
_CHARACTERS_MAX: Final = 90

_NO_OBJECT = (
    r"(?!(?:this|that|it|these|those|your?|how|what|when|the (?:idea|sound|look|way)"
    r"|to (?:see|know|hear|think|say|ask))\b)"
)
_NOT_HABITS = (
    r"(?!(?:was|were|went|did|had|got|said|saw|felt|came|took|made|ate|ran|met|\w+ed|could|would|should|might|will|am|are|is"
    r"|need|want|think|hope|wish|feel|try|plan|guess|mean)\b)"
)
_ENGLISH: Final = re.compile(
    r"(?:i (?:really |absolutely |truly |just )?(?:love|like|prefer|hate|dislike|can't stand|cannot stand|don't like) "
    + _NO_OBJECT
    + r"(?:\S+ ?){1,8}"
    r"|i(?:'m| am) (?:an? )?(?:vegan|vegetarian|left-handed|colou?r-?blind|diabetic|coeliac|celiac)\b.{0,40}"
    r"|i(?:'m| am) allergic to .{2,50}"
    r"|i live in .{2,40}|i(?:'ve| have)? (?:just |recently )?moved (?:from .{2,30} )?to .{2,40}"
    r"|i work (?:as|at|for) .{2,50}|my name is .{2,40}"
    r"|my (?:wife|husband|partner|son|daughter|brother|sister|mother|father|mum|mom|dad|dog|cat|boss)(?:'s name)? "
    r"(?:is (?!(?:fine|ok|okay|good|great|better|worse|home|back|here|there|asleep|awake|ill|sick|late|away|out|"
    r"off|on|upset|"
    r"angry|mad at|sad|happy|tired|so|too|very|really|still|not|in an?|at the|\w+ing)\b)|works|lives|"
    r"has (?!to\b|been\b|just\b)).{2,60}"
    r"|(?:i|we)(?:'ve| have)? (?:just |recently |finally |now )?(?:switched|migrated|converted) (?!seats|"
    r"places)(?:\S+ ){0,8}"
    r"(?:to|over to) (?!(?:mon|tues|wednes|thurs|fri|satur|sun)day|the other|next)(?:\S+ ?){1,6}"
    r"|(?:on \w+days,? )?(?:i|we) (?:usually |always |normally |typically )?"
    + _NOT_HABITS
    + r"[a-z]+ .{0,60}\b(?:every (?:single |other )?(?:morning|day|night|evening|week|weekend|month|year|\w+day)"
    r"|on (?:weekdays|weekends|\w+days)|(?:once|twice|three times) a (?:day|week|month|year)|daily|weekly|monthly)"
    r"(?: (?:before|after|with|at|in|on) .{2,30})?"
    r"|(?:please )?(?:always|never) (?:answer|reply|respond|write|use|call|address|format) .{3,70})",
    re.IGNORECASE,
)
_CHINESE: Final = re.compile(
    r"(?:我(?:很|特别|最|真的|一直|更|平时)?(?:喜欢|爱|讨厌|不喜欢|不爱|偏爱|受不了)(?!这|那|你|您|它|上面|刚)[^，,。]{1,20}"
    r"|我(?:现在|目前|一直)?住在[^，,。]{2,20}|我叫[^，,。]{1,10}(?:，.{2,30})?"
    r"|我对[^，,。]{1,15}过敏"
    r"|我(?:上个?月|上周|去年|今年|刚|最近)?从[^，,。]{1,12}搬(?:到|去)了?[^，,。]{1,12}|我(?:上个?月|上周|去年|今年|最近)?搬到了?[^，,。]{2,12}"
    r"|(?!会议|会面|标题|第)[^，,。]{0,14}从[^，,。]{1,14}(?:换|迁|改(?=[喝吃用骑坐学穿写]))(?:成|到|为|回|喝|吃|用|骑|坐|学|穿|写)(?![周星下第])"
    r"[^，,。]{1,14}"
    r"|我在[^，,。]{2,20}(?:工作|上班|当[^，,。]{1,8}|做(?!饭|菜|梦|什么)[^，,。]{1,8})"
    r"|我(?:一般|通常|平时|习惯|都|们)*每(?:天|周|个?月|晚|早|年|个?(?:周|星期|礼拜)[一二三四五六日天末]|逢)"
    r"(?!.{0,6}(?:累|忙|困|烦|崩溃|头疼))[^，,。]{2,24}"
    r"|我是(?:一名|一个|个)?[^，,。这那]{1,8}(?:师|生|员|手|者|人|工|长|医生|会计)"
    r"|(?:以后|今后|从现在起)[^，。]{2,30}(?:都|一律|请)?用?[^，。]{1,20}(?:写|回答|回复|称呼|格式|输出)[^，。]{0,8})"
)
_CLOSE = " \t\n.。!！~～了啦"
_OPEN_QUESTION: Final = re.compile(r"[?？]|\bif\b|\bwould\b|\bcould\b|\bmaybe\b|如果|要是|假如|可能|也许|是不是|吗")


def plainly_said(text: str) -> bool:
    """Whether *text* as a whole is one plain statement about its speaker that will hold tomorrow."""
    bare = text.strip(_CLOSE)
    if not bare or len(bare) > _CHARACTERS_MAX or _OPEN_QUESTION.search(text):
        return False
    return bool(_ENGLISH.fullmatch(bare) or _CHINESE.fullmatch(bare))
