from hypothesis import given
from hypothesis import strategies as st

from hindsight.language.disguises import invisible_spans, unmask, unmask_with_offsets


def test_zero_width_marks_vanish_and_full_width_letters_fold() -> None:
    assert unmask("ig\u200bno\u2060re ｔｈｉｓ：１２３") == "ignore this:123"


def test_entities_are_decoded_as_a_renderer_would() -> None:
    assert unmask("&lt;system&gt; &#x4F60;&#22909;") == "<system> 你好"


def test_look_alike_letters_fold_inside_latin_words() -> None:
    assert unmask("pаsswоrd аnd аdmіn") == "password and admin"


def test_a_russian_word_and_a_greek_symbol_stay_what_they_are() -> None:
    assert unmask("привет, 5 μm") == "привет, 5 μm"


def test_a_composed_and_a_decomposed_letter_read_the_same() -> None:
    assert unmask("cafe\u0301") == unmask("café") == "café"


def test_offsets_lead_back_to_the_original_words() -> None:
    text = "前\u200b面 ＡＢＣ &amp; 后"
    plain = unmask_with_offsets(text)
    at = plain.text.index("ABC")
    start, end = plain.original(at, at + 3)
    assert text[start:end] == "ＡＢＣ"
    at = plain.text.index("&")
    start, end = plain.original(at, at + 1)
    assert text[start:end] == "&amp;"


def test_words_in_tag_characters_are_found() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert invisible_spans(f"hi{hidden}!") == ((2, 6),)


@given(st.text(st.characters(), max_size=200))
def test_every_character_keeps_a_place_in_order(text: str) -> None:
    plain = unmask_with_offsets(text)
    offsets = list(plain.offsets)
    assert len(offsets) == len(plain.text) + 1
    assert offsets == sorted(offsets)
    assert offsets[-1] == len(text)
