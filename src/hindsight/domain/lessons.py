"""What a rejection teaches: that the same wrong fact is not to be learned again.

A lesson holds no words. What was rejected can be read as long as its memory is there; once that is
erased, keyed fingerprints alone still know a near-copy. Silencing the source instead was rejected: one
wrong line does not make the rest of what it says wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hindsight.domain.ids import LessonId, MemoryId
from hindsight.domain.memory import Language
from hindsight.domain.namespace import Namespace
from hindsight.domain.trust import Origin, Trust, outranks, trust_of

# More would be read at every write; the oldest goes. A namespace that rejects more has another problem.
LESSONS_MAX: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One rejection to remember.

    ``memory_id`` is what was rejected, ``grounds`` are keyed digests of where it came from and ``marks``
    keyed fingerprints of its words. ``templated`` says that names and numbers count for nothing in them:
    so it is for what came from untrusted text, which returns with other names in it.
    """

    id: LessonId
    namespace: Namespace
    memory_id: MemoryId
    language: Language
    trust: Trust
    templated: bool
    by: Origin
    learned_at: datetime
    grounds: tuple[str, ...] = ()
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A near-copy of something rejected, as far as it matters whether it may be learned.

    ``at`` is the time of its newest evidence, ``cites`` whether it rests on quotes, and ``independent``
    whether it comes from elsewhere than what was rejected.
    """

    trust: Trust
    at: datetime
    cites: bool
    independent: bool


def stops(lesson: Lesson, claim: Claim) -> bool:
    """Whether *lesson* keeps *claim* from being learned.

    The user's own fresh word overrides it, and so does one more trusted than whoever rejected. Another
    source may say it again after the rejection, unless untrusted text does: that is never independent.
    """
    if outranks(claim.trust, trust_of(lesson.by)) or is_fresh(lesson, claim):
        return False
    since = claim.at >= lesson.learned_at
    return not (claim.independent and since and not lesson.templated)


def is_fresh(lesson: Lesson, claim: Claim) -> bool:
    """Whether *claim* is the user's own word after the rejection: the lesson has then served its turn."""
    if claim.trust != "trusted":
        return False
    if not claim.cites:
        return True
    return claim.at > lesson.learned_at or (claim.at == lesson.learned_at and claim.independent)
