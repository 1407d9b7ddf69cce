"""How a kept sentence reads: one fluent statement about the user, in both languages."""

import pytest

from hindsight.domain.memory import Language
from hindsight.language.extraction.values import answered, confirmed, third_person


@pytest.mark.parametrize(
    ("said", "language", "value"),
    [
        ("I'm learning to weave because my aunt gave me her loom.", "en", None),
        (
            "I keep my bees on my roof and I sell my honey.",
            "en",
            "The user keeps their bees on their roof and they sell their honey",
        ),
        (
            "I want to be sure I'm covered in case it breaks.",
            "en",
            "The user wants to be sure they're covered in case it breaks",
        ),
        (
            "My partner and I have run a bakery since 2011.",
            "en",
            "The user and their partner have run a bakery since 2011",
        ),
        (
            "They gave me their old kiln, so I fire my own pots.",
            "en",
            "They gave the user their old kiln, so the user fires the user's own pots",
        ),
        ("Actually, by the way, I only drink oat milk, keep that in mind.", "en", "The user only drinks oat milk"),
        ("Speaking of ferries, I get seasick.", "en", "The user gets seasick"),
        (
            "As you mentioned, I should stretch, and I do it every night.",
            "en",
            "The user should stretch, and they do it every night",
        ),
        ("The rent is due on the third.", "en", "The rent is due on the third"),
        ("我自我感觉英语还行。", "zh", "用户自我感觉英语还行"),
        ("我们这边冬天没有暖气。", "zh", "用户这边冬天没有暖气"),
        ("我们公司在苏州做轴承。", "zh", "用户公司在苏州做轴承"),
        ("但你知道我平时爱爬山。", "zh", "用户平时爱爬山"),
        ("嗯，其实我只喝无糖豆浆，记一下。", "zh", "用户只喝无糖豆浆"),
        ("每天早上跑五公里。", "zh", "用户每天早上跑五公里"),
        ("我妈在社区教书法。", "zh", "用户妈妈在社区教书法"),
        ("我把我的相机都换成了胶片机。", "zh", "用户把自己的相机都换成了胶片机"),
        ("还有个习惯，我睡前要看半小时书。", "zh", "还有个习惯，用户睡前要看半小时书"),
    ],
)
def test_the_users_words_become_one_sentence_a_colleague_would_write(said: str, language: Language, value: str | None):
    got = third_person(said, language)
    assert got == (value or "The user is learning to weave because their aunt gave them her loom")


@pytest.mark.parametrize("said", ["我们一般用砂纸打磨。", "咱们这栋楼没电梯。", "我们家有两只鹦鹉。"])
def test_we_is_no_stilted_phrase(said: str):
    value = third_person(said, "zh")
    assert value.startswith("用户")
    assert "用户这边一般" not in value
    assert "说：" not in value


@pytest.mark.parametrize(
    ("question", "answer", "language", "value"),
    [
        ("What's your shoe size", "44", "en", "The user's shoe size: 44"),
        ("Which loom do you use", "a Glimakra", "en", "Which loom the user uses: a Glimakra"),
        ("您住在哪里", "绍兴", "zh", "用户住在绍兴"),
        ("你平时用什么相机", "理光 GR", "zh", "用户平时用的相机是理光 GR"),
        ("你们的最低起订量是多少", "两百件", "zh", "用户的最低起订量是两百件"),
    ],
)
def test_question_and_answer_fold_into_one_statement(question: str, answer: str, language: Language, value: str):
    assert answered(question, answer, language) == value


@pytest.mark.parametrize(
    ("statement", "language", "value"),
    [
        ("you are on the night shift", "en", "The user is on the night shift"),
        ("您每周三休息", "zh", "用户每周三休息"),
        ("最大行宽是 88", "zh", "用户确认最大行宽是 88"),
    ],
)
def test_an_accepted_guess_is_told_as_a_fact(statement: str, language: Language, value: str):
    assert confirmed(statement, language) == value


@pytest.mark.parametrize(
    ("order", "value"),
    [
        ("don't ever print the full log", "The user asks not to print the full log"),
        ("please never use emoji", "The user asks to never use emoji"),
        ("use metric units", "The user asks to use metric units"),
        ("no tables", "The user wants no tables"),
    ],
)
def test_an_order_is_a_wish_of_the_user(order: str, value: str):
    assert third_person(order, "en", frame="wants") == value


def test_a_chinese_order_is_a_wish_of_the_user():
    assert third_person("请以后别用表格", "zh", frame="wants") == "用户要求以后别用表格"
