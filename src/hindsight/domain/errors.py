"""Every error a caller can meet, in one tree.

    HindsightError
    ├── InvalidRequest       the input is wrong; the message says what to send instead
    ├── NotFound             nothing visible in this namespace has that id
    ├── PermissionDenied     the caller's origin or rights do not reach that far
    ├── StateMismatch        the stored state is not what the call assumed
    ├── LimitExceeded        a named limit was passed
    ├── BackendUnavailable   a store, embedder or model did not answer; retryable
    ├── ModelOutputInvalid   a language model answered with something unusable
    └── CorruptData          stored bytes do not say what they should

Each error carries a stable ``code`` for programs and a message for people. Adapters translate
driver errors into this tree at the edge; no driver exception crosses a port.
"""

from __future__ import annotations

from typing import ClassVar, Final

_SHOWN_CHARACTERS_MAX: Final = 100


def shown(value: object) -> str:
    """*value* as a message shows it: cut short, and whatever it is."""
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write out whole numbers of more than 4,300 digits.
        return f"a {type(value).__name__} too long to show"
    return text if len(text) <= _SHOWN_CHARACTERS_MAX else f"{text[:_SHOWN_CHARACTERS_MAX]}…"


class HindsightError(Exception):
    """The root of the tree. ``code`` is stable across releases; the message is not."""

    default_code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code: str = code or self.default_code


class InvalidRequest(HindsightError):
    """The input is wrong. The message names the value and what to send instead."""

    default_code = "invalid_request"


class NotFound(HindsightError):
    """Nothing visible in this namespace has that id. It never tells whether another has it."""

    default_code = "not_found"


class PermissionDenied(HindsightError):
    """The caller's origin, namespaces or rights do not reach that far."""

    default_code = "permission_denied"


class StateMismatch(HindsightError):
    """The stored state is not what the call assumed; read it again before retrying."""

    default_code = "state_mismatch"


class LimitExceeded(HindsightError):
    """A named limit was passed: a size, a count or a rate."""

    default_code = "limit_exceeded"


class BackendUnavailable(HindsightError):
    """A store, an embedder or a model did not answer. The same call may succeed later."""

    default_code = "backend_unavailable"
    retryable = True


class ModelOutputInvalid(HindsightError):
    """A language model answered with something that does not fit its schema."""

    default_code = "model_output_invalid"


class CorruptData(HindsightError):
    """Stored bytes do not say what they should: a failed checksum, a broken chain."""

    default_code = "corrupt_data"
