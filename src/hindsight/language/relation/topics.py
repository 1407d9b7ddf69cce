"""What a statement is about, apart from what it says of it.

"The tea in Oslo is green" and "The tea in Quito is green" differ in what they are about, so both hold;
"The lease ends in May" and "The lease ends in July" differ in what is said of one thing. A parser would
find the subject; the first word that can be a predicate does nearly as well in short statements.
"""

from __future__ import annotations

from hindsight.language.relation.alignment import Alignment
from hindsight.language.relation.lexicon import PREDICATES, USER_WORDS
from hindsight.language.relation.parsing import Parsed


def topic_size(parsed: Parsed) -> int:
    """How many content words stand before the predicate; the user counts for none."""
    size = 0
    for place, token in enumerate(parsed.tokens):
        begins_predicate = token.surface in PREDICATES or token.kind == "quantity"
        if begins_predicate and (size or place):
            return size
        if token.content and token.surface not in USER_WORDS:
            size += 1
    # No predicate was recognised: where a statement turns from topic to comment is unknown.
    return 0


def topic_features(old: Parsed, new: Parsed, alignment: Alignment) -> dict[str, float]:
    """How the topics and the comments of two statements overlap."""
    old_size, new_size = topic_size(old), topic_size(new)
    old_topic, new_topic = alignment.old_matched[:old_size], alignment.new_matched[:new_size]
    old_comment, new_comment = alignment.old_matched[old_size:], alignment.new_matched[new_size:]
    both = bool(old_topic) and bool(new_topic) and old.language == new.language
    apart = both and not all(old_topic) and not all(new_topic)
    same = both and all(old_topic) and all(new_topic)
    comment = min(_share(old_comment), _share(new_comment))
    return {
        "topic_apart": float(apart),
        "topic_same": float(same),
        "topic_one_sided": float(bool(old_topic) != bool(new_topic)),
        "topic_apart_comment_same": float(apart) * comment,
        "topic_same_comment_apart": float(same) * (1.0 - comment),
        "comment_share": comment,
    }


def _share(weights: tuple[float, ...]) -> float:
    return sum(weights) / len(weights) if weights else 1.0
