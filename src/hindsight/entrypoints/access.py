"""What one request may do: who it comes from, and in whose memory.

HTTP and MCP decide this once, before a tool or a route runs, so that no handler can forget it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hindsight.domain.access import ApiKey, Right
from hindsight.domain.errors import PermissionDenied
from hindsight.domain.namespace import parse_namespace
from hindsight.facade import Hindsight
from hindsight.services.core import Caller

KEYLESS_RIGHTS: Final[tuple[Right, ...]] = ("read", "write")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The caller of a request, the namespaces open to it (None for every one), and the one it means by default."""

    caller: Caller
    namespaces: tuple[str, ...] | None
    default: str
    rights: tuple[Right, ...] = KEYLESS_RIGHTS

    def permit(self, namespace: str | None) -> str:
        """The namespace a request is about: the one it names, else the default.

        Raises:
            InvalidRequest: It cannot be a namespace.
            PermissionDenied: This caller has no access to it.
        """
        space = parse_namespace(self.default if namespace is None else namespace)
        if self.namespaces is not None and space not in self.namespaces:
            raise PermissionDenied(
                f"namespace {space!r} is not open to this caller; open are {', '.join(self.namespaces) or 'none'}",
                code="namespace_not_permitted",
            )
        return space

    def require(self, right: Right) -> None:
        """Refuse a caller without *right*.

        Raises:
            PermissionDenied: This caller does not have it.
        """
        if right in self.rights:
            return
        if right == "owner":
            raise PermissionDenied("this needs the owner right, and this caller does not have it", code="owner_only")
        raise PermissionDenied(
            f"this needs the right {right!r}, and this caller has {', '.join(self.rights) or 'none'}",
            code="right_missing",
        )


def keyless(default: str) -> Access:
    """A caller without a key on this machine: an agent, whose words are never the user's."""
    return Access(caller=Caller(ceiling="assistant", owner=False), namespaces=None, default=default)


def by_key(key: ApiKey, default: str) -> Access:
    """The bearer of *key*. With a single namespace, that is the one it means."""
    only = key.namespaces[0] if key.namespaces is not None and len(key.namespaces) == 1 else default
    return Access(
        caller=Caller(ceiling=key.highest_origin, owner="owner" in key.rights, writer=key.id),
        namespaces=key.namespaces,
        default=only,
        rights=key.rights,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Knows callers over HTTP by their ``Authorization`` header.

    On the loopback device a home without keys is open to every program of this machine, as an agent.
    *closed* asks for a key in any case: nothing beyond this machine comes in without one, also after
    the last key is revoked.
    """

    service: Hindsight
    default: str
    closed: bool

    def authenticate(self, authorization: str | None) -> Access:
        """Who is calling.

        Raises:
            PermissionDenied: A key is needed and there is none (``key_required``), or it opens nothing
                (``key_refused``).
        """
        if authorization is None:
            if self.closed or self.service.any_key():
                raise PermissionDenied(
                    "an API key is needed; send it as 'Authorization: Bearer hsk_…'", code="key_required"
                )
            return keyless(self.default)
        scheme, _, secret = authorization.strip().partition(" ")
        if scheme.lower() == "bearer" and (key := self.service.known_key(secret.strip())) is not None:
            return by_key(key, self.default)
        raise PermissionDenied(
            "the API key is unknown, expired or revoked; `hindsight keys list` shows which are good",
            code="key_refused",
        )
