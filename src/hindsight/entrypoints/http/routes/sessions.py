"""Conversations: observe turns, read the working memory, look back, and read what came of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from hindsight.domain.conversation import Episode, Session, Turn
from hindsight.domain.records import DistillResult, Job, ObserveResult, Page, Receipt
from hindsight.entrypoints.http import examples, schemas
from hindsight.entrypoints.http.answering import Asked, AtDesk
from hindsight.entrypoints.http.documenting import answers
from hindsight.entrypoints.http.reading import JsonRoute
from hindsight.entrypoints.http.schemas import SessionIdPath

router = APIRouter(prefix="/v1", tags=["sessions"], route_class=JsonRoute)


@router.post("/sessions/{session_id}/turns", **answers(ObserveResult, examples.OBSERVED))
async def observe(
    request: Request,
    desk: AtDesk,
    session_id: SessionIdPath,
    where: Annotated[schemas.Where, Query()],
    body: schemas.ObserveBody,
) -> Response:
    """Take in turns of a running conversation and return at once; the look back runs behind."""

    def call(asked: Asked) -> object:
        return asked.service.observe(
            asked.space(where.namespace, body.namespace),
            session_id,
            body.turns,
            end=body.end,
            distill=body.distill,
            from_index=body.from_index,
            time_zone=body.time_zone,
        )

    return await desk.answer(request, "write", call)


@router.get("/sessions", **answers(Page[Session], examples.page(examples.SESSION)))
async def list_sessions(request: Request, desk: AtDesk, listing: Annotated[schemas.Listing, Query()]) -> Response:
    """List sessions, by id."""

    def call(asked: Asked) -> object:
        return asked.service.sessions(asked.space(listing.namespace), limit=listing.limit, cursor=listing.cursor)

    return await desk.answer(request, "read", call)


@router.get("/sessions/{session_id}/turns", **answers(Page[Turn], examples.page(examples.TURN), found=True))
async def list_turns(
    request: Request, desk: AtDesk, session_id: SessionIdPath, listing: Annotated[schemas.TurnListing, Query()]
) -> Response:
    """Read a session's turns in order: its working memory."""

    def call(asked: Asked) -> object:
        space = asked.space(listing.namespace)
        return asked.service.turn_page(space, session_id, limit=listing.limit, cursor=listing.cursor)

    return await desk.answer(request, "read", call)


@router.post("/sessions/{session_id}/distill", **answers(DistillResult, examples.DISTILLED, found=True))
async def distill(
    request: Request, desk: AtDesk, session_id: SessionIdPath, where: Annotated[schemas.Where, Query()]
) -> Response:
    """Look back on a session now, and return all that its look backs have made."""

    def call(asked: Asked) -> object:
        return asked.service.distill(asked.space(where.namespace), session_id)

    return await desk.answer(request, "write", call)


@router.delete("/sessions/{session_id}", **answers(Receipt, examples.RECEIPT, found=True))
async def erase_session(
    request: Request,
    desk: AtDesk,
    session_id: SessionIdPath,
    where: Annotated[schemas.Where, Query()],
    code: schemas.OwnerCode = None,
) -> Response:
    """Remove a session and what rests on it for good. Needs the owner."""
    del code

    def call(asked: Asked) -> object:
        return asked.service.erase(namespace=asked.space(where.namespace), session_id=session_id)

    return await desk.answer(request, "owner", call)


@router.get("/episodes", **answers(Page[Episode], examples.page(examples.EPISODE)))
async def list_episodes(request: Request, desk: AtDesk, listing: Annotated[schemas.Listing, Query()]) -> Response:
    """List episodes, newest first."""

    def call(asked: Asked) -> object:
        return asked.service.episodes(asked.space(listing.namespace), limit=listing.limit, cursor=listing.cursor)

    return await desk.answer(request, "read", call)


@router.get("/jobs", **answers(Page[Job], examples.page(examples.JOB)))
async def list_jobs(request: Request, desk: AtDesk, listing: Annotated[schemas.Listing, Query()]) -> Response:
    """List background jobs, newest first, with what happened on the way."""

    def call(asked: Asked) -> object:
        return asked.service.jobs(asked.space(listing.namespace), limit=listing.limit, cursor=listing.cursor)

    return await desk.answer(request, "read", call)
