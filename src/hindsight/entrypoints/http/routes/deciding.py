"""What waits for a person: conflicts, proposals and the quarantine."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from hindsight.domain.records import Change, Conflict, Page
from hindsight.entrypoints.http import examples, schemas
from hindsight.entrypoints.http.answering import Asked, AtDesk
from hindsight.entrypoints.http.documenting import answers
from hindsight.entrypoints.http.reading import JsonRoute
from hindsight.services.browse import Held, Review
from hindsight.services.lessons import Taught

router = APIRouter(prefix="/v1", tags=["deciding"], route_class=JsonRoute)


@router.get("/review", **answers(Review, examples.REVIEW))
async def review(request: Request, desk: AtDesk, listing: Annotated[schemas.Listing, Query()]) -> Response:
    """Read what most needs the user's look: a page of memories, conflicts, proposals, and how much is held back."""

    def call(asked: Asked) -> object:
        return asked.service.review(asked.space(listing.namespace), limit=listing.limit, cursor=listing.cursor)

    return await desk.answer(request, "read", call)


@router.get("/conflicts", **answers(Page[Conflict], examples.page(examples.CONFLICT)))
async def list_conflicts(request: Request, desk: AtDesk, where: Annotated[schemas.Where, Query()]) -> Response:
    """List open conflicts, oldest first, each with its question to the user."""

    def call(asked: Asked) -> object:
        return asked.service.conflicts(asked.space(where.namespace))

    return await desk.answer(request, "read", call)


@router.post("/conflicts/{conflict_id}/settle", **answers(Change, examples.CHANGED, found=True))
async def settle(
    request: Request,
    desk: AtDesk,
    conflict_id: schemas.ConflictIdPath,
    where: Annotated[schemas.Where, Query()],
    body: schemas.SettleBody,
) -> Response:
    """End a conflict: say which side is true. Below the user's origin this is a proposal."""

    def call(asked: Asked) -> object:
        return asked.service.settle(
            conflict_id,
            namespace=asked.space(where.namespace, body.namespace),
            outcome=body.outcome,
            value=body.value,
            origin=asked.origin(body.origin),
        )

    return await desk.answer(request, "write", call)


@router.get("/lessons", **answers(Page[Taught], examples.page(examples.TAUGHT)))
async def list_lessons(request: Request, desk: AtDesk, listing: Annotated[schemas.Listing, Query()]) -> Response:
    """List what was rejected and is not learned again from where it came, newest first."""

    def call(asked: Asked) -> object:
        return asked.service.lessons(asked.space(listing.namespace), limit=listing.limit, cursor=listing.cursor)

    return await desk.answer(request, "read", call)


@router.delete("/lessons/{lesson_id}", **answers(Taught, examples.TAUGHT, found=True))
async def unlearn(
    request: Request,
    desk: AtDesk,
    lesson_id: schemas.LessonIdPath,
    where: Annotated[schemas.Where, Query()],
    code: schemas.OwnerCode = None,
) -> Response:
    """Remove a lesson: what it kept out may be learned again. Needs the owner."""
    del code

    def call(asked: Asked) -> object:
        return asked.service.unlearn(lesson_id, namespace=asked.space(where.namespace))

    return await desk.answer(request, "owner", call)


@router.get("/quarantine", **answers(Page[Held], examples.page(examples.HELD)))
async def list_quarantine(request: Request, desk: AtDesk, listing: Annotated[schemas.Listing, Query()]) -> Response:
    """List what is held back because of where it came from, newest first; nothing else ever shows it."""

    def call(asked: Asked) -> object:
        return asked.service.quarantine(asked.space(listing.namespace), limit=listing.limit, cursor=listing.cursor)

    return await desk.answer(request, "read", call)


@router.post("/quarantine/{memory_id}/release", **answers(Change, examples.CHANGED, found=True))
async def release(
    request: Request,
    desk: AtDesk,
    memory_id: schemas.MemoryIdPath,
    where: Annotated[schemas.Where, Query()],
    body: schemas.ReleaseBody | None = None,
    code: schemas.OwnerCode = None,
) -> Response:
    """Let a memory out of quarantine. Needs the owner."""
    del code
    said = body or schemas.ReleaseBody()

    def call(asked: Asked) -> object:
        return asked.service.release(
            memory_id, namespace=asked.space(where.namespace, said.namespace), digest=said.digest
        )

    return await desk.answer(request, "owner", call)
