"""Orders to delete words from another text, and wordings of a request that are only mentioned.

"Delete what I said from the draft" edits a draft, and a button may be labelled "Forget everything I
said". Erasing is final, so a place, a label, a quotation, a replacement or a change of subject each
suffices to leave the memory alone; a user who did mean it says it again.
"""

from __future__ import annotations

import re
from typing import Final

_PLACE: Final = re.compile(
    r"(?i)\b(?:from|in|into|on|off|out of|of|to) (?:(?:the|my|our|this|that|your|his|her|their|a|an) )?"
    r"(?:[\w-]+ )?(?:drafts?|e-?mails?|mails?|documents?|docs?|code|files?|texts?|labels?|lists?|titles?|"
    r"headings?|essays?|letters?|reports?|posts?|spreadsheets?|tables?|(?:web ?)?pages?|slides?|"
    r"paragraphs?|readme|scripts?|templates?|articles?|contracts?|captions?|minutes)\b|"
    r"\bmessages? to (?!you\b)\w|"
    r"(?:从|在|往)[^，,。\n]{0,10}(?:稿子?|邮件|文档|代码|文件|文本|列表|清单|标题|正文|标签|简历|报告|"
    r"表格|论文|作文|合同|页面|幻灯片|文章)|"
    r"(?:稿子?|邮件|文档|代码|文件|文本|列表|清单|标题|正文|标签|简历|报告|表格|论文|作文|合同|页面|"
    r"幻灯片|文章)(?:里|中|上|内|的(?:第|最后|开头|结尾))"
)
_TAKEN_FROM: Final = re.compile(
    r"(?i)\b(?:from|out of|off) (?:the|my|our|this|that|your) (?:drafts?|e-?mails?|mail|documents?|docs?|code|files?|"
    r"texts?|labels?|lists?|titles?|essays?|letters?|reports?|posts?|pages?|slides?|articles?)\b"
)
# What a topic names after these is no place: "what I said about the mail from the bank".
_TOPIC_START: Final = re.compile(r"(?i)\b(?:about|regarding|concerning)\b|关于|有关")
_MENTION: Final = re.compile(
    r"(?:怎么|如何|咋)(?:翻译|说|写|读|讲|表达|翻)|翻译|译成|什么意思|啥意思|(?:英文|英语|中文|日语)(?:怎么|是)|"
    r"(?i:\btranslat\w+|\bhow (?:do|would|can) (?:you|i|we) (?:say|write|spell)|\bin (?:french|german|"
    r"spanish|chinese|english|japanese)\b|\bmeans?\b)"
)
_QUOTED_ORDER: Final = re.compile(r"(?i)[\"“「『«][^\"”」』»]*(?:forget|erase|delete|remember|忘|删|记)")
_OPEN_QUOTE: Final = re.compile(r"[“「『«][^”」』»]*\Z")
_REPLACED: Final = re.compile(
    r"(?i)[\s,，;；]*(?:and |then |再|然后|并)?(?:换成|改成|改为|替换|换为|写成|改写|换上|replace|"
    r"(?:put|write|insert|use) .{1,40} instead|change it to)"
)
_OTHER_SUBJECT: Final = re.compile(
    r"(?i)[.。]\s*(?:what|how) about\b|[\s,，;；–—-]*(?:and |but |so )?(?:what about|how about|let'?s|let us|"
    r"i'?d rather|换个|不如|来点|咱们?聊|我们聊|聊聊)"
)
_INNER_SUBJECT: Final = re.compile(r"(?i)\b(?:said|told you|mentioned)\b.*\b(?:what|how) about\b")
_COLON: Final = re.compile(r"[:：](?!//|\d\d\b)")
_COLON_ORDER: Final = re.compile(
    r"(?i)[:：]\s*(?:(?:please|pls|just|请|麻烦|你|别|不要|把)\s*)*(?=forget|erase|delete|remove|wipe|don'?t|忘|删|记|刚才|这)"
)
_POLITE: Final = re.compile(
    r"(?i)\s*(?:(?:ok(?:ay)?|hey|please|pls|actually|also|sorry|btw|by the way|one (?:more )?(?:thing|"
    r"request)|(?:a |my )?(?:small )?request|p\.?s\.?|请|麻烦|另外|对了|还有|拜托|请求|不好意思)[\s,，]*)+\Z"
)
_ORDER: Final = re.compile(r"(?i)forget|erase|delete|remove|wipe|remember|save|store|忘|删|抹|清|擦|去掉|移除|记|存")
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|\Z)|[。！？]|\n(?=\s*\n)")
_BEFORE_CHARACTERS_MAX: Final = 400


def is_about_another_text(before: str, clause: str, following: str) -> bool:
    """Whether *clause* speaks of another text or only mentions a request, given the words around it."""
    order = _ORDER.search(clause)
    if order is None:
        return False
    topic = _TOPIC_START.search(clause)
    named = clause[: topic.start()] if topic else clause
    if _PLACE.search(named) or _TAKEN_FROM.search(clause):
        return True
    if _MENTION.search(clause) or _QUOTED_ORDER.search(clause):
        return True
    if re.match(r"\s*[?？,，]?\s*", following) and _MENTION.match(following.lstrip(" ,，")):
        return True
    if _REPLACED.match(following) or _OTHER_SUBJECT.match(following) or _INNER_SUBJECT.search(clause):
        return True
    label = _COLON_ORDER.search(clause)
    head = clause[: label.end() if label else order.start()]
    return _is_labelled(before, head)


def _is_labelled(before: str, head: str) -> bool:
    """Whether a colon or an open quotation in the same sentence introduces the order."""
    window = before[-_BEFORE_CHARACTERS_MAX:]
    ends = [mark.end() for mark in _SENTENCE_END.finditer(window)]
    sentence = (window[ends[-1] :] if ends else window) + head
    if _OPEN_QUOTE.search(sentence):
        return True
    colons = list(_COLON.finditer(sentence))
    return any(not _POLITE.match(sentence[: colon.start()]) for colon in colons)
