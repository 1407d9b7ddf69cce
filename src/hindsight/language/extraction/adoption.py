"""When a user's "yes" makes the assistant's words the user's.

A guess put as a question is adopted by a yes, a statement only by an explicit endorsement. Offers are
never adopted, since a yes to them orders work. Nothing is adopted once a tool or web page spoke in
between, unless the user endorses it in so many words: a poisoned page would otherwise ride on a "yes".
"""

from __future__ import annotations

import re
from typing import Final

_YES: Final = re.compile(
    r"^(?:ok(?:ay)?|y|yes|yep|yeah|yea|yup|ya|sure|correct|right|exactly|absolutely|definitely|indeed|"
    r"of course|fine|perfect|great|"
    r"that'?s (?:right|correct|it|true)|that is (?:right|correct)|sounds (?:good|right|great)|"
    r"works(?: for me)?|do (?:that|it)|go (?:on|ahead)(?: then)?|please do|i do|i am|we do|it is|"
    r"agreed|"
    r"嗯+|对+|是|是的|是啊|对的|对呀|对啊|没错|可以|可以的|行|行啊|好|好的|好啊|成|要得|没问题|同意|"
    r"ok的?|就是|正是|当然|确实|嗯就?这[个本样]|就这[个本样])(?![a-z])",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"^(?:no+(?!ted|t(?:e|ion))|nah|nope|not (?:really|now|yet|any ?more|my)|god no|woah no|don'?t|"
    r"please don'?t|neither|never|"
    r"不(?!错|过|仅|止)|没有?(?!错|问题)|别|那倒没|无|算了|打住|先不|暂时不)",
    re.IGNORECASE,
)
_ENDORSES: Final = re.compile(
    r"\b(?:let'?s go with (?:that|it|this)|go with (?:that|it|this)|"
    r"(?<!don't )(?<!dont )(?<!not )(?:save|remember|note down|store) (?:that|this|it)\b(?! in mind)|"
    r"that'?s (?:the plan|final|decided)|agreed|make (?:that|it) (?:the )?(?:rule|default|official)|"
    r"stick (?:with|to) (?:that|it)|do it that way from now on|lock (?:that|it) in)|"
    r"(?<!我)(?<!我都)(?<!我先)(?<!都)(?:记住(?:这|它|吧)?|记下来)(?![了啦])|就按(?:这|你说|您说|刚才|那)|"
    r"按你说的|就这么(?:定|办|干)|就这样定|"
    r"就定这个|以后都?(?:按|照)(?:这|你)|采纳|定下来",
    re.IGNORECASE,
)
_TRAIL: Final = re.compile(r"^[\s,，.。!！~～、;；…哈啊呀的了吧就这那样个本thatsinde'’]*", re.IGNORECASE)


def says_yes(text: str) -> bool:
    """Whether *text* begins with an agreement."""
    return bool(_YES.match(text.strip())) and not says_no(text)


def says_no(text: str) -> bool:
    """Whether *text* begins with a refusal."""
    return bool(_NO.match(text.strip()))


def endorses(text: str) -> bool:
    """Whether *text* adopts what was just proposed in so many words, and not what the user said just before."""
    found = _ENDORSES.search(text)
    return found is not None and not (_OWN_WORDS.search(text[: found.start()]) and not _AT_ONCE.match(text))


# "Make it 250, that's the plan": the plan is the user's own.
_OWN_WORDS: Final = re.compile(r"\d|\b(?:i|we|let'?s|make it|my|our)\b.{6,}|[我咱改定].{4,}", re.IGNORECASE)
_AT_ONCE: Final = re.compile(
    r"^\W*(?:yes|yep|yeah|ok(?:ay)?|right|perfect|great|对|是|好|行|嗯|可以|没错)", re.IGNORECASE
)


def after_yes(text: str) -> str:
    """What *text* adds after its agreement; empty for a bare yes."""
    bare = text.strip()
    found = _YES.match(bare)
    return bare[found.end() :].lstrip(" ,，.。!！~～、;；…") if found else bare


_PROPOSES_STABLE: Final = re.compile(
    r"以后|统一|每次|默认|一律|always|from now on|by default|every time|going forward|standard|结论|"
    r"选型|so:|decision|summary|plan:",
    re.IGNORECASE,
)


_OFFERS_TO_KEEP: Final = re.compile(
    r"\b(?:keep|save|remember|store|note|record) (?:them|it|that|this|these|those|both|all)\b|"
    r"\bbe (?:kept|saved|remembered|stored)\b|记(?:下|住|着|录)|保存|照办|存(?:下|为|起)",
    re.IGNORECASE,
)
_ALL: Final = re.compile(
    r"\b(?:all(?: of (?:them|it|those|these))?|both|every one|all (?:two|three|four|five))\b|都|全部|"
    r"两[点条个]|三[点条个]",
    re.IGNORECASE,
)
_LISTS: Final = re.compile(r"\b(?:two|three|four|five|both|several)\b|[二两三四五几][点条个]|;|；|、", re.IGNORECASE)


def offers_to_keep(text: str) -> bool:
    """Whether the assistant's question *text* asks to remember something."""
    return bool(_OFFERS_TO_KEEP.search(text))


def says_all(text: str) -> bool:
    """Whether *text* accepts everything that was listed."""
    return bool(_ALL.search(text)) and not says_no(text)


def lists_several(text: str) -> bool:
    """Whether *text* holds several things, so that a bare yes does not say which is meant."""
    return bool(_LISTS.search(text))


def proposes_stable(text: str) -> bool:
    """Whether the assistant's *text* proposes something meant to last."""
    return bool(_PROPOSES_STABLE.search(text))
