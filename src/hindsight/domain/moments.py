"""Moments: aware UTC datetimes cut to milliseconds, so that equal instants compare equal everywhere.

Naive times are refused rather than guessed: a wrong guess moves a date by a day and nobody sees it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from hindsight.domain.errors import InvalidRequest

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DATE_ONLY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
# Years outside this span come from broken clocks; they would also overflow arithmetic on ages.
_YEAR_MIN, _YEAR_MAX = 1900, 2200


def to_millis(moment: datetime) -> int:
    """Milliseconds since 1970 in UTC."""
    return (moment - EPOCH) // timedelta(milliseconds=1)


def from_millis(millis: int) -> datetime:
    """The moment *millis* milliseconds after 1970 in UTC."""
    return EPOCH + timedelta(milliseconds=millis)


def to_text(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds, such as ``2026-03-08T12:02:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_zone(value: object) -> ZoneInfo:
    """An IANA time zone by name, such as ``Asia/Shanghai``.

    Raises:
        InvalidRequest: No such zone is known.
    """
    if not isinstance(value, str) or not value:
        raise InvalidRequest(
            f"time_zone {value!r} must be an IANA name such as 'Asia/Shanghai'",
            code="invalid_time_zone",
        )
    try:
        return ZoneInfo(value)
    except (KeyError, ValueError, OSError) as exc:
        raise InvalidRequest(
            f"time_zone {value!r} is not known; use an IANA name such as 'Asia/Shanghai'",
            code="invalid_time_zone",
        ) from exc


def parse_moment(value: object, *, what: str, zone: ZoneInfo | None = None) -> datetime:
    """Take a datetime or ISO 8601 text as a moment.

    Args:
        value: An aware datetime, or text such as ``2026-03-08T20:02:00+08:00``. A bare date is the
            start of that day. Without an offset, *zone* decides.
        what: The field's name, for the message.
        zone: Used only where *value* has no offset of its own.

    Raises:
        InvalidRequest: It is no time, has no zone, or lies outside the years 1900 to 2200.
    """
    if isinstance(value, str):
        parsed = _from_text(value, what)
    elif isinstance(value, datetime):
        parsed = value
    else:
        raise InvalidRequest(
            f"{what} must be a datetime or ISO 8601 text, not {type(value).__name__}",
            code="invalid_time",
        )
    if parsed.utcoffset() is None:
        if zone is None:
            raise InvalidRequest(
                f"{what} {value!r} has no time zone; add an offset such as '+08:00' or 'Z', or pass time_zone",
                code="time_without_zone",
            )
        parsed = parsed.replace(tzinfo=zone)
    if not _YEAR_MIN <= parsed.year <= _YEAR_MAX:
        raise InvalidRequest(f"{what} {value!r} lies outside the years {_YEAR_MIN} to {_YEAR_MAX}", code="invalid_time")
    # Through milliseconds, so that no microsecond survives to make equal instants differ.
    return from_millis(to_millis(parsed.astimezone(UTC)))


def _from_text(value: str, what: str) -> datetime:
    text = value.strip()
    if _DATE_ONLY.match(text):
        text += "T00:00:00"
    try:
        return datetime.fromisoformat(text)
    except ValueError as exc:
        raise InvalidRequest(
            f"{what} {value!r} is not ISO 8601, such as '2026-03-08T20:02:00+08:00'",
            code="invalid_time",
        ) from exc
