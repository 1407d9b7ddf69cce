"""Bringing the forms of an English word together, and naming the words that tell texts not apart.

A full Porter stemmer was rejected: it merges what memories must keep apart ("university", "universe")
and mangles names. Endings of number, tense and adverb go; common irregular forms are listed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_STEMS_CACHED: Final = 65_536
_STEM_LETTERS_MIN: Final = 3
_VOWELS: Final = frozenset("aeiouy")

# Left: the form to be indexed. Right: its irregular forms.
_IRREGULAR_LINES: Final = """
be is am are was were been being|have has had having|do does did done|go goes went gone|get got gotten
say said|make made|know knew known|think thought|take took taken|see saw seen|come came|give gave given
find found|tell told|become became|leave left|feel felt|bring brought|begin began begun|keep kept
hold held|write wrote written|stand stood|hear heard|mean meant|meet met|run ran|pay paid|sit sat
speak spoke spoken|lead led|grow grew grown|lose lost|fall fell fallen|send sent|build built
understand understood|draw drew drawn|break broke broken|spend spent|rise rose risen|drive drove driven
buy bought|wear wore worn|choose chose chosen|teach taught|catch caught|eat ate eaten|fly flew flown
forget forgot forgotten|fight fought|sell sold|win won|sleep slept|sing sang sung|swim swam swum
drink drank drunk|ride rode ridden|throw threw thrown|steal stole stolen|wake woke woken|hide hid hidden
child children|man men|woman women|person people|foot feet|tooth teeth|mouse mice|wife wives|knife knives
life lives|leaf leaves|half halves|shelf shelves|good better best|bad worse worst
"""
_STOP_LINES: Final = """
a an the this that these those and or but nor so if then than as of at by for with about against between
into through during before after above below to from up down in out on off over under again further once
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her
hers herself it its itself they them their theirs themselves what which who whom whose when where why how
be am is are was were been being have has had having do does did doing will would shall should can
could may might must not no yes all any both each few more most other some such only own same too very just
also there here i'm i've i'd i'll you're you've you'd you'll he's she's it's we're we've they're they've
that's there's what's who's where's when's how's isn't aren't wasn't weren't don't doesn't didn't won't
wouldn't can't cannot couldn't shouldn't haven't hasn't hadn't let's s t d ll m re ve
much many lot get got like one
"""


def _irregular() -> dict[str, str]:
    forms: dict[str, str] = {}
    for group in _IRREGULAR_LINES.replace("\n", "|").split("|"):
        words = group.split()
        forms.update(dict.fromkeys(words[1:], words[0]) if words else {})
    return forms


_IRREGULAR: Final = _irregular()
STOP_WORDS: Final = frozenset(_STOP_LINES.split())


@lru_cache(maxsize=_STEMS_CACHED)
def stem(word: str) -> str:
    """The form under which *word*, in lower case, is indexed: "walked", "walking" and "walks" agree."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    if len(word) <= _STEM_LETTERS_MIN or not word.isalpha():
        return word
    return _without_final_e(_without_tense(_without_adverb(_without_plural(word))))


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_adverb(word: str) -> str:
    if word.endswith("ily") and len(word) > 5:
        return word[:-3] + "y"
    return word[:-2] if word.endswith("ly") and len(word) > 5 else word


def _without_tense(word: str) -> str:
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) >= _STEM_LETTERS_MIN - 1 and _VOWELS.intersection(root):
            if word.endswith("eed"):
                return word
            if ending == "ed" and root.endswith("i"):
                return root[:-1] + "y"
            doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root
    return word


def _without_final_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > _STEM_LETTERS_MIN else word
