"""The JSON schema of every answer, drawn from the same values that `presenting` writes.

One walk over the fields serves OpenAPI and the tools' declared results, so what is declared cannot
drift from what is sent.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from hindsight.entrypoints.presenting import DERIVED

Schema: TypeAlias = dict[str, Any]

_PLAIN: dict[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
}


def schema_of(kind: object, *, prefix: str = "#/components/schemas/") -> tuple[Schema, dict[str, Schema]]:
    """The schema of what `present` makes of a *kind*, and those of the values in it by name.

    Args:
        kind: A dataclass, a page of one such as ``Page[Memory]``, or a plain type.
        prefix: Where the named schemas will stand.
    """
    named: dict[str, Schema] = {}
    return _schema(kind, prefix, named, {}), named


def name_of(kind: object) -> str:
    """The name under which a dataclass or a page of one is described."""
    origin = get_origin(kind)
    if origin is None:
        return cast("type", kind).__name__
    return cast("type", origin).__name__ + "Of" + "".join(name_of(part) for part in get_args(kind))


def _schema(kind: object, prefix: str, named: dict[str, Schema], bound: Mapping[object, object]) -> Schema:
    if isinstance(kind, TypeVar):
        return _schema(bound[kind], prefix, named, bound)
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if hasattr(kind, "__supertype__"):
        return _schema(cast("Any", kind).__supertype__, prefix, named, bound)
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(origin or kind):
        return _reference(kind, prefix, named)
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin in (Union, types.UnionType):
        return _either([_schema(part, prefix, named, bound) for part in parts])
    if origin is tuple and parts[-1] is not Ellipsis:
        each = [_schema(part, prefix, named, bound) for part in parts]
        return {"type": "array", "prefixItems": each, "minItems": len(each), "maxItems": len(each)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(parts[1], prefix, named, bound)}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": _schema(parts[0], prefix, named, bound)}
    raise TypeError(f"{kind!r} has no schema; that is a defect, since no answer holds it")


def _either(options: list[Schema]) -> Schema:
    """One of several schemas, as short as it can be said."""
    if all(set(option) == {"type"} for option in options):
        return {"type": [option["type"] for option in options]}
    return {"anyOf": options}


def _reference(kind: object, prefix: str, named: dict[str, Schema]) -> Schema:
    name = name_of(kind)
    if name not in named:
        named[name] = {}
        plain = get_origin(kind) or kind
        bound: dict[object, object] = dict(zip(getattr(plain, "__parameters__", ()), get_args(kind), strict=True))
        properties = {field: _schema(hint, prefix, named, bound) for field, hint in _hints(plain).items()}
        summary = (cast("type", plain).__doc__ or "").strip().split("\n")[0]
        named[name] = {
            "type": "object",
            "description": summary,
            "properties": properties,
            "required": list(properties),
        }
    return {"$ref": prefix + name}


@cache
def _hints(kind: Any) -> dict[str, object]:
    """Field and derived value to type, in the order they are presented."""
    hints = get_type_hints(kind)
    found: dict[str, object] = {field.name: hints[field.name] for field in fields(kind)}
    for name in DERIVED.get(kind, ()):
        found[name] = get_type_hints(getattr(kind, name).fget)["return"]
    return found
