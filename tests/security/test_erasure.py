from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hindsight
from hindsight import Hindsight
from hindsight.adapters.indexes import sidecar
from hindsight.testing import FrozenClock, HashEmbedder

NS = "user/zhang-san"


def residue(home: Path, *words: str) -> list[tuple[str, str]]:
    """Every word of *words* that stands in any file below *home*, with the file."""
    return [
        (str(path.relative_to(home)), word)
        for path in home.rglob("*")
        if path.is_file()
        for word in words
        if word.encode("utf-8") in path.read_bytes()
    ]


def test_no_byte_of_an_erased_memory_is_left(hs: Hindsight, home: Path) -> None:
    hs.observe(NS, "s", [{"role": "user", "content": "My violin teacher is Ottoline Farquharson. Thanks!"}])
    memory = hs.write(
        NS,
        key="violin_teacher_slot",
        value="The user's violin teacher is Ottoline Farquharson.",
        origin="user",
        evidence=[{"session_id": "s", "turn_index": 0, "quote": "My violin teacher is Ottoline Farquharson."}],
    ).memory
    hs.search("who is Ottoline Farquharson", namespace=NS)
    receipt = hs.erase(namespace=NS, memory_id=memory.id)
    assert receipt.complete
    assert receipt.counts["memories"] == 1
    assert residue(home, "The user's violin teacher is Ottoline", "violin_teacher_slot", "My violin teacher is") == []
    assert hs.search("violin teacher Farquharson", namespace=NS, layers=["semantic"]).hits == ()
    with pytest.raises(hindsight.NotFound):
        hs.memory(memory.id, namespace=NS)
    with pytest.raises(hindsight.NotFound):
        hs.erase(namespace=NS, memory_id=memory.id)


def test_no_byte_of_an_erased_memory_is_left_in_an_index_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sidecar, "ROWS_MIN", 20)
    embedder = HashEmbedder()
    words = "The user's zither teacher is Wilhelmina Quackenbush. 古筝老师"
    bytes_kept = np.rint(
        (vector := embedder.passages([f"zither_teacher_slot: {words}", words]))
        / (np.abs(vector).max(axis=1, keepdims=True) / 127.0)
    ).astype(np.int8)

    def holding() -> bool:
        files = [path.read_bytes() for path in (home / "cache").iterdir()]
        return any(row.tobytes() in data for row in bytes_kept for data in files)

    with hindsight.open(home, embedder=embedder) as hs:
        for number in range(30):
            hs.write(
                NS, key=f"shelf_{number}_slot", value=f"Book {number} stands on shelf {number % 7}.", origin="user"
            )
        memory = hs.write(NS, key="zither_teacher_slot", value=words, origin="user").memory
        hs.wait()
        hs.search("zither teacher", namespace=NS)
    with hindsight.open(home, embedder=embedder) as first, hindsight.open(home, embedder=embedder) as second:
        assert first.search("zither teacher", namespace=NS).hits
        assert second.search("zither teacher", namespace=NS).hits
        assert list((home / "cache").iterdir())
        assert first.erase(namespace=NS, memory_id=memory.id).complete
        assert list((home / "cache").iterdir()) == []
    assert not holding()
    assert residue(home, "Quackenbush", "古筝老师") == []
    with hindsight.open(home, embedder=embedder) as hs:
        assert hs.search("which book stands on shelf 3", namespace=NS).hits
        assert not [
            hit for hit in hs.search("zither teacher", namespace=NS) if hit.memory and "zither" in hit.memory.key
        ]


def test_a_late_trace_brings_no_erased_word_back(hs: Hindsight, home: Path) -> None:
    memory = hs.write(NS, key="zither_slot", value="Wilhelmina Quackenbush teaches the zither.", origin="user").memory
    for _ in range(20):
        hs.search("Wilhelmina Quackenbush teaches the zither.", namespace=NS)
    assert hs.erase(namespace=NS, memory_id=memory.id).complete
    hs.wait()
    assert residue(home, "Quackenbush") == []


def test_erasing_a_session_leaves_nothing_of_it_and_the_rest_untouched(hs: Hindsight, home: Path) -> None:
    hs.observe(NS, "gone", [{"role": "user", "content": "My sister Wilhelmina plays the zither."}], end=True)
    hs.observe(NS, "kept", [{"role": "user", "content": "I keep bees in Drenthe."}], end=True)
    hs.wait()
    receipt = hs.erase(namespace=NS, session_id="gone")
    assert receipt.complete
    assert residue(home, "Wilhelmina", "zither") == []
    assert [session.id for session in hs.sessions(NS)] == ["kept"]
    assert hs.search("bees in Drenthe", namespace=NS).hits


def test_erasing_one_namespace_leaves_another_as_it_was(hs: Hindsight, home: Path) -> None:
    for name in ("a", "b"):
        hs.observe(name, "s", [{"role": "user", "content": f"I am {name}-person and I grow quinces."}], end=True)
        hs.write(name, key="fruit_slot", value=f"The {name}-person grows quinces.", origin="user")
    hs.wait()
    before = (hs.memories("b").items, list(hs.turns("b", "s")), hs.episodes("b").items)
    receipt = hs.erase(namespace="a", everything=True)
    assert receipt.complete
    assert residue(home, "a-person") == []
    assert (hs.memories("b").items, list(hs.turns("b", "s")), hs.episodes("b").items) == before
    assert len(hs.memories("a")) == 0
    assert len(hs.sessions("a")) == 0


def test_an_erased_turn_does_not_come_back_by_replay_and_may_be_said_afresh(
    hs: Hindsight, clock: FrozenClock, home: Path
) -> None:
    talk = [
        {"role": "user", "content": "My locker is number 4471.", "at": "2026-03-01T10:00:00Z"},
        {"role": "assistant", "content": "Noted.", "at": "2026-03-01T10:00:05Z"},
    ]
    hs.observe(NS, "s", talk)
    hs.erase(namespace=NS, session_id="s")
    hs.observe(NS, "imported", talk)
    assert not any("4471" in turn.content for turn in hs.turns(NS, "imported"))
    assert residue(home, "4471") == []
    fresh = {"role": "user", "content": "My locker is number 4471.", "at": "2026-03-05T10:00:00Z"}
    hs.observe(NS, "later", [fresh])
    assert [turn.content for turn in hs.turns(NS, "later")] == ["My locker is number 4471."]


def test_words_another_memory_rests_on_are_retained_and_counted(hs: Hindsight) -> None:
    hs.observe(NS, "s", [{"role": "user", "content": "Mum and I both sail on Thursdays."}])
    proof = [{"session_id": "s", "turn_index": 0, "quote": "Mum and I both sail on Thursdays."}]
    first = hs.write(NS, key="sailing_day", value="The user sails on Thursdays.", origin="user", evidence=proof).memory
    hs.write(NS, key="mother_hobby", value="The user's mother sails.", origin="user", evidence=proof)
    receipt = hs.erase(namespace=NS, memory_id=first.id)
    assert receipt.retained == 1
    assert hs.turns(NS, "s")[0].content == "Mum and I both sail on Thursdays."


@pytest.mark.parametrize(
    "what",
    [{}, {"memory_id": "mem_x", "session_id": "s"}, {"everything": "yes"}, {"session_id": ""}],
)
def test_an_unclear_erasure_is_refused(hs: Hindsight, what: dict[str, object]) -> None:
    with pytest.raises(hindsight.InvalidRequest):
        hs.erase(namespace=NS, **what)  # type: ignore[arg-type]


def test_a_receipt_is_signed_and_a_changed_one_is_found_out(hs: Hindsight, home: Path) -> None:
    from dataclasses import replace

    from hindsight.adapters.keyring import FileKeyring
    from hindsight.services.erasing import receipt_message

    hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user")
    receipt = hs.erase(namespace=NS, everything=True)
    keyring = FileKeyring.open(home)
    bare = replace(receipt, signature="")
    assert keyring.verifies(receipt_message(bare), receipt.signature)
    assert not keyring.verifies(receipt_message(replace(bare, retained=7)), receipt.signature)


def test_erasing_one_side_of_a_conflict_unmarks_the_other(hs: Hindsight) -> None:
    kept = hs.write(NS, key="饮食_香菜", value="用户喜欢吃香菜。", origin="user").memory
    gone = hs.write(NS, key="饮食_香菜", value="用户不喜欢吃香菜。", origin="user").memory
    hs.erase(namespace=NS, memory_id=gone.id)
    assert hs.memory(kept.id, namespace=NS).disputed_by == ()
    assert len(hs.conflicts(NS)) == 0


def test_an_episode_keeps_no_part_of_erased_words(hs: Hindsight, home: Path) -> None:
    long = "My violin teacher Yannick from Quimperle comes every second Thursday, " + "and we play scales " * 12 + "."
    hs.observe(NS, "s", [{"role": "user", "content": long}, {"role": "user", "content": "I keep bees."}], end=True)
    hs.wait()
    proof = [{"session_id": "s", "turn_index": 0, "quote": long}]
    memory = hs.write(NS, key="violin_lessons", value="The user has violin lessons.", origin="user", evidence=proof)
    assert hs.erase(namespace=NS, memory_id=memory.memory.id).complete
    assert residue(home, "Yannick", "Quimperle") == []
