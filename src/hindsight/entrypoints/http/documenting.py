"""The OpenAPI description: every answer's schema, an example of every operation, and the form of problems.

Answers are drawn from the values themselves and requests from their models, so nothing here repeats a
field.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from hindsight.domain.conversation import Episode, Session, Turn
from hindsight.domain.memory import Memory
from hindsight.domain.records import (
    Change,
    Conflict,
    Context,
    DistillResult,
    Job,
    ObserveResult,
    Page,
    Receipt,
    SearchResult,
    Trace,
    WriteResult,
)
from hindsight.entrypoints.describing import schema_of
from hindsight.entrypoints.http.errors import MEDIA_TYPE, TYPE_PREFIX, title_of
from hindsight.entrypoints.presenting import present
from hindsight.services.auditing import AuditLine
from hindsight.services.browse import Held, Review, Shown
from hindsight.services.lessons import Taught
from hindsight.services.why import Why

ABOUT: Final = """\
Long-term memory for LLM agents that looks back. Every answer is JSON in UTF-8, every error a problem
(RFC 9457) whose `code` is stable. A namespace stands in the query or in the body; omitted, it is the
key's or the server's own.\
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceNames:
    """The namespaces open to the caller, and the one that is meant when none is named."""

    items: tuple[str, ...]
    default: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alive:
    """The process answers."""

    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """Whether to send requests here, what is still waited for, and what searches go without."""

    ready: bool
    waiting_for: tuple[str, ...]
    degraded: tuple[str, ...]


_ANSWERS: Final[tuple[object, ...]] = (
    WriteResult,
    Page[Memory],
    Memory,
    Shown,
    Why,
    Change,
    Receipt,
    SearchResult,
    Context,
    Trace,
    ObserveResult,
    Page[Session],
    Page[Turn],
    DistillResult,
    Page[Episode],
    Page[Job],
    Review,
    Page[Conflict],
    Page[Held],
    Page[Taught],
    Taught,
    Page[Receipt],
    Page[AuditLine],
    NamespaceNames,
    Alive,
    Ready,
)

_PROBLEM: Final = {
    "type": "object",
    "description": "A problem as of RFC 9457.",
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong with which value, and the next step."},
        "code": {"type": "string", "description": "Stable across releases."},
        "kind": {"type": "string", "description": "The class of the error in Python."},
        "retryable": {"type": "boolean", "description": "Whether the same request may succeed later."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("in", "pointer", "where", "detail")},
            },
        },
    },
    "required": ["type", "title", "status", "detail", "code", "kind", "retryable"],
}


def answers(kind: object, example: object, *, statuses: Sequence[int] = (200,), found: bool = False) -> dict[str, Any]:
    """What a route declares about its answer.

    Args:
        kind: The value it answers with.
        example: Such a value.
        statuses: The statuses it may answer with.
        found: Whether it may find nothing under the id it is given.
    """
    # As text, since the framework drops what is null from examples; `describe` makes it JSON again.
    text = json.dumps(present(example), ensure_ascii=False)
    content = {"application/json": {"schema": schema_of(kind)[0], "example": text}}
    responses: dict[int | str, dict[str, Any]] = {
        status: {"description": "The answer", "content": content} for status in statuses
    }
    if found:
        responses[404] = _problem_response(404, "not_found", "no memory 'mem_01a2' in namespace 'user/kim'")
    responses["default"] = _problem_response(
        422, "vague_key", "key 'user info' tells nothing apart; name the slot, such as 'coffee_preference'"
    )
    return {"response_model": None, "status_code": statuses[0], "responses": responses}


def describe(app: FastAPI, *, examples: dict[str, object]) -> dict[str, Any]:
    """The whole description. *examples* are request bodies by operation."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    description = get_openapi(title=app.title, version=app.version, description=ABOUT, routes=app.routes)
    components = description.setdefault("components", {})
    named: dict[str, Any] = components.setdefault("schemas", {})
    for kind in _ANSWERS:
        named.update(schema_of(kind)[1])
    named["Problem"] = _PROBLEM
    components["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "description": "An API key; none on a home without keys."}
    }
    for path, operations in description["paths"].items():
        for operation in operations.values():
            if path.startswith("/v1/"):
                operation["security"] = [{}, {"key": []}]
            for response in operation["responses"].values():
                media = response["content"].get("application/json", {})
                if isinstance(media.get("example"), str):
                    media["example"] = json.loads(media["example"])
            if "requestBody" in operation:
                content = operation["requestBody"]["content"]["application/json"]
                content["example"] = examples[operation["operationId"]]
    app.openapi_schema = description
    return description


def _problem_response(status: int, code: str, detail: str) -> dict[str, Any]:
    kind = {404: "NotFound", 422: "InvalidRequest"}[status]
    example = {
        "type": TYPE_PREFIX + code,
        "title": title_of(kind),
        "status": status,
        "detail": detail,
        "code": code,
        "kind": kind,
        "retryable": False,
    }
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": "A problem", "content": {MEDIA_TYPE: {"schema": schema, "example": example}}}
