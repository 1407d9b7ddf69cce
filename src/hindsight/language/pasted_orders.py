"""A text on its own lines beside an order about it: "Can you translate this?" and then the text.

The order must be a whole sentence that asks for work on a text and names nothing else; the text must
stand on lines of its own. "What do you think of this plan?" is followed by the user's own plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight.language.lines import Bounds, Line
from hindsight.language.returning import adds_afterthought, announced_end, opens_letter, returns_strongly

_NOUN: Final = (
    r"(?:text|message|e-?mail|mail|letter|paragraph|passage|article|post|comment|review|sentence|note|bio|"
    r"essay|poem|dm|reply|thing|one|quote|excerpt)s?"
)
_THIS: Final = rf"(?:(?:this|these|the following|that|it)(?: (?:short |little )?{_NOUN})?|the {_NOUN}(?: below)?)"
_ABOVE: Final = rf"(?:(?:all )?(?:of )?the above(?: {_NOUN})?|the {_NOUN} above|(?:this|that|it)(?: {_NOUN})?)"
_ASK: Final = r"(?:(?:please|pls|hey|hi|ok|now|(?:can|could|would|will) you|help me|i need you to|kindly)[\s,]+)*"
_WORK: Final = (
    r"(?:translate|proof-?read|polish|rewrite|rephrase|paraphrase|summari[sz]e|condense|edit|correct|shorten|"
    r"check|improve|review|transcribe|reply to|respond to|answer)"
)
_TAIL: Final = (
    r"(?:[\s,]+(?:for me|please|pls|thanks|thank you|quickly|briefly|(?:in)?to [a-z]+(?: [a-z]+)?|in [a-z]+(?: "
    r"[a-z]+)?|for (?:grammar|spelling|typos|errors)))*"
)
_FIX: Final = (
    r"(?:fix|check|correct) (?:the |my |any )?(?:grammar|spelling|typos?|punctuation|mistakes|errors)"
    rf"(?: (?:in|of) {_THIS})?"
)
_GOT: Final = (
    r"(?:i|we)(?:'ve)? (?:just )?(?:got|received|found|was sent) (?:this|the following)"
    rf"(?: {_NOUN})?(?: (?:today|yesterday|this morning|just now|earlier|online|in my inbox|from .{{1,30}}))?|"
    r"(?:someone|somebody|a \w+|my \w+|they|he|she) (?:just )?(?:sent|forwarded|texted|wrote|e-?mailed) (?:me|us) "
    rf"(?:this|the following)(?: {_NOUN})?(?: today| yesterday)?"
)
_REPLY: Final = r"(?:how|what) (?:should|do|can|would) i (?:answer|reply|respond)(?: to (?:this|that|it|him|her|them))?"
_OPINION: Final = (
    rf"what do you (?:think|make) (?:of|about) (?:this|the following) {_NOUN}|what does this (?:{_NOUN} )?mean"
)
_ZH_ASK: Final = r"(?:请|麻烦|帮我|帮忙|你|能|能不能|可以|可不可以|给我|替我|把|将|再|先)*"
_ZH_THIS: Final = (
    r"(?:这|下面|以下|下面这|以下这)(?:一?[段篇封份条句个]|些|几句)?(?:的)?"
    r"(?:话|文字|内容|邮件|消息|信|文章|留言|短信)?"
)
_ZH_ABOVE: Final = (
    r"(?:上面|以上|上述|前面)(?:这|那)?(?:一?[段篇封份条句]|些)?(?:的)?(?:话|文字|内容|邮件|消息|信|文章)?"
)
_ZH_WORK: Final = (
    r"(?:翻译|译|翻|润色|改写|校对|总结|概括|缩写|修改|纠正|检查|改)(?:一?下|一改)?(?:成|为)?"
    r"(?:中文|英文|英语|日文|日语|法语|德语|西班牙语|韩语|语法|错别字)?"
)
_ZH_POLITE: Final = r"(?:一下|吧|吗|呗|谢谢|好吗|可以吗|[\s，,])*"
_BEFORE: Final = re.compile(
    rf"(?i)(?:{_ASK}(?:{_WORK} {_THIS}|{_FIX}|summari[sz]e|translate){_TAIL}|{_GOT}|{_REPLY}|{_OPINION}|"
    rf"{_ZH_ASK}(?:{_ZH_THIS})?{_ZH_WORK}(?:{_ZH_THIS})?{_ZH_POLITE}|"
    rf"(?:{_ZH_THIS})?(?:我)?(?:该|应该|要)?怎么(?:回复?|答复?)(?:他|她|好|呢|啊)*|"
    r"(?:我)?(?:今天|刚|刚刚|昨天)?(?:收到|看到)(?:了)?(?:这|一)(?:[个条封段份]|些)?(?:消息|邮件|信|短信|留言)?|"
    r"(?:有人|朋友|同事|客户)(?:给我)?发(?:给我|来)?(?:了)?(?:这|一)(?:[个条封段份]|些)?(?:消息|邮件|信|短信)?|"
    rf"你?(?:觉得|怎么看){_ZH_THIS}(?:怎么样|如何)?)\Z"
)
_AFTER: Final = re.compile(
    rf"(?i)(?:{_ASK}(?:{_WORK} {_ABOVE}|{_FIX}|(?:summari[sz]e|translate|proofread|rephrase|polish)){_TAIL}|"
    rf"{_ZH_ASK}(?:{_ZH_ABOVE}|{_ZH_THIS})?{_ZH_WORK}(?:{_ZH_ABOVE})?{_ZH_POLITE})\Z"
)
_POINTING: Final = re.compile(r"(?i)\b(?:this|these|following|that|it|below)\b|[这下]")
# After a bare "translate" these open the user's own rule; a text that is pointed at may say them too.
_STANDING: Final = re.compile(
    r"(?i)(?:from now on|going forward|in future|always|never|remember)\b|以后|今后|从现在|记住|一律"
)
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[。！？]")
_MARKS: Final = " \t.!?。！？…:："
# An order is short; a longer line says more than the order.
_ORDER_CHARACTERS_MAX: Final = 160


def ordered_blocks(text: str, lines: list[Line]) -> Iterator[Bounds]:
    """The blocks of *text* that an order in the line before or after them is about."""
    last = max((index for index, line in enumerate(lines) if not line.blank), default=0)
    at = 0
    while at < last:
        orders = _orders(_BEFORE, text, lines[at], from_end=True)
        if not orders or not _holds_text(lines, at + 1, pointed=_POINTING.search(lines[at].head) is not None):
            at += 1
            continue
        end = min(announced_end(lines, at + 1), last + 1)
        yield lines[at + 1].start, lines[end - 1].end
        at = max(end, at + 1)
    if last > 0 and _orders(_AFTER, text, lines[last], from_end=False):
        first = _block_start(lines, last)
        if first is not None:
            yield lines[first].start, lines[last - 1].end


def _orders(pattern: re.Pattern[str], text: str, line: Line, *, from_end: bool) -> bool:
    """Whether the sentence of *line* that is nearest to the block is an order about a text."""
    if line.blank or line.end - line.start > _ORDER_CHARACTERS_MAX:
        return False
    words = text[line.start : line.end].strip(_MARKS)
    ends = list(_SENTENCE_END.finditer(words))
    if ends:
        words = words[ends[-1].end() :] if from_end else words[: ends[0].start()]
    return pattern.match(words.strip(_MARKS).replace("’", "'")) is not None


def _holds_text(lines: list[Line], first: int, *, pointed: bool) -> bool:
    """Whether the paragraph at *first* is a text and not the user going on."""
    while first < len(lines) and lines[first].blank:
        first += 1
    if first >= len(lines) or returns_strongly(lines[first]) or adds_afterthought(lines[first]):
        return False
    return pointed or _STANDING.match(lines[first].head) is None


def _block_start(lines: list[Line], order: int) -> int | None:
    """The first line of the paragraph before line *order*, or of the letter that ends there."""
    at = order - 1
    while at >= 0 and lines[at].blank:
        at -= 1
    if at < 0:
        return None
    while at > 0 and not lines[at - 1].blank:
        at -= 1
    letters = [index for index in range(at + 1) if opens_letter(lines[index])]
    return letters[-1] if letters else at
