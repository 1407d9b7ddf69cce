"""The key of a memory: the slot its value fills, the same whenever the slot comes up again.

Known slots have one English name in both languages, so that "I moved to Leiden" meets "我住在莱顿".
Elsewhere the key is the topic without the value: the question's words for an answer, the thing liked
or avoided for a taste, and otherwise the first words that carry the topic. Numbers never enter, since
they are what changes.
"""

from __future__ import annotations

import re
import zlib
from typing import Final

from hindsight.domain.errors import InvalidRequest
from hindsight.domain.memory import KEY_BYTES_MAX, Category, Language, parse_key
from hindsight.language.extraction.cues import LATIN_IN_CHINESE, PRODUCT

_WORDS_MAX: Final = 3
_HAN_MAX: Final = 6

_SLOTS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("name", r"\bmy name is\b|\bcall me\b|我叫|我的名字|叫我"),
        ("birthday", r"\bbirthday\b|生日"),
        (
            "home_city",
            r"\b(?:i|we) live in\b|\bi(?:'m| am) (?:based|living) in\b|\b(?:i|we)(?:'re)?(?: just)? mov(?:ed|"
            r"ing) (?:to|from)\b|(?:我|现在|家)住在?|搬[到去家]|定居|人在",
        ),
        ("employer", r"\bi work (?:at|for)\b|\bjoined .{2,20} as\b|在.{1,14}(?:上班|工作|任职)|入职|我(?:们)?公司是"),
        (
            "occupation",
            r"\bi(?:'m| am) an? [\w ]{0,24}(?:engineer|developer|nurse|teacher|doctor|designer|analyst|"
            r"manager|student|accountant|porter|chef|lawyer|writer|\w+ist|\w+er)\b|\bi(?:'m|"
            r" am) (?:in )?payroll|\bi (?:taught|teach)\b|我是.{0,10}(?:师|员|生|医|工|经理|班长|老板|创业者)|"
            r"我做.{1,10}的|归我[管盯]",
        ),
        (
            "studies",
            r"\b(?:studying|degree|masters?|phd|(?:1st|2nd|3rd|first|second|third|final) yr?|university)\b|"
            r"在?读.{0,14}(?:master|硕|博|研|专业|大学)|大[一二三四]|就读",
        ),
        ("age", r"\bi(?:'m| am) \d{1,3}\b(?! (?:minutes|miles|km))|\byears old\b|我(?:今年)?\d{1,3} ?岁"),
        ("nationality", r"\b(?:citizen|nationality|passport from|permit)\b|国籍|公民"),
        (
            "diet",
            r"\b(?:vegan|vegetarian|halal|kosher|coeliac|celiac|gluten|lactose|pescatarian)\b|素食|吃素|清真|"
            r"乳糖|麸质",
        ),
        (
            "answer_language",
            r"\b(?:reply|answer|respond|write) (?:to me )?in (?:english|chinese|french|german|spanish|"
            r"dutch)\b|(?:用|说)(?:中文|英文|英语|汉语)(?:回|答|说|跟)",
        ),
        ("package_manager", r"\b(?:pnpm|npm|yarn|bun|uv|poetry|pip|conda|cargo|maven|gradle|mvn)\b|包管理"),
        ("unit_test_framework", r"\b(?:junit\d?|pytest|vitest|jest|rspec|mocha|unittest)\b|单测|测试框架"),
        ("formatter", r"\b(?:black|ruff|prettier|biome|clang-format|gofmt|formatter)\b|格式化"),
        ("python_version", r"\bpython ?\d"),
        ("java_version", r"\b(?:java|jdk) ?\d"),
        ("node_version", r"\bnode[: ]?\d"),
        ("php_version", r"\bphp ?\d"),
        ("ios_version_min", r"ios ?\d|最低.{0,6}ios"),
        ("database", r"\b(?:postgres\w*|mysql|mariadb|sqlite|mongo\w*|oracle)\b|数据库用"),
        ("frontend_framework", r"\b(?:react|vue|svelte|angular)\b|前端框架"),
        ("state_management", r"\b(?:redux|pinia|zustand|riverpod|bloc|vuex)\b|状态管理"),
        ("editor", r"\b(?:vim|neovim|emacs|vs ?code|intellij|pycharm)\b|编辑器"),
        ("operating_system", r"\b(?:macos|windows \d+|ubuntu|arch linux|fedora|debian)\b|操作系统"),
        (
            "deploy_window",
            r"\b(?:deploys?|releases?) (?:is |are |go |happen )?.{0,24}\b(?:mon|tues|wednes|thurs|fri|satur|"
            r"sun)day|发布窗口|(?:生产|上线|发布|发版).{0,10}(?:周|星期)",
        ),
        ("branch_rule", r"\bbranch(?:es)?\b|分支"),
        ("commit_rule", r"\bcommit messages?\b|提交信息|commit message"),
        ("review_rule", r"\bapprov(?:e|al|als)\b|\breviewers?\b|approve|评审"),
        ("deadline", r"\bdeadline\b|\bdue (?:on|by)\b|截止|交付日"),
        ("budget", r"\bbudget\b|\bceiling\b|\bquid\b|\btops\b|预算|以内.{0,4}$"),
        ("payday", r"\bpay ?day\b|\bsalary\b|工资|发薪"),
        ("rent", r"\brent (?:is|goes)\b|租金|房租"),
        ("commute", r"\bcommut\w+\b|通勤"),
        ("max_heart_rate", r"\bmax(?:imum)? (?:hr|heart rate)\b|最大心率"),
        ("contact_rule", r"\b(?:call|phone|ring) me\b|\btext or email\b|打电话|别.{0,4}电话|联系我"),
    )
)
_ALLERGY: Final = re.compile(
    r"\ballerg(?:ic|y) to (?:the |all )?([A-Za-z]+)|\b([A-Za-z]+) allergy\b|"
    r"对([\u3400-\u9fff]{1,6}?)(?:严重|轻微)?过敏|([\u3400-\u9fff]{1,4})不耐",
    re.IGNORECASE,
)
_TASTE: Final = re.compile(
    r"\b(?:love|like|adore|prefer|enjoy|hate|dislike|can'?t stand|won'?t (?:eat|touch)|don'?t (?:like|"
    r"eat|drink)|fan of|fond of|into|mad about)s? "
    r"(?:the |a |an |my |to |eating |drinking |anything |using |more |really )*([A-Za-z][\w&-]+)|"
    r"(?:不?喜欢|喜爱|更?偏好|最?爱(?:吃|喝|看|用|听)?|讨厌|不吃|不喝|不碰|受不了)(?:用|吃|喝|看|听|"
    r"那种)?([\u3400-\u9fff]{1,5}|[A-Za-z][\w.+-]*)",
    re.IGNORECASE,
)
_RELATION: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "partner",
            r"\b(?:wife|husband|partner|girlfriend|boyfriend|fianc\w+)\b|老婆|妻子|太太|媳妇|老公|丈夫|对象|"
            r"女朋友|男朋友|女友|男友",
        ),
        ("mother_in_law", r"\bmother[- ]in[- ]law\b|婆婆|岳母|丈母娘"),
        ("mother", r"\b(?:mum|mom|mother)\b|我妈|妈妈|母亲|老妈"),
        ("father", r"\b(?:dad|father)\b|我爸|爸爸|父亲|老爸"),
        ("sister", r"\bsister\b|姐姐|妹妹|我姐|我妹"),
        ("brother", r"\bbrother\b|哥哥|弟弟|我哥|我弟"),
        ("son", r"\b(?:son|lad)\b|儿子"),
        ("daughter", r"\bdaughter\b|女儿|闺女"),
        ("child", r"\b(?:kids?|child(?:ren)?|toddler|baby|twins)\b|孩子|娃|宝宝|老大|老二"),
        ("cat", r"\bcat\b|猫"),
        ("dog", r"\bdog\b|狗"),
        ("colleague", r"\b(?:colleague|teammate|boss)\b|同事|领导"),
        ("friend", r"\b(?:friend|mate)\b|朋友"),
    )
)
_STOP: Final = frozenset(
    "the a an and or but for with from that this these those what which who how when where why any "
    "have has had was were are is been be it its to of in on at by as "
    "not no yes user users can could would should will your my our you we i they he she his her them "
    "there here one two do does did don doesn dont im ive "
    "just also only always never ever really more most very much some all every each per if so than "
    "then about into over under out up down off we're i'm i've "
    "want wants need needs use uses using get got make like please says said going keep thing things "
    "stuff says confirmed on with's asks got per don't must it's "
    "doesn't can't won't isn't let let's go now still too".split()
)
_ZH_SPLIT: Final = re.compile(
    r"[的了是在有和跟与对把被给就都也还要会能不没很太再又才只让用说得着过吧吗呢啊我你他她它们这那个一每为到从及或以及]"
)


def key_of(text: str, category: Category, topic: str, language: Language) -> str:
    """The slot that *text* fills.

    Args:
        text: The user's own words, first person.
        category: What kind of memory it is.
        topic: The question it answers, or nothing.
        language: The language of the words, for slots that have no name of their own.
    """
    if found := _ALLERGY.search(text):
        return _fit(f"allergy_{next(part for part in found.groups() if part).lower()}")
    both = f"{topic} {text}"
    relation = next((name for name, pattern in _RELATION if pattern.search(text)), None)
    slot = next((name for name, pattern in _SLOTS if pattern.search(both)), None)
    if slot:
        return _fit(f"{relation}_{slot}" if relation and category == "relationship" else slot)
    taste = _TASTE.search(text)
    if taste and category in {"preference", "constraint"}:
        thing = (taste.group(1) or taste.group(2)).lower()
        if thing not in _STOP:
            return _fit(f"{thing}_preference")
    words = _topic_words(topic, language) or _topic_words(text, language)
    head = relation if relation and category == "relationship" else category
    key = _fit("_".join([head, *(word for word in words if word != head)]))
    try:
        return parse_key(key)
    except InvalidRequest:
        # Nothing in the words names a slot: the same words still give the same key.
        return f"{head}_{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


def _topic_words(text: str, language: Language) -> list[str]:
    found: list[str] = []
    if language == "zh":
        found += [word.lower() for word in LATIN_IN_CHINESE.findall(text) if not re.search(r"\d", word)][:1]
        runs = [run for chunk in re.findall(r"[\u3400-\u9fff]+", text) for run in _ZH_SPLIT.split(chunk)]
        found += [run[:_HAN_MAX] for run in runs if len(run) >= 2][: _WORDS_MAX - 1]
        return found
    paths = [path.strip("`").lower() for path in PRODUCT.findall(text) if not re.search(r"\d", path)]
    words = [word.lower() for word in re.findall(r"[A-Za-z][A-Za-z'+#-]{2,}", text)]
    return list(dict.fromkeys([*paths[:1], *(word for word in words if word not in _STOP)]))[:_WORDS_MAX]


def _fit(key: str) -> str:
    key = re.sub(r"[^\w\u3400-\u9fff.+#/-]+", "_", key).strip("_.-/") or "statement"
    while len(key.encode("utf-8", "ignore")) > KEY_BYTES_MAX:
        key = key[:-8]
    return key
