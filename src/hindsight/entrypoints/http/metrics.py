"""Figures for Prometheus. Labels are route templates and statuses: never a namespace, an id or a word."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindsight.services.worker import Pending

UNMATCHED: Final = "unmatched"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Paths of routes that are no FastAPI routes. They hold no parameters.
_PLAIN_PATHS: Final = frozenset({"/mcp", "/sse", "/messages", "/messages/"})
# From a warm search (some ms) to a look back in the foreground (seconds).
_BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The figures of one server, in a registry of its own."""

    def __init__(self, pending: Callable[[], Pending]) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "hindsight_http_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "hindsight_http_request_seconds",
            "Time until a request was answered.",
            ("method", "route"),
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self.in_flight = Gauge("hindsight_http_requests_in_flight", "Requests being answered.", registry=self._registry)
        self._registry.register(_Waiting(pending))

    def text(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self._registry)


class _Waiting(Collector):
    """Background work outstanding, read when it is asked for."""

    def __init__(self, pending: Callable[[], Pending]) -> None:
        self._pending = pending

    def collect(self) -> Iterable[Metric]:
        """The three figures."""
        waiting = self._pending()
        yield GaugeMetricFamily("hindsight_jobs_waiting", "Jobs queued or running.", value=waiting.jobs)
        yield GaugeMetricFamily("hindsight_texts_waiting", "Texts without a vector yet.", value=waiting.texts)
        yield GaugeMetricFamily(
            "hindsight_texts_set_aside", "Texts the embedder fails on, found by words only.", value=waiting.set_aside
        )

    def describe(self) -> Iterable[Metric]:
        """Nothing: registering must not ask the store."""
        return ()


class Measured:
    """Counts and times every request."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and keep count."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # What never starts a response is answered with 500 further out.
        status = 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        begin = time.perf_counter()
        with self._metrics.in_flight.track_inprogress():
            try:
                await self._app(scope, receive, noted)
            finally:
                method = scope["method"] if scope["method"] in _METHODS else "other"
                route = _template(scope)
                self._metrics.requests.labels(method, route, str(status)).inc()
                self._metrics.seconds.labels(method, route).observe(time.perf_counter() - begin)


def _template(scope: Scope) -> str:
    route = scope.get("route")
    if route is not None:
        return str(route.path)
    return scope["path"] if scope["path"] in _PLAIN_PATHS else UNMATCHED
