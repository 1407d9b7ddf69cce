from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from hindsight.domain.ids import LessonId, MemoryId
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import Page
from hindsight.entrypoints.cli.rendering import Lines, excerpt, page, review, taught, visible
from hindsight.services.browse import Review
from hindsight.services.lessons import Taught
from hindsight.services.review import NeedsLook
from hindsight.testing import SAMPLE_TIME, sample_memory


def test_what_would_steer_a_terminal_is_shown_and_not_obeyed() -> None:
    assert visible("a\x1b[2Jb\x07\u202ec") == "a\\u001b[2Jb\\u0007\\u202ec"


def test_lines_tabs_and_chinese_stay_as_they_are() -> None:
    assert visible("第一行\n\t第二行") == "第一行\n\t第二行"


def test_an_excerpt_is_one_line_and_says_that_it_was_cut() -> None:
    assert excerpt("a\nb   c", characters=10) == "a b c"
    assert excerpt("喜欢喝龙井茶", characters=4) == "喜欢喝…"


def test_an_empty_page_says_so() -> None:
    out = io.StringIO()
    for line in page(lambda item: item)(Page(())):
        Console(file=out).print(line)
    assert out.getvalue() == "nothing here\n"


def printed(lines: Lines) -> str:
    out = io.StringIO()
    for line in lines:
        Console(file=out, width=200).print(line)
    return out.getvalue()


def test_a_review_says_why_how_often_and_where_it_goes_on() -> None:
    item = NeedsLook(
        memory=sample_memory("mem_1", value="每天喝龙井。"),
        reasons=("soon_stale", "low_confidence"),
        uses=7,
        stale_from=SAMPLE_TIME,
    )
    found = Review(memories=Page((item,), next_cursor="mem_1"), conflicts=(), proposals=(), quarantined=0)
    said = printed(review(found))
    assert "每天喝龙井。" in said
    assert "soon stale" in said
    assert "little sure" in said
    assert "used 7 times" in said
    assert "--cursor mem_1" in said


def test_a_lesson_shows_what_was_rejected_or_that_it_was_erased() -> None:
    lesson = Taught(
        id=LessonId("les_1"),
        namespace=Namespace("user/li"),
        memory_id=MemoryId("mem_1"),
        memory=sample_memory("mem_1", value="The gate opens inward."),
        trust="reported",
        templated=False,
        by="user",
        learned_at=SAMPLE_TIME,
    )
    assert "The gate opens inward." in printed(taught(lesson))
    assert "erased since" in printed(taught(replace(lesson, memory=None)))
