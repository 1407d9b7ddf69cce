"""Quoted words inside a sentence: a name stays the user's, a statement is somebody's.

Length and inner sentence marks tell them apart. A short quote with a first person in it is speech
too ("I can't eat nuts"), except where it is the wording the user asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hindsight.language.lines import Bounds

_PAIRS: Final = {"“": "”", "「": "」", "『": "』", "«": "»", "„": "“", "‘": "’"}
_OPENING: Final = re.compile('[“「『«„‘"]')
# A name or a motto stays below these; measured on neither corpus but on what titles run to.
_NAME_HAN_MAX: Final = 18
_NAME_WORDS_MAX: Final = 9
_QUOTE_CHARACTERS_MAX: Final = 20_000
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_INNER_END: Final = re.compile(r"[。！？!?；;]\s*\S|(?<=\w\w)\.\s+\S")
_LAST_END: Final = re.compile(r"[。！？!?]\s*\Z|(?<!\.)\.\s*\Z")
_FIRST_PERSON: Final = re.compile(
    r"(?i)(?:\A|[\s,;])(?:i|i'm|i've|i'll|i'd|we|we're|we've)\s+\w+|\bmy\s+\w+\s+\w+|"
    r"我(?!的\S{0,4}\Z|们?\Z)[^」”\"]{3,}|(?:咱|俺|本人)\S{3,}"
)
_MEANT_AS_WORDING: Final = re.compile(
    r"(?i)(?:called|named|call (?:it|me|them)|titled?|sign(?:ed)?|close|end|open|start|begin|"
    r"greet|say|write|use|using|word|phrase|form|label|tag|motto|slogan|prefix|suffix|key|button|"
    r"command|with|as|than|never|叫做?|名为|称|署名|落款|写成?|译成|译为|用|说成|口号|格式|开头|"
    r"结尾|标题|前缀|后缀|按钮|命令|为)[\s:：的是]{0,3}\Z"
)
_ABOUT_TEXT: Final = re.compile(
    r"(?i)translat|proofread|polish|rephrase|rewrite|repl(?:y|ies)|翻译|译成|润色|改写|回复|转述"
)


def foreign_quotations(text: str) -> Iterator[Bounds]:
    """Quotations in *text* that are statements. Marks are part of the span."""
    position = 0
    paragraph_end = -1
    while (opening := _OPENING.search(text, position)) is not None:
        start = opening.start()
        if start >= paragraph_end:
            paragraph_end = text.find("\n\n", start)
            paragraph_end = len(text) if paragraph_end < 0 else paragraph_end
        end = _closing(text, start, paragraph_end)
        if end is None:
            position = start + 1
            continue
        if _is_statement(text, start, end):
            yield start, end
        position = end


def _closing(text: str, start: int, paragraph_end: int) -> int | None:
    """The end of the quotation that opens at *start*, or None where the mark opens nothing."""
    mark = text[start]
    if mark == '"':
        if start > 0 and (text[start - 1].isdigit() or (text[start - 1].isalpha() and text[start - 1].isascii())):
            return None
        # A straight mark pairs within its paragraph only; a forgotten one must not swallow the turn.
        end = text.find('"', start + 1, min(paragraph_end, start + _QUOTE_CHARACTERS_MAX))
    else:
        end = text.find(_PAIRS[mark], start + 1, start + _QUOTE_CHARACTERS_MAX)
    return None if end < 0 else end + 1


def _is_statement(text: str, start: int, end: int) -> bool:
    content = text[start + 1 : end - 1].strip()
    if not content:
        return False
    han = len(_HAN.findall(content[:2000]))
    words = len(content[:2000].split())
    long = han > _NAME_HAN_MAX or words > _NAME_WORDS_MAX or "\n" in content
    if long or _INNER_END.search(content):
        return True
    before = text[max(0, start - 24) : start]
    if _MEANT_AS_WORDING.search(before) and not _ABOUT_TEXT.search(text[max(0, start - 60) : start]):
        return False
    if _FIRST_PERSON.search(content):
        return True
    return _LAST_END.search(content) is not None and (han > 8 or words > 5)
