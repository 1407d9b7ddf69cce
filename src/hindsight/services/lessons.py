"""Learn from a rejection: keep the same wrong fact out when its source brings it again.

A near-copy is known by what it says, compared with the rejected memory as any two memories are, and by
keyed fingerprints of the words, which still work once that memory is erased. The gate for new memories
asks here, and so does every merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hindsight.domain.confidence import is_independent, known_grounds
from hindsight.domain.errors import NotFound
from hindsight.domain.fingerprints import ECHO_SHARE_MIN, echoed_share, fingerprints
from hindsight.domain.ids import LessonId, MemoryId
from hindsight.domain.lessons import LESSONS_MAX, Claim, Lesson, is_fresh, stops
from hindsight.domain.lifecycle import present
from hindsight.domain.memory import Category, Evidence, Language, Memory
from hindsight.domain.namespace import Namespace, parse_namespace
from hindsight.domain.records import AuditEvent
from hindsight.domain.trust import Origin, Trust
from hindsight.language import relation, terms
from hindsight.language.templates import templated
from hindsight.ports import ReadScope, Vector, WriteScope
from hindsight.services.core import Caller, Core

# The nearest rejected memories are compared word by word; each comparison takes about a millisecond.
COMPARED_MAX: Final = 4
# Where only fingerprints are left, a near-copy repeats nearly all of the words, in their order.
_COPIED_SHARE_MIN: Final = 0.9
# Calibrated likeness that duplicates have.
_ALIKE_MIN: Final = 0.9
_PURPOSE: Final = "lesson"
_MARK_DIGITS: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement that wants in, as far as lessons care. ``grounds`` say where it comes from."""

    key: str
    value: str
    category: Category
    language: Language
    trust: Trust
    at: datetime
    evidence: tuple[Evidence, ...]
    grounds: frozenset[str]
    vector: Vector | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A lesson as it is shown. ``memory`` is what was rejected, or None once that was erased.

    ``templated`` says that names and numbers count for nothing in it. What it recognises copies by is
    not shown: digests and fingerprints say nothing to anybody.
    """

    id: LessonId
    namespace: Namespace
    memory_id: MemoryId
    memory: Memory | None
    trust: Trust
    templated: bool
    by: Origin
    learned_at: datetime


def taught(lesson: Lesson, memory: Memory | None) -> Taught:
    """*lesson* as it is shown, with the memory it came from where that is still there."""
    return Taught(
        id=lesson.id,
        namespace=lesson.namespace,
        memory_id=lesson.memory_id,
        memory=memory,
        trust=lesson.trust,
        templated=lesson.templated,
        by=lesson.by,
        learned_at=lesson.learned_at,
    )


def learn(core: Core, scope: WriteScope, memory: Memory, *, by: Origin) -> Lesson:
    """Remember that *memory* was rejected."""
    # What came from untrusted text comes back with other names and numbers in it.
    by_template = memory.trust == "untrusted"
    lesson = Lesson(
        id=LessonId(core.ids.new("les")),
        namespace=scope.namespace,
        memory_id=memory.id,
        language=memory.language,
        trust=memory.trust,
        templated=by_template,
        by=by,
        learned_at=core.now(),
        grounds=_digests(core, _all_grounds(scope, memory)),
        marks=tuple(sorted(_marks(core, memory.value, by_template=by_template))),
    )
    for old in scope.lessons()[LESSONS_MAX - 1 :]:
        scope.remove_lesson(old.id)
    scope.put_lesson(lesson)
    _note(core, scope, "lesson.learned", lesson.id, by)
    return lesson


def stopped_by(core: Core, scope: WriteScope, said: Said) -> Lesson | None:
    """The lesson that keeps *said* from being learned, if one does.

    A lesson that the user's own fresh word contradicts has served its turn and is removed.
    """
    met = met_by(core, scope, said)
    claims = [(lesson, _claim(core, lesson, said)) for lesson in met]
    for lesson, claim in claims:
        if stops(lesson, claim):
            return lesson
    for lesson, claim in claims:
        if is_fresh(lesson, claim):
            forget_lesson(core, scope, lesson, by="user")
    return None


def met_by(core: Core, scope: ReadScope, said: Said) -> list[Lesson]:
    """The lessons that *said* is a near-copy of, whatever its source."""
    lessons = scope.lessons()
    if not lessons:
        return []
    rejected = scope.memories([lesson.memory_id for lesson in lessons])
    near = _nearest(core, scope, said, list(rejected.values()))
    return [
        lesson
        for lesson in lessons
        if _copies(core, said.value, lesson)
        or (lesson.memory_id in near and _repeats(rejected[lesson.memory_id], said, near[lesson.memory_id]))
    ]


def forget_lesson(core: Core, scope: WriteScope, lesson: Lesson, *, by: Origin) -> None:
    """Let what *lesson* kept out be learned again."""
    if scope.remove_lesson(lesson.id):
        _note(core, scope, "lesson.removed", lesson.id, by)


def forget_lessons_of(core: Core, scope: WriteScope, memory_id: MemoryId, *, by: Origin) -> None:
    """Take back what the rejection of a memory taught: it is served again."""
    for lesson in scope.lessons():
        if lesson.memory_id == memory_id:
            forget_lesson(core, scope, lesson, by=by)


def forget_lessons_against(core: Core, scope: WriteScope, memory: Memory, *, by: Origin) -> None:
    """Take back every lesson that *memory* is a near-copy of: the owner lets it be served."""
    for lesson in met_by(core, scope, said_of(memory, vector=None)):
        forget_lesson(core, scope, lesson, by=by)


def said_of(memory: Memory, *, vector: Vector | None) -> Said:
    """A memory that is there as one that wants in."""
    return Said(
        key=memory.key,
        value=memory.value,
        category=memory.category,
        language=memory.language,
        trust=memory.trust,
        at=memory.verified_at,
        evidence=memory.evidence,
        grounds=known_grounds(memory),
        vector=vector,
    )


def unlearn(core: Core, caller: Caller, lesson_id: object, *, namespace: object) -> Taught:
    """Remove a lesson on the owner's word, and return it.

    Raises:
        PermissionDenied: The caller is not the owner.
        NotFound: There is no such lesson.
    """
    space = parse_namespace(namespace)
    caller.require_owner("unlearn")
    with core.store.writing(space) as scope:
        for lesson in scope.lessons():
            if lesson.id == lesson_id:
                forget_lesson(core, scope, lesson, by="user")
                memory = scope.memory(lesson.memory_id)
                return taught(lesson, None if memory is None else present(memory, core.now(), core.policy))
    raise NotFound(f"no lesson {lesson_id!r} in namespace {space!r}")


def _claim(core: Core, lesson: Lesson, said: Said) -> Claim:
    known, new = frozenset(lesson.grounds), said.grounds
    # Which of the new grounds are known is told by their digests; the kind of each is in the clear.
    same = frozenset(ground for ground in new if _digest(core, ground) in known)
    return Claim(
        trust=said.trust,
        at=said.at,
        cites=bool(said.evidence),
        independent=is_independent(same, new),
    )


def _all_grounds(scope: ReadScope, memory: Memory) -> frozenset[str]:
    """Where *memory* and everything merged into it comes from."""
    parts = scope.memories(memory.merged_from).values()
    found = known_grounds(memory)
    for part in parts:
        found |= known_grounds(part)
    return found


def _digest(core: Core, ground: str) -> str:
    return core.keyring.digest(_PURPOSE, ground)


def _digests(core: Core, grounds: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(_digest(core, ground) for ground in grounds))


def _marks(core: Core, value: str, *, by_template: bool) -> frozenset[int]:
    """Keyed fingerprints of *value*; one digest of the whole where it is too short for any."""
    text = templated(value) if by_template else value
    found = fingerprints(text, key=core.keyring.secret(_PURPOSE))
    return found or frozenset({int(core.keyring.digest(_PURPOSE, terms.normalise(text))[:_MARK_DIGITS], 16)})


def _copies(core: Core, value: str, lesson: Lesson) -> bool:
    """Whether *value* repeats the words that *lesson* is about, each way."""
    mine, theirs = _marks(core, value, by_template=lesson.templated), frozenset(lesson.marks)
    if mine == theirs:
        return True
    text = templated(value) if lesson.templated else value
    least = ECHO_SHARE_MIN if lesson.templated else _COPIED_SHARE_MIN
    common = len(mine & theirs)
    if not common or common < least * len(theirs):
        return False
    share = echoed_share(text, theirs, key=core.keyring.secret(_PURPOSE))
    # A "not" or another number is a word that was not said then.
    return share >= (least if lesson.templated else 1.0)


def _nearest(core: Core, scope: ReadScope, said: Said, rejected: Sequence[Memory]) -> dict[MemoryId, float]:
    """The rejected memories most like *said*, with calibrated similarity."""
    likeness = dict.fromkeys((memory.id for memory in rejected if memory.key == said.key), 0.0)
    if said.vector is not None and core.embedder is not None:
        items = scope.items_of([memory.id for memory in rejected])
        vectors = scope.vectors(list(items.values()))
        for memory in rejected:
            vector = vectors.get(items[memory.id])
            if vector is not None:
                cosine = float(vector @ said.vector)  # (d,) . (d,) -> cosine, unit rows
                likeness[memory.id] = core.embedder.similarity(cosine, memory.language, said.language)
    best = sorted(likeness, key=lambda memory_id: (-likeness[memory_id], memory_id))[:COMPARED_MAX]
    return {memory_id: likeness[memory_id] for memory_id in best}


def _repeats(rejected: Memory, said: Said, similarity: float) -> bool:
    """Whether *said* states what was rejected, in other words or with something added."""
    old = relation.Statement(
        key=rejected.key, value=rejected.value, category=rejected.category, language=rejected.language
    )
    new = relation.Statement(key=said.key, value=said.value, category=said.category, language=said.language)
    verdict = relation.relate(old, new, similarity=similarity)
    if verdict.relation not in ("duplicate", "refinement"):
        return False
    # Doubt is enough under one key or at a duplicate's likeness: it is held for the user, and nothing is lost.
    return verdict.certain or rejected.key == said.key or similarity >= _ALIKE_MIN


def _note(core: Core, scope: WriteScope, action: str, subject: str, by: Origin) -> None:
    scope.record(AuditEvent(action=action, namespace=scope.namespace, subject=subject, at=core.now(), by=by))
