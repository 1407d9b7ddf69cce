"""Erase on request: one memory, one session, or everything of a namespace."""

from __future__ import annotations

from hindsight.domain.errors import InvalidRequest, NotFound
from hindsight.domain.ids import MemoryId, SessionId, parse_caller_id
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import Receipt
from hindsight.services.core import Caller, Core
from hindsight.services.erasing import erase_all, erase_whole_session, finish_erasure, start_erasure


def erase(
    core: Core,
    caller: Caller,
    *,
    namespace: object,
    memory_id: object = None,
    session_id: object = None,
    everything: object = False,
) -> Receipt:
    """Remove what is named and return the signed receipt.

    Raises:
        InvalidRequest: None or several of the three were named.
        NotFound: There is nothing by that id: "erased" is never said where nothing was.
        PermissionDenied: The caller may not erase that much.
    """
    space = parse_namespace(namespace)
    named = [memory_id is not None, session_id is not None, everything is True]
    if sum(named) != 1 or not isinstance(everything, bool):
        raise InvalidRequest("say exactly one of memory_id, session_id and everything=True", code="ambiguous_erasure")
    caller.require_owner("erase")
    with core.store.writing(space) as scope:
        if memory_id is not None:
            memory = scope.memory(MemoryId(memory_id)) if isinstance(memory_id, str) else None
            if memory is None:
                raise NotFound(f"no memory {memory_id!r} in namespace {space!r}")
            erasure = start_erasure(core, scope, memory_ids=[memory.id])
        elif session_id is not None:
            session = SessionId(parse_caller_id(session_id, what="session_id"))
            if scope.session(session) is None:
                raise NotFound(f"no session {session!r} in namespace {space!r}")
            erasure = erase_whole_session(core, scope, session)
        else:
            erasure = erase_all(core, scope)
    receipt = finish_erasure(core, space, erasure)
    core.wake()
    return receipt
