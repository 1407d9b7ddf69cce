"""Other people talking inside a user's turn: chat logs, transcripts, subtitles, comments and mails.

What gives them away is the shape of the line that names the speaker. A name alone before a colon is
also how people write their own notes ("Stack: Go"), so a lone label counts only where it is a role
of a model conversation; other names need company that talks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight.language.lines import Bounds, Line
from hindsight.language.returning import letter_end

_CLOCK: Final = r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAY: Final = (
    r"(?:\d{4}[-/.年])?\d{1,2}[-/.月]\d{1,2}日?(?:[/.]\d{2,4})?|昨天|前天|今天|(?:周|星期)[一二三四五六日天]|"
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Yesterday|Today)\w*"
)
_STAMP: Final = rf"(?:(?:{_DAY})[\s,，]*)?(?:[上下早晚中]午\s?)?{_CLOCK}"

_ROLE: Final = re.compile(
    r"(?i)[\s#*>\[【(（<-]{0,6}(?:user|assistant|human|ai|system|developer|tool|bot|chatgpt|gpt|"
    r"claude|用户|助手|助理|系统|人类|机器人|智能体)"
    r"(?:\s?(?:message|prompt|消息|提示|指令|通知))?[\s\]】)）>*]{0,6}[:：]"
)
_ROLE_TITLE: Final = re.compile(
    r"(?i)[\[【(（<]{1,2}(?:system|memor(?:y|ies)|assistant|user|admin|developer|tool|系统|记忆|助手|管理员)[^\]】)）>\n]{0,30}[\]】)）>]{1,2}\s*\S"
)
_TALKER: Final = re.compile(
    r"(?i)[\s\[(*【]{0,3}(?:interviewer|interviewee|host|guest|speaker\s?\d*|customer|client|"
    r"agent|caller|moderator|narrator|patient|doctor|q|a|"
    r"问|答|主持人|嘉宾|记者|受访者|客服|客户|买家|卖家|顾客|医生|患者|旁白|说话人\s?\d*|"
    r"发言人\s?\d*)[\])*】]{0,3}(?:\s?[(\[（]?" + _STAMP + r"[)\]）]?)?\s?[:：]"
)
_INLINE_TALKER: Final = re.compile(
    r"(?:(?<=[.!?:。！？：,，]\s)|(?<=[。！？：]))(?:INTERVIEWER|INTERVIEWEE|GUEST|HOST|SPEAKER "
    r"?\d?|CUSTOMER|CLIENT|AGENT|CALLER|MODERATOR|NARRATOR|PATIENT|DOCTOR|USER|SYSTEM|"
    r"ASSISTANT)\s?[:：]"
)
# "Name time: words", "[time] name: words", "Name (time)".
_STAMPED: Final = re.compile(
    rf"(?:[\[(（【]?{_STAMP}[\])）】]?[\s,，-]*[^\s:：\[\]][^:：\n]{{0,30}}[:：]|"
    rf"[^\s:：。！？!?][^:：。！？!?\n]{{0,30}}?[\s,，(（\[]{{1,2}}{_STAMP}[)）\]]?\s*[:：>]"
    rf"|[\[(（【]{_STAMP}[\])）】]\s*\S)"
)
_STAMP_HEADER: Final = re.compile(
    rf"[^\s:：。！？!?][^:：。！？!?\n]{{0,40}}?[\s,，(（\[]{{1,3}}{_STAMP}[)）\]]?\Z|"
    rf"[\[(（]?{_STAMP}[\])）]?\s+[^\s:：。！？!?，,]{{1,24}}\Z"
)
_POSTED: Final = re.compile(
    r"(?i)(?:\S.{0,50}\s(?:commented|wrote|posted|replied|said|answered|reviewed|"
    r"asked)(?:\s.{0,40})?(?:ago|yesterday|today|:|on .{3,30}|\d{4})\s*:?\Z"
    r"|on .{4,60},? .{1,60} wrote:\Z|posted by .{1,50}\Z|.{1,40}(?:写道|发表于|评论于|回复于|"
    r"回复了|发布于).{0,40}\Z|@?[\w-]{2,30}\s·\s.{2,20}\Z|(?:#?\d{1,4}\s?(?:楼|F)|楼主|"
    r"沙发)(?:\s.{0,30})?\Z)"
)
# A time in brackets and a bare name: the words follow on the next line.
_BRACKET_HEADER: Final = re.compile(
    rf"[\[(（【]{_STAMP}[\])）】]\s*[^\s:：，,。.!?]{{1,20}}(?:\s[^\s:：，,。.!?]{{1,20}})?\Z"
)
_TIMECODE: Final = re.compile(r"\[?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?\]?\s*-{1,2}>")
_NAMED: Final = re.compile(
    r"[*\-•\s]{0,4}@?([^\W\d_][\w "
    r".·'-]{0,22})(?:\s?[(（][^()（）]{1,20}[)）])?\*{0,2}[:：](?!//)\s?(?=\S)(.{0,200})"
)
# Labels of notes, forms and letters; nobody is called that.
_NOT_NAMES: Final = re.compile(
    r"(?i)(?:name|role|job|title|stack|note|notes?|todo|p\.?s|n\.?b|rule|rules|goal|context|"
    r"background|task|requirements?|format|style|tone|language|output|input|example|email|phone|"
    r"address|age|city|location|"
    r"budget|deadline|date|time|where|when|who|what|why|how|pros|cons|option \w+|step \w+|day \w+|"
    r"first|second|third|fyi|reminder|summary|question|answer|problem|fix|update|important|"
    r"warning|preferences?|default|version|status|type|"
    r"姓名|名字|职业|角色|背景|任务|要求|需求|格式|风格|语气|语言|输出|输入|示例|例子|邮箱|电话|"
    r"地址|年龄|城市|预算|时间|日期|地点|备注|注意|说明|目标|问题|答案|总结|重要|规则|偏好|默认|"
    r"版本|状态|类型|第.{1,3}|其[一二三四]|步骤.{0,2}|方案.{0,2}|优点|缺点|补充|另外|对了|结论|"
    r"原因|比如|例如|以后|记住|周.|星期.|早餐|午餐|晚餐|上午|下午|晚上)\Z"
)
_TALK: Final = re.compile(
    r"(?i)[?？]|\b(?:i|i'm|i'll|i've|me|my|you|your|we|ok|yes|no|yeah|thanks|hi|hey|please|lol|"
    r"haha|\+1)\b|[我你您咱俺]|好的|行|嗯|哈哈|谢|收到|可以|来了|同意"
)
_MAIL_FIELD: Final = re.compile(
    r"(?i)[>\s*]{0,4}(?:from|to|cc|bcc|subject|date|sent|reply-to|发件人|发送人|寄件人|收件人|"
    r"抄送|密送|主题|标题|日期|时间|发送时间|发信人|收信人|正文)\*{0,2}\s?[:：]"
)
_MAIL_SURE: Final = re.compile(r"(?i)[>\s*]{0,4}(?:from|subject|发件人|发送人|寄件人|发信人|主题)\*{0,2}\s?[:：]\s?\S")
_FORWARD: Final = re.compile(
    r"(?i)[\s>]{0,4}(?:[-—_=*]{2,}\s*(?:begin\s+)?(?:forwarded|original|转发|原始|原邮件|"
    r"转发的)[^-—_=]{0,40}[-—_=*]{2,}|begin forwarded message:?|(?:fwd|fw|转发)\s?[:：])"
)
_BARE_NAME_MAX: Final = 24
_CHAT_GAP_LINES_MAX: Final = 6


def talk_blocks(lines: list[Line]) -> Iterator[Bounds]:
    """Every stretch of *lines* in which someone other than the user speaks. Spans may overlap."""
    yield from _mails(lines)
    yield from _roles(lines)
    yield from _stamped(lines)
    yield from _named(lines)


def _mails(lines: list[Line]) -> Iterator[Bounds]:
    """A forward mark, or two header fields in a row of which one is unmistakable, opens a mail."""
    at = 0
    while at < len(lines):
        if _FORWARD.match(lines[at].head) or _is_mail_header(lines, at):
            end = letter_end(lines, at)
            yield lines[at].start, lines[end - 1].end
            at = end
        else:
            at += 1


def _is_mail_header(lines: list[Line], at: int) -> bool:
    if not _MAIL_FIELD.match(lines[at].head):
        return False
    fields = lines[at : at + 3]
    matching = [line for line in fields if _MAIL_FIELD.match(line.head)]
    return len(matching) >= 2 and any(_MAIL_SURE.match(line.head) for line in matching)


def _roles(lines: list[Line]) -> Iterator[Bounds]:
    """Lines that claim a role of the conversation; each runs on until a blank line."""
    ends = _paragraph_ends(lines)
    for index, line in enumerate(lines):
        if _ROLE.match(line.head) or _ROLE_TITLE.match(line.head) or _TALKER.match(line.head):
            yield line.start, lines[ends[index] - 1].end
        elif (inline := _INLINE_TALKER.search(line.head)) is not None:
            # The head is stripped, so this may begin a few blanks early; it is never late.
            yield line.start + inline.start(), line.end


def _paragraph_ends(lines: list[Line]) -> list[int]:
    """For every line the next blank one after it, or the number of lines."""
    ends = [len(lines)] * len(lines)
    for index in range(len(lines) - 2, -1, -1):
        ends[index] = index + 1 if lines[index + 1].blank else ends[index + 1]
    return ends


def _stamped(lines: list[Line]) -> Iterator[Bounds]:
    """Messages with a time, comments with a poster, subtitle cues: from each header to the next."""
    previous: int | None = None
    ends = _paragraph_ends(lines)
    headers = [index for index, line in enumerate(lines) if _is_header(lines, index, line)]
    for index in headers:
        if previous is not None and index - previous <= _CHAT_GAP_LINES_MAX:
            yield lines[previous].start, lines[index].end
        last = ends[index]
        if _STAMPED.match(lines[index].head) and not _TIMECODE.match(lines[index].head):
            # The words stand on the header's own line; a longer message goes on only between headers.
            last = ends[index] if _BRACKET_HEADER.match(lines[index].head) else index + 1
        elif last == index + 1 and index + 1 < len(lines) and lines[index + 1].blank:
            last = ends[min(index + 2, len(lines) - 1)]
        yield lines[index].start, lines[last - 1].end
        previous = index


def _is_header(lines: list[Line], index: int, line: Line) -> bool:
    head = line.head
    if _TIMECODE.match(head):
        return True
    if _STAMPED.match(head) and not re.match(r"[\d:： -]{1,12}[:：]?\s*\Z", head):
        return not _is_own_schedule(head)
    follows = index + 1 < len(lines) and not lines[index + 1].blank
    return follows and (_STAMP_HEADER.match(head) is not None or _POSTED.match(head) is not None)


_APPOINTMENT: Final = re.compile(
    rf"(?i).{{0,30}}(?:\b(?:at|by|from|until|till|around|before|after|to)|[于在到从约])\s?{_STAMP}"
)


def _is_own_schedule(head: str) -> bool:
    """ "I get up at 6:30: ..." and "我 7:30：" are the user's day, not someone's message."""
    return (
        re.match(
            r"(?i)(?:i|we|my|our|every|at|around|from|until|remember)\b|(?:我|我们|每|早上|晚上|下午|上午|中午|"
            r"大概|从|到)",
            head,
        )
        or _APPOINTMENT.match(head)
    ) is not None


def _named(lines: list[Line]) -> Iterator[Bounds]:
    """Two or more lines that begin with names and talk to each other."""
    run: list[int] = []
    for index, line in enumerate(lines):
        match = _NAMED.match(line.head)
        if match and len(match[1]) <= _BARE_NAME_MAX and not _NOT_NAMES.match(match[1].strip()):
            if run and index - run[-1] > 3:
                yield from _conversation(lines, run)
                run = []
            run.append(index)
    yield from _conversation(lines, run)


def _conversation(lines: list[Line], run: list[int]) -> Iterator[Bounds]:
    if len(run) < 2:
        return
    matches = [match for index in run if (match := _NAMED.match(lines[index].head))]
    talking = sum(1 for match in matches if _TALK.search(match[2]))
    names = {match[1].strip().lower() for match in matches}
    if len(names) < 2 and len(run) < 3:
        return
    if talking * 2 >= len(run) and talking >= 1:
        yield lines[run[0]].start, lines[run[-1]].end
