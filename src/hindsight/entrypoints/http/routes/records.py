"""What is kept about the memory itself: namespaces, receipts and the audit trail."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from hindsight.domain.records import Page, Receipt
from hindsight.entrypoints.http import examples, schemas
from hindsight.entrypoints.http.answering import Asked, AtDesk
from hindsight.entrypoints.http.documenting import NamespaceNames, answers
from hindsight.entrypoints.http.reading import JsonRoute
from hindsight.services.auditing import AuditLine

router = APIRouter(prefix="/v1", tags=["records"], route_class=JsonRoute)


@router.get("/namespaces", **answers(NamespaceNames, examples.NAMESPACES))
async def list_namespaces(request: Request, desk: AtDesk) -> Response:
    """List the namespaces open to you: those of your key, or every one that holds anything."""

    def call(asked: Asked) -> object:
        access = asked.access
        names = asked.service.namespaces() if access.namespaces is None else access.namespaces
        return NamespaceNames(items=tuple(sorted(names)), default=access.default)

    return await desk.answer(request, "read", call)


@router.get("/receipts", **answers(Page[Receipt], examples.page(examples.RECEIPT)))
async def list_receipts(request: Request, desk: AtDesk, where: Annotated[schemas.Where, Query()]) -> Response:
    """List the receipts of erasures, oldest first."""

    def call(asked: Asked) -> object:
        return asked.service.receipts(asked.space(where.namespace))

    return await desk.answer(request, "read", call)


@router.get("/audit", **answers(Page[AuditLine], examples.page(examples.AUDIT_LINE)))
async def list_audit(request: Request, desk: AtDesk, listing: Annotated[schemas.AuditListing, Query()]) -> Response:
    """List what happened, oldest first: ids, outcomes and numbers, never content."""

    def call(asked: Asked) -> object:
        return asked.service.audit(
            asked.space(listing.namespace), subject=listing.subject, limit=listing.limit, cursor=listing.cursor
        )

    return await desk.answer(request, "read", call)
