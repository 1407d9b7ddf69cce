"""Ids that sort by the time they were made: 48 bits of milliseconds, then 74 random ones (UUID version 7).

A random id was rejected: lists could not be paged by id, and rows would land all over the B-tree.
"""

from __future__ import annotations

import os
import secrets
import threading
from typing import Final

from hindsight.domain.moments import to_millis
from hindsight.ports import Clock

_RANDOM_BITS: Final = 74
_LOW_BITS: Final = 62
_VERSION: Final = 7
_VARIANT: Final = 0b10
# How far the random part moves within one millisecond: far enough that two processes which drew the
# same start stay apart, and short enough that it does not overflow before the next millisecond.
_STEP_BITS: Final = 32


class TimeOrderedIds:
    """Makes ids that grow within a process, also when the clock stands still or is set back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._millis = -1
        self._random = 0

    def new(self, prefix: str) -> str:
        """A fresh id: *prefix*, an underscore, and 32 hexadecimal digits."""
        with self._lock:
            self._advance()
            high, low = self._random >> _LOW_BITS, self._random & ((1 << _LOW_BITS) - 1)
            number = (self._millis << 80) | (_VERSION << 76) | (high << 64) | (_VARIANT << _LOW_BITS) | low
        return f"{prefix}_{number:032x}"

    def _advance(self) -> None:
        millis = max(to_millis(self._clock.now()), 0)
        if self._process != os.getpid():
            # A forked child would otherwise go on from its parent's last id.
            self._process, self._random = os.getpid(), secrets.randbits(_RANDOM_BITS - 1)
            self._millis = max(millis, self._millis + 1)
        elif millis > self._millis:
            self._millis, self._random = millis, secrets.randbits(_RANDOM_BITS - 1)
        else:
            self._random += 1 + secrets.randbits(_STEP_BITS)
            if self._random >> _RANDOM_BITS:
                self._millis, self._random = self._millis + 1, secrets.randbits(_RANDOM_BITS - 1)
