"""Words that announce somebody else's text, and the block they announce.

"Here is the mail:", 下面是…：, "translate this:" hand over a text; "remember:", 我的要求是：
introduce the user's own. The last noun before the colon and whose it is decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight.language.lines import HEAD_CHARACTERS_MAX, Bounds, Line
from hindsight.language.returning import announced_end, opens_letter, returns_weakly

_TEXT_NOUN: Final = re.compile(
    r"(?i)\b(?:texts?|articles?|passages?|paragraphs?|e-?mails?|mails?|messages?|chats?|logs?|"
    r"transcripts?|threads?|minutes|letters?|reviews?|comments?|posts?|tweets?|drafts?|excerpts?|"
    r"snippets?|clauses?|"
    r"contracts?|polic(?:y|ies)|documents?|docs?|readme|config|code|traceback|errors?|output|"
    r"stack ?trace|stor(?:y|ies)|poems?|lyrics|bios?|résumé|resume|cv|essays?|abstracts?|quotes?|"
    r"sentences?|statements?|newsletters?|ads?|"
    r"listings?|descriptions?|(?:web ?)?pages?|subtitles|captions?|interviews?|dialogues?|"
    r"conversations?|screenshots?|replies|reply|responses?|answers?|feedback|invoices?|flyers?|"
    r"captions?|chapters?|scenes?|dms?|notice|announcement)\b|"
    r"原文|文本|文章|段落|[这那下一几][段篇封份条句]|聊天记录|对话|会话|纪要|邮件|来信|信件|通知|"
    r"公告|简历|稿|文案|介绍|评论|评价|留言|差评|反馈|日志|报错|错误信息|代码|配置|条款|合同|协议|"
    r"说明书|文档|(?i:readme)|歌词|诗|小说|"
    r"故事|剧本|台词|开头|摘要|新闻|帖子|转录|字幕|采访|短信|消息|私信|发言|问卷|句子|题目|资料|"
    r"网页|截图|笔记|回信|原话|作文|日记|自述|群里|输出|返回|内容"
)
_TASK: Final = re.compile(
    r"(?i)\b(?:translate|proofread|polish|rewrite|rephrase|paraphrase|summari[sz]e|condense|edit|"
    r"fix the (?:grammar|spelling|tone)|improve|shorten|reply to|respond to|answer this|explain|"
    r"analy[sz]e|classify|"
    r"extract|convert|(?:clean|tidy) up|transcribe|make (?:this|it) (?:sound|more|less|shorter)|"
    r"turn (?:this|these|it)|put (?:this|these)|what does .{0,40} mean|critique|grade)\b|"
    r"翻译|译成|译为|翻成|润色|改写|校对|总结|概括|缩写|扩写|续写|回复|回一?下|回他|回她|解释|"
    r"分析|提炼|摘要|转成|转换|改一?改|改成|修改|改(?=简历|文章|稿|作文|文案|邮件)|念一?下|批改|点评|纠错|压缩|美化"
)
# "See this:" hands something over; "do it like this:" does not.
_HANDS_OVER: Final = re.compile(
    r"(?i)\b(?:see|look at|check(?: out)?|read|got|received|getting|found|saw|sent me) (?:this|these|"
    r"the following)(?: out)?\Z|"
    r"(?:看|看看|看下|看一下|收到|读|读下)(?:这个|这条|这些|下面|以下)(?:的)?\Z"
)
# Somebody else's words by their very kind, with or without "this".
_SURE_NOUN: Final = re.compile(
    r"(?i)(?:\b(?:transcripts?|voice ?mails?|subtitles|captions|lyrics|screenshot|excerpt|(?:chat|"
    r"message) (?:log|history))|"
    r"\b(?:memor(?:y|ies)|recalled(?: \w+)?|(?:known|stored) (?:facts|notes)|(?:user|"
    r"customer) (?:profile|facts|notes)) ?(?:about the user)?|"
    r"字幕|歌词|聊天记录|原文|转录|截图|文字|网页|记忆|用户(?:信息|画像|资料|档案|偏好)|已知(?:信息|"
    r"事实))(?:如下|是|内容|里?写着)?\s*\Z"
)
# "The lyrics go:", "Begin with:", "Search results:" hand over wording, whoever the writer is.
_READS: Final = re.compile(
    r"(?i)\b(?:lyrics?|songs?|poem|text|story|sign|caption|banner|poster|letter|quote|page) "
    r"(?:go(?:es)?|reads?|runs?|begins?|starts?)(?: like this)?\Z|"
    r"\A\s*(?:please )?(?:begin|start|open|end|finish) (?:it |the (?:story|letter|poem|song|e-?mail|mail|"
    r"text|post|essay|article|speech|page) )?with\Z|"
    r"\b(?:search|tool|query|function) (?:results?|outputs?|responses?)(?: for .{1,60})?\Z|"
    r"(?:搜索|检索|查询|工具|调用)(?:的)?(?:结果|返回|输出)(?:如下|是)?\s*\Z|(?:歌词|诗|故事|信)(?:是|这样(?:写|唱)的?)\Z|"
    r"(?:以|用)(?:这句|下面这句|这段)(?:话)?(?:开头|开始)\Z"
)
_OTHERS: Final = re.compile(
    r"(?i)\b(?:customers?|clients?|boss|manager|wife|husband|partner|friends?|colleagues?|users?|"
    r"guests?|teachers?|buyers?|sellers?|neighbou?rs?|landlord|mum|mom|dad|"
    r"brothers?|sisters?|vendors?|suppliers?|tenants?|strangers?|someone|somebody|his|her|their)\b|"
    r"客户|买家|卖家|老板|同事|朋友|老师|对方|他|她|别人|有人|顾客|领导|甲方|房东|"
    r"网友|读者|学生|家长|老婆|老公|妈|爸|邻居|供应商|同学"
)
_OTHERS_NOUN: Final = re.compile(
    r"(?i)\b(?:notes?|tickets?|questions?|requests?|complaints?|words|wishes|requirements?)\b|要求|"
    r"意见|投诉|问题|需求|工单|便条|反馈|原话"
)
_MINE: Final = re.compile(r"(?i)\bmy\b|我的|我们的")
_WRITTEN_TO: Final = re.compile(
    r"(?i)\s*(?:给|写给|发给|for|to)\s?.{1,12}(?:邮件|信|回复|消息|报告|\b(?:mails?|e-?mails?|letters?|replies|messages?))\s*\Z"
)
# Words on how to work, not on a text: what follows is the user's own rule.
_HOW_TO: Final = re.compile(
    r"(?i)\A\s*(?:and |also |please )?(?:when(?:ever)?|every time|each time|for (?:all |every |"
    r"any )?\w+s\b|while|in (?:all|every|any)\b)|"
    r"\b(?:like (?:this|so)|(?:this|the following|a) (?:\w+ )?(?:format|style|way|template|tone|"
    r"order|structure|pattern|schema|rules?))\Z|"
    r"(?:的时候|时|格式|风格|语气|方式|模板|顺序|写法|注意|规则|规范|标准)(?:如下|是|为)?\s*\Z"
)
_DEICTIC: Final = re.compile(
    r"(?i)\b(?:here(?:'s|s| is| are| comes)|below|following|past(?:e|ing|ed)|copied|copying|"
    r"attached|attaching|forward(?:ing|ed)?|this|these|next|quote|quoting|verbatim)\b|"
    r"下面|以下|如下|贴|附|转发|转一|转给|[这那]|下一|原话|发来|发给|发的"
)
_ATTRIBUTION: Final = re.compile(
    r"(?i)(?:\b(?!i\b|we\b)(?:he|she|they|who|it|[a-z]+)\s+(?:just\s+|also\s+)?(?:says?|said|"
    r"wrote|writes|told me|texted(?: me)?|sent(?: me)?(?: this)?|replied|posted|commented|"
    r"emailed(?: me)?|dm'?d me|claims?)(?:\s+(?:this|that|the following|back))?"
    r"|(?:[^我俺咱，,。]{1,8})(?:说|写道|写的是|发来|发来的|发的|发我的|回复|回复说|留言|留言说|"
    r"回我|问我|问|原话是?|原文是?)(?:的|道|了)?)\s*\Z"
)
_ERRORS: Final = re.compile(
    r"(?i)(?:\b(?:errors?|logs?|traceback|output|stack ?trace)\b|报错|日志|错误信息|输出|"
    r"堆栈).{0,12}\Z"
)
_OWN: Final = re.compile(
    r"(?i)(?:\b(?:remember|note that|note|for your records|from now on|going forward|in future|"
    r"always|never|keep in mind|my (?:own )?(?:\w+ ){0,2}(?:rules?|requirements?|preferences?|"
    r"constraints?|setup|stack|details|background|"
    r"situation|plans?|schedule|context|needs?|wishes|settings?|conditions?|allergies|goals?|"
    r"instructions?|habits?|defaults?|terms|position|view|take|answer)(?: (?:is|"
    r"are))?)\b[^:：]{0,40}|"
    r"(?:记住|记下|记好|记一下|记着|记得|请记|你记|以后|今后|从现在起|往后|一律|长期)[^:：]{0,24}|"
    r"(?:(?:我|我们|咱们?)(?:自己|这边|家|个人|本人|组|团队)?的?|"
    r"\A)(?:[^他她其客甲乙老的这那]{0,8})(?:要求|偏好|习惯|规则|规矩|需求|背景|情况|想法|计划|安排|"
    r"原则|设置|约定|信息|限制|条件|禁忌|目标|标准|原因|理由|选择|底线|诉求)(?:是|有|如下|"
    r"就是|大概)?[^:：]{0,4})\Z"
)
_COLON: Final = re.compile(r"[:：](?!//|\d\d\b)\s*")
_SENTENCE_BREAK: Final = re.compile(r"[。！？!?；;]|\.\s")
_BARE_END: Final = re.compile(
    r"(?i)(?:\b(?:below|as follows|following|pasted|attached|here goes)|如下|在下面|见下|附后|"
    r"贴在下面|贴给你)[\s.。，,!！)）~]*\Z"
)
_HEAD_SCOPE: Final = 160
_CLOSING_MARKS: Final = {"“": "”", "‘": "’", "「": "」", "『": "』", '"': '"', "'": "'"}


def announced_blocks(text: str, lines: list[Line]) -> Iterator[Bounds]:
    """What each lead-in of *text* announces: the rest of its line, the block after it, or both."""
    at = 0
    while at < len(lines):
        found = None if lines[at].blank else _announced_at(text, lines, at)
        if found is None:
            at += 1
            continue
        start, end, at = found
        yield start, end


def _announced_at(text: str, lines: list[Line], at: int) -> tuple[int, int, int] | None:
    """Start and end of the text announced in line *at*, and the line to go on from."""
    line = lines[at]
    scope = text[line.start : min(line.end, line.start + HEAD_CHARACTERS_MAX)]
    for colon in _COLON.finditer(scope):
        if not announces(_last_sentence(scope[: colon.start()])):
            continue
        start = line.start + colon.end()
        if start >= line.end:
            return _following_block(lines, at)
        quoted = _quoted_end(text, start, line.end)
        if quoted is not None:
            return start, quoted, at + 1
        last = _inline_end(lines, at)
        return start, lines[last - 1].end, last
    return _following_block(lines, at) if _announces_without_colon(lines, at, scope) else None


def _following_block(lines: list[Line], at: int) -> tuple[int, int, int] | None:
    if at + 1 >= len(lines):
        return None
    last = announced_end(lines, at + 1)
    return lines[at + 1].start, lines[last - 1].end, last


def _quoted_end(text: str, start: int, line_end: int) -> int | None:
    """Where the quotation ends that begins at *start*; the user goes on after it."""
    closing = _CLOSING_MARKS.get(text[start])
    end = -1 if closing is None else text.find(closing, start + 1, line_end)
    return None if end < 0 else end + 1


def announces(head: str) -> bool:
    """Whether *head*, the words before a colon, hands over a text that is not the user's own words."""
    if (_SURE_NOUN.search(head) or _READS.search(head)) and not _MINE.search(head):
        return True
    if _WRITTEN_TO.match(head):
        return False
    others = _OTHERS.search(head) is not None
    if not others and (_OWN.search(head) or _HOW_TO.search(head)):
        return False
    if _HANDS_OVER.search(head):
        return True
    if others and (_OTHERS_NOUN.search(head) or _TEXT_NOUN.search(head)):
        return True
    if _ATTRIBUTION.search(head) or _ERRORS.search(head):
        return True
    deictic, noun, task = _DEICTIC.search(head), _TEXT_NOUN.search(head), _TASK.search(head)
    return bool((deictic and noun) or (task and (deictic or noun)) or (task and task.end() >= len(head) - 24))


def _last_sentence(head: str) -> str:
    """The sentence the colon stands in, with the one before it when that is all it leans on."""
    window = head[-_HEAD_SCOPE:]
    breaks = [mark.end() for mark in _SENTENCE_BREAK.finditer(window)]
    return window[breaks[-1] :] if breaks else window


def _inline_end(lines: list[Line], at: int) -> int:
    """A text that starts on the lead-in's own line runs to the end of its paragraph at most."""
    end = at + 1
    while end < len(lines) and not lines[end].blank and not returns_weakly(lines[end]):
        end += 1
    return end


def _announces_without_colon(lines: list[Line], at: int, scope: str) -> bool:
    if at + 1 >= len(lines):
        return False
    if _BARE_END.search(scope):
        return not _OWN.search(_last_sentence(scope))
    following = lines[at + 1]
    if opens_letter(following) and _TASK.search(scope):
        return True
    if not following.blank or at + 2 >= len(lines):
        return False
    asks = bool(_TASK.search(scope) and _DEICTIC.search(scope) and _TEXT_NOUN.search(scope))
    return asks and not returns_weakly(lines[at + 2])
