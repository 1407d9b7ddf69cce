"""Whether a user's turn ends the task, so that looking back may begin.

Ending too early only splits an episode; ending too late waits for the turn limit or the idle time.
So the closing words must make up whole clauses at the end of the turn: "that's all I know" and 修好了
hold the same words and end nothing. Thanks alone end nothing either, since people thank between steps.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.disguises import unmask
from hindsight.language.spans import foreign_spans

# A goodbye stands at the end; anything before this many characters cannot be part of it.
_TAIL_CHARACTERS_MAX: Final = 600
# "That's all, thank you so much for your help today" has 48 characters; longer clauses say something.
_CLOSING_CHARACTERS_MAX: Final = 90
_REMARK_CLAUSES_MAX: Final = 2
_PARTING_CLAUSES_MAX: Final = 4
_REMARK_CHARACTERS_MAX: Final = 60
_CLAUSE: Final = re.compile(r"[^,，。.!！;；、~～…\n]+")
_QUESTION: Final = re.compile(r"[?？]\s*\W*\Z|(?:吗|呢|么|什么|怎么样|行不行|好不好)\s*\W*\Z")

_ZH_CLOSER: Final = re.compile(
    r"""(?x)(?:那|好|好的|行|嗯|哦|得|成|ok|okay|对|今天|目前|暂时|现在|这次|咱们?|我们?|我这边|这边|大家)*\s*(?:
      (?:就|先|那就|就先|也就)?(?:到(?:这|此|这里|这儿|这边)|这样|这么(?:着|定|办|多|些)|这些
        |聊到这|说到这|弄到这|做到这|讲到这)(?:为止|结束|打住)?(?:了|吧|啦|咯|喽|哈|呗|里|儿|就行
        |就好|就可以|好了)*
      |(?:都|已经|全)?(?:没|没有)(?:什么|啥|别的|其他|其它|更多)?(?:别的|其他|其它)?(?:的?事儿?
        |问题|疑问|要问|需要|要求|想问|要说|要补充)?(?:的)?(?:了|啦|咯)
      |(?:都|全部?|已经)?(?:搞定|完事|完工|收工|结束|收尾|打完收工|大功告成|齐活|告一段落)(?:了|吧|啦|咯)*
      |(?:暂时|先|都)?(?:可以|行|好|够|够用|OK|ok|妥)(?:了|啦|咯)
      |(?:不用|不需要|不必)(?:了|啦)(?:谢谢|多谢|谢了)?
      |(?:拜拜|拜|再见|晚安|回见|回头(?:见|聊|再说|再聊)|明天见|(?:明天|明早|晚点
        |过两天)再\S{1,5}|下次(?:见|再聊|再说|聊|继续)|改天再(?:聊|说)|有空再聊|回聊|88
        |撒由那拉)(?:了|吧|啦|咯)*
      |(?:我)?(?:先)?(?:走|撤|闪|溜|睡|下|下线|下班|下班|收摊|去忙|忙去|休息)(?:了|啦|咯|去了)
      |(?:就此|到此|今天)?(?:打住|结束对话|结束吧|散了吧|收了)
    )\s*""",
    re.IGNORECASE,
)
_EN_CLOSER: Final = re.compile(
    r"""(?x)(?:ok(?:ay)?|k|alright|all\s*right|right|well|so|and|no(?:pe)?|nah|yes|yep|yeah|great
      |perfect|cool|good|fine|then|guess|i\s+(?:think|guess)|think|got\s+it|oh)*\s*(?:
      (?:i\s+(?:think|guess)\s+)?that(?:'?s|\s+is|'ll\s+be|\s+will\s+be|\s+was|'d\s+be
        |\s+would\s+be)\s+(?:all|it\s+(?:for\s+(?:now|today)|from\s+me|then|really|thanks
        |thank\s+you)|everything|about\s+it|a\s+wrap|me\s+done)(?:\s+(?:i\s+(?:need(?:ed)?|wanted
        |had|have)|my\s+questions|from\s+me|on\s+my\s+(?:end|side)|folks|then|really))?
      |that(?:'?ll|\s+will)\s+(?:do|be\s+all)(?:\s+it)?|(?:i|we)(?:'m|\s+am|'re
        |\s+are)\s+(?:all\s+)?(?:set|done|good|sorted|finished|through)(?:\s+(?:here|then))?
        |all\s+(?:set|done|good|sorted|finished)(?:\s+here)?
      |(?:there'?s\s+)?nothing\s+(?:else|more|further)(?:\s+(?:from\s+me|to\s+add|needed))?
        |(?:i\s+have\s+)?no\s+(?:more|further|other)\s+questions|no\s+more
      |(?:we|i)(?:'re|'m|\s+are|\s+am)\s+done|(?:good|ok|okay|fine|enough|done|it
        |all)\s+for\s+(?:now|today|tonight)|(?:let'?s\s+)?(?:(?:stop|end\s+it|leave\s+it
        |leave\s+things|pause|finish)(?=\s+(?:here|there|at\s+that|it\s+here|for\s+(?:now|today)))
        |park\s+it|wrap\s+(?:it\s+|this\s+|things\s+)?up|call\s+it(?:\s+a\s+(?:day|night))?
        |close\s+(?:it|this)(?:\s+out)?)(?:\s+(?:here|there|at\s+that|it\s+here))?
      |(?:good\s*)?bye(?:\s*bye)?|good\s?night|night(?:\s+night)?|see\s+(?:you|ya
        |u)(?:\s+(?:later|tomorrow|soon|then|around|next\s+time))?|cya|later|laters|ttyl
        |talk\s+(?:to\s+you\s+)?(?:later|soon|tomorrow)|(?:speak|catch\s+you)\s+(?:later|soon)
        |take\s+care|over\s+and\s+out|peace\s+out
      |(?:i(?:'ve)?\s+)?(?:gotta|got\s+to|have\s+to|need\s+to|must)\s+(?:go|run|dash
        |head\s+(?:out|off)|leave)|(?:i'?m\s+)?(?:signing|logging|heading)\s+off
        |(?:i'?m\s+)?(?:heading|off)\s+(?:out|to\s+bed)|closing\s+(?:this|the\s+(?:chat|tab|thread))
        |(?:you\s+can\s+)?close\s+(?:this|the\s+(?:chat|ticket|task|issue))
      |(?:problem|issue|case|job|task)(?:'s|\s+is)?\s+(?:solved|resolved|closed|done|finished
        |complete[d]?)|(?:you\s+can\s+)?stop\s+(?:here|now)
    )(?:\s+(?:for\s+(?:now|today|tonight|the\s+day|this\s+(?:one|session|time))|here|then|today
      |now|thanks|thank\s+you|thx|ty|cheers|bye|folks|everyone|mate|buddy|pal|man))*\s*""",
    re.IGNORECASE,
)
# What people tell last, on their way out. Alone it may answer a question ("sent?"), so beside it everything
# else of the turn must be courtesy or consent.
_PARTING: Final = re.compile(
    r"""(?x)(?:ok(?:ay)?|great|perfect|awesome|cool|lovely|right|fine|good|i'?m|i'?ll|just|then|so|well|yes|yep|now|cheers|lgtm)*\s*(?:
      (?:printing|sending|merging|shipping|posting|submitting|ordering|pushing|publishing|forwarding|booking|pasting|saving
        |uploading|closing|using|filing)(?:\s+(?:it|this|that|them|these|both|now|off|out|over|up|today|tonight|straight\s+away
        |the\s+(?:ticket|issue|pr|tab|chat)|for\s+(?:him|her|them)))*
      |(?:all\s+)?(?:sent|merged|printed|shipped|posted|submitted|ordered|booked|pushed|published|filed|saved|uploaded)(?:\s+(?:it|off|them))?
      |ship\s+it|lgtm|done\s+and\s+dusted|send-ready|(?:looks\s+good(?:\s+(?:from\s+here|to\s+me))?)
      |(?:that(?:'?s|\s+is)\s+(?:me|us)\s+(?:done|sorted|off|finished|set)(?:\s+for\s+\S+(?:\s+\S+)?)?)
      |that(?:'?s|\s+is)\s+the\s+lot|that\s+covers\s+(?:it|everything)|that(?:'?ll|\s+will)\s+do(?:\s+(?:nicely|fine|it|me))?
      |(?:i'?m\s+)?(?:off|out)(?:\s+i\s+go)?|(?:i'?m\s+)?off\s+to\s+\w+(?:\s+\w+){0,3}|log(?:ging)?\s+off(?:\s+time)?
      |we\s+can\s+stop\s+(?:here|there)|(?:i'?m\s+)?(?:wrapping|packing|signing|logging)\s+(?:up|off|out)(?:\s+here)?
      |end\s+of\s+(?:session|chat|conversation)|back\s+to\s+(?:work|it|bed|reality|(?:my|the)\s+\w+|\w+s)
      |(?:we'?re|i'?m)\s+(?:good|sorted|golden)|(?:have|enjoy)\s+(?:a|your|the)\s+(?:good\s+|great\s+|nice\s+|lovely\s+|rest\s+of\s+(?:the|your)\s+)*
        (?:day|one|night|evening|weekend)
      |(?:我|那我?|先|就|这就|自己)*(?:拿去|去|躺|忙|撤|睡|闪|歇|干活|吃饭|开会|上课|上班|出门|下线|下播|收拾)[\u3400-\u9fff]{0,5}?(?:去了?|了|会儿?去?|去用了)
      |(?:我|都|已经?|刚|直接)*(?:下载|发出去|发|合|合并|提交|存|保存|打印|转发?|交|用上|上传|下单|订|买|收藏|抄|记)(?:好|完|给\S{1,3})?(?:了|啦|去了|去用了)
      |交稿去?|不聊了|告辞|散会|翻篇(?:了|吧)?|(?:这事儿?)?(?:翻篇|了结)|问完了|聊完了|(?:今天)?先不(?:弄|聊|搞|写|做)了|(?:改天|明天|回头|下次)(?:接着|继续|再)\S{0,3}
      |(?:那就?)?不打扰(?:你|您)?了
    )(?:\s*(?:then|now|thanks|thank\s+you|cheers|ta|for\s+now|today|tonight|ok|啦|哈|咯))*\s*""",
    re.IGNORECASE,
)
_REPORTED: Final = re.compile(r"(?i)\b(?:said|says|wrote|told|texted|replied)\b|他说|她说|对方说|人家说")
# Every repeat is possessive: courtesies can be cut up in many ways, and trying them all never ends.
_COURTESY: Final = re.compile(
    r"""(?x)\s*(?:(?:ok(?:ay)?|k|great|perfect|awesome|lovely|nice|cool|sweet|brilliant|yes|yep|nope|no
      |alright|wonderful|excellent|amazing|super|haha|lol|x++|you\s+too|(?:so|very|v)\s+much
      |so|much|again|a\s+lot|a\s+bunch|loads|mate|really|all|for\s+(?:all\s+)?(?:your|the
      |everything|that|this|today)(?:\s+(?:help|time|work|info|advice|patience))?|your\s+help
      |appreciated?|it|i
      |many\s+thanks|thank\s+(?:you|u)|thanks?|thx|tysm|ty|ta|cheers|have\s+a\s+(?:good|great|nice
        |lovely)\s+(?:day|one|night|evening|weekend))\s*)++
    |\s*(?:好的?|行|嗯++|哦++|OK|可以|太好了|完美|不错|收到|明白了?|懂了|知道了|哈++|嘿嘿
      |谢谢?(?:你|您|啦|了|哈|大家)?|多谢(?:了|啦)?|感谢|谢谢?|辛苦(?:了|啦|你了|您了)?|麻烦(?:你
      |您)?了|爱你|么么哒|不打扰(?:你|您)?了|(?:如果|要是)?有(?:需要|问题|事
      |情况)?(?:的话)?(?:我)?再(?:来)?(?:找|问|联系|叫|说)(?:你|您)?吧?|祝(?:你|您).{0,8}|🙏|👍
      |👌)++\s*""",
    re.IGNORECASE,
)
# Casual writers put no comma before a goodbye; these few words at the very end are enough.
_TRAILING: Final = re.compile(
    r"(?i)[^?]\s(?:gotta (?:go|run)|(?:good)?bye|ttyl|good ?night|(?<!know )(?<!is )that'?s "
    r"all(?: for (?:now|today))?|"
    r"talk (?:to you )?later|see (?:you|ya) (?:later|tomorrow)|拜拜|晚安)\Z"
)
_ASKS: Final = re.compile(
    r"(?i)[?？]|以后|不许|不要|别(?!的)|帮|请|你|再|另外|还有|还要|对了|等等|等一下|但|不过|可是|"
    r"记|改|加|换|下一|接着|继续|\b(?:always|never|from now on|can|could|would|will you|you|please|also|wait|but|"
    r"one more|actually|make|change|add|remember|what|how|why|when|where|which|do|let)\b"
)
# Behind an answer the same words mean "no more than that", so they count only by themselves.
_THAT_IS_IT: Final = re.compile(r"(?i)(?:(?:ok(?:ay)?|no(?:pe)?|yes|yep|so|well|great|i think) )*that'?s it")
_SYMBOLS: Final = re.compile(r"[^\w\s'’]+")


def ends_task(content: str) -> bool:
    """Whether the user closes the task with this turn ("好的就这样", "that's all, thanks").

    Never for a question, for words inside a quotation or a paste, for thanks or consent alone, or
    where a request follows the closing words.
    """
    own = _own_tail(content)
    if not own or _QUESTION.search(own):
        return False
    clauses = [clause for piece in _CLAUSE.findall(own) if (clause := _bare(piece))]
    if _parts(clauses):
        return True
    while clauses and _COURTESY.fullmatch(clauses[-1]):
        clauses.pop()
    if not clauses:
        return False
    if len(clauses) == 1 and _THAT_IS_IT.fullmatch(clauses[0]):
        return True
    if _REPORTED.search(clauses[-1]):
        return False
    if _whole(clauses[-1]) or _TRAILING.search(clauses[-1]):
        return True
    return _closed_with_remark(clauses)


def _parts(clauses: list[str]) -> bool:
    """Whether the whole turn takes leave: consent or thanks, and a word on what the user goes on to do."""
    parting = [clause for clause in clauses if _PARTING.fullmatch(clause) and not _COURTESY.fullmatch(clause)]
    rest = [clause for clause in clauses if clause not in parting]
    if not parting or len(clauses) > _PARTING_CLAUSES_MAX:
        return False
    if not all(_COURTESY.fullmatch(clause) or _whole(clause) for clause in rest):
        return False
    return bool(rest) or len(parting[0].split()) > 1 or len(parting) > 1 or not parting[0].isascii()


def _own_tail(content: str) -> str:
    spans = foreign_spans(content)
    if spans and not content[spans[-1][1] :].strip(" \t\r\n\"'”」』。.!！"):
        return ""
    start = spans[-1][1] if spans else 0
    return unmask(content[max(start, len(content) - _TAIL_CHARACTERS_MAX) :]).replace("’", "'").strip()


def _bare(clause: str) -> str:
    return " ".join(_SYMBOLS.sub(" ", clause).split())


def _whole(clause: str) -> bool:
    """Whether closing words and courtesies alone make up *clause*, with closing words among them."""
    if len(clause) > _CLOSING_CHARACTERS_MAX:
        return False
    open_states = [(0, False)]
    visited: set[tuple[int, bool]] = set()
    while open_states:
        state = open_states.pop()
        if state in visited:
            continue
        visited.add(state)
        position, closed = state
        if position == len(clause):
            if closed:
                return True
            continue
        for pattern, closing in ((_ZH_CLOSER, True), (_EN_CLOSER, True), (_COURTESY, False)):
            match = pattern.match(clause, position)
            if match is not None and match.end() > position and _is_boundary(clause, match.end()):
                open_states.append((match.end(), closed or closing))
    return False


def _is_boundary(clause: str, position: int) -> bool:
    """Whether no Latin word is cut in two at *position*."""
    if position in (0, len(clause)):
        return True
    return not (
        clause[position - 1].isascii()
        and clause[position - 1].isalnum()
        and clause[position].isascii()
        and clause[position].isalnum()
    )


def _closed_with_remark(clauses: list[str]) -> bool:
    """Whether the user closed a moment ago and only added a remark that asks for nothing."""
    recent = clauses[-_REMARK_CLAUSES_MAX - 1 :]
    for at, clause in enumerate(recent[:-1]):
        after = recent[at + 1 :]
        if _whole(clause) and sum(map(len, after)) <= _REMARK_CHARACTERS_MAX and not any(map(_ASKS.search, after)):
            return True
    return False
