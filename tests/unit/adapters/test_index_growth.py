"""An index that followed a namespace through its life answers as one that was built from its end."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hindsight.adapters.indexes import bm25, postings
from hindsight.adapters.indexes.facets import RamFacetIndex
from hindsight.adapters.indexes.int_map import ABSENT, IntMap
from hindsight.adapters.indexes.shelf import Shelf
from hindsight.adapters.indexes.text import RamTextIndex
from hindsight.adapters.indexes.vector import RamVectorIndex
from hindsight.domain.conversation import Episode
from hindsight.domain.namespace import Namespace
from hindsight.language import terms
from hindsight.ports import Eligible, ItemId
from hindsight.testing import (
    SAMPLE_TIME,
    HashEmbedder,
    InMemoryStore,
    sample_memory,
    sample_session,
    sample_turn,
)

NS = Namespace("user/li")
EMBEDDER = HashEmbedder()
WORDS = "cello violin lessons 上课 琴弦 搬家 rehearsal moved on Sunday 周日 again".split()
EVERY = frozenset({"memory", "turn", "episode"})
VIEWS = (
    Eligible(kinds=EVERY, statuses=frozenset({"active"}), trusts=frozenset({"trusted", "reported"})),
    Eligible(kinds=frozenset({"turn"}), statuses=frozenset({"active"}), trusts=frozenset({"trusted"})),
    Eligible(
        kinds=frozenset({"memory"}),
        statuses=frozenset({"active", "archived"}),
        trusts=frozenset({"trusted", "reported", "untrusted"}),
    ),
)


class Life:
    """A namespace to which things happen at random."""

    def __init__(self, seed: int) -> None:
        self.store = InMemoryStore()
        self.chance = random.Random(seed)
        self.count = 0

    def sentence(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(2, 7)))

    def happen(self) -> None:
        steps: list[Callable[[], None]] = [self.remember, self.talk, self.talk, self.judge, self.erase, self.blank]
        self.chance.choice(steps)()

    def remember(self) -> None:
        self.count += 1
        value = self.sentence()
        memory = sample_memory(f"mem_{self.count:04d}", namespace=NS, key=f"slot_{self.count}", value=value)
        vector = EMBEDDER.passages([value])[0] if self.chance.random() < 0.7 else None
        with self.store.writing(NS) as scope:
            scope.put_memory(memory, why="test", terms=terms.pack(value), vector=vector)

    def talk(self) -> None:
        session = f"s{self.chance.randint(0, 3)}"
        with self.store.writing(NS) as scope:
            first = len(scope.turns(session))
            lines = [self.sentence() + self.chance.choice(["?", "", "？"]) for _ in range(self.chance.randint(1, 4))]
            scope.put_session(sample_session(session, turn_count=first + len(lines)))
            origins = self.chance.choices(["user", "assistant", "web"], k=len(lines))
            turns = [
                replace(sample_turn(session, first + n, line), origin=origin, name=self.chance.choice(["Ada", None]))
                for n, (line, origin) in enumerate(zip(lines, origins, strict=True))
            ]
            scope.add_turns(turns, terms=[terms.pack(line) for line in lines])
            scope.put_episode(self.episode(session, first, first + len(lines) - 1), terms=terms.pack(lines[0]))
        for pending in self.store.pending_texts(limit=2):
            with self.store.writing(NS) as scope:
                scope.put_vector(pending.item, EMBEDDER.passages([pending.text])[0])

    def episode(self, session: str, first: int, last: int) -> Episode:
        self.count += 1
        return Episode(
            id=f"ep_{self.count:04d}", session_id=session, first_index=first, last_index=last, language="en",
            user_said="x", agent_did="", conclusion="", entities=(),
            started_at=SAMPLE_TIME, ended_at=SAMPLE_TIME, created_at=SAMPLE_TIME,
        )  # fmt: skip

    def judge(self) -> None:
        with self.store.writing(NS) as scope:
            page = scope.memory_page(
                statuses={"active", "archived"}, trusts={"trusted", "reported"}, limit=50, after=None
            )
            if page:
                memory = self.chance.choice(page)
                status = self.chance.choice(["active", "archived"])
                scope.put_memory(
                    replace(memory, version=memory.version + 1, status=status, trust="reported"), why="judged"
                )

    def erase(self) -> None:
        with self.store.writing(NS) as scope:
            scope.erase_memories([f"mem_{self.chance.randint(1, max(self.count, 1)):04d}"])
            if self.chance.random() < 0.1:
                scope.erase_session(f"s{self.chance.randint(0, 3)}")

    def blank(self) -> None:
        with self.store.writing(NS) as scope:
            whole = self.chance.random() < 0.5
            scope.replace_turn_words(
                f"s{self.chance.randint(0, 3)}",
                self.chance.randint(0, 5),
                content="" if whole else "cello",
                digest="d" if whole else None,
                terms=b"" if whole else terms.pack("cello"),
            )


def told(shelf: Shelf, life: Life) -> list[object]:
    """Everything that a search asks of the indexes."""
    texts, vectors, facets = RamTextIndex(shelf), RamVectorIndex(shelf), RamFacetIndex(shelf)
    found: list[object] = []
    question = "cello lessons 上课 on Sunday"
    vector = EMBEDDER.queries([question])[0]
    with life.store.reading(NS) as scope:
        items = np.array([entry.item for entry in scope.changes(0, limit=9_999)], dtype=np.int64)
        for eligible in VIEWS:
            matches = texts.search(scope, question, eligible=eligible, limit=20)
            found.append({item: round(score, 4) for item, score in matches.scores.items()})
            found.append(round(matches.ceiling, 6))
            given = texts.scores(scope, question, eligible=eligible, items=items)
            found.append(np.round(given, 4).tolist())
            assert all(given[np.flatnonzero(items == item)[0]] == score for item, score in matches.scores.items())
            found.append(vectors.search(scope, vector, eligible=eligible, limit=20))
        columns = facets.facets(scope, items=items)
        names = facets.speakers(scope)
        found.append([names[code] if code >= 0 else None for code in columns["speaker"].tolist()])
        living = ~columns["deleted"]
        found.append(repr(columns[[n for n in columns.dtype.names or () if n != "speaker"]][living].tolist()))
        found.append(facets.around(scope, items=items[living & (columns["kind"] == 1)], reach=2).tolist())
        found.append([part.tolist() for part in facets.inside(scope, items=items[living & (columns["kind"] == 2)])])
        found.append(np.nan_to_num(vectors.cosines(scope, vector, items=items), nan=-9).tolist())
    return found


@pytest.mark.parametrize("seed", range(6))
def test_an_index_that_followed_every_change_answers_as_one_built_at_once(seed: int) -> None:
    life, followed = Life(seed), Shelf()
    for _ in range(60):
        life.happen()
        grown = told(followed, life)
    assert told(Shelf(), life) == grown


def test_changes_that_leave_the_words_alone_take_no_new_row() -> None:
    life, shelf = Life(1), Shelf()
    for _ in range(5):
        life.remember()
    told(shelf, life)
    for _ in range(30):
        life.judge()
        told(shelf, life)
    with life.store.reading(NS) as scope, shelf.current(scope) as index:
        assert (index.rows.count, index.rows.dead) == (5, 0)


@pytest.mark.parametrize("limit", [1, 5])
def test_leaving_common_words_out_of_the_race_changes_no_score(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    life = Life(4)
    for _ in range(400):
        life.remember()
    eligible = VIEWS[0]

    def best() -> dict[ItemId, float]:
        with life.store.reading(NS) as scope:
            index = RamTextIndex(Shelf())
            return dict(index.search(scope, "violin 琴弦 cello on Sunday", eligible=eligible, limit=limit).scores)

    walked = best()
    monkeypatch.setattr(bm25, "CUT_POSTINGS_MIN", 1)
    assert best() == pytest.approx(walked, rel=1e-5)


def test_postings_in_many_small_runs_are_those_of_one_big_run(monkeypatch: pytest.MonkeyPatch) -> None:
    life = Life(5)
    for _ in range(120):
        life.remember()
    whole = told(Shelf(), life)
    monkeypatch.setattr(postings, "RUN_POSTINGS_MAX", 40)
    monkeypatch.setattr("hindsight.adapters.indexes.shelf.CHANGES_PER_PAGE", 7)
    assert told(Shelf(), life) == whole


def test_a_number_map_keeps_the_last_row_of_each_number() -> None:
    chance, expected, numbers = random.Random(3), dict[int, int](), IntMap()
    for _ in range(300):
        keys = chance.sample(range(200), chance.randint(0, 6))
        rows = [chance.choice([ABSENT, chance.randint(0, 9_999)]) for _ in keys]
        expected.update(zip(keys, rows, strict=True))
        numbers.put(np.array(keys, dtype=np.int64), np.array(rows, dtype=np.int32))
    asked = np.arange(-5, 210)
    assert numbers.get(asked).tolist() == [expected.get(key, ABSENT) for key in asked.tolist()]
