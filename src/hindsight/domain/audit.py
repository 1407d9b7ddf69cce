"""The audit chain: each event is one canonical line, and each hash covers all lines before it.

RFC 8785 fixes the bytes of a line, so that another program can check the chain without this one.
An edit, a gap or a swap breaks every hash after it. A shortened chain breaks nothing; it shows only
against a head that is kept elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hindsight.domain.moments import to_text
from hindsight.domain.records import AuditEvent

GENESIS: Final = "0" * 64
# RFC 8785 numbers are IEEE 754 doubles: a larger whole number would change on its way.
_EXACT_INTEGER_MAX: Final = 2**53 - 1
# ECMAScript writes a number without an exponent from 1e-6 up to below 1e21.
_PLAIN_POINT_MIN, _PLAIN_POINT_MAX = -6, 21

Scalar = str | int | float | bool | None


def line_of(event: AuditEvent) -> str:
    """The event as one line of RFC 8785 JSON, without its end of line."""
    top = {
        "action": _text(event.action),
        "at": _text(to_text(event.at)),
        "by": _text(event.by),
        "detail": _object({name: _scalar(value) for name, value in event.detail.items()}),
        "namespace": _text(event.namespace),
        "subject": _text(event.subject),
    }
    return _object(top)


def link(previous: str, line: str) -> str:
    """The hash of *line* after the hash *previous*, in hexadecimal."""
    return hashlib.sha256(previous.encode("ascii") + line.encode("utf-8")).hexdigest()


def broken_links(chain: Iterable[tuple[int, str, str]], *, number: int = 0, head: str = GENESIS) -> Iterator[str]:
    """What is wrong with a stretch of the chain, in words.

    It stops at the first fault: everything behind it hangs in the air.

    Args:
        chain: Each event's number, line and hash, in order.
        number: The number of the event before the first of them.
        head: The hash of that event.
    """
    for place, line, found in chain:
        if place != number + 1:
            yield f"audit event {number + 1} is missing: {place} follows {number}"
            return
        if found != link(head, line):
            yield f"audit event {place} does not follow from the one before: an edit or a swap"
            return
        number, head = place, found


def _scalar(value: Scalar) -> str:
    """A value as JSON; a number that JSON cannot carry exactly becomes text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        return str(value) if abs(value) <= _EXACT_INTEGER_MAX else _text(str(value))
    return _number(value) if math.isfinite(value) else _text(str(value))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(members: Mapping[str, str]) -> str:
    # RFC 8785 sorts by UTF-16 code units, which differs from code points outside the basic plane.
    names = sorted(members, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(f"{_text(name)}:{members[name]}" for name in names) + "}"


def _number(value: float) -> str:
    """A finite number as ECMAScript writes it; Python's own digits are the same shortest ones."""
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if not _PLAIN_POINT_MIN < point <= _PLAIN_POINT_MAX:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        plain = f"{digits[0]}{tail}e{point - 1:+d}"
    elif point <= 0:
        plain = f"0.{'0' * -point}{digits}"
    elif point >= len(digits):
        plain = digits + "0" * (point - len(digits))
    else:
        plain = f"{digits[:point]}.{digits[point:]}"
    return plain if value > 0 else f"-{plain}"
