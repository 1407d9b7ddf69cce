"""The code that stands for the owner where there is no key: shown on the terminal, good for one action.

A program that calls over HTTP cannot read it, unless it can read the terminal too.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from typing import Final

from hindsight.domain.errors import PermissionDenied
from hindsight.entrypoints.http.limits import WRONG_CODES_MAX

HEADER: Final = "X-Hindsight-Code"
# Without the letters and digits that people mistake for each other.
_ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_CHARACTERS: Final = 8


class OneTimeCode:
    """One code at a time. Used, or guessed wrongly too often, it is replaced, and the next one is shown."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._lock = threading.Lock()
        self._code = ""
        self._wrong = 0

    def renew(self) -> None:
        """Make another code and show it."""
        with self._lock:
            self._renew()

    def spend(self, offered: str) -> None:
        """Use the code up.

        Raises:
            PermissionDenied: *offered* is not the code.
        """
        with self._lock:
            known = bool(self._code) and hmac.compare_digest(offered.strip().lower().encode(), self._code.encode())
            self._wrong = 0 if known else self._wrong + 1
            if known or self._wrong >= WRONG_CODES_MAX:
                self._renew()
        if not known:
            raise PermissionDenied(
                "that is not the code that the server shows on its terminal now; each is good for one action",
                code="wrong_code",
            )

    def _renew(self) -> None:
        self._wrong = 0
        self._code = "".join(secrets.choice(_ALPHABET) for _ in range(_CHARACTERS))
        self._show(self._code)
