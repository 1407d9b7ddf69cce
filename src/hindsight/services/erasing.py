"""Real erasure: rows, versions, vectors, index entries, words in turns, episodes and traces, and the log of writes.

It runs in two steps. The first, in one transaction, removes everything and queues a durable job; the
second scrubs what the database left in its files. A crash between them loses neither: the job
finishes, and the receipt says `pending` until it has.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hindsight.domain.conversation import Span, Turn
from hindsight.domain.ids import JobId, MemoryId, SessionId
from hindsight.domain.memory import Memory
from hindsight.domain.moments import to_text
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Job, Receipt
from hindsight.language import terms
from hindsight.language.digest import digest
from hindsight.ports import WriteScope
from hindsight.services.admit import unmark
from hindsight.services.core import Core
from hindsight.services.indexed import episode_terms, memory_terms, turn_terms
from hindsight.services.replay import replay_digest

# Fills an erased piece at its old length, so that the places of what stays do not move. No
# tokenizer of ours makes a word of it.
FILLER: Final = "\u2588"
# Shorter quotes ("yes", 好的) are blanked where they are cited, not wherever they happen to stand.
EVERYWHERE_CHARACTERS_MIN: Final = 6
HAN_EVERYWHERE_MIN: Final = 2
_WORD: Final = re.compile(r"\w+")
_LEADING: Final = frozenset({"the", "a", "an", "my", "our", "that", "this", "user", "about"})
PAGE: Final = 500
LINEAGE_MAX: Final = 10_000


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
    doomed = {memory.id: memory for memory in _with_lineage(scope, _by_ids(scope, memory_ids))}
    if session_id is not None and spans:
        for memory in _with_lineage(scope, _resting_on(scope, session_id, spans, topic)):
            doomed[memory.id] = memory
    words = _words_of(doomed.values(), scope, session_id, spans)
    _unmark_others(core, scope, doomed)
    counts.update(scope.erase_memories(list(doomed)))
    kept, retained = _cited_elsewhere(scope, words)
    blanked = _blank_cited(core, scope, doomed.values(), kept)
    if session_id is not None:
        blanked += _blank_spans(core, scope, session_id, spans)
    blanked += _blank_everywhere(core, scope, [word for word in words if word not in kept])
    counts["turn_pieces"] += blanked
    return _conclude(core, scope, subject or _subject(memory_ids, session_id), counts, retained)


def erase_whole_session(core: Core, scope: WriteScope, session_id: SessionId) -> Erasure:
    """Remove a session, its episodes and jobs, and every memory that rests on nothing else."""
    core.traces.flush_into(scope)
    counts: Counter[str] = Counter()
    turns = scope.turns(session_id)
    retained = 0
    for memory in scope.memories_on_session(session_id):
        left = tuple(item for item in memory.evidence if item.session_id != session_id)
        if scope.memory(memory.id) is None:
            continue
        if not left:
            family = _with_lineage(scope, [memory])
            _unmark_others(core, scope, {item.id for item in family})
            counts.update(scope.erase_memories([item.id for item in family]))
            _blank_everywhere(core, scope, [item.value for item in family])
        else:
            retained += 1
            _rebuild(core, scope, memory, replace(memory, evidence=left))
    _entomb(core, scope, turns)
    counts.update(scope.erase_session(session_id))
    said = sorted({turn.content.strip() for turn in turns if _tells_apart(turn.content.strip())}, key=len, reverse=True)
    counts["traces"] += _blank_traces(scope, said)
    return _conclude(core, scope, f"session:{session_id}", counts, retained)


def erase_all(core: Core, scope: WriteScope) -> Erasure:
    """Remove everything of the namespace. What stays: tombstones, receipts, and audit lines without content."""
    core.traces.flush_into(scope)
    after: SessionId | None = None
    while sessions := scope.session_page(limit=PAGE, after=after):
        for session in sessions:
            _entomb(core, scope, scope.turns(session.id))
        after = sessions[-1].id
    counts = Counter(scope.erase_everything())
    return _conclude(core, scope, "everything", counts, 0)


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


def _by_ids(scope: WriteScope, memory_ids: Sequence[MemoryId]) -> list[Memory]:
    return list(scope.memories(memory_ids).values())


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
        for memory in _every_memory(scope):
            if memory.origin == "user" and _speaks_of(memory, topic):
                found[memory.id] = memory
    return list(found.values())


def _speaks_of(memory: Memory, topic: str) -> bool:
    """Whether a memory holds the topic's own words: whole ones in English, at least two characters in Chinese."""
    wanted = terms.normalise(topic)
    text = terms.normalise(f"{memory.key.replace('_', ' ')} {memory.value}")
    if not wanted.isascii():
        return len(wanted) >= HAN_EVERYWHERE_MIN and wanted in text
    words = [word for word in _WORD.findall(wanted) if word not in _LEADING]
    return bool(words) and bool(re.search(r"\b" + r"\W+".join(map(re.escape, words)) + r"\b", text))


def _every_memory(scope: WriteScope) -> Iterable[Memory]:
    after: MemoryId | None = None
    while page := scope.memory_page(
        statuses={"active", "archived", "quarantined"},
        trusts={"trusted", "reported", "untrusted"},
        limit=PAGE,
        after=after,
    ):
        yield from page
        after = page[-1].id


def _with_lineage(scope: WriteScope, memories: Sequence[Memory]) -> list[Memory]:
    """*memories*, what was merged into them, and what they were merged into: they share their words."""
    family: dict[MemoryId, Memory] = {}
    waiting = list(memories)
    while waiting and len(family) < LINEAGE_MAX:
        memory = waiting.pop()
        if memory.id in family:
            continue
        family[memory.id] = memory
        waiting.extend(scope.memories(list(memory.merged_from)).values())
        if memory.superseded_by is not None:
            heir = scope.memory(memory.superseded_by)
            if heir is not None and memory.id in heir.merged_from:
                waiting.append(heir)
    return list(family.values())


def _unmark_others(core: Core, scope: WriteScope, doomed: Collection[MemoryId]) -> None:
    """Take the marks of memories that are about to go off those that stay: there is nothing left to settle."""
    for conflict in scope.open_conflicts(list(doomed)):
        for kept, gone in ((conflict.first, conflict.second), (conflict.second, conflict.first)):
            if gone in doomed and kept not in doomed:
                unmark(core, scope, kept, gone)


def _words_of(
    memories: Iterable[Memory], scope: WriteScope, session_id: SessionId | None, spans: Sequence[Span]
) -> list[str]:
    """Every text that must not be found again, longest first so that no part shadows a whole."""
    words = {text for memory in memories for text in (memory.value, *(e.quote for e in memory.evidence))}
    if session_id is not None and spans:
        turns = {turn.index: turn for turn in scope.turns(session_id)}
        words.update(turns[s.turn_index].content[s.start : s.end].strip() for s in spans if s.turn_index in turns)
    return sorted((word for word in words if word), key=len, reverse=True)


def _cited_elsewhere(scope: WriteScope, words: Sequence[str]) -> tuple[set[str], int]:
    """Those of *words* that a memory which stays holds on evidence of its own, and how many do."""
    wanted = set(words)
    kept: set[str] = set()
    retained = 0
    for memory in _every_memory(scope):
        texts = (memory.value, *(item.quote for item in memory.evidence))
        held = {word for word in wanted if any(word in text for text in texts)}
        kept |= held
        retained += bool(held)
    return kept, retained


def _blank_cited(core: Core, scope: WriteScope, memories: Iterable[Memory], kept: set[str]) -> int:
    blanked = 0
    for memory in memories:
        for item in memory.evidence:
            if item.quote in kept:
                continue
            for turn in scope.turns(item.session_id, first=item.turn_index, end=item.turn_index + 1):
                start = turn.content.find(item.quote)
                if start >= 0:
                    span = Span(turn_index=turn.index, start=start, end=start + len(item.quote))
                    blanked += _blank_spans(core, scope, item.session_id, [span])
    return blanked


def _blank_spans(core: Core, scope: WriteScope, session_id: SessionId, spans: Sequence[Span]) -> int:
    by_turn: dict[int, list[Span]] = {}
    for span in spans:
        by_turn.setdefault(span.turn_index, []).append(span)
    for index, pieces in by_turn.items():
        for turn in scope.turns(session_id, first=index, end=index + 1):
            content = turn.content
            for piece in pieces:
                end = min(piece.end, len(content))
                content = content[: piece.start] + FILLER * (end - piece.start) + content[end:]
            _rewrite(core, scope, turn, content)
    return len(spans)


def _rewrite(core: Core, scope: WriteScope, turn: Turn, content: str) -> None:
    if content == turn.content:
        return
    original = scope.erased_digest(turn.session_id, turn.index) or replay_digest(core, turn.content, turn.at)
    scope.put_tombstones([original], at=core.now())
    whole = not content.strip(FILLER + " \n\t。，,.!！?？")
    scope.replace_turn_words(
        turn.session_id,
        turn.index,
        content="" if whole else content,
        digest=original,
        terms=b"" if whole else turn_terms(replace(turn, content=content, erased=False)),
    )
    _digest_anew(scope, turn)


def _digest_anew(scope: WriteScope, turn: Turn) -> None:
    """Digest the stretch over a turn again from the words that are left: a cut digest may hold a part of the others."""
    episode = scope.episode_at(turn.session_id, turn.index)
    if episode is None:
        return
    turns = scope.turns(turn.session_id, first=episode.first_index, end=episode.last_index + 1)
    found = digest([item for item in turns if not item.erased])
    clean = replace(
        episode,
        user_said=found.user_said,
        agent_did=found.agent_did,
        conclusion=found.conclusion,
        entities=found.entities,
    )
    scope.replace_episode(clean, terms=episode_terms(clean))


def _blank_everywhere(core: Core, scope: WriteScope, words: Sequence[str]) -> int:
    """Blank *words* wherever they stand in the namespace's turns, episodes and traces."""
    long = [word for word in words if _tells_apart(word)]
    if not long:
        return 0
    blanked = 0
    after: SessionId | None = None
    while sessions := scope.session_page(limit=PAGE, after=after):
        for session in sessions:
            for turn in scope.turns(session.id):
                content = _without(turn.content, long)
                if content != turn.content:
                    blanked += 1
                    _rewrite(core, scope, turn, content)
        after = sessions[-1].id
    return blanked + _blank_episodes(scope, long) + _blank_traces(scope, long)


def _tells_apart(word: str) -> bool:
    """Whether words are telling enough to be blanked wherever they stand; four Chinese characters can be a fact."""
    least = EVERYWHERE_CHARACTERS_MIN if word.isascii() else HAN_EVERYWHERE_MIN + 1
    return len(word) >= least


def _blank_episodes(scope: WriteScope, words: Sequence[str]) -> int:
    blanked = 0
    after = None
    while page := scope.episode_page(limit=PAGE, after=after):
        for episode in page:
            clean = replace(
                episode,
                user_said=_without(episode.user_said, words),
                agent_did=_without(episode.agent_did, words),
                conclusion=_without(episode.conclusion, words),
                entities=tuple(e for e in episode.entities if _without(e.name, words) == e.name),
            )
            if clean != episode:
                blanked += 1
                scope.replace_episode(clean, terms=episode_terms(clean))
        after = page[-1].id
    return blanked


def _blank_traces(scope: WriteScope, words: Sequence[str]) -> int:
    blanked = 0
    for trace_id in scope.trace_ids():
        trace = scope.trace(trace_id)
        if trace is None:
            continue
        clean = replace(
            trace,
            query=_without(trace.query, words),
            uses=tuple(replace(use, decision=_without(use.decision, words)) for use in trace.uses),
        )
        if clean != trace:
            blanked += 1
            scope.replace_trace(clean)
    return blanked


def _without(text: str, words: Sequence[str]) -> str:
    for word in words:
        text = text.replace(word, FILLER * len(word))
    return text


def _rebuild(core: Core, scope: WriteScope, old: Memory, new: Memory) -> None:
    """Put *new* in the place of *old* with no older version left behind."""
    items = scope.items_of([old.id])
    vector = next(iter(scope.vectors(list(items.values())).values()), None)
    scope.erase_memories([old.id])
    scope.put_memory(
        replace(new, version=1, updated_at=core.now()),
        why="evidence erased",
        terms=memory_terms(new),
        vector=vector,
    )


def _entomb(core: Core, scope: WriteScope, turns: Sequence[Turn]) -> None:
    digests = [replay_digest(core, turn.content, turn.at) for turn in turns if turn.content]
    scope.put_tombstones(digests, at=core.now())
