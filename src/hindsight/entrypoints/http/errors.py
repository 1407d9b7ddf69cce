"""Every error as a problem (RFC 9457): the only place that knows status codes."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from hindsight.domain.errors import (
    BackendUnavailable,
    CorruptData,
    HindsightError,
    InvalidRequest,
    LimitExceeded,
    ModelOutputInvalid,
    NotFound,
    PermissionDenied,
    StateMismatch,
)
from hindsight.entrypoints.http.limits import PROBLEM_ERRORS_MAX, RETRY_AFTER_S

logger = logging.getLogger("hindsight.http")

MEDIA_TYPE: Final = "application/problem+json"
TYPE_PREFIX: Final = "urn:hindsight:error:"

# Listed in docs/reference/http.md; clients rely on them.
STATUS_OF_KIND: Final[dict[type[HindsightError], int]] = {
    InvalidRequest: 422,
    NotFound: 404,
    PermissionDenied: 403,
    StateMismatch: 409,
    LimitExceeded: 413,
    BackendUnavailable: 503,
    ModelOutputInvalid: 502,
    CorruptData: 500,
}
STATUS_OF_CODE: Final[dict[str, int]] = {"key_required": 401, "key_refused": 401}

# What pydantic calls it, and what we do.
_FIELD_CODES: Final = {"missing": "missing_field", "extra_forbidden": "unknown_field"}
_FIELD_WORDS: Final = {
    "missing": "is missing",
    "extra_forbidden": "is unknown here; see /openapi.json for the fields there are",
    "model_attributes_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_parsing": "must be a whole number",
}


class Problem(HTTPException):
    """A refusal that HTTP itself gives, before any service is asked."""

    def __init__(self, status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, headers)
        self.code = code


def status_of(error: HindsightError) -> int:
    """The status for *error*: its code's own, or that of the nearest class that has one."""
    if error.code in STATUS_OF_CODE:
        return STATUS_OF_CODE[error.code]
    kinds = (kind for kind in type(error).__mro__ if kind in STATUS_OF_KIND)
    return STATUS_OF_KIND[next(kinds, CorruptData)]


def problem(
    status: int,
    *,
    code: str,
    detail: str,
    kind: str = "",
    retryable: bool = False,
    errors: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The response that tells a problem."""
    told = kind or _kind_of(status)
    body: dict[str, Any] = {
        "type": TYPE_PREFIX + code,
        "title": title_of(told),
        "status": status,
        "detail": detail,
        "code": code,
        "kind": told,
        "retryable": retryable,
    }
    if errors:
        body["errors"] = [dict(error) for error in errors]
    more = dict(headers or {})
    if status == HTTPStatus.UNAUTHORIZED:
        more["WWW-Authenticate"] = 'Bearer realm="hindsight"'
    if retryable:
        more["Retry-After"] = str(RETRY_AFTER_S)
    # A detail may quote what was sent, lone surrogates included: they are replaced, never sent on.
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Response(content, status, headers=more, media_type=MEDIA_TYPE)


def title_of(kind: str) -> str:
    """What a kind of error is called for people: its class's name in words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).capitalize() or "Internal error"


def install(app: FastAPI) -> None:
    """Let *app* answer every error as a problem."""
    app.add_exception_handler(HindsightError, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _defect)


def problem_of(error: HindsightError) -> Response:
    """The response that tells an expected error."""
    return problem(
        status_of(error),
        code=error.code,
        detail=str(error),
        kind=type(error).__name__,
        retryable=error.retryable,
    )


def _kind_of(status: int) -> str:
    """The class of our tree for a status that no error of ours brought."""
    known = {404: NotFound, 401: PermissionDenied, 403: PermissionDenied, 421: PermissionDenied, 413: LimitExceeded}
    return "" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else known.get(status, InvalidRequest).__name__


async def _told(request: Request, error: Exception) -> Response:
    del request
    return problem_of(cast("HindsightError", error))


async def _refused(request: Request, error: Exception) -> Response:
    refused = cast("HTTPException", error)
    if isinstance(refused, Problem):
        return problem(refused.status_code, code=refused.code, detail=refused.detail, headers=refused.headers)
    code, detail = "refused", str(refused.detail)
    if refused.status_code == HTTPStatus.NOT_FOUND:
        code, detail = "no_such_route", f"nothing is at {request.url.path!r}; /openapi.json lists every route"
    elif refused.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        code, detail = "method_not_allowed", f"{request.method} is not possible at {request.url.path!r}"
    elif refused.status_code == HTTPStatus.BAD_REQUEST:
        code = "invalid_json"
    return problem(refused.status_code, code=code, detail=detail, headers=refused.headers)


async def _invalid(request: Request, error: Exception) -> Response:
    del request
    found = list(cast("RequestValidationError", error).errors())[:PROBLEM_ERRORS_MAX]
    told = [_field_error(item) for item in found]
    return problem(
        STATUS_OF_KIND[InvalidRequest],
        code=_FIELD_CODES.get(found[0]["type"], "invalid_field"),
        detail="; ".join(f"{item['where']} {item['detail']}" for item in told),
        errors=told,
    )


def _field_error(item: Mapping[str, Any]) -> dict[str, str]:
    """One field's error: where it stands, as a JSON pointer below body, query, path or header."""
    place = [str(part) for part in item["loc"]]
    part = place[0]
    pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in place[1:])
    named = f"{part} field {pointer}" if pointer else f"the {part}"
    words = _FIELD_WORDS.get(item["type"]) or str(item["msg"])
    return {"in": part, "pointer": pointer, "where": named, "detail": words}


async def _defect(request: Request, error: Exception) -> Response:
    logger.error("%s failed; this is a defect in hindsight", request.method, exc_info=error)
    return problem(500, code="internal", detail="this is a defect in hindsight; the server's log has the traceback")
