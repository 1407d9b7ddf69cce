"""What the background loop does with a job that fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from hindsight import Hindsight, bootstrap
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.errors import ModelOutputInvalid
from hindsight.domain.records import Job
from hindsight.ports import Distilled, Stretch
from hindsight.services.core import Core
from hindsight.services.worker import BACKOFF_S, BACKOFF_S_MAX, run_due_jobs
from hindsight.settings import Settings
from hindsight.testing import FrozenClock, HashEmbedder, InMemoryStore

NS = "user/zhang-san"
ATTEMPTS = 12


class FailingDistiller:
    """Answers with rubbish every time."""

    def distil(self, stretch: Stretch) -> Distilled:
        raise ModelOutputInvalid("rubbish")


@pytest.fixture(params=["sqlite", "memory"])
def opened(request: pytest.FixtureRequest, home: Path, clock: FrozenClock) -> Iterator[tuple[Hindsight, Core]]:
    store = SqliteStore.open(home) if request.param == "sqlite" else InMemoryStore()
    settings = Settings.load(home, {"look_back.worker": False, "look_back.attempts": ATTEMPTS})
    with bootstrap._wire(home, store, HashEmbedder(), clock, settings) as hs:
        yield hs, replace(hs._core, distiller=FailingDistiller())


def the_job(hs: Hindsight) -> Job:
    [job] = hs.jobs(NS)
    return job


def test_each_failure_waits_twice_as_long_up_to_the_longest_wait(
    opened: tuple[Hindsight, Core], clock: FrozenClock
) -> None:
    hs, core = opened
    hs.observe(NS, "s", [{"role": "user", "content": "I keep bees in Drenthe."}], end=True)
    waits: list[float] = []
    for _ in range(ATTEMPTS - 1):
        assert run_due_jobs(core, owner="test") == 1
        job = the_job(hs)
        assert (job.state, job.error) == ("queued", "model_output_invalid: rubbish")
        waits.append((job.run_after - clock.now()).total_seconds())
        clock.set(job.run_after - timedelta(milliseconds=1))
        assert run_due_jobs(core, owner="test") == 0
        clock.advance(seconds=0.001)
    assert waits == [min(BACKOFF_S * 2**n, BACKOFF_S_MAX) for n in range(ATTEMPTS - 1)]
    assert waits[:4] == [2, 4, 8, 16]
    assert waits[-1] == 300
    assert run_due_jobs(core, owner="test") == 1
    assert (the_job(hs).state, the_job(hs).attempts) == ("failed", ATTEMPTS)


def test_a_job_that_failed_succeeds_when_it_is_tried_again(opened: tuple[Hindsight, Core], clock: FrozenClock) -> None:
    hs, core = opened
    hs.observe(NS, "s", [{"role": "user", "content": "我住在德伦特。"}], end=True)
    run_due_jobs(core, owner="test")
    assert len(hs.memories(NS)) == 0
    clock.advance(seconds=2)
    hs.wait()
    assert (the_job(hs).state, the_job(hs).error, the_job(hs).attempts) == ("done", None, 2)
    assert len(hs.memories(NS)) == 1
