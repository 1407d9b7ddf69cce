"""What a text is found by: codes whole, Chinese in two characters, English by its stem."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from hindsight.language import terms

AT = datetime(2026, 5, 7, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "code",
    [
        "ask-codex",
        "C:\\repo\\a.py",
        "don't",
        "v3.11.2",
        "550e8400-e29b-41d4-a716-446655440000",
        "src/app/main.rs",
        "user_name",
        "c++",
    ],
)
def test_a_code_like_word_is_kept_whole_on_both_sides(code: str) -> None:
    assert terms.normalise(code) in terms.tokens(f"please run {code} again")
    assert terms.normalise(code) in terms.query_tokens(code)


def test_a_code_like_word_is_found_by_its_parts() -> None:
    assert {"ask", "codex"} <= set(terms.tokens("use ask-codex here"))
    assert {"repo", "py"} <= set(terms.tokens("see C:\\repo\\a.py"))


@pytest.mark.parametrize("query", ['"', "AND", "*", "don't", "status: done", "过敏", "的", "茶", "😀", "the"])
def test_a_question_of_one_odd_word_still_has_a_term_that_its_text_has(query: str) -> None:
    asked = terms.query_tokens(query)
    assert asked
    assert set(asked) <= set(terms.tokens(f"before {query} after"))


def test_stop_words_leave_a_question_that_has_others() -> None:
    assert terms.query_tokens("What did the dogs eat?") == ["dog", "eat"]
    assert "什么" not in terms.query_tokens("他喜欢什么水果")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("資料庫備份", "资料库备份"),
        ("１２３號房", "123号房"),
        ("Ｐｙｔｈｏｎ", "python"),
        ("cafe\u0301", "café"),
        ("❤️ tea", "❤ tea"),
        ("don’t", "don't"),
        ("三月五号", "3月5日"),
    ],
)
def test_spellings_of_one_text_give_the_same_terms(one: str, other: str) -> None:
    assert terms.tokens(one) == terms.tokens(other)


@pytest.mark.parametrize(
    ("form", "other"),
    [("walked", "walking"), ("went", "go"), ("studies", "study"), ("boxes", "box"), ("children", "child")],
)
def test_forms_of_an_english_word_meet(form: str, other: str) -> None:
    assert terms.tokens(form) == terms.tokens(other)


@pytest.mark.parametrize("text", ["a\ud800b", "\x00", "", "   ", "\U0001f468\u200d\U0001f469", "\u202e" * 9])
def test_broken_text_never_raises(text: str) -> None:
    assert isinstance(terms.pack(text), bytes)
    assert isinstance(terms.query_tokens(text), list)


def test_a_packed_text_tells_its_length_and_its_terms_in_order() -> None:
    words = np.frombuffer(terms.pack("tea tea and biscuits"), dtype="<u4")
    assert words[0] == 3
    assert list(words[1:]) == sorted(words[1:])
    assert (terms.hash_of("tea") << terms.FREQUENCY_BITS) | 2 in words[1:]


def test_nothing_to_find_packs_to_nothing() -> None:
    assert terms.pack("") == b""
    assert terms.pack("。，") == b""


def test_a_turn_is_found_by_its_speaker_and_its_day_in_both_languages() -> None:
    dated = terms.pack(terms.turn_text("Priya", "The kiln is fixed"), AT)
    found = {int(n) >> terms.FREQUENCY_BITS for n in np.frombuffer(dated, "<u4")[1:]}
    assert {terms.hash_of(term) for term in ("priya", "kiln", "may", "2026", "5月", "7日")} <= found


def test_a_memory_is_found_by_the_words_of_its_key() -> None:
    assert {"tram", "stop"} <= set(terms.tokens(terms.memory_text("tram_stop", "takes the 12")))
