"""What every test of the whole product starts from: a home of its own, a clock that stands still, no model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hindsight
from hindsight import bootstrap
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.settings import Settings
from hindsight.testing import FrozenClock, HashEmbedder, InMemoryStore

NS = "user/zhang-san"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-03-02T09:00:00Z")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def hs(home: Path, clock: FrozenClock) -> Iterator[hindsight.Hindsight]:
    with hindsight.open(home, embedder=HashEmbedder(), clock=clock, settings={"look_back.worker": False}) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "memory"])
def each(request: pytest.FixtureRequest, home: Path, clock: FrozenClock) -> Iterator[hindsight.Hindsight]:
    """The product over each record store in turn."""
    store = SqliteStore.open(home) if request.param == "sqlite" else InMemoryStore()
    settings = Settings.load(home, {"look_back.worker": False})
    with bootstrap._wire(home, store, HashEmbedder(), clock, settings) as opened:
        yield opened
