"""How every route answers: who is calling, may they, then one call of the service on a thread of the pool.

A route cannot reach the service in another way, so none can forget to ask.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends, Request, Response

from hindsight.domain.access import RIGHTS, Right
from hindsight.domain.errors import InvalidRequest, PermissionDenied
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.trust import Origin, lowest_origin
from hindsight.entrypoints.access import Access, Door
from hindsight.entrypoints.http.codes import HEADER, OneTimeCode
from hindsight.entrypoints.http.pool import Pool
from hindsight.entrypoints.presenting import present
from hindsight.facade import Hindsight
from hindsight.services.core import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request whose caller is known: the service with their rights, and the names it may use."""

    service: Hindsight
    access: Access

    def space(self, *named: object) -> str:
        """The permitted namespace that the query or the body names, else the caller's default.

        Raises:
            InvalidRequest: They name two.
            PermissionDenied: It is not open to the caller.
        """
        given = {parse_namespace(name) for name in named if name is not None}
        if len(given) > 1:
            raise InvalidRequest(
                f"the query names the namespace {named[0]!r} and the body {named[1]!r}; name one",
                code="namespace_named_twice",
            )
        return self.access.permit(next(iter(given), None))

    def origin(self, asked: Origin | None, *, otherwise: Origin = "user") -> Origin:
        """The origin that was asked for, else *otherwise*, or the caller's highest where that is lower."""
        return lowest_origin((self.access.caller.ceiling, otherwise)) if asked is None else asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where requests are answered."""

    service: Hindsight
    door: Door
    pool: Pool
    code: OneTimeCode

    async def answer(self, request: Request, right: Right, call: Callable[[Asked], object]) -> Response:
        """The response with what *call* returns, for a caller who has *right*."""

        def work() -> Response:
            return rendered(call(self._admit(request, right)))

        return await self.pool.run(work)

    def _admit(self, request: Request, right: Right) -> Asked:
        access = self.door.authenticate(request.headers.get("authorization"))
        if right == "owner" and access.caller.writer is None:
            access = self._owner(access, request.headers.get(HEADER))
        access.require(right)
        return Asked(service=self.service.as_caller(access.caller), access=access)

    def _owner(self, access: Access, code: str | None) -> Access:
        """The owner, for the one action that the code on the terminal is good for."""
        if code is None:
            raise PermissionDenied(
                f"this needs the owner: send the code that the server shows on its terminal as {HEADER}, "
                "or do it with the command line",
                code="owner_only",
            )
        self.code.spend(code)
        caller = Caller(ceiling=access.caller.ceiling, owner=True)
        return replace(access, caller=caller, rights=RIGHTS)


def rendered(answer: object, *, status: int = 200) -> Response:
    """*answer* in its JSON form, in UTF-8 and never escaped; a finished response is left as it is."""
    if isinstance(answer, Response):
        return answer
    content = json.dumps(present(answer), ensure_ascii=False, allow_nan=False).encode("utf-8")
    # Somebody's memory has no place in a browser's or a proxy's cache.
    return Response(content, status, headers={"Cache-Control": "no-store"}, media_type="application/json")


def _desk(request: Request) -> Desk:
    return request.app.state.desk


AtDesk = Annotated[Desk, Depends(_desk)]
