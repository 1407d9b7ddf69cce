"""The chain's lines are RFC 8785 to the byte, and any edit, gap or swap shows."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from hindsight.domain.audit import GENESIS, broken_links, line_of, link
from hindsight.domain.namespace import Namespace
from hindsight.domain.records import AuditEvent
from hindsight.testing import SAMPLE_TIME

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"))
)


def an_event(**detail: object) -> AuditEvent:
    return AuditEvent(
        action="write",
        namespace=Namespace("user/li"),
        subject="mem_1",
        at=SAMPLE_TIME,
        by="user",
        detail=detail,  # type: ignore[arg-type]
    )


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), SCALARS))
def test_a_line_is_what_the_reference_writes(detail: dict[str, None]) -> None:
    event = an_event(**detail)
    expected = {
        "action": "write",
        "at": "2026-03-08T12:00:00.000Z",
        "by": "user",
        "detail": detail,
        "namespace": "user/li",
        "subject": "mem_1",
    }
    assert line_of(event).encode() == rfc8785.dumps(expected)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (-0.0, "0"),
        (123456.75, "123456.75"),
        (-1.5e300, "-1.5e+300"),
        (5e-324, "5e-324"),
        (2**60, '"1152921504606846976"'),
        (float("inf"), '"inf"'),
    ],
)
def test_numbers_are_written_as_the_standard_asks(number: float, text: str) -> None:
    assert f'"detail":{{"n":{text}}}' in line_of(an_event(n=number))


def a_chain(length: int) -> list[tuple[int, str, str]]:
    chain, head = [], GENESIS
    for number in range(1, length + 1):
        line = line_of(an_event(n=number))
        head = link(head, line)
        chain.append((number, line, head))
    return chain


def test_a_whole_chain_and_any_stretch_of_it_hold() -> None:
    chain = a_chain(5)
    assert list(broken_links([])) == list(broken_links(chain)) == []
    assert list(broken_links(chain[2:], number=2, head=chain[1][2])) == []


def test_an_edit_a_gap_and_a_swap_each_show() -> None:
    chain = a_chain(5)
    edited = [*chain[:2], (3, chain[2][1].replace("3", "4"), chain[2][2]), *chain[3:]]
    gap = chain[:2] + chain[3:]
    swapped = [chain[0], (2, *chain[2][1:]), (3, *chain[1][1:]), *chain[3:]]
    assert [next(broken_links(broken))[:15] for broken in (edited, gap, swapped)] == [
        "audit event 3 d",
        "audit event 3 i",
        "audit event 2 d",
    ]
    assert list(broken_links(chain[1:]))
    assert list(broken_links(chain, head="1" * 64))


def test_equal_events_have_different_hashes_in_the_chain() -> None:
    line = line_of(an_event())
    hashes = [GENESIS]
    for _ in range(3):
        hashes.append(link(hashes[-1], line))
    assert all(first != second for first, second in pairwise(hashes))
    assert json.loads(line)["detail"] == {}
