"""Write one memory on a caller's word."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

from hindsight.domain.errors import InvalidRequest, NotFound, StateMismatch
from hindsight.domain.ids import RequestId, SessionId, TurnId, parse_caller_id
from hindsight.domain.lifecycle import present
from hindsight.domain.memory import (
    LABEL_BYTES_MAX,
    Evidence,
    parse_category,
    parse_confidence,
    parse_key,
    parse_shown,
    parse_text,
    parse_ttl_days,
    parse_value,
    under_key,
)
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import WriteResult
from hindsight.domain.trust import Origin, lower_only, lowest_origin, parse_origin
from hindsight.language.script import language_of
from hindsight.language.secrets import find_secrets
from hindsight.ports import ReadScope, StoredRequest
from hindsight.services.admit import admit
from hindsight.services.core import Caller, Core
from hindsight.services.embedding import passage_vector
from hindsight.services.proposed import Proposed, classified
from hindsight.services.serving import served_in
from hindsight.services.taint import tainted

EVIDENCE_MAX: Final = 20


def write(
    core: Core,
    caller: Caller,
    namespace: object,
    *,
    key: object,
    value: object,
    category: object = None,
    source: object = None,
    confidence: object = None,
    ttl_days: object = None,
    origin: object = "assistant",
    evidence: object = None,
    session_id: object = None,
    request_id: object = None,
) -> WriteResult:
    """Take a memory from a caller and say what became of it.

    Raises:
        InvalidRequest: A field is wrong, the key is vague, or a field holds a secret.
        PermissionDenied: *origin* is above the caller's.
        StateMismatch: *request_id* was used for another request.
    """
    space = parse_namespace(namespace)
    clean_key, clean_value = parse_key(key), parse_value(value)
    label = None if source is None else parse_shown(source, what="source", characters_max=LABEL_BYTES_MAX)
    _refuse_secrets(key=clean_key, value=clean_value, source=label)
    asked = lower_only(parse_origin(origin), caller.ceiling)
    session = None if session_id is None else SessionId(parse_caller_id(session_id, what="session_id"))
    request = None if request_id is None else RequestId(parse_caller_id(request_id, what="request_id"))
    stated = None if confidence is None else parse_confidence(confidence)
    days = None if ttl_days is None else parse_ttl_days(ttl_days)
    kind = classified(clean_value, None if category is None else parse_category(category))
    cited = _parse_evidence(evidence)
    digest = _digest(core, clean_key, clean_value, category, label, stated, days, asked, session, cited)

    vector = passage_vector(core, under_key(clean_key, clean_value))
    with core.store.writing(space) as scope:
        if request is not None:
            known = scope.request(request)
            if known is not None:
                return _answer_again(core, scope, known, request, digest)
        proofs = tuple(_resolve(scope, item) for item in cited)
        proposed = Proposed(
            key=clean_key,
            value=clean_value,
            category=kind,
            language=language_of(clean_value),
            origin=_worth(scope, asked, session, proofs),
            at=max((item.at for item in proofs), default=core.now()),
            made_by="write",
            stated_confidence=stated,
            evidence=proofs,
            session_id=session,
            echoes=asked != "user" and _is_echo(core, scope, clean_value),
            source=label,
            writer=caller.writer,
            ttl_days=days,
            vector=vector,
        )
        result = admit(core, scope, proposed)
        if request is not None:
            scope.put_request(request, _stored(result, digest))
    core.wake()
    return presented(core, result)


def presented(core: Core, result: WriteResult) -> WriteResult:
    """*result* with its memories' status and freshness as of now."""
    now = core.now()
    return WriteResult(
        outcome=result.outcome,
        memory=present(result.memory, now, core.policy),
        related=tuple(present(memory, now, core.policy) for memory in result.related),
        conflict=result.conflict,
    )


def _refuse_secrets(**fields: str | None) -> None:
    for name, text in fields.items():
        found = find_secrets(text) if text else ()
        if name == "value" and not found and text and fields.get("key"):
            # "wifi_password" and "Tr0ub4dor&3xyz" say together what neither says alone.
            found = find_secrets(f"{str(fields['key']).replace('_', ' ')}: {text}")
        if found:
            raise InvalidRequest(
                f"{name} holds what looks like a secret ({found[0].kind}); secrets are never kept: "
                "store it in a password manager and remember only where it is",
                code="secret",
            )


def _worth(scope: ReadScope, asked: Origin, session: SessionId | None, proofs: Sequence[Evidence]) -> Origin:
    """*asked*, lowered by what was read before it and by what it is quoted from."""
    if asked == "user":
        return asked
    return lowest_origin([tainted(scope, asked, session), *(proof.origin for proof in proofs)])


def _is_echo(core: Core, scope: ReadScope, value: str) -> bool:
    """Whether all of *value* was served here before: saying it back is no evidence for it.

    What the user is said to have said is not asked: their word counts however it is put.
    """
    spans = served_in(core, scope, value)
    return sum(end - start for start, end in spans) >= len(value.strip())


def _parse_evidence(value: object) -> tuple[tuple[SessionId, int | TurnId, str], ...]:
    if value is None:
        return ()
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise InvalidRequest(
            "evidence must be a list of {'session_id', 'turn_index' or 'turn_id', 'quote'}",
            code="invalid_evidence",
        )
    items = cast("Sequence[object]", value)
    if len(items) > EVIDENCE_MAX:
        raise InvalidRequest(
            f"evidence has {len(items)} items; at most {EVIDENCE_MAX} are allowed", code="invalid_evidence"
        )
    return tuple(_parse_citation(item) for item in items)


def _parse_citation(item: object) -> tuple[SessionId, int | TurnId, str]:
    if not isinstance(item, Mapping):
        raise InvalidRequest(f"evidence item {item!r} must be an object", code="invalid_evidence")
    fields = cast("Mapping[str, object]", item)
    session = SessionId(parse_caller_id(fields.get("session_id"), what="evidence session_id"))
    quote = parse_text(fields.get("quote"), what="quote", characters_max=2_000)
    index = fields.get("turn_index")
    if isinstance(index, int) and not isinstance(index, bool):
        return session, index, quote
    return session, TurnId(parse_caller_id(fields.get("turn_id"), what="evidence turn_id")), quote


def _resolve(scope: ReadScope, cited: tuple[SessionId, int | TurnId, str]) -> Evidence:
    session, which, quote = cited
    if isinstance(which, int):
        found = scope.turns(session, first=which, end=which + 1)
    else:
        # The first of them, where the caller used an id twice.
        found = scope.turns_with_ids(session, [which])
    turn = found[0] if found else None
    if turn is None:
        raise NotFound(f"evidence names turn {which!r} of session {session!r}, which is not here")
    if quote not in turn.content:
        raise InvalidRequest(
            f"evidence quote {quote!r} does not stand in turn {which!r} of session {session!r}; quote it verbatim",
            code="quote_not_in_turn",
        )
    return Evidence(
        session_id=session,
        turn_index=turn.index,
        quote=quote,
        at=turn.at,
        origin=turn.origin,
        turn_id=turn.id,
    )


def _digest(core: Core, *fields: object) -> str:
    """Keyed, so that what was written cannot be guessed from it once it is erased."""
    return core.keyring.digest("request", json.dumps(fields, default=str, ensure_ascii=True))


def _stored(result: WriteResult, digest: str) -> StoredRequest:
    return StoredRequest(
        digest=digest,
        outcome=result.outcome,
        memory_id=result.memory.id,
        version=result.memory.version,
        related=tuple(memory.id for memory in result.related),
        conflict_id=None if result.conflict is None else result.conflict.id,
    )


def _answer_again(core: Core, scope: ReadScope, known: StoredRequest, request: RequestId, digest: str) -> WriteResult:
    if known.digest != digest:
        raise StateMismatch(
            f"request_id {request!r} was already used for another write; use a new one",
            code="request_id_reused",
        )
    then = [version.memory for version in scope.versions(known.memory_id) if version.memory.version == known.version]
    if not then:
        raise NotFound(f"the memory that request_id {request!r} made is gone")
    related = scope.memories(known.related)
    answer = WriteResult(
        outcome=known.outcome,
        memory=then[0],
        related=tuple(related[memory_id] for memory_id in known.related if memory_id in related),
        conflict=None if known.conflict_id is None else scope.conflict(known.conflict_id),
    )
    return presented(core, answer)
