"""Turns as callers send them, made into turns as we keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast
from zoneinfo import ZoneInfo

from hindsight.domain.conversation import ROLES, TURN_CHARACTERS_MAX, TURNS_PER_CALL_MAX, Role
from hindsight.domain.errors import InvalidRequest, LimitExceeded
from hindsight.domain.ids import TurnId, parse_caller_id
from hindsight.domain.moments import parse_moment
from hindsight.domain.trust import Origin, lower_only, lowest_origin, parse_origin
from hindsight.language.secrets import find_secrets, mask_secrets

_KNOWN_FIELDS: Final = frozenset({"role", "content", "at", "name", "origin", "id"})
_OF_ROLE: Final[dict[Role, Origin]] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "system",
}
# Where callers of common APIs mean one of our roles by another word.
_ROLE_WORDS: Final[dict[str, Role]] = {
    "human": "user",
    "ai": "assistant",
    "function": "tool",
    "developer": "system",
}
PARTS_MAX: Final = 1_000
DEPTH_MAX: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One turn as it came: checked, its content flattened to text, secrets masked."""

    id: TurnId | None
    role: Role
    content: str
    at: datetime | None
    origin: Origin
    name: str | None
    masked: int


def parse_turns(turns: object, *, ceiling: Origin, zone: ZoneInfo | None) -> list[Incoming]:
    """Check *turns* as a whole, before anything is stored.

    Raises:
        InvalidRequest: One of them is wrong; the message names it by its place in the list.
        LimitExceeded: There are more than 10,000.
    """
    if isinstance(turns, (str, bytes, Mapping)) or not isinstance(turns, Sequence):
        raise InvalidRequest("turns must be a list of {'role', 'content'}", code="invalid_turns")
    items = cast("Sequence[object]", turns)
    if len(items) > TURNS_PER_CALL_MAX:
        raise LimitExceeded(
            f"{len(items):,} turns in one call; send at most {TURNS_PER_CALL_MAX:,} and go on with from_index"
        )
    return [_parse_turn(item, place, ceiling, zone) for place, item in enumerate(items)]


def _parse_turn(item: object, place: int, ceiling: Origin, zone: ZoneInfo | None) -> Incoming:
    if not isinstance(item, Mapping):
        raise InvalidRequest(
            f"turn {place} must be an object with 'role' and 'content', not {type(item).__name__}",
            code="invalid_turns",
        )
    fields = cast("Mapping[str, object]", item)
    unknown = sorted(str(name) for name in fields if name not in _KNOWN_FIELDS)
    if unknown:
        raise InvalidRequest(
            f"turn {place} has the unknown field {unknown[0]!r}; known are {', '.join(sorted(_KNOWN_FIELDS))}",
            code="invalid_turns",
        )
    role = _parse_role(fields.get("role"), place)
    text, holds_tool = _flatten(fields.get("content"), place)
    if len(text) > TURN_CHARACTERS_MAX:
        raise InvalidRequest(
            f"turn {place} has {len(text):,} characters; at most {TURN_CHARACTERS_MAX:,} are allowed: split it",
            code="turn_too_long",
        )
    secrets = find_secrets(text)
    name = fields.get("name")
    at = fields.get("at")
    turn_id = fields.get("id")
    return Incoming(
        id=None if turn_id is None else TurnId(parse_caller_id(turn_id, what=f"turn {place} id")),
        role="tool" if holds_tool and role == "user" else role,
        content=mask_secrets(text) if secrets else text,
        at=None if at is None else parse_moment(at, what=f"turn {place} at", zone=zone),
        origin=_origin(fields.get("origin"), role, ceiling, holds_tool),
        name=None if name is None else mask_secrets(parse_caller_id(name, what=f"turn {place} name")),
        masked=len(secrets),
    )


def _parse_role(value: object, place: int) -> Role:
    for role in ROLES:
        if value == role:
            return role
    if isinstance(value, str) and value in _ROLE_WORDS:
        return _ROLE_WORDS[value]
    raise InvalidRequest(f"turn {place} has role {value!r}; it must be one of {', '.join(ROLES)}", code="invalid_role")


def _origin(asked: object, role: Role, ceiling: Origin, holds_tool: bool) -> Origin:
    """What the turn's words count as: its role's origin, lowered by the caller, never raised."""
    most = lowest_origin((_OF_ROLE[role], ceiling))
    if holds_tool:
        most = lowest_origin((most, "tool"))
    return most if asked is None else lower_only(parse_origin(asked), most)


def _flatten(content: object, place: int, *, depth: int = 0) -> tuple[str, bool]:
    """The text of *content*, and whether it holds a tool's result in the user's message."""
    if content is None:
        return "", False
    if isinstance(content, str):
        return _storable(content, place), False
    if isinstance(content, (bytes, Mapping)) or not isinstance(content, Sequence):
        raise InvalidRequest(
            f"turn {place} content must be text or a list of parts",
            code="invalid_content",
        )
    parts = cast("Sequence[object]", content)
    if len(parts) > PARTS_MAX:
        raise InvalidRequest(f"turn {place} has {len(parts)} parts; at most {PARTS_MAX}", code="invalid_content")
    pieces: list[str] = []
    holds_tool = False
    for part in parts:
        text, is_tool = _flatten_part(part, place, depth)
        holds_tool = holds_tool or is_tool
        if text:
            pieces.append(text)
    return _storable("\n".join(pieces), place), holds_tool


def _flatten_part(part: object, place: int, depth: int) -> tuple[str, bool]:
    if isinstance(part, str):
        return part, False
    if not isinstance(part, Mapping):
        raise InvalidRequest(
            f"turn {place} has a part of type {type(part).__name__}; parts are text or objects with 'type'",
            code="invalid_content",
        )
    fields = cast("Mapping[str, object]", part)
    kind = fields.get("type", "text")
    text = fields.get("text")
    if kind in ("text", "input_text", "output_text"):
        if not isinstance(text, str):
            raise InvalidRequest(f"turn {place} has a text part without text", code="invalid_content")
        return text, False
    if kind == "tool_result":
        if depth >= DEPTH_MAX:
            raise InvalidRequest(f"turn {place} nests parts more than {DEPTH_MAX} deep", code="invalid_content")
        inner, _ = _flatten(fields.get("content"), place, depth=depth + 1)
        return inner, True
    name = fields.get("name")
    return f"[{kind}: {name}]" if isinstance(name, str) else f"[{kind}]", False


def _storable(text: str, place: int) -> str:
    """*text* without NUL; lone surrogates are refused, since they could not be given back."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as exc:
        raise InvalidRequest(
            f"turn {place} holds a lone surrogate at character {exc.start}; send valid Unicode",
            code="invalid_content",
        ) from exc
    return text.replace("\x00", "\ufffd")
