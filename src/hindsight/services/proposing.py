"""Changes that their caller may not make alone: kept, once each and not without end, for the user to decide."""

from __future__ import annotations

from typing import Final

from hindsight.domain.errors import LimitExceeded
from hindsight.domain.ids import MemoryId
from hindsight.domain.records import AuditEvent, Proposal
from hindsight.domain.trust import Origin
from hindsight.ports import WriteScope
from hindsight.services.core import Core

# Nobody reads through more; an agent that goes on proposing is stuck.
PROPOSALS_MAX: Final = 500


def propose(
    core: Core,
    scope: WriteScope,
    *,
    memory_id: MemoryId,
    action: str,
    by: Origin,
    value: str | None = None,
    reason: str | None = None,
) -> Proposal:
    """Put a change on the review list, or return the one that already asks for it.

    Raises:
        LimitExceeded: As many as a namespace may have are waiting.
    """
    waiting = scope.proposals()
    for known in waiting:
        if (known.memory_id, known.action, known.value) == (memory_id, action, value):
            return known
    if len(waiting) >= PROPOSALS_MAX:
        raise LimitExceeded(
            f"{len(waiting)} proposals wait in namespace {scope.namespace!r}; the user decides on them in the review "
            "list before more are taken",
            code="too_many_proposals",
        )
    proposal = Proposal(
        id=core.ids.new("pro"),
        memory_id=memory_id,
        action=action,
        proposed_at=core.now(),
        proposed_by=by,
        value=value,
        reason=reason,
    )
    scope.put_proposal(proposal)
    scope.record(
        AuditEvent(action="memory.proposed", namespace=scope.namespace, subject=memory_id, at=core.now(), by=by)
    )
    return proposal
