import pytest

from hindsight.language.endings import ends_task


@pytest.mark.parametrize(
    "content",
    [
        "好的就这样",
        "先到这",
        "今天就聊到这儿吧",
        "好的，就这样吧，谢谢！",
        "没有了，辛苦",
        "没别的事了，谢谢你",
        "行了搞定",
        "可以可以，先这样",
        "OK 就这样",
        "就先这样啦👋",
        "没问题了",
        "那先这样，有需要再找你",
        "完事，收工",
        "拜拜",
        "晚安～",
        "that's all",
        "thanks, printing it now",
        "great, merging",
        "cheers, off I go",
        "yep, that's the lot",
        "ok, back to work then",
        "行，下载了",
        "收到，打印去了",
        "好的，不聊了",
        "明白，告辞",
        "That’s all for now, thank you so much!",
        "I'm all set, thanks",
        "No, that's everything.",
        "we're done here",
        "Perfect, thanks. That will be all.",
        "nothing else, thanks",
        "no more questions",
        "let's stop here",
        "ok bye",
        "That's it, thanks!",
        "let's call it a day",
        "I'm good, thanks for all your help",
        "dinner is burning gotta run",
    ],
)
def test_closing_words_end_the_task(content: str) -> None:
    assert ends_task(content)


@pytest.mark.parametrize(
    "content",
    [
        "谢谢",
        "thanks",
        "好的",
        "ok",
        "嗯",
        "可以",
        "电脑修好了",
        "没了吗？",
        "先这样写，然后再改",
        "就这样的风格再来一个",
        "好了，现在帮我写邮件",
        "就这样改吧，顺便加个标题",
        "先到这里等我，我们十点出发",
        "is that all?",
        "that's all I know about bees",
        "that's all wrong",
        "That's it exactly, now add tests",
        "I'm done with part one, now do part two",
        "half an hour at most, that's it",
        "the job is done by cron",
        "",
    ],
)
def test_other_turns_end_nothing(content: str) -> None:
    assert not ends_task(content)


def test_closing_words_of_someone_else_end_nothing() -> None:
    assert not ends_task('She wrote: "Right, that\'s all. Bye."')
    assert not ends_task("他留言说：好的就这样")
    assert not ends_task("> that's all")


def test_a_remark_may_follow_the_close_and_a_request_may_not() -> None:
    assert ends_task("那就先这样。今天有点困")
    assert not ends_task("那就先这样。再帮我查一下天气")


def test_a_very_long_turn_is_judged_by_its_end() -> None:
    assert ends_task("word " * 30_000 + ". That's all, thanks.")
    assert not ends_task("that's all. " + "word " * 30_000)


@pytest.mark.parametrize("piece", ["x", "so much ", "哈", "嗯", "ok", "thanks ", "no ", "好的"])
def test_repeated_courtesies_are_judged_at_once(piece: str) -> None:
    assert not ends_task(piece * 200 + "z")


@pytest.mark.parametrize(
    "content",
    [
        "merging is blocked by the linter",
        "sent",
        "ship it to Turin by Friday",
        'he said "that\'s all, thanks"',
        "走了一万步",
        "打印出来给我看看",
        "好了，下一个问题",
        "发出去了吗",
    ],
)
def test_words_of_leave_that_say_something_else_end_nothing(content: str):
    assert not ends_task(content)
