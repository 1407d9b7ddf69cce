"""What the assistant last asked, since an answer is worth nothing without its question.

Five kinds matter. *wh*: the question is the topic of the answer. *either*: what stands before the
options is. *guess*: a yes adopts it, another answer keeps its topic without its guess. *offer*: a yes
only orders work. *none*: nothing was asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from hindsight.language.extraction.cues import LATIN_IN_CHINESE, NUMBER, PRODUCT
from hindsight.language.extraction.tagging import tagged
from hindsight.language.script import language_of
from hindsight.language.sentences import sentences

Kind = Literal["none", "wh", "either", "guess", "offer"]

# Longer ones are explanations that end in a question; as a topic they would drown the answer.
_TOPIC_CHARACTERS_MAX: Final = 90
# Options of an either-or are short and about as long as each other.
_OPTION_CHARACTERS_MAX: Final = 8

_ASKS: Final = re.compile(r"[?？]\s*[”\"’)）]*\Z|(?:吗|吧|呢)[。.]?\Z|您看[。.]?\Z")
# "您用的是飞书吧，我来导出": the guess stands in the first clause of a statement.
_INNER_GUESS: Final = re.compile(r"^([^，,。]{3,40}吧)[，,]")
_OFFER: Final = re.compile(
    r"^(?:(?:so|ok(?:ay)?|great|got it|sure|and)[,.!]? )?(?:want (?:me|a|an|the|to)|do you want (?:me|"
    r"a|an|the|to|help)|would you like|"
    r"should i|shall i|shall we|need (?:me|a|any|help)|can i|may i|could i|anything else|ready|"
    r"like me to|how (?:can|may) i|"
    r"(?:add|make|create|open|run|fix|draft|write|send|push|commit|rename|remove|delete|clear|bump|"
    r"set|move|reuse|translate|export) (?:a|an|the|it|this|that|them)?)\b|\b(?:add|want|make|set|"
    r"rename|remove|draft) [\w' -]{1,30}\?$|"
    r"^(?:那|好的?，)?(?:需要|要不要|要我|是否需要|还有(?:别的|其他|什么)|需不需要|您看|要给|我(?:来|"
    r"给|帮|再|顺手|把))|(?:要(?:加|写|列|看|给|改|清|设|换|点评|提前申请).{0,12}[吗么])|"
    r"帮您.{0,16}[？?]|^.{0,24}我(?!们).{0,16}(?:加|写|改|做|提|用|发|删|导|换|登录|按|"
    r"来).{0,24}[？?吗吧]",
    re.IGNORECASE,
)
_EITHER: Final = re.compile(r"\b\S+ or \S+|还是(?!您|你|在)|或者?是", re.IGNORECASE)
_WH: Final = re.compile(
    r"\b(?:what|which|where|when|who|whose|why|any|how(?! about))\b|什么|哪|几[个天点时岁月级人种]|"
    r"多少|多大|多长|多久|怎么|如何|谁|啥|何时|有没有|有.{0,24}(?:吗|么)[？?]|呢[？?]",
    re.IGNORECASE,
)
_BARE_TOPIC: Final = re.compile(r"^[A-Za-z][\w' -]{1,30}\?$")
_RESTATES: Final = re.compile(
    r"你(?:是)?(?:希望|想(?!用)|担心|需要|在为|打算)|您(?:是)?(?:希望|想(?:要|了解|知道|让|问|请)|"
    r"需要)|对吗|是这个意思|[你您](?:可能|是不是)(?:在|想|觉得|也|还|正)|是不是(?:也|还|正)?(?:让|"
    r"给)[你您]|[你您]心里|听(?:起来|上去)|"
    r"对[你您]来说|意味着|[你您].{0,6}(?:感受|感觉|心情|情绪)|愿意|想.{0,6}(?:聊|分享|梳理|探讨|找一些)|"
    r"[你您]觉得|\b(?:so you(?:'d| would| want| are)|you(?:'re| are) (?:looking|asking|"
    r"trying))\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|great|good|nice|noted|understood|thanks?|got it|right|sure|and|so|then|also|"
    r"perhaps|maybe|fine|lovely)\b[,.:! ]*)+|^(?:那么?|好的?|了解|明白|收到|请问|另外|以及|"
    r"嗯)[，,：: ]*",
    re.IGNORECASE,
)
_AUXILIARY: Final = re.compile(
    r"^(?:do|does|did|is|are|was|were|can|could|will|would|should|shall|have|has|how about|what about|"
    r"want|how would)\b(?: (?:you|we|it|that|there|i|they|the|your))?(?: (?:want|like|prefer|need|"
    r"have|use|also|still|already|to|me))*\s*",
    re.IGNORECASE,
)


_NAME_TAGS: Final = frozenset({"ns", "nt", "nz", "nr"})
_EMPTY_TOPIC: Final = frozenset("the and for you your they are was that this these".split())
_ABOUT_TASK: Final = re.compile(
    r"\bwhat (?:do you need|can i|needs?|would you like|does (?:it|the|that)|'?s (?:wrong|up|"
    r"the (?:problem|error|issue|matter)))|\bwhat'?s? (?:should|is) (?:i|it)\b|anything else|"
    r"how can i|which (?:folder|file|line|part|stretch|one)|what are we (?:\w+ing)|what(?:'s|"
    r" is) (?:the )?(?:challenge|slow|broken|failing|problem|next)|"
    r"需要什么|有什么(?:可以|需要|问题)|算什么|先看|什么(?:现象|问题|报错)|哪(?:块|段|句|部分)|"
    r"包含哪些|愿意说|写什么|怎么(?:帮|改)|"
    r"\bdid .{2,60} (?:go|work|turn) (?:well|out|ok(?:ay)?|fine|smoothly|alright)\b|"
    r"\bhow did .{2,60} (?:go|turn out)\b|"
    r"(?:进展|进行|弄|做|处理|迁移|部署|升级).{0,6}(?:顺利|怎么样|如何)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question of an assistant turn: where it stands and what of it an answer may borrow."""

    kind: Kind
    text: str
    start: int
    end: int
    restates: bool = False

    @property
    def about_task(self) -> bool:
        """Whether it asks what to do now, so that the answer is an order and no fact."""
        return bool(_ABOUT_TASK.search(self.text))


NO_QUESTION: Final = Question("none", "", 0, 0)


def last_question(content: str) -> Question:
    """The last thing *content* asks, or a question of kind ``none``."""
    for start, end in reversed(sentences(content[-2_000:])):
        offset = max(0, len(content) - 2_000)
        text = content[start + offset : end + offset]
        inner = _INNER_GUESS.match(text)
        if inner and not _ASKS.search(text):
            return Question("guess", inner.group(1), start + offset, start + offset + inner.end(1))
        if not _ASKS.search(text):
            continue
        return Question(_kind(text), text, start + offset, end + offset, bool(_RESTATES.search(text)))
    return NO_QUESTION


def _kind(text: str) -> Kind:
    bare = _LEAD.sub("", text)
    if _OFFER.search(bare):
        return "offer"
    if _EITHER.search(bare):
        return "either"
    if _WH.search(bare):
        return "wh"
    if _BARE_TOPIC.match(bare) and not NUMBER.search(bare) and len(bare.split()) <= 3:
        return "wh"
    return "guess"


def topic_of(question: Question, *, answered: bool) -> str:
    """What an answer may borrow from *question*: the whole of an open one, else what is no guess.

    Args:
        question: What was asked.
        answered: False when the answer refuses or replaces the guess, so that nothing that was only
            guessed (a number, a name, a product) may enter the memory.
    """
    text = _LEAD.sub("", question.text).strip(' ?？。.！!"”“')
    if not text or len(text) > _TOPIC_CHARACTERS_MAX or question.kind == "none" or question.about_task:
        return ""
    if question.kind == "wh" and answered:
        # "Which loudness, -16?": the guess behind the comma is no part of the topic.
        return re.sub(r"[,，](?=[^,，]*\d)[^,，]*$", "", text)
    text = _without_guess(_AUXILIARY.sub("", text), question.kind)
    return text if _says_something(text) else ""


def statement_of(question: Question) -> str:
    """The guess of *question* as a statement, for adopting it."""
    text = _LEAD.sub("", question.text).strip(' ?？。.！!"”“')
    text = re.sub(r"[，,]?(?:对吧|对吗|对不对|是吧|是吗|是不是|可以吗|好吗|行吗|吧|吗|呢|right)$", "", text)
    text = re.sub(r"^(?:是不是|是否|还是|请问)", "", text)
    if re.match(r"(?:are|were) you\b", text, re.IGNORECASE):
        return re.sub(r"^(?:are|were) you\b", "you are", text, flags=re.IGNORECASE)
    return re.sub(
        r"^(?:do|does|did|should i|shall i|should we|is|are|will|would|can|could|how about|what about|"
        r"maybe|perhaps)\b ?(?:it |that )?",
        "",
        text,
        flags=re.IGNORECASE,
    )


def _without_guess(text: str, kind: Kind) -> str:
    if kind == "either":
        if language_of(text) == "zh":
            before, _, after = text.partition("还是")
            text = re.split(r"[A-Za-z0-9]|或者", before, maxsplit=1)[0]
            if text == before and len(re.sub(r"\W", "", after)) < _OPTION_CHARACTERS_MAX:
                text = before[: -max(2, len(re.sub(r"\W", "", after)))]
            text = re.sub(r"(?:你|您)?(?:想|要|是|用|选|在|打算|准备)*用?$", "", text)
        else:
            text = re.split(r"\s\S+(?:,? \S+)? or ", " " + text, maxsplit=1)[0]
    text = PRODUCT.sub("", text)
    if language_of(text) == "zh":
        text = LATIN_IN_CHINESE.sub("", text)
        text = "".join(word for word, tag in tagged(text) if tag not in _NAME_TAGS)
        text = re.sub(r"^(?:那|是不是|是否|请问|是)+", "", text)
        text = re.sub(r"[，,]?(?:对吧|对吗|是吧|是吗|可以吗|好吗|行吗|吧|吗|呢)$", "", text)
    else:
        text = re.sub(r"(?<=\s)[A-Z][\w.+-]*", "", text)
    text = re.sub(rf"[-~]?(?:{NUMBER.pattern})\s*(?:%|°|kg|km|mm|cm|euro?s?|年|个|天|点|块|元|万|座|人)?", "", text)
    return re.sub(r"\s{2,}", " ", text).strip(' ,，、:：()（）"“”')


def _says_something(text: str) -> bool:
    words = [w for w in re.findall(r"[A-Za-z]{3,}|[\u3400-\u9fff]", text) if w.lower() not in _EMPTY_TOPIC]
    return len(words) >= 1 and (language_of(text) == "en" or len(words) >= 2)
