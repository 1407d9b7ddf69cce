"""Input that is no input is refused with a code, however odd it is; nothing raw comes out."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

import hindsight
from hindsight import Hindsight, InvalidRequest, LimitExceeded
from hindsight.services.proposing import PROPOSALS_MAX

NS = "user/zhang-san"
HUGE = 10**5_000


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda hs: hs.wait(None), "invalid_timeout_s"),
        (lambda hs: hs.wait("1"), "invalid_timeout_s"),
        (lambda hs: hs.wait(-1), "invalid_timeout_s"),
        (lambda hs: hs.wait(math.nan), "invalid_timeout_s"),
        (lambda hs: hs.wait(HUGE), "invalid_timeout_s"),
        (lambda hs: hs.wait(True), "invalid_timeout_s"),
        (lambda hs: hs.observe(NS, "s", [], end="no"), "invalid_end"),
        (lambda hs: hs.observe(NS, "s", [], end=1), "invalid_end"),
        (lambda hs: hs.observe(NS, "s", [], distill="false"), "invalid_distill"),
        (lambda hs: hs.observe(NS, "s", [], from_index=-HUGE), "invalid_from_index"),
        (lambda hs: hs.memories(NS, include_untrusted="no"), "invalid_include_untrusted"),
        (lambda hs: hs.memories(NS, limit=HUGE), "invalid_limit"),
        (lambda hs: hs.search("tea", namespace=NS, limit=HUGE), "invalid_limit"),
        (lambda hs: hs.audit(NS, cursor="-1"), "invalid_cursor"),
        (lambda hs: hs.turn_page(NS, "s", cursor="x"), "invalid_cursor"),
        (lambda hs: hs.context("tea", namespace=NS, window_tokens=HUGE), "invalid_window_tokens"),
        (lambda hs: hs.context("tea", namespace=NS, window_tokens=9, share=HUGE), "invalid_share"),
        (lambda hs: hs.context("tea", namespace=NS, window_tokens=9_000, count_tokens=7), "invalid_count_tokens"),
    ],
)
def test_it_is_refused_with_its_code(hs: Hindsight, call: Callable[[Hindsight], object], code: str) -> None:
    hs.observe(NS, "s", [{"role": "user", "content": "I drink tea."}])
    with pytest.raises(InvalidRequest) as caught:
        call(hs)
    assert caught.value.code == code
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("answer", [None, -1, 2.5, "7", [1]])
def test_a_tokenizer_that_does_not_count_is_told_so(hs: Hindsight, answer: object) -> None:
    hs.write(NS, key="favourite_tea", value="The user drinks oolong tea.", origin="user")
    with pytest.raises(InvalidRequest) as caught:
        hs.context("oolong tea", namespace=NS, window_tokens=9_000, count_tokens=lambda text: answer)
    assert caught.value.code == "invalid_count_tokens"


def test_a_gap_of_any_size_is_a_gap(hs: Hindsight) -> None:
    with pytest.raises(hindsight.StateMismatch) as caught:
        hs.observe(NS, "s", [{"role": "user", "content": "tea"}], from_index=HUGE)
    assert caught.value.code == "turn_gap"


@pytest.mark.parametrize("digits", [19, 30, 5_000])
def test_a_cursor_past_every_end_gives_an_empty_page(hs: Hindsight, digits: int) -> None:
    hs.observe(NS, "s", [{"role": "user", "content": "I drink tea."}])
    assert len(hs.audit(NS, cursor="9" * digits)) == len(hs.turn_page(NS, "s", cursor="9" * digits)) == 0
    assert len(hs.audit(NS, subject="s", cursor="9" * digits)) == 0


def test_a_directory_in_place_of_the_settings_is_told(home: Path) -> None:
    (home / "hindsight.toml").mkdir(parents=True)
    with pytest.raises(InvalidRequest, match="cannot be read") as caught:
        hindsight.open(home, embedder="none")
    assert caught.value.code == "invalid_settings"


def test_a_settings_file_with_an_endless_number_is_no_toml(home: Path) -> None:
    home.mkdir()
    (home / "hindsight.toml").write_text(f"[context]\nshare = {'9' * 5_000}\n", encoding="utf-8")
    with pytest.raises(InvalidRequest) as caught:
        hindsight.open(home, embedder="none")
    assert caught.value.code == "invalid_settings"


def test_the_same_proposal_waits_once(each: Hindsight) -> None:
    memory = each.write(NS, key="favourite_tea", value="用户喜欢喝乌龙茶。", origin="user").memory
    first = each.forget(memory.id, namespace=NS, reason="outdated", origin="assistant").proposal
    for reason in ("outdated", "no longer true"):
        assert each.forget(memory.id, namespace=NS, reason=reason, origin="assistant").proposal == first
    each.verify(memory.id, namespace=NS, outcome="changed", value="用户喜欢喝红茶。", origin="assistant")
    each.verify(memory.id, namespace=NS, outcome="changed", value="用户喜欢喝绿茶。", origin="assistant")
    assert len(each.review(NS).proposals) == 3


def test_proposals_are_not_taken_without_end(each: Hindsight) -> None:
    memory = each.write(NS, key="favourite_tea", value="The user drinks oolong tea.", origin="user").memory
    for number in range(PROPOSALS_MAX):
        each.verify(memory.id, namespace=NS, outcome="changed", value=f"Tea no. {number}", origin="assistant")
    with pytest.raises(LimitExceeded, match="review list") as caught:
        each.verify(memory.id, namespace=NS, outcome="rejected", origin="assistant")
    assert caught.value.code == "too_many_proposals"
    assert each.verify(memory.id, namespace=NS, outcome="confirmed").outcome == "applied"
    assert each.review(NS).proposals == ()


def test_a_settled_conflict_leaves_no_proposal_behind(each: Hindsight) -> None:
    each.write(NS, key="饮食_香菜", value="用户喜欢吃香菜。", origin="user")
    conflict = each.write(NS, key="饮食_香菜", value="用户不喜欢吃香菜。", origin="user").conflict
    assert conflict is not None
    for _ in range(2):
        each.settle(conflict.id, namespace=NS, outcome="first", origin="assistant")
    assert len(each.review(NS).proposals) == 1
    each.settle(conflict.id, namespace=NS, outcome="second")
    assert each.review(NS).proposals == ()


def test_the_whole_quarantine_is_counted(each: Hindsight) -> None:
    from dataclasses import replace

    from hindsight.testing import sample_memory

    with each._core.store.writing(NS) as scope:
        for number in range(1_203):
            held = replace(sample_memory(f"mem_{number:04}", namespace=NS), status="quarantined")
            scope.put_memory(held, why="test", terms=b"x")
    assert each.review(NS).quarantined == 1_203


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("Drinks \u202eet\u202c tea\u200b.", "Drinks et tea."),
        ("喜欢\u200b喝\u2066茶\u2069。", "喜欢喝茶。"),
        ("Likes tea\U000e0049\U000e0047.", "Likes tea."),
        ("Family: 👨\u200d👩\u200d👧 and ❤\ufe0f.", "Family: 👨\u200d👩\u200d👧 and ❤\ufe0f."),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("te\u200da", "tea"),
        ("smile 😊\ufe01\ufe02\ufe03!", "smile 😊!"),
        ("a\x1b[31mb\tc\nd", "a\x1b[31mb\tc\nd"),
    ],
)
def test_characters_that_nobody_sees_are_not_kept_in_a_memory(each: Hindsight, sent: str, kept: str) -> None:
    memory = each.write(NS, key="favourite\u200b_\u202edrink", value=sent, source="a\u200bpp", origin="user").memory
    assert (memory.key, memory.value, memory.source) == ("favourite_drink", kept, "app")


def test_a_value_of_hidden_characters_only_is_empty(each: Hindsight) -> None:
    with pytest.raises(InvalidRequest) as caught:
        each.write(NS, key="favourite_drink", value="\u200b\u202e\u2069", origin="user")
    assert caught.value.code == "empty_value"


@pytest.mark.parametrize("said", ["I live in Lei\u200bden\u202e.", "我住在德\u200b伦特\u202e。"])
def test_extracted_values_hold_no_hidden_characters_and_quotes_stay_verbatim(each: Hindsight, said: str) -> None:
    each.observe(NS, "s", [{"role": "user", "content": said}], end=True)
    each.wait()
    [memory] = each.memories(NS)
    assert not any(hidden in memory.key + memory.value for hidden in "\u200b\u202e")
    assert memory.evidence[0].quote in said
    assert each.turns(NS, "s")[0].content == said
