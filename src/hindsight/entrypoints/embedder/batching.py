"""Many small requests, one model: texts that wait together are embedded together.

No request waits for others to come: whatever has gathered while the model was busy is the next batch. A
fixed waiting time was rejected, since it slows the single request that most installations see.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, Literal

import anyio
import anyio.to_thread
import numpy as np

from hindsight.domain.errors import BackendUnavailable, LimitExceeded
from hindsight.ports import Embedder, Vectors

Side = Literal["query", "passage"]
BATCH_TEXTS: Final = 64
WAITING_TEXTS_MAX: Final = 4_096
"""About a minute of work for one core; who comes later is told to come back."""


@dataclass(slots=True)
class _Request:
    side: Side
    texts: list[str]
    done: anyio.Event
    rows: Vectors | None = None
    failure: BackendUnavailable | None = None
    given_up: bool = False


class Batches:
    """Embeds what many callers ask for. `run` must run for as long as anyone asks."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.waiting_texts = 0
        self.batches = 0
        self._waiting: deque[_Request] = deque()
        self._arrived = anyio.Event()

    async def embed(self, texts: list[str], side: Side) -> Vectors:
        """(n texts) -> (n, d) float32 unit rows, in the order of *texts*.

        Raises:
            LimitExceeded: Too many texts wait already.
            BackendUnavailable: The model failed.
        """
        if self.waiting_texts + len(texts) > WAITING_TEXTS_MAX:
            raise LimitExceeded(
                f"{self.waiting_texts:,} texts are waiting already; try again in a moment", code="embedder_busy"
            )
        request = _Request(side, texts, anyio.Event())
        self._waiting.append(request)
        self.waiting_texts += len(texts)
        self._arrived.set()
        try:
            await request.done.wait()
        finally:
            # A caller that has gone costs no more work.
            request.given_up = True
        if request.failure is not None:
            raise request.failure
        assert request.rows is not None, "a request ends with rows or a failure"
        return request.rows

    async def run(self) -> None:
        """Embed batch after batch, for ever."""
        while True:
            await self._arrived.wait()
            self._arrived = anyio.Event()
            while batch := self._next():
                await self._embed(batch)

    def _next(self) -> list[_Request]:
        """The first requests that wait, of one side, up to a batch of texts; one of more texts goes alone."""
        batch: list[_Request] = []
        size = 0
        while self._waiting and not (batch and size + len(self._waiting[0].texts) > BATCH_TEXTS):
            first = self._waiting[0]
            if batch and first.side != batch[0].side and not first.given_up:
                break
            self._waiting.popleft()
            if first.given_up:
                self.waiting_texts -= len(first.texts)
                continue
            batch.append(first)
            size += len(first.texts)
        return batch

    async def _embed(self, batch: list[_Request]) -> None:
        texts = [text for request in batch for text in request.texts]
        make = self.embedder.queries if batch[0].side == "query" else self.embedder.passages
        failure: BackendUnavailable | None = None
        rows: Vectors = np.empty((0, 0), dtype=np.float32)
        try:
            rows = await anyio.to_thread.run_sync(make, texts, abandon_on_cancel=True)
        except BackendUnavailable as exc:
            failure = exc
        self.batches += 1
        self.waiting_texts -= len(texts)
        start = 0
        for request in batch:
            end = start + len(request.texts)
            request.rows, request.failure, start = rows[start:end], failure, end
            request.done.set()
