"""Which of the twelve categories a memory belongs to, from what its words say."""

from __future__ import annotations

import re
from typing import Final

from hindsight.domain.memory import Category
from hindsight.language.extraction.cues import CUES

_PERMISSION: Final = re.compile(
    r"\byou (?:can|may|are allowed to|have my permission)\b|\b(?:allowed|permission|feel free|"
    r"without asking|go ahead and always)\b|你可以(?:直接|随时|自己)|允许你|不用问我|授权",
    re.IGNORECASE,
)
_TO_THE_ASSISTANT: Final = re.compile(
    r"\b(?:from now on|whenever you|when you|every time you|always (?:reply|answer|use|write|give)|"
    r"call me|don'?t (?:ever )?(?:call|give|use|write|send)|answer (?:me )?in|reply in|"
    r"run .{1,40} before|suggest|keep (?:it|answers|replies))\b|"
    r"以后(?:都|你|别|请|凡|不许)|每次.{0,10}(?:都|先)|你.{0,6}(?:都要|别|不要|必须)|回答.{0,6}(?:用|要)|叫我|称呼",
    re.IGNORECASE,
)
_IDENTITY: Final = re.compile(
    r"\bi(?:'m| am) (?:an?|the|in|from|deaf|blind)\b|\bmy name\b|\bi (?:live|work|study|teach|"
    r"taught)\b|\bas an?\b.{1,20}\b(?:i|i'm)\b|\bborn\b|"
    r"我(?:是(?!说|想)|叫|姓|住|在.{1,12}(?:工作|上班|读|做)|做.{1,8}的|负责|这个人)|归我|人在|我们公司是|毕业",
    re.IGNORECASE,
)
_FIRM: Final = re.compile(
    r"\b(?:must|never|only|can'?t|cannot|cant|don'?t|no |not allowed|max|at most|tops|ceiling|under|"
    r"allerg\w+|intoleran\w+|coeliac|celiac|has to|have to|need(?:s)? to|required?|banned?|stuck on|"
    r"always)\b|"
    r"必须|不许|不准|不能|不得|禁止|只能|只用|一律|最多|至少|不超过|以内|上限|过敏|不耐|不吃|不行|"
    r"绝对|要求|固定|统一|别|规定|做不了|不让",
    re.IGNORECASE,
)
_TECH: Final = re.compile(
    r"\b(?:python|java|node|typescript|javascript|rust|go|docker|kubernetes|postgres\w*|mysql|redis|"
    r"react|vue|spring|django|rails|linux|macos|windows|git\w*|ci|sdk|api|framework|library|database|"
    r"compiler|bazel|gradle|maven|npm|pnpm|uv|pip|vim|vscode|ide|cli|cluster|camera|lens|editor)\b|"
    r"版本|框架|技术栈|数据库|编译|部署",
    re.IGNORECASE,
)


def category_of(text: str, context: dict[str, float]) -> Category:
    """The category that fits *text* best; ``fact`` where nothing says more."""

    def shows(name: str) -> bool:
        return bool(CUES[name].search(text))

    if _PERMISSION.search(text):
        return "permission"
    if _TO_THE_ASSISTANT.search(text):
        return "instruction"
    if context.get("adopted_statement") or shows("decision"):
        return "decision"
    if shows("like") and not _FIRM.search(text):
        return "preference"
    if shows("relation") and not shows("project"):
        return "relationship"
    if _IDENTITY.search(text) and not shows("must"):
        return "identity"
    if shows("skill") and (shows("years") or shows("mine")):
        return "skill"
    if shows("health") or _FIRM.search(text):
        return "constraint"
    if shows("dislike") or shows("like"):
        return "preference"
    if shows("recurring") or (shows("date") and not shows("past_event")):
        return "schedule"
    if shows("stack") or _TECH.search(text):
        return "tech_stack"
    if shows("goal"):
        return "project"
    return "fact"
