"""The units of judgement: a user's sentences, without their noise clauses.

Single clauses lost a quarter of the quality and whole turns let three times as many violations in, so
the sentence is judged and the clause stays the unit of evidence: a correction or a "forget that" can
take one clause out and leave the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hindsight.domain.conversation import Turn
from hindsight.domain.memory import Language
from hindsight.language.extraction.cues import CUES, NUMBER, PRODUCT
from hindsight.language.secrets import find_secrets
from hindsight.language.sentences import Bounds, clauses, sentences
from hindsight.language.spans import foreign_spans

# What a person types by hand stays far below; beyond it only the two ends are read.
_READ_EACH_END: Final = 3_000
# A longer sentence is pasted text or a list without stops.
_SENTENCE_CHARACTERS_MAX: Final = 600
_SENTENCES_MAX: Final = 80
# A fragment this short ("like, ever.") belongs to the sentence before it.
_FRAGMENT_WORDS_MAX: Final = 2
_JOINABLE_CHARACTERS_MAX: Final = 200

_FIGURES_MIN: Final = 4
_BARE_MAYBE_WORDS: Final = 12
_MAYBE: Final = re.compile(
    r"^(?:maybe|perhaps|might|possibly|not sure|dunno|no idea|no clue|idk|let me (?:think|sleep)|"
    r"i'?ll think|we'?ll see|someday|one day|not now|not yet|再说|再想|再看|再议|改天|也许|可能吧|"
    r"不确定|不知道|没想好|还没(?:想|定)|先不|回头再|看情况|随便|都行|无所谓)",
    re.IGNORECASE,
)
_ATTACHMENT: Final = re.compile(
    r"^\[(?:screenshot|screen ?shot|image|photo|picture|attachment|file|video|图片|截图|照片|附件|"
    r"文件|语音)",
    re.IGNORECASE,
)
_PURE_NOISE: Final = re.compile(
    r"^(?:(?:嗯+|对+|是的?|好的?|没错|行|可以|没问题|的|啊|呀|是)+|(?:yes|yep|yeah|that'?s|right|"
    r"correct|exactly|it is|sure|ok|sounds good|please|do that|do it|[ ,])+|ok(?:ay)?|k|yes|yep|yeah|"
    r"yup|yea|no|nah|nope|sure|right|thanks?(?: (?:you|a lot|so much))?|thx|ty|ta|cheers|hi+|hey|"
    r"hello|hiya|lol|lmao|haha+|hah|ha|hmm+|ugh+|wow|oh|ooh?|"
    r"great|perfect|nice|cool|lovely|grand|exactly|got it|gotcha|fine|good|bye|please|pls|btw|"
    r"by the way|anyway|never ?mind|sorry|i know|honestly|tbh|wait(?: no)?|no wait|"
    r"that'?s (?:all|it|great|right)|shorter|longer|(?:倒|也|都|暂时)?没有?|改吧?|in case it matters|"
    r"just saying|bless you|well|so|and|also|like|"
    r"嗯+|哦+|噢|啊|诶|哎|唉|好+的?|好嘞|行|对+|是的|没错|谢+了?|谢谢你?|辛苦了?|拜+|晚安|你好|您好|"
    r"在吗|哈+|呵呵|可以|收到|对了|另外|还有|顺便|"
    r"no prob(?:lem)?|not any ?more|not really|not yet|not now|not my call|"
    r"(?:let'?s )?go with (?:that|it|this)|(?:yep |yes |ok )?let'?s (?:do|go with) (?:that|it|this)|"
    r"就按(?:这个|你说的)|(?:嗯)?就这么(?:定|办)了?|当我没说|先不管|no worries|sounds (?:good|right|"
    r"great)|dear|star|ace|green|me mostly|算了|等等|等下|不对|不是|没事|没了|没有了|ok了?|知道了|"
    r"明白了?|懂了|好吧|是这样|是吗|别别别?|不用了?|救命|别提了?)[\s!！。.,，~～…]*$",
    re.IGNORECASE,
)
_STRONG: Final = tuple(
    CUES[name] for name in ("like", "dislike", "must", "limit", "cannot", "health", "remember", "standing", "decision")
)
_SECRET_TALK: Final = re.compile(
    r"\b(?:api[ _-]?key|access[ _-]?key|secret(?:[ _-]?key)?|password|passwd|passphrase|pw|pwd|"
    r"pin(?: code)?|token|passport (?:number|no)|card number|ssn|cvv)\b(?: \w+){0,3}(?: is|:|=|"
    r"'s) ?\S|"
    r"(?:密码|口令|密钥|令牌|验证码|护照号码?|身份证号码?|卡号|银行卡|私钥)(?:是|为|：|:|=)\s*\S",
    re.IGNORECASE,
)
# The rest of a turn that only carries on: "that goes for all pages".
_CARRIES_ON: Final = re.compile(
    r"^(?:that|this|same|it)\b.{0,12}\b(?:goes|applies|holds|for (?:all|every|any)|always|rule|"
    r"every)\b|^(?:一直|以后|每次|今后)都?(?:这么|这样|如此)|^(?:这|都|全部|所有).{0,6}(?:一样|如此|"
    r"适用|这样|规矩)|^(?:like,? )?ever\b|^always\b|"
    r"^no exceptions",
    re.IGNORECASE,
)
_NOISE: Final = tuple(CUES[name] for name in ("closing", "mood", "weather", "laugh"))
_ASKING_EN: Final = re.compile(
    r"^(?:and |so |ok |but |also )?(?:what|how|why|who|which|where|when|is|are|do|does|did|can|could|"
    r"should|would|will|any|has|have)\b.*",
    re.IGNORECASE,
)
_ASKS_OPENLY: Final = re.compile(
    r"^(?:and |so |but |also )?(?:what|how|where|when|why|who|which)(?:'s| (?:do|does|did|is|are|can|"
    r"should|would|could))\b|^(?:and |so |but )?i(?:'m| am| was) (?:\w+ )?(?:wondering|curious)\b|"
    r"^any (?:ideas?|tips|thoughts|suggestions)\b|\bwtf\b",
    re.IGNORECASE,
)
_LASTS: Final = re.compile(
    r"\b(?:never|always|from now on|going forward|whenever|every time|every|as a rule|keep (?:that|"
    r"this|it))\b|以后|今后|往后|一律|每次|凡是|一直|都要|必须|不许|记[住着]",
    re.IGNORECASE,
)
# "…, since I'm not fond of it?": what closes the question is a statement of its own.
_GIVES_REASON: Final = re.compile(
    r"^(?:since|because|cos|coz|as|given that|seeing as|considering)\s+(?:i|i'm|i've|we|we're|we've|my|our|the)\b|"
    r"^(?:因为|毕竟|反正)?(?:我|我们|家里)[^吗呢么]{3,}$",
    re.IGNORECASE,
)
_NOT_MINE: Final = re.compile(
    r"(?:跟|和|与)我.{0,6}(?:没关系|无关)|\bnothing to do with me\b|\bnot (?:about|for) me\b", re.IGNORECASE
)
_ASKING_ZH: Final = re.compile(
    r"[吗呢么]$|什么|怎么|咋(?!整)|为啥|为什么|哪[个些里种家]|多少|几[个天点]|是不是|有没有|能不能|"
    r"要不要|行不行|靠谱不|啥|"
    r"^(?:所以|就|也|还|但|现在)?我?(?:就|也|还|特别|主要|正)?想(?:再|先|提前|多)?(?:问问|问一下|请教|"
    r"请[你您]|了解一?下|听听|咨询|聊聊)"
)
_ASKS_FOR: Final = re.compile(
    r"^(?:(?:so|and|also|ok|now|then)[, ]+)?(?:please|pls|can (?:you|u)|could (?:you|u)|would you|"
    r"will you|help me|give me|gimme|show me|tell me|draft|build me|set me up|write me|plan|recommend|"
    r"suggest|summari[sz]e|translate|need (?:help|ideas|hotel))\b|"
    r"\b(?:can (?:you|u)|could (?:you|u)|do you have any|any (?:tips|ideas|suggestions|advice))\b|"
    r"^(?:先|再|请|麻烦|那)?(?:帮我?|给我(?!整)|替我|求|推荐|翻译|讲讲|说说|写[一个篇份段]|来[个点]|看看|帮看)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Unit:
    """One sentence of a user's turn: the pieces of it that are kept, and what was found about it."""

    turn: Turn
    position: int
    order: int
    start: int
    end: int
    pieces: list[Bounds]
    language: Language
    reason: str | None = None
    context: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def whole(self) -> str:
        """The sentence as it stands in the turn."""
        return self.turn.content[self.start : self.end]

    @property
    def text(self) -> str:
        """What is kept of it; neighbouring pieces keep the words between them."""
        if not self.pieces:
            return ""
        content = self.turn.content
        parts: list[str] = []
        for number, (start, end) in enumerate(self.pieces):
            if number and parts[-1].endswith((".", "!", "。", "！")):
                parts.append(" " if self.language == "en" else "")
            elif number and content[self.pieces[number - 1][1] : start].strip(" ,，、;；:：-—") == "":
                parts.append(content[self.pieces[number - 1][1] : start])
            elif number:
                parts.append("，" if self.language == "zh" else ", ")
            parts.append(content[start:end])
        return "".join(parts)


def units_of(turn: Turn, position: int, language: Language, *, answering: bool = False) -> list[Unit]:
    """The units of one user turn, in order; those nobody need judge carry their reason."""
    content = turn.content
    foreign = foreign_spans(content)
    secrets = [(secret.start, secret.end) for secret in find_secrets(content)]
    found: list[Unit] = []
    for start, end in _read(content):
        unit = Unit(turn, position, len(found), start, end, [(start, end)], language)
        if end - start > _SENTENCE_CHARACTERS_MAX:
            unit.reason = "too_long"
        elif _overlaps((start, end), secrets) or says_secret(unit.whole):
            unit.reason = "secret"
        elif _overlaps((start, end), foreign):
            unit.pieces = [piece for piece in _outside(start, end, foreign) if _has_words(content, piece)]
            if not unit.pieces:
                unit.reason = "quoted"
            unit.context["beside_quote"] = 1.0
        if unit.reason is None and _ATTACHMENT.match(unit.whole):
            unit.reason = "quoted"
        if unit.reason is None:
            _prune(unit)
        if unit.reason is None:
            unit.reason = _empty_talk(unit.text)
        if found and _joins(found[-1], unit, answering=answering):
            found[-1].end = unit.end
            found[-1].pieces.extend(unit.pieces)
            continue
        found.append(unit)
    return found


def says_secret(text: str) -> bool:
    """Whether *text* names a secret and gives it, whatever the secret looks like."""
    return bool(_SECRET_TALK.search(text))


def _read(content: str) -> list[Bounds]:
    if len(content) <= 2 * _READ_EACH_END:
        return sentences(content)[:_SENTENCES_MAX]
    tail = len(content) - _READ_EACH_END
    head_spans = sentences(content[:_READ_EACH_END])[: _SENTENCES_MAX // 2]
    tail_spans = sentences(content[tail:])[-_SENTENCES_MAX // 2 :]
    return head_spans[:-1] + [(start + tail, end + tail) for start, end in tail_spans[1:]]


def _joins(before: Unit, unit: Unit, *, answering: bool) -> bool:
    """A fragment of a word or two continues the sentence before it, unless either was set aside."""
    if before.reason or unit.reason or not before.pieces or not unit.pieces:
        return False
    text = unit.text
    if len(before.whole) + len(text) > _JOINABLE_CHARACTERS_MAX or "\n" in unit.turn.content[before.end : unit.start]:
        return False
    if before.whole.endswith(("?", "？")):
        return False
    if _CARRIES_ON.search(text):
        return True
    opening = answering and before.order == 0 and _word_count(before.text) <= _FRAGMENT_WORDS_MAX
    return _word_count(text) <= _FRAGMENT_WORDS_MAX or opening


def _word_count(text: str) -> float:
    return len(re.findall(r"[A-Za-z0-9']+", text)) + len(re.findall(r"[\u3400-\u9fff]", text)) / 2


def _prune(unit: Unit) -> None:
    """Take the noise clauses out, and say why where nothing is left."""
    content = unit.turn.content
    kept: list[Bounds] = []
    reasons: list[str] = []
    standing = not unit.whole.rstrip().endswith(("?", "？")) and bool(_LASTS.search(unit.whole))
    asked = unit.whole.rstrip(" \"'”’)）").endswith(("?", "？"))
    parts = [(outer + start, outer + end) for outer, stop in unit.pieces for start, end in clauses(content[outer:stop])]
    for number, (start, end) in enumerate(parts):
        clause = content[start:end]
        last = asked and number == len(parts) - 1
        reason = _noise(clause, alone=len(parts) == 1, asked=last and not (number and _GIVES_REASON.match(clause)))
        if reason == "request" and standing:
            # "Please never print them in full" asks for something that lasts.
            reason = None
        if reason is None:
            kept.append((start, end))
        else:
            reasons.append(reason)
    unit.pieces = kept
    unit.context["pruned"] = float(bool(reasons))
    unit.context["asked"] = float(asked)
    if not kept:
        unit.reason = reasons[0] if reasons else "small_talk"
    elif "request" in reasons or "question" in reasons:
        unit.context["beside_request"] = 1.0


def _noise(clause: str, *, alone: bool, asked: bool) -> str | None:
    bare = clause.strip(" .!?。！？…~～")
    if not bare or _PURE_NOISE.match(bare):
        return "small_talk"
    if asked or _ASKING_ZH.search(bare) or _ASKS_OPENLY.search(bare):
        # "I need X, so can you …?": only the asking clause falls.
        return "question"
    if _ASKS_FOR.search(bare):
        return "request"
    if alone and _ASKING_EN.match(bare) and len(bare.split()) > 2 and not NUMBER.search(bare):
        return "question"
    if any(pattern.search(bare) for pattern in _STRONG) or NUMBER.search(bare) or PRODUCT.search(bare):
        return None
    if CUES["mood"].search(bare) and not CUES["relation"].search(bare):
        return "mood"
    if any(pattern.search(bare) for pattern in _NOISE) and len(bare) <= 24:
        return "small_talk"
    return None


def _empty_talk(text: str) -> str | None:
    """Sentences that are whole and still say nothing to keep: figures without words, a bare "maybe"."""
    numbers = len(re.findall(r"\d+(?:[.,]\d+)*", text))
    words = _word_count(text)
    if numbers >= _FIGURES_MIN and words - numbers <= numbers / 2:
        return "figures"
    if words <= _BARE_MAYBE_WORDS and _MAYBE.match(text):
        return "undecided"
    return "others_view" if _NOT_MINE.search(text) else None


def _overlaps(span: Bounds, others: list[Bounds] | tuple[Bounds, ...]) -> bool:
    return any(start < span[1] and end > span[0] for start, end in others)


def _outside(start: int, end: int, foreign: tuple[Bounds, ...]) -> list[Bounds]:
    pieces: list[Bounds] = []
    at = start
    for first, last in sorted(foreign):
        if last <= at or first >= end:
            continue
        if first > at:
            pieces.append((at, first))
        at = max(at, last)
    if at < end:
        pieces.append((at, end))
    return pieces


def _has_words(content: str, piece: Bounds) -> bool:
    return len(re.findall(r"\w", content[piece[0] : piece[1]])) >= 2
