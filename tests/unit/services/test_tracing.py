"""Traces follow the answer: they are there for whoever reads them, and hold up nobody."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from hindsight.domain.errors import BackendUnavailable
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Trace
from hindsight.ports import WriteScope
from hindsight.services import tracing
from hindsight.services.questions import QUESTIONS_KEPT, QuestionVectors
from hindsight.services.tracing import Left, TraceQueue
from hindsight.testing import SAMPLE_TIME, HashEmbedder, InMemoryStore

NS, OTHER = Namespace("user/li"), Namespace("user/wang")


def left(name: str, namespace: Namespace = NS) -> Left:
    return Left(Trace(id=name, namespace=namespace, at=SAMPLE_TIME, query="tea?", candidates=()), ())


def keep(scope: WriteScope, all_left: Sequence[Left]) -> None:
    for each in all_left:
        if each.trace is not None:
            scope.put_trace(each.trace)


def traces(store: InMemoryStore, namespace: Namespace = NS) -> list[str]:
    with store.reading(namespace) as scope:
        return list(scope.trace_ids())


def test_a_flush_commits_what_was_queued_before_it_and_closing_does_too() -> None:
    store = InMemoryStore()
    queue = TraceQueue(store, keep)
    assert queue.put(NS, left("tra_1"))
    assert queue.put(OTHER, left("tra_2", OTHER))
    assert queue.flush()
    assert (traces(store), traces(store, OTHER)) == (["tra_1"], ["tra_2"])
    assert queue.put(NS, left("tra_3"))
    queue.close()
    assert traces(store) == ["tra_1", "tra_3"]
    assert not queue.put(NS, left("tra_4"))


def test_a_trace_is_committed_without_being_asked_for() -> None:
    store, committed = InMemoryStore(), threading.Event()

    def noting(scope: WriteScope, all_left: Sequence[Left]) -> None:
        keep(scope, all_left)
        committed.set()

    queue = TraceQueue(store, noting)
    queue.put(NS, left("tra_1"))
    assert committed.wait(30)
    queue.close()


def test_an_erasure_finds_the_queued_traces_in_its_own_write() -> None:
    store = InMemoryStore()
    queue = TraceQueue(store, keep)
    with store.writing(NS) as scope:
        queue.put(NS, left("tra_1"))
        queue.flush_into(scope)
        assert scope.trace("tra_1") is not None
        scope.erase_everything()
    queue.flush()
    queue.close()
    assert traces(store) == []


def test_what_cannot_be_committed_stays_queued_and_the_next_search_says_so() -> None:
    store, away = InMemoryStore(), [True]

    def failing(scope: WriteScope, all_left: Sequence[Left]) -> None:
        if away[0]:
            raise BackendUnavailable("the disk is full")
        keep(scope, all_left)

    queue = TraceQueue(store, failing)
    queue.put(NS, left("tra_1"))
    assert not queue.flush()
    assert not queue.put(NS, left("tra_2"))
    away[0] = False
    assert queue.flush()
    assert queue.put(NS, left("tra_3"))
    queue.close()
    assert traces(store) == ["tra_1", "tra_2", "tra_3"]


def test_a_queue_that_is_full_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "QUEUED_MAX", 0)
    queue = TraceQueue(InMemoryStore(), keep)
    assert not queue.put(NS, left("tra_1"))
    queue.close()


class CountingEmbedder(HashEmbedder):
    asked = 0

    def queries(self, texts):  # type: ignore[no-untyped-def]
        self.asked += len(texts)
        return super().queries(texts)


def test_a_question_is_embedded_once_until_it_is_forgotten() -> None:
    embedder = CountingEmbedder()
    questions = QuestionVectors(embedder)
    first = questions.vector("茶?")
    assert questions.vector("茶?") is first
    assert embedder.asked == 1
    questions.forget()
    questions.vector("茶?")
    assert embedder.asked == 2
    for number in range(QUESTIONS_KEPT):
        questions.vector(f"{number}?")
    questions.vector("茶?")
    assert embedder.asked == 3 + QUESTIONS_KEPT
    assert QuestionVectors(None).vector("茶?") is None
