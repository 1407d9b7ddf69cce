from hypothesis import given
from hypothesis import strategies as st

from hindsight.domain.fingerprints import echoed_share, echoed_spans, fingerprints

KEY = b"k" * 32
SERVED = "- The user keeps two hives named Ada and Grace.\n- 用户毕业于云麓农学院，擅长嫁接。"


def share(text: str) -> float:
    return echoed_share(text, fingerprints(SERVED, key=KEY), key=KEY)


def test_served_text_is_recognised_whole() -> None:
    assert share("The user keeps two hives named Ada and Grace.") >= 0.85
    assert share("用户毕业于云麓农学院") >= 0.8


def test_case_spaces_punctuation_and_width_do_not_hide_an_echo() -> None:
    assert share("THE USER, keeps two-hives named 'Ada' and   grace!!") >= 0.85
    assert share("ｔｈｅ　ｕｓｅｒ　ｋｅｅｐｓ　ｔｗｏ　ｈｉｖｅｓ") > 0.7
    assert share("用户 毕业于「云麓」农学院？") >= 0.8


def test_own_words_on_the_same_matter_are_no_echo() -> None:
    assert share("I sold one of my hives, so Grace is gone.") == 0.0
    assert share("我当年在云麓读的书") == 0.0


def test_a_text_too_short_to_tell_is_never_an_echo() -> None:
    assert fingerprints("喜欢茶", key=KEY) == frozenset()
    assert share("Ada") == share("") == share("？！") == 0.0


def test_only_the_repeating_sentences_are_spans() -> None:
    text = "今天天气不错。用户毕业于云麓农学院，擅长嫁接！明天再说吧。"
    spans = echoed_spans(text, fingerprints(SERVED, key=KEY), key=KEY)
    assert [text[start:end] for start, end in spans] == ["用户毕业于云麓农学院，擅长嫁接！"]


def test_another_key_recognises_nothing() -> None:
    assert echoed_share(SERVED, fingerprints(SERVED, key=KEY), key=b"other") == 0.0


def test_short_sentences_of_eight_characters_and_five_words_are_recognised() -> None:
    for text in ("每周三下午练琴", "she only rides red bicycles"):
        assert echoed_share(text, fingerprints(f"前文在此。{text}。后文也在。", key=KEY), key=KEY) >= 0.6


@given(st.text(st.characters(), max_size=200))
def test_a_text_is_its_own_echo_or_too_short(text: str) -> None:
    served = fingerprints(text, key=KEY)
    assert all(0 <= value < 2**63 for value in served)
    whole = echoed_share(text, served, key=KEY)
    assert 0.0 <= whole <= 1.0
    assert (whole == 0.0) == (not served)
    assert all(0 <= start < end <= len(text) for start, end in echoed_spans(text, served, key=KEY))
