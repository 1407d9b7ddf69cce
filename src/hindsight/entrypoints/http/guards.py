"""What is checked before any route is looked for: who is meant by Host and Origin, and how much is sent.

A page that a browser shows can reach a server on this machine, by a name of its own that it lets point
here (DNS rebinding) or by sending blindly across origins. The first has a foreign Host, the second a
foreign Origin.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindsight.entrypoints.http.errors import Problem, problem

LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusted:
    """The hosts and origins that may be named. *any_address* lets in any host that is an IP address.

    An address cannot be rebound: only names can be made to point elsewhere.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    any_address: bool

    def host(self, header: str) -> bool:
        """Whether *header*, with or without a port, is a host that this server answers for."""
        name = host_name(header)
        return name in self.hosts or (self.any_address and _is_address(name))

    def origin(self, header: str, *, host: str) -> bool:
        """Whether a page of that origin may call: one of this very server, or one that was allowed."""
        own = {f"{scheme}://{host.lower()}" for scheme in ("http", "https")}
        return header in self.origins or header.lower() in own


def trusted(*, bound_to: str, hosts: Collection[str], origins: Collection[str]) -> Trusted:
    """What a server bound to *bound_to* trusts, beside what the settings add."""
    names = {host_name(name) for name in hosts}
    return Trusted(
        hosts=frozenset({*LOOPBACK_HOSTS, bound_to.lower(), *names}),
        origins=frozenset(origin.rstrip("/") for origin in origins),
        any_address=not is_loopback(bound_to),
    )


def host_name(header: str) -> str:
    """The host in a Host header, without its port and brackets, in lower case."""
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.rpartition(":")[0] if text.count(":") == 1 else text


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach a server bound to *host*."""
    name = host_name(host)
    return name == "localhost" or (_is_address(name) and ipaddress.ip_address(name).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Refuses foreign hosts and origins and bodies that are too large, and keeps paths as they were sent.

    A session's id may hold a slash, sent as ``%2F``. Routes see the path before it is decoded, so that
    such a slash does not look like one between segments.
    """

    def __init__(self, app: ASGIApp, *, trusts: Trusted, body_bytes_max: int) -> None:
        self._app = app
        self._trusts = trusts
        self._body_bytes_max = body_bytes_max

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may pass."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refusal(headers)
        if refused is not None:
            response = problem(
                refused.status_code, code=refused.code, detail=refused.detail, headers={"Connection": "close"}
            )
            await response(scope, receive, send)
            return
        if raw := scope.get("raw_path"):
            scope["path"] = raw.decode("latin-1")
        await self._app(scope, self._counted(receive), send)

    def _refusal(self, headers: Headers) -> Problem | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._trusts.host(host):
            return Problem(
                421,
                "host_not_allowed",
                f"this server does not answer for the host {host!r}; add it to http.allowed_hosts if it should",
            )
        if origin is not None and not self._trusts.origin(origin, host=host):
            return Problem(
                403,
                "origin_not_allowed",
                f"pages of {origin!r} may not call this server; add it to http.allowed_origins if they should",
            )
        length = headers.get("content-length", "0")
        return self._too_large() if length.isdigit() and int(length) > self._body_bytes_max else None

    def _too_large(self) -> Problem:
        return Problem(
            413, "body_too_large", f"the body has more than {self._body_bytes_max:,} bytes (http.body_bytes_max)"
        )

    def _counted(self, receive: Receive) -> Receive:
        """*receive*, for bodies that come without saying how long they are."""
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._body_bytes_max:
                raise self._too_large()
            return message

        return counted
