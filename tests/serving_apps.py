"""The HTTP application on a home of its own, as `serve` builds it, without a port."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.testclient import TestClient

from hindsight import Hindsight
from hindsight.entrypoints.http.app import HttpOptions, create_app
from hindsight.entrypoints.http.codes import OneTimeCode
from hindsight.entrypoints.http.guards import trusted
from hindsight.entrypoints.http.pool import Pool

BODY_BYTES_MAX = 1_000_000


@dataclass
class Served:
    """A client of the application, and the codes that its terminal has shown."""

    client: TestClient
    codes: list[str] = field(default_factory=list)

    def json(self, method: str, path: str, status: int = 200, **sent: Any) -> Any:
        """The JSON of the answer, which must have *status*."""
        answer = self.client.request(method, path, **sent)
        assert answer.status_code == status, answer.text
        return answer.json()


@contextmanager
def served(
    service: Hindsight,
    *,
    namespace: str = "default",
    bound_to: str = "127.0.0.1",
    hosts: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
    closed: bool = False,
) -> Generator[Served]:
    """The application on *service*, asked at ``http://127.0.0.1:8000``."""
    codes: list[str] = []
    code = OneTimeCode(codes.append)
    code.renew()
    options = HttpOptions(
        namespace=namespace,
        trusts=trusted(bound_to=bound_to, hosts=hosts, origins=origins),
        body_bytes_max=BODY_BYTES_MAX,
        closed=closed,
    )
    app = create_app(service, options, pool=Pool(threads=4), code=code)
    with TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield Served(client, codes)
