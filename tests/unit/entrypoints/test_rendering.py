from __future__ import annotations

import io

from rich.console import Console

from hindsight.domain.records import Page
from hindsight.entrypoints.cli.rendering import excerpt, page, visible


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
