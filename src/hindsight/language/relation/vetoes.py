"""What forbids a merge, however alike two statements look.

The judge is confidently wrong just where a sentence differs by one small thing: it called a reversed
preference a duplicate at .97. In a prototype such checks cut silent losses
to a quarter. A veto never decides what
the relation is; it only takes the merging ones off the table.
"""

from __future__ import annotations

from typing import Final

from hindsight.language.relation.features import Compared

# One word for another in otherwise equal statements: of 26 such development pairs 23 had to stay apart.
# Above this share of common words two statements are "the same but for one thing".
_NEARLY_SAME: Final = 0.6


def merge_vetoes(compared: Compared) -> tuple[str, ...]:
    """Codes of the reasons not to merge; empty means none."""
    return _single_difference(compared) + _numbers_and_scope(compared)


def _single_difference(compared: Compared) -> tuple[str, ...]:
    features = compared.features
    vetoes: list[str] = []
    if features["comparison_reversed"]:
        vetoes.append("comparison_reversed")
    likeness = max(features["share_min"], features["characters_min"])
    if features["negation_differs"] and likeness >= _NEARLY_SAME and not features["opposite_clash"]:
        vetoes.append("one_negation")
    if features["sentiment"] < 0 and not features["negation_differs"] and features["share_max"] >= 0.5:
        vetoes.append("opposite_feeling")
    one_person_more = features["subject_one_sided"] and features["only_max"] <= 1
    if features["subject_differs"] or features["persons_differ"] or one_person_more:
        vetoes.append("other_person")
    return tuple(vetoes)


def _numbers_and_scope(compared: Compared) -> tuple[str, ...]:
    features = compared.features
    vetoes: list[str] = []
    if features["ids_clash"]:
        vetoes.append("other_id")
    if features["numbers_clash_only"]:
        vetoes.append("number_differs")
    if features["scope_clash"] and not features["scope_same"]:
        vetoes.append("other_scope")
    if features["names_clash"] and features["one_word_replaced"]:
        vetoes.append("name_for_name")
    if features["one_word_replaced"] and features["share_max"] >= _NEARLY_SAME:
        vetoes.append("word_for_word")
    return tuple(vetoes)
