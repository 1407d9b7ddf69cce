"""The present, from the machine's own clock."""

from __future__ import annotations

from datetime import UTC, datetime

from hindsight.domain.moments import from_millis, to_millis


class SystemClock:
    """Tells the machine's time in UTC, cut to milliseconds."""

    def now(self) -> datetime:
        """The present as an aware UTC datetime, cut to milliseconds."""
        return from_millis(to_millis(datetime.now(UTC)))
