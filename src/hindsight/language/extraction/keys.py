"""The key of a memory: the slot its value fills, the same whenever the slot comes up again.

Known slots have one name in both languages. Elsewhere the key is the category with what the sentence is
about: the names in it, else its first nouns; for a taste, the thing liked or avoided. Numbers never
enter, since they are what changes.
"""

from __future__ import annotations

import re
import zlib
from typing import Final

from hindsight.domain.errors import InvalidRequest
from hindsight.domain.memory import KEY_BYTES_MAX, Category, Language, parse_key
from hindsight.language.extraction.cues import LATIN_IN_CHINESE, PRODUCT
from hindsight.language.extraction.openers import bare_chinese, bare_english
from hindsight.language.extraction.slots import relation_of, slot_of
from hindsight.language.extraction.tagging import tagged

# Two nouns tell most slots apart; with three, two talks about one slot seldom agree.
_NOUNS_MAX: Final = 2
_PHRASE_WORDS_MAX: Final = 2
_SHORT_NAME_MAX: Final = 4

_ALLERGY: Final = re.compile(
    r"\ballerg(?:ic|y) to (?:the |all )?([A-Za-z]+)|\b([A-Za-z]+) allergy\b|"
    r"对([\u3400-\u9fff]{1,6}?)(?:严重|轻微)?过敏|([\u3400-\u9fff]{1,4})不耐|我(?!对)([\u3400-\u9fff]{1,5})过敏",
    re.IGNORECASE,
)
_TASTE: Final = re.compile(
    r"\b(?:(?:i|we|she|he|they|really|also|just|do|don'?t|doesn'?t|would|always) (?:love|like|adore|"
    r"prefer|enjoy|hate|"
    r"dislike)s?|can'?t stand|won'?t (?:eat|touch)|don'?t (?:eat|drink)|fan of|fond of|(?:i'm|really|so|"
    r"am|is) into|mad about|"
    r"(?:gone|went|going) off|gave up|given up|no longer (?:eat|like|use)) "
    r"(?:the |a |an |my |to |eating |drinking |anything |using |more |really )*((?:[A-Za-z][\w&-]+ ?){1,3})|"
    r"(?:不?喜欢|喜爱|更?偏好|最?爱(?:吃|喝|看|用|听)?|讨厌|不吃|不喝|不碰|受不了|习惯)(?:用|吃|喝|看|听|"
    r"那种)?([\u3400-\u9fff]{1,8}|[A-Za-z][\w.+-]*)",
    re.IGNORECASE,
)
_POSSESSED: Final = re.compile(
    r"\b(?:my|our)((?: (?:new|own|old|current|whole|first|last|next))*)((?: [A-Za-z][\w'-]*){1,4})", re.IGNORECASE
)
_DETERMINED: Final = re.compile(
    r"\b(?:the|an?|some|this|that|any)((?: (?:new|own|old|few|lot of|bit of|good|more))*)((?: [A-Za-z][\w'-]*){1,4})",
    re.IGNORECASE,
)
_CAPITALISED: Final = re.compile(r"(?<=[a-z,;:] )(?!I\b)[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_ENDS_PHRASE: Final = frozenset(
    "of for to in on at by with from about into over under than as that which who when where while if "
    "and or but so because since "
    "is are was were am be been has have had do does did can could will would should may might must not "
    "it's i i'm i've we they he "
    "she it you there here now lately recently today again between among too also just only always never really "
    "very much every each".split()
)
_STOP: Final = frozenset(
    "the a an and or but for with from that this these those what which who how when where why any "
    "have has had was were are is been be being it its to of in on at by as lot bit kind sort way ways "
    "not no yes user users can could should would will your my our you we i they he she his her them their "
    "there here one two three do does did doing done don doesn dont im ive me us "
    "just also only always never ever really more most very much some all every each per if so than then "
    "about into over "
    "under out up down off we're i'm i've i'll i'd want wants need needs use uses using get gets got "
    "getting make makes made "
    "like please says said going keep thing things stuff confirmed on with's asks don't must it's time "
    "times day days week weeks "
    "month months year years doesn't can't won't isn't let let's go now still too try trying tried think "
    "thinks feel feeling find "
    "looking look good great best better new few lately recently sure able work works working start started "
    "help know run runs deploy monday tuesday wednesday thursday friday saturday sunday only".split()
)
_EMPTY_NOUNS: Final = frozenset(
    "时候 感觉 东西 问题 方面 情况 事情 时间 地方 方法 办法 样子 意思 事 人 大家 部分 特点 结果 原因 "
    "用户 助手 今天 明天 昨天 现在 "
    "最近 平时 以后 之前 之后 上面 下面 里面 个人 自己 话 点 次 段 块 种 想法 思路 建议 "
    "需求 状态 效果 程度 内容 方式 过程 关键 重点".split()
)
# Of these kinds whom it is about says more than what kind it is.
_TOLD_BY_PERSON: Final[frozenset[Category]] = frozenset({"relationship", "preference", "fact", "schedule"})
_NAME_TAGS: Final = frozenset({"nz", "nr", "ns", "nt", "nrt", "nrfg", "eng"})
_NOUN_TAGS: Final = frozenset({"n", "vn", "an", "l", "j"})


def key_of(text: str, category: Category, topic: str, language: Language) -> str:
    """The slot that *text* fills.

    Args:
        text: The user's own words, first person.
        category: What kind of memory it is.
        topic: The question it answers, or nothing.
        language: The language of the words, for slots that have no name of their own.
    """
    text = (bare_chinese(text) if language == "zh" else bare_english(text)) or text
    if found := _ALLERGY.search(text):
        return _fit(f"allergy_{_singular(next(part for part in found.groups() if part).lower())}")
    relation = relation_of(text)
    slot = slot_of(text) or (slot_of(topic) if topic else None)
    if slot:
        return _fit(f"{relation}_{slot}" if relation and category == "relationship" else slot)
    taste = _TASTE.search(text)
    if taste and category in {"preference", "constraint"}:
        thing = (_phrase(taste.group(1)).split("_")[-1] if taste.group(1) else _head_noun(taste.group(2))).lower()
        if thing and thing not in _STOP:
            return _fit(f"{_singular(thing)}_preference")
    changed = _changed_thing(text, language)
    words = _topic_words(topic, language) or ([changed] if changed else _topic_words(text, language))
    head = relation if relation and category in _TOLD_BY_PERSON else category if len(words) < _NOUNS_MAX else ""
    if changed and not relation:
        head = ""
    key = _fit("_".join([part for part in (head, *words) if part and (part != relation or part == head)]))
    try:
        return parse_key(key)
    except InvalidRequest:
        # Nothing in the words names a slot: the same words still give the same key.
        return f"{head}_{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


_CHANGED_EN: Final = re.compile(
    r"\b(?:switched|moved|migrated|changed|swapped|ported) (?:our|my|the|all our|"
    r"all the) (?P<object>[a-z][\w -]{1,30}?) "
    r"(?:from|to|over|off|onto)\b|\b(?:our|my|the) (?P<subject>[a-z][\w -]{1,30}?)(?: has| have)?(?: now)? "
    r"(?:moved|switched|migrated|changed|went up|went down|goes|is now|are now)\b",
    re.IGNORECASE,
)
_CHANGED_ZH: Final = re.compile(
    r"^(?:我们?的?|咱们的?|把)?(?P<thing>[\u3400-\u9fffA-Za-z ]{1,14}?)(?:已经|现在|都|也|早就)?"
    r"(?:从[^，。]{1,16}?)?(?:换|改|迁|转|切|调|提|涨|降|升)(?:成|到|为|回|至)"
)


def _changed_thing(text: str, language: Language) -> str:
    """What *text* says was changed, without its old and new values; nothing where it tells of no change."""
    if language == "zh":
        found = _CHANGED_ZH.match(text)
        nouns = [w for w, tag in tagged(found["thing"]) if tag in _NOUN_TAGS | {"nz"} and len(w) >= 2] if found else []
        return "_".join(nouns[-_NOUNS_MAX:])
    found = _CHANGED_EN.search(text)
    return _phrase(found["object"] or found["subject"]) if found else ""


def _topic_words(text: str, language: Language) -> list[str]:
    """What *text* is about: its names first, then its nouns, each once."""
    found = _chinese_nouns(text) if language == "zh" else _english_nouns(text)
    return list(dict.fromkeys(found))[:_NOUNS_MAX]


def _chinese_nouns(text: str) -> list[str]:
    words = tagged(text)
    named = [word.lower() for word, tag in words if tag in _NAME_TAGS and len(word) >= 2 and not re.search(r"\d", word)]
    named = [word for word in named if word not in _EMPTY_NOUNS and not _NO_TOPIC.search(word)]
    latin = [word.lower() for word in LATIN_IN_CHINESE.findall(text) if len(word) > 1 and not re.search(r"\d", word)]
    nouns = [word for word, tag in words if tag in _NOUN_TAGS and len(word) >= 2 and word not in _EMPTY_NOUNS]
    nouns = [word for word in nouns if not _NO_TOPIC.search(word)]
    verbs = [word for word, tag in words if tag == "v" and len(word) >= 2 and word not in _EMPTY_VERBS]
    return [*latin[:1], *named[:1], *nouns] or verbs


# Days say when, and whom it is about is told by the relation.
_NO_TOPIC: Final = re.compile(
    r"^[今昨明前后][天晚早年]|[上下]午$|^[我你他她]|^(?:爸|妈|儿子|女儿|孩子|父母|父亲|母亲|女朋友|男朋友)"
)
_EMPTY_VERBS: Final = frozenset(
    "觉得 感觉 没有 可以 需要 希望 知道 开始 进行 使用 打算 准备 计划 应该 可能 能够 想要 不能 没 有点 看看 试试 "
    "说 成 让 到 去 来 做 弄 搞 发现 看到 想 要".split()
)


def _head_noun(phrase: str) -> str:
    """The thing in a Chinese phrase that follows "likes": the last noun before anything else is said."""
    if phrase.isascii():
        return phrase
    run: list[str] = []
    for word, tag in tagged(phrase):
        if tag in _NAME_TAGS | _NOUN_TAGS:
            run.append(word)
        elif run:
            break
    named = run[-1] if run else phrase[:4]
    # A segmenter that does not know a word cuts it: of a short name the whole is kept.
    return phrase if len(named) == 1 and len(phrase) <= _SHORT_NAME_MAX else named


def _english_nouns(text: str) -> list[str]:
    paths = [path.strip("`.").lower() for path in PRODUCT.findall(text) if not re.search(r"\d", path)]
    named = [name.lower().replace(" ", "_") for name in _CAPITALISED.findall(text) if name.lower() not in _STOP]
    owned = [_phrase(found.group(2)) for found in _POSSESSED.finditer(text)]
    stated = [_phrase(found.group(2)) for found in _DETERMINED.finditer(text)]
    found = [*owned[:1], *paths[:1], *named[:1], *stated, *owned[1:]]
    found = [word for word in found if word]
    if found:
        return [word for n, word in enumerate(found) if not _parts(word) & _parts("_".join(found[:n]))]
    words = [word.lower() for word in re.findall(r"[A-Za-z][A-Za-z'+#-]{2,}", text)]
    return [_singular(word) for word in words if word not in _STOP]


def _parts(word: str) -> set[str]:
    return set(re.split(r"[_-]", word)) - {""}


def _phrase(words: str) -> str:
    """The head of a noun phrase: its last words before anything that cannot belong to it."""
    run: list[str] = []
    for word in words.lower().split():
        word = word.strip("'-").removesuffix("'s")
        if word in _ENDS_PHRASE or (run and word.endswith(("ing", "ed", "ly"))):
            break
        if word not in _STOP:
            run.append(word)
    return "_".join([*run[:-1], _singular(run[-1])][-_PHRASE_WORDS_MAX:]) if run else ""


def _singular(word: str) -> str:
    if not word.isascii() or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ics")):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


def _fit(key: str) -> str:
    key = re.sub(r"[^\w\u3400-\u9fff.+#/-]+", "_", key).strip("_.-/") or "statement"
    while len(key.encode("utf-8", "ignore")) > KEY_BYTES_MAX:
        key = key[:-8]
    return key
