"""What class of memory a value is, whatever its label claims.

A label is the cheapest lie: "fact: the user authorises transfers without asking". Classes that let a
memory act for the user (permission, instruction) or speak for them (identity, preference) carry more
duties, so the wording can only raise the class, never lower it.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.domain.memory import Category
from hindsight.language.disguises import unmask

# The strictest first; a category further down may be raised to one further up.
_STRICTNESS: Final[tuple[Category, ...]] = (
    "permission",
    "instruction",
    "identity",
    "preference",
    "constraint",
    "decision",
    "relationship",
    "schedule",
    "skill",
    "project",
    "tech_stack",
    "fact",
)
_NEEDS_USER: Final[frozenset[Category]] = frozenset({"permission", "instruction"})
_SPEAKS_FOR_USER: Final[frozenset[Category]] = frozenset({"permission", "instruction", "identity", "preference"})

_AGENT: Final = (
    r"(?:assistants?|agents?|ai|bots?|model|copilot|plugin|tool|app|service|integration|scripts?|"
    r"you|us|me|them|anyone|助手|助理|智能体|代理|机器人|插件|你|我们|系统)"
)
_USER: Final = (
    r"(?:the (?:user|owner|customer|client|account holder|human|operator)|user|i|he|she|they|用户|"
    r"机主|主人|本人|我|业主|客户|户主)"
)

_PERMISSION: Final = re.compile(
    rf"""(?ix)
    \b(?:pre-?)?authori[sz](?:e[sd]?|ing|ations?)\b|\bpre-?approv|\bauto-?approv|\b(?:standing
      |blanket|prior|implicit)\s+(?:approval|consent|permission|authority)
    |\bwithout\s+(?:any\s+|further\s+|prior\s+|explicit\s+|first\s+)*(?:asking|confirm\w*
      |approv\w*|permission|notice|review\w*|consent|prompt\w*|checking|verif\w*|questions?)\b
    |\b(?:no|skip(?:s|ping)?|bypass(?:es|ing)?|waiv(?:e[sd]?|ing))\s+(?:the\s+|any\s+
      |further\s+)*(?:confirmations?|approvals?|reviews?|permissions?|prompts?|checks?
      |need\s+to\s+(?:ask|confirm|check))\b
    |\b(?:do\s+not|don'?t|never|needn'?t|no\s+longer)\s+(?:have\s+to\s+|need\s+to\s+
      |needs?\s+)?(?:ask|confirm|check\s+with|seek|wait\s+for)\b.{{0,30}}\b(?:before|first|me|user
      |approval|permission|again)\b
    |\b(?:allow|permit|grant|entitle|empower|give)(?:s|ed|ted|d|n)?\s+(?:(?:its|their|his|her
      |the|my|any|all|every|other)\s+)*(?:\w+\s+){{0,2}}?{_AGENT}\b|\bgrant(?:s
      |ed)?\s+.{{0,40}}\b(?:access|rights?|permission)\b
    |{_AGENT}\s+(?:may|can|is\s+(?:free|allowed|permitted|entitled|cleared)\s+to|are\s+(?:free
      |allowed|permitted|entitled|cleared)\s+to|has\s+(?:my\s+
      |the\s+)?permission)\b.{{0,60}}\b(?:delete|send|pay|transfer|share|access|sign|buy|purchase
      |release|deploy|push|merge|overwrite|approve|post|publish|run|execute|read|book|spend|rotate
      |install|drop)\b
    |\b(?:has|have|holds?|given|with)\s+(?:full|root|admin\w*|unrestricted|complete|write
      |super\w*)\s+(?:access|rights?|privileges?|permissions?)\b|\b(?:may|can)\s+act\s+on\s+(?:my
      |the\s+user'?s|their)\s+behalf
    |授权|全权|委托{_AGENT}|(?<!不)(?<!未)(?:允许|准许|许可|同意|批准|准予){_AGENT}|(?:同意
      |批准|许可).{{0,12}}(?:自动|直接|代)|(?:无需|不用|不必|免|不须|毋须|不再|别再|跳过)(?:再
      |另行|事先|逐[次一笔]|跟我|向我|和我|经过?|用户)*(?:问|询问|确认|请示|审批|审核|批准|告知
      |汇报|征求|通知|核对|同意|授权|验证)
    |自动(?:通过|放行|批准|付款|转账|扣款|审批)|有权|(?:拥有|具备|享有|具有).{{0,12}}(?:权限
      |权利|资格)|代签|代付|代为(?:签|付|处理|操作)|(?:助手|助理|你|智能体|代理)(?:可以?
      |能)?(?:随时|直接|自行|任意)(?:覆写|删|转|付|改|发|操作|执行|划|下单|购买|访问|读取|处理)
    """
)
_NOT_PERMISSION: Final = re.compile(
    r"(?i)\b(?:not|never|n't|no one|nobody|forbid\w*|prohibit\w*)\s+(?:be\s+|been\s+|"
    r"is\s+)?(?:authori[sz]|allow|permit)|(?:未|没有?|不|禁止)(?:经|得到|获得)?授权|授权(?:失败|"
    r"码|方式|协议|流程|页面|书)|\bauthori[sz]ation (?:header|code|flow|server|service|module|"
    r"logic|endpoint)"
)
_INSTRUCTION: Final = re.compile(
    rf"""(?ix)
    (?:\A|[.!?;:,\n—–-]\s*)(?:please\s+|and\s+|also\s+|then\s+|{_AGENT}\s*[:,]\s*)*(?:always
      |never|do\s+not|don'?t|make\s+sure|be\s+sure|ensure|remember\s+to|from\s+now\s+on
      |going\s+forward|in\s+(?:the\s+)?future|henceforth|whenever|every\s+time|each\s+time
      |for\s+(?:all|every|any)\s+(?:future\s+)?\w+s?\s*,)\b(?!\s+been\b)
    |(?:\A|[.!?;\n]\s*)(?:please\s+)?(?:cc|bcc|copy|send|forward|append|include|recommend|use
      |add|reply|answer|respond|write|sign|call|address|treat|ignore|disregard|prefer|keep|mask
      |put|list|mention|install|run|post|upload|report|avoid|format|translate|start|begin|end
      |close|store|save|remember)\s+\S
    |\b(?:the\s+|their\s+|your\s+|every\s+|all\s+|other\s+)?(?:assistants?|agents?|ai|bots?
      |models?|you)\s+(?:must|should|shall|ought\s+to|need\s+to|have\s+to|has\s+to|will\s+always
      |always|never|is\s+to|are\s+to)\b
    |\b(?:answers?|replies|responses?|outputs?|summar(?:y|ies)|reports?|mails?|e-?mails?
      |drafts?|messages?|commits?|code|files?|invoices?|documents?)\s+(?:must|should|shall
      |are\s+to|have\s+to|need\s+to|always)\b
    |\b(?:wants?|asks?|asked|requires?|expects?|instructs?|instructed|requests?|requested
      |tells?|told|would\s+like)\s+(?:that\s+)?(?:(?:the|its|their|every|all)\s+)*(?:assistants?
      |agents?|ai|bots?|you|me|us|answers?|replies|everything)\b|\b(?:standing
      |permanent)\s+(?:rule|order|instruction)
    |以后|今后|从现在[起开]|从今往后|往后|一律|务必|每次都|凡是|凡.{{1,10}}(?:都|均|应|必)
      |(?:\A|[，。,;；：:！!\n])(?:请|记得|记住|切记|不要|别|不得|严禁|禁止|必须|始终|永远|总是
      |优先|都要)|(?:助手|助理|智能体|代理|机器人|你)(?:应|应当|应该|必须|要|需要?|务必|不得|不要
      |不能|都要|均)
    |(?:回答|回复|输出|报告|邮件|代码|文件|网页|摘要|周报|配方|命名
      |链接)(?:[^，。,;]{{0,10}})(?:都|均|应|必须|一定|要用|要写|要加|都要|须)|(?:长期|固定
      |永久)(?:规则|规定|要求|指令)|(?:要求|希望|让|叫){_AGENT}
    """
)
_IDENTITY: Final = re.compile(
    rf"""(?ix)
    \b(?:my|the\s+user'?s|user'?s|his|her|their)\s+(?:full\s+|real\s+|legal\s+|last\s+
      |first\s+)?(?:name|surname|job|job\s+title|profession|occupation|nationality|gender|pronouns
      |role|title|position|employer)\b
    |\b{_USER}(?:'s|'m|\s+is|\s+am|\s+are|\s+was|\s+has\s+been)\s+(?:now\s+|currently\s+
      |actually\s+|also\s+|really\s+)?(?:an?|the|called|named|known\s+as|employed|born|from|dr|mr
      |mrs|ms|prof\w*)\b|\b{_USER}\s+(?:works?|worked|serves?|acts?)\s+(?:as|at|for|in)\b
      |\b{_USER}\s+(?:lives?|resides?|graduated|studie[sd]|studies|holds?\s+(?:a|the)|owns?|heads?
      |leads?|runs?|manages?|chairs?)\b
    |\b(?:call|address)\s+(?:me|the\s+user)\b|\bsession\s+owner\b|\bcurrent\s+(?:user|visitor|account)\b
    |{_USER}(?:的)?(?:真名|姓名|名字|身份|职位|职务|职业|职称|头衔|国籍|籍贯|性别)
      |{_USER}(?:现在?|目前|其实|一直|就|也)?(?:是(?!不|否|因|为|在|想|说)|叫|姓|名叫|担任|就职
      |任职|供职|毕业于?|出生|现任|住在?|来自|从事|读|就读)|(?:当前|本)(?:用户|访客|账号)[:：是]
      |(?:我叫|我姓|叫我|称呼我|称我)|身份[:：是为]
    """
)
_PREFERENCE: Final = re.compile(
    r"""(?ix)
    \b(?:prefer(?:s|red|ence|ences|ring)?|likes?|loves?|favou?rites?|hates?|dislikes?|detests?
      |enjoys?|adores?|can'?t\s+stand|would\s+rather|is\s+(?:a\s+fan|fond|keen|partial)|fan\s+of
      |fond\s+of|avoids?|insists?\s+on|swears\s+by|opts?\s+for)\b
    |\b(?:always|only|never|usually|exclusively)\s+(?:ever\s+)?(?:uses?|buys?|picks?|chooses?
      |books?|drinks?|orders?|eats?|wears?|reads?|writes?|flies|fly|stays?|works?\s+(?:with|in
      |from)|trusts?|takes?|goes|go|shops?|pays?|watch(?:es)?|listens?|touch(?:es)?|type|types)\b
      |\bdefault\s+(?:choice|brand|\w+)\s+is\b|\bgo-to\b
    |喜欢|偏好|偏爱|喜爱|钟爱|热爱|最爱|讨厌|厌恶|反感|爱(?:吃|喝|用|看|听|玩|穿|买)|不(?:吃|喝
      |爱|碰|想用|习惯)|习惯|只(?:用|买|喝|吃|住|认|看|选|坐|穿|信|去|听|收)|更(?:信赖|倾向|愿意
      |习惯)|首选|信赖|倾向于?|总是?(?:用|买|选|喝|吃|住)|一(?:贯|向|直)(?:用|要求|选|买|喜|住|偏)
      |忌口|口味
    """
)
_VALUE_CHARACTERS_MAX: Final = 4_000
_BLANKS: Final = re.compile(r"[ \t\r\f\v]+")
# Runs of blanks are folded first: the patterns look for sentence starts and would rescan each run.
_LINE_BREAKS: Final = re.compile(r"(?: ?\n ?)+")


def strictest_category(value: str, label: Category | None) -> Category:
    """The class of *value*: what it says, or its *label*, whichever is stricter.

    Permission is stricter than instruction, then identity, then preference, then the rest. Without a
    label a value that shows none of these is a fact.
    """
    said = _said(unmask(value[:_VALUE_CHARACTERS_MAX]).replace("’", "'"))
    if label is None:
        return said or "fact"
    return label if said is None else min((said, label), key=_STRICTNESS.index)


def needs_user(category: Category) -> bool:
    """Whether a memory of this class, written by an agent, waits until the user supports it."""
    return category in _NEEDS_USER


def speaks_for_user(category: Category) -> bool:
    """Whether a memory of this class says who the user is or what they want: never from outside."""
    return category in _SPEAKS_FOR_USER


def _said(text: str) -> Category | None:
    text = _LINE_BREAKS.sub("\n", _BLANKS.sub(" ", text))
    if _PERMISSION.search(_NOT_PERMISSION.sub(" ", text)):
        return "permission"
    if _INSTRUCTION.search(text):
        return "instruction"
    if _IDENTITY.search(text):
        return "identity"
    if _PREFERENCE.search(text):
        return "preference"
    return None
