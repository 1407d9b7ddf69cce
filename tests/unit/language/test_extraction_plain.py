from __future__ import annotations

import pytest

from hindsight.language.extraction.plain import plainly_said


@pytest.mark.parametrize(
    "text",
    [
        "I love spicy food.",
        "I hate mushrooms!",
        "I live in Porto.",
        "I moved to Braga last month.",
        "I'm allergic to walnuts.",
        "My sister is a nurse in Ghent",
        "Please always answer in short bullet points.",
        "我喜欢吃辣。",
        "我不喜欢香菜",
        "我住在苏州。",
        "我上个月从苏州搬到杭州了。",
        "我对青霉素过敏。",
        "我在一家医院做会计。",
        "以后代码注释都用中文写。",
    ],
)
def test_a_plain_statement_needs_no_judge(text: str) -> None:
    assert plainly_said(text)


@pytest.mark.parametrize(
    "text",
    [
        "I love this idea.",
        "I like that!",
        "I love it",
        "I'd love to see that.",
        "I like your second suggestion.",
        "I like how this reads",
        "Do you think I live in Porto?",
        "I would hate mushrooms if I had to cook them",
        "我喜欢这个方案。",
        "我喜欢你的建议",
        "我喜欢它的颜色吗？",
        "如果我住在苏州",
        "我在想什么呢",
        "我在家做饭",
        "x" * 5000,
        "我喜欢" * 5000,
        "",
    ],
)
def test_reactions_questions_and_suppositions_are_not_plain(text: str) -> None:
    assert not plainly_said(text)
