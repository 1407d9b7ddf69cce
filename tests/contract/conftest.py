"""Every record store, the fake included, runs through the same suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.ports import RecordStore
from hindsight.testing import InMemoryStore


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RecordStore]:
    opened: RecordStore = SqliteStore.open(tmp_path / "home") if request.param == "sqlite" else InMemoryStore()
    try:
        yield opened
    finally:
        opened.close()
