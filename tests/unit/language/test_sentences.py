import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.language.sentences import clauses, sentences


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We ship on Mondays. never on a holiday", ["We ship on Mondays.", "never on a holiday"]),
        ("我住三楼。电梯坏了！怎么办？", ["我住三楼。", "电梯坏了！", "怎么办？"]),
        ("Use Node 20.11.1 at build.example.org please", ["Use Node 20.11.1 at build.example.org please"]),
        ("Dr. Oduya saw 3.5 kg, e.g. on the old scale.", ["Dr. Oduya saw 3.5 kg, e.g. on the old scale."]),
        ("1. 先备份\n2. 再迁移", ["1. 先备份", "2. 再迁移"]),
        ("I've got... 7 or so left", ["I've got... 7 or so left"]),
        ("labels say c. 1790 here", ["labels say c. 1790 here"]),
        ("", []),
        (" \n\t…！", []),
    ],
)
def test_a_sentence_ends_where_a_reader_would_end_it(text: str, expected: list[str]):
    assert parts(text) == expected


def test_clauses_break_at_commas_and_joining_words_but_not_inside_numbers():
    text = "it costs 1,250 a month, but we only pay half"
    assert [text[a:b] for a, b in clauses(text)] == ["it costs 1,250 a month", "but we only pay half"]
    chinese = "周三开会，其余时间 都可以"
    assert [chinese[a:b] for a, b in clauses(chinese)] == ["周三开会", "其余时间", "都可以"]


@given(st.text(max_size=400))
def test_sentences_are_in_order_and_never_overlap(text: str):
    found = sentences(text)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(found[n][1] <= found[n + 1][0] for n in range(len(found) - 1))
