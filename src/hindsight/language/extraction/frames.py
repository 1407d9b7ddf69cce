"""Stretches in which the user does not speak as themselves: daydreams, role play, drafts for others.

A frame opens with a cue and lasts until an exit cue or until a turn shows that it is over. Within it
"I" is somebody else, so nothing is kept. Frames are found per turn; the judge sees the softer ones as
features.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hindsight.domain.conversation import Turn

_OPENINGS: Final[dict[str, re.Pattern[str]]] = {
    "hypothetical": re.compile(
        r"^(?:and |so |ok |hmm |hey )*(?:suppose|supposing|imagine|hypothetically|what if|say (?:i|"
        r"we) (?:had|was|were|won))\b|\b(?:hypothetically|purely theoretical|theoretically|"
        r"in an ideal world|in another life|daydream\w*|just imagine|thought experiment|if i (?:won|"
        r"ever won) the lottery)\b|"
        r"^(?:and |so |ok )*if (?:i|we) (?:was|were|had|could|did)\b.*(?:\?|\bwould\b|\bcould\b)|"
        r"^(?:瞎[聊想]|随便[问聊想]|那?[么]?(?:假如|假设|假使|倘若)|脑洞|想象一下|幻想一下|比方说我|"
        r"做个白日梦)|(?:^|[，,。 ])(?:假如|假设)|"
        r"(?:要是|如果).{2,30}(?:会怎么样|会怎样|怎么办|能挣|就好[了咯]|该|呢$|[？?])",
        re.IGNORECASE,
    ),
    "fiction": re.compile(
        r"\b(?:role[- ]?play|mock (?:interview|session)?|(?:running|do|have) a mock|continue the (?:story|"
        r"scene)|pretend (?:you|to|i|that)|in character|the narrator|interview question|"
        r"(?:write|draft|help).{0,24}\b(?<!user )(?:story|novel|chapter|scene|dialogue|monologue|short story|fanfic|"
        r"screenplay|lyrics|poem)|first person,|you'?re the (?:hiring|interviewer|customer)|made[- ]up|"
        r"dungeon master|campaign character|act as (?:a|an|my)|(?:my|the) (?:protagonist|antagonist|"
        r"main character|novel|screenplay)|"
        r"(?:let'?s|we) (?:play|act out)|(?:practi[cs]e|rehearse) (?:a|an|my|the) (?:conversation|"
        r"dialogue|pitch|speech|interview|call)|"
        r"word problem|reading comprehension|essay prompt|example sentences?|"
        r"(?:sample|dummy|fake|test|seed|mock|synthetic) (?:data|users?|profiles?|records?|personas?|"
        r"messages?)|user personas?)\b|"
        r"模拟面试|角色扮演|扮演|续写|编个?故事|人设|写.{0,10}(?:小说|故事|剧本|台词|独白)|假装(?:你|我)|"
        r"虚构|我(?:来)?演|你(?:来)?演|写(?:一)?[首段个篇].{0,8}(?:诗|歌词|段子|相声|小品|童话|同人)|主角|"
        r"剧情|情景对话|口语练习|"
        r"陪我(?:练|演)|你(?:来)?(?:当|扮)|阅读理解|造句|例句|应用题|(?:测试|样例|假|模拟|示例)(?:数据|"
        r"用户|样本)|用户画像|造几条",
        re.IGNORECASE,
    ),
    "behalf": re.compile(
        r"\b(?:(?:asking|question|this is|it'?s|need (?:this|it)) for (?:my|a) (?:\w+ )?(?:mate|friend|"
        r"colleague|neighbou?r|coworker|buddy|pal)|my (?:colleague|friend|mate|"
        r"neighbou?r)(?:'s)? (?:\w+ )?(?:wants to know|is asking|asked|needs a)|"
        r"for somebody else|not for me|it isn'?t my (?:machine|laptop|computer|account|project)|"
        r"helping (?:a|my) (?:student|friend|colleague|neighbou?r))\b|"
        r"替(?:我)?.{1,6}(?:写|问)|帮(?:我)?(?:朋友|同事|表[姐哥弟妹]|邻居|同学|亲戚|堂[姐哥弟妹]|客户|"
        r"学生).{0,4}(?:写|问|改|做)|不是我(?:的|自己)",
        re.IGNORECASE,
    ),
    "voice": re.compile(
        r"\bwrite (?:it|this|one)? ?(?:up )?as (?:him|her|them|if)\b|\bin (?:his|her|their) (?:voice|name|"
        r"words)\b|as if (?:he|she|they) (?:is|were|was)\b|\bghost-?writ|"
        r"\b(?:(?:cover )?letter|bio|speech|toast|statement|profile|essay|cv|resume) for (?:my|a) (?!self|"
        r"own)\w+|\bneeds a (?:cover letter|bio|speech|cv|resume)\b|"
        r"第一人称|以.{1,6}的(?:口吻|身份|名义|语气)|帮(?:我)?.{0,8}(?:朋友|同事|表[姐哥弟妹]|邻居|同学|"
        r"堂[姐哥弟妹]|客户).{0,8}(?:写|自我介绍)",
        re.IGNORECASE,
    ),
    "sarcasm": re.compile(
        r"\[微笑\]|呵呵|我可太|可真行|我真是(?:人中龙凤|天才|谢谢)|对对对|真是(?:谢谢|好极了)|"
        r"\b(?:yeah right|oh sure|just what i needed|love that for me|how wonderful|living the dream)\b|(?<!\w)/s\s*$",
        re.IGNORECASE,
    ),
    "venting": re.compile(
        r"\b(?:just (?:need to )?vent(?:ing)?|rant|i'?m so done|i can'?t (?:take|do) (?:this|"
        r"it) any ?more|worst day)\b|烦死了|受够了|再也不想|不想干了|吐槽|牢骚|崩溃了|心态崩",
        re.IGNORECASE,
    ),
    "throwaway": re.compile(
        r"\b(?:throwaway|one[- ]off|generic|from a course|sample (?:contract|from|text)|homework|"
        r"borrowed (?:machine|laptop|box))\b|通用模板|不针对|先能跑就行|机器是?借的|一次性的",
        re.IGNORECASE,
    ),
    "curious": re.compile(
        r"\b(?:just (?:curious|testing|for fun|messing|wondering|playing)|no plans?|not serious|"
        r"brainstorm\w*|out of curiosity)\b|头脑风暴|随便想想|瞎聊|只是好奇|随便问问|就问问|了解一下而已",
        re.IGNORECASE,
    ),
    "edit": re.compile(
        r"^(?:pls |please |can you |ok |hey )*(?:translate|proofread|clean up|rewrite|reword|polish|"
        r"fix the grammar|edit|paraphrase|correct|label)\b|"
        r"把.{0,12}(?:翻|译|改写|润色|校对)|翻[成译]|译成|润色|顺一下|校对|改写|帮我?回(?:一?下|复)|"
        r"回下这个|回复(?:一下)?(?:这|客户|买家)",
        re.IGNORECASE,
    ),
}
_EXITS: Final = re.compile(
    r"\b(?:(?:ok(?:ay)?,? )?(?:back to (?:me|reality|real life|work)|stop there|end (?:of )?(?:scene|"
    r"story|role ?play)|out of character|seriously(?: now|,)|in real life|actually for me|"
    r"now for (?:me|mine))\b)|"
    r"说正经|说真的|说回|言归正传|回到正题|不演了|演完|出戏|正事",
    re.IGNORECASE,
)
# These last; the others colour the session but end with the turn.
_LASTING: Final = frozenset({"hypothetical", "fiction", "behalf", "voice", "sarcasm", "venting"})
# Daydreams and tempers pass: after this many turns of either side the frame is over.
_PASSING: Final = {"hypothetical": 6, "venting": 6, "sarcasm": 8}


def frames_of(turns: Sequence[Turn]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """For every turn: the frames it stands in, and those that any user turn so far or later opened."""
    opened: list[frozenset[str]] = []
    running: dict[str, int] = {}
    standing: list[frozenset[str]] = []
    for number, turn in enumerate(turns):
        if turn.role != "user":
            opened.append(frozenset())
            standing.append(frozenset(running))
            continue
        head = turn.content[:1_000]
        found = frozenset(name for name, pattern in _OPENINGS.items() if pattern.search(head))
        if _EXITS.search(head):
            running.clear()
            found -= _LASTING
        for name in found & _LASTING:
            running[name] = number
        for name, turns_max in _PASSING.items():
            if number - running.get(name, number) > turns_max:
                del running[name]
        opened.append(found)
        standing.append(found | frozenset(running))
    everywhere = frozenset[str]().union(*opened) if opened else frozenset[str]()
    return [(here, everywhere) for here in standing]


def leaves_frame(text: str) -> bool:
    """Whether *text* steps out of a frame, so that what follows is the user again."""
    return bool(_EXITS.search(text))
