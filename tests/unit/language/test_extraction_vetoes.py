"""Talk about the talk and the moment is not kept, in both languages; what lasts is left to the judge."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from hindsight.domain.conversation import Turn
from hindsight.language.extraction import extract, tagging
from hindsight.language.extraction.vetoes import veto_of

LONG_TALK = {"assistant:long": 1.0, "session:long": 1.0}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("她猛地转身，冷冷地看着门口。", "narrative"),
        ("The captain suddenly turned around and whispered.", "narrative"),
        ("拆解得很到位", "reaction"),
        ("特别是分层晾晒的建议很实用", "reaction"),
        ("你说得对，急不来", "reaction"),
        ("That's a really helpful way to look at it.", "reaction"),
        ("I agree, the tips you gave were useful.", "reaction"),
        ("刚和客户吃完饭", "momentary"),
        ("今天下午去河边钓了会儿鱼", "momentary"),
        ("This morning I walked past the old mill.", "momentary"),
        ("想提前了解一下流程", "request"),
        ("I'm looking for a good stroller.", "request"),
        ("回头我按这个试试", "intention"),
        ("I think I'll look into those pans.", "intention"),
        ("真的特别感动", "feeling"),
        ("总不能回回都让隔壁代收", "question"),
        ("I'm so excited and I hope it lasts.", "feeling"),
    ],
)
def test_a_way_of_speaking_that_keeps_nothing_is_vetoed(text: str, reason: str):
    assert veto_of(text, LONG_TALK) == reason


@pytest.mark.parametrize(
    "text",
    [
        "我每天晚上给女儿讲故事",
        "今天复查，医生说我不能吃海鲜",
        "我刚搬到泉州",
        "I just moved to Tromsø.",
        "I always swim on Sundays.",
        "我对猫毛过敏",
        "以后别用英文回我",
    ],
)
def test_what_lasts_is_left_to_the_judge(text: str):
    assert veto_of(text, LONG_TALK) is None


def talk(*said: tuple[str, str]) -> list[Turn]:
    start = datetime(2026, 5, 4, 8, 0, tzinfo=UTC)
    return [
        Turn(
            session_id="s",  # type: ignore[arg-type]
            index=n,
            id=f"s#{n}",  # type: ignore[arg-type]
            role=role,  # type: ignore[arg-type]
            content=content,
            at=start + timedelta(minutes=n),
            origin=role,  # type: ignore[arg-type]
        )
        for n, (role, content) in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("guess", "yes"),
    [
        ("您是想知道怎么挑选木料，对吗？", "对，就是这个意思！"),
        ("听起来你心里已经有答案了，对吧？", "没错！"),
        ("So you're looking for a quieter drill?", "yes exactly"),
    ],
)
def test_a_request_said_back_is_not_adopted(guess: str, yes: str):
    assert extract(talk(("assistant", guess), ("user", yes))).candidates == ()


@pytest.mark.parametrize(
    ("reply", "thanks"),
    [
        ("始终先刷底漆。" + "底漆要薄，等它干透再上面漆。" * 30, "很详细，我记下了！"),
        ("Always prime first. " + "Keep each coat thin and let it dry. " * 20, "Great, noted, thanks!"),
    ],
)
def test_noting_a_long_reply_adopts_nothing_of_it(reply: str, thanks: str):
    assert extract(talk(("assistant", reply), ("user", thanks))).candidates == ()


class Recording:
    """An embedder that counts its calls."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(list(texts))
        return np.full((len(texts), 5), 5**-0.5, dtype=np.float32)


def test_one_look_back_embeds_once_and_a_stranger_is_not_asked_again():
    embedder = Recording()
    turns = talk(("user", "I teach physics in Porto. I only cycle to work."), ("user", "We deploy on Wednesdays."))
    extract(turns, embed=embedder.passages)
    assert len(embedder.calls) == 1
    extract(turns, embed=embedder.passages)
    assert len(embedder.calls) == 1


def test_the_chinese_dictionary_is_loaded_with_the_first_chinese_words_only():
    assert "rjieba" not in vars(tagging)
    assert ("画室", "n") in tagging.tagged("一间画室")
