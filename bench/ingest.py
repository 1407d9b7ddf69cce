"""How fast conversations come in: turns a second through observe, memories a second through write and look back.

Durable writes stand beside the cost of a bare commit on the same disk, measured in the same run.
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

import hindsight

WORDS = "the quarterly report on regional logistics needs a second reviewer before it goes to the board".split()


def turn(number: int) -> dict[str, str]:
    """One made-up turn of ordinary length."""
    text = " ".join(WORDS[(number * 7 + i * 3) % len(WORDS)] for i in range(24))
    return {"role": "user" if number % 2 == 0 else "assistant", "content": f"{text}, item {number}"}


def commit_floor_ms(folder: Path, count: int) -> float:
    """The median cost of one durable one-row commit with nothing else to do."""
    database = sqlite3.connect(folder / "floor.db", isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)")
    spent: list[float] = []
    for _ in range(count):
        begin = time.perf_counter()
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO t (x) VALUES (?)", (os.urandom(400),))
        database.execute("COMMIT")
        spent.append((time.perf_counter() - begin) * 1e3)
    database.close()
    return statistics.median(spent)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--turns", type=int, default=5_000)
    arguments.add_argument("--memories", type=int, default=200)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        floor = commit_floor_ms(Path(folder), 200)
        with hindsight.open(Path(folder) / "home", settings={"look_back.worker": False}) as hs:
            begin = time.perf_counter()
            for start in range(0, chosen.turns, 20):
                batch = [turn(number) for number in range(start, start + 20)]
                hs.observe("bench", f"s{start}", batch)
            bulk = chosen.turns / (time.perf_counter() - begin)
            one: list[float] = []
            for number in range(300):
                begin = time.perf_counter()
                hs.observe("bench", "single", [turn(number)], from_index=number)
                one.append((time.perf_counter() - begin) * 1e3)
            begin = time.perf_counter()
            hs.wait()
            vectors = (chosen.turns + 300) / (time.perf_counter() - begin)
            wrote: list[float] = []
            for number in range(chosen.memories):
                begin = time.perf_counter()
                hs.write("bench", key=f"item_{number}_owner", value=f"Item {number} belongs to team {number * 13}.")
                wrote.append((time.perf_counter() - begin) * 1e3)
            found: list[float] = []
            for number in range(100):
                begin = time.perf_counter()
                hs.search(f"who reviews item {number}", namespace="bench")
                found.append((time.perf_counter() - begin) * 1e3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"commit floor              {floor:8.2f} ms")
    print(f"observe, 20 turns a call  {bulk:8.0f} turns/s, durable, vectors pending")
    print(f"observe, one turn a call  {statistics.median(one):8.2f} ms median")
    print(f"vectors behind the scenes {vectors:8.0f} turns/s")
    rate = 1e3 / statistics.mean(wrote)
    print(f"write one memory          {statistics.median(wrote):8.2f} ms median, {rate:.0f} memories/s")
    print(f"search                    {statistics.median(found):8.2f} ms median, query embedding included")
    print(f"peak resident memory      {peak:8.0f} MB")


if __name__ == "__main__":
    main()
