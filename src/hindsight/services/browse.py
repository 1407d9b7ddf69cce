"""Read what is kept, page by page: memories, versions, sessions, episodes, jobs, conflicts, quarantine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from hindsight.domain.conversation import Episode, Session, Turn
from hindsight.domain.errors import InvalidRequest, NotFound, shown
from hindsight.domain.ids import EpisodeId, JobId, MemoryId, SessionId, TraceId, parse_caller_id
from hindsight.domain.lifecycle import present
from hindsight.domain.memory import Memory, MemoryVersion, StoredStatus, parse_flag, parse_statuses
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import (
    Conflict,
    DistillResult,
    Job,
    Page,
    Proposal,
    RejectedWords,
    Trace,
    WriteResult,
)
from hindsight.domain.trust import TRUSTS, Trust
from hindsight.services.core import Core
from hindsight.services.lessons import Taught, taught
from hindsight.services.review import NeedsLook, after_cursor, needing_look
from hindsight.services.search import parse_limit
from hindsight.services.verify import find_visible, shown_digest

PAGE_MAX: Final = 1_000
# Below what a store can count to.
CURSOR_DIGITS_MAX: Final = 18
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One memory in quarantine, why it is there, and the digest that binds a release to this sight of it."""

    memory: Memory
    why: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One memory with its whole life: versions, and the turns it rests on."""

    memory: Memory
    versions: tuple[MemoryVersion, ...]
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What most needs the user's look: a page of memories, worst first, and what waits for a decision."""

    memories: Page[NeedsLook]
    conflicts: tuple[Conflict, ...]
    proposals: tuple[Proposal, ...]
    quarantined: int


def memories(
    core: Core,
    namespace: object,
    *,
    statuses: object = ("active", "stale"),
    include_untrusted: object = False,
    limit: object = 50,
    cursor: object = None,
) -> Page[Memory]:
    """Memories, newest first. Quarantined ones have a list of their own."""
    space = parse_namespace(namespace)
    wanted = parse_statuses(statuses)
    if "quarantined" in wanted:
        raise InvalidRequest("quarantined memories are listed by quarantine() only", code="invalid_statuses")
    stored: set[StoredStatus] = set()
    if {"active", "stale"} & set(wanted):
        stored.add("active")
    if "archived" in wanted:
        stored.add("archived")
    trusts: tuple[Trust, ...] = (
        TRUSTS if parse_flag(include_untrusted, what="include_untrusted") else ("trusted", "reported")
    )
    size = parse_limit(limit, most=PAGE_MAX)
    after = _parse_cursor(cursor)
    now = core.now()
    found: list[Memory] = []
    with core.store.reading(space) as scope:
        while len(found) <= size:
            page = scope.memory_page(
                statuses=stored, trusts=trusts, limit=size + 1, after=None if after is None else MemoryId(after)
            )
            shown = (present(memory, now, core.policy) for memory in page)
            found.extend(memory for memory in shown if memory.status in wanted)
            if len(page) <= size:
                break
            after = page[-1].id
    return _paged(found, size, lambda memory: memory.id)


def memory(core: Core, memory_id: object, *, namespace: object) -> Memory:
    """One memory by its id.

    Raises:
        NotFound: None here has it, or it is in quarantine.
    """
    with core.store.reading(parse_namespace(namespace)) as scope:
        return present(find_visible(scope, memory_id), core.now(), core.policy)


def show(core: Core, memory_id: object, *, namespace: object) -> Shown:
    """One memory, what it went through, and the turns that made it.

    Raises:
        NotFound: None here has it, or it is in quarantine.
    """
    with core.store.reading(parse_namespace(namespace)) as scope:
        found = find_visible(scope, memory_id)
        turns: list[Turn] = []
        for item in found.evidence:
            turns.extend(scope.turns(item.session_id, first=item.turn_index, end=item.turn_index + 1))
        return Shown(
            memory=present(found, core.now(), core.policy),
            versions=tuple(scope.versions(found.id)),
            turns=tuple(turns),
        )


def sessions(core: Core, namespace: object, *, limit: object = 50, cursor: object = None) -> Page[Session]:
    """Sessions, newest first."""
    size = parse_limit(limit, most=PAGE_MAX)
    after = _parse_cursor(cursor)
    with core.store.reading(parse_namespace(namespace)) as scope:
        found = scope.session_page(limit=size + 1, after=None if after is None else SessionId(after))
    return _paged(found, size, lambda session: session.id)


def turns(core: Core, namespace: object, session_id: object) -> Sequence[Turn]:
    """A session's turns in order: its working memory.

    Raises:
        NotFound: There is no such session here.
    """
    session = SessionId(parse_caller_id(session_id, what="session_id"))
    with core.store.reading(parse_namespace(namespace)) as scope:
        if scope.session(session) is None:
            raise NotFound(f"no session {session!r} in namespace {namespace!r}")
        return scope.turns(session)


def turn_page(
    core: Core, namespace: object, session_id: object, *, limit: object = PAGE_MAX, cursor: object = None
) -> Page[Turn]:
    """A session's turns in order, page by page. The cursor is the index to go on from.

    Raises:
        NotFound: There is no such session here.
    """
    session = SessionId(parse_caller_id(session_id, what="session_id"))
    size = parse_limit(limit, most=PAGE_MAX)
    start = _parse_cursor(cursor) or "0"
    first = parse_number_cursor(start)
    with core.store.reading(parse_namespace(namespace)) as scope:
        known = scope.session(session)
        if known is None:
            raise NotFound(f"no session {session!r} in namespace {namespace!r}")
        found = scope.turns(session, first=min(first, known.turn_count), end=min(first + size, known.turn_count))
    more = first + size < known.turn_count
    return Page(tuple(found), next_cursor=str(first + size) if more else None)


def episodes(core: Core, namespace: object, *, limit: object = 50, cursor: object = None) -> Page[Episode]:
    """Episodes, newest first."""
    size = parse_limit(limit, most=PAGE_MAX)
    after = _parse_cursor(cursor)
    with core.store.reading(parse_namespace(namespace)) as scope:
        found = scope.episode_page(limit=size + 1, after=None if after is None else EpisodeId(after))
    return _paged(found, size, lambda episode: episode.id)


def jobs(core: Core, namespace: object, *, limit: object = 50, cursor: object = None) -> Page[Job]:
    """Background jobs, newest first."""
    size = parse_limit(limit, most=PAGE_MAX)
    after = _parse_cursor(cursor)
    with core.store.reading(parse_namespace(namespace)) as scope:
        found = scope.job_page(limit=size + 1, after=None if after is None else JobId(after))
    return _paged(found, size, lambda job: job.id)


def conflicts(core: Core, namespace: object) -> Page[Conflict]:
    """Open conflicts, oldest first."""
    with core.store.reading(parse_namespace(namespace)) as scope:
        return Page(tuple(scope.open_conflicts()))


def quarantine(core: Core, namespace: object, *, limit: object = 50, cursor: object = None) -> Page[Held]:
    """What is held back, newest first: the only list that shows it."""
    size = parse_limit(limit, most=PAGE_MAX)
    after = _parse_cursor(cursor)
    with core.store.reading(parse_namespace(namespace)) as scope:
        found = scope.memory_page(
            statuses={"quarantined"},
            trusts=TRUSTS,
            limit=size + 1,
            after=None if after is None else MemoryId(after),
        )
        held = [
            Held(memory=item, why=scope.versions(item.id)[0].why, digest=shown_digest(core, item)) for item in found
        ]
    return _paged(held, size, lambda item: item.memory.id)


def review(core: Core, namespace: object, *, limit: object = 50, cursor: object = None) -> Review:
    """What most needs a look, conflicts, proposals and how much is in quarantine.

    Args:
        limit: The most memories to list, 1 to 1,000.
        cursor: ``memories.next_cursor`` of the page before.

    Raises:
        StateMismatch: The memory that *cursor* names needs no look any more.
    """
    size = parse_limit(limit, most=PAGE_MAX)
    after = _parse_cursor(cursor)
    space = parse_namespace(namespace)
    core.traces.flush(space)
    with core.store.reading(space) as scope:
        looks = after_cursor(needing_look(core, scope), after)
        return Review(
            memories=_paged(looks, size, lambda item: item.memory.id),
            conflicts=tuple(scope.open_conflicts()),
            proposals=tuple(scope.proposals()),
            quarantined=scope.memory_count({"quarantined"}),
        )


def lessons(core: Core, namespace: object, *, limit: object = 50, cursor: object = None) -> Page[Taught]:
    """What was rejected and is not to be learned again, newest first."""
    size = parse_limit(limit, most=PAGE_MAX)
    after = _parse_cursor(cursor)
    now = core.now()
    with core.store.reading(parse_namespace(namespace)) as scope:
        found = [lesson for lesson in scope.lessons() if after is None or lesson.id < after][: size + 1]
        memories = scope.memories([lesson.memory_id for lesson in found])
    shown = {memory_id: present(memory, now, core.policy) for memory_id, memory in memories.items()}
    return _paged([taught(lesson, shown.get(lesson.memory_id)) for lesson in found], size, lambda item: item.id)


def trace(core: Core, trace_id: object, *, namespace: object) -> Trace:
    """The record of one search.

    Raises:
        NotFound: No such trace is here.
    """
    space = parse_namespace(namespace)
    core.traces.flush(space)
    with core.store.reading(space) as scope:
        found = scope.trace(TraceId(trace_id)) if isinstance(trace_id, str) else None
    if found is None:
        raise NotFound(f"no trace {trace_id!r} in namespace {namespace!r}")
    return found


def session_result(core: Core, namespace: object, session_id: SessionId) -> DistillResult:
    """All that the look backs on one session have made, as it stands now."""
    now = core.now()
    with core.store.reading(parse_namespace(namespace)) as scope:
        session = scope.session(session_id)
        if session is None:
            raise NotFound(f"no session {session_id!r} in namespace {namespace!r}")
        resting = [present(item, now, core.policy) for item in scope.memories_on_session(session_id)]
        done = [job for job in scope.jobs_of(session_id) if job.state == "done"]
        written = [pair for job in done for pair in job.written]
        stored = scope.memories([memory_id for _, memory_id in written])
        words = {turn.index: turn.content for turn in scope.turns(session_id)}
        last = max(session.distilled_to - 1, 0)
        return DistillResult(
            memories=tuple(item for item in resting if item.status in ("active", "stale")),
            episode=scope.episode_at(session_id, last),
            rejected=tuple(
                RejectedWords(
                    turn_index=item.span.turn_index,
                    quote=words.get(item.span.turn_index, "")[item.span.start : item.span.end],
                    reason=item.reason,
                )
                for job in done
                for item in job.rejected
            ),
            quarantined=tuple(item for item in resting if item.status == "quarantined"),
            outcomes=tuple(
                WriteResult(outcome=outcome, memory=present(stored[memory_id], now, core.policy))
                for outcome, memory_id in written
                if memory_id in stored
            ),
        )


def _paged(found: Sequence[Item], size: int, key: Callable[[Item], str]) -> Page[Item]:
    items = tuple(found[:size])
    return Page(items, next_cursor=key(items[-1]) if len(found) > size and items else None)


def parse_number_cursor(value: object) -> int:
    """Take a cursor that is a number. One past every end stays so, however long it is.

    Raises:
        InvalidRequest: It is none.
    """
    if isinstance(value, str) and value.isascii() and value.isdigit():
        # Neither Python's whole numbers from text nor a store's columns go on without end.
        return int(value) if len(value) <= CURSOR_DIGITS_MAX else 10**CURSOR_DIGITS_MAX
    raise InvalidRequest(f"cursor {shown(value)} must be the next_cursor of the page before", code="invalid_cursor")


def _parse_cursor(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise InvalidRequest(f"cursor {value!r} must be the next_cursor of the page before", code="invalid_cursor")
    return value
