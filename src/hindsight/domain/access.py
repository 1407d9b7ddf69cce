"""API keys: what the bearer of one may do, in whose memory, and how far its words are believed.

A key says what is allowed and nothing else is: an empty list of namespaces opens nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NewType, cast, get_args

from hindsight.domain.errors import InvalidRequest
from hindsight.domain.namespace import Namespace, parse_namespace
from hindsight.domain.trust import Origin

KeyId = NewType("KeyId", str)
Right = Literal["read", "write", "owner"]
RIGHTS: Final[tuple[Right, ...]] = get_args(Right)

# No namespace can be called that.
EVERY_NAMESPACE: Final = "*"
KEY_NAMESPACES_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """One API key, without its secret.

    ``namespaces`` is the exact list of those open to it; None stands for every one. Words that come
    with it count as ``highest_origin`` at most. ``id`` is the ``writer`` of what it writes. A revoked
    or expired key opens nothing and stays listed.
    """

    id: KeyId
    label: str
    namespaces: tuple[Namespace, ...] | None
    rights: tuple[Right, ...]
    highest_origin: Origin
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def opens_at(self, now: datetime) -> bool:
        """Whether the key is good at that moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def parse_rights(value: object) -> tuple[Right, ...]:
    """Take a list of rights. The owner may read and write as well.

    Raises:
        InvalidRequest: It is empty, one text, or names an unknown right.
    """
    if isinstance(value, str) or not isinstance(value, (tuple, list, set, frozenset)) or not value:
        raise InvalidRequest(f"rights must be a list such as ['read', 'write'], not {value!r}", code="invalid_rights")
    asked = cast("Collection[object]", value)
    for right in asked:
        if right not in RIGHTS:
            raise InvalidRequest(f"right {right!r} must be one of {', '.join(RIGHTS)}", code="invalid_rights")
    return RIGHTS if "owner" in asked else tuple(right for right in RIGHTS if right in asked)


def parse_key_namespaces(value: object) -> tuple[Namespace, ...] | None:
    """Take a list of namespaces; a list with ``*`` alone is every one, and gives None.

    Raises:
        InvalidRequest: It is no list, empty, too long, mixes ``*`` with names, or holds a wrong name.
    """
    if isinstance(value, str) or not isinstance(value, (tuple, list)) or not value:
        raise InvalidRequest(
            f"namespaces must be a list such as ['user/zhang-san'], or ['*'] for every one, not {value!r}",
            code="invalid_key_namespaces",
        )
    names = cast("list[object] | tuple[object, ...]", value)
    if len(names) > KEY_NAMESPACES_MAX:
        raise InvalidRequest(
            f"{len(names):,} namespaces for one key; at most {KEY_NAMESPACES_MAX:,}", code="invalid_key_namespaces"
        )
    if EVERY_NAMESPACE in names:
        if len(names) > 1:
            raise InvalidRequest("'*' is every namespace; name no other beside it", code="invalid_key_namespaces")
        return None
    return tuple(dict.fromkeys(parse_namespace(name) for name in names))
