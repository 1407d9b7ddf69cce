"""The memory of one home, as a program holds it: every use case as one method.

It decides nothing. Each method hands its arguments to the service of the same name, which HTTP, MCP
and the command line call as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Final

from hindsight.domain.access import ApiKey, Right
from hindsight.domain.conversation import Episode, Session, Turn
from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.memory import Category, Memory, Status
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import (
    LAYERS,
    Change,
    Conflict,
    Context,
    DistillResult,
    Job,
    Layer,
    ObserveResult,
    Page,
    Receipt,
    SearchResult,
    SettleOutcome,
    Trace,
    VerifyOutcome,
    WriteResult,
)
from hindsight.domain.trust import Origin, lower_only
from hindsight.services import auditing, browse, embedding, worker
from hindsight.services import keys as api_keys
from hindsight.services import why as explaining
from hindsight.services.context import context as build_context
from hindsight.services.core import Caller, Core
from hindsight.services.distill import distill as look_back_now
from hindsight.services.erase import erase as erase_now
from hindsight.services.lessons import Taught
from hindsight.services.lessons import unlearn as remove_lesson
from hindsight.services.observe import observe as take_in
from hindsight.services.search import search as find
from hindsight.services.settle import settle as settle_conflict
from hindsight.services.uses import used as note_use
from hindsight.services.verify import forget as forget_memory
from hindsight.services.verify import release as release_memory
from hindsight.services.verify import restore as restore_memory
from hindsight.services.verify import verify as verify_memory
from hindsight.services.write import write as write_memory

WAIT_S: Final = 600.0


class Hindsight:
    """The memory of one home. Open it with `hindsight.open`; use it as a context manager or `close` it.

    It may be used from many threads at once, and several processes may hold the same home open.
    Every method that names a namespace sees that namespace only.
    """

    def __init__(self, core: Core, *, caller: Caller, owner: str, close: Callable[[], None]) -> None:
        self._core = core
        self._caller = caller
        self._owner = owner
        self._close = close

    def __enter__(self) -> Hindsight:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def as_caller(self, caller: Caller) -> Hindsight:
        """The same memory with the rights of another caller, never more than this one's. Closing it does nothing.

        Raises:
            PermissionDenied: *caller* would have more rights than this one.
        """
        lower_only(caller.ceiling, self._caller.ceiling)
        if caller.owner:
            self._caller.require_owner("acting as the owner")
        return Hindsight(self._core, caller=caller, owner=self._owner, close=lambda: None)

    def close(self) -> None:
        """Stop the background work after the job at hand and close the store. What is left stays queued."""
        self._close()

    def write(
        self,
        namespace: str,
        *,
        key: str,
        value: str,
        category: Category | None = None,
        source: str | None = None,
        confidence: float | None = None,
        ttl_days: float | None = None,
        origin: Origin = "assistant",
        evidence: Sequence[Mapping[str, object]] | None = None,
        session_id: str | None = None,
        request_id: str | None = None,
    ) -> WriteResult:
        """Remember one fact, and learn what became of it.

        It is checked against what is known first: a duplicate reinforces, a refinement merges, a
        change supersedes, a contradiction is kept and marked. Twenty identical calls at once leave
        one memory.

        Args:
            namespace: Whose memory it is.
            key: The slot, specific enough to tell memories apart, at most 200 bytes.
            value: The fact, usable as it stands, at most 2,000 characters.
            category: Its kind; what the value says may make it stricter.
            source: The caller's label for where it came from.
            confidence: In [0, 1]; by default what the origin earns. Reported ones stay at 0.7 or below.
            ttl_days: Days without verification until it turns stale.
            origin: Where the words came from. ``user`` only for what the user said or decided.
            evidence: ``{"session_id", "turn_index" or "turn_id", "quote"}`` of observed turns.
            session_id: The conversation it was written in; what was read there lowers its trust.
            request_id: Makes a retry answer as the first call did.

        Raises:
            InvalidRequest: A field is wrong, the key is vague, or a field holds a secret.
            PermissionDenied: *origin* is above the caller's.
            StateMismatch: *request_id* was used for another write.
        """
        return write_memory(
            self._core,
            self._caller,
            namespace,
            key=key,
            value=value,
            category=category,
            source=source,
            confidence=confidence,
            ttl_days=ttl_days,
            origin=origin,
            evidence=evidence,
            session_id=session_id,
            request_id=request_id,
        )

    def search(
        self,
        query: str,
        *,
        namespace: str | Sequence[str],
        limit: int = 8,
        layers: Sequence[Layer] = LAYERS,
        at: datetime | str | None = None,
        as_if_now: datetime | str | None = None,
        statuses: Sequence[Status] = ("active", "stale"),
        include_untrusted: bool = False,
        min_relevance: float | None = None,
    ) -> SearchResult:
        """Find what is most useful for answering *query*, in memories and in past turns.

        The same store, query and time give the same list. It is never sent to a language model.

        Args:
            query: Natural language or an exact token, 1 to 8,192 UTF-8 bytes.
            namespace: One, or a list of them.
            limit: The most hits to return, 1 to 100.
            layers: ``semantic`` for memories, ``episodic`` for turns.
            at: Answer as was known at that moment, with a time zone.
            as_if_now: What counts as the present for freshness and for words such as "yesterday".
            statuses: Which memories to see. Quarantined ones are never found.
            include_untrusted: Also see what came from tools, pages, documents and peers, labelled.
            min_relevance: In [0, 1]; 0 turns abstention off.

        Returns:
            Hits, best first. Empty means that nothing relevant is stored; it never means a failure.

        Raises:
            InvalidRequest: A field is wrong.
            BackendUnavailable: The store did not answer.
        """
        return find(
            self._core,
            query,
            namespace=namespace,
            limit=limit,
            layers=layers,
            at=at,
            as_if_now=as_if_now,
            statuses=statuses,
            include_untrusted=include_untrusted,
            min_relevance=min_relevance,
        )

    def verify(
        self,
        memory_id: str,
        *,
        namespace: str,
        outcome: VerifyOutcome,
        value: str | None = None,
        origin: Origin = "user",
    ) -> Change:
        """Say that a memory is right, wrong, or has changed to *value*.

        Below origin ``user`` a trusted memory is not moved; the call becomes a proposal.

        Raises:
            InvalidRequest: *outcome* is unknown, or *value* does not go with it.
            NotFound: No such memory is visible here.
            StateMismatch: It is archived; restore it first.
        """
        return verify_memory(
            self._core, self._caller, memory_id, namespace=namespace, outcome=outcome, value=value, origin=origin
        )

    def forget(self, memory_id: str, *, namespace: str, reason: str, origin: Origin = "user") -> Change:
        """Stop serving a memory. Its history stays; `erase` removes it for good.

        Raises:
            NotFound: No such memory is visible here.
        """
        return forget_memory(self._core, self._caller, memory_id, namespace=namespace, reason=reason, origin=origin)

    def restore(self, memory_id: str, *, namespace: str, origin: Origin = "user") -> Change:
        """Serve an archived memory again.

        Raises:
            NotFound: No such memory is visible here.
        """
        return restore_memory(self._core, self._caller, memory_id, namespace=namespace, origin=origin)

    def erase(
        self,
        *,
        namespace: str,
        memory_id: str | None = None,
        session_id: str | None = None,
        everything: bool = False,
    ) -> Receipt:
        """Remove for good: one memory, one session, or all of the namespace. Say exactly one.

        Returns:
            The signed receipt. Where another process holds the files, it is not ``complete`` and a
            job finishes the work; `receipts` then shows the completed one.

        Raises:
            InvalidRequest: None or several of the three were given.
            NotFound: There is nothing by that id.
            PermissionDenied: *everything* without the owner right.
        """
        return erase_now(
            self._core,
            self._caller,
            namespace=namespace,
            memory_id=memory_id,
            session_id=session_id,
            everything=everything,
        )

    def observe(
        self,
        namespace: str,
        session_id: str,
        turns: Sequence[Mapping[str, object]],
        *,
        end: bool = False,
        distill: bool = True,
        from_index: int | None = None,
        time_zone: str | None = None,
    ) -> ObserveResult:
        """Take in turns of a running conversation and return at once; the look back runs behind.

        Sending the whole list again appends only its new tail.

        Args:
            turns: ``{"role", "content", "at"?, "name"?, "origin"?, "id"?}``. Content is text, or OpenAI
                or Anthropic parts. A turn without a time takes the one before it, then the clock.
            end: The conversation is over: look back on all of it.
            distill: False triggers nothing; a session that stays quiet is still looked back on when idle.
            from_index: The index of the first turn sent, where that must not be guessed.
            time_zone: IANA name for times without a zone, and the user's own for "tomorrow".

        Raises:
            InvalidRequest: A turn is wrong; nothing of the call is stored.
            StateMismatch: A stored turn would change, or *from_index* leaves a gap.
        """
        return take_in(
            self._core,
            self._caller,
            namespace,
            session_id,
            turns,
            end=end,
            distill=distill,
            from_index=from_index,
            time_zone=time_zone,
        )

    def distill(self, namespace: str, session_id: str) -> DistillResult:
        """Look back on a session now, and return all that its look backs have made.

        Calling it again without new turns changes nothing and returns the same.

        Raises:
            NotFound: There is no such session here.
            BackendUnavailable: The look back could not be done; its job says why.
        """
        return look_back_now(self._core, namespace, session_id, owner=self._owner)

    def wait(self, timeout_s: float = WAIT_S) -> None:
        """Return when no job is waiting and every vector is searchable.

        Raises:
            BackendUnavailable: Work is still outstanding after *timeout_s*.
        """
        if not worker.wait_for(self._core, owner=self._owner, timeout_s=timeout_s):
            left = self.pending()
            raise BackendUnavailable(
                f"after {timeout_s:g} s {left.jobs} jobs and {left.texts} vectors are outstanding; see jobs()"
            )

    def pending(self) -> worker.Pending:
        """How much background work is outstanding."""
        return worker.pending(self._core)

    def context(
        self,
        query: str,
        *,
        namespace: str,
        window_tokens: int,
        share: float | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> Context:
        """The block of memories for the prompt, for the end of the system prompt.

        Args:
            window_tokens: The size of the model's window.
            share: The largest share of it the block may take, frame included; 0.2 by default.
            count_tokens: The caller's tokenizer; by default a bound that no common one exceeds.

        Returns:
            The block, or an empty text where nothing relevant is known.

        Raises:
            InvalidRequest: A field is wrong.
        """
        return build_context(
            self._core,
            query,
            namespace=namespace,
            window_tokens=window_tokens,
            share=share,
            count_tokens=count_tokens,
        )

    def explain(self, trace_id: str, *, namespace: str) -> Trace:
        """How one search came to its answer: what was considered, why it ranked so, what was used.

        Raises:
            NotFound: No such trace is here.
        """
        return browse.trace(self._core, trace_id, namespace=namespace)

    def used(self, trace_id: str, memory_ids: Sequence[str], decision: str, *, namespace: str) -> Trace:
        """Note that *decision* rested on these memories of a search.

        Raises:
            InvalidRequest: The search did not return one of them.
            NotFound: No such trace is here.
        """
        return note_use(self._core, trace_id, memory_ids, decision, namespace=namespace)

    def conflicts(self, namespace: str) -> Page[Conflict]:
        """Open conflicts, oldest first, each with its question to the user."""
        return browse.conflicts(self._core, namespace)

    def settle(
        self,
        conflict_id: str,
        *,
        namespace: str,
        outcome: SettleOutcome,
        value: str | None = None,
        origin: Origin = "user",
    ) -> Change:
        """End a conflict: keep the first, the second, both, neither, or put *value* in their place.

        Raises:
            NotFound: No such conflict is here.
            StateMismatch: It is settled already.
        """
        return settle_conflict(
            self._core, self._caller, conflict_id, namespace=namespace, outcome=outcome, value=value, origin=origin
        )

    def quarantine(self, namespace: str, *, limit: int = 50, cursor: str | None = None) -> Page[browse.Held]:
        """What is held back, newest first, with the reason and the digest that a release is bound to."""
        return browse.quarantine(self._core, namespace, limit=limit, cursor=cursor)

    def release(self, memory_id: str, *, namespace: str, digest: str | None = None) -> Change:
        """Let a memory out of quarantine, by the owner's decision.

        Raises:
            PermissionDenied: The caller is not the owner.
            NotFound: Nothing in quarantine has that id.
            StateMismatch: It is not what *digest* was shown for.
        """
        return release_memory(self._core, self._caller, memory_id, namespace=namespace, digest=digest)

    def review(self, namespace: str, *, limit: int = 50, cursor: str | None = None) -> browse.Review:
        """What most needs the user's look: memories, worst first, and what waits for a decision.

        Disputed memories come first, then those that are often used and soon stale or little sure.
        """
        return browse.review(self._core, namespace, limit=limit, cursor=cursor)

    def lessons(self, namespace: str, *, limit: int = 50, cursor: str | None = None) -> Page[Taught]:
        """What was rejected and is not learned again from where it came, newest first."""
        return browse.lessons(self._core, namespace, limit=limit, cursor=cursor)

    def unlearn(self, lesson_id: str, *, namespace: str) -> Taught:
        """Remove a lesson: what it kept out may be learned again.

        Raises:
            PermissionDenied: The caller is not the owner.
            NotFound: There is no such lesson.
        """
        return remove_lesson(self._core, self._caller, lesson_id, namespace=namespace)

    def memories(
        self,
        namespace: str,
        *,
        statuses: Sequence[Status] = ("active", "stale"),
        include_untrusted: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """Memories, newest first, *limit* (1 to 1,000) to a page."""
        return browse.memories(
            self._core, namespace, statuses=statuses, include_untrusted=include_untrusted, limit=limit, cursor=cursor
        )

    def memory(self, memory_id: str, *, namespace: str) -> Memory:
        """One memory by its id.

        Raises:
            NotFound: None here has it, or it is in quarantine.
        """
        return browse.memory(self._core, memory_id, namespace=namespace)

    def show(self, memory_id: str, *, namespace: str) -> browse.Shown:
        """One memory with every version and the turns that made it.

        Raises:
            NotFound: None here has it, or it is in quarantine.
        """
        return browse.show(self._core, memory_id, namespace=namespace)

    def why(self, memory_id: str, *, namespace: str) -> explaining.Why:
        """Why a memory is what it is: the sentences it came from, the rule or model that made it, what it met.

        ``neighbours`` are near memories it was not made one with, and the reasons, as they are judged now.

        Raises:
            NotFound: None here has it, or it is in quarantine.
        """
        return explaining.why(self._core, memory_id, namespace=namespace)

    def sessions(self, namespace: str, *, limit: int = 50, cursor: str | None = None) -> Page[Session]:
        """Sessions, by id."""
        return browse.sessions(self._core, namespace, limit=limit, cursor=cursor)

    def turns(self, namespace: str, session_id: str) -> Sequence[Turn]:
        """A session's turns in order: its working memory.

        Raises:
            NotFound: There is no such session here.
        """
        return browse.turns(self._core, namespace, session_id)

    def turn_page(
        self, namespace: str, session_id: str, *, limit: int = 1_000, cursor: str | None = None
    ) -> Page[Turn]:
        """A session's turns in order, *limit* (1 to 1,000) to a page.

        Raises:
            NotFound: There is no such session here.
        """
        return browse.turn_page(self._core, namespace, session_id, limit=limit, cursor=cursor)

    def episodes(self, namespace: str, *, limit: int = 50, cursor: str | None = None) -> Page[Episode]:
        """Episodes, newest first."""
        return browse.episodes(self._core, namespace, limit=limit, cursor=cursor)

    def jobs(self, namespace: str, *, limit: int = 50, cursor: str | None = None) -> Page[Job]:
        """Background jobs, newest first, with what happened on the way."""
        return browse.jobs(self._core, namespace, limit=limit, cursor=cursor)

    def receipts(self, namespace: str) -> Page[Receipt]:
        """The receipts of erasures, oldest first."""
        with self._core.store.reading(parse_namespace(namespace)) as scope:
            return Page(tuple(scope.receipts()))

    def audit(
        self, namespace: str, *, subject: str | None = None, limit: int = 100, cursor: str | None = None
    ) -> Page[auditing.AuditLine]:
        """What happened, oldest first: ids, outcomes and numbers, never content.

        Args:
            subject: The id of a memory, session, conflict or erasure, to see only what happened to it.
        """
        return auditing.audit(self._core, namespace, subject=subject, limit=limit, cursor=cursor)

    def audit_check(self) -> Sequence[str]:
        """What is wrong with the audit chain, in the store and in its files; empty when it is whole."""
        return auditing.audit_check(self._core)

    def namespaces(self) -> Sequence[str]:
        """Every namespace that holds anything, sorted."""
        return self._core.store.namespaces()

    def create_key(
        self,
        *,
        label: str,
        namespaces: Sequence[str],
        rights: Sequence[Right] = ("read", "write"),
        highest_origin: Origin = "assistant",
        expires_at: datetime | str | None = None,
    ) -> api_keys.IssuedKey:
        """Make an API key for callers over HTTP. Its secret is in the answer and kept nowhere.

        Args:
            label: What tells it apart from other keys, for you.
            namespaces: The exact names it opens, or ``["*"]`` for every one.
            rights: ``read``, ``write``, ``owner``; the owner may read and write as well.
            highest_origin: The most that words which come with it can count as.
            expires_at: From when on it opens nothing; never, when omitted.

        Raises:
            InvalidRequest: A field is wrong.
            PermissionDenied: The caller is not the owner.
        """
        return api_keys.create_key(
            self._core,
            self._caller,
            label=label,
            namespaces=namespaces,
            rights=rights,
            highest_origin=highest_origin,
            expires_at=expires_at,
        )

    def api_keys(self) -> Page[ApiKey]:
        """Every API key, oldest first, revoked and expired ones included; never a secret."""
        return api_keys.list_keys(self._core, self._caller)

    def rotate_key(self, key_id: str) -> api_keys.IssuedKey:
        """Give an API key another secret; the one before opens nothing from now on.

        Raises:
            NotFound: There is no such key.
            StateMismatch: It was revoked.
        """
        return api_keys.rotate_key(self._core, self._caller, key_id)

    def revoke_key(self, key_id: str) -> ApiKey:
        """Withdraw an API key for good.

        Raises:
            NotFound: There is no such key.
        """
        return api_keys.revoke_key(self._core, self._caller, key_id)

    def known_key(self, secret: str) -> ApiKey | None:
        """The API key that *secret* is of; None for one that is unknown, revoked or expired."""
        return api_keys.known_key(self._core, secret)

    def any_key(self) -> bool:
        """Whether this home ever had an API key: then every call over HTTP needs one."""
        return api_keys.any_key(self._core)

    def warm_up(self) -> bool:
        """Load what the first search would wait for; False where no embedder answers."""
        return embedding.warm_up(self._core)

    def check(self) -> Sequence[str]:
        """What is wrong with the store, in words; empty when it is sound."""
        return self._core.store.check()

    def rebuild(self, namespace: str) -> None:
        """Throw away the derived indexes of a namespace; the next search makes them anew from the records."""
        space = parse_namespace(namespace)
        self._core.finders.drop(space)
