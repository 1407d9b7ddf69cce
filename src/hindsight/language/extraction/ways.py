"""Ways of saying that something holds for good, told by how the sentence is built and not by what it is about.

The cues in ``cues`` are mostly words; people who never met those words still say "we moved off X", "I don't
drink", "anything over 500 needs her signature". These patterns ask for a subject with a lasting verb, a
change, a refusal, a charge or a term, in either language, and go to the same judge.
"""

from __future__ import annotations

import re
from typing import Final

_KIN_EN: Final = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fianc\w+|mum|mom|mother|dad|father|parents|sister|brother|son|"
    r"daughter|kids?|twins|stepson|stepdaughter|gran(?:dad|dma|dpa|ny|dson)?|nan|aunt|uncle|cousin|niece|nephew|"
    r"in-laws?|dog|cat|horse|family)"
)
_KIN_ZH: Final = (
    r"(?:老婆|妻子|太太|媳妇|老公|丈夫|对象|女朋友|男朋友|我?[爸妈哥姐弟妹姑舅叔姨]|父亲|母亲|爷爷|奶奶|外公|外婆|"
    r"儿子|女儿|闺女|孩子|双胞胎|继子|侄[子女]|外甥女?|嫂子|姐夫|妹夫|弟媳|岳[父母]|婆婆|公公|狗|猫)"
)
_ROLES_EN: Final = (
    r"(?:editor|clients?|customers?|boss|manager|landlord|landlady|doctor|gp|physio|school|union|council|insurer|"
    r"lawyers?|legal|accountant|company|supervisor|coach|vet)"
)
_NOT_HABIT_EN: Final = (
    r"(?!know|think|mind|want|need|see|understand|remember|care|get\b|feel|believe|mean|suppose|really|have time|"
    r"have any|say|recall|recognise|recognize|find|hear|like (?:the|this|that)|knew|thought|realised|realized|be\b)"
)

_WAYS: Final[dict[str, tuple[str, str]]] = {
    "we_present": (
        r"\bwe (?:only |always |never |also |usually |mostly |still |just )?(?!(?:are|were|have|had|did|do|don'?t|"
        r"didn'?t|can|can'?t|could|will|would|should|might|may|must|need|want|think|got|went|saw|had|said|just|lost|"
        r"won|hope|feel|know|see|wiped)\b)[a-z]{2,}(?<!ed)\b",
        r"(?:我们|咱们?|我家|我们家|组里|店里|公司|家里|队里|班上)(?:这边|那边|一般|平时|现在|都|全|一直|每\S{1,3})*"
        r"(?:用|跑|做|写|开|卖|养|种|住|带|收|发|走|按|上|吃|喝|放|定|管|教|拍|打|接|部署|统一|有|是)(?!完|过|不|错|什么|哪)",
    ),
    "owned_present": (
        r"\b(?:my|our) (?:[\w-]+ ){1,3}(?!(?:is|was|has|does)\b)[a-z]{2,}(?<!s)s\b|\bmy (?:[\w-]+ ){1,3}(?:is|are) "
        r"(?:on|about|in|at|with|an?|the|from|\d)",
        r"我的?[\u3400-\u9fff]{1,6}(?:是|在|叫|归|写|做|到期)(?!什么|哪|不是)",
    ),
    "gave_up": (
        r"\b(?:gave up|given up|giving up|quit|sober|swore off|off (?:the )?(?:booze|fags|smokes|sugar|meat|caffeine)|"
        r"cut out|no longer|not any ?more|stopped \w+ing|sold my|got rid of|ditched|retired from|dropped (?!off|"
        r"by|it|me))\b",
        r"戒(?:了|掉|断|酒|烟|糖|咖啡|奶)|不再|再也不|退(?:了|掉|出)|卖掉?了|早就不|停了|清出去|淘汰|弃用|不用.{0,4}了",
    ),
    "shift": (
        r"\b(?:switch\w*|swap\w*|mov(?:ed|ing)|migrat\w+|chang(?:ed|ing)|convert\w*|went|upgrad\w+|port(?:ed|ing))\b"
        r".{0,50}\b(?:to|for|over|off|from|onto|into)\b|\breplac(?:ed|ing)\b|\binstead of\b",
        r"从.{1,24}?(?:改|换|迁|转|切|搬|升)(?:成|到|为|回|去|走|用|喝|吃|骑|坐|学)?|"
        r"(?:换|改|迁|切|转)(?:成|到|为|回|用|喝|吃|骑|坐|看|写|走|上)[^，。]{1,16}[了，。]|把[^，。]{1,12}(?:换|改|迁|清|停)",
    ),
    "negated_habit": (
        rf"\b(?:i|we) (?:don'?t|do not|dont|won'?t|never|no longer|refuse to) (?:ever |even |"
        rf"actually )?{_NOT_HABIT_EN}\w+|"
        r"\b(?:nobody|no one) (?:on|in|here|at|works|gets|is|may|can)\b|\b[\w-]+-free\b|\bnever (?:been|had|"
        r"driven|owned|"
        r"flown|learned|learnt|used)\b",
        r"(?:从来|从|都|一律|一概|绝|坚决|一般|平时|我|们|家|司|组|后|也|谁都|，)不(?:坐|吃|喝|用|看|玩|打|拍|唱|接|进|收|做|买|"
        r"穿|写|碰|抽|学|养|放|引|加|上桌|上|去|熬|住|请|出|吸|沾|发|开|搞|走|骑|参加|加班|喜欢|爱)(?!了|到|完|动|好|懂|起|下|成|"
        r"着|清|来|过|上)|没(?:有)?(?:驾照|电梯|孩子|结婚|医保|车)|从没",
    ),
    "only_ever": (
        r"\b(?:i|we|he|she|they|kids|it) (?:can |will |do |is |are |'m |'re )?only (?:ever )?"
        r"(?!just|if|because|had|got|saw|need|want|ask|wish|hope)\w+|\bonly on (?:\w+days|weekends|macos|linux|"
        r"windows)\b|\bonly\.?$",
        r"只(?:用|吃|喝|看|拍|坐|打|玩|买|穿|接|收|做|写|听|能|在|有.{1,10}(?:能|可以|才)|游|跑|住|走|发|养|上)(?!是)",
    ),
    "term": (
        r"\b(?:runs? out|expires?|renews?|is up|is due|starts?|begins?|ends?|closes?|opens?|sit|graduates?|matures?)\b"
        r".{0,30}\b(?:in|on|at|by|from|the)\b|\b(?:until|by the end of|before) (?:the )?(?:year|month|january|february|"
        r"march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|20\d\d)\b",
        r"到期|续[约租费签]|开学|上(?:幼儿园|小学|初中|高中|大学)|预产期|交房|年底前|月底前|开门|关门|营业|截止",
    ),
    "agreed_on": (
        r"\b(?:agreed (?:on|that|to)|in the end|final call|ended up with|landed on|opted for|went with|going with|"
        r"settled on|that'?s (?:decided|final|the plan)|we decided|i decided|decision is|made up my mind|for good|"
        r"(?:it|that) is[.!]?$|it'?ll be|we'?re keeping|sticking (?:with|to))\b",
        r"说好|拍板|商量好|讲好|谈妥|定下|选了|选定|最后.{0,6}(?:选|定|用|还是)|那就?定|已经批|敲定|决定|定[^，。]{0,8}吧|不再引",
    ),
    "in_charge": (
        r"\b(?:in charge|responsible for|handles?|looks? after|signs? off|signature|approv(?:al|es?)|does the \w+|"
        r"do the \w+|i (?:lead|run|head|chair|supervise|own)|reports? to|the only \w+)\b",
        r"归[^，。]{1,6}(?:管|做|算|负责|弄|我|他|她)|归我|由[^，。]{1,8}(?:负责|拍板|签|管|审|定)|"
        r"得[^，。]{1,6}(?:签字|点头|批|同意|审)|必须[^，。]{1,6}(?:签字|批)|我带|就我一个|我管|我负责",
    ),
    "kin_fact": (
        rf"\b{_KIN_EN}(?:'s|’s| is| are| has| have| can'?t| cannot| won'?t| doesn'?t| don'?t| only| never| \w+s) ",
        rf"{_KIN_ZH}(?:今年|现在|已经|都|一直|也|是|有|在|叫|爱|喜欢|讨厌|不|对|上|读|[0-9一二三四五六七八九]|牙口|身体|痛风|中风|"
        r"刚上|只有|每)",
    ),
    "told_to": (
        rf"\b(?:{_ROLES_EN}) (?:\w+ )?(?:wants?|says?|said|requires?|insists?|won'?t|needs?|told|told me|"
        rf"only accepts?|has a rule)\b|"
        r"\bdoctor'?s orders\b|\bi was told\b",
        r"(?:医生|大夫|编辑|房东|学校|单位|公司|甲方|领导|医院|物业|导师|老师|科里|法务)[^，。]{0,4}(?:让|要(?!是)|不让|规定|要求|叫我|嘱咐|批)|医生说",
    ),
    "no_go": (
        r"\b(?:is|are) (?:a )?(?:no|out)(?: for (?:me|us)|-go| go)?[.,!]?(?:$| )|\bno good\b|\b(?:doesn'?t|"
        r"don'?t) agree with\b|"
        r"\boff limits\b|\bno-go\b|\bdeal ?breaker\b|\bnot for me\b|\bbrings? (?:me|him|her|them) out\b",
        r"我(?:可)?不行|(?:周.|星期.|早上|晚上)不行|碰不[了得]|受不住|接受不了|走不了|搬不了|不能(?:搬|提|吃|喝|碰|熬|上|接|超|单独|过头)|忌",
    ),
    "asks_style": (
        r"^(?:from here on|put|give|keep|start|end|answer|reply|use|don'?t use|no|always|never|skip|prices?|"
        r"correct)\b.{0,80}"
        r"\b(?:when you|answers?|me|every time|units?|always|first|in everything|anything|drafts?|replies|"
        r"bullets?|emojis?|please)\b|"
        r"\b(?:for|in) (?:any|every|all)(?:thing)? (?:text|draft|answer|reply|you (?:write|draft|give))\b|"
        r"\b(?:no sugar coating|"
        r"straight(?: up)?,? (?:please|no))\b",
        r"给我.{0,8}(?:别|不要|用|只|一律|公制)|直说|别绕|先说.{1,8}再|先给.{1,8}再|(?:字|回答|回复|语气|格式|答案|解释|公文|改稿|稿子|报价|注释|命名|变量名)"
        r"[^，。]{0,6}(?:都|别|放大|简短|短|要|一律|写|用)|别给我|给我回答|别用表格|纠错|别联系|别打电话|发(?:短信|消息|邮件)(?:就行|，|吧)",
    ),
    "house_rule": (
        r"\b(?:house|team|company|ground|golden|standing|shop|family)[ -](?:rule|policy|style|standard|"
        r"wide)s?\b|\bthat'?s (?:the|a|our) "
        r"(?:\w+ )?rule\b|\b(?:as a|by) rule\b|\bcompany-wide\b|\b(?:needs?|need) \w+'s (?:signature|approval|"
        r"ok)\b|\bget(?:s)? approved\b",
        r"规矩|公司规定|学校规定|家规|店规|红线|组里定|明文|一律|统一|凡是|谁都不|任何人",
    ),
    "age_or_years": (
        r"\b(?:'s|is|are|am|'m|turned|aged?|be) (?:only |now |almost |nearly |about )?\d{1,3}\b(?! ?(?:%|min|km|"
        r"euro|pm|am|o'clock|minutes|"
        r"hours|pounds|quid|bucks|left))|\b\d{1,2}[- ]year[- ]old\b|\bfor (?:\w+ )?(?:years|decades)\b|"
        r"\bsince (?:19|20)\d\d\b",
        r"[0-9一二三四五六七八九十两]+(?:岁|年级|个多?年头)|(?:七|八|六|五|九)十[一二三四五六七八九]?了|了[0-9一二两三四五六七八九十多几]+年|"
        r"[0-9一二三四五六七八九十两]+年了",
    ),
    "usual": (
        r"\b(?:go-to|always book|usually|as a rule|every weekday|most days|in general|tend to|on (?:mon|tues|"
        r"wednes|thurs|fri|satur|sun)days|"
        r"first working day|each (?:week|month)|never ship|by default)\b",
        r"我?一般(?:都|是|中午|早上|晚上|只|不)?|都是(?:每|在|周|我|早|晚)|我都(?!不知|快|没|已|要)|向来|多半|通常|习惯(?:了|用|先)?|每(?:年|月|周|天)(?:都|的|第)?",
    ),
}

WAYS: Final[dict[str, re.Pattern[str]]] = {
    name: re.compile(f"(?:{english})|(?:{chinese})", re.IGNORECASE) for name, (english, chinese) in _WAYS.items()
}


def ways_in(text: str) -> set[str]:
    """The names of every lasting way of saying that *text* shows."""
    return {name for name, pattern in WAYS.items() if pattern.search(text)}
