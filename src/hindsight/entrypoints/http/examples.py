"""One invented life that every example of the OpenAPI description is about.

Examples are values of the very types that the service answers with: a field that is added shows up here
by itself, and one that goes away does not type-check.
"""

from __future__ import annotations

from typing import Final, TypeVar

from hindsight.domain.conversation import Entity, Episode, Session, Turn
from hindsight.domain.ids import ConflictId, EpisodeId, JobId, LessonId, MemoryId, SessionId, TraceId, TurnId
from hindsight.domain.memory import Evidence, Memory, MemoryVersion
from hindsight.domain.moments import parse_moment
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import (
    Change,
    Conflict,
    Context,
    DistillResult,
    Hit,
    Job,
    ObserveResult,
    Page,
    Proposal,
    Receipt,
    RejectedWords,
    SearchResult,
    Trace,
    TraceCandidate,
    Use,
    WriteResult,
)
from hindsight.entrypoints.http.documenting import Alive, NamespaceNames, Ready
from hindsight.services.auditing import AuditLine
from hindsight.services.browse import Held, Review, Shown
from hindsight.services.lessons import Taught
from hindsight.services.review import NeedsLook
from hindsight.services.why import Neighbour, Source, Step, Why

Item = TypeVar("Item")

_SPACE: Final = Namespace("user/kim")
_SESSION: Final = SessionId("chat-7")
_SAID: Final = parse_moment("2026-03-01T09:00:00Z", what="at")
_LEARNT: Final = parse_moment("2026-03-01T09:05:00Z", what="at")
_MEMORY_ID: Final = MemoryId("mem_019ca8c0e1b07a52b1f0c2d4e6a80917")
_OTHER_ID: Final = MemoryId("mem_019ca8c0e1b07a52b1f0c2d4e6a80a22")
_TRACE_ID: Final = TraceId("tra_019ca8c5d2907b0c8a55e0b1c7f3d641")
_JOB_ID: Final = JobId("job_019ca8c0c6f07d3e9d2a4b5c6d7e8f90")
_PARTS: Final = {"dense": 0.74, "keyword": 0.41, "freshness": 1.0, "confidence": 0.9, "trust": 1.0}


def page(*items: Item) -> Page[Item]:
    """A page with these items, and no more to come."""
    return Page(items)


TURN: Final = Turn(
    session_id=_SESSION,
    index=0,
    id=TurnId("chat-7#0"),
    role="user",
    content="我对青霉素过敏，你记一下。",
    at=_SAID,
    origin="user",
    observed_at=_LEARNT,
)
MEMORY: Final = Memory(
    id=_MEMORY_ID,
    namespace=_SPACE,
    key="过敏_青霉素",
    value="对青霉素过敏。",
    category="identity",
    language="zh",
    origin="user",
    trust="trusted",
    confidence=0.9,
    status="active",
    created_at=_LEARNT,
    updated_at=_LEARNT,
    verified_at=_SAID,
    evidence=(
        Evidence(session_id=_SESSION, turn_index=0, quote="我对青霉素过敏", at=_SAID, origin="user", turn_id=TURN.id),
    ),
    made_by="rules",
)
_REPORTED: Final = Memory(
    id=_OTHER_ID,
    namespace=_SPACE,
    key="coffee_preference",
    value="Prefers pour-over coffee without sugar.",
    category="preference",
    language="en",
    origin="assistant",
    trust="reported",
    confidence=0.7,
    status="active",
    created_at=_LEARNT,
    updated_at=_LEARNT,
    verified_at=_LEARNT,
    source="barista-agent",
)
CONFLICT: Final = Conflict(
    id=ConflictId("con_019ca8d1f0a07c4e8b6a9d8c7b6a5f4e"),
    namespace=_SPACE,
    first=_MEMORY_ID,
    second=_OTHER_ID,
    question="Earlier: “Drinks coffee every day.” Now: “Does not drink coffee.” Which is true?",
    opened_at=_LEARNT,
)
_PROPOSAL: Final = Proposal(
    id="pro_019ca8d2a1b07e6f9c8d7e6f5a4b3c2d",
    memory_id=_MEMORY_ID,
    action="forget",
    proposed_at=_LEARNT,
    proposed_by="assistant",
    reason="the user no longer mentions it",
)
WRITTEN: Final = WriteResult(outcome="added", memory=_REPORTED)
SHOWN: Final = Shown(
    memory=MEMORY,
    versions=(MemoryVersion(memory=MEMORY, recorded_at=_LEARNT, why="added"),),
    turns=(TURN,),
)
WHY: Final = Why(
    memory=MEMORY,
    maker="rules",
    rule=MEMORY.made_by,
    sources=(
        Source(
            quote="我对青霉素过敏",
            sentence=TURN.content,
            session_id=_SESSION,
            turn_index=0,
            role="user",
            origin="user",
            at=_SAID,
            erased=False,
        ),
    ),
    steps=(Step(version=1, at=_LEARNT, why="new"),),
    merged=(),
    met=(),
    neighbours=(
        Neighbour(
            memory=_REPORTED,
            relation="coexist",
            certain=True,
            probability=0.97,
            similarity=0.12,
            reasons=("nothing_shared",),
        ),
    ),
)
CHANGED: Final = Change(outcome="applied", memory=MEMORY)
FORGOTTEN: Final = Change(outcome="proposed", memory=MEMORY, proposal=_PROPOSAL)
RECEIPT: Final = Receipt(
    id="rec_019ca8d3b2c07f809d9e8f7a6b5c4d3e",
    namespace=_SPACE,
    subject=_MEMORY_ID,
    erased_at=_LEARNT,
    counts={"memories": 1, "turns": 1},
    retained=0,
    pending=(),
    key_id="ed25519:2f1c9a7e",
    signature="q7mX0y…",
)
FOUND: Final = SearchResult(
    hits=(
        Hit(layer="semantic", namespace=_SPACE, relevance=0.83, parts=_PARTS, memory=MEMORY),
        Hit(layer="episodic", namespace=_SPACE, relevance=0.71, parts=_PARTS, turn=TURN),
    ),
    trace_id=_TRACE_ID,
)
CONTEXT: Final = Context(
    text="<memory-5547a9381b324213>\n…\n- 对青霉素过敏。 [2026-03-01]\n</memory-5547a9381b324213>",
    tokens=96,
    budget_tokens=1638,
    memory_ids=(_MEMORY_ID,),
    conflicts=(),
    trace_id=_TRACE_ID,
)
TRACE: Final = Trace(
    id=_TRACE_ID,
    namespace=_SPACE,
    at=_LEARNT,
    query="点菜要避开什么？",
    candidates=(
        TraceCandidate(layer="semantic", target=_MEMORY_ID, rank=1, relevance=0.83, parts=_PARTS, returned=True),
    ),
    injected=(_MEMORY_ID,),
    uses=(Use(memory_ids=(_MEMORY_ID,), decision="asked the pharmacy for another antibiotic", at=_LEARNT),),
)
SESSION: Final = Session(
    id=_SESSION,
    turn_count=12,
    user_turns_pending=0,
    distilled_to=12,
    started_at=_SAID,
    last_at=_LEARNT,
    observed_at=_LEARNT,
    ended=True,
    time_zone="Asia/Shanghai",
)
OBSERVED: Final = ObserveResult(session_id=_SESSION, appended=2, turn_count=12, job_id=_JOB_ID, trigger="task_end")
EPISODE: Final = Episode(
    id=EpisodeId("epi_019ca8c0e0a0716b8c4d5e6f7a8b9c0d"),
    session_id=_SESSION,
    first_index=0,
    last_index=11,
    language="zh",
    user_said="用户说对青霉素过敏，想知道感冒该吃什么药。",
    agent_did="给出了不含青霉素类的建议。",
    conclusion="看医生时会先说明过敏史。",
    entities=(Entity(name="青霉素", kind="term"),),
    started_at=_SAID,
    ended_at=_LEARNT,
    created_at=_LEARNT,
)
DISTILLED: Final = DistillResult(
    memories=(MEMORY,),
    episode=EPISODE,
    rejected=(RejectedWords(turn_index=4, quote="今天有点累", reason="momentary"),),
)
JOB: Final = Job(
    id=_JOB_ID,
    namespace=_SPACE,
    kind="look_back",
    state="done",
    created_at=_LEARNT,
    run_after=_LEARNT,
    session_id=_SESSION,
    first_index=0,
    end_index=12,
    trigger="task_end",
    attempts=1,
    finished_at=_LEARNT,
    written=(("added", _MEMORY_ID),),
)
HELD: Final = Held(
    memory=_REPORTED, why="a permission that no user turn supports", digest="6c0f9b1d2e3a4f5061728394a5b6c7d8"
)
REVIEW: Final = Review(
    memories=Page(
        (
            NeedsLook(
                memory=MEMORY,
                reasons=("disputed", "soon_stale"),
                uses=7,
                stale_from=_LEARNT,
                conflict_id=CONFLICT.id,
            ),
        )
    ),
    conflicts=(CONFLICT,),
    proposals=(_PROPOSAL,),
    quarantined=1,
)
TAUGHT: Final = Taught(
    id=LessonId("les_019ca8c0e1b07a52b1f0c2d4e6a80b01"),
    namespace=_SPACE,
    memory_id=MEMORY.id,
    memory=MEMORY,
    trust="reported",
    templated=False,
    by="user",
    learned_at=_LEARNT,
)
AUDIT_LINE: Final = AuditLine(
    number=42,
    action="memory.added",
    namespace=_SPACE,
    subject=_MEMORY_ID,
    at=_LEARNT,
    by="user",
    detail={"made_by": "rules", "trust": "trusted"},
    hash="87b76b63ac363697bb218e692ab276faf05e92cfbd671ddfd55b7b6a4de1f9f8",
)
NAMESPACES: Final = NamespaceNames(items=("user/kim",), default="user/kim")
ALIVE: Final = Alive(alive=True)
READY: Final = Ready(ready=True, waiting_for=(), degraded=())
METRICS: Final = (
    "# HELP hindsight_jobs_waiting Jobs queued or running.\n# TYPE hindsight_jobs_waiting gauge\n"
    "hindsight_jobs_waiting 0.0\n"
)

REQUESTS: Final[dict[str, object]] = {
    "write": {
        "namespace": "user/kim",
        "key": "coffee_preference",
        "value": "Prefers pour-over coffee without sugar.",
        "source": "barista-agent",
    },
    "verify": {"namespace": "user/kim", "outcome": "confirmed"},
    "forget": {"namespace": "user/kim", "reason": "the user no longer drinks coffee"},
    "restore": {"namespace": "user/kim"},
    "erase": {"namespace": "user/kim", "session_id": "chat-7"},
    "search": {"namespace": "user/kim", "query": "点菜要避开什么？", "limit": 5},
    "context": {"namespace": "user/kim", "query": "order lunch for the team", "window_tokens": 8192},
    "used": {"namespace": "user/kim", "memory_ids": [_MEMORY_ID], "decision": "asked for another antibiotic"},
    "observe": {
        "namespace": "user/kim",
        "turns": [
            {"role": "user", "content": "我对青霉素过敏，你记一下。", "at": "2026-03-01T17:00:00+08:00"},
            {"role": "assistant", "content": "好的，记住了。", "at": "2026-03-01T17:00:05+08:00"},
        ],
    },
    "settle": {"namespace": "user/kim", "outcome": "second"},
    "release": {"namespace": "user/kim", "digest": HELD.digest},
}
