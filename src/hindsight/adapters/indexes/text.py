"""Keyword search in memory: BM25 with a namespace's own numbers, over the postings it holds.

A turn is scored with the turns around it, whose words count at falling weights: an answer without the
question before it says little. Summing the neighbours' scores instead of their words found less
(dialogues, R@5 67 against 71): a word said by both would count twice.
SQLite's FTS5 was rejected for scoring: its bm25() counts over the whole table, so another namespace's
writes would move a score, and its trigrams cannot find a Chinese word of two characters.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hindsight.adapters.indexes.bm25 import Scorer
from hindsight.adapters.indexes.shelf import Shelf
from hindsight.domain.namespace import Namespace
from hindsight.language.terms import hash_of, query_tokens
from hindsight.ports import Eligible, ItemId, Items, ReadScope, TextMatches

QUERY_TERMS_MAX: Final = 256
"""A question of 8 KB has more terms than help; the first ones say what it is about."""
_QUESTIONS_KEPT: Final = 8


class RamTextIndex:
    """`TextIndex` over the terms a store keeps. Safe to share between threads."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self._shelf = shelf or Shelf(vectors=False)

    def search(self, scope: ReadScope, text: str, *, eligible: Eligible, limit: int) -> TextMatches:
        """The best *limit* items for *text*; ties go to the lower item."""
        terms = _terms_of(text)
        with self._shelf.current(scope) as index:
            scorer = Scorer.of(index, eligible)
            rows, scores = scorer.best(terms, limit)
            ceiling = scorer.ceiling(terms)
            items = index.rows.items_of(rows)
        order = np.lexsort((items, -scores))[:limit]
        found = zip(items[order].tolist(), scores[order].tolist(), strict=True)
        return TextMatches(scores={ItemId(item): score for item, score in found}, ceiling=ceiling)

    def scores(self, scope: ReadScope, text: str, *, eligible: Eligible, items: Items) -> NDArray[np.float64]:
        """(n,) the scores of given *items*, under the same statistics as `search`; 0 without a term."""
        terms = _terms_of(text)
        with self._shelf.current(scope) as index:
            rows = index.rows.of(items)
            found = np.zeros(len(items), dtype=np.float64)
            known = np.flatnonzero(rows >= 0)
            found[known] = Scorer.of(index, eligible).of_rows(terms, rows[known])
        return found

    def drop(self, namespace: Namespace) -> None:
        """Forget what is cached of *namespace*; the next call rebuilds it from the store."""
        self._shelf.drop(namespace)


@lru_cache(maxsize=_QUESTIONS_KEPT)
def _terms_of(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(hash_of(term) for term in query_tokens(text)[:QUERY_TERMS_MAX]))
