from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hindsight.domain.ids import LessonId, MemoryId
from hindsight.domain.lessons import Claim, Lesson, is_fresh, stops
from hindsight.domain.namespace import Namespace
from hindsight.testing import SAMPLE_TIME

HOUR = timedelta(hours=1)
LESSON = Lesson(
    id=LessonId("les_1"),
    namespace=Namespace("user/li"),
    memory_id=MemoryId("mem_1"),
    language="en",
    trust="reported",
    templated=False,
    by="user",
    learned_at=SAMPLE_TIME,
)
REPORT = Claim(trust="reported", at=SAMPLE_TIME + HOUR, cites=False, independent=False)
USERS = Claim(trust="trusted", at=SAMPLE_TIME + HOUR, cites=True, independent=False)


def test_the_same_source_is_stopped_and_another_one_is_heard_after_the_rejection() -> None:
    assert stops(LESSON, REPORT)
    assert not stops(LESSON, replace(REPORT, independent=True))
    assert stops(LESSON, replace(REPORT, independent=True, at=SAMPLE_TIME - HOUR))


def test_of_untrusted_text_no_other_source_is_heard() -> None:
    lesson = replace(LESSON, templated=True, trust="untrusted")
    assert stops(lesson, replace(REPORT, trust="untrusted", independent=True))
    assert not stops(lesson, USERS)


@pytest.mark.parametrize(
    ("claim", "fresh"),
    [
        (USERS, True),
        (replace(USERS, at=SAMPLE_TIME - HOUR), False),
        (replace(USERS, at=SAMPLE_TIME - HOUR, independent=True), False),
        (replace(USERS, at=SAMPLE_TIME), False),
        (replace(USERS, at=SAMPLE_TIME, independent=True), True),
        (replace(USERS, at=SAMPLE_TIME, cites=False), True),
        (replace(REPORT, independent=True), False),
    ],
)
def test_only_the_users_word_after_the_rejection_is_fresh(claim: Claim, fresh: bool) -> None:
    assert is_fresh(LESSON, claim) is fresh


def test_whoever_is_more_trusted_than_the_one_who_rejected_is_not_stopped() -> None:
    lesson = replace(LESSON, by="assistant")
    assert not stops(lesson, replace(USERS, at=SAMPLE_TIME - HOUR))
    assert stops(lesson, REPORT)
