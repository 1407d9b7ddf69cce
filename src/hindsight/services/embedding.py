"""Vectors for what is stored: at once for one memory, in batches behind the scenes for the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from hindsight.domain.errors import BackendUnavailable
from hindsight.ports import ItemId, PendingText, ReadScope, Vector
from hindsight.services.core import Core

# Small enough that a reader of the store never waits on a batch's write for long.
BATCH_TEXTS: Final = 32


def passage_vector(core: Core, text: str) -> Vector | None:
    """The vector of *text*, or None where no embedder answers: it is then made later."""
    embedder = core.embedder
    if embedder is None:
        return None
    try:
        return embedder.passages([text])[0]
    except BackendUnavailable:
        return None


def warm_up(core: Core) -> bool:
    """Let the embedder load its weights; False where there is one and it does not answer."""
    if core.embedder is None:
        return True
    try:
        core.embedder.queries(["warm up"])
    except BackendUnavailable:
        return False
    return True


def embed_pending(core: Core, *, batches_max: int | None = None, progress: Callable[[int], None] | None = None) -> int:
    """Give waiting texts their vectors and return how many got one: all of them, or *batches_max* batches.

    Raises:
        BackendUnavailable: The embedder stopped answering; what was done stays done.
    """
    embedder = core.embedder
    if embedder is None:
        return 0
    done = 0
    batches = 0
    while batches_max is None or batches < batches_max:
        batch = core.store.pending_texts(limit=BATCH_TEXTS)
        if not batch:
            break
        batches += 1
        vectors = embedder.passages([pending.text for pending in batch])  # (n, d)
        _keep_vectors(core, batch, list(vectors))
        done += len(batch)
        if progress is not None:
            progress(len(batch))
    return done


def _keep_vectors(core: Core, batch: Sequence[PendingText], vectors: Sequence[Vector]) -> None:
    paired = sorted(zip(batch, vectors, strict=True), key=lambda pair: (pair[0].namespace, pair[0].item))
    for namespace, group in groupby(paired, key=lambda pair: pair[0].namespace):
        with core.store.writing(namespace) as scope:
            batch_here = list(group)
            current = texts_of(scope, [pending.item for pending, _ in batch_here])
            for pending, vector in batch_here:
                # Words that were erased or blanked meanwhile must not leave their vector behind.
                if current.get(pending.item) == pending.text:
                    scope.put_vector(pending.item, vector)


def texts_of(scope: ReadScope, items: Sequence[ItemId]) -> dict[ItemId, str]:
    """The text that each item's vector stands for, as it reads now."""
    return {
        **{item: memory.stated for item, memory in scope.memories_of(items).items()},
        **{item: turn.spoken for item, turn in scope.turns_of(items).items()},
        **{item: episode.text for item, episode in scope.episodes_of(items).items()},
    }


def drop_vectors(core: Core) -> None:
    """Remove every vector of every namespace. Texts are found by their words until they have new ones."""
    for namespace in core.store.namespaces():
        with core.store.writing(namespace) as scope:
            scope.drop_vectors()
