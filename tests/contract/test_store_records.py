"""What every record store promises about jobs, conflicts, traces, proofs and the audit chain."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from hindsight.domain.audit import broken_links
from hindsight.domain.conversation import Rejection, Span
from hindsight.domain.errors import BackendUnavailable, InvalidRequest
from hindsight.domain.ids import ConflictId, LessonId, MemoryId, RequestId
from hindsight.domain.lessons import Lesson
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent, Conflict, Job, Proposal, Receipt, Trace, TraceCandidate, Use
from hindsight.ports import RecordStore, StoredRequest
from hindsight.testing import SAMPLE_TIME, sample_memory, sample_session

LI, WANG = Namespace("user/li"), Namespace("user/wang")
MINUTE = timedelta(minutes=1)


def a_job(job_id: str, *, namespace: Namespace = LI, session_id: str | None = "s", minute: int = 0) -> Job:
    at = SAMPLE_TIME + minute * MINUTE
    return Job(
        id=job_id,
        namespace=namespace,
        kind="look_back",
        state="queued",
        created_at=at,
        run_after=at,
        session_id=session_id,
        end_index=4,
        trigger="user_turns",
    )


def put_jobs(store: RecordStore, *jobs: Job) -> None:
    for job in jobs:
        with store.writing(job.namespace) as scope:
            scope.put_job(job)


def test_records_come_back_as_they_were(store: RecordStore) -> None:
    job = replace(
        a_job("job_1"),
        state="done",
        attempts=2,
        lease_owner="w1",
        lease_until=SAMPLE_TIME,
        finished_at=SAMPLE_TIME + MINUTE,
        error="model: 超时",
        notes=("fell_back_to_rules",),
        written=(("added", "mem_1"), ("disputed", "mem_2")),
        rejected=(Rejection(span=Span(turn_index=1, start=2, end=3), reason="mood"),),
    )
    conflict = Conflict(
        id="con_1", namespace=LI, first="mem_1", second="mem_2", question="茶还是咖啡？", opened_at=SAMPLE_TIME
    )
    settled = replace(conflict, id="con_2", open=False, outcome="both", settled_at=SAMPLE_TIME, settled_by="user")
    proposal = Proposal(
        id="pro_1",
        memory_id="mem_1",
        action="verify",
        proposed_at=SAMPLE_TIME,
        proposed_by="assistant",
        value="tea",
        reason="said so",
    )
    trace = Trace(
        id="trc_1",
        namespace=LI,
        at=SAMPLE_TIME,
        query='喝什么 "quoted"',
        candidates=(
            TraceCandidate(
                layer="semantic", target="mem_1", rank=1, relevance=0.5, parts={"words": 0.25}, returned=True
            ),
        ),
        injected=("mem_1",),
        uses=(Use(memory_ids=("mem_1",), decision="brew tea", at=SAMPLE_TIME),),
        degraded=("vectors",),
    )
    receipt = Receipt(
        id="rec_1",
        namespace=LI,
        subject="mem_9",
        erased_at=SAMPLE_TIME,
        counts={"memories": 1},
        retained=2,
        pending=("another process holds it",),
        key_id="k",
        signature="s",
    )
    request = StoredRequest(digest="d", outcome="added", memory_id="mem_1")
    with store.writing(LI) as scope:
        for memory_id in ("mem_1", "mem_2"):
            scope.put_memory(sample_memory(memory_id), why="added", terms=b"x")
        scope.put_job(job)
        scope.put_conflict(conflict)
        scope.put_conflict(settled)
        scope.put_proposal(proposal)
        scope.put_trace(trace)
        scope.put_receipt(replace(receipt, pending=()))
        scope.put_receipt(receipt)
        scope.put_request("req 1", request)
    with store.reading(LI) as scope:
        assert scope.job("job_1") == job
        assert scope.conflict("con_1") == conflict
        assert scope.conflict("con_2") == settled
        assert list(scope.proposals()) == [proposal]
        assert scope.trace("trc_1") == trace
        assert list(scope.trace_ids()) == ["trc_1"]
        assert list(scope.receipts()) == [receipt]
        assert scope.request("req 1") == request
        nothing = (scope.job("x"), scope.conflict("x"), scope.trace("x"), scope.request("x"))
        assert nothing == (None, None, None, None)
    used = replace(trace, uses=(), query="[…]")
    with store.writing(LI) as scope:
        scope.replace_trace(used)
        scope.replace_trace(replace(trace, id="trc_gone"))
        scope.remove_proposals("mem_1")
    with store.reading(LI) as scope:
        assert scope.trace("trc_1") == used
        assert scope.trace("trc_gone") is None
        assert list(scope.proposals()) == []


def test_open_conflicts_are_those_that_touch_what_was_asked(store: RecordStore) -> None:
    pairs = {"con_1": ("mem_1", "mem_2"), "con_2": ("mem_2", "mem_3"), "con_3": ("mem_3", "mem_4")}
    with store.writing(LI) as scope:
        for number in range(1, 5):
            scope.put_memory(sample_memory(f"mem_{number}"), why="added", terms=b"x")
        for number, (conflict_id, (first, second)) in enumerate(pairs.items()):
            scope.put_conflict(
                Conflict(
                    id=conflict_id,
                    namespace=LI,
                    first=first,
                    second=second,
                    question="?",
                    opened_at=SAMPLE_TIME - number * MINUTE,
                    open=conflict_id != "con_3",
                )
            )
    with store.reading(LI) as scope:
        assert [conflict.id for conflict in scope.open_conflicts()] == ["con_2", "con_1"]
        assert [conflict.id for conflict in scope.open_conflicts({"mem_1"})] == ["con_1"]
        assert [conflict.id for conflict in scope.open_conflicts(["mem_2"])] == ["con_2", "con_1"]
        assert list(scope.open_conflicts(["mem_4"])) == []
        assert list(scope.open_conflicts([])) == []


def test_fingerprints_of_the_full_64_bits_and_digests_are_recognised(store: RecordStore) -> None:
    seen = [0, 1, 2**63 - 1, 2**63, 2**64 - 1]
    with store.writing(LI) as scope:
        scope.put_served(seen, at=SAMPLE_TIME)
        scope.put_served(seen[:1], at=SAMPLE_TIME + MINUTE)
        scope.put_tombstones(["d1", "d2", "d1"], at=SAMPLE_TIME)
    with store.reading(LI) as scope:
        assert scope.served([*seen, 5, 2**64 - 2]) == frozenset(seen)
        assert scope.tombstoned(["d1", "d3"]) == {"d1": SAMPLE_TIME}
        assert scope.any_tombstone()
        assert (scope.served([]), scope.tombstoned([])) == (frozenset(), {})
    with store.reading(WANG) as scope:
        assert (scope.served(seen), scope.tombstoned(["d1"])) == (frozenset(), {})
        assert not scope.any_tombstone()


def test_the_oldest_due_job_is_leased_to_one_worker_until_its_lease_runs_out(store: RecordStore) -> None:
    put_jobs(store, a_job("job_2", minute=1), a_job("job_1", namespace=WANG, minute=1), a_job("job_3", minute=9))
    now, later = SAMPLE_TIME + 5 * MINUTE, SAMPLE_TIME + 6 * MINUTE
    assert store.claim_job(now=SAMPLE_TIME, lease_until=later, owner="w") is None
    first = store.claim_job(now=now, lease_until=later, owner="w1")
    assert first == replace(
        a_job("job_1", namespace=WANG, minute=1), state="running", attempts=1, lease_owner="w1", lease_until=later
    )
    second = store.claim_job(now=now, lease_until=later, owner="w2")
    assert second is not None
    assert second.id == "job_2"
    assert store.claim_job(now=now, lease_until=later, owner="w3") is None
    assert store.jobs_waiting() == 3
    again = store.claim_job(now=later, lease_until=later + MINUTE, owner="w3")
    assert again is not None
    assert (again.id, again.attempts, again.lease_owner) == ("job_1", 2, "w3")
    put_jobs(store, replace(again, state="done"), replace(second, state="failed"))
    assert store.claim_job(now=later, lease_until=later, owner="w4") is None
    assert store.jobs_waiting() == 1


def test_only_an_open_look_back_on_the_session_counts_as_its_open_job(store: RecordStore) -> None:
    put_jobs(
        store,
        replace(a_job("job_1"), state="done"),
        replace(a_job("job_2"), kind="erase"),
        a_job("job_3", session_id="t"),
        a_job("job_4", namespace=WANG),
    )
    with store.reading(LI) as scope:
        assert scope.open_job("s") is None
        assert scope.open_job("t") == a_job("job_3", session_id="t")
        assert [job.id for job in scope.job_page(limit=2, after=None)] == ["job_3", "job_2"]
        assert [job.id for job in scope.job_page(limit=2, after="job_2")] == ["job_1"]


def test_idle_sessions_are_silent_unfinished_and_not_yet_queued(store: RecordStore) -> None:
    for namespace, name, minute, pending in (
        (LI, "late", 3, 1),
        (WANG, "early", 1, 1),
        (LI, "queued", 1, 1),
        (LI, "nothing new", 1, 0),
        (LI, "talking", 5, 1),
    ):
        with store.writing(namespace) as scope:
            scope.put_session(sample_session(name, turn_count=pending, at=SAMPLE_TIME + minute * MINUTE))
    put_jobs(store, a_job("job_1", session_id="queued"), a_job("job_2", session_id="early"))
    before = SAMPLE_TIME + 5 * MINUTE
    assert list(store.idle_sessions(observed_before=before, limit=9)) == [(WANG, "early"), (LI, "late")]
    assert list(store.idle_sessions(observed_before=before, limit=1)) == [(WANG, "early")]


def test_a_lease_is_its_owners_until_it_runs_out(store: RecordStore) -> None:
    soon = SAMPLE_TIME + MINUTE
    assert store.lease("export", owner="a", now=SAMPLE_TIME, until=soon)
    assert not store.lease("export", owner="b", now=SAMPLE_TIME, until=soon)
    assert store.lease("export", owner="a", now=SAMPLE_TIME, until=soon + MINUTE)
    assert not store.lease("export", owner="b", now=soon, until=soon + MINUTE)
    assert store.lease("other", owner="b", now=soon, until=soon + MINUTE)
    assert store.lease("export", owner="b", now=soon + MINUTE, until=soon + 2 * MINUTE)


def test_settings_of_the_store_are_kept(store: RecordStore) -> None:
    assert store.meta("embedder") is None
    store.set_meta("embedder", "hash-256")
    store.set_meta("embedder", "e5")
    assert store.meta("embedder") == "e5"


def test_a_setting_is_changed_by_what_it_was_with_no_writer_between(store: RecordStore) -> None:
    def one_more(known: str | None) -> str:
        return str(int(known or "0") + 1)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: store.change_meta("spent", one_more), range(40)))
    assert sorted(map(int, answers)) == list(range(1, 41))
    assert store.meta("spent") == "40"


def test_a_change_that_fails_leaves_the_setting_as_it_was(store: RecordStore) -> None:
    store.set_meta("spent", "7")

    def refuse(known: str | None) -> str:
        raise ValueError(known)

    with pytest.raises(ValueError, match="7"):
        store.change_meta("spent", refuse)
    assert store.meta("spent") == "7"


def test_audit_events_of_all_namespaces_make_one_chain(store: RecordStore) -> None:
    def event(namespace: Namespace, subject: str, **detail: object) -> AuditEvent:
        return AuditEvent(
            action="write", namespace=namespace, subject=subject, at=SAMPLE_TIME, by="user", detail=detail
        )

    with store.writing(LI) as scope:
        scope.record(event(LI, "mem_1", b=1, a=0.5, ok=True, none=None, huge=2**64, nan=float("nan")))
        scope.record(event(LI, "mem_2"))
    with store.writing(WANG) as scope:
        scope.record(event(WANG, "mem_1", words="数"))

    def fail_after_an_event() -> None:
        with store.writing(LI) as scope:
            scope.record(event(LI, "mem_3"))
            raise LookupError("a later step")

    with pytest.raises(LookupError):
        fail_after_an_event()
    with store.writing(LI) as scope:
        scope.record(event(LI, "mem_1"))
    chain = list(store.chain(after=0, limit=99))
    assert [each.number for each in chain] == [1, 2, 3, 4]
    assert list(broken_links((e.number, e.line, e.hash) for e in chain)) == []
    assert chain[0].line == (
        '{"action":"write","at":"2026-03-08T12:00:00.000Z","by":"user",'
        '"detail":{"a":0.5,"b":1,"huge":"18446744073709551616","nan":"nan","none":null,"ok":true},'
        '"namespace":"user/li","subject":"mem_1"}'
    )
    assert json.loads(chain[2].line)["detail"] == {"words": "数"}
    assert list(store.chain(after=1, limit=2)) == chain[1:3]
    with store.reading(LI) as scope:
        assert list(scope.audit_lines("mem_1")) == [chain[0], chain[3]]
        assert list(scope.audit_lines("mem_9")) == []
    with store.reading(WANG) as scope:
        assert list(scope.audit_lines("mem_1")) == [chain[2]]


def test_what_belongs_to_another_namespace_is_refused(store: RecordStore) -> None:
    for write in (
        lambda scope: scope.put_job(a_job("job_1", namespace=WANG)),
        lambda scope: scope.record(AuditEvent(action="x", namespace=WANG, subject="s", at=SAMPLE_TIME, by="user")),
    ):
        with pytest.raises(InvalidRequest, match="another namespace"), store.writing(LI) as scope:
            write(scope)


def test_a_closed_store_says_so(store: RecordStore) -> None:
    assert list(store.check()) == []
    store.close()
    with pytest.raises(BackendUnavailable, match="closed"), store.reading(LI):
        pass
    with pytest.raises(BackendUnavailable, match="closed"), store.writing(LI):
        pass


def a_lesson(number: int, *, namespace: Namespace = LI) -> Lesson:
    return Lesson(
        id=LessonId(f"les_{number}"),
        namespace=namespace,
        memory_id=MemoryId(f"mem_{number}"),
        language="zh",
        trust="untrusted",
        templated=True,
        by="user",
        learned_at=SAMPLE_TIME + number * MINUTE,
        grounds=("d1", "d2"),
        marks=(3, 2**63 - 1),
    )


def test_lessons_come_back_newest_first_and_go_by_id_or_with_all(store: RecordStore) -> None:
    with store.writing(LI) as scope:
        for number in (1, 2, 3):
            scope.put_lesson(a_lesson(number))
        assert scope.remove_lesson(LessonId("les_2"))
        assert not scope.remove_lesson(LessonId("les_2"))
    with store.writing(WANG) as scope:
        scope.put_lesson(a_lesson(1, namespace=WANG))
        with pytest.raises(InvalidRequest):
            scope.put_lesson(a_lesson(5))
    with store.reading(LI) as scope:
        assert list(scope.lessons()) == [a_lesson(3), a_lesson(1)]
    with store.writing(LI) as scope:
        assert scope.erase_everything()["lessons"] == 2
    with store.reading(LI) as scope:
        assert list(scope.lessons()) == []
    with store.reading(WANG) as scope:
        assert list(scope.lessons()) == [a_lesson(1, namespace=WANG)]


def test_uses_are_counted_by_memory_and_listed_most_used_first(store: RecordStore) -> None:
    with store.writing(LI) as scope:
        for used in (["mem_1", "mem_2"], ["mem_2", "mem_2"], ["mem_3"]):
            scope.count_uses([MemoryId(each) for each in used])
    with store.reading(LI) as scope:
        assert list(scope.uses(limit=2).items()) == [("mem_2", 2), ("mem_3", 1)]
        assert list(scope.uses([MemoryId("mem_1"), MemoryId("mem_9")], limit=9).items()) == [("mem_1", 1)]
        assert scope.uses([], limit=9) == {}
    with store.reading(WANG) as scope:
        assert scope.uses(limit=9) == {}


def test_uses_go_with_their_memory_and_lessons_stay(store: RecordStore) -> None:
    with store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1"), why="new", terms=b"x")
        scope.count_uses([MemoryId("mem_1")])
        scope.put_lesson(a_lesson(1))
    with store.writing(LI) as scope:
        assert scope.erase_memories([MemoryId("mem_1")])["uses"] == 1
    with store.reading(LI) as scope:
        assert scope.uses(limit=9) == {}
        assert list(scope.lessons()) == [a_lesson(1)]


def test_what_supports_a_memory_comes_back_with_its_version(store: RecordStore) -> None:
    first = replace(sample_memory("mem_1"), supported_by=("source:notes",))
    second = replace(first, supported_by=("source:notes", "session:s1"), version=2)
    with store.writing(LI) as scope:
        scope.put_memory(first, why="new", terms=b"x")
        scope.put_memory(second, why="said again")
    with store.reading(LI) as scope:
        assert scope.memory(MemoryId("mem_1")) == second
        assert [version.memory for version in scope.versions(MemoryId("mem_1"))] == [first, second]


def test_the_whole_answer_to_a_request_comes_back(store: RecordStore) -> None:
    stored = StoredRequest(
        digest="d",
        outcome="disputed",
        memory_id=MemoryId("mem_1"),
        version=3,
        related=(MemoryId("mem_2"),),
        conflict_id=ConflictId("con_1"),
    )
    with store.writing(LI) as scope:
        scope.put_request(RequestId("once"), stored)
    with store.reading(LI) as scope:
        assert scope.request(RequestId("once")) == stored
