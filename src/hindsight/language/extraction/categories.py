"""Which of the twelve categories a memory belongs to, from what its words say.

A category is a claim on how a memory is used: an instruction is followed, a constraint is obeyed. So each
needs a strong cue of its own, and everything else is a fact.
"""

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
    r"run .{1,40} before|keep (?:it|answers|replies))\b|^(?:please )?(?:never|always|don'?t) [a-z]+ (?:me|"
    r"the|any|my)\b|"
    r"以后(?:都|你|别|请|凡|不许)(?!.{0,12}我(?:也|就|能|要))|每次(?:回答|回复|写|给我|输出|生成|改|"
    r"提交).{0,10}(?:都|先)|"
    r"[你您].{0,6}(?:都要|别|不要|必须)|回答.{0,6}(?:用|要)|(?:请|要|都|就)?叫我|称呼我",
    re.IGNORECASE,
)
_IDENTITY: Final = re.compile(
    r"\bi(?:'m| am) (?:an? (?!bit|little|few|lot|huge|big|fan)|the (?:\w+ )?(?:lead|owner|head|only|"
    r"manager|founder)|in payroll|from|"
    r"deaf|blind)\b|\bmy name\b|\bi (?:live in|work (?:as|at|for|in)|study|teach|taught)\b|"
    r"\bas an?\b.{1,20}\b(?:i|i'm)\b|\bborn in\b|"
    r"我(?:是(?!说|想|该|要|会|不是|觉得|怕|真|在|用|从|按|先)|叫(?!他|她|它)|姓|住|在.{1,12}(?:工作|上班|"
    r"读|做)|做.{1,8}的|负责|这个人)|归我|人在|"
    r"我们公司是|毕业于|是一名|干.{1,8}(?:这行|维修)",
    re.IGNORECASE,
)
# A rule or a limit that somebody must keep to.
_FIRM: Final = re.compile(
    r"\b(?:must|mustn'?t|not allowed|max(?:imum)? (?:of )?\d|at most|no more than|at least|ceiling|has to|"
    r"have to be|required?|banned?|"
    r"forbidden|stuck on|only (?:use|deploy|on|in|ever|eat|drink)|no exceptions?|by (?:law|contract)|"
    r"policy)\b|\b(?:we|i) (?:never|only|always)\b|"
    r"\b(?:can'?t|cannot)\b(?! (?:find|believe|wait|help|remember|decide|figure|see|tell|seem|afford))|"
    r"\bonly[.!]?$|\bnever (?!really|had|been|"
    r"have|knew|thought)|\b(?:max|vendored|mandatory|locked (?:in|to))\b|^(?:no|never|only|don'?t)\b|"
    r"必须|不许|不准|不得|禁止|只能|只用|一律|最多|至少|不超过|以内|上限|预算(?:有限|只|最)|绝对不|统一用|"
    r"规定|不让|写死|锁死|[装升做用请改]不了|再也不|一概不|绝不|别再|凡是|"
    r"(?<!总)(?<!可)不能(?!总|老|每次)|不要超过",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:allerg\w+|intoleran\w+|coeliac|celiac|diabet\w+|asthma\w*|vegan|vegetarian|halal|kosher|"
    r"arthritis|migraines?|"
    r"pregnant|can'?t (?:eat|drink|have))\b|过敏|不耐|糖尿|哮喘|旧伤|劳损|痛风|怀孕|忌口|不能(?:吃|喝|碰)|"
    r"素食|清真|临界|高血压",
    re.IGNORECASE,
)
_TECH: Final = re.compile(
    r"\b(?:python|java|node(?:\.?js)?|typescript|javascript|rust|golang|docker|kubernetes|k8s|postgres\w*|"
    r"mysql|redis|mongo\w*|"
    r"react|vue|svelte|spring|django|flask|fastapi|rails|linux|macos|windows \d+|ubuntu|git(?:hub|lab)?|"
    r"ci|sdk|graphql|grpc|"
    r"terraform|webpack|vite|kafka|compiler|bazel|gradle|maven|npm|pnpm|yarn|uv|pip|vim|neovim|vs ?code|"
    r"intellij|matplotlib|seaborn|"
    r"pandas|tableau|junit\d?|pytest)\b|技术栈|数据库|前端框架|后端框架|编译器|单测",
    re.IGNORECASE,
)
_USES: Final = re.compile(
    r"\b(?:use|uses|using|runs?|running|built|build|written|deploy\w*|standardi[sz]ed|on|with|in|switched|"
    r"moved|migrated|dropped)\b|"
    r"用|跑|部署|写|基于|换|版本",
    re.IGNORECASE,
)
_LIKES: Final = re.compile(
    r"\b(?:(?:i|we|she|he|they|really|also|do|don'?t|doesn'?t|would|always|i'd|can) (?:love|like|"
    r"enjoy)s?(?! (?:the idea|how|to (?:know|"
    r"see|try|get)))|loves?|adores?|prefers?|favou?rite|fan of|fond of|keen on|(?:i'm|really|so|am|is|are|"
    r"been) into|hates?|dislikes?|can'?t stand|don'?t (?:like|eat|drink)|"
    r"won'?t (?:eat|touch|drink|use)|swear by|go-to)\b|"
    r"喜欢|喜爱|偏好|更爱|最爱|爱[吃喝看用听]|偏爱|习惯|热衷|迷上|首选|讨厌|不爱|不吃|不喝|受不了|反感",
    re.IGNORECASE,
)
_KIN_IS: Final = re.compile(
    r"\bmy (?:\w+ ){0,2}(?:wife|husband|partner|girlfriend|boyfriend|fianc\w+|mum|mom|mother|dad|father|"
    r"parents?|sister|brother|"
    r"son|daughter|kids?|child(?:ren)?|toddler|baby|twins?|grand\w+|nan|aunt|uncle|cousin|niece|nephew|"
    r"cat|dog|rabbit|pet|boss|"
    r"friend|colleague|neighbou?r)\b|\bfamily of (?:two|three|four|five|six|seven|\d)\b|"
    r"我?(?:老婆|妻子|太太|媳妇|老公|丈夫|女朋友|男朋友|女友|男友|爸|妈|父母|爷爷|奶奶|外公|外婆|儿子|"
    r"女儿|闺女|姐|哥|妹|弟|婆婆|岳)|"
    r"(?:一|两|二|三|\d)个?(?:孩子|娃|儿子|女儿)",
    re.IGNORECASE,
)
_SKILLED: Final = re.compile(
    r"\b(?:fluent|beginner|experienced|experience (?:with|in)|certified|good at|bad at|self-taught|rusty|"
    r"can (?:speak|read|code|play)|"
    r"never (?:used|done|learned)|new to|graduated|degree in)\b|"
    r"[我也还都]会(?:写|说|弹|修|讲)|擅长|熟悉|精通|零基础|新手|初学|入门|(?:没有?|有).{0,6}(?:经验|基础)|"
    r"强项|陌生|考过|证书|持证",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(
    r"\b(?:every|each|weekly|daily|monthly|yearly|(?:mon|tues|wednes|thurs|fri|satur|sun)days|twice a|"
    r"once a|times a (?:day|week|month)|"
    r"birthday|deadline|appointment|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"at \d{1,2}(?::\d\d)? ?(?:am|pm)?)\b|"
    r"每[天周日月年晚早隔]|天天|工作日|周[一二三四五六日天末]|星期[一二三四五六日天]|\d{1,2} ?[月号点]|"
    r"截止|生日|下个?月|明年|预约",
    re.IGNORECASE,
)
_AIMS: Final = re.compile(
    r"\b(?:my goal|goal is|aim(?:ing)? (?:to|for)|saving (?:up )?for|working (?:on|towards)|"
    r"planning (?:to|a|an)|plan to|trip to|"
    r"building (?:a|an|my|our)|launch\w*|trying to|training for|preparing for|moving to)\b|"
    r"目标是|在筹备|筹备|备考|在做|正在(?:做|写|开发|设计|装修|准备)|想(?:扩|开|考|搬|把)|打算|计划",
    re.IGNORECASE,
)
_DECIDED: Final = re.compile(
    r"\b(?:let'?s (?:go|use|do|stick|keep)|we'?ll (?:go|use|stick)|decided|settled on|agreed|chose|picked|"
    r"sticking with|it is then|"
    r"i'?ll take|we (?:went|dropped|moved|switched))\b|定了|就.{0,8}(?:定|吧)$|决定|敲定|选定|拍板|"
    r"确定(?:了|用|是)|改用|就用|就按|为准",
    re.IGNORECASE,
)


def category_of(text: str, context: dict[str, float]) -> Category:
    """The category that fits *text* best; ``fact`` where nothing says more."""
    if _PERMISSION.search(text):
        return "permission"
    if _TO_THE_ASSISTANT.search(text):
        return "instruction"
    if context.get("adopted_statement") or _DECIDED.search(text):
        return "decision"
    if _CONDITION.search(text):
        return "constraint"
    likes, firm, technical = _LIKES.search(text), _FIRM.search(text), bool(_TECH.search(text) and _USES.search(text))
    if likes and not firm:
        return "preference"
    return _of_the_user(text, firm=bool(firm), technical=technical)


def _of_the_user(text: str, *, firm: bool, technical: bool) -> Category:
    if _KIN_IS.search(text) and not CUES["project"].search(text):
        return "relationship"
    if _IDENTITY.search(text) and not CUES["must"].search(text):
        return "identity"
    if _SKILLED.search(text):
        return "skill"
    if firm:
        return "constraint"
    if _LIKES.search(text):
        return "preference"
    if technical:
        return "tech_stack"
    if _AIMS.search(text):
        return "project"
    return "schedule" if _TIMES.search(text) else "fact"
