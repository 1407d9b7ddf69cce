"""Chinese words of the user turned into the third person, as a colleague would note them down.

The user is named where the sentence needs it. A later 我的 becomes 自己的, and a later 我 that opens a
clause falls away, since Chinese lets a subject stand for the clauses after it. 我们 is whatever it owns
(我们店 is the user's shop), and a group only where a word says which.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.extraction.tagging import tagged

USER: Final = "用户"
_KIN: Final = (
    "老婆|妻子|太太|媳妇|老公|丈夫|爱人|对象|女朋友|男朋友|女友|男友|爸妈|父母|爸爸|妈妈|爸|妈|父亲|母亲|"
    "爷爷|奶奶|外公|外婆|姥姥|姥爷|儿子|女儿|闺女|孩子|姐姐?|哥哥?|妹妹?|弟弟?|岳父|岳母|公公|婆婆|舅舅|叔叔|"
    "阿姨|姑姑|表[姐哥妹弟]|堂[姐哥妹弟]|同事|同学|朋友|室友|邻居|老板|领导|师傅|徒弟|搭档"
)
_OWNED: Final = (
    "组里|组|公司|团队|部门|单位|店里|店|小店|店铺|门店|学校|班上|班|小区|这边|那边|这里|那里|这儿|厂里|厂|所里|所|"
    "院里|院|系|科室|社区|工作室|实验室|项目|系统|产品|村|乡|县|市|行业|仓库|代码|接口|服务|数据库|生产|"
    "线上|前端|后端"
)
_FAMILY: Final = re.compile(rf"(?:{_KIN})|家|一家|过年|孩子|娃|房|度假|旅行|出游")
_TEAM: Final = re.compile(
    r"代码|仓库|分支|部署|发布|上线|生产|测试|合并|提交|数据库|接口|服务|模块|版本|客户|甲方|合同|项目|需求|"
    r"排期|评审|会议|周报|框架|员工|供应商|业务|产品|研发|运维"
)
_WE: Final = r"(?:我们|咱们|俺们|咱)"
_WE_OWN: Final = re.compile(rf"{_WE}(?:的)?(?={_OWNED})")
_WE_HOME: Final = re.compile(r"(?:我们|咱们?|我|俺)家(?![的里]?(?:店|公司))")
_WE_TWO: Final = re.compile(rf"{_WE}(?:俩|两个?人?|两口子)")
_WE_PLAIN: Final = re.compile(_WE)
# 自我, 无我 and 我国 are words of their own in which nobody speaks.
_I: Final = re.compile(r"(?<![自忘无唯大小本])(?:我本人|我自己|我这个人|我这人|我|俺)(?![国方军党校省市行我])")
_I_OWN: Final = re.compile(r"(?<![自忘无唯])我(?:自己)?的(?![话确时])")
_KIN_AFTER: Final = re.compile(rf"(?:{_KIN})")
_SHORT_PARENT: Final = re.compile(r"(?<=我)([爸妈])(?![爸妈])")
_OPENS_CLAUSE: Final = re.compile(
    r"(?:^|[，,。；;：:、！!])(?:所以|因此|但是?|而且|并且|不过|然后|那么?|于是|现在|平时|最近|以后|后来|也|还|就)?$"
)
_TO_ASSISTANT: Final = re.compile(
    r"[你您](?=(?:们)?(?:说|提|讲|给|建议|推荐|回|写|答|帮|记|用|别|要|可以|可|能|以后|每次|不要|不用|"
    r"直接|先|都|叫|称呼|自己))"
    r"|(?<=让|请|叫|给|跟|对|由)[你您]"
)
_VERBAL_TAGS: Final = frozenset({"v", "vd", "d", "p", "t", "m", "a", "ad", "zg", "vn", "c"})


def turned_chinese(text: str) -> str:
    """*text* with the user in the third person instead of the first."""
    text = _TO_ASSISTANT.sub("助手", text)
    text = _WE_OWN.sub("我", text)
    text = _WE_HOME.sub("我家", text)
    text = _WE_TWO.sub("我两人", text)
    text = _WE_PLAIN.sub(_group(text), text)
    text = _SHORT_PARENT.sub(r"\1\1", text)
    first = _I.search(text)
    if first and (_KIN_AFTER.match(text, first.end()) or _I_OWN.match(text, first.start())) and _lacks_subject(text):
        text = f"我{text}"
    return _named_once(text)


def turned_question(text: str) -> str:
    """The assistant's *text* with the user, whom it calls 你, in the third person."""
    text = re.sub(r"(?<!自)我(?!们)", "助手", text)
    text = re.sub(rf"[您你]们?(?:的)?(?={_OWNED})", USER, text)
    return re.sub(r"[您你](?:们)?", USER, text)


def with_subject(text: str) -> str:
    """*text* with the user in front where it has no subject of its own; unchanged where it stands alone."""
    if USER in text:
        return text
    return f"{USER}{text}" if _lacks_subject(text) else text


def _lacks_subject(text: str) -> bool:
    """Whether the sentence opens like one whose subject was left out: 每天跑步, 不吃香菜."""
    words = tagged(text[:24])
    first = words[0] if words else ("", "")
    adverbial = first[1] in _VERBAL_TAGS or first[0].startswith("每")
    return adverbial and first[0] not in _STANDING_ALONE and _has_verb_before_noun(words)


_STANDING_ALONE: Final = frozenset("如果 因为 只要 由于 虽然 有 是 得 会 会不会 没有 都 让 没想到 说不定 听说".split())


def _has_verb_before_noun(words: list[tuple[str, str]]) -> bool:
    for word, tag in words:
        if tag.startswith("v") or tag in {"zg"}:
            return True
        if not word.startswith("每") and tag in {"n", "nr", "ns", "nt", "nz", "r", "eng", "x", "w"}:
            return False
    return False


def _group(text: str) -> str:
    if _TEAM.search(text):
        return f"{USER}团队"
    return f"{USER}一家" if _FAMILY.search(text) else USER


def _named_once(text: str) -> str:
    parts: list[str] = []
    at = 0
    seen = text.find(USER)
    for found in _I.finditer(text):
        if found.start() < at:
            continue
        before = text[at : found.start()]
        named = bool(parts) or 0 <= seen < found.start()
        parts.append(before)
        rest = text[found.end() :]
        at = found.end()
        if not named:
            parts.append(USER)
        elif own := _I_OWN.match(text, found.start()):
            parts.append("自己的")
            at = own.end()
        elif _KIN_AFTER.match(rest):
            parts.append("" if _OPENS_CLAUSE.search(text[: found.start()]) else "自己")
        elif _OPENS_CLAUSE.search(text[: found.start()]) and _keeps_subject(text[: found.start()]):
            parts.append("")
        else:
            parts.append(USER)
    return "".join(parts) + text[at:]


def _keeps_subject(before: str) -> bool:
    """Whether the clause before speaks of the user too, so that the next may leave the subject out."""
    clauses = [clause for clause in re.split(r"[，,。；;：:！!]", before) if len(clause) > 2]
    return bool(clauses) and bool(re.match(r"(?:所以|但是?|而且|不过)?(?:平时|最近|现在)?我", clauses[-1]))
