"""English words of the user turned into the third person, as a colleague would note them down.

The user is named once and is "they" from then on, which needs no inflection and reads as people write.
Where the sentence has a "they" of its own the user stays "the user", since two would be mixed up.
"""

from __future__ import annotations

import re
from typing import Final

# Only people make a family of "we"; a house or a car is owned by teams and flatmates too.
_FAMILY: Final = re.compile(
    r"\b(?:family|household|kids?|toddler|bab(?:y|ies)|twins|husband|wife|our (?:son|daughter)s?)\b", re.IGNORECASE
)
_TEAM: Final = re.compile(
    r"\b(?:team|repo|code|branch\w*|deploy\w*|prod|ci|server|client|customers?|product|release|"
    r"database|db|cluster|company|office|app|tests?|lint|merge|style|standardi[sz]ed|render|services?|"
    r"shop|ship|tree|callbacks?)\b|/",
    re.IGNORECASE,
)
_PAST: Final = frozenset(
    "was were had did went took made said got came saw knew thought found gave told left felt kept began "
    "brought bought wrote ran sat stood lost paid met set led read grew drew broke spoke chose drove ate fell "
    "built sent spent understood taught caught slept swore wore won cut put hit quit let cost hurt "
    "shot rode flew swam sang rang drank sank hid bit stole woke tore froze threw blew "
    "shook forgot forgave fought sought dealt meant learnt burnt lent bent shut split spread bet "
    "hung stuck struck swung dug spun fed sold held heard wove rose shone lit can "
    "could will would must should might may shall cannot can't could've won't wouldn't shouldn't couldn't didn't "
    "wasn't am've".split()
)
_ADVERBS: Final = frozenset(
    "always never only usually often really just also still mostly ever rarely sometimes actually generally "
    "normally already even mainly currently both either now then absolutely basically strongly definitely "
    "probably honestly truly simply typically kinda literally personally rather recently finally".split()
)
_NO_VERBS: Final = frozenset("and or in on at by to the a an of for with who that".split())
_IRREGULAR: Final = {"have": "has", "do": "does", "am": "is", "are": "is", "go": "goes", "dont": "doesn't"}
_PLURAL: Final = {"am": "are", "was": "were", "wasn't": "weren't", "has": "have"}
_NEXT_WORD: Final = re.compile(r"(\s+)([A-Za-z'’]+)")

# The pronoun with what melts into it. "Us" and "me" in capitals are names of countries and states.
_PRONOUN: Final = re.compile(
    r"(?<![\w/'’-])(?:(?P<subject>[Ii]|[Ww]e)(?P<tail>['’](?:m|ve|d|ll|re)\b| (?:am|are)\b)?|"
    r"(?P<melted>im|Im|ive|Ive|weve)"
    r"|(?P<owner>[Mm]y|[Oo]ur)|(?P<owned>[Mm]ine|[Oo]urs)|(?P<object>[Mm]e|[Uu]s)"
    r"|(?P<self>[Mm]yself|[Oo]urselves))(?!\w|[/.'’-]\w)"
)
_MELTED: Final = {"im": ("i", "'m"), "ive": ("i", "'ve"), "weve": ("we", "'ve")}
_TAILS: Final = {
    "'m": ("is", "'re"),
    "am": ("is", " are"),
    "'re": ("is", "'re"),
    "are": ("is", " are"),
    "'ve": ("has", "'ve"),
    "'d": ("would", "'d"),
    "'ll": ("will", "'ll"),
}
_OTHER_THEY: Final = re.compile(r"\b(?:they|them|their|theirs|they'\w+)\b", re.IGNORECASE)
_TOGETHER: Final = re.compile(
    r"\b(?:my|our) ((?:\w+ ){0,2}(?:wife|husband|partner|girlfriend|boyfriend|fianc\w+|mum|mom|mother|dad|father|"
    r"parents|sister|brother|son|daughter|kids?|family|friends?|colleagues?|team|boss|roommate|flatmate|neighbou?r|"
    r"cousin|aunt|uncle)s?) and I\b(?!['’])",
    re.IGNORECASE,
)
# Verbs that a second half of the sentence shares with the first: "has a dog and want a cat".
_SHARED_SUBJECT: Final = re.compile(r"\b(and|but) (have|am|want|need|like|love|live|work|prefer|use|do)\b")
_SAID_BY_ASSISTANT: Final = re.compile(
    r",? ?\b(?:as|like) you (?:mentioned|said|suggested|recommended|noted|explained|pointed out)\b[^,.;]*(?:, )?|"
    r",? ?\b(?:you know|thank you|thanks)\b,?",
    re.IGNORECASE,
)
_TO_ASSISTANT: Final = re.compile(
    r"\b(?:when|whenever|every time|if|that|the \w+|anything|what|drafts?|answers?|replies|mails?) (?:you|u)\b|"
    r"^(?:you|u) (?:can|may|should|must|always|never|don'?t|have|need)\b|\b(?:call|write|answer|reply|want|need|"
    r"ask|let) (?:me|you|us)\b|\byour (?:answers?|repl(?:y|ies)|drafts?|suggestions?|summar\w+|"
    r"explanations?|code|mails?|letters?|advice|list)\b|\byou (?:mentioned|suggested|gave|explained|"
    r"recommended|listed)\b",
    re.IGNORECASE,
)


def turned_english(text: str) -> str:
    """*text* with the user in the third person instead of the first."""
    text = _SAID_BY_ASSISTANT.sub(" ", text).strip()
    crowded = bool(_OTHER_THEY.search(text))
    text, together = _TOGETHER.subn(r"the user and their \1", text, count=1)
    parts: list[str] = []
    at = 0
    named = bool(together)
    for found in _PRONOUN.finditer(text):
        if found.start() < at:
            continue
        parts.append(text[at : found.start()])
        first = crowded or not named
        replacement, at = _replaced(text, found, first=first)
        parts.append(replacement)
        named = True
    return _addressed(re.sub(r"\s{2,}", " ", "".join(parts) + text[at:]))


def turned_question(text: str) -> str:
    """The assistant's *text* with the user, whom it calls "you", in the third person."""
    for pattern, replacement in (
        (r"\bdo you\b", "does the user"),
        (r"\byou(?:'|’)re\b|\byou are\b|\bare you\b", "the user is"),
        (r"\byou(?:'|’)ve\b|\byou have\b", "the user has"),
        (r"\byours?\b", "the user's"),
        (r"\byou\b", "the user"),
    ):
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return re.sub(r"\b(?:I'll|I will|I'd|I)\b", "the assistant", text)


def third(verb: str) -> str:
    """*verb* as it follows "the user"."""
    low = verb.lower().replace("’", "'")
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low == "don't":
        return "doesn't"
    if low == "haven't":
        return "hasn't"
    past = low.endswith("ed") and not low.endswith("eed")
    if low in _PAST or past or low in _NO_VERBS or low.endswith(("ing", "n't", "ly")) or "'" in low or len(low) < 2:
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _replaced(text: str, found: re.Match[str], *, first: bool) -> tuple[str, int]:
    """What stands for the pronoun that was *found*, and where *text* goes on."""
    if found["owner"]:
        return ("the user's" if first else "their"), found.end()
    if found["owned"]:
        return ("the user's" if first else "theirs"), found.end()
    if found["object"]:
        return ("the user" if first else "them"), found.end()
    if found["self"]:
        return "themselves", found.end()
    pronoun, tail = found["subject"], (found["tail"] or "").replace("’", "'")
    if found["melted"]:
        pronoun, tail = _MELTED[found["melted"].lower()]
    subject = (_group(text) if pronoun.lower() == "we" else "the user") if first else "they"
    if tail:
        single, plural = _TAILS[tail.strip()]
        if tail == "'d" and re.match(r"\s+(?:better|been|had|got)\b", text[found.end() :]):
            single = "had"
        return (f"{subject} {single}" if first else f"they{plural}"), found.end()
    return _with_verb(text, subject, found.end(), plural=not first)


def _with_verb(text: str, subject: str, at: int, *, plural: bool) -> tuple[str, int]:
    parts = [subject]
    while (word := _NEXT_WORD.match(text, at)) is not None:
        verb = word.group(2)
        at = word.end()
        if verb.lower() in _ADVERBS:
            parts.append(word.group())
            continue
        parts.append(word.group(1) + (_PLURAL.get(verb.lower(), verb) if plural else third(verb)))
        break
    if not plural:
        rest = _SHARED_SUBJECT.match(text[at:].lstrip())
        if rest:
            parts.append(f" {rest.group(1)} {third(rest.group(2))}")
            at += len(text[at:]) - len(text[at:].lstrip()) + rest.end()
    return "".join(parts), at


def _group(text: str) -> str:
    family, team = _FAMILY.search(text), _TEAM.search(text)
    if family and not team:
        return "the user's family"
    return "the user's team" if team and not family else "the user"


def _addressed(text: str) -> str:
    """*text* with "you" as the assistant, where it speaks to the assistant and not of people at large."""
    if not _TO_ASSISTANT.search(text):
        return text
    text = re.sub(r"\b(?:you|u)(?:'|’)re\b|\b(?:you|u) are\b", "the assistant is", text, flags=re.IGNORECASE)
    text = re.sub(r"\byour\b", "the assistant's", text, flags=re.IGNORECASE)
    text = re.sub(
        r"\b(?:you|u)\b(\s+)([A-Za-z']+)",
        lambda found: f"the assistant{found.group(1)}{third(found.group(2))}",
        text,
        flags=re.IGNORECASE,
    )
    return re.sub(r"\byou\b", "the assistant", text, flags=re.IGNORECASE)
