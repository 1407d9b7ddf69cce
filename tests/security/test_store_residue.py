"""After an erasure and a scrub, no byte of what was erased is in any file of the home."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.conversation import Episode
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Conflict, Proposal, Trace
from hindsight.testing import SAMPLE_TIME, sample_evidence, sample_memory, sample_session, sample_turn

LI, WANG = Namespace("user/li"), Namespace("user/wang")
# Found by its bytes in UTF-8, whatever stands around it.
SECRET = "zq7-对花生过敏-vk9"


def files_with(home: Path, words: str) -> list[str]:
    needle = words.encode()
    return [path.name for path in home.rglob("*") if path.is_file() and needle in path.read_bytes()]


def fill(store: SqliteStore, *, secrets: int, others: int, seed: int = 1, padding: int = 400) -> list[str]:
    """Secret memories and turns among others, in small commits of mixed sizes; the ids of the secret ones."""
    chance = random.Random(seed)
    kinds = ["secret"] * secrets + ["other"] * others
    chance.shuffle(kinds)
    ids: list[str] = []
    for number, kind in enumerate(kinds):
        words = f"{SECRET} {number} " if kind == "secret" else f"likes tea {number} "
        words += "".join(chance.choices("abcdefgh 茶", k=chance.randrange(padding)))
        namespace = LI if kind == "secret" else WANG
        memory = sample_memory(
            f"mem_{chance.randrange(16**8):08x}_{number}",
            namespace=namespace,
            key=words[:60],
            value=words,
            evidence=[sample_evidence("s", number, words)],
        )
        ids += [memory.id] if kind == "secret" else []
        with store.writing(namespace) as scope:
            scope.put_memory(memory, why="added", terms=words.encode(), vector=np.ones(16, dtype=np.float32))
            if number % 3 == 0:
                scope.put_memory(replace(memory, version=2, confidence=0.5), why="changed")
            scope.put_session(sample_session("s", turn_count=number))
            scope.add_turns([sample_turn("s", number, words)], terms=[words.encode()])
    return ids


@pytest.mark.parametrize("seed", range(3))
def test_nothing_of_an_erased_namespace_is_left_in_any_file(tmp_path: Path, seed: int) -> None:
    store = SqliteStore.open(tmp_path)
    fill(store, secrets=60, others=60, seed=seed)
    assert files_with(tmp_path, SECRET)
    with store.writing(LI) as scope:
        scope.erase_everything()
    assert list(store.scrub()) == []
    assert files_with(tmp_path, SECRET) == []
    with store.reading(WANG) as scope:
        assert len(scope.turns("s")) == 60
    assert list(store.check()) == []
    store.close()
    assert files_with(tmp_path, SECRET) == []


def test_nothing_of_single_erased_memories_and_turns_is_left(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    ids = fill(store, secrets=40, others=40, padding=9_000)
    with store.writing(LI) as scope:
        for turn in scope.turns("s"):
            scope.replace_turn_words("s", turn.index, content="", digest="d", terms=b"")
    for memory_id in ids:
        with store.writing(LI) as scope:
            scope.erase_memories([memory_id])
    assert list(store.scrub()) == []
    assert files_with(tmp_path, SECRET) == []
    store.close()


def test_every_kind_of_record_that_holds_words_is_scrubbed(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    episode = Episode(
        id="ep_1",
        session_id="s",
        first_index=0,
        last_index=0,
        language="zh",
        user_said=SECRET,
        agent_did=SECRET,
        conclusion=SECRET,
        entities=(),
        started_at=SAMPLE_TIME,
        ended_at=SAMPLE_TIME,
        created_at=SAMPLE_TIME,
    )
    trace = Trace(id="trc_1", namespace=LI, at=SAMPLE_TIME, query=SECRET, candidates=())
    with store.writing(LI) as scope:
        scope.put_memory(sample_memory("mem_1", value=SECRET, key=SECRET), why="added", terms=SECRET.encode())
        scope.put_session(sample_session("s"))
        scope.add_turns([replace(sample_turn("s", 0, SECRET), name=SECRET)], terms=[SECRET.encode()])
        scope.put_episode(episode, terms=SECRET.encode())
        scope.put_trace(trace)
        scope.put_conflict(
            Conflict(id="con_1", namespace=LI, first="mem_1", second="mem_1", question=SECRET, opened_at=SAMPLE_TIME)
        )
        scope.put_proposal(
            Proposal(
                id="pro_1",
                memory_id="mem_1",
                action="verify",
                proposed_at=SAMPLE_TIME,
                proposed_by="assistant",
                value=SECRET,
                reason=SECRET,
            )
        )
    with store.writing(LI) as scope:
        scope.erase_memories(["mem_1"])
        blank = replace(episode, user_said="", agent_did="", conclusion="")
        scope.replace_episode(blank, terms=b"")
        scope.replace_trace(replace(trace, query=""))
        scope.erase_session("s")
    assert list(store.scrub()) == []
    assert files_with(tmp_path, SECRET) == []
    store.close()


def test_a_scrub_that_a_reader_blocks_says_so_and_the_next_one_finishes(tmp_path: Path) -> None:
    store, other = SqliteStore.open(tmp_path), SqliteStore.open(tmp_path)
    fill(store, secrets=3, others=3)
    with other.reading(LI) as held:
        with store.writing(LI) as scope:
            scope.erase_everything()
        [waiting] = store.scrub()
        assert "holds the store" in waiting
        assert len(held.turns("s")) == 3
    assert list(store.scrub()) == []
    assert files_with(tmp_path, SECRET) == []
    other.close()
    store.close()
