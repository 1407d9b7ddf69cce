from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight.domain.conversation import Turn
from hindsight.domain.ids import SessionId, TurnId
from hindsight.language.forgetting import forget_request, forget_targets

NOW = datetime(2027, 5, 1, tzinfo=UTC)


def talk(*said: str) -> list[Turn]:
    """Turns that alternate between user and assistant, the user first."""
    return [
        Turn(
            session_id=SessionId("s"),
            index=at,
            id=TurnId(f"s#{at}"),
            role="assistant" if at % 2 else "user",
            content=content,
            at=NOW,
            origin="assistant" if at % 2 else "user",
        )
        for at, content in enumerate(said)
    ]


def pointed_at(turns: list[Turn], index: int) -> list[tuple[int, str]]:
    request = forget_request(turns[index].content)
    assert request is not None
    return [
        (span.turn_index, turns[span.turn_index].content[span.start : span.end])
        for span in forget_targets(request, turns, index)
    ]


@pytest.mark.parametrize(
    ("content", "target", "topic"),
    [
        ("忘掉刚才说的", "last", None),
        ("刚才那个别记", "last", None),
        ("嗯，忘掉刚才那句", "last", None),
        ("这句你别记啊", "last", None),
        ("把刚才说的从记忆里删掉", "last", None),
        ("别记我的住址", "topic", "住址"),
        ("把我的手机号忘掉", "topic", "手机号"),
        ("关于小岚的事不要记", "topic", "小岚"),
        ("请删除关于我弟弟的记忆", "topic", "弟弟"),
        ("别把这个记进去", "last", None),
        ("清除你对我的所有记忆", "session", None),
        ("今天聊的全部忘掉", "session", None),
        ("这次对话的内容不要保存", "session", None),
        ("forget what I just said", "last", None),
        ("Please delete that from memory.", "last", None),
        ("I'd rather you didn't remember that", "last", None),
        ("this is off the record", "last", None),
        ("you can forget the part about my salary", "topic", "my salary"),
        ("Don't store anything I said today", "session", None),
        ("don't remember my address", "topic", "my address"),
        ("forget about the Lisbon trip I mentioned", "topic", "the Lisbon trip"),
        ("can you forget what I said about the divorce?", "topic", "the divorce"),
        ("wipe everything about my ex from your memory", "topic", "my ex"),
        ("Please forget everything we discussed", "session", None),
        ("Forget everything I told you about Nadia.", "topic", "Nadia"),
        ("forget all I said regarding the boat", "topic", "the boat"),
        ("Forget everything you know about me", "session", None),
        ("Forget everything we talked about today", "session", None),
        ("忘掉我说过的关于小岚的一切", "topic", "小岚"),
        ("忘掉所有关于小岚的事", "topic", "小岚"),
        ("忘掉我的狗", "topic", "狗"),
        ("忘掉猫的事", "topic", "猫"),
        ("忘掉关于猫的事", "topic", "猫"),
        ("forget all my passwords", "topic", "my passwords"),
        ("Forget everything I told you about Nadia. Let's talk about tea.", "topic", "Nadia"),
        ("I told you: my name is Bo. Forget that.", "last", None),
        ("Please: forget what I just said", "last", None),
    ],
)
def test_a_request_to_forget_is_understood(content: str, target: str, topic: str | None) -> None:
    request = forget_request(content)
    assert request is not None
    assert (request.target, request.topic) == (target, topic)
    assert 0 <= request.start < request.end <= len(content)


@pytest.mark.parametrize(
    "content",
    [
        "我忘了带伞",
        "别忘了刚才说的",
        "忘记密码怎么办",
        "差点忘了说，我住青岛",
        "不要记错了",
        "你会忘掉我说的吗",
        "删掉刚才那段代码",
        "忘掉那个方案，用第二个吧",
        "我忘了刚才说到哪了",
        "别保存文件",
        "密码忘了啊",
        "忘了跟你说，我换工作了",
        "不要把这个写进报告",
        "他说「忘掉刚才说的」",
        "I forgot my umbrella",
        "don't forget to test",
        "forget it, let's take the train",
        "forget that, let's use Postgres",
        "can you forget things?",
        "Did you forget what I said?",
        "I don't remember what I said",
        "never mind",
        "don't save the file yet",
        "don't store passwords in plain text",
        "remove that from the list",
        "he told me to forget what I said",
        "forgot",
        "> forget what I just said\nwhat does this mean?",
        "Delete what I said from the draft.",
        "Please delete my last message to Omar from the draft",
        "delete what I said about Nadia from the draft",
        "记录：别记刚才那句",
        "save button: forget everything I said",
        "Remove everything I said from this document",
        "把刚才那句删掉，换成刮风",
        "把刚才说的从稿子里删掉",
        "怎么翻译 忘掉刚才说的 ？",
        "The button label should be: Forget everything I said",
        "The heading is: Tea\nForget everything I said",
        "标题写成：忘掉刚才说的",
        "forget what I said about soup, what about rice?",
        "按钮叫“把刚才说的忘掉”",
    ],
)
def test_forgetting_as_an_event_or_a_dismissal_asks_for_nothing(content: str) -> None:
    assert forget_request(content) is None


def test_the_last_words_are_the_nearest_statement_and_its_echo() -> None:
    turns = talk(
        "我住在青岛。",
        "好的。",
        "我打算五月辞职去学陶艺。",
        "明白，你五月辞职去学陶艺。要列计划吗？",
        "嗯",
        "好",
        "忘掉刚才说的",
    )
    assert pointed_at(turns, 6) == [(2, "我打算五月辞职去学陶艺。"), (3, "明白，你五月辞职去学陶艺。")]


def test_a_statement_in_the_same_turn_is_what_this_points_at() -> None:
    turns = talk("I like tea.", "Noted.", "My brother is in debt. Please don't remember that.")
    assert pointed_at(turns, 2) == [(2, "My brother is in debt.")]


def test_that_sentence_takes_only_the_last_one() -> None:
    turns = talk("我养了一只龟。它叫石头。", "好。", "忘掉刚才那句")
    assert pointed_at(turns, 2) == [(0, "它叫石头。")]


def test_a_topic_takes_every_sentence_on_it_and_the_request() -> None:
    turns = talk(
        "I fly to Lisbon in May. I take my camera.",
        "Lisbon is lovely in May. Anything else?",
        "Forget about the Lisbon trip I mentioned.",
    )
    assert pointed_at(turns, 2) == [
        (0, "I fly to Lisbon in May."),
        (1, "Lisbon is lovely in May."),
        (2, "Forget about the Lisbon trip I mentioned"),
    ]


def test_an_address_is_found_by_how_people_give_one() -> None:
    turns = talk("我住在青岛闽江路八号。我喜欢海。", "好的。", "别记我的住址")
    assert pointed_at(turns, 2)[0] == (0, "我住在青岛闽江路八号。")


def test_a_topic_of_one_character_is_found_in_what_the_user_said() -> None:
    turns = talk("我养了一只猫。我喜欢海。", "猫砂打折了。", "忘掉关于猫的事")
    assert pointed_at(turns, 2) == [(0, "我养了一只猫。"), (2, "忘掉关于猫的事")]


def test_the_session_takes_everything_up_to_the_request() -> None:
    turns = talk("I like tea.", "Noted.", "Forget everything we discussed")
    assert [index for index, _ in pointed_at(turns, 2)] == [0, 1, 2]


def test_nothing_said_before_leaves_nothing_to_forget() -> None:
    turns = talk("ok", "Hi.", "forget what I just said")
    assert pointed_at(turns, 2) == []


@given(st.text(st.one_of(st.sampled_from("忘掉刚才说的别记我的 forget that my。,"), st.characters()), max_size=120))
def test_any_text_is_judged_and_targets_stay_inside(content: str) -> None:
    turns = talk("I live in Oslo.", "ok", content)
    request = forget_request(content)
    if request is not None:
        assert 0 <= request.start <= request.end <= len(content)
        for span in forget_targets(request, turns, 2):
            assert 0 <= span.start < span.end <= len(turns[span.turn_index].content)


@pytest.mark.parametrize("piece", ["哈", "嗯", "ok ", "hm", "忘掉", "别记", "forget that ", "don't remember ", "把"])
def test_repeated_words_are_judged_at_once(piece: str) -> None:
    turns = talk(piece * 500 + "z", "ok", "forget what I just said")
    assert pointed_at(turns, 2)
    forget_request(piece * 10_000 + "z")


@pytest.mark.parametrize(
    ("content", "topic"),
    [
        ("忘掉所有和旧公寓有关的", "旧公寓"),
        ("把我提到薪水的话都删掉", "薪水"),
        ("请删除我提到过的关于体检的一切", "体检"),
        ("凡是提到我妹妹的都忘掉", "妹妹"),
        ("涉及离婚的内容都从记忆里删掉", "离婚"),
        ("forget everything related to my old flat", "my old flat"),
        ("delete anything I said about my salary", "my salary"),
        ("remove all mentions of my salary from your memory", "my salary"),
        ("forget all about my diet", "my diet"),
    ],
)
def test_all_that_has_to_do_with_something_is_a_topic_and_never_the_whole(content: str, topic: str) -> None:
    request = forget_request(content)
    assert request is not None
    assert (request.target, request.topic) == ("topic", topic)


@pytest.mark.parametrize(
    "content",
    [
        "忘掉我说过的一切",
        "把我说过的都忘掉",
        "忘了我告诉你的一切",
        "erase all I ever told you",
        "delete everything I said",
    ],
)
def test_everything_ever_said_takes_the_session_and_not_the_last_words(content: str) -> None:
    request = forget_request(content)
    assert request is not None
    assert request.target == "session"


@pytest.mark.parametrize(
    "content",
    [
        "忘掉和前任有关的一切真难",
        "怎么才能忘掉所有和他有关的事",
        "删掉所有和面粉有关的",
        "把邮件里和报价有关的都删掉",
        "please delete everything connected with the old API",
        "forget everything related to work, said my boss",
    ],
)
def test_speaking_of_forgetting_or_of_another_text_asks_for_nothing(content: str) -> None:
    assert forget_request(content) is None
