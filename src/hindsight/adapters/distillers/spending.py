"""What a day's requests to a language model may cost, counted in the store so that every process counts together."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Protocol

from hindsight.domain.errors import LimitExceeded
from hindsight.ports import Clock

SPENT_META: Final = "llm_spent"


class Ledger(Protocol):
    """Where the day's sum is kept: a part of `hindsight.ports.RecordStore`."""

    def change_meta(self, name: str, change: Callable[[str | None], str]) -> str: ...


class DaySpending:
    """Tokens spent this day (UTC), with a cap. A request reserves before it is sent and settles afterwards.

    A process that dies in between leaves its reservation standing: the cap is never passed, at the
    price of some tokens that nobody used.
    """

    def __init__(self, ledger: Ledger, clock: Clock, *, tokens_max: int) -> None:
        self._ledger = ledger
        self._clock = clock
        self._tokens_max = tokens_max

    def reserve(self, tokens: int) -> None:
        """Set *tokens* aside for a request.

        Raises:
            LimitExceeded: They would pass the day's cap; nothing is set aside.
        """
        self._add(tokens, capped=True)

    def settle(self, reserved: int, spent: int) -> None:
        """Replace a reservation by what was really spent."""
        self._add(spent - reserved, capped=False)

    def _add(self, tokens: int, *, capped: bool) -> None:
        today = self._clock.now().date().isoformat()

        def change(stored: str | None) -> str:
            day, spent = _read(stored)
            total = max(0, (spent if day == today else 0) + tokens)
            if capped and total > self._tokens_max:
                raise LimitExceeded(
                    f"a request of up to {tokens:,} tokens would pass the day's {self._tokens_max:,} "
                    f"({spent if day == today else 0:,} are spent); raise llm.day_tokens_max or wait until tomorrow",
                    code="model_day_spent",
                )
            return json.dumps({"day": today, "tokens": total})

        self._ledger.change_meta(SPENT_META, change)


def _read(stored: str | None) -> tuple[str, int]:
    try:
        found = json.loads(stored or "{}")
        return str(found["day"]), int(found["tokens"])
    except (ValueError, KeyError, TypeError):
        return "", 0
