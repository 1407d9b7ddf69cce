"""How fast a search answers as a store grows, what it holds in memory, and how near that is to the machine.

    python bench/search.py                       1,000 to 100,000 memories
    python bench/search.py --sizes 1000000       a million: some minutes to fill, 4 GB on disk
    python bench/search.py --concurrent          the longest pause of a reader while another process writes
    python bench/search.py --keep DIR            fill the stores in DIR and use them again

The question's vector is made beforehand: the model is not what is measured. Texts come from templates over
words that fall off as words do, in both languages; vectors are those of such texts, each moved a little.
A store of N holds N memories in one namespace and N / 100 in another.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import hindsight
from hindsight.adapters.embedders.auto import open_embedder
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.memory import CATEGORIES, Language
from hindsight.language import terms
from hindsight.ports import Vectors

MAIN, SMALL = "bench/main", "bench/small"
BASE_SENTENCES = 1_000
MOVED_BY = 0.7
"""How far a vector is moved from a real one, as a share of its length: neighbours then stand as far apart
as those of real sentences do (the nearest of 100,000 at a cosine of about 0.8)."""
BATCH = 20_000
DISTINCT_MAX = 100_000
"""More distinct sentences than this are drawn from again: making them takes longer than writing them."""
START_MILLIS = 1_735_689_600_000
WORDS = 8_000
HAN = (
    "木石水火山川田园书画琴棋茶酒米面刀剑车船桥路门窗灯镜钟表笔墨纸砚"
    "花草树林鸟鱼虫马牛羊猫狗云雨风雪春夏秋冬东西南北红黄蓝绿"
)
SYLLABLES = "ba ke lo mi nu ra si to ve zu dar fen gol hin jas kol lum mor nit pol".split()
TEMPLATES = (
    ("en", "The {0} {1} is kept beside the {2} in the {3} hall, says {4}."),
    ("en", "{4} prefers the {0} {1} over the {2} when the {3} is ready."),
    ("en", "Our {0} project moves its {1} to the {2} by the {3} of {4}."),
    ("zh", "用户把{0}和{1}放在{2}旁边的{3}里，{4}知道。"),
    ("zh", "项目{0}的{1}由{4}负责，{2}之后改用{3}。"),
)
QUESTIONS = (
    ("en", "Where is the {0} {1} kept beside the {2}?"),
    ("en", "Who prefers the {0} over the {2} when the {3} is ready?"),
    ("zh", "{0}和{1}放在哪里？"),
    ("zh", "谁负责项目{0}的{1}？"),
)


class Speech:
    """Says invented sentences: the word of rank r comes about as often as 1 / r."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        made = random.Random(1)
        latin = ["".join(made.choices(SYLLABLES, k=made.randint(2, 4))) for _ in range(WORDS)]
        han = ["".join(made.sample(HAN, 2)) for _ in range(WORDS)]
        self._words: dict[str, list[str]] = {"en": latin, "zh": han}
        self._weights = np.cumsum(1.0 / np.arange(1, WORDS + 1)).tolist()

    def say(self, templates: Sequence[tuple[str, str]]) -> tuple[Language, str]:
        """One sentence, and its language."""
        language, template = self._random.choice(templates)
        words = self._random.choices(self._words[language], cum_weights=self._weights, k=5)
        return ("zh" if language == "zh" else "en"), template.format(*words)


class PreparedEmbedder:
    """An embedder that knows some questions already, so that a search does not wait for the model."""

    def __init__(self, questions: dict[str, NDArray[np.float32]], name: str, dimension: int) -> None:
        self.name, self.dimension = name, dimension
        self._questions = questions

    def queries(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._questions[text] for text in texts])

    def passages(self, texts: Sequence[str]) -> Vectors:
        moved = np.random.default_rng(len(texts[0])).standard_normal((len(texts), self.dimension))
        return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        return max(cosine, 0.0)


def prepared(folder: Path, questions: int) -> tuple[PreparedEmbedder, NDArray[np.float32], list[str]]:
    """The embedder, vectors of real sentences to move, and the questions."""
    speech = Speech(7)
    asked = [speech.say(QUESTIONS)[1] for _ in range(questions)]
    kept = folder / f"vectors-{questions}.npz"
    if not kept.is_file():
        model = open_embedder()
        base = model.passages([speech.say(TEMPLATES)[1] for _ in range(BASE_SENTENCES)])
        np.savez(kept, base=base, queries=model.queries(asked), name=np.array(model.name))
    with np.load(kept) as stored:
        base, vectors, name = stored["base"], stored["queries"], str(stored["name"])
    return PreparedEmbedder(dict(zip(asked, vectors, strict=True)), name, base.shape[1]), base, asked


def fill(home: Path, size: int, base: NDArray[np.float32]) -> None:
    """Write the rows of *size* memories, and of a hundredth in another namespace, past the services."""
    store = SqliteStore.open(home)
    speech = Speech(size)
    said = [speech.say(TEMPLATES) for _ in range(min(size, DISTINCT_MAX))]
    pool = [(language, value, terms.pack(terms.memory_text("place", value))) for language, value in said]
    for namespace, count in ((MAIN, size), (SMALL, max(size // 100, 10))):
        with store.writing(namespace):  # pyright: ignore[reportArgumentType]
            pass
        for first in range(0, count, BATCH):
            with store._write_transaction() as connection:  # pyright: ignore[reportPrivateUsage]
                number = connection.value("SELECT number FROM namespaces WHERE name = ?", (namespace,))
                item = int(connection.value("SELECT ifnull(max(item), 0) FROM items"))
                _write(connection, number, item, range(first, min(first + BATCH, count)), base, pool)
    store.close()


def _write(connection, number: int, item: int, span: range, base, pool) -> None:  # type: ignore[no-untyped-def]
    chance = np.random.default_rng(span.start + number)
    made = chance.standard_normal((len(span), base.shape[1]), dtype=np.float32)
    made *= MOVED_BY / np.sqrt(base.shape[1])
    made += base[chance.integers(0, len(base), len(span))]
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    items, memories, vectors = [], [], []
    drawn = zip(span, chance.integers(0, len(pool), len(span)).tolist(), made, strict=True)
    for own, (place, sentence, vector) in enumerate(drawn, start=item + 1):
        language, value, packed = pool[sentence]
        at = START_MILLIS + place * 20_000
        items.append((own, number, place + 1, language, at, packed))
        category = CATEGORIES[place % len(CATEGORIES)]
        memories.append((own, number, f"mem_{number:02d}_{place:09d}", f"place_{place}", value, category, language, at))
        vectors.append((own, vector.tobytes()))
    connection.run_many(
        "INSERT INTO items (item, namespace, seq, kind, language, trust, status, session, position, at_ms, "
        "has_vector, terms) VALUES (?, ?, ?, 'memory', ?, 'trusted', 'active', 0, 0, ?, 1, ?)",
        items,
    )
    connection.run_many(
        "INSERT INTO memories (item, namespace, id, key, value, category, language, origin, trust, confidence, "
        "status, created_ms, updated_ms, verified_ms, disputed_by, merged_from, made_by, version) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'user', 'trusted', 0.9, 'active', ?8, ?8, ?8, '[]', '[]', 'write', 1)",
        memories,
    )
    connection.run_many("INSERT INTO vectors (item, vector) VALUES (?, ?)", vectors)
    connection.run(
        "INSERT INTO evidence (item, position, since_version, session_id, turn_index, quote, at_ms, origin) "
        "SELECT item, 0, 1, '', 0, value, created_ms, 'user' FROM memories WHERE item > ?",
        (item,),
    )
    connection.run("UPDATE namespaces SET seq = ? WHERE number = ?", (span.stop, number))


def measured(home: Path, embedder: PreparedEmbedder, questions: Sequence[str]) -> dict[str, float]:
    """The figures of one store, in this process."""
    before = resident_mb()
    figures: dict[str, float] = {}
    with hindsight.open(home, embedder=embedder, settings={"look_back.worker": False}) as hs:
        started = time.perf_counter()
        hs.search(questions[0], namespace=MAIN)
        figures["first search, s"] = time.perf_counter() - started
        figures["resident, MB beside the process"] = resident_mb() - before
        hs.search(questions[0], namespace=SMALL)
        for name, namespace in (("all", MAIN), ("1%", SMALL)):
            spent = sorted(_timed(hs, question, namespace) for question in questions)
            figures[f"{name} p50, ms"] = statistics.median(spent)
            figures[f"{name} p95, ms"] = spent[int(0.95 * (len(spent) - 1))]
        after: list[float] = []
        for place, question in enumerate(questions[:20]):
            hs.write(MAIN, key=f"later_{place}_slot", value=f"A later note, number {place}.", origin="user")
            after.append(_timed(hs, question, MAIN))
        figures["after a write p95, ms"] = sorted(after)[int(0.95 * (len(after) - 1))]
        figures |= scanned(hs, questions, embedder)
    return figures


def _timed(hs: hindsight.Hindsight, question: str, namespace: str) -> float:
    started = time.perf_counter()
    hs.search(question, namespace=namespace)
    return 1000 * (time.perf_counter() - started)


def scanned(hs: hindsight.Hindsight, questions: Sequence[str], embedder: PreparedEmbedder) -> dict[str, float]:
    """The scan of every vector beside a plain sum of the same bytes by as many threads: the machine's floor."""
    core = hs._core  # pyright: ignore[reportPrivateUsage]
    with core.store.reading(MAIN) as scope, core.vectors._shelf.current(scope) as index:  # type: ignore[attr-defined,arg-type]
        matrix, count = index.matrix, index.rows.count
        vectors = embedder.queries(questions[:15])
        scans = [_spent(lambda v=vector: matrix.scan(v, count)) for vector in vectors]
        wide = [block.reshape(-1).view(np.int64) for block in matrix.blocks]
        workers = min(os.cpu_count() or 1, len(wide))

        def read() -> None:
            threads = [threading.Thread(target=lambda k=k: [b.sum() for b in wide[k::workers]]) for k in range(workers)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        floor = [_spent(read) for _ in range(15)]
    return {"scan p50, ms": statistics.median(scans), "floor p50, ms": statistics.median(floor)}


def _spent(action) -> float:  # type: ignore[no-untyped-def]
    started = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - started)


def concurrent(home: Path, embedder: PreparedEmbedder, questions: Sequence[str], seconds: float) -> dict[str, float]:
    """The pauses of a reader while another process writes turns and memories to the same namespace."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    writer = context.Process(target=_keep_writing, args=(home, stop))
    spent: list[float] = []
    with hindsight.open(home, embedder=embedder, settings={"look_back.worker": False}) as hs:
        hs.search(questions[0], namespace=MAIN)
        writer.start()
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            spent.extend(_timed(hs, question, MAIN) for question in questions[:10])
        stop.set()
        writer.join()
    return {"searches": len(spent), "p50, ms": statistics.median(spent), "longest, ms": max(spent)}


def _keep_writing(home: Path, stop) -> None:  # type: ignore[no-untyped-def]
    speech = Speech(99)
    with hindsight.open(home, embedder=None, settings={"look_back.worker": False}) as hs:
        number = 0
        while not stop.is_set():
            number += 1
            turns = [{"role": "user", "content": speech.say(TEMPLATES)[1]} for _ in range(50)]
            hs.observe(MAIN, f"session-{os.getpid()}-{number}", turns, distill=False)
            hs.write(MAIN, key=f"busy_{number}_slot", value=speech.say(TEMPLATES)[1], origin="user")


def resident_mb() -> float:
    """The memory of this process that stands in RAM."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def reported(sizes: Sequence[int], folder: Path, questions: int, *, busy: bool) -> Iterator[dict[str, object]]:
    """The figures for each size; each is measured in a process of its own, so that memory is its own."""
    _, base, _ = prepared(folder, questions)
    for size in sizes:
        home = folder / f"store-{size}"
        if not (home / "filled").is_file():
            started = time.perf_counter()
            fill(home, size, base)
            (home / "filled").write_text("", encoding="ascii")
            print(f"filled {size:,} in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        command = [sys.executable, __file__, "--one", str(home), "--keep", str(folder), "--questions", str(questions)]
        told = subprocess.run([*command, *["--concurrent"] * busy], capture_output=True, text=True, check=False)
        if told.returncode:
            sys.exit(told.stderr)
        yield {"memories": size, **json.loads(told.stdout)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--concurrent", action="store_true", help="measure the pauses beside a writing process")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long the other process writes")
    parser.add_argument("--keep", type=Path, default=None, help="a folder to fill and use again")
    parser.add_argument("--one", type=Path, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="hindsight-search-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if options.one is not None:
            embedder, _, questions = prepared(folder, options.questions)
            found = (
                concurrent(options.one, embedder, questions, options.seconds)
                if options.concurrent
                else measured(options.one, embedder, questions)
            )
            print(json.dumps(found))
            return
        sizes = [int(size) for size in options.sizes.split(",")]
        columns = list(reported(sizes, folder, options.questions, busy=options.concurrent))
    for name in columns[0]:
        values = [column[name] for column in columns]
        print(f"{name:<34}" + "".join(f"{v:>14,}" if isinstance(v, int) else f"{v:>14,.2f}" for v in values))


if __name__ == "__main__":
    main()
