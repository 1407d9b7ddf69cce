"""What a sentence says, as far as words and structure show it: the input of the features.

A dependency parser was rejected: the models weigh more than the rest of the package, and the judge
needs only who, what, how much, where and since when, in a comparable spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final, Literal, cast

import opencc
import rjieba

from hindsight.domain.memory import Language
from hindsight.language.relation.cues import Cues, comparisons_of, cues_of
from hindsight.language.relation.lexicon import (
    CONCEPTS,
    EXCLUSIVES,
    NEGATIONS,
    OPEN_VERBS,
    OPPOSITES,
    PERSONS,
    SCOPES,
    STOPWORDS,
    UNIVERSALS,
)
from hindsight.language.relation.quantities import Quantity, quantities_of

# A pair is judged against every neighbour, so the same sentence is parsed again and again.
_PARSED_KEPT: Final = 4096
# Longer values are cut for judging: 2,000 characters would cost 30 ms, and sentences are far shorter.
CHARACTERS_READ_MAX: Final = 600

TokenKind = Literal["word", "name", "quantity"]


@dataclass(frozen=True, slots=True)
class Token:
    """One content-bearing or functional word. ``norm`` is equal for equal meanings."""

    norm: str
    surface: str
    kind: TokenKind
    content: bool
    quantity: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one statement says, ready to be held against another."""

    text: str
    language: Language
    tokens: tuple[Token, ...]
    content: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    names: frozenset[str]
    persons: tuple[str, ...]
    subject: str
    scopes: dict[int, frozenset[int]]
    opposites: dict[int, frozenset[int]]
    negations: int
    universals: int
    exclusive: int
    open_verbs: frozenset[str]
    sentiment: int
    cues: Cues
    comparisons: tuple[tuple[frozenset[str], frozenset[str]], ...]
    adds: bool
    key_words: frozenset[str]
    clauses: tuple[Parsed, ...] = ()


_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[+#]+|(?:['._/-][A-Za-z0-9]+)*)|\d+[A-Za-z]\w*")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_PIECE = re.compile(rf"{_ENGLISH_WORD.pattern}|{_HAN_RUN.pattern}")
_BOUND_PHRASES: Final = (
    # Bounds and idioms that hold a negation without denying anything.
    (re.compile(r"不(?:超过|高于|多于|大于|晚于|得超过|得高于|能超过|可超过)"), "最多"),
    (re.compile(r"不(?:低于|少于|小于|早于|得低于|得少于|能低于|能少于)"), "最少"),
    (
        re.compile(r"\b(?:no|not) (?:more|later|higher|greater|longer) than\b|\bnot over\b", re.IGNORECASE),
        "at most",
    ),
    (re.compile(r"\b(?:no|not) (?:less|fewer|earlier|lower|under) than\b", re.IGNORECASE), "at least"),
    (re.compile(r"不太?(?:喜欢|爱(?!人|好))|(?:吃|喝|受|忍)不(?:了|惯|下)|看不惯"), "讨厌"),
    (
        re.compile(
            r"\b(?:can'?t|cannot|can not) (?:stand|bear)\b|\b(?:doesn'?t|does not|don'?t|do not) (?:like|love|"
            r"enjoy|care for)\b|"
            r"\b(?:isn'?t|is not|not) (?:a fan of|fond of|keen on|into)\b",
            re.IGNORECASE,
        ),
        "dislikes",
    ),
    (re.compile(r"(?:一|每个?)(周|星期|礼拜)(?=\D{0,6}[\d一二两三四五六七八九十])(?![一二三四五六日天])"), "每周"),
    (re.compile(r"(?:一|每)(天|日)(?=\D{0,6}[\d一二两三四五六七八九十])"), "每天"),
    (re.compile(r"\b(?:a|per|each|every) week\b", re.IGNORECASE), "weekly"),
    (re.compile(r"\b(?:a|per|each|every) month\b", re.IGNORECASE), "monthly"),
    (re.compile(r"\b(?:a|per|each|every) day\b", re.IGNORECASE), "daily"),
    (re.compile(r"\b(?:a|per|each|every) year\b", re.IGNORECASE), "yearly"),
    (re.compile(r"不(?:仅|但|光|只|止)|\bnot only\b", re.IGNORECASE), "而且"),
    (re.compile(r"一个人(?=住|生活)|自己(?=住)"), "独居"),
)  # fmt: skip
_NOT_NEGATIONS: Final = frozenset(
    "不错 不同 不过 不锈钢 不管 不论 不久 不断 不然 不少 不止 不如 别人 别的 别名 别墅 未来 没收 "
    "无线 无人机 无花果 无锡 无论 无糖 不动产 非常 非洲 不一样".split()
)
_CAN_MEAN_LACK: Final = "不没未别无"
_ADDS = re.compile(
    r"还|也|另外|同时|以及|并且|而且|不仅|\b(?:also|as well|in addition|additionally|too|besides|"
    r"plus)\b",
    re.IGNORECASE,
)
_SENTIMENT_SET: Final = OPPOSITES["like"][0]
_SUBJECT_WORDS: Final = 4
_CLAUSE_END: Final = re.compile(
    r"[，；。！？;!?]+|[,.](?=\s)|(?=因为|由于|所以)|\s(?=because\b|since\b|so that\b|which\b|although\b|while\b)",
    re.IGNORECASE,
)
_CLAUSE_CHARACTERS_MIN: Final[dict[Language, int]] = {"zh": 4, "en": 10}
_CLAUSES_MAX: Final = 4


@cache
def _simplifier() -> Callable[[str], str]:
    converter: Any = cast("Any", opencc).OpenCC("t2s")
    return cast("Callable[[str], str]", converter.convert)


def normalise(text: str) -> str:
    """*text* with one width, one form and simplified characters."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    return _simplifier()(text) if _HAN_RUN.search(text) else text


@lru_cache(maxsize=_PARSED_KEPT)
def parse(key: str, value: str, language: Language) -> Parsed:
    """Read one statement, whole and by clauses."""
    text = normalise(value[:CHARACTERS_READ_MAX])
    whole = _parse_text(key, text, language)
    parts = [part.strip() for part in _CLAUSE_END.split(text)]
    parts = [part for part in parts if len(part) >= _CLAUSE_CHARACTERS_MIN[language]][:_CLAUSES_MAX]
    if len(parts) <= 1:
        return replace(whole, clauses=(whole,))
    return replace(whole, clauses=tuple(_parse_text(key, part, language) for part in parts))


def _parse_text(key: str, text: str, language: Language) -> Parsed:
    phrased = text
    for pattern, plain in _BOUND_PHRASES:
        phrased = pattern.sub(f" {plain} " if plain.isascii() else plain, phrased)
    quantities = quantities_of(phrased)
    tokens = tuple(_tokens(phrased, quantities))
    words = [token for token in tokens if token.kind != "quantity"]
    surfaces = [token.surface for token in words]
    persons = [PERSONS[word] for word in surfaces if word in PERSONS]
    return Parsed(
        text=text,
        language=language,
        tokens=tokens,
        content=tuple(token for token in tokens if token.content),
        quantities=tuple(quantities),
        names=frozenset(token.norm for token in tokens if token.kind == "name"),
        persons=tuple(dict.fromkeys(persons)),
        subject=next((PERSONS[word] for word in surfaces[:_SUBJECT_WORDS] if word in PERSONS), ""),
        scopes=_places(surfaces, SCOPES),
        opposites=_places(surfaces, OPPOSITES),
        negations=sum(map(_is_negation, surfaces)),
        universals=sum(word in UNIVERSALS for word in surfaces),
        exclusive=sum(word in EXCLUSIVES for word in surfaces),
        open_verbs=frozenset(token.norm for token in words if token.surface in OPEN_VERBS),
        sentiment=_sentiment(surfaces),
        cues=cues_of(text, language),
        comparisons=tuple((_word_set(first), _word_set(second)) for first, second in comparisons_of(text, language)),
        adds=bool(_ADDS.search(text)),
        key_words=frozenset(_key_words(key)),
    )


def _tokens(text: str, quantities: list[Quantity]) -> list[Token]:
    tokens: list[Token] = []
    position = 0
    for quantity in quantities:
        tokens += _words(text[position : quantity.start], starts=not tokens)
        surface = text[quantity.start : quantity.end]
        tokens.append(Token(quantity.norm, surface.lower(), "quantity", True, quantity))
        position = quantity.end
    tokens += _words(text[position:], starts=not tokens)
    return tokens


def _words(text: str, *, starts: bool) -> list[Token]:
    tokens: list[Token] = []
    for match in _PIECE.finditer(text):
        piece = match.group(0)
        if _HAN_RUN.match(piece):
            tokens += [_token(part, "word") for word in rjieba.cut(piece) for part in _denial_apart(word)]
            continue
        first = starts and not tokens
        shouted = piece[0].isupper() and (not first or piece[1:] != piece[1:].lower())
        in_chinese = bool(_HAN_RUN.search(text))
        mixed = any(character.isdigit() for character in piece)
        is_name = piece.lower() not in STOPWORDS and (shouted or in_chinese or mixed)
        tokens.append(_token(piece, "name" if is_name else "word"))
    return tokens


def _denial_apart(word: str) -> tuple[str, ...]:
    """不吃 as 不 and 吃, so that what is denied can be found on the other side."""
    if len(word) >= 2 and word[0] in _CAN_MEAN_LACK and word not in NEGATIONS and word not in _NOT_NEGATIONS:
        return word[0], word[1:]
    return (word,)


def _token(surface: str, kind: TokenKind) -> Token:
    word = surface.lower()
    if word.endswith("'s"):
        word = word[:-2]
    norm = CONCEPTS.get(word) or PERSONS.get(word) or _stem(word)
    return Token(norm, word, kind, word not in STOPWORDS and not _is_negation(word))


def _stem(word: str) -> str:
    """A crude English stem; enough to make plans, planned and planning one word."""
    if not word.isascii() or len(word) < 4:
        return word
    for ending, replacement in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ied", "y"),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
        ("ly", ""),
        ("e", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + replacement
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _is_negation(word: str) -> bool:
    if word in NEGATIONS:
        return True
    return len(word) >= 2 and word[0] in _CAN_MEAN_LACK and word not in _NOT_NEGATIONS


def _places(surfaces: list[str], table: dict[str, tuple[int, int]]) -> dict[int, frozenset[int]]:
    places: dict[int, set[int]] = {}
    for word in surfaces:
        if word in table:
            set_index, member = table[word]
            places.setdefault(set_index, set()).add(member)
    return {set_index: frozenset(members) for set_index, members in places.items()}


def _sentiment(surfaces: list[str]) -> int:
    """1 for liking, -1 for disliking, 0 where neither is said."""
    signs = [1 - 2 * OPPOSITES[w][1] for w in surfaces if OPPOSITES.get(w, (-1, 0))[0] == _SENTIMENT_SET]
    return 0 if not signs else (1 if sum(signs) > 0 else -1)


def _word_set(text: str) -> frozenset[str]:
    return frozenset(token.norm for token in _words(text, starts=True) if token.content)


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+")


def _key_words(key: str) -> list[str]:
    spaced = " ".join(part for part in _CAMEL.split(normalise(key)) if part)
    return [token.norm for token in _words(spaced.lower(), starts=True) if token.surface not in STOPWORDS]
