"""How well questions find their turns: recall on three sets, beside keyword and vectors alone.

    python evals/retrieval.py --shared DIR [--only locomo,madial,lifebench] [--conversation ID] [--sqlite]

Each haystack becomes one namespace of a real store; the product's own search answers, as of the end of the
month a question was asked in where that is told. Abstention is the area under the curve between a
conversation's questions and as many asked of another of its set, with its people's names put in. The
figures of a set are given for all its questions, for those that may be read and for the unread third.
Vectors are cached outside the repository, in the system's folder for temporary files.
"""

from __future__ import annotations

import calendar
import hashlib
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cases
from hindsight.adapters.embedders.auto import open_embedder
from hindsight.adapters.indexes.facets import RamFacetIndex
from hindsight.adapters.indexes.shelf import Shelf
from hindsight.adapters.indexes.text import RamTextIndex
from hindsight.adapters.indexes.vector import RamVectorIndex
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.conversation import Session, Turn
from hindsight.domain.ids import SessionId, TurnId
from hindsight.domain.lifecycle import Policy
from hindsight.domain.memory import Language
from hindsight.domain.namespace import Namespace
from hindsight.language import terms
from hindsight.ports import Eligible, Embedder, ItemId, ReadScope, Vectors
from hindsight.services.questions import QuestionVectors
from hindsight.services.retrieval import MIN_RELEVANCE, Finders, retrieve
from hindsight.testing import InMemoryStore

SETS = {"locomo": "locomo_dev", "madial": "madial_zh", "lifebench": "lifebench_zh_dev"}
CUTS = (5, 10, 20)
TURNS = Eligible(kinds=frozenset({"turn", "episode"}), statuses=frozenset({"active"}), trusts=frozenset({"trusted"}))
_TIMES = ("%I:%M %p on %d %B, %Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")
NAME_CHARACTERS_MAX = 20
TEXTS_SAVED = 512
_NAME = re.compile("[A-Z][a-z]+|(?=([\u4e00-\u9fff]{3}))")


class CachedEmbedder:
    """An embedder whose vectors are kept in a file, so that a second run measures and does not wait."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        probe = inner.passages(["calibration"]).tobytes() + inner.queries(["calibration"]).tobytes()
        # Other constants give other vectors: they get another file.
        self._path = folder / f"{hashlib.sha256(probe).hexdigest()[:12]}.npz"
        self._known: dict[str, NDArray[np.float32]] = {}
        if self._path.is_file():
            with np.load(self._path) as stored:
                self._known = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._cached("q", texts, self._inner.queries)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._cached("p", texts, self._inner.passages)

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        return self._inner.similarity(cosine, first, second)

    def _cached(self, side: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        keys = [hashlib.sha256(f"{side} {text}".encode()).hexdigest()[:20] for text in texts]
        missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._known}
        for start in range(0, len(missing), TEXTS_SAVED):
            batch = dict(list(missing.items())[start : start + TEXTS_SAVED])
            self._known.update(zip(batch, embed(list(batch.values())), strict=True))
            if len(missing) > TEXTS_SAVED:
                self.save()
        return np.stack([self._known[key] for key in keys])

    def save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(self._path, keys=np.array(list(self._known)), rows=np.stack(list(self._known.values())))


def moment(text: str) -> datetime:
    """A haystack's time, taken as UTC."""
    for form in _TIMES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"no known form of time: {text!r}")


def turns_of(stack: dict[str, Any]) -> list[Turn]:
    """The haystack's documents as turns, in their sessions."""
    counts: dict[str, int] = defaultdict(int)
    turns: list[Turn] = []
    for doc in stack["docs"]:
        name, mark, rest = doc["text"].partition(": ")
        spoken = stack["lang"] == "en" and mark and len(name) <= NAME_CHARACTERS_MAX
        turns.append(
            Turn(
                session_id=SessionId(doc["session"]),
                index=counts[doc["session"]],
                id=TurnId(doc["id"]),
                role="user",
                content=rest if spoken else doc["text"],
                at=moment(doc["time"]),
                origin="user",
                name=name if spoken else None,
            )
        )
        counts[doc["session"]] += 1
    return turns


def fill(store: Any, namespace: Namespace, turns: Sequence[Turn], embedder: CachedEmbedder) -> None:
    """Write the turns, then their vectors as the store's own worker would."""
    sessions: dict[SessionId, list[Turn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session_id].append(turn)
    with store.writing(namespace) as scope:
        for session_id, members in sessions.items():
            ends = (members[0].at, members[-1].at)
            scope.put_session(
                Session(
                    id=session_id,
                    turn_count=len(members),
                    user_turns_pending=0,
                    distilled_to=0,
                    started_at=ends[0],
                    last_at=ends[1],
                    observed_at=ends[1],
                )
            )
            packed = [terms.pack(terms.turn_text(t.name, t.content), t.at) for t in members]
            scope.add_turns(members, terms=packed)
    while pending := store.pending_texts(limit=256):
        vectors = embedder.passages([p.text for p in pending])
        with store.writing(namespace) as scope:
            for text, vector in zip(pending, vectors, strict=True):
                scope.put_vector(text.item, vector)


class Bench:
    """One filled haystack and the ways to search it."""

    def __init__(self, store: Any, stack: dict[str, Any], embedder: CachedEmbedder) -> None:
        self.stack, self.embedder, self.store = stack, embedder, store
        self.namespace = Namespace(f"eval/{stack['cid']}")
        turns = turns_of(stack)
        fill(store, self.namespace, turns, embedder)
        self.now = max(t.at for t in turns) + timedelta(days=1)
        shelf = Shelf()
        self.texts, self.vectors = RamTextIndex(shelf), RamVectorIndex(shelf)
        self.finders = Finders(
            texts=self.texts, vectors=self.vectors, facets=RamFacetIndex(shelf),
            questions=QuestionVectors(embedder), policy=Policy(),
        )  # fmt: skip

    def product(self, scope: ReadScope, query: str, now: datetime) -> list[ItemId]:
        return [r.item for r in self.ranked(scope, query, now)]

    def ranked(self, scope: ReadScope, query: str, now: datetime) -> list[Any]:
        return retrieve(
            scope, query, finders=self.finders, now=now,
            eligible=TURNS, limit=max(CUTS), min_relevance=0.0,
        )[0]  # fmt: skip

    def keyword(self, scope: ReadScope, query: str, now: datetime) -> list[ItemId]:
        found = self.texts.search(scope, query, eligible=TURNS, limit=max(CUTS)).scores
        return sorted(found, key=lambda item: (-found[item], item))

    def dense(self, scope: ReadScope, query: str, now: datetime) -> list[ItemId]:
        vector = self.embedder.queries([query])[0]
        return [i for i, _ in self.vectors.search(scope, vector, eligible=TURNS, limit=max(CUTS))]

    def asked_at(self, query: dict[str, Any]) -> datetime:
        """The end of the month a question was asked in; the day after the last turn where that is not told."""
        if "ask_time" not in query:
            return self.now
        year, month = (int(part) for part in query["ask_time"].split("-")[:2])
        return datetime(year, month, calendar.monthrange(year, month)[1], 23, 59, tzinfo=UTC)

    def recall(self, way: str, *, asking: Callable[[str], str] = str) -> list[Row]:
        """Of each question with evidence, recall at each cut and hit at the first; *asking* puts its text."""
        rows: list[Row] = []
        answer = getattr(self, way)
        with self.store.reading(self.namespace) as scope:
            for query in self.stack["queries"]:
                gold = set(query["gold"])
                if not gold:
                    continue
                items = answer(scope, asking(query["text"]), self.asked_at(query))
                turns = scope.turns_of(items)
                ids = [turns[item].id for item in items]
                row = [len(gold & set(ids[:cut])) / len(gold) for cut in CUTS]
                row.append(float(bool(gold & set(ids[: CUTS[0]]))))
                rows.append(Row(str(query["cat"]), cases.is_unread(query["id"]), row))
        return rows

    def tops(self, queries: Sequence[str]) -> list[float]:
        """The best hit's relevance for each question."""
        with self.store.reading(self.namespace) as scope:
            found = [self.ranked(scope, query, self.now) for query in queries]
        return [ranked[0].relevance if ranked else 0.0 for ranked in found]

    @property
    def speakers(self) -> list[str]:
        return sorted({turn.name for turn in turns_of(self.stack) if turn.name})


@dataclass(frozen=True)
class Row:
    """One question's figures."""

    category: str
    unread: bool
    figures: list[float]


def people(first: Bench, second: Bench) -> tuple[list[str], list[str]]:
    """The names of two conversations' people: their speakers, or else whom the one names most and the other never."""
    if first.speakers and second.speakers:
        return first.speakers, second.speakers
    counts = []
    for bench in (first, second):
        texts = [entry["text"] for entry in (*bench.stack["docs"], *bench.stack["queries"])]
        counts.append(
            Counter(n for text in texts for n in {m.group(1) or m.group() for m in _NAME.finditer(text)} if n)
        )
    names = []
    for own, other in (counts, counts[::-1]):
        names.append([max((n for n in own if n not in other), key=lambda n: (own[n], n))])
    return names[0], names[1]


def renamed(text: str, old: Sequence[str], new: Sequence[str]) -> str:
    """*text* with each old name replaced by the new one at its place."""
    for before, after in zip(old, new, strict=False):
        text = text.replace(before, after)
    return text


def area(own: Sequence[float], foreign: Sequence[float]) -> float:
    """The chance that an own question scores above a foreign one."""
    first, second = np.asarray(own)[:, None], np.asarray(foreign)[None, :]
    return float((first > second).mean() + 0.5 * (first == second).mean())


def _line(rows: Sequence[Row]) -> str:
    means = 100 * np.mean(np.asarray([row.figures for row in rows]), axis=0)
    return f"R@5 {means[0]:5.1f}  R@10 {means[1]:5.1f}  R@20 {means[2]:5.1f}  hit@5 {means[3]:5.1f}  ({len(rows)})"


def _by_category(rows: Sequence[Row]) -> None:
    for category in sorted({row.category for row in rows}):
        print(f"    {category:32} {_line([row for row in rows if row.category == category])}")


def report(name: str, benches: Sequence[Bench]) -> None:
    everything: list[Row] = []
    for bench in benches:
        print(f"\n{bench.stack['cid']}: {len(bench.stack['docs'])} turns, {len(bench.stack['queries'])} questions")
        for way in ("product", "keyword", "dense"):
            started = time.perf_counter()
            rows = bench.recall(way)
            spent = 1000 * (time.perf_counter() - started) / len(rows)
            print(f"  {way:8} {_line(rows)}  {spent:5.1f} ms")
            if way == "product":
                _by_category(rows)
                everything += rows
    print(f"\n{name}, all questions")
    print(f"  {'product':8} {_line(everything)}")
    for label, unread in (("read", False), ("unread", True)):
        print(f"  {label:8} {_line([row for row in everything if row.unread == unread])}")
    _by_category(everything)
    abstention(benches)


def abstention(benches: Sequence[Bench]) -> None:
    print("\nabstention: own questions against as many of another conversation, its names put in")
    for first, second in zip(benches, [*benches[1:], *benches[:1]], strict=True):
        if first is second:
            continue
        count = min(len(first.stack["queries"]), len(second.stack["queries"]))
        ours, theirs = people(first, second)
        own = first.tops([q["text"] for q in first.stack["queries"][:count]])
        foreign = first.tops([renamed(q["text"], theirs, ours) for q in second.stack["queries"][:count]])
        passed = [100 * np.mean(np.asarray(values) >= MIN_RELEVANCE) for values in (own, foreign)]
        print(f"  {first.stack['cid']:14} area {area(own, foreign):.3f}  "
              f"answered {passed[0]:.0f}%  foreign answered {passed[1]:.0f}%")  # fmt: skip


def main() -> None:
    parser = cases.parser(__doc__ or "")
    parser.add_argument("--only", default="locomo,madial,lifebench")
    parser.add_argument("--conversation", default=None)
    parser.add_argument("--sqlite", action="store_true", help="through SQLite instead of memory")
    arguments = parser.parse_args()
    embedder = CachedEmbedder(open_embedder(), Path(tempfile.gettempdir()) / "hindsight-eval-vectors")
    for name in arguments.only.split(","):
        stacks = [s for s in cases.load(SETS[name], arguments.shared) if arguments.conversation in (None, s["cid"])]
        with tempfile.TemporaryDirectory() as home:
            store: Any = SqliteStore.open(Path(home)) if arguments.sqlite else InMemoryStore()
            with closing(store):
                report(name, [Bench(store, stack, embedder) for stack in stacks])
                embedder.save()


if __name__ == "__main__":
    main()
