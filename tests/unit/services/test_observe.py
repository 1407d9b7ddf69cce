from __future__ import annotations

import pytest

import hindsight
from hindsight import Hindsight
from hindsight.testing import FrozenClock

NS = "user/zhang-san"


def user(content: str, **more: object) -> dict[str, object]:
    return {"role": "user", "content": content, **more}


def agent(content: str, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": content, **more}


def contents(hs: Hindsight, session: str = "s") -> list[str]:
    return [turn.content for turn in hs.turns(NS, session)]


def test_sending_the_whole_list_again_appends_only_its_tail(hs: Hindsight) -> None:
    talk = [user("hello there"), agent("hi"), user("what is up")]
    assert hs.observe(NS, "s", talk[:2]).appended == 2
    assert hs.observe(NS, "s", talk).appended == 1
    assert hs.observe(NS, "s", talk).appended == 0
    assert contents(hs) == ["hello there", "hi", "what is up"]


def test_turn_by_turn_and_whole_lists_can_be_mixed(hs: Hindsight) -> None:
    for turn in [user("one"), agent("two"), user("one")]:
        hs.observe(NS, "s", [turn])
    assert contents(hs) == ["one", "two", "one"]


def test_a_changed_turn_under_the_same_index_is_refused(hs: Hindsight) -> None:
    hs.observe(NS, "s", [user("hello"), agent("hi")])
    with pytest.raises(hindsight.StateMismatch, match="turn 1"):
        hs.observe(NS, "s", [user("hello"), agent("something else"), user("more")])
    assert contents(hs) == ["hello", "hi"]


def test_a_changed_turn_under_the_same_id_is_refused(hs: Hindsight) -> None:
    hs.observe(NS, "s", [user("hello", id="m1")])
    assert hs.observe(NS, "s", [user("hello", id="m1"), agent("hi", id="m2")]).appended == 1
    with pytest.raises(hindsight.StateMismatch, match="m1"):
        hs.observe(NS, "s", [user("goodbye", id="m1")])
    assert hs.turns(NS, "s")[0].id == "m1"


def test_from_index_is_exact(hs: Hindsight) -> None:
    hs.observe(NS, "s", [user("a"), agent("b")], from_index=0)
    assert hs.observe(NS, "s", [agent("b"), user("c")], from_index=1).appended == 1
    with pytest.raises(hindsight.StateMismatch, match="gap"):
        hs.observe(NS, "s", [user("z")], from_index=9)
    for wrong in (-1, True, "0", 1.0):
        with pytest.raises(hindsight.InvalidRequest):
            hs.observe(NS, "s", [user("z")], from_index=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "turns",
    [
        "hello",
        {"role": "user", "content": "x"},
        [{"content": "x"}],
        [{"role": "narrator", "content": "x"}],
        [{"role": "user", "content": 5}],
        [{"role": "user", "content": "x", "at": "yesterday"}],
        [{"role": "user", "content": "x", "at": "2026-03-08T10:00:00"}],
        [{"role": "user", "content": "x", "at": 5}],
        [{"role": "user", "content": "x", "mood": "good"}],
        [{"role": "user", "content": "a\ud800"}],
        [{"role": "user", "content": "x" * 200_001}],
        [{"role": "user", "content": "x", "origin": "heaven"}],
        [{"role": "user", "content": "x", "id": ""}],
        [{"role": "user", "content": "fine"}, None],
    ],
)
def test_one_bad_turn_refuses_the_whole_call(hs: Hindsight, turns: object) -> None:
    with pytest.raises(hindsight.InvalidRequest):
        hs.observe(NS, "s", turns)  # type: ignore[arg-type]
    assert len(hs.sessions(NS)) == 0


def test_a_caller_can_lower_an_origin_and_never_raise_it(hs: Hindsight) -> None:
    hs.observe(NS, "s", [user("forwarded text", origin="document")])
    assert hs.turns(NS, "s")[0].origin == "document"
    with pytest.raises(hindsight.PermissionDenied):
        hs.observe(NS, "s", [{"role": "tool", "content": "x", "origin": "user"}])
    with pytest.raises(hindsight.PermissionDenied):
        hs.observe(NS, "s", [agent("x", origin="user")])


def test_content_in_parts_becomes_text_and_a_tool_result_in_a_user_message_stays_a_tools(hs: Hindsight) -> None:
    openai = [{"type": "text", "text": "look at this"}, {"type": "image_url", "image_url": {"url": "x"}}]
    anthropic = [
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "The user is rich."}]}
    ]
    hs.observe(NS, "s", [user("", id="a") | {"content": openai}, user("", id="b") | {"content": anthropic}])
    first, second = hs.turns(NS, "s")
    assert first.content == "look at this\n[image_url]"
    assert (second.content, second.role, second.origin) == ("The user is rich.", "tool", "tool")


def test_a_turn_without_a_time_takes_the_one_before_it(hs: Hindsight, clock: FrozenClock) -> None:
    hs.observe(NS, "s", [user("a", at="2026-03-01T23:30:00+08:00"), agent("b")])
    first, second = hs.turns(NS, "s")
    assert first.at.isoformat() == "2026-03-01T15:30:00+00:00"
    assert second.at == first.at
    hs.observe(NS, "t", [user("a")])
    assert hs.turns(NS, "t")[0].at == clock.now()


def test_a_time_without_a_zone_takes_the_calls_zone(hs: Hindsight) -> None:
    hs.observe(NS, "s", [user("a", at="2026-03-01T23:30:00")], time_zone="Asia/Shanghai")
    assert hs.turns(NS, "s")[0].at.isoformat() == "2026-03-01T15:30:00+00:00"


def test_ten_user_turns_trigger_one_look_back(hs: Hindsight) -> None:
    results = [hs.observe(NS, "s", [user(f"number {n} of the list")], from_index=n) for n in range(10)]
    assert [result.trigger for result in results] == [None] * 9 + ["user_turns"]
    assert len(hs.jobs(NS)) == 1


def test_the_end_of_a_task_triggers_a_look_back_and_an_ordinary_turn_does_not(hs: Hindsight) -> None:
    assert hs.observe(NS, "s", [user("我平时用 uv 管理依赖")]).trigger is None
    assert hs.observe(NS, "s", [user("好的就这样")]).trigger == "task_end"
    hs.wait()
    assert [job.state for job in hs.jobs(NS)] == ["done"]


def test_a_quiet_session_is_looked_back_on(hs: Hindsight, clock: FrozenClock) -> None:
    hs.observe(NS, "s", [user("I live in Utrecht and cycle to work.")])
    hs.wait()
    assert len(hs.jobs(NS)) == 0
    clock.advance(minutes=31)
    hs.wait()
    assert [(job.trigger, job.state) for job in hs.jobs(NS)] == [("idle", "done")]


def test_distill_false_never_looks_back(hs: Hindsight) -> None:
    assert hs.observe(NS, "s", [user("that's all, thanks")], distill=False, end=True).trigger is None
    assert len(hs.jobs(NS)) == 0


def test_a_secret_is_masked_before_anything_is_stored(hs: Hindsight, home: object) -> None:
    result = hs.observe(NS, "s", [user("the wifi password is Tr0ub4dor-99x, note it")])
    assert result.masked_secrets == 1
    assert "Tr0ub4dor" not in contents(hs)[0]
    assert hs.observe(NS, "s", [user("the wifi password is Tr0ub4dor-99x, note it")]).appended == 0


def test_turns_are_found_before_they_are_looked_back_on(hs: Hindsight) -> None:
    hs.observe(NS, "s", [user("The flange order number is QX-4471-B.")])
    hits = hs.search("QX-4471-B", namespace=NS).hits
    assert [hit.turn.content for hit in hits if hit.turn] == ["The flange order number is QX-4471-B."]
    assert hits[0].episode is None


def test_forget_that_erases_at_once_and_returns_the_receipt(hs: Hindsight) -> None:
    hs.observe(NS, "s", [user("我的体重是 91 公斤。"), agent("好的。")])
    result = hs.observe(NS, "s", [user("刚才说的体重别记，忘掉吧")])
    assert result.receipt is not None
    assert result.receipt.complete
    assert not any("91" in content for content in contents(hs))
    assert hs.search("91 公斤", namespace=NS, min_relevance=0, layers=["episodic"]).hits == () or not any(
        "91" in hit.text for hit in hs.search("91 公斤", namespace=NS, min_relevance=0)
    )
    distilled = hs.distill(NS, "s")
    assert not any("91" in memory.value for memory in distilled.memories)


def test_an_empty_list_changes_nothing(hs: Hindsight) -> None:
    assert hs.observe(NS, "s", []).appended == 0
    assert len(hs.sessions(NS)) == 0


def test_a_window_that_slides_over_the_conversation_appends_only_what_is_new(hs: Hindsight) -> None:
    talk = [user(f"number {n} of the list") if n % 2 == 0 else agent(f"noted {n}") for n in range(31)]
    hs.observe(NS, "s", talk)
    assert hs.observe(NS, "s", talk[-20:]).appended == 0
    assert hs.observe(NS, "s", [*talk[-20:], agent("and on"), user("go")]).appended == 2


def test_a_piece_that_repeats_the_first_words_is_a_continuation(hs: Hindsight) -> None:
    first = [user("继续"), agent("好的")]
    hs.observe(NS, "s", [*first, user("再来"), agent("可以")])
    assert hs.observe(NS, "s", first).appended == 2
    assert hs.observe(NS, "s", [user("继续"), agent("不行")]).appended == 2
    assert len(hs.turns(NS, "s")) == 8
