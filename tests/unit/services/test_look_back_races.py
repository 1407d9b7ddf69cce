"""A look back whose session changes under it: what was erased meanwhile stays erased, and no job is left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

import hindsight
from hindsight import Hindsight, bootstrap
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.records import Job
from hindsight.ports import Vectors
from hindsight.services.look_back import run_look_back
from hindsight.services.worker import run_due_jobs
from hindsight.settings import Settings
from hindsight.testing import FrozenClock, HashEmbedder, InMemoryStore

NS = "user/zhang-san"
TALKS = {
    "en": ("I live in Leiden, at the Rapenburg canal.", "I speak Frisian.", "Forget what I just said.", "Frisian"),
    "zh": ("我住在杭州龙井路。", "我是素食者。", "忘掉我刚才说的。", "素食"),
}


class InterruptedEmbedder(HashEmbedder):
    """Does something else once, in the middle of making vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: list[Callable[[], object]] = []

    def passages(self, texts: Sequence[str]) -> Vectors:
        if self.meanwhile:
            self.meanwhile.pop(0)()
        return super().passages(texts)


@pytest.fixture
def embedder() -> InterruptedEmbedder:
    return InterruptedEmbedder()


@pytest.fixture(params=["sqlite", "memory"])
def hs(
    request: pytest.FixtureRequest, home: Path, clock: FrozenClock, embedder: InterruptedEmbedder
) -> Iterator[Hindsight]:
    store = SqliteStore.open(home) if request.param == "sqlite" else InMemoryStore()
    settings = Settings.load(home, {"look_back.worker": False})
    with bootstrap._wire(home, store, embedder, clock, settings) as opened:
        yield opened


def user(*words: str) -> list[dict[str, object]]:
    return [{"role": "user", "content": text} for text in words]


def lease(hs: Hindsight, owner: str) -> Job:
    now = hs._core.now()
    job = hs._core.store.claim_job(now=now, lease_until=now + timedelta(minutes=5), owner=owner)
    assert job is not None
    return job


@pytest.mark.parametrize("language", TALKS)
def test_words_forgotten_during_a_look_back_do_not_come_back_with_it(
    hs: Hindsight, embedder: InterruptedEmbedder, language: str
) -> None:
    first, second, order, gone = TALKS[language]
    hs.observe(NS, "s", user(first, second), end=True)
    embedder.meanwhile = [lambda: hs.observe(NS, "s", user(order), distill=False)]
    hs.wait()
    assert embedder.meanwhile == []
    assert hs.turns(NS, "s")[1].content == ""
    kept = str(hs.memories(NS).items) + str(hs.episodes(NS).items)
    assert gone not in kept
    assert [memory.evidence[0].quote in first for memory in hs.memories(NS)] == [True]
    assert {job.state for job in hs.jobs(NS)} == {"done"}


def test_a_look_back_that_is_interrupted_every_time_is_put_off(
    hs: Hindsight, embedder: InterruptedEmbedder, clock: FrozenClock
) -> None:
    places = ["Leiden", "Utrecht", "Haarlem", "Zwolle", "Gouda", "Delft", "Breda", "Assen", "Hoorn"]
    sought = [hs.write(NS, key=f"place_{n}", value=name, origin="user").memory for n, name in enumerate(places)]
    hs.observe(NS, "s", user(*(f"I live in {name}." for name in places), "I live near a lake."), end=True)
    embedder.meanwhile = [lambda m=m: hs.erase(namespace=NS, memory_id=m.id) for m in sought]
    assert run_due_jobs(hs._core, owner="test") > 0
    job = next(job for job in hs.jobs(NS) if job.kind == "look_back")
    assert (job.state, (job.error or "").split(":")[0]) == ("queued", "turns_changed")
    embedder.meanwhile.clear()
    clock.advance(minutes=1)
    hs.wait()
    assert "Leiden" not in str(hs.memories(NS).items) + str(hs.episodes(NS).items)
    assert {job.state for job in hs.jobs(NS)} == {"done"}


@pytest.mark.parametrize("what", ["session", "everything"])
def test_an_erasure_during_a_look_back_leaves_no_job_and_no_memory(
    hs: Hindsight, embedder: InterruptedEmbedder, what: str
) -> None:
    hs.observe(NS, "s", user("I live in Leiden."), end=True)
    named = {"session_id": "s"} if what == "session" else {"everything": True}
    embedder.meanwhile = [lambda: hs.erase(namespace=NS, **named)]
    hs.wait()
    assert embedder.meanwhile == []
    assert [job.kind for job in hs.jobs(NS)] == ["erase"]
    assert len(hs.memories(NS)) == len(hs.episodes(NS)) == 0


def test_a_job_erased_before_it_ran_stays_erased(hs: Hindsight) -> None:
    hs.observe(NS, "s", user("I live in Leiden."), end=True)
    job = lease(hs, "one")
    hs.erase(namespace=NS, everything=True)
    assert run_look_back(hs._core, job) == ()
    assert [job.kind for job in hs.jobs(NS)] == ["erase"]


def test_the_second_of_two_look_backs_on_one_stretch_is_closed(hs: Hindsight) -> None:
    hs.observe(NS, "s", user("I live in Leiden."), end=True)
    first = lease(hs, "one")
    hs.observe(NS, "s", user("I live in Leiden.", "I'm vegan."), end=True)
    second = lease(hs, "two")
    assert len(run_look_back(hs._core, second)) == 2
    assert run_look_back(hs._core, first) == ()
    assert [job.state for job in hs.jobs(NS)] == ["done", "done"]


def test_the_longer_of_two_look_backs_does_what_the_shorter_left(hs: Hindsight, embedder: InterruptedEmbedder) -> None:
    hs.observe(NS, "s", user("I live in Leiden."), end=True)
    first = lease(hs, "one")
    hs.observe(NS, "s", user("I live in Leiden.", "I'm vegan."), end=True)
    second = lease(hs, "two")
    embedder.meanwhile = [lambda: run_look_back(hs._core, first)]
    assert run_look_back(hs._core, second) == ()
    waiting = hs._core.store.claim_job(now=hs._core.now(), lease_until=hs._core.now(), owner="three")
    assert waiting is not None
    assert (waiting.id, waiting.attempts) == (second.id, 1)
    assert len(run_look_back(hs._core, waiting)) == 1
    assert [job.state for job in hs.jobs(NS)] == ["done", "done"]
    assert len(hs.memories(NS)) == 2


def test_a_lease_that_the_same_process_took_again_is_not_the_old_run_s(hs: Hindsight, clock: FrozenClock) -> None:
    hs.observe(NS, "s", user("I live in Leiden."), end=True)
    slow = lease(hs, "one")
    clock.advance(minutes=10)
    again = lease(hs, "one")
    assert again.id == slow.id
    assert run_look_back(hs._core, slow) == ()
    assert len(run_look_back(hs._core, again)) == 1


@pytest.mark.parametrize(
    ("said", "order", "stays", "gone"),
    [
        (
            "I live in Leiden. My locker is number 4471.",
            "Please forget my locker number.",
            "Leiden",
            "4471",
        ),
        ("我住在杭州。我的储物柜号码是四四七一。", "请忘掉我的储物柜号码。", "杭州", "四四七一"),
    ],
)
def test_what_is_left_of_a_partly_erased_turn_still_counts(
    hs: Hindsight, said: str, order: str, stays: str, gone: str
) -> None:
    hs.observe(NS, "s", user(said, order), end=True)
    turn = hs.turns(NS, "s")[0]
    assert gone not in turn.content
    assert stays in turn.content
    assert not turn.erased
    hs.wait()
    assert any(stays in memory.value for memory in hs.memories(NS))
    assert "█" not in str([memory.value for memory in hs.memories(NS)])
    assert any(hit.turn and hit.turn.index == 0 for hit in hs.search(stays, namespace=NS))
    assert hs.observe(NS, "s", user(said, order)).appended == 0


def test_a_memory_erased_from_a_turn_leaves_the_rest_of_it(hs: Hindsight) -> None:
    hs.observe(NS, "s", user("I live in Leiden. I'm vegan."))
    cited = [{"session_id": "s", "turn_index": 0, "quote": "I'm vegan."}]
    vegan = hs.write(NS, key="diet", value="The user is vegan.", origin="user", evidence=cited).memory
    hs.erase(namespace=NS, memory_id=vegan.id)
    with pytest.raises(hindsight.NotFound):
        hs.memory(vegan.id, namespace=NS)
    found = hs.search("Leiden", namespace=NS, layers=["episodic"], min_relevance=0)
    assert [hit.turn.content[:17] for hit in found if hit.turn] == ["I live in Leiden."]
    assert "vegan" not in str(found)
