"""The digest of a finished stretch: what the user said, what the agent did, what came of it.

It is cut out of the turns, never written anew: a digest that says more than the talk did would become
evidence for it. Pasted and quoted words are left out, since they are not the user's; so are secrets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hindsight.domain.conversation import Entity, Turn
from hindsight.domain.memory import Language
from hindsight.language.extraction.cues import CUES, LATIN_IN_CHINESE, NUMBER, PRODUCT
from hindsight.language.extraction.forgotten import forgotten_spans
from hindsight.language.extraction.tagging import tagged
from hindsight.language.extraction.units import says_secret
from hindsight.language.script import language_of
from hindsight.language.secrets import find_secrets
from hindsight.language.sentences import Bounds, clauses, sentences
from hindsight.language.spans import foreign_spans

CHARACTERS_MAX: Final = 600
_SHARE: Final = 10
_WORDS_FLOOR: Final = 40
_HAN_FLOOR: Final = 80
# Of the budget: most of a conversation's point stands in what the user said.
_STOPS: Final = ".!?。！？…"
# The breaks between the parts count where characters are counted.
_PART_MARKS: Final = 2
_USER_SHARE: Final = 0.5
_AGENT_SHARE: Final = 0.32
_OPENING_SENTENCES: Final = 3
_TURN_READ_MAX: Final = 4_000
_TURNS_READ_MAX: Final = 400
_ENTITIES_MAX: Final = 12
_ENTITY_TEXT_MAX: Final = 12_000

_CHATTER: Final = re.compile(
    r"^(?:hi|hey|hello|hiya|thanks?|thx|ty|ok(?:ay)?|sure|got it|noted|understood|great|good|nice|"
    r"perfect|lovely|cheers|you'?re welcome|anytime|happy to help|of course|"
    r"no problem|done|yes|no|bye|welcome|enjoy|你好|您好|好的?|嗯+|哦|在吗|收到|明白|了解|谢谢?|"
    r"不客气|没问题|辛苦了?|晚安|拜拜|行|可以|对|是的)[\s,.!，。！~～…]*$",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"^(?:(?:hi|hey|hello|hiya|ok(?:ay)?|so|sure|got it|noted|understood|great|nice|"
    r"happy to help)\b[,.! :]*|(?:你好|您好|好的?|嗯+|收到|明白|了解|在吗)[，,。！! ]+)+",
    re.IGNORECASE,
)
_CAPITALISED: Final = re.compile(r"(?<![.!?:\n] )(?<!^)\b[A-Z][\w'-]+(?: (?:[A-Z][\w'-]*|\d+\b))*", re.MULTILINE)
_ITEM_START: Final = re.compile(r"^\d{1,2}[.)、]\s*(?=\D)")
_ITEM_END: Final = re.compile(r"(?:(?<=[\s：:；;，,])|^)\d{1,2}[.)、]$")
_TITLE: Final = re.compile(r"《([^》\n]{1,40})》")
_NAMED: Final = re.compile(r"(?:叫|名叫|名字是)(?!做|我)([\u3400-\u9fff]{2,3})(?![\u3400-\u9fff])")
_LATIN_NAMES: Final = re.compile(r"[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*| \d[\w.]*)*|[A-Za-z][\w.+#-]*")
_INITIAL: Final = re.compile(r"^[A-Z][\w-]+(?: [A-Z][\w-]+)+")
_COMMON: Final = frozenset(
    "I I'm I've I'd I'll The A An It It's He She We You They This That These Those My Our Your What "
    "When Where Who Why How Which If And But So Or Not No Yes "
    "Ok OK Okay Please Thanks Hi Hello Monday Tuesday Wednesday Thursday Friday Saturday Sunday "
    "January February March April May June July August September "
    "October November December Also Just Can Could Do Does Is Are In On At For To Of With By As".split()
)
_TOPICS_MAX: Final = 4
_PLAIN_WORDS: Final = frozenset(
    "about after again already always because before being could doing don't every first found from going great have "
    "here into just keep later least like make maybe means might more most much need never next only "
    "other over please "
    "right should since some something still sure than thanks that their them then there these they thing think this "
    "those three through today under until using very want week what when where which while will "
    "with would your wrong "
    "works years really thats cant whole anything nothing everything".split()
)
_PLACE_TAGS: Final = {
    "ns": "place",
    "nt": "organisation",
    "nr": "person",
    "nz": "name",
    "nrt": "person",
    "nrfg": "person",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A stretch in short. Each part may be empty; the whole is at most 600 characters."""

    user_said: str
    agent_did: str
    conclusion: str
    entities: tuple[Entity, ...]


def digest(turns: Sequence[Turn]) -> Digest:
    """Condense *turns*, in order, to a tenth of their words.

    Short talks may keep up to 40 words or 80 Chinese characters. Every number, name and version in it
    stands in the turns.
    """
    read = [turn for turn in turns if not turn.erased][:_TURNS_READ_MAX]
    language = language_of(" ".join(turn.content[:500] for turn in read if turn.role == "user"))
    budget = _budget(read, language)
    closed = forgotten_spans(read)
    by_turn = [_own_sentences(turn, closed.get(turn.index, [])) for turn in read if turn.role == "user"]
    own = [text for texts in by_turn for text in texts]
    first: list[str] = next((texts for texts in by_turn if texts), list[str]())
    theirs = [
        text for turn in read if turn.role == "assistant" for text in _agent_sentences(turn, closed.get(turn.index, []))
    ]
    said = _fill(_ranked_user(first, own), own, int(budget * _USER_SHARE), language)
    did = _fill(_ranked_agent(theirs), theirs, int(budget * _AGENT_SHARE), language)
    left = budget - sum(_told_size(text, language) for text in [*said, *did]) - _PART_MARKS * (language == "zh")
    ended = _conclusion(own, theirs, {*said, *did}, left, language)
    parts = _within([_joined(said, language), _joined(did, language), ended])
    return Digest(user_said=parts[0], agent_did=parts[1], conclusion=parts[2], entities=tuple(_entities(own, theirs)))


def _budget(turns: Sequence[Turn], language: Language) -> int:
    spoken = " ".join(turn.content for turn in turns if turn.role in {"user", "assistant"})
    return max(_size(spoken, language) // _SHARE, _HAN_FLOOR if language == "zh" else _WORDS_FLOOR)


def _size(text: str, language: Language) -> int:
    return len(text) if language == "zh" else len(text.split())


def _own_sentences(turn: Turn, forgotten: Sequence[Bounds]) -> list[str]:
    """The user's own sentences, without quotations, secrets and what they asked to forget."""
    content = turn.content[:_TURN_READ_MAX]
    closed = [*foreign_spans(content), *((s.start, s.end) for s in find_secrets(content)), *forgotten]
    found: list[str] = []
    for start, end in sentences(content):
        if says_secret(content[start:end]):
            continue
        if any(first < end and last > start for first, last in closed):
            text = _before(content, start, end, closed)
        else:
            text = content[start:end]
        found.append(text)
    return [text for text in (_trim(text) for text in found) if text]


def _before(content: str, start: int, end: int, closed: Sequence[tuple[int, int]]) -> str:
    """What of the sentence stands before the first closed part."""
    stop = min((first for first, last in closed if first < end and last > start), default=end)
    return content[start:stop].rstrip(" :：\"'“「") if stop > start else ""


def _agent_sentences(turn: Turn, forgotten: Sequence[Bounds]) -> list[str]:
    content = turn.content[:_TURN_READ_MAX]
    secrets = [*((secret.start, secret.end) for secret in find_secrets(content)), *forgotten]
    return [
        text
        for start, end in sentences(content)
        if not any(first < end and last > start for first, last in secrets)
        and not says_secret(content[start:end])
        and (text := _trim(content[start:end]))
    ]


def _trim(text: str) -> str:
    text = re.sub(r"[\x00-\x1f\ud800-\udfff\s]+", " ", _LEAD.sub("", text)).strip()
    # The number of a list item, left alone at an end, would run into the next figure.
    text = _ITEM_END.sub("", _ITEM_START.sub("", text)).rstrip(" ：:")
    return "" if _CHATTER.match(text) or len(re.findall(r"\w", text)) < 3 else text


def _ranked_user(first: Sequence[str], own: Sequence[str]) -> list[str]:
    """The opening request first, then what tells most. *first* is the opening turn's part of *own*."""
    if not own:
        return []
    opening = next((text for text in first[:_OPENING_SENTENCES] if _orders(text)), first[0])
    rest = [text for text in own if text != opening]
    return [opening, *sorted(dict.fromkeys(rest), key=lambda text: -_weight(text))]


def _orders(text: str) -> bool:
    """Whether *text* says what the conversation is for."""
    return any(CUES[name].search(text) for name in ("request", "question", "imperative_start", "error", "goal"))


def _ranked_agent(theirs: Sequence[str]) -> list[str]:
    last = len(theirs)
    weighed = [
        (_weight(text) - 2.0 * text.endswith(("?", "？")) + number / max(1, last), text)
        for number, text in enumerate(theirs)
    ]
    return [text for _, text in sorted(weighed, key=lambda pair: -pair[0])]


def _weight(text: str) -> float:
    named = (
        bool(PRODUCT.search(text))
        + bool(NUMBER.search(text))
        + bool(LATIN_IN_CHINESE.search(text) and language_of(text) == "zh")
    )
    keep = sum(
        bool(CUES[name].search(text)) for name in ("must", "decision", "like", "dislike", "identity", "limit", "goal")
    )
    noise = sum(bool(CUES[name].search(text)) for name in ("closing", "mood", "laugh", "reaction"))
    return 0.6 * named + 0.5 * keep + 0.6 * bool(CUES["request"].search(text)) - 0.8 * noise + min(len(text), 60) / 60


def _fill(ranked: Sequence[str], order: Sequence[str], budget: int, language: Language) -> list[str]:
    """The best sentences that fit into *budget*, in the order they were said."""
    chosen: list[str] = []
    left = budget
    for text in ranked:
        short = _fit(text, left - _told_size("", language), language)
        if not short or (chosen and short != text):
            continue
        chosen.append(short)
        left -= _told_size(short, language)
        if left <= 2:
            break
    place = {text: number for number, text in reversed(list(enumerate(order)))}
    return sorted(chosen, key=lambda text: place.get(text, -1))


def _told_size(text: str, language: Language) -> int:
    """The size of *text* in the digest, where a sentence without a stop is given one."""
    return _size(text, language) + (language == "zh" and not text.endswith(tuple(_STOPS)))


def _fit(text: str, budget: int, language: Language) -> str:
    """*text*, or its first clauses or words that fit; numbers and names are never cut through."""
    if _size(text, language) <= budget:
        return text
    end = 0
    for _, stop in clauses(text):
        if _size(text[:stop], language) > budget:
            break
        end = stop
    if end:
        return text[:end]
    if language == "en":
        return " ".join(text.split()[: max(0, budget)])
    cut = text[: max(0, budget)]
    return re.sub(r"[A-Za-z0-9._:/-]+$", "", cut) if len(cut) < len(text) else cut


def _conclusion(own: Sequence[str], theirs: Sequence[str], used: set[str], budget: int, language: Language) -> str:
    """The last thing that was decided or reported."""
    decided = [text for text in own[1:] if CUES["decision"].search(text)]
    reported = [text for text in theirs if not text.endswith(("?", "？"))]
    for text in [*reversed(reported[-3:]), *reversed(decided[-2:])]:
        if not any(text.startswith(told) for told in used) and (short := _fit(text, budget, language)):
            return short
    return ""


def _joined(texts: Sequence[str], language: Language) -> str:
    mark = "。" if language == "zh" else ". "
    closed = [text if text.endswith(tuple(_STOPS)) else text + mark.strip() for text in texts]
    return ("" if language == "zh" else " ").join(closed)


def _within(parts: list[str]) -> list[str]:
    left = CHARACTERS_MAX - len(parts)
    cut: list[str] = []
    for part in parts:
        if len(part) > left:
            stop = max(part.rfind(mark, 0, left) for mark in (" ", "，", "。", ","))
            part = part[: stop if stop > 0 else left]
        cut.append(part)
        left = max(0, left - len(part))
    return cut


def _entities(own: Sequence[str], theirs: Sequence[str]) -> list[Entity]:
    """Names that matter, most said first: in the user's own words, or in the agent's."""
    counted: Counter[str] = Counter()
    kinds: dict[str, str] = {}
    left = _ENTITY_TEXT_MAX
    for number, text in enumerate([*own, *theirs]):
        if left <= 0:
            break
        left -= len(text)
        for name, kind in _names(text):
            counted[name] += 2 if number < len(own) else 1
            kinds.setdefault(name, kind)
    for name in _topics(own, theirs):
        counted[name] += 1
        kinds.setdefault(name, "topic")
    whole = [name for name in counted if not any(name != other and name in other.split() for other in counted)]
    best = sorted(whole, key=lambda name: -counted[name])[:_ENTITIES_MAX]
    return [Entity(name=name, kind=kinds[name]) for name in best]


def _topics(own: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """The things that user and agent both keep coming back to."""
    said, answered = Counter(_things(own)), Counter(_things(theirs))
    both = {thing: said[thing] + answered[thing] for thing in said if answered[thing]}
    return sorted(both, key=lambda thing: -both[thing])[:_TOPICS_MAX]


def _things(texts: Sequence[str]) -> list[str]:
    found: list[str] = []
    for text in texts[:_TURNS_READ_MAX]:
        if language_of(text) == "zh":
            found += [word for word, tag in tagged(text) if tag in {"n", "nz", "vn"} and len(word) >= 2]
        else:
            found += [word for word in re.findall(r"[a-z][a-z-]{4,}", text) if word not in _PLAIN_WORDS]
    return found


def _names(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = [(name, "work") for name in _TITLE.findall(text)]
    if language_of(text) == "zh":
        found += [(name, "name") for name in _LATIN_NAMES.findall(text) if len(name) > 1]
        found += [(name, "name") for name in _NAMED.findall(text)]
        for word, tag in tagged(text):
            if tag in _PLACE_TAGS and 2 <= len(word) <= 8 and not word.isascii():
                found.append((word.lstrip("从在到去"), _PLACE_TAGS[tag]))
        return [(name, kind) for name, kind in found if len(name) >= 2]
    for name in [*_CAPITALISED.findall(text), *_INITIAL.findall(text)]:
        words = [word for word in name.split() if word not in _COMMON]
        if words:
            found.append((" ".join(words), "name"))
    found += [(name.strip("."), "name") for name in PRODUCT.findall(text) if len(name) > 2]
    first = text.split(maxsplit=1)[0].strip(",.:;") if text.split() else ""
    if first[:1].isupper() and first not in _COMMON and len(first) > 2 and text.lower().count(first.lower()) > 1:
        found.append((first, "name"))
    return [(name, kind) for name, kind in found if not NUMBER.fullmatch(name)]
