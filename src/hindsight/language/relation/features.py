"""The figures the judge weighs: a fixed list of named numbers for a pair of statements.

Most are symmetric, since duplicate, coexist and contradiction are; signed ones say which side has
more. Similarity enters as few coarse steps, so that another embedder's calibration moves little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from hindsight.language.relation.alignment import Alignment, align
from hindsight.language.relation.discourse import discourse_features
from hindsight.language.relation.lexicon import OPPOSITES
from hindsight.language.relation.parsing import Parsed, Token
from hindsight.language.relation.quantities import Quantity, same_quantity
from hindsight.language.relation.topics import topic_features

_SIMILARITY_STEPS: Final = (0.2, 0.4, 0.55, 0.7, 0.8, 0.9)
_COUNT_MAX: Final = 4


@dataclass(frozen=True, slots=True)
class Compared:
    """Two parsed statements, how they align, and the features of the pair."""

    old: Parsed
    new: Parsed
    alignment: Alignment
    features: dict[str, float]


def compare(old: Parsed, new: Parsed, *, similarity: float, same_category: bool) -> Compared:
    """Hold *new* against *old*."""
    alignment = align(old, new)
    features = _structure(old, new, alignment)
    features |= _characters(old, new)
    features |= _core(old, new, features)
    features |= _subjects(old, new)
    features |= _polarity(old, new, features)
    features |= _change(old, new, features)
    features |= _comparison(old, new)
    features |= _keys(old, new)
    features |= _slots(old, new, alignment, features)
    features["persons_other"] = max(features["persons_differ"], features["subject_one_sided"])
    features |= discourse_features(old, new, alignment, features)
    features["same_category"] = float(same_category)
    features["cross_language"] = float(old.language != new.language)
    features["similarity"] = sum(similarity >= step for step in _SIMILARITY_STEPS) / len(_SIMILARITY_STEPS)
    return Compared(old, new, alignment, features)


def _structure(old: Parsed, new: Parsed, alignment: Alignment) -> dict[str, float]:
    features = _coverage(old, new, alignment)
    features |= _order(alignment)
    features |= _quantities(old, new)
    features |= _names(old, new, alignment)
    features |= _places(old, new)
    features |= topic_features(old, new, alignment)
    features["opposite_only"] = float(_opposite_only(old, new, alignment))
    features["negation_differs"] = float((old.negations - new.negations) % 2 == 1)
    return features


_CORE: Final = (
    "old_share",
    "new_share",
    "share_min",
    "share_max",
    "words_min",
    "words_max",
    "only_min",
    "only_max",
    "matched",
    "replaced",
    "single_replaced",
    "one_word_replaced",
    "two_replaced",
    "replaced_first",
    "replaced_last",
    "numbers_clash",
    "numbers_equal",
    "numbers_clash_only",
    "names_clash",
    "names_equal",
    "scope_clash",
    "opposite_clash",
    "opposite_only",
    "negation_differs",
    "topic_apart",
    "topic_same",
    "topic_apart_comment_same",
    "topic_same_comment_apart",
)


def _core(old: Parsed, new: Parsed, whole: dict[str, float]) -> dict[str, float]:
    """The same figures for the two clauses that speak of one thing.

    A memory often carries its reason or an aside ("..., because the train is late"); held against the
    whole, its main clause drowns.
    """
    core = whole
    if len(old.clauses) > 1 or len(new.clauses) > 1:
        pairs = [(_clause_overlap(one, other), one, other) for one in old.clauses for other in new.clauses]
        overlap, one, other = max(pairs, key=lambda pair: pair[0])
        if overlap > 0:
            core = _structure(one, other, align(one, other))
    found = {f"core_{name}": core[name] for name in _CORE}
    found["clauses_old"] = float(min(4, len(old.clauses)))
    found["clauses_new"] = float(min(4, len(new.clauses)))
    found["clauses_differ"] = found["clauses_new"] - found["clauses_old"]
    return found


def _clause_overlap(one: Parsed, other: Parsed) -> float:
    first, second = {t.norm for t in one.content}, {t.norm for t in other.content}
    shared = len(first & second)
    # The subject is often named in the first clause only, so one shared word counts for something.
    return shared / (min(len(first), len(second)) + 1.0) if shared else _character_overlap(one.text, other.text)


def _characters(old: Parsed, new: Parsed) -> dict[str, float]:
    """Coverage by single characters, which does not depend on where words were cut."""
    one, other = _content_characters(old), _content_characters(new)
    shared = len(one & other)
    first, second = shared / max(1, len(one)), shared / max(1, len(other))
    return {"characters_min": min(first, second), "characters_max": max(first, second)}


def _content_characters(parsed: Parsed) -> set[str]:
    """Chinese characters one by one, other words as they are."""
    pieces: set[str] = set()
    for token in parsed.content:
        pieces.update([token.norm] if token.norm.isascii() else token.surface)
    return pieces


def _share(tokens: tuple[Token, ...], weights: tuple[float, ...], kinds: frozenset[str]) -> float:
    chosen = [weight for token, weight in zip(tokens, weights, strict=True) if token.kind in kinds]
    return sum(chosen) / len(chosen) if chosen else 1.0


_ALL: Final = frozenset({"word", "name", "quantity"})
_WORDS: Final = frozenset({"word"})
_NOT_NUMBERS: Final = frozenset({"word", "name"})


def _coverage(old: Parsed, new: Parsed, alignment: Alignment) -> dict[str, float]:
    old_share = _share(old.content, alignment.old_matched, _ALL)
    new_share = _share(new.content, alignment.new_matched, _ALL)
    old_words = _share(old.content, alignment.old_matched, _NOT_NUMBERS)
    new_words = _share(new.content, alignment.new_matched, _NOT_NUMBERS)
    old_plain = _share(old.content, alignment.old_matched, _WORDS)
    new_plain = _share(new.content, alignment.new_matched, _WORDS)
    old_only, new_only = len(alignment.old_only(old)), len(alignment.new_only(new))
    return {
        "old_share": old_share,
        "new_share": new_share,
        "share_min": min(old_share, new_share),
        "share_max": max(old_share, new_share),
        "words_min": min(old_words, new_words),
        "words_max": max(old_words, new_words),
        "plain_min": min(old_plain, new_plain),
        "plain_max": max(old_plain, new_plain),
        "only_min": float(min(old_only, new_only, _COUNT_MAX)),
        "only_max": float(min(max(old_only, new_only), 8)),
        "only_difference": float(max(-6, min(6, new_only - old_only))),
        "matched": float(min(8, sum(1 for weight in alignment.old_matched if weight))),
        "length_ratio": math.log((len(new.content) + 1) / (len(old.content) + 1)),
        "length_ratio_size": abs(math.log((len(new.content) + 1) / (len(old.content) + 1))),
        "characters": _character_overlap(old.text, new.text),
        "length_min": float(min(10, len(old.content), len(new.content))),
    }


def _character_overlap(first: str, second: str) -> float:
    """Dice overlap of character pairs."""
    one = {first[i : i + 2].lower() for i in range(len(first) - 1)}
    other = {second[i : i + 2].lower() for i in range(len(second) - 1)}
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _order(alignment: Alignment) -> dict[str, float]:
    replaced = [block for block in alignment.blocks if block.old and block.new]
    added = [block for block in alignment.blocks if not block.old]
    dropped = [block for block in alignment.blocks if not block.new]
    single = len(replaced) == 1 and not added and not dropped
    one_word = single and len(replaced[0].old) == len(replaced[0].new) == 1
    return {
        "replaced": float(min(3, len(replaced))),
        "added": float(min(3, len(added))),
        "dropped": float(min(3, len(dropped))),
        "one_sided": float(bool(added) != bool(dropped) and not replaced),
        "single_replaced": float(single),
        "one_word_replaced": float(one_word),
        "two_replaced": float(len(replaced) >= 2),
        "replaced_first": float(any(block.old_place == 0 and block.new_place == 0 for block in replaced)),
        "replaced_last": float(any(block.old_place >= 0.7 and block.new_place >= 0.7 for block in replaced)),
        "replaced_both_ends": float(
            any(b.old_place <= 0.3 for b in replaced) and any(b.old_place >= 0.6 for b in replaced)
        ),
        "added_first": float(any(block.new_place <= 0.2 for block in added)),
        "in_order": alignment.in_order,
    }


def _quantities(old: Parsed, new: Parsed) -> dict[str, float]:
    old_only = [q for q in old.quantities if not any(same_quantity(q, r) for r in new.quantities)]
    new_only = [r for r in new.quantities if not any(same_quantity(q, r) for q in old.quantities)]
    equal = len(old.quantities) - len(old_only)
    clash = number_clashes(old_only, new_only)
    dated = frozenset({"date", "weekday", "clock"})
    return {
        "numbers_equal": float(min(3, equal)),
        "numbers_clash": float(min(3, clash)),
        "numbers_clash_only": float(clash > 0 and len(old_only) == len(new_only) == clash),
        "numbers_old_only": float(min(3, len(old_only))),
        "numbers_new_only": float(min(3, len(new_only))),
        "numbers_only_side": float(bool(old_only) != bool(new_only)),
        "numbers_none": float(not old.quantities and not new.quantities),
        "numbers_all_equal": float(bool(old.quantities) and not old_only and not new_only),
        "times_clash": float(any(q.kind in dated and any(q.kind == r.kind for r in new_only) for q in old_only)),
        "ids_clash": float(any(q.kind == "id" and any(r.kind == "id" for r in new_only) for q in old_only)),
    }


def number_clashes(old_only: list[Quantity], new_only: list[Quantity]) -> int:
    """How many left-over numbers of the old side have a left-over one of their kind on the new side."""
    left = [quantity.kind for quantity in new_only]
    clash = 0
    for quantity in old_only:
        for kind in (quantity.kind, ""):
            if kind in left:
                left.remove(kind)
                clash += 1
                break
        else:
            if quantity.kind == "" and left:
                left.pop()
                clash += 1
    return clash


def _names(old: Parsed, new: Parsed, alignment: Alignment) -> dict[str, float]:
    old_only = [t for t in alignment.old_only(old) if t.kind == "name"]
    new_only = [t for t in alignment.new_only(new) if t.kind == "name"]
    return {
        "names_clash": float(min(2, len(old_only), len(new_only))),
        "names_old_only": float(min(3, len(old_only))),
        "names_new_only": float(min(3, len(new_only))),
        "names_equal": float(min(3, len(old.names & new.names))),
        "names_none": float(not old.names and not new.names),
    }


def _subjects(old: Parsed, new: Parsed) -> dict[str, float]:
    old_persons, new_persons = set(old.persons), set(new.persons)
    return {
        "subject_same_person": float(bool(old.subject) and old.subject == new.subject),
        "subject_differs": float(old.subject != new.subject and bool(old.subject) and bool(new.subject)),
        "subject_one_sided": float(bool(old.subject) != bool(new.subject)),
        "persons_differ": float(bool(old_persons - new_persons) and bool(new_persons - old_persons)),
        "persons_added": float(bool(old_persons) != bool(new_persons)),
        "persons_same": float(bool(old_persons) and old_persons == new_persons),
    }


def _clashes(old: dict[int, frozenset[int]], new: dict[int, frozenset[int]]) -> tuple[int, int]:
    """Sets on which the sides name different members, and sets on which they name the same."""
    clash = sum(1 for index in old.keys() & new.keys() if not old[index] & new[index])
    same = sum(1 for index in old.keys() & new.keys() if old[index] == new[index])
    return clash, same


def _places(old: Parsed, new: Parsed) -> dict[str, float]:
    scope_clash, scope_same = _clashes(old.scopes, new.scopes)
    opposite_clash, opposite_same = _clashes(old.opposites, new.opposites)
    return {
        "scope_clash": float(min(2, scope_clash)),
        "scope_same": float(min(2, scope_same)),
        "scope_one_sided": float(len(old.scopes.keys() ^ new.scopes.keys()) > 0),
        "scope_added": float(len(new.scopes.keys() - old.scopes.keys()) > 0),
        "opposite_clash": float(min(2, opposite_clash)),
        "opposite_same": float(min(2, opposite_same)),
    }


def _opposite_only(old: Parsed, new: Parsed, alignment: Alignment) -> bool:
    """Whether the two differ in nothing but words that exclude each other."""
    left = alignment.old_only(old), alignment.new_only(new)
    shared = old.opposites.keys() & new.opposites.keys()
    clashing = {index for index in shared if not old.opposites[index] & new.opposites[index]}
    return bool(clashing) and all(
        token.surface in OPPOSITES and OPPOSITES[token.surface][0] in clashing for side in left for token in side
    )


def _polarity(old: Parsed, new: Parsed, known: dict[str, float]) -> dict[str, float]:
    differs = (old.negations - new.negations) % 2 == 1
    sentiment = old.sentiment * new.sentiment
    universal = max(old.universals, new.universals) > 0
    return {
        "negation_old": float(min(2, old.negations)),
        "negation_new": float(min(2, new.negations)),
        "negation_both": float(old.negations > 0 and new.negations > 0),
        "negation_alone": float(differs) * known["share_min"],
        "sentiment": float(sentiment),
        "sentiment_differs": float(sentiment < 0) * known["share_max"],
        "universal_old": float(min(2, old.universals)),
        "universal_new": float(min(2, new.universals)),
        "universal_both": float(old.universals > 0 and new.universals > 0),
        "universal_denied": float(universal and differs),
        "never": float("never" in _norms(old) or "never" in _norms(new)),
    }


def _norms(parsed: Parsed) -> set[str]:
    return {token.norm for token in parsed.tokens}


def _change(old: Parsed, new: Parsed, known: dict[str, float]) -> dict[str, float]:
    strong = float(min(2, new.cues.strong))
    return {
        "cue_strong": strong,
        "cue_weak": float(min(2, new.cues.weak)),
        "cue_old": float(min(2, old.cues.strong)),
        "cue_gained": float(new.cues.strong > 0 and old.cues.strong == 0),
        "cue_both": float(new.cues.strong > 0 and old.cues.strong > 0),
        "cue_any": float(new.cues.strong > 0 or new.cues.weak > 0),
        "cue_times_old_share": (strong > 0) * known["old_share"],
        "cue_weak_times_share": float(new.cues.weak > old.cues.weak) * known["old_share"],
        "adds": float(new.adds and not old.adds),
    }


def _comparison(old: Parsed, new: Parsed) -> dict[str, float]:
    reversed_pair = same = False
    for first, second in old.comparisons:
        for one, other in new.comparisons:
            straight = bool(first & one) + bool(second & other)
            crossed = bool(first & other) + bool(second & one)
            reversed_pair = reversed_pair or (crossed == 2 and straight < 2)
            same = same or (straight == 2 and crossed < 2)
    return {
        "comparison_reversed": float(reversed_pair and not same),
        "comparison_same": float(same),
        "comparison_one_sided": float(bool(old.comparisons) != bool(new.comparisons)),
    }


def _keys(old: Parsed, new: Parsed) -> dict[str, float]:
    shared, union = old.key_words & new.key_words, old.key_words | new.key_words
    same = old.key_words == new.key_words
    return {
        "key_overlap": len(shared) / len(union) if union else 1.0,
        # Same head, different modifier: father_health beside mother_health.
        "key_contrast": float(bool(shared) and bool(old.key_words - shared) and bool(new.key_words - shared)),
        "key_contained": float(not same and bool(shared) and (shared in (old.key_words, new.key_words))),
        "key_apart": float(not shared),
    }


def _slots(old: Parsed, new: Parsed, alignment: Alignment, known: dict[str, float]) -> dict[str, float]:
    exclusive = old.exclusive > 0 and new.exclusive > 0
    open_verb = bool(old.open_verbs & new.open_verbs)
    replaced = [block for block in alignment.blocks if block.old and block.new]
    sizes = [abs(len(block.old) - len(block.new)) for block in replaced]
    return {
        "exclusive_both": float(exclusive),
        "exclusive_one": float((old.exclusive > 0) != (new.exclusive > 0)),
        "open_verb_both": float(open_verb),
        "exclusive_replaced": float(exclusive) * known["single_replaced"],
        "open_replaced": float(open_verb) * known["single_replaced"],
        "clash_with_words_alike": known["numbers_clash"] * known["words_min"],
        "clash_with_words_apart": float(known["numbers_clash"] > 0) * (1 - known["words_min"]),
        "replaced_balanced": float(bool(sizes) and max(sizes) == 0),
        "replaced_size": float(min(4, sum(len(b.old) + len(b.new) for b in replaced) / 2)),
    }
