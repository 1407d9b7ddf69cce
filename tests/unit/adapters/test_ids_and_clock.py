"""Ids sort by the time they were made and are never made twice."""

from __future__ import annotations

import re
import threading
import uuid
from datetime import UTC, datetime, timedelta

from hindsight.adapters.clock import SystemClock
from hindsight.adapters.ids import TimeOrderedIds
from hindsight.testing import CountingIds, FrozenClock


def test_an_id_is_its_prefix_and_a_version_7_uuid() -> None:
    clock = FrozenClock("2026-03-08T12:00:00.123Z")
    made = TimeOrderedIds(clock).new("mem")
    assert re.fullmatch(r"mem_[0-9a-f]{32}", made)
    number = uuid.UUID(made.removeprefix("mem_"))
    assert (number.version, number.variant) == (7, uuid.RFC_4122)
    assert number.int >> 80 == int(clock.now().timestamp() * 1000)


def test_ids_grow_while_the_clock_stands_still_moves_on_or_goes_back() -> None:
    clock = FrozenClock("2026-03-08T12:00:00Z")
    ids = TimeOrderedIds(clock)
    made = [ids.new("x") for _ in range(1_000)]
    clock.advance(seconds=1)
    made += [ids.new("x") for _ in range(10)]
    clock.advance(hours=-5)
    made += [ids.new("x") for _ in range(10)]
    assert made == sorted(set(made))


def test_threads_and_other_sources_never_make_the_same_id() -> None:
    clock = FrozenClock("2026-03-08T12:00:00Z")
    shared, other = TimeOrderedIds(clock), TimeOrderedIds(clock)
    made: list[str] = []

    def work(ids: TimeOrderedIds) -> None:
        made.extend([ids.new("x") for _ in range(500)])

    threads = [threading.Thread(target=work, args=(ids,)) for ids in (shared, shared, other, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(set(made)) == 2_000


def test_the_system_clock_tells_utc_in_milliseconds() -> None:
    before = datetime.now(UTC)
    now = SystemClock().now()
    assert now.utcoffset() == timedelta(0)
    assert now.microsecond % 1_000 == 0
    assert abs(now - before) < timedelta(seconds=5)


def test_the_frozen_clock_moves_only_when_told() -> None:
    clock = FrozenClock("2026-03-08T20:00:00+08:00")
    assert clock.now() == clock.now() == datetime(2026, 3, 8, 12, tzinfo=UTC)
    assert clock.advance(days=1, minutes=2) == clock.now() == datetime(2026, 3, 9, 12, 2, tzinfo=UTC)
    assert clock.set(datetime(2030, 1, 1, tzinfo=UTC)) == clock.now()


def test_counting_ids_count() -> None:
    ids = CountingIds()
    assert [ids.new("mem"), ids.new("job"), ids.new("mem")] == ["mem_000001", "job_000002", "mem_000003"]
