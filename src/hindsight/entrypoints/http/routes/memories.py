"""Memories: write, list, read, verify, forget, restore, erase."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from hindsight.domain.memory import Memory
from hindsight.domain.records import Change, Page, Receipt, WriteResult
from hindsight.entrypoints.http import examples, schemas
from hindsight.entrypoints.http.answering import Asked, AtDesk, rendered
from hindsight.entrypoints.http.documenting import answers
from hindsight.entrypoints.http.reading import JsonRoute
from hindsight.entrypoints.http.schemas import MemoryIdPath
from hindsight.services.browse import Shown
from hindsight.services.why import Why

router = APIRouter(prefix="/v1", tags=["memories"], route_class=JsonRoute)


@router.post("/memories", **answers(WriteResult, examples.WRITTEN, statuses=(201, 200)))
async def write(
    request: Request,
    desk: AtDesk,
    where: Annotated[schemas.Where, Query()],
    body: schemas.WriteBody,
    idempotency_key: schemas.IdempotencyKey = None,
) -> Response:
    """Remember one fact, and learn what became of it: 201 where a memory was made, 200 where one was reinforced."""

    def call(asked: Asked) -> Response:
        result = asked.service.write(
            asked.space(where.namespace, body.namespace),
            key=body.key,
            value=body.value,
            category=body.category,
            source=body.source,
            confidence=body.confidence,
            ttl_days=body.ttl_days,
            origin=asked.origin(body.origin, otherwise="assistant"),
            evidence=body.evidence,
            session_id=body.session_id,
            request_id=idempotency_key,
        )
        return rendered(result, status=200 if result.outcome == "reinforced" else 201)

    return await desk.answer(request, "write", call)


@router.get("/memories", **answers(Page[Memory], examples.page(examples.MEMORY)))
async def list_memories(request: Request, desk: AtDesk, listing: Annotated[schemas.MemoryListing, Query()]) -> Response:
    """List memories, newest first. Quarantined ones have a list of their own."""

    def call(asked: Asked) -> object:
        return asked.service.memories(
            asked.space(listing.namespace),
            statuses=schemas.chosen_statuses(listing.statuses),
            include_untrusted=listing.include_untrusted,
            limit=listing.limit,
            cursor=listing.cursor,
        )

    return await desk.answer(request, "read", call)


@router.get("/memories/{memory_id}", **answers(Memory, examples.MEMORY, found=True))
async def get_memory(
    request: Request, desk: AtDesk, memory_id: MemoryIdPath, where: Annotated[schemas.Where, Query()]
) -> Response:
    """Read one memory."""

    def call(asked: Asked) -> object:
        return asked.service.memory(memory_id, namespace=asked.space(where.namespace))

    return await desk.answer(request, "read", call)


@router.get("/memories/{memory_id}/history", **answers(Shown, examples.SHOWN, found=True))
async def show_memory(
    request: Request, desk: AtDesk, memory_id: MemoryIdPath, where: Annotated[schemas.Where, Query()]
) -> Response:
    """Read one memory with every version and the turns that made it."""

    def call(asked: Asked) -> object:
        return asked.service.show(memory_id, namespace=asked.space(where.namespace))

    return await desk.answer(request, "read", call)


@router.get("/memories/{memory_id}/why", **answers(Why, examples.WHY, found=True))
async def explain_memory(
    request: Request, desk: AtDesk, memory_id: MemoryIdPath, where: Annotated[schemas.Where, Query()]
) -> Response:
    """Read what a memory came from, what made it, what it met, and why its neighbours stayed apart."""

    def call(asked: Asked) -> object:
        return asked.service.why(memory_id, namespace=asked.space(where.namespace))

    return await desk.answer(request, "read", call)


@router.post("/memories/{memory_id}/verify", **answers(Change, examples.CHANGED, found=True))
async def verify(
    request: Request,
    desk: AtDesk,
    memory_id: MemoryIdPath,
    where: Annotated[schemas.Where, Query()],
    body: schemas.VerifyBody,
) -> Response:
    """Say that a memory is right, wrong, or has changed. Below the user's origin this is a proposal."""

    def call(asked: Asked) -> object:
        return asked.service.verify(
            memory_id,
            namespace=asked.space(where.namespace, body.namespace),
            outcome=body.outcome,
            value=body.value,
            origin=asked.origin(body.origin),
        )

    return await desk.answer(request, "write", call)


@router.post("/memories/{memory_id}/forget", **answers(Change, examples.FORGOTTEN, found=True))
async def forget(
    request: Request,
    desk: AtDesk,
    memory_id: MemoryIdPath,
    where: Annotated[schemas.Where, Query()],
    body: schemas.ForgetBody,
) -> Response:
    """Stop serving a memory. Its history stays; erasing removes it for good."""

    def call(asked: Asked) -> object:
        return asked.service.forget(
            memory_id,
            namespace=asked.space(where.namespace, body.namespace),
            reason=body.reason,
            origin=asked.origin(body.origin),
        )

    return await desk.answer(request, "write", call)


@router.post("/memories/{memory_id}/restore", **answers(Change, examples.CHANGED, found=True))
async def restore(
    request: Request,
    desk: AtDesk,
    memory_id: MemoryIdPath,
    where: Annotated[schemas.Where, Query()],
    body: schemas.RestoreBody | None = None,
) -> Response:
    """Serve an archived memory again."""
    said = body or schemas.RestoreBody()

    def call(asked: Asked) -> object:
        return asked.service.restore(
            memory_id, namespace=asked.space(where.namespace, said.namespace), origin=asked.origin(said.origin)
        )

    return await desk.answer(request, "write", call)


@router.delete("/memories/{memory_id}", **answers(Receipt, examples.RECEIPT, found=True))
async def erase_memory(
    request: Request,
    desk: AtDesk,
    memory_id: MemoryIdPath,
    where: Annotated[schemas.Where, Query()],
    code: schemas.OwnerCode = None,
) -> Response:
    """Remove one memory for good, with every trace of it. Needs the owner."""
    del code

    def call(asked: Asked) -> object:
        return asked.service.erase(namespace=asked.space(where.namespace), memory_id=memory_id)

    return await desk.answer(request, "owner", call)


@router.post("/erase", **answers(Receipt, examples.RECEIPT, found=True))
async def erase(
    request: Request,
    desk: AtDesk,
    where: Annotated[schemas.Where, Query()],
    body: schemas.EraseBody,
    code: schemas.OwnerCode = None,
) -> Response:
    """Remove one memory, one session, or all of a namespace for good. Needs the owner."""
    del code

    def call(asked: Asked) -> object:
        return asked.service.erase(
            namespace=asked.space(where.namespace, body.namespace),
            memory_id=body.memory_id,
            session_id=body.session_id,
            everything=body.everything,
        )

    return await desk.answer(request, "owner", call)
