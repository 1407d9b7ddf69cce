"""Which words of the old statement stand in the new one, and how the rest lines up.

Words are matched as a bag first, since "Priya is the user's manager" reorders "the user's manager is
Priya"; the order of what was matched then shows where something was replaced, added or left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from hindsight.language.relation.parsing import Parsed, Token
from hindsight.language.relation.quantities import same_quantity

# Words that share most characters are taken for the same with this weight.
_SOFT_MATCH: Final = 0.75
_SOFT_SHARE_MIN: Final = 0.5
_PREFIX_SHARE_MIN: Final = 0.6


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch where the statements differ: old words, new words, either possibly none."""

    old: tuple[Token, ...]
    new: tuple[Token, ...]
    old_place: float
    new_place: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """``old_matched[i]`` is the weight with which old content word *i* stands in the new statement."""

    old_matched: tuple[float, ...]
    new_matched: tuple[float, ...]
    blocks: tuple[Block, ...]
    in_order: float

    def old_only(self, parsed: Parsed) -> list[Token]:
        """Old content words that the new statement lacks."""
        return [token for token, weight in zip(parsed.content, self.old_matched, strict=True) if not weight]

    def new_only(self, parsed: Parsed) -> list[Token]:
        """New content words that the old statement lacks."""
        return [token for token, weight in zip(parsed.content, self.new_matched, strict=True) if not weight]


def align(old: Parsed, new: Parsed) -> Alignment:
    """Match the content words of both statements, each at most once."""
    candidates: list[tuple[float, int, int]] = []
    for i, first in enumerate(old.content):
        for j, second in enumerate(new.content):
            weight = match_weight(first, second)
            if weight:
                candidates.append((weight - 0.001 * abs(i - j), i, j))
    candidates.sort(key=lambda c: (-c[0], c[1], c[2]))
    old_matched, new_matched = [0.0] * len(old.content), [0.0] * len(new.content)
    old_ids = [f"o{i}" for i in range(len(old.content))]
    new_ids = [f"n{j}" for j in range(len(new.content))]
    for weight, i, j in candidates:
        if old_matched[i] or new_matched[j]:
            continue
        old_matched[i] = new_matched[j] = 1.0 if weight > _SOFT_MATCH + 0.05 else _SOFT_MATCH
        old_ids[i] = new_ids[j] = f"m{i}"
    # A word said twice counts as present both times.
    _repeat(old.content, old_matched, new.content)
    _repeat(new.content, new_matched, old.content)
    matcher = SequenceMatcher(None, old_ids, new_ids, autojunk=False)
    blocks: list[Block] = []
    equal = 0
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            equal += i2 - i1
            continue
        blocks.append(
            Block(
                tuple(t for t, w in zip(old.content[i1:i2], old_matched[i1:i2], strict=True) if not w),
                tuple(t for t, w in zip(new.content[j1:j2], new_matched[j1:j2], strict=True) if not w),
                i1 / max(1, len(old.content) - 1),
                j1 / max(1, len(new.content) - 1),
            )
        )
    matched = sum(1 for weight in old_matched if weight)
    return Alignment(
        tuple(old_matched),
        tuple(new_matched),
        tuple(block for block in blocks if block.old or block.new),
        equal / matched if matched else 1.0,
    )


def _repeat(tokens: tuple[Token, ...], matched: list[float], others: tuple[Token, ...]) -> None:
    norms = {token.norm for token in others}
    for index, token in enumerate(tokens):
        if not matched[index] and token.norm in norms:
            matched[index] = 1.0


def match_weight(first: Token, second: Token) -> float:
    """How surely two words mean the same: 1, a soft match, or 0."""
    if first.norm == second.norm:
        return 1.0
    if first.quantity and second.quantity:
        return 1.0 if same_quantity(first.quantity, second.quantity) else 0.0
    if first.quantity or second.quantity:
        return 0.0
    one, other = first.norm, second.norm
    if one.isascii() != other.isascii():
        return 0.0
    if one.isascii():
        return _english_soft(one, other)
    return _chinese_soft(first.surface, second.surface)


def _english_soft(one: str, other: str) -> float:
    shared = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        shared += 1
    longest = max(len(one), len(other))
    if shared >= 4 and shared / longest >= _PREFIX_SHARE_MIN:
        return _SOFT_MATCH
    parts, others = set(one.replace("/", "-").split("-")), set(other.replace("/", "-").split("-"))
    return _SOFT_MATCH if (len(parts) > 1 or len(others) > 1) and parts & others else 0.0


def _chinese_soft(one: str, other: str) -> float:
    if len(one) < 2 and len(other) < 2:
        return 0.0
    shared = sum(1 for character in one if character in other)
    if len(one) == 1 or len(other) == 1:
        return _SOFT_MATCH if shared and max(len(one), len(other)) == 2 else 0.0
    # Two words of two characters that share their last one are often siblings (杭州店, 宁波店).
    if shared / max(len(one), len(other)) <= _SOFT_SHARE_MIN and one[0] != other[0]:
        return 0.0
    return _SOFT_MATCH if shared / max(len(one), len(other)) >= _SOFT_SHARE_MIN else 0.0
