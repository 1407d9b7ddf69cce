"""Read the audit chain: what happened, to what, when, by whom."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from hindsight.domain.errors import InvalidRequest
from hindsight.domain.moments import parse_moment
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import Page
from hindsight.ports import ChainedEvent
from hindsight.services.browse import parse_number_cursor
from hindsight.services.core import Core
from hindsight.services.search import parse_limit

LIMIT_MAX: Final = 1_000
_READ_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One event of the chain. ``hash`` covers it and every event before it."""

    number: int
    action: str
    namespace: str
    subject: str
    at: datetime
    by: str
    detail: Mapping[str, str | int | float | bool | None]
    hash: str


def audit(
    core: Core, namespace: object, *, subject: object = None, limit: object = 100, cursor: object = None
) -> Page[AuditLine]:
    """The events of one namespace, oldest first; those about one subject where it is named.

    Raises:
        InvalidRequest: A field is wrong.
    """
    space = parse_namespace(namespace)
    size = parse_limit(limit, most=LIMIT_MAX)
    after = 0 if cursor is None else parse_number_cursor(cursor)
    found: list[AuditLine] = []
    if subject is not None:
        if not isinstance(subject, str) or not subject:
            raise InvalidRequest(f"subject {subject!r} must be an id", code="invalid_id")
        with core.store.reading(space) as scope:
            found = [_line(event) for event in scope.audit_lines(subject) if event.number > after][: size + 1]
    else:
        while len(found) <= size:
            events = core.store.chain(after=after, limit=_READ_AT_ONCE)
            found.extend(line for line in map(_line, events) if line.namespace == space)
            if len(events) < _READ_AT_ONCE:
                break
            after = events[-1].number
    shown = tuple(found[:size])
    return Page(shown, next_cursor=str(shown[-1].number) if len(found) > size else None)


def audit_check(core: Core) -> Sequence[str]:
    """What is wrong with the chain in the store and with its files, in words.

    The files are brought up to date first, so that an honest lag is no fault.
    """
    core.audit_log.run(now=core.now())
    return [*core.store.check(), *core.audit_log.check()]


def _line(event: ChainedEvent) -> AuditLine:
    fields: dict[str, Any] = json.loads(event.line)
    return AuditLine(
        number=event.number,
        action=fields["action"],
        namespace=fields["namespace"],
        subject=fields["subject"],
        at=parse_moment(fields["at"], what="at"),
        by=fields["by"],
        detail=fields["detail"],
        hash=event.hash,
    )
