"""The one bounded thread pool: the core is synchronous, and the surfaces are not.

What does not fit is refused at once with a word to come back: a queue without an end would only turn a
busy server into one that answers everybody too late.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from hindsight.domain.errors import BackendUnavailable
from hindsight.entrypoints.http.limits import WAITING_MAX

Result = TypeVar("Result")


class Pool:
    """Runs calls on at most *threads* threads, with at most *waiting_max* calls in line."""

    def __init__(self, *, threads: int, waiting_max: int = WAITING_MAX) -> None:
        self.limiter = anyio.CapacityLimiter(threads)
        self._waiting_max = waiting_max

    async def run(self, call: Callable[[], Result]) -> Result:
        """What *call* returns or raises. A call that runs is never abandoned.

        Raises:
            BackendUnavailable: The line is full.
        """
        if self.limiter.statistics().tasks_waiting >= self._waiting_max:
            raise BackendUnavailable(
                f"{self._waiting_max} requests are waiting already; try again in a moment", code="too_busy"
            )
        return await anyio.to_thread.run_sync(call, limiter=self.limiter)
