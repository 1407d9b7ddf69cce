"""The surface of REST: the application in this process, called with a key of the user's own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import hindsight
from serving_apps import served
from surfaces.refused import Refused

Answer = Any

# Method and path of each verb; what stands first in the Python call fills the braces.
_ROUTES = {
    "write": ("POST", "/memories"),
    "memories": ("GET", "/memories"),
    "memory": ("GET", "/memories/{}"),
    "why": ("GET", "/memories/{}/why"),
    "verify": ("POST", "/memories/{}/verify"),
    "forget": ("POST", "/memories/{}/forget"),
    "restore": ("POST", "/memories/{}/restore"),
    "erase": ("POST", "/erase"),
    "search": ("POST", "/search"),
    "context": ("POST", "/context"),
    "explain": ("GET", "/traces/{}"),
    "used": ("POST", "/traces/{}/uses"),
    "observe": ("POST", "/sessions/{}/turns"),
    "distill": ("POST", "/sessions/{}/distill"),
    "sessions": ("GET", "/sessions"),
    "episodes": ("GET", "/episodes"),
    "jobs": ("GET", "/jobs"),
    "conflicts": ("GET", "/conflicts"),
    "settle": ("POST", "/conflicts/{}/settle"),
    "review": ("GET", "/review"),
    "lessons": ("GET", "/lessons"),
    "unlearn": ("DELETE", "/lessons/{}"),
    "quarantine": ("GET", "/quarantine"),
    "release": ("POST", "/quarantine/{}/release"),
}
_NAMESPACE_FIRST = {
    "write", "memories", "observe", "distill", "sessions", "episodes", "jobs", "conflicts", "quarantine",
    "review", "lessons",
}  # fmt: skip
_BODY_FIRST = {"search": ("query",), "context": ("query",), "used": ("memory_ids", "decision"), "observe": ("turns",)}
_WITHOUT_BODY = {"distill", "unlearn"}


class RestSurface:
    """Every verb is one request."""

    ceiling = "user"

    def __init__(self, home: Path) -> None:
        self._open = ExitStack()
        service = self._open.enter_context(hindsight.open(home, settings={"look_back.worker": False}))
        issued = service.create_key(label="tests", namespaces=["*"], rights=["owner"], highest_origin="user")
        self._client = self._open.enter_context(served(service)).client
        self._headers = {"Authorization": f"Bearer {issued.secret}"}

    def call(self, verb: str, *positional: Answer, **named: Answer) -> Answer:
        method, template = _ROUTES[verb]
        arguments = list(positional)
        space = {"namespace": arguments.pop(0) if verb in _NAMESPACE_FIRST else named.pop("namespace")}
        path = template
        if "{}" in template:
            path = template.format(quote(arguments.pop(0), safe=""))
        given = {**dict(zip(_BODY_FIRST.get(verb, ()), arguments, strict=True)), **named}
        if method == "GET" or verb in _WITHOUT_BODY:
            sent: dict[str, Answer] = {"params": {**space, **given}}
        else:
            sent = {"json": {**space, **given}}
        headers = dict(self._headers)
        if "request_id" in named:
            # HTTP has a header for it.
            headers["Idempotency-Key"] = sent["json"].pop("request_id")
        answer = self._client.request(method, f"/v1{path}", headers=headers, **sent)
        if answer.is_success:
            return answer.json()
        told = answer.json()
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.status_code == told["status"]
        raise Refused(told["code"], told["kind"], told["detail"])

    def close(self) -> None:
        self._open.close()
