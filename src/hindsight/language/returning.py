"""Where the user's own voice returns after something pasted.

A paste has no end mark. What ends it is a paragraph that speaks to the assistant or about the paste.
Strong words do so anywhere; weak ones ("also", 另外) are as common inside mails as after them and
count only where the paste has visibly closed or was announced by a lead-in.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.lines import Line

_STRONG: Final = re.compile(
    r"""(?ix)(?:
    (?:ok(?:ay)?|so|right|now|well|anyway|anyhow|thanks?|and|but)?[,.\s]*(?:
      my\s+own|my\s+(?:take|view|thoughts?|opinion|question|answer|preference)\b|i\s+myself\b
        |(?:me\s+)?personally\b
      |as\s+for\s+me|in\s+my\s+case|for\s+what\s+it'?s\s+worth|fwiw\b|for\s+my\s+part
      |(?:that|this|those|these|it)(?:'s|\s+(?:is|was|are|were|came|comes))\s+(?:from|what|the
        |all|my|how|where|by|not)
      |(?:that|this|the|those|these)\s+(?:comment|e?mail|message|text|log|paste|article|review
        |post|one|snippet|code|file|config)s?\b.{0,30}\b(?:is|was|are|were|isn't|does|did|looks?)\b
      |the\s+above|(?:all\s+)?that\s+(?:above|was)|end\s+(?:of\s+)?(?:quote|paste|email|text)
      |(?:can|could|would|will)\s+you\b|do\s+you\s+(?:think|see|know)|what\s+(?:do|should|would
        |could|can)\s+(?:you|i|we)\b
      |how\s+(?:do|should|would|can)\s+i\b|(?:please\s+)?(?:plot|translate|summari[sz]e|rewrite
        |proofread|polish|explain|analy[sz]e|tell\s+me|give\s+me|help\s+me|make\s+(?:it|this|that)
        |draft|turn\s+(?:it|this|that))\b
      |(?:i|i'd)\s+(?:want|need|would\s+like|like)\s+you\s+to\b|what\s+i\s+(?:want|need)\b
        |back\s+to\s+(?:me|us|my)\b
    )
    |(?:好[，,的]?|嗯[，,]?|那(?:么)?[，,]?|所以[，,]?)?(?:
      以上|上面(?:这|那|的|是|几|都)|上述|(?:这|那)(?:是|些|段|封|份|篇|条|几|个
        |里)[^，,。]{0,12}(?:是|发|写|怎么|什么|帮|看|里|中|吗)
      |我(?:自己|本人|个人)|(?:至于|轮到)我|我(?:的)?(?:看法|意见|想法|观点|建议|疑问|问题)(?:是|[:：，,])
      |(?:请|麻烦)?你(?:帮|看|觉得|说|给我|能|来|先)|帮我|帮忙|请帮|麻烦帮
      |(?:总结|翻译|润色|概括|提炼|改写|分析|压缩)(?:一下|成|这|上)|怎么(?:回|办|改|看)|该怎么
      |(?:引用|原文|邮件|转发|粘贴)(?:到此|完|结束|就这)|贴完|就这些|我(?:想让你|要你|希望你)
    ))"""
)
_WEAK: Final = re.compile(
    r"(?i)(?:also|btw|by the way|anyway|p\.?s\.?\b|one more thing|unrelated|separately|other than "
    r"that|oh[, ]|and (?:please|from|in)|"
    r"in any|from now on|going forward|in (?:general|future)|please|why|what|how|is|are|does|did|"
    r"where|which|i |i'|my |we )|"
    r"(?:另外|对了|顺便|还有|哦|补充|此外|除此|以后|今后|从现在|请|为什么|怎么|哪|我)"
)
# Inside a paragraph only as the very last line: a paste may say "also", but it rarely ends with it.
_AFTERTHOUGHT: Final = re.compile(
    r"(?i)(?:also|btw|by the way|p\.?s\.?|oh and|one more thing|from now on)[,:\s]\s*(?:please |from now on,? )?"
    r"(?:i|i'm|my|we|use|always|never)\b|(?:另外|对了|顺便|还有|以后)[，,：:]?(?:请|我|你|都|用|以后)"
)
_CLOSING: Final = re.compile(
    r"(?i)(?:(?:kind |best |warm )?(?:regards|wishes)|best|cheers|sincerely|yours (?:sincerely|"
    r"truly|faithfully)|thanks|many thanks|sent from my .{1,30})[,.!]?\Z"
    r"|[-—–_*=]{3,}(?:\s*(?:end|完|结束).{0,30})?[-—–_*=]*\Z|[-—–=*\s]{0,20}(?:end|完|结束|"
    r"以上).{0,30}[-—–=*]{2,}\Z"
    r"|(?:此致|敬礼|祝好|顺颂商祺|谨启|敬上|——?\s*此邮件).{0,30}\Z"
)

_SALUTATION: Final = re.compile(
    r"(?i)(?:dear|hi|hello|hey|to whom|good (?:morning|afternoon|evening))\b(?:.{0,40}[,:，!]|(?: \w+){0,3})\Z|"
    r"(?:尊敬的|亲爱的|各位|您好|你好|致).{0,30}[:：，,！!]\Z"
)


def returns_strongly(line: Line) -> bool:
    """Whether *line* speaks to the assistant or about the paste, wherever it stands."""
    return _STRONG.match(line.head) is not None


def returns_weakly(line: Line) -> bool:
    """Whether *line* could be the user going on; it could be the paste going on as well."""
    return _STRONG.match(line.head) is not None or _WEAK.match(line.head) is not None


def adds_afterthought(line: Line) -> bool:
    """Whether *line* turns from a paste to the user's own wishes ("Also, I prefer ...")."""
    return _AFTERTHOUGHT.match(line.head) is not None


def closes(line: Line) -> bool:
    """Whether *line* closes a letter or a block: a sign-off, a rule, an end mark."""
    return _CLOSING.match(line.head) is not None


def opens_letter(line: Line) -> bool:
    """Whether *line* greets a reader, as the first line of a letter does."""
    return _SALUTATION.match(line.head) is not None


def announced_end(lines: list[Line], first: int) -> int:
    """The line at which the user returns after a block that a lead-in announced at line *first*.

    The block has at least one paragraph. A later paragraph that could be the user's is; inside a
    paragraph only words about the paste count. Without any, the block runs to the end.
    """
    index = first
    while index < len(lines) and lines[index].blank:
        index += 1
    if index < len(lines) and opens_letter(lines[index]):
        return letter_end(lines, index)
    after_blank = False
    for at in range(index + 1, len(lines)):
        if lines[at].blank:
            after_blank = True
            continue
        if (returns_weakly if after_blank else returns_strongly)(lines[at]):
            return at
        if adds_afterthought(lines[at]) and all(line.blank for line in lines[at + 1 : at + 3]):
            return at
        after_blank = False
    return len(lines)


def letter_end(lines: list[Line], first: int) -> int:
    """The line at which the user returns after a mail whose header began at line *first*.

    A mail speaks in the first person, so only strong words at the start of a paragraph end it, or any
    words at all after its closing mark and a blank line.
    """
    closed = after_blank = False
    for at in range(first + 1, len(lines)):
        line = lines[at]
        if line.blank:
            after_blank = True
            continue
        if after_blank and (returns_strongly(line) or (closed and returns_weakly(line))):
            return at
        closed = closed or closes(line)
        after_blank = False
    return len(lines)
