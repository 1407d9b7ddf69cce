"""What the check against known memories adds to a write, at many memories in one namespace.

The same writes are made with the check and without it, in turn and in one run, so that both meet the
same disk, the same store and the same index. Embedding the text stands apart: a write has to do it
with or without the check. Every memory there has a vector, made from a real one by adding noise.

Processor time stands beside the clock's: on a machine that is busy with other work the clock tells of
that work. The floor of a commit is the disk's, and only the clock shows it.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np

import hindsight
from hindsight.adapters.embedders.auto import open_embedder
from hindsight.domain.ids import MemoryId
from hindsight.domain.memory import Memory, under_key
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent
from hindsight.language.script import language_of
from hindsight.ports import Embedder
from hindsight.services.core import Core
from hindsight.services.indexed import memory_terms
from hindsight.testing import SAMPLE_TIME, sample_memory

SPACE = Namespace("bench/reconcile")
BATCH = 5_000
NOISE = 0.6

PLACES = "harbour attic orchard garage office cellar greenhouse library studio workshop kitchen barn".split()
THINGS = "ladder kiln printer telescope canoe loom drill piano compost sewing-machine projector beehive".split()
PEOPLE = "Amara Bruno Chen Dalia Emeka Farah Goran Hana Ivo Jun Kaveh Lucia".split()
DEEDS = "repairs rents cleans inspects lends paints checks borrows measures restores labels insures".split()
ZH_PEOPLE = "小周 老韩 阿梅 志强 雪莹 大伟 婉清 子涵".split()
ZH_DEEDS = "修理 租用 打扫 检查 出借 粉刷 测量 登记".split()
ZH_THINGS = "梯子 窑炉 打印机 望远镜 皮划艇 织布机 电钻 钢琴".split()
ZH_PLACES = "码头 阁楼 果园 车库 办公室 地窖 温室 书房".split()


def statement(number: int) -> tuple[str, str]:
    """The key and the value of one made-up memory; neighbours share words as real ones do."""
    if number % 3 == 0:
        who, does = ZH_PEOPLE[number % 8], ZH_DEEDS[number // 8 % 8]
        what, where = ZH_THINGS[number // 64 % 8], ZH_PLACES[number // 512 % 8]
        return f"{where}_{what}_{number}", f"{who}每周{does}{where}里编号 {number} 的{what}。"
    who, does = PEOPLE[number % 12], DEEDS[number // 12 % 12]
    what, where = THINGS[number // 144 % 12], PLACES[number // 1728 % 12]
    return f"{where}_{what}_{number}", f"{who} {does} the {what} number {number} in the {where} every week."


def memory_of(number: int) -> Memory:
    """One made-up memory as it is stored."""
    key, value = statement(number)
    plain = sample_memory(f"mem_{number:09d}", namespace=SPACE, key=key, value=value)
    at = SAMPLE_TIME + timedelta(seconds=number)
    return replace(plain, language=language_of(value), verified_at=at, created_at=at, updated_at=at)


def fill(core: Core, count: int) -> None:
    """Write *count* memories with vectors straight into the store, in few transactions."""
    assert core.embedder is not None
    real = core.embedder.passages([under_key(*statement(number * 37)) for number in range(400)])  # (400, d)
    noise = np.random.default_rng(7)
    for start in range(0, count, BATCH):
        with core.store.writing(SPACE) as scope:
            for number in range(start, min(start + BATCH, count)):
                vector = real[number % len(real)] + noise.normal(0, NOISE / np.sqrt(real.shape[1]), real.shape[1])
                vector = (vector / np.linalg.norm(vector)).astype(np.float32)
                memory = memory_of(number)
                scope.put_memory(memory, why="new", terms=memory_terms(memory), vector=vector)


@dataclass(frozen=True)
class Spent:
    """What one piece of work took, by the clock and of the processor, in seconds."""

    clock: float
    processor: float

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.clock - other.clock, self.processor - other.processor)

    @classmethod
    def now(cls) -> Spent:
        """The present on both clocks."""
        return cls(time.perf_counter(), time.thread_time())


def write_unchecked(core: Core, number: int) -> Spent:
    """A write that is stored and logged without looking at what is known; embedding not counted."""
    assert core.embedder is not None
    memory = replace(memory_of(number), id=MemoryId(core.ids.new("mem")))
    vector = core.embedder.passages([memory.stated])[0]
    begin = Spent.now()
    with core.store.writing(SPACE) as scope:
        scope.put_memory(memory, why="new", terms=memory_terms(memory), vector=vector)
        event = AuditEvent(action="memory.added", namespace=SPACE, subject=memory.id, at=core.now(), by="user")
        scope.record(event)
    return Spent.now() - begin


def write_checked(hs: hindsight.Hindsight, embedded: list[Spent], number: int) -> Spent:
    """A write as users make it; what it spent on embedding is taken off."""
    key, value = statement(number)
    embedded.clear()
    begin = Spent.now()
    hs.write(SPACE, key=key, value=value, origin="user")
    return Spent.now() - begin - embedded[0]


class _Timed:
    """An embedder that notes how long each call took."""

    def __init__(self, inner: Embedder, spent: list[Spent]) -> None:
        self._inner, self._spent = inner, spent

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        begin = Spent.now()
        found = self._inner.passages(texts)
        self._spent.append(Spent.now() - begin)
        return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--memories", type=int, default=100_000)
    arguments.add_argument("--writes", type=int, default=150)
    chosen = arguments.parse_args()
    embedding: list[Spent] = []
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        embedder = _Timed(open_embedder("auto"), embedding)
        settings = {"look_back.worker": False}
        hs = stack.enter_context(hindsight.open(Path(folder) / "home", embedder=embedder, settings=settings))  # type: ignore[arg-type]
        fill(hs._core, chosen.memories)
        embedding.clear()
        begin = time.perf_counter()
        write_checked(hs, embedding, chosen.memories)
        first = time.perf_counter() - begin
        checked: list[Spent] = []
        unchecked: list[Spent] = []
        embedded: list[Spent] = []
        for number in range(chosen.memories + 1, chosen.memories + 1 + chosen.writes):
            checked.append(write_checked(hs, embedding, 2 * number))
            embedded.append(embedding[0])
            unchecked.append(write_unchecked(hs._core, 2 * number + 1))
    print(f"{chosen.memories:,} memories in one namespace, {chosen.writes} writes of each kind")
    print(f"first write after a start, indexes loaded: {first * 1e3:,.0f} ms")
    for name, take in (("clock", lambda s: s.clock), ("processor", lambda s: s.processor)):
        report(name, *([take(each) for each in part] for part in (checked, unchecked, embedded)))


def report(name: str, checked: list[float], unchecked: list[float], embedded: list[float]) -> None:
    """Print one clock's figures."""
    print(f"by the {name}, ms:")
    for what, spent in (("write, unchecked", unchecked), ("write, checked", checked), ("embedding", embedded)):
        high = sorted(spent)[int(0.95 * len(spent))]
        print(f"  {what:<18} {statistics.median(spent) * 1e3:8.2f} median {high * 1e3:8.2f} p95")
    with_check, without, embed = (statistics.median(part) for part in (checked, unchecked, embedded))
    print(f"  the check adds {with_check / without - 1:.0%} without embedding")
    print(f"  the check adds {(with_check + embed) / (without + embed) - 1:.0%} with embedding")


if __name__ == "__main__":
    main()
