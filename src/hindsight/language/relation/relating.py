"""The verdict on a pair: the judge's probabilities, held back by the vetoes."""

from __future__ import annotations

import re
from typing import Final

from hindsight.language.relation.exclusive import EXCLUSIVE_PROBABILITY, excluded
from hindsight.language.relation.features import Compared, compare
from hindsight.language.relation.judge import Weights, probabilities
from hindsight.language.relation.parsing import CHARACTERS_READ_MAX, normalise, parse
from hindsight.language.relation.statement import CERTAIN_FROM, JUDGED, Judged, Statement, Verdict
from hindsight.language.relation.vetoes import merge_vetoes

_MERGING: Final[tuple[Judged, ...]] = ("duplicate", "refinement")
_KEEPING_APART: Final[tuple[Judged, ...]] = ("contradiction", "coexist")
# At .3 unseen authors lost 8 of 266 pairs that should stay apart, at .2 4.
_APART_SHARE_MAX: Final = 0.15
# Two languages share few words, so a duplicate across them needs the similarity to say so too.
_CROSS_LANGUAGE_SIMILARITY_MIN: Final = 0.9
# Below this similarity and share of common words a relation found is mostly one found by chance: random
# pairs were acted on in 1.6% of cases without this bound.
_FAR_SIMILARITY: Final = 0.25
_FAR_SHARE: Final = 0.4
# The share of the shorter main clause that must stand in the other for a relation to be acted on: under
# different keys, and under one key. Across authors, with topics apart ruled out, it let 47 of 50
# right contradictions through and stopped 13 of 24 found between memories that had nothing to settle.
_SLOT_SHARE_MIN: Final[dict[Judged, tuple[float, float]]] = {
    "contradiction": (0.5, 0.25),
    "refinement": (0.4, 0.3),
}
# From so many differing numbers on, two statements under two keys speak of two things.
_NUMBERS_OF_ANOTHER: Final = 2
_NUMBER: Final = re.compile(r"\d+")
# One key, nearly the same words, and the one says no to what the other says: there is nothing to doubt.
_DENYING: Final = frozenset({"one_negation", "opposite_feeling"})
_DENIED_SHARE: Final = 0.5
_LEAVING: Final[tuple[Judged, ...]] = ("coexist", "unrelated")
_JUST_SHORT: Final = 0.01
_NEARLY_NONE: Final = 1e-6
# Up to which chance of being unrelated a relation is acted on: at .4 7.0% of unseen authors' mere neighbours
# were acted on, at .25 5.3%. From which chance on it is not even named: at .8 accuracy was .753, at .95 .767.
_STRANGER_MAX: Final = 0.25
_STRANGER_FROM: Final = 0.95
_REASONS_MAX: Final = 4


def relate(old: Statement, new: Statement, *, similarity: float) -> Verdict:
    """What *new* is to *old*, with how sure that is and why.

    Args:
        similarity: Calibrated similarity of the two values in [0, 1]; 0.9 and above is a likeness that
            duplicates have in this language. It may support a verdict and never makes one alone.
    """
    return relate_with(old, new, similarity=similarity, learned=None)


def relate_with(old: Statement, new: Statement, *, similarity: float, learned: Weights | None) -> Verdict:
    """As :func:`relate`, with weights of one's own: for training and its cross-checks."""
    if _folded(old.value) == _folded(new.value):
        return Verdict(relation="duplicate", probability=0.99, runner_up="coexist", reasons=("same_text",))
    compared = compare(
        parse(old.key, old.value, old.language),
        parse(new.key, new.value, new.language),
        similarity=similarity,
        same_category=old.category == new.category,
    )
    every = probabilities(compared.features, learned)
    stranger = every["unrelated"]
    shares = _if_related(every)
    vetoes = merge_vetoes(compared)
    if old.language != new.language and similarity < _CROSS_LANGUAGE_SIMILARITY_MIN:
        vetoes += ("cross_language",)
    if max(len(old.value), len(new.value)) > CHARACTERS_READ_MAX:
        # What was not read may differ.
        vetoes += ("not_read_in_full",)
    held = _without_merging(shares) if vetoes else shares
    relation, runner_up = _best_two(held)
    probability = held[relation]
    apart = sum(shares[kind] for kind in _KEEPING_APART)
    if relation in _MERGING and apart > _APART_SHARE_MAX:
        # Just short of certain, so that the pair is kept apart and shown as undecided.
        probability = min(probability, CERTAIN_FROM[relation] - _JUST_SHORT)
    apart_or_strange = stranger > _STRANGER_MAX or _far_apart(compared, similarity) or not _one_slot(compared, relation)
    if relation == "contradiction" and _other_items(old, new, compared):
        apart_or_strange = True
    if relation not in _LEAVING and apart_or_strange:
        probability = min(probability, CERTAIN_FROM[relation] - _JUST_SHORT)
    if stranger >= _STRANGER_FROM:
        relation, runner_up, probability = "unrelated", relation, stranger
    reasons = tuple(f"veto:{veto}" for veto in vetoes) + _reasons(compared)
    if relation in _LEAVING or probability < CERTAIN_FROM[relation]:
        denied = (
            old.key == new.key and not _DENYING.isdisjoint(vetoes) and compared.features["share_max"] >= _DENIED_SHARE
        )
        only_one = "contradiction" if denied else excluded(old, new, compared)
        if only_one is not None:
            relation, runner_up, probability = only_one, relation, EXCLUSIVE_PROBABILITY
            reasons = ("denied" if denied else "exclusive_slot", *reasons)
    return Verdict(
        relation=relation,
        probability=min(1.0, max(0.0, probability)),
        runner_up=runner_up,
        reasons=reasons[:_REASONS_MAX] or ("wording",),
    )


def _if_related(shares: dict[Judged, float]) -> dict[Judged, float]:
    """The shares of the relations, given that there is one.

    Asked in one go, a pair that may be a stranger's splits the rest among five: held against each alone,
    "unrelated" won so often that accuracy across authors fell from .75 to .68.
    """
    left = max(1.0 - shares["unrelated"], _NEARLY_NONE)
    return {kind: 0.0 if kind == "unrelated" else share / left for kind, share in shares.items()}


def _far_apart(compared: Compared, similarity: float) -> bool:
    return similarity < _FAR_SIMILARITY and compared.features["core_share_max"] < _FAR_SHARE


def _one_slot(compared: Compared, relation: Judged) -> bool:
    """Whether both speak of one thing, as far as *relation* needs that."""
    features = compared.features
    if relation == "contradiction" and features["topic_apart"]:
        return False
    other_keys, one_key = _SLOT_SHARE_MIN.get(relation, (0.0, 0.0))
    return features["core_share_max"] >= (one_key if features["key_overlap"] == 1.0 else other_keys)


def _other_items(old: Statement, new: Statement, compared: Compared) -> bool:
    """Whether numbers name two things: under different keys several differ, or the keys' own do ("shelf_2", "shelf_3").

    One number of one thing may have changed; with two, the first names another thing.
    """
    features = compared.features
    if _NUMBER.findall(old.key) != _NUMBER.findall(new.key):
        return True
    return features["key_overlap"] < 1.0 and features["numbers_clash"] >= _NUMBERS_OF_ANOTHER


def _folded(text: str) -> str:
    return " ".join(normalise(text).casefold().split()).rstrip(".。!！")


def _without_merging(shares: dict[Judged, float]) -> dict[Judged, float]:
    """The same shares with merging ruled out and the rest scaled up."""
    left = 1.0 - sum(shares[kind] for kind in _MERGING)
    return {
        kind: 0.0 if kind in _MERGING else share / left if left > 0 else float(kind == "coexist")
        for kind, share in shares.items()
    }


def _best_two(shares: dict[Judged, float]) -> tuple[Judged, Judged]:
    ranked = sorted(JUDGED, key=lambda kind: -shares[kind])
    return ranked[0], ranked[1]


_SIGNS: Final = (
    ("comparison_reversed", "comparison_reversed"),
    ("cue_gained", "update_cue"),
    ("negation_alone", "negation"),
    ("ids_clash", "other_id"),
    ("numbers_clash", "number_differs"),
    ("subject_differs", "other_person"),
    ("persons_differ", "other_person"),
    ("subject_one_sided", "other_person"),
    ("scope_clash", "other_scope"),
    ("opposite_clash", "opposite_words"),
    ("names_clash", "name_differs"),
    ("universal_denied", "rule_denied"),
    ("one_sided", "adds_detail"),
    ("key_contrast", "keys_contrast"),
    ("numbers_all_equal", "numbers_equal"),
)


def _reasons(compared: Compared) -> tuple[str, ...]:
    features = compared.features
    found = [reason for name, reason in _SIGNS if features[name] > 0]
    if features["share_min"] >= 0.99:
        found.append("same_words")
    if features["share_max"] == 0.0:
        found.append("nothing_shared")
    return tuple(dict.fromkeys(found))
