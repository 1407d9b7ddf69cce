"""The JSON form of every answer, one for all surfaces.

Fields keep the names they have in Python, times are ISO 8601 in UTC with milliseconds, and absent
values are null rather than missing, so that a reader can rely on every field. A form written by hand
for each type was rejected: a new field would be forgotten on one surface.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import TypeAlias, cast

from hindsight.domain.conversation import Episode
from hindsight.domain.errors import HindsightError
from hindsight.domain.moments import to_text
from hindsight.domain.records import ObserveResult, Receipt

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

# Derived values that a reader of JSON cannot compute by a property.
DERIVED: dict[type, tuple[str, ...]] = {
    Episode: ("text",),
    ObserveResult: ("receipt",),
    Receipt: ("complete",),
}


def present(value: object) -> Json:
    """The JSON form of a domain value, a page, or any nesting of them.

    Raises:
        TypeError: *value* is of a kind that no answer holds; that is a defect, not bad input.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, datetime):
        return to_text(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Enum):
        return present(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        names = (*(field.name for field in fields(value)), *DERIVED.get(type(value), ()))
        return {name: present(getattr(value, name)) for name in names if not name.startswith("_")}
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return {str(name): present(item) for name, item in pairs.items()}
    if isinstance(value, (Sequence, frozenset, set)) and not isinstance(value, (bytes, bytearray)):
        items = cast("Sequence[object] | frozenset[object]", value)
        return [present(item) for item in (sorted(items, key=str) if isinstance(items, frozenset) else items)]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def present_error(error: HindsightError) -> dict[str, Json]:
    """The JSON form of an error: its stable code, its message, and whether a retry may help."""
    return {
        "error": {
            "code": error.code,
            "kind": type(error).__name__,
            "message": str(error),
            "retryable": error.retryable,
        }
    }
