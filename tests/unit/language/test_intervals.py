from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from hindsight.language.intervals import held_interval
from hindsight.language.templates import templated

AT = datetime(2026, 4, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("In the Payments team January to March.", "2026-01-01", "2026-03-31"),
        ("Led the garden project from July to September 2024.", "2024-07-01", "2024-09-30"),
        ("Led the garden project from July 2024 through February 2025.", "2024-07-01", "2025-02-28"),
        ("Rented a boat between 3 May 2025 and 10 June 2025.", "2025-05-03", "2025-06-10"),
        ("Lived in Porto from 2019 to 2021.", "2019-01-01", "2021-12-31"),
        ("Was on leave November to February.", "2025-11-01", "2026-02-28"),
        ("Will stay in Oslo from November to February.", "2026-11-01", "2027-02-28"),
        ("On the night shift Jan–Mar.", "2026-01-01", "2026-03-31"),
        ("Ran the shop 2025-01-05 to 2025-03-31.", "2025-01-05", "2025-03-31"),
        ("1 月到 3 月在支付团队。", "2026-01-01", "2026-03-31"),
        ("七月至九月借调到仓储组。", "2025-07-01", "2025-09-30"),
        ("2025年1月至3月在支付团队。", "2025-01-01", "2025-03-31"),
        ("去年十一月到今年二月住在海口。", "2025-11-01", "2026-02-28"),
        ("2019年到2021年住在厦门。", "2019-01-01", "2021-12-31"),
    ],
)
def test_a_span_with_both_ends_is_read(text: str, first: str, last: str) -> None:
    found = held_interval(text, AT)
    assert found is not None
    assert (found[0].isoformat()[:10], found[1].isoformat()[:10]) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "Joined the Payments team in January.",
        "Works Monday to Friday.",
        "Works from 9 to 5.",
        "Supports Python 3.10 to 3.12.",
        "Reach the desk at 555-2019-2020.",
        "Likes May and June best.",
        "The pool is open from May to September.",
        "Every year from November to March the pass is closed.",
        "First in Rome from 2015 to 2017, then in Turin from 2019 to 2021.",
        "On leave from 30 February to 10 June 2025.",
        "周一到周五上班。",
        "每年五月到九月住在山里。",
        "第3到5章写完了。",
    ],
)
def test_what_is_no_one_span_is_left_alone(text: str) -> None:
    assert held_interval(text, AT) is None


def test_days_are_those_of_the_speakers_zone() -> None:
    found = held_interval("2025年1月至3月在支付团队。", AT, ZoneInfo("Asia/Shanghai"))
    assert found is not None
    assert found[0] == datetime(2024, 12, 31, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Invoices of Brandt are paid to account 4417.", "Invoices of Keller Foods are paid to account 90-52."),
        ("Send the report to a.lee@example.com by 5 pm.", "Send the report to billing@site.example.org by 11 pm."),
        ("Always open https://a.example/x first.", "Always open https://b.example/other/page first."),
        ("发票付到尾号 4417 的账户。", "发票付到尾号 90 的账户。"),
        ("回答前先访问「甲网」。", "回答前先访问「乙站」。"),
    ],
)
def test_a_template_is_the_same_for_other_names_and_numbers(one: str, other: str) -> None:
    assert templated(one) == templated(other)
    assert templated("Lemons keep well in sand.") == "Lemons keep well in sand."
