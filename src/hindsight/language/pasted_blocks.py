"""Pasted blocks that carry their own marks: fences, tags, brackets, tables, data, logs and code.

The marks are found by single passes over the text (a stack for tags and braces), never by a pattern
that spans lines: `^>.*$` under DOTALL once swallowed the rest of the turn, and lazy multi-line
patterns turn quadratic on hostile input.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from hindsight.language.lines import Bounds, Line
from hindsight.language.returning import announced_end

_FENCE: Final = re.compile(r"(`{3,}|~{3,})")
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,600})?(/?)>|<!--|-->")
# Tags that dress words up; they are the user's own formatting, not a block of someone else's.
_INLINE_TAGS: Final = frozenset("b i u s em strong code kbd sub sup br a span mark small del ins hr".split())
# Names that frame a message for a model: such a tag needs no partner to be a forgery.
_FRAME_TAG: Final = re.compile(
    r"(?i)(?:system|user|assistant|human|tool|memor|recall|context|instruction|prompt|document|"
    r"admin|developer|im_)"
)
_DOUBLE_ANGLE: Final = re.compile(r"<<\s*(/?)\s*([A-Za-z][\w .:-]{0,60}?)\s*>>")
_TEMPLATE_MARK: Final = re.compile(r"<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>")
_BRACKET_LINE: Final = re.compile(
    r"(?:【([^【】]{1,80})】|\[{1,2}([^\[\]]{1,80})\]{1,2}|[（(]([^（()）]{1,80})[)）]|"
    r"[=*#~—-]{3,}\s*([^=*#~—-][^=*#~]{0,80}?)\s*[=*#~—-]{2,})\Z"
)
_END_WORD: Final = re.compile(r"(?i)(?:^\s*/|\bend\b|结束|完毕|(?<!未)完\s*$|到此|以上)")
_LABELLED: Final = re.compile(r"[\[【（(]([^\[\]【】（）()\n]{12,4000})[\]】）)]")
_RECALL_WORD: Final = re.compile(r"(?i)(?:memor(?:y|ies)\b|recalled|记忆|system|系统)[^:：]{0,20}[:：]")
_SENDER_LINE: Final = re.compile(
    r"【[^【】]{1,16}(?:中心|银行|公司|平台|快递|速递|物业|通知|商城|系统|官方|科技|客服|速运|物流|电商|超市|酒店|航空|移动|联通|电信|淘宝|京东|美团|微信|支付宝|医院|"
    r"学校|驿站|政务|税务|社保|公安)】\S"
)
_QUOTE_LINE: Final = re.compile(r"(?:>|＞|»)(?![.=_(])")
_RELAY_LINE: Final = re.compile(r"<[@+~&%]?[\w-]{1,24}>\s+\S")
_TABLE_LINE: Final = re.compile(r"\|.*\|.*\Z|[^|]{1,80}\|[^|]{1,80}\|[^|]{0,80}")
_DATA_LINE: Final = re.compile(r"[^,;\t\s，。！？][^,;\t，。！？]{0,40}(?:[,;\t][^,;\t，。！？]{0,40}){1,40}\Z")
_BLOB_CHARACTERS_MIN: Final = 80
_BLOB: Final = re.compile(rf"(?:data:[\w/+.-]{{1,60}};base64,)?[A-Za-z0-9+/_-]{{{_BLOB_CHARACTERS_MIN},}}={{0,2}}")
_BEGIN: Final = re.compile(r"(?:-{3,}\s?)?BEGIN[ :]([A-Z ]{2,30})")
_JSON_KEY: Final = re.compile(r"[\"“][\w .-]{1,60}[\"”]\s*:")
_LOG_LINE: Final = re.compile(
    r"(?:[VDIWEF]/[\w.-]{1,40}[:(]|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|"
    r"CRITICAL)\]?[\s:]|Caused by:|Traceback \(|"
    r"\s*at [\w.$<>]{3,80}\(|File \"[^\"]{1,200}\", line|(?:[\w.]{0,60}(?:Error|Exception)): |"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|npm ERR!|\$ \S|#\d+ 0x)"
)
_CODE_LINE: Final = re.compile(
    r".{0,300}[{;]\Z|[})\]]{1,4}[;,]?\Z|(?://|/\*|\*/|#include|#!|--\s|import \S|from \S+ import |"
    r"def \w+\(|class \w+|return\b.{0,200}\Z|@\w+)|(?:const|let|var|func|fn|pub|public|private|"
    r"static) \S"
)
_PATCH_LINE: Final = re.compile(r"diff --git |@@ -\d|commit [0-9a-f]{7,40}\Z")
_ASSIGNED_LINE: Final = re.compile(r"(?:export )?[A-Z][A-Z0-9_]{1,40}=\S?|\[[\w.-]{1,40}\]\Z|[a-z][\w.]{0,40} = \S")
_CODE_RUN_MIN: Final = 3
_DATA_RUN_MIN: Final = 3


def marked_blocks(text: str, lines: list[Line]) -> Iterator[Bounds]:
    """Every block of *text* whose own marks say that it was pasted. Spans may overlap."""
    yield from _fences(lines)
    paragraphs = _Paragraphs(text)
    if "<" in text or "-->" in text:
        yield from _tags(text, paragraphs)
    if "<" in text or "[" in text:
        yield from _angle_pairs(text, paragraphs)
    yield from _bracket_blocks(text, lines)
    yield from _single_lines(lines)
    yield from _runs(lines)
    yield from _json(text, paragraphs)
    if any(len(word) >= _BLOB_CHARACTERS_MIN for word in text.split()):
        for match in _BLOB.finditer(text):
            yield match.span()


def _fences(lines: list[Line]) -> Iterator[Bounds]:
    """Fenced code, also one that never closes: it runs to the end, as a renderer shows it."""
    opened: tuple[int, str] | None = None
    for line in lines:
        mark = _FENCE.match(line.head)
        if mark is None:
            if opened is None and line.head.count("```") >= 2:
                first = line.head.index("```")
                yield line.start + first, line.end
            continue
        if opened is None:
            if line.head.count(mark.group()) >= 2 and len(line.head) > 2 * len(mark.group()):
                yield line.start, line.end
            else:
                opened = (line.start, mark.group())
        elif line.head.startswith(opened[1]) and not line.head.strip(opened[1][0]).strip():
            yield opened[0], line.end
            opened = None
    if opened is not None:
        yield opened[0], lines[-1].end


def _tags(text: str, paragraphs: _Paragraphs) -> Iterator[Bounds]:
    """Elements with a partner, comments, lone self-closing tags, and frames that never close."""
    opened: dict[str, list[int]] = {}
    comment: int | None = None
    frames: list[int] = []
    for match in _TAG.finditer(text):
        if match.group() == "<!--":
            comment = match.start() if comment is None else comment
        elif match.group() == "-->":
            if comment is not None:
                yield comment, match.end()
            comment = None
        else:
            name = match[2].lower()
            if name in _INLINE_TAGS:
                continue
            if match[3]:
                yield match.span()
            elif not match[1]:
                opened.setdefault(name, []).append(match.start())
            elif opened.get(name):
                yield opened[name].pop(), match.end()
            elif _FRAME_TAG.match(name):
                yield 0, match.end()
    for name, starts in opened.items():
        if _FRAME_TAG.match(name):
            frames.extend(starts)
    if comment is not None:
        frames.append(comment)
    for start in frames:
        yield start, paragraphs.end(start)


def _angle_pairs(text: str, paragraphs: _Paragraphs) -> Iterator[Bounds]:
    opened: int | None = None
    for match in _DOUBLE_ANGLE.finditer(text):
        if not match[1]:
            opened = match.start() if opened is None else opened
        elif opened is not None:
            yield opened, match.end()
            opened = None
    if opened is not None:
        yield opened, paragraphs.end(opened)
    for match in _TEMPLATE_MARK.finditer(text):
        yield match.start(), paragraphs.end(match.start())


class _Paragraphs:
    """Where paragraphs end, found once: asking the text anew for every mark would be quadratic."""

    def __init__(self, text: str) -> None:
        self._ends = [*(match.start() for match in re.finditer("\n\n", text)), len(text)]

    def end(self, start: int) -> int:
        return self._ends[min(bisect_left(self._ends, start), len(self._ends) - 1)]


def _bracket_blocks(text: str, lines: list[Line]) -> Iterator[Bounds]:
    """A line that is one bracketed title opens a block, up to its end mark or a blank line."""
    for index, line in enumerate(lines):
        title = _BRACKET_LINE.match(line.head)
        if title is None or _END_WORD.search(title[title.lastindex or 0]):
            continue
        if index + 1 >= len(lines) or lines[index + 1].blank:
            continue
        yield line.start, _bracket_end(lines, index)
    for match in _LABELLED.finditer(text):
        if (match.group()[0] in "[【" and _speaks(match[1])) or _RECALL_WORD.search(match[1][:60]):
            yield match.span()


_BLOCK_LINES_MAX: Final = 200


def _bracket_end(lines: list[Line], first: int) -> int:
    blank: int | None = None
    for at in range(first + 1, min(len(lines), first + _BLOCK_LINES_MAX)):
        title = _BRACKET_LINE.match(lines[at].head)
        if title is not None:
            if _END_WORD.search(title[title.lastindex or 0]):
                return lines[at].end
            break
        if lines[at].blank and blank is None:
            blank = at
    last = blank if blank is not None else min(len(lines), first + _BLOCK_LINES_MAX)
    return lines[last - 1].end


def _speaks(content: str) -> bool:
    """Whether bracketed words are a statement and not a name."""
    return re.search(r"[。！？!?;；]|[.](?:\s|\Z)|[:：]\s?\S{4}", content) is not None


def _single_lines(lines: list[Line]) -> Iterator[Bounds]:
    for line in lines:
        if _QUOTE_LINE.match(line.head) or _SENDER_LINE.match(line.head):
            yield line.start, line.end


def _runs(lines: list[Line]) -> Iterator[Bounds]:
    """Neighbouring lines that are rows of a table, records, log lines or code."""
    yield from _run(lines, _TABLE_LINE, 2)
    yield from _log_runs(lines)
    yield from _run(lines, _ASSIGNED_LINE, _CODE_RUN_MIN)
    patch = next((index for index, line in enumerate(lines) if _PATCH_LINE.match(line.head)), None)
    if patch is not None:
        yield lines[patch].start, lines[announced_end(lines, patch) - 1].end
    yield from _run(lines, _RELAY_LINE, 2)
    yield from _run(lines, _CODE_LINE, _CODE_RUN_MIN)
    for start, end, count in _matching_runs(lines, _DATA_LINE):
        rows = [line.head for line in lines[start:end]]
        separators = {max(row.count(mark) for mark in ",;\t") for row in rows}
        if count >= _DATA_RUN_MIN and len(separators) == 1:
            yield lines[start].start, lines[end - 1].end
    stack: dict[str, int] = {}
    for line in lines:
        begin = _BEGIN.match(line.head)
        if begin is not None:
            stack.setdefault(begin[1].strip(), line.start)
        elif "END" in line.head[:20]:
            name = line.head.strip("- ").removeprefix("END").strip(": -")
            if name in stack:
                yield stack.pop(name), line.end
    for start in stack.values():
        yield start, lines[-1].end


def _run(lines: list[Line], pattern: re.Pattern[str], least: int) -> Iterator[Bounds]:
    for start, end, count in _matching_runs(lines, pattern):
        if count >= least:
            yield lines[start].start, lines[end - 1].end


def _log_runs(lines: list[Line]) -> Iterator[Bounds]:
    """Log lines, with the single line of code that a traceback shows between two of them."""
    previous: int | None = None
    for index, line in enumerate(lines):
        if line.blank or not _LOG_LINE.match(line.head):
            continue
        first = previous if previous is not None and index - previous == _TRACE_STEP else index
        yield lines[first].start, line.end
        previous = index


_TRACE_STEP: Final = 2


def _matching_runs(lines: list[Line], pattern: re.Pattern[str]) -> Iterator[tuple[int, int, int]]:
    first: int | None = None
    for index, line in enumerate(lines):
        if not line.blank and pattern.match(line.head):
            first = index if first is None else first
        elif first is not None:
            yield first, index, index - first
            first = None
    if first is not None:
        yield first, len(lines), len(lines) - first


def _json(text: str, paragraphs: _Paragraphs) -> Iterator[Bounds]:
    """Balanced braces with quoted keys inside; one pass with a stack."""
    keys = [match.start() for match in _JSON_KEY.finditer(text)]
    if not keys:
        return
    stack: list[int] = []
    for match in re.finditer(r"[{}]", text):
        if match.group() == "{":
            stack.append(match.start())
        elif stack:
            start = stack.pop()
            if not stack and _any_between(keys, start, match.end()):
                yield start, match.end()
    if stack and _any_between(keys, stack[0], len(text)):
        yield stack[0], paragraphs.end(stack[0])


def _any_between(sorted_positions: list[int], start: int, end: int) -> bool:
    at = bisect_left(sorted_positions, start)
    return at < len(sorted_positions) and sorted_positions[at] < end
