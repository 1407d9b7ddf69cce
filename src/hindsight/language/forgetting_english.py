"""The English wording of requests to forget, clause by clause.

"Forget" dismisses options as often as it asks for an erasure, so a bare "forget it" never counts and
"forget that" counts only where no alternative follows.
"""

from __future__ import annotations

import re
from typing import Final, Literal

ForgetTarget = Literal["last", "topic", "session"]
_EN_LEAD: Final = (
    r"(?:\A|[.:;–—-]\s?)\s*(?:(?:and|but|so|ok(?:ay)?|actually|oh|wait|no|also|hmm|um|well|please|"
    r"pls|plz|just|now|then|sorry|yes|yeah|hey|right|in fact|on second thou?ghts?|it is|"
    r"(?:can|could|would|will) (?:you|u)(?: please| just| kindly)?|(?:i'?d|i would|i) (?:like|"
    r"want|need|prefer) (?:it if )?(?:you|u) (?:to|could)(?: please| just)?|(?:i'?m )?asking you "
    r"to|you (?:can|should|must|may|need to|have to|could)(?: just| now)?|make sure (?:you|to)|"
    r"feel free to|"
    r"(?:let'?s )?pretend and)[\s:]+){0,6}"
)
_EN_DO: Final = re.compile(
    _EN_LEAD + r"(?P<verb>forget|unremember|unlearn|disregard|erase|delete|remove|wipe|scrub|purge|drop|"
    r"discard|clear|strip|strike|take)\b(?P<object>[^\n]{0,200})"
)
_EN_DONT: Final = re.compile(
    _EN_LEAD + r"(?:(?:do not|don'?t|dont|never|pls don'?t|(?:there'?s )?no need to|no reason to|needn'?t|"
    r"you (?:do not|don'?t|dont) (?:need|have) to|i (?:do not|don'?t|dont) want (?:you|u) to|i'?d "
    r"rather (?:you|u) (?:didn'?t|not)|i'?d prefer (?:you|u) not to|refrain from|avoid) )"
    r"(?:ever |please |actually |even )?(?P<verb>remember|memori[sz]e|save|store|keep|record|"
    r"retain|log|note(?: down)?|write down|hold on to|hang on to|commit|put|file|add|remembering|"
    r"saving|storing|keeping|recording)\b(?P<object>[^\n]{0,200})"
)
_EN_KEEP_OUT: Final = re.compile(
    _EN_LEAD + r"(?:keep|leave) (?P<object>.{1,80}?) (?:out of|off) (?:your |the |my )?(?:memory|memories|"
    r"notes|records?|files|profile)\b"
)
_EN_OFF_RECORD: Final = re.compile(
    r"(?:\A|\b(?:this|that|it)(?:'s| is| was)(?: strictly| all)? |[,;:–—-]\s?)off the record\b|"
    r"\bnot (?:something )?(?:for|to go in) (?:your |the )?(?:memory|records?|notes)\b"
)
_EN_MEMORY: Final = re.compile(
    r"\b(?:from|in|to|out of|off|on) (?:your |the |my |long.term )*(?:memory|memories|notes|"
    r"records?|file|profile|history|mind)\b|\bwhat you (?:know|have|remember|stored|saved)\b|"
    r"\byou(?:'ve)? (?:remember|stored|saved|noted|know)\b|\b(?:the|that|this|my|those|these|all) "
    r"(?:memory|memories)\b|\babout me\b"
)
_EN_SAID: Final = re.compile(
    r"\b(?:what|that|everything|anything|all|whatever|the (?:thing|stuff|part|bit|one|message|"
    r"line|sentence)s?|where|when)?\s*(?:that )?(?:i|i've|i'd|we) (?:have |had )?(?:just |"
    r"previously |earlier )*(?:said|told|mentioned|wrote|shared|typed|sent|gave|talked|brought up|"
    r"let slip|confided|posted)\b"
)
_EN_LAST_MESSAGE: Final = re.compile(
    r"\b(?:the|my|that|this) (?:last|previous|prior|earlier|above) (?:thing|message|one|bit|part|"
    r"sentence|line|statement|comment|turn|remark)s?\b|\b(?:that|this) (?:last )?(?:message|bit|"
    r"part|sentence|line|statement|comment|remark)\b"
)
_EN_PART: Final = re.compile(r"\s*the (?:parts?|bits?|things?|stuff) (?:about|where|with|on)\b")
_EN_EVERYTHING: Final = re.compile(
    r"\A\s*(?:about )?(?:all(?! (?:of )?my (?!data\b|messages?\b|words\b|info|chats?\b|conversations?\b))|"
    r"everything(?! (?:that )?(?:my|our|his|her|he|she|they)\b)|the (?:whole|entire) "
    r"(?:thing|conversation|chat|session|"
    r"discussion)|(?:all of )?(?:this|our|the) (?:whole |entire )?(?:conversation|chat|session|"
    r"discussion|talk|exchange))\b(?! about)"
)
_EN_THIS: Final = re.compile(
    r"\A\s*(?:about )?(?:any of |all of )?(?:that|this|it|these|those|that one|this one)(?: "
    r"(?:one|please|pls|ok(?:ay)?|thanks|now|too|again|either|part|bit|at all|anywhere|for me|"
    r"alright|yeah|entirely|completely|altogether|from|in|to|on))*\b\s*(?P<rest>.*)\Z"
)
_EN_SESSION_TIME: Final = re.compile(r"(?i)(?:today|tonight|here|(?:in |during )?this (?:chat|session|conversation))")
_EN_OF: Final = (
    r"(?:about|regarding|concerning|on|re|relat(?:ed|ing) to|to do with|involving|connected (?:with|to)|linked to|"
    r"mention(?:s|ing)?(?: of)?|references? to)"
)
_EN_ABOUT: Final = re.compile(rf"\b{_EN_OF} (?P<topic>.+)\Z")
_EN_NARROWED: Final = re.compile(rf"\b{_EN_OF}\s+\w")
_EN_RELATED: Final = re.compile(
    rf"\A\s*(?:all|any(?:thing)?|everything|whatever|things?|stuff)\b.{{0,30}}?\b{_EN_OF} "
    r"(?!it\b|that\b|this\b|them\b)\w"
)
# What somebody else said is no order of the user.
_EN_SAID_BY: Final = re.compile(
    r"\A\s*,?\s*(?:he|she|they|my \w+|said|says|told)\b.{0,20}(?:said|says|told|\Z)|\A,? ?(?:said|says)\b"
)
# "Everything we talked about today" and "everything you know about me" stay the whole.
_EN_WHOLE: Final = re.compile(
    r"(?i)(?:me|us|myself|ourselves|today|tonight|here|so far|until now|(?:in |during |on )?(?:this|our|the) "
    r"(?:whole |entire )?(?:chat|session|conversation|discussion|talk))"
)
_EN_MINE: Final = re.compile(
    r"\A\s*(?:all )?(?:about )?(?:all (?:of )?(?=my\b))?(?P<topic>(?:my|our|the fact (?:that )?(?:i|my|we)|"
    r"that (?:i|my|we|i'm)|"
    r"(?:where|what|how|when|who) (?:i|my|we))\b.+)\Z"
)
_EN_MENTIONED: Final = re.compile(
    r"\A\s*(?:about )?(?P<topic>.+?)(?: (?:that |which )?i(?:'ve)?(?: have)?(?: just)? "
    r"(?:mentioned|told|said|gave|shared|brought up|talked about|described).*)\Z"
)
_EN_DISMISS: Final = re.compile(
    r"\b(?:let'?s|let us|instead|rather|i'?ll|we'?ll|i'?d rather|(?:just )?(?:use|try|do|go|make|"
    r"take|give|show|tell|start|switch|move on|focus|stick)\b|how about|what about|can (?:we|you|"
    r"i)|could (?:we|you)|we can|for now|not worth)"
)
_EN_GENERIC: Final = re.compile(
    r"\A\s*(?:about )?(?:things?|stuff|anything|something|facts?|memories|data|information|people|"
    r"users?|conversations|it all|me|us|him|her|them)?\s*\??\Z"
)
_EN_NOT_NOW: Final = re.compile(
    r"\b(?:yet|until|unless|to (?:the )?(?:disk|file|db|database|server|repo|git|cloud)|as (?:a |"
    r"an )?\w+|in (?:the )?(?:file|db|database|repo|code|plain)|too (?:long|much|many)|for (?:too "
    r")?long)\b"
)
_EN_TAIL: Final = re.compile(
    r"(?:,| |\b)(?:please|pls|ok(?:ay)?|thanks|thank you|now|at all|again|anywhere|from (?:your "
    r")?(?:memory|memories|records?|notes)|in (?:your )?(?:memory|memories|records?|notes|the "
    r"last chat|our last chat|this chat)|earlier|just now|before|a (?:minute|moment|second) ago|i "
    r"(?:said|mentioned|told you)(?: about)?|he asked.*)[\s.!?]*\Z"
)
_EN_TOPIC_HEAD: Final = re.compile(
    r"\A(?:that|about|the fact that|the fact|any|all|anything|everything|me|you|i said|i told you|"
    r"i mentioned|said|to you|earlier|just|in the last chat|in our last chat)\s+"
)


def judge_english(clause: str, following: str) -> tuple[ForgetTarget, str | None] | None:
    """What *clause* asks to forget, given the words *following* it: the target and the topic, or None."""
    original, clause = clause, clause.lower()
    if _EN_OFF_RECORD.search(clause):
        return "last", None
    out = _EN_KEEP_OUT.search(clause)
    if out is not None:
        return _english_object(original, out.start("object"), out.end("object"), sure=True)
    match = _EN_DO.search(clause)
    if match is not None and match["verb"] != "take":
        start, end = match.span("object")
        if match["verb"] in ("forget", "unremember", "unlearn"):
            return _english_forget(original, start, end, following)
        if _EN_MEMORY.search(match["object"]) or (match["verb"] != "take" and _said_last(match["object"])):
            return _english_object(original, start, end, sure=True)
        return None
    match = _EN_DONT.search(clause)
    if match is not None:
        return _english_dont(original, match)
    return None


def _said_last(words: str) -> bool:
    return re.match(
        r"\s*(?:what|whatever|anything|everything|all|that)(?: that)? (?:i|i've|we)(?: have)? (?:just |ever )?"
        r"(?:said|told|mentioned)",
        words,
    ) is not None or (re.match(r"\s*my (?:last|previous) message", words) is not None)


def _english_forget(text: str, start: int, end: int, following: str) -> tuple[ForgetTarget, str | None] | None:
    words = text[start:end].lower()
    if _EN_SAID_BY.match(following.lower()):
        return None
    said = _EN_SAID.search(words) or _EN_LAST_MESSAGE.search(words) or _EN_MEMORY.search(words)
    related = _EN_RELATED.match(words)
    if not said and not related and _EN_DISMISS.search(words + " " + following.lower().lstrip(" ,.;-–—")[:40]):
        return None
    if re.match(r"\s*(?:about )?it\b", words) and not said:
        return None
    if (
        said
        or related
        or _EN_PART.match(words)
        or _EN_THIS.match(words)
        or _EN_EVERYTHING.match(words)
        or _EN_MINE.match(words)
    ):
        return _english_object(text, start, end, sure=bool(said))
    return None


def _english_dont(text: str, match: re.Match[str]) -> tuple[ForgetTarget, str | None] | None:
    words = match["object"]
    start, end = match.span("object")
    if _EN_NOT_NOW.search(words) and not _EN_MEMORY.search(words):
        return None
    about = re.match(
        r"\s*(?:anything|things|stuff|details|facts|any of the \w+|any \w+) (?:about|on|regarding) ", words
    )
    if (
        about
        or _EN_MEMORY.search(words)
        or _EN_SAID.search(words)
        or _EN_THIS.fullmatch(words)
        or _EN_MINE.match(words)
    ):
        this = _EN_THIS.match(words)
        verb = match["verb"]
        if (
            this
            and this["rest"].strip(" .!?")
            and verb not in ("remember", "memorize", "memorise")
            and not _EN_MEMORY.search(words)
        ):
            return None
        if (
            _EN_MINE.match(words)
            and verb in ("put", "add", "commit", "file", "keep", "note")
            and not _EN_MEMORY.search(words)
        ):
            return None
        return _english_object(text, start, end, sure=True)
    return None


def _english_object(text: str, start: int, end: int, *, sure: bool) -> tuple[ForgetTarget, str | None] | None:
    """What the object of the request names: everything, a topic, or what was just said."""
    words = text[start:end]
    lowered = words.lower()
    topic = _english_topic(words, lowered)
    if _EN_EVERYTHING.match(lowered):
        about = _EN_NARROWED.search(lowered)
        narrow = topic and about and not _EN_WHOLE.fullmatch(topic)
        return ("topic", topic) if narrow else ("session", None)
    if topic and _EN_SESSION_TIME.fullmatch(topic):
        return ("session", None)
    if topic:
        return ("topic", topic)
    if _EN_GENERIC.match(lowered) and not sure:
        return None
    return ("last", None)


def _english_topic(words: str, lowered: str) -> str | None:
    about = _EN_ABOUT.search(lowered) if not lowered.lstrip().startswith("about ") else None
    mentioned = _EN_MENTIONED.match(lowered)
    mine = _EN_MINE.match(lowered)
    if about is not None:
        topic = words[about.start("topic") : about.end("topic")]
    elif (
        after := re.search(r"\bi (?:just )?(?:said|told you|mentioned)(?: that)? (?P<topic>\w.+)\Z", lowered)
    ) is not None:
        topic = words[after.start("topic") : after.end("topic")]
    elif mentioned is not None:
        topic = words[mentioned.start("topic") : mentioned.end("topic")]
    elif mine is not None and not _EN_LAST_MESSAGE.match(lowered.strip()):
        topic = words[mine.start("topic") : mine.end("topic")]
    else:
        return None
    return _trim_english(topic)


def _trim_english(topic: str) -> str | None:
    topic = topic.strip(" .!?\"'")
    for _ in range(4):
        shorter = _EN_TAIL.sub("", topic).strip(" .!?\"'")
        head = _EN_TOPIC_HEAD.match(shorter.lower())
        shorter = shorter[head.end() :] if head else shorter
        if shorter == topic:
            break
        topic = shorter
    empty = re.fullmatch(
        r"(?i)(?:what|that|this|it|the|thing|things|stuff|part|bit|a|an|one|me|all|any|of|last|"
        r"message|just|now|earlier|here|so|everything|anything|whatever|\s)*",
        topic,
    )
    return None if empty else topic
