"""How a second statement takes up the first: describes what it named, breaks its rule, or means another time.

"The user has a boat. The boat is a sloop" refines where "The user has a boat. The user has a car"
does not, although both share as many words. Likewise a rule ("never lends tools") and an occasion ("lent
a saw in spring") share few words and still cannot both stand, while what was and what is planned can.
"""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.relation.alignment import Alignment, match_weight
from hindsight.language.relation.lexicon import USER_WORDS
from hindsight.language.relation.parsing import Parsed, Token

_BRINGS_IN: Final = frozenset(
    "a an one some has have had owns keeps bought booked hired joined got runs plans wants called "
    "有 养 养了 买了 买 找了 找 请了 开了 开 租了 租 报了 报 订了 装了 做 在做 办 想 打算 准备 参加 一 叫".split()
)
_TAKES_UP: Final = frozenset("the user's this that these those its his her their 的 这 那 这个 那个 该 其".split())
_TAKEN_WITHIN: Final = 3
_PAST: Final = re.compile(
    r"\b(?:was|were|had|did|went|took|got|spent|failed|paid|rented|last (?:year|month|spring|summer|autumn|winter|"
    r"week|\w+day)|ago|once|in (?:19|20)\d\d|when (?:she|he|they) was|as a (?:child|student|boy|girl)|\w{3,}ed)\b|"
    r"去年|前年|上个?月|上周|当年|小时候|曾|过[^去年来]|[了过]$|那次|以前|大学时|年前",
    re.IGNORECASE,
)
_PLANNED: Final = re.compile(
    r"\b(?:will|going to|plans? to|intends? to|next (?:year|month|spring|summer|autumn|winter|week|\w+day)|"
    r"is booked|has booked|entered for|tomorrow|wants? to|hopes? to)\b|明年|后年|下个?月|下周|打算|计划|准备|将|要去|"
    r"想去|约了|报了|订了",
    re.IGNORECASE,
)
_UNBROKEN: Final = re.compile(
    r"\b(?:never|no(?:body| one|thing|where)?|none|without any|all|every|everyone|everything|always|only|whole|"
    r"entire(?:ly)?|any|nowhere else|alone|exclusively|strictly|at all|whatsoever)\b|"
    r"从不|从没|从未|从来|绝不|一律|全部?|所有|[谁家人]都|只|每次|任何|一概|没有例外|完全|统统|一点(?:也|都|.{1,4}不)|一次也|每个",
    re.IGNORECASE,
)


def discourse_features(old: Parsed, new: Parsed, alignment: Alignment, known: dict[str, float]) -> dict[str, float]:
    """Signs of description, of a rule broken, and of different times."""
    forward, backward = _described(old, new), _described(new, old)
    old_rule, new_rule = bool(_UNBROKEN.search(old.text)), bool(_UNBROKEN.search(new.text))
    old_time, new_time = _time(old.text), _time(new.text)
    one_rule = old_rule != new_rule
    shares_topic = known["matched"] >= 1
    more = known["length_ratio"] if old_rule else -known["length_ratio"]
    rest_old = sum(not t.quantity for t in alignment.old_only(old))
    rest_new = sum(not t.quantity for t in alignment.new_only(new))
    clash = known["numbers_clash"] > 0
    denied = known["negation_differs"] > 0
    within, core_within = known["share_max"], known["core_share_max"]
    added, core_added = known["only_max"], known["core_only_max"]
    longer = known["length_ratio_size"]
    return {
        "described": float(forward),
        "described_back": float(backward and not forward),
        "chained": float(_chained(old, new)),
        "rule_one_side": float(one_rule and shares_topic),
        "rule_and_occasion": float(one_rule and shares_topic) * max(0.0, more),
        "rule_denied_by_less": float(one_rule and denied and shares_topic),
        "rule_both": float(old_rule and new_rule),
        "past_and_plan": float(old_time * new_time < 0),
        "past_both": float(old_time < 0 and new_time < 0),
        "time_differs": float(old_time != new_time),
        "rest_min": float(min(rest_old, rest_new, 4)),
        "rest_max": float(min(6, max(rest_old, rest_new))),
        "clash_and_no_rest": float(clash and min(rest_old, rest_new) == 0),
        "clash_and_rest_both": float(clash) * min(rest_old, rest_new, 3),
        "no_clash_and_rest_both": float(not clash) * min(rest_old, rest_new, 3),
        # More words refine only where the shorter statement stands in the longer one.
        "adds_to_all": added * within,
        "adds_to_part": added * (1.0 - within),
        "core_adds_to_all": core_added * core_within,
        "core_adds_to_part": core_added * (1.0 - core_within),
        "longer_holds_all": longer * within,
        "longer_holds_part": longer * (1.0 - within),
        "longer_holds_core": longer * core_within,
        "cue_and_other_person": float(known["cue_gained"] > 0) * float(known["persons_other"] > 0),
    }


def _described(first: Parsed, second: Parsed) -> bool:
    """Whether *second* speaks of a thing as known that *first* brings in."""
    brought = [t for t in _after(first.tokens, _BRINGS_IN) if t.content and not t.quantity]
    taken = [t for t in _after(second.tokens, _TAKES_UP) if t.content] + _opening(second)
    again = _after(second.tokens, _BRINGS_IN)
    return any(
        match_weight(one, other) >= 1.0 and not any(other is token for token in again)
        for one in brought
        for other in taken
    )


def _after(tokens: tuple[Token, ...], markers: frozenset[str]) -> list[Token]:
    """The content words that follow a marker closely."""
    found: list[Token] = []
    for place, token in enumerate(tokens):
        if token.surface in markers or (token.quantity is not None and token.quantity.value == 1):
            found += [t for t in tokens[place + 1 : place + 1 + _TAKEN_WITHIN] if t.content]
    return found


def _opening(parsed: Parsed) -> list[Token]:
    """The first content word that is not the user."""
    return [t for t in parsed.content if t.surface not in USER_WORDS][:1]


def _chained(first: Parsed, second: Parsed) -> bool:
    """Whether the second opens with what the first ends on."""
    opening = _opening(second)
    return bool(opening) and any(match_weight(token, opening[0]) >= 1.0 for token in first.content[-2:])


def _time(text: str) -> int:
    """-1 for what was, 1 for what is planned, 0 otherwise."""
    if _PLANNED.search(text):
        return 1
    return -1 if _PAST.search(text) else 0
