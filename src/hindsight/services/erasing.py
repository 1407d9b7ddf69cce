"""Real erasure: rows, versions, vectors, index entries, words in turns, episodes and traces, and the log of writes.

It runs in two steps. The first, in one transaction, removes everything and queues a durable job; the
second scrubs what the database left in its files. A crash between them loses neither: the job
finishes, and the receipt says `pending` until it has.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hindsight.domain.conversation import Span
from hindsight.domain.ids import JobId, MemoryId, SessionId
from hindsight.domain.memory import Memory
from hindsight.domain.moments import to_text
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Job, Receipt
from hindsight.language import terms
from hindsight.ports import WriteScope
from hindsight.services.admit import unmark
from hindsight.services.blanking import (
    blank_cited,
    blank_everywhere,
    blank_spans,
    blank_traces,
    cited_elsewhere,
    held_by_others,
    words_of,
)
from hindsight.services.core import Core
from hindsight.services.lineage import (
    bring_back,
    doomed_by_session,
    every_memory,
    kin_of,
    left_of,
    rebuild,
    state_again,
    with_merges,
    with_parts,
)
from hindsight.services.replay import entomb

HAN_TOPIC_MIN: Final = 2
_WORD: Final = re.compile(r"\w+")
_LEADING: Final = frozenset({"the", "a", "an", "my", "our", "that", "this", "user", "about"})
PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure whose first step is done: what its receipt is to say, and the job that finishes it."""

    receipt: Receipt
    job_id: JobId


def start_erasure(
    core: Core,
    scope: WriteScope,
    *,
    memory_ids: Sequence[MemoryId] = (),
    session_id: SessionId | None = None,
    spans: Sequence[Span] = (),
    topic: str | None = None,
    subject: str | None = None,
) -> Erasure:
    """Remove memories, and pieces of one session's turns with the memories that rest on them."""
    core.traces.flush_into(scope)
    counts: Counter[str] = Counter()
    kin = kin_of(scope)
    # What is named goes with all it was made of; what only rests on a piece leaves its other parts alone.
    seeds = list(with_parts(scope, scope.memories(memory_ids).values()).values())
    pieces: list[str] = []
    if session_id is not None and spans:
        seeds += _resting_on(scope, session_id, spans, topic)
        turns = {turn.index: turn for turn in scope.turns(session_id)}
        pieces = [turns[s.turn_index].content[s.start : s.end] for s in spans if s.turn_index in turns]
    doomed = with_merges(scope, kin, seeds)
    words = words_of(doomed.values(), said=pieces)
    _unmark_others(core, scope, doomed)
    counts.update(scope.erase_memories(list(doomed)))
    bring_back(core, scope, kin, doomed)
    kept, retained = cited_elsewhere(scope, words)
    gone = words.but(kept)
    blanked = blank_cited(core, scope, doomed.values(), gone)
    if session_id is not None:
        blanked += blank_spans(core, scope, session_id, spans)
    counts["turn_pieces"] += blanked + blank_everywhere(core, scope, gone)
    places = {f"{session_id}#{span.turn_index}" for span in spans}
    counts["traces"] += blank_traces(scope, gone, texts=pieces, targets=places | set(doomed))
    retained += held_by_others(core, scope, words)
    return _conclude(core, scope, subject or _subject(memory_ids, session_id), counts, retained)


def erase_whole_session(core: Core, scope: WriteScope, session_id: SessionId) -> Erasure:
    """Remove a session, its episodes and jobs, and every memory that says what only it said."""
    core.traces.flush_into(scope)
    counts: Counter[str] = Counter()
    turns = scope.turns(session_id)
    kin = kin_of(scope)
    doomed = doomed_by_session(scope, kin, session_id)
    # Those that stay hold their words on evidence of their own: the receipt counts them.
    resting = {memory.id: memory for memory in scope.memories_on_session(session_id)} | doomed
    words = words_of(resting.values(), session_id=session_id)
    _unmark_others(core, scope, doomed)
    counts.update(scope.erase_memories(list(doomed)))
    entomb(core, scope, turns, erased_session=session_id)
    counts.update(scope.erase_session(session_id))
    bring_back(core, scope, kin, doomed)
    for memory in scope.memories_on_session(session_id):
        merged_from = tuple(part for part in memory.merged_from if part not in doomed)
        rebuild(core, scope, replace(memory, merged_from=merged_from), left_of(memory, session_id))
    state_again(core, scope, doomed, session_id)
    kept, retained = cited_elsewhere(scope, words)
    gone = words.but(kept)
    counts["turn_pieces"] += blank_everywhere(core, scope, gone)
    places = {f"{session_id}#{turn.index}" for turn in turns}
    texts = [turn.content for turn in turns]
    counts["traces"] += blank_traces(scope, gone, texts=texts, targets=places | set(doomed))
    retained += held_by_others(core, scope, words, texts)
    return _conclude(core, scope, f"session:{session_id}", counts, retained)


def erase_all(core: Core, scope: WriteScope) -> Erasure:
    """Remove everything of the namespace. What stays: tombstones, receipts, and audit lines without content."""
    core.traces.flush_into(scope)
    words = words_of(every_memory(scope))
    texts: list[str] = []
    after: SessionId | None = None
    while sessions := scope.session_page(limit=PAGE, after=after):
        for session in sessions:
            turns = scope.turns(session.id)
            entomb(core, scope, turns, erased_session=session.id)
            texts.extend(turn.content for turn in turns)
        after = sessions[-1].id
    counts = Counter(scope.erase_everything())
    return _conclude(core, scope, "everything", counts, held_by_others(core, scope, words, texts))


def finish_erasure(core: Core, namespace: Namespace, erasure: Erasure) -> Receipt:
    """Scrub the files, and complete the receipt if nothing of the erased words is left in them."""
    core.finders.drop(namespace)
    pending = tuple(core.store.scrub())
    with core.store.writing(namespace) as scope:
        receipt = _signed(core, replace(erasure.receipt, pending=pending))
        scope.put_receipt(receipt)
        job = scope.job(erasure.job_id)
        if job is not None and not pending:
            scope.put_job(replace(job, state="done", finished_at=core.now()))
    return receipt


def resume_erasure(core: Core, job: Job) -> bool:
    """Go on with an erasure that a crash or another process held up; True when it is complete."""
    with core.store.reading(job.namespace) as scope:
        open_receipts = [receipt for receipt in scope.receipts() if receipt.pending]
    done = True
    if not open_receipts:
        _close_job(core, job)
    for receipt in open_receipts:
        finished = finish_erasure(core, job.namespace, Erasure(receipt, job.id))
        done = done and finished.complete
    return done


def _close_job(core: Core, job: Job) -> None:
    """Another job's run has completed the receipts already."""
    with core.store.writing(job.namespace) as scope:
        current = scope.job(job.id)
        if current is not None:
            scope.put_job(replace(current, state="done", finished_at=core.now(), lease_owner=None, lease_until=None))


def receipt_message(receipt: Receipt) -> bytes:
    """What the signature of *receipt* covers: everything but the signature itself, as RFC 8785 JSON.

    With ASCII keys, texts and whole numbers only, sorted compact JSON is already that form.
    """
    return json.dumps(
        {
            "id": receipt.id,
            "namespace": receipt.namespace,
            "subject": receipt.subject,
            "erased_at": to_text(receipt.erased_at),
            "counts": dict(receipt.counts),
            "retained": receipt.retained,
            "pending": list(receipt.pending),
            "key_id": receipt.key_id,
        },
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=True,
    ).encode()


def _conclude(core: Core, scope: WriteScope, subject: str, counts: Counter[str], retained: int) -> Erasure:
    now = core.now()
    receipt = _signed(
        core,
        Receipt(
            id=core.ids.new("rec"),
            namespace=scope.namespace,
            subject=subject,
            erased_at=now,
            counts={name: count for name, count in sorted(counts.items()) if count},
            retained=retained,
            pending=("scrubbing the database files",),
        ),
    )
    job = Job(
        id=JobId(core.ids.new("job")),
        namespace=scope.namespace,
        kind="erase",
        state="queued",
        created_at=now,
        run_after=now,
    )
    scope.put_receipt(receipt)
    scope.put_job(job)
    scope.record(
        AuditEvent(
            action="erased",
            namespace=scope.namespace,
            subject=subject,
            at=now,
            by="user",
            detail={"receipt": receipt.id, "retained": retained},
        )
    )
    return Erasure(receipt, job.id)


def _signed(core: Core, receipt: Receipt) -> Receipt:
    bare = replace(receipt, key_id=core.keyring.key_id, signature="")
    return replace(bare, signature=core.keyring.sign(receipt_message(bare)))


def _subject(memory_ids: Sequence[MemoryId], session_id: SessionId | None) -> str:
    if memory_ids:
        return "memory:" + ",".join(memory_ids)
    return f"words in session:{session_id}"


def _resting_on(scope: WriteScope, session_id: SessionId, spans: Sequence[Span], topic: str | None) -> list[Memory]:
    """Memories that cite one of *spans*, and those that speak of the *topic* by its own word."""
    turns = {turn.index: turn for turn in scope.turns(session_id)}
    pieces = [(s.turn_index, turns[s.turn_index].content[s.start : s.end]) for s in spans if s.turn_index in turns]
    found: dict[MemoryId, Memory] = {}
    for memory in scope.memories_on_session(session_id):
        for item in memory.evidence:
            if item.session_id == session_id and any(
                index == item.turn_index and (item.quote in piece or piece in item.quote)
                for index, piece in pieces
                if piece
            ):
                found[memory.id] = memory
    if topic:
        for memory in every_memory(scope):
            if memory.origin == "user" and _speaks_of(memory, topic):
                found[memory.id] = memory
    return list(found.values())


def _speaks_of(memory: Memory, topic: str) -> bool:
    """Whether a memory holds the topic's own words: whole ones in English, at least two characters in Chinese."""
    wanted = terms.normalise(topic)
    text = terms.normalise(f"{memory.key.replace('_', ' ')} {memory.value}")
    if not wanted.isascii():
        return len(wanted) >= HAN_TOPIC_MIN and wanted in text
    words = [word for word in _WORD.findall(wanted) if word not in _LEADING]
    return bool(words) and bool(re.search(r"\b" + r"\W+".join(map(re.escape, words)) + r"\b", text))


def _unmark_others(core: Core, scope: WriteScope, doomed: Collection[MemoryId]) -> None:
    """Take the marks of memories that are about to go off those that stay: there is nothing left to settle."""
    for conflict in scope.open_conflicts(list(doomed)):
        for kept, gone in ((conflict.first, conflict.second), (conflict.second, conflict.first)):
            if gone in doomed and kept not in doomed:
                unmark(core, scope, kept, gone)
