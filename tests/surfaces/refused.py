"""An expected error, whichever surface told it."""

from __future__ import annotations


class Refused(Exception):
    """An expected error, as a surface told it."""

    def __init__(self, code: str, kind: str, message: str) -> None:
        super().__init__(f"{kind} {code}: {message}")
        self.code, self.kind, self.message = code, kind, message
