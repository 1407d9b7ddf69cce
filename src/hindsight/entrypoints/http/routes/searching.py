"""Questions to the memory: search, context, and how an answer came about."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Query, Request, Response

from hindsight.domain.records import Context, SearchResult, Trace
from hindsight.entrypoints.http import examples, schemas
from hindsight.entrypoints.http.answering import Asked, AtDesk
from hindsight.entrypoints.http.documenting import answers
from hindsight.entrypoints.http.reading import JsonRoute

router = APIRouter(prefix="/v1", tags=["search"], route_class=JsonRoute)


# A question is content: in the body it stays out of access logs, caches and histories.
@router.post("/search", **answers(SearchResult, examples.FOUND))
async def search(
    request: Request, desk: AtDesk, where: Annotated[schemas.Where, Query()], body: schemas.SearchBody
) -> Response:
    """Find what is most useful for answering a question, in memories and in past turns."""

    def call(asked: Asked) -> object:
        return asked.service.search(
            body.query,
            namespace=_spaces(asked, where.namespace, body.namespace),
            limit=body.limit,
            layers=body.layers,
            at=body.at,
            as_if_now=body.as_if_now,
            statuses=body.statuses,
            include_untrusted=body.include_untrusted,
            min_relevance=body.min_relevance,
        )

    return await desk.answer(request, "read", call)


def _spaces(asked: Asked, in_query: str | None, in_body: object) -> str | list[str]:
    """The namespaces to search, each of which must be permitted."""
    if isinstance(in_body, list) and in_query is None:
        return [asked.space(name) for name in cast("list[object]", in_body)]
    return asked.space(in_query, cast("object", in_body))


@router.post("/context", **answers(Context, examples.CONTEXT))
async def context(
    request: Request, desk: AtDesk, where: Annotated[schemas.Where, Query()], body: schemas.ContextBody
) -> Response:
    """Build the block of memories for a prompt, within a share of the model's window."""

    def call(asked: Asked) -> object:
        return asked.service.context(
            body.query,
            namespace=asked.space(where.namespace, body.namespace),
            window_tokens=body.window_tokens,
            share=body.share,
        )

    return await desk.answer(request, "read", call)


@router.get("/traces/{trace_id}", **answers(Trace, examples.TRACE, found=True))
async def explain(
    request: Request, desk: AtDesk, trace_id: schemas.TraceIdPath, where: Annotated[schemas.Where, Query()]
) -> Response:
    """Say how one search came to its answer: what was considered, why it ranked so, what was used."""

    def call(asked: Asked) -> object:
        return asked.service.explain(trace_id, namespace=asked.space(where.namespace))

    return await desk.answer(request, "read", call)


@router.post("/traces/{trace_id}/uses", **answers(Trace, examples.TRACE, found=True))
async def used(
    request: Request,
    desk: AtDesk,
    trace_id: schemas.TraceIdPath,
    where: Annotated[schemas.Where, Query()],
    body: schemas.UseBody,
) -> Response:
    """Note that a decision rested on memories of a search."""

    def call(asked: Asked) -> object:
        return asked.service.used(
            trace_id, body.memory_ids, body.decision, namespace=asked.space(where.namespace, body.namespace)
        )

    return await desk.answer(request, "write", call)
