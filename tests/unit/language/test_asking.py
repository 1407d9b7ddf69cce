"""Finding what a long message asks by its form."""

from __future__ import annotations

from hindsight.language.asking import QUESTION_WORD_FACTOR, SENTENCES_MAX, last_line, likely_questions


def test_talk_ends_with_what_is_wanted_now() -> None:
    assert last_line("I am off to Bergen.\nLovely, for how long?\n A week. What should I pack?\n") == (
        "A week. What should I pack?"
    )
    assert last_line("我下周去青岛。\n住几天？\n五天，要带什么？") == "五天，要带什么？"
    assert last_line("What should I pack?") is None
    assert last_line("要带什么？\n\n") is None


def test_sentences_with_a_question_mark_are_the_only_likely_ones() -> None:
    assert [s for s, _ in likely_questions("Keep it short. Where is the spare key? Thank you.")] == [
        "Where is the spare key?"
    ]
    assert [s for s, _ in likely_questions("请简短。备用钥匙在哪里？谢谢。")] == ["备用钥匙在哪里？"]


def test_without_a_mark_question_words_count_for_more() -> None:
    english = dict(likely_questions("Keep it short. Tell me where the spare key is."))
    assert english == {"Keep it short.": 1.0, "Tell me where the spare key is.": QUESTION_WORD_FACTOR}
    chinese = dict(likely_questions("请简短。告诉我备用钥匙在哪里。"))
    assert chinese == {"请简短。": 1.0, "告诉我备用钥匙在哪里。": QUESTION_WORD_FACTOR}


def test_the_sentences_looked_at_are_bounded_and_question_words_and_the_last_ones_stay() -> None:
    rules = [f"Rule number {n} holds." for n in range(3 * SENTENCES_MAX)]
    found = [sentence for sentence, _ in likely_questions(" ".join(["Say where Ada lives.", *rules]))]
    assert len(found) == SENTENCES_MAX
    assert found[0] == "Say where Ada lives."
    assert found[-1] == rules[-1]
