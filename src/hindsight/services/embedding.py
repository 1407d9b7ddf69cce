"""Vectors for what is stored: at once for one memory, in batches behind the scenes for the rest."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from hindsight.domain.errors import BackendUnavailable
from hindsight.ports import EMBEDDER_FAILED, Embedder, ItemId, PendingText, ReadScope, Vector
from hindsight.services.core import Core

# Small enough that a reader of the store never waits on a batch's write for long.
BATCH_TEXTS: Final = 32
HARMLESS: Final = "warm up"

logger = logging.getLogger("hindsight.embedding")


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
        core.embedder.queries([HARMLESS])
    except BackendUnavailable:
        return False
    return True


def embed_pending(core: Core, *, batches_max: int | None = None, progress: Callable[[int], None] | None = None) -> int:
    """Give waiting texts their vectors and return how many got one: all of them, or *batches_max* batches.

    A text that the embedder fails on is set aside, to be found by its words, and the rest goes on.

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
        vectors = _vectors_of(embedder, batch)
        _keep_vectors(core, batch, vectors)
        done += sum(vector is not None for vector in vectors)
        if progress is not None:
            progress(len(batch))
    return done


def _vectors_of(embedder: Embedder, batch: Sequence[PendingText]) -> list[Vector | None]:
    """A vector for each of *batch*; None for a text that the embedder fails on.

    Raises:
        BackendUnavailable: It does not answer, or fails on any text.
    """
    try:
        return list(embedder.passages([pending.text for pending in batch]))  # (n, d)
    except BackendUnavailable as exc:
        if exc.code != EMBEDDER_FAILED:
            raise
    vectors = [_vector_alone(embedder, pending) for pending in batch]
    if all(vector is None for vector in vectors):
        # One that fails on everything is broken: then it is not the texts that are to be set aside.
        embedder.passages([HARMLESS])
    return vectors


def _vector_alone(embedder: Embedder, pending: PendingText) -> Vector | None:
    try:
        return embedder.passages([pending.text])[0]
    except BackendUnavailable as exc:
        if exc.code != EMBEDDER_FAILED:
            raise
        logger.warning("item %s of %s gets no vector: %s", pending.item, pending.namespace, exc)
        return None


def _keep_vectors(core: Core, batch: Sequence[PendingText], vectors: Sequence[Vector | None]) -> None:
    paired = sorted(zip(batch, vectors, strict=True), key=lambda pair: (pair[0].namespace, pair[0].item))
    for namespace, group in groupby(paired, key=lambda pair: pair[0].namespace):
        with core.store.writing(namespace) as scope:
            batch_here = list(group)
            current = texts_of(scope, [pending.item for pending, _ in batch_here])
            for pending, vector in batch_here:
                # Words that were erased or blanked meanwhile must not leave their vector behind.
                if current.get(pending.item) != pending.text:
                    continue
                if vector is None:
                    scope.set_aside(pending.item)
                else:
                    scope.put_vector(pending.item, vector)


def texts_of(scope: ReadScope, items: Sequence[ItemId]) -> dict[ItemId, str]:
    """The text that each item's vector stands for, as it reads now."""
    return {
        **{item: memory.stated for item, memory in scope.memories_of(items).items()},
        **{item: turn.spoken for item, turn in scope.turns_of(items).items()},
        **{item: episode.text for item, episode in scope.episodes_of(items).items()},
    }


def take_up_set_aside(core: Core) -> None:
    """Try again what the embedder failed on."""
    for namespace in core.store.namespaces():
        with core.store.writing(namespace) as scope:
            scope.take_up_set_aside()


def drop_vectors(core: Core) -> None:
    """Remove every vector of every namespace. Texts are found by their words until they have new ones."""
    for namespace in core.store.namespaces():
        with core.store.writing(namespace) as scope:
            scope.drop_vectors()
