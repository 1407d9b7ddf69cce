"""Names for the identifiers that travel through the service, and the rule for those callers choose."""

from __future__ import annotations

import unicodedata
from typing import NewType

from hindsight.domain.errors import InvalidRequest

MemoryId = NewType("MemoryId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
EpisodeId = NewType("EpisodeId", str)
ConflictId = NewType("ConflictId", str)
JobId = NewType("JobId", str)
TraceId = NewType("TraceId", str)
RequestId = NewType("RequestId", str)
LessonId = NewType("LessonId", str)

CALLER_ID_BYTES_MAX = 200
# Control, format-less surrogates and line separators would break logs and JSON lines.
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})


def parse_caller_id(value: object, *, what: str) -> str:
    """Take an id that a caller chose (session, turn, request), exactly as given.

    Raises:
        InvalidRequest: It is not 1 to 200 UTF-8 bytes of text without control characters.
    """
    if not isinstance(value, str):
        raise InvalidRequest(f"{what} must be text, not {type(value).__name__}", code="invalid_id")
    if any(unicodedata.category(character) in _REFUSED for character in value):
        raise InvalidRequest(
            f"{what} {value!r} holds a control character or a lone surrogate; remove it",
            code="invalid_id",
        )
    size = len(value.encode("utf-8"))
    if not 1 <= size <= CALLER_ID_BYTES_MAX:
        raise InvalidRequest(f"{what} has {size} bytes; it must have 1 to {CALLER_ID_BYTES_MAX}", code="invalid_id")
    return value
