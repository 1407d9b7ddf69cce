"""Note which memories a decision rested on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from hindsight.domain.errors import InvalidRequest, NotFound
from hindsight.domain.ids import MemoryId, TraceId
from hindsight.domain.memory import parse_shown
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import Trace, Use
from hindsight.language.secrets import mask_secrets
from hindsight.services.core import Core

DECISION_CHARACTERS_MAX: Final = 2_000
USES_MAX: Final = 1_000
MEMORY_IDS_MAX: Final = 100


def used(core: Core, trace_id: object, memory_ids: object, decision: object, *, namespace: object) -> Trace:
    """Add to a trace that *decision* rested on these of its memories.

    Raises:
        InvalidRequest: *memory_ids* is no list of 1 to 100, or names one that the search did not return.
        NotFound: No such trace is here.
    """
    space = parse_namespace(namespace)
    words = mask_secrets(parse_shown(decision, what="decision", characters_max=DECISION_CHARACTERS_MAX))
    if isinstance(memory_ids, str) or not isinstance(memory_ids, Sequence) or not memory_ids:
        raise InvalidRequest("memory_ids must be a list of ids that the search returned", code="invalid_memory_ids")
    ids = cast("Sequence[object]", memory_ids)
    if len(ids) > MEMORY_IDS_MAX:
        raise InvalidRequest(
            f"{len(ids):,} memory_ids in one use; at most {MEMORY_IDS_MAX} are allowed", code="invalid_memory_ids"
        )
    core.traces.flush(space)
    with core.store.writing(space) as scope:
        found = scope.trace(TraceId(trace_id)) if isinstance(trace_id, str) else None
        if found is None:
            raise NotFound(f"no trace {trace_id!r} in namespace {space!r}")
        returned = {item.target for item in found.candidates if item.returned}
        for memory_id in ids:
            if memory_id not in returned:
                raise InvalidRequest(
                    f"memory {memory_id!r} was not returned by trace {found.id!r}", code="not_in_trace"
                )
        if len(found.uses) >= USES_MAX:
            raise InvalidRequest(f"trace {found.id!r} has {USES_MAX} uses already", code="too_many_uses")
        use = Use(memory_ids=tuple(MemoryId(str(item)) for item in ids), decision=words, at=core.now())
        grown = replace(found, uses=(*found.uses, use))
        scope.replace_trace(grown)
        scope.count_uses(use.memory_ids)
    return grown
