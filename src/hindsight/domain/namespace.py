"""Whose memory it is.

A namespace is refused or taken exactly as given. Normalising it (trimming, folding case, NFC)
was rejected: two spellings that the caller holds apart would silently share one memory.
"""

from __future__ import annotations

import unicodedata
from typing import NewType

from hindsight.domain.errors import InvalidRequest

Namespace = NewType("Namespace", str)

NAMESPACE_BYTES_MAX = 200
_PUNCTUATION = frozenset("._-/")
_LETTER_OR_DIGIT = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"})


def parse_namespace(value: object) -> Namespace:
    """Take *value* as a namespace, or say why it is none.

    Args:
        value: 1 to 200 UTF-8 bytes in NFC, made of letters, digits and ``._-/``.

    Raises:
        InvalidRequest: *value* is missing, of another type, or has anything else in it.
    """
    if not isinstance(value, str):
        raise InvalidRequest(
            f"namespace must be text such as 'user/zhang-san', not {type(value).__name__}",
            code="invalid_namespace",
        )
    if not value:
        raise InvalidRequest(
            "namespace is empty; name whose memory it is, such as 'user/zhang-san'",
            code="invalid_namespace",
        )
    for character in value:
        if character in _PUNCTUATION or unicodedata.category(character) in _LETTER_OR_DIGIT:
            continue
        raise InvalidRequest(
            f"namespace {value!r} holds {character!r}; use only letters, digits and '._-/'",
            code="invalid_namespace",
        )
    if unicodedata.normalize("NFC", value) != value:
        raise InvalidRequest(
            f"namespace {value!r} is not in Unicode form NFC; send its NFC form",
            code="invalid_namespace",
        )
    size = len(value.encode("utf-8"))
    if size > NAMESPACE_BYTES_MAX:
        raise InvalidRequest(
            f"namespace has {size} bytes; at most {NAMESPACE_BYTES_MAX} are allowed",
            code="invalid_namespace",
        )
    return Namespace(value)
