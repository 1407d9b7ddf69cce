"""Reads a request's body as what it must be: one JSON text in UTF-8.

The framework alone would take UTF-16, NaN and bodies of any declared type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi import Request, Response
from fastapi.routing import APIRoute

from hindsight.entrypoints.http.errors import Problem

_JSON = "application/json"


class JsonRoute(APIRoute):
    """A route that takes JSON and nothing else."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The framework's own handler, given a request that reads more strictly."""
        handle = super().get_route_handler()
        takes_body = self.body_field is not None

        async def strict(request: Request) -> Response:
            read = _StrictRequest(request.scope, request.receive)
            if takes_body and await read.body():
                _check_type(request.headers.get("content-type", ""))
            return await handle(read)

        return strict


class _StrictRequest(Request):
    async def json(self) -> Any:
        raw = await self.body()
        try:
            # A byte order mark at the start is harmless; some shells put one there.
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            raise Problem(400, "invalid_utf8", f"the body is not UTF-8 at byte {exc.start}") from exc
        try:
            return json.loads(text, parse_constant=_no_number)
        except json.JSONDecodeError as exc:
            raise Problem(
                400, "invalid_json", f"the body is not JSON: {exc.msg} at line {exc.lineno} column {exc.colno}"
            ) from exc
        except ValueError as exc:
            raise Problem(400, "invalid_json", f"the body holds a number that cannot be read: {exc}") from exc
        except RecursionError as exc:
            raise Problem(400, "invalid_json", "the body is nested too deeply") from exc


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _check_type(content_type: str) -> None:
    kind, _, parameters = content_type.partition(";")
    charset = parameters.lower().partition("charset=")[2].strip(' "')
    if kind.strip().lower() != _JSON or charset not in ("", "utf-8", "utf8"):
        raise Problem(415, "not_json", f"the body must be {_JSON} in UTF-8, and this one is {content_type!r}")
