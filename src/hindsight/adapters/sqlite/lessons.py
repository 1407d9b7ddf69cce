"""What was rejected, and how often each memory was put to use: what keeping memories true is told by."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hindsight.adapters.sqlite.rows import lesson_body, lesson_of, upsert
from hindsight.adapters.sqlite.scope import Scope, Writing, listed
from hindsight.domain.ids import LessonId, MemoryId
from hindsight.domain.lessons import Lesson


class LessonReads(Scope):
    """The namespace's lessons and uses."""

    def lessons(self) -> Sequence[Lesson]:
        """What was rejected and is not to be learned again, newest first."""
        rows = self._rows("SELECT * FROM lessons WHERE namespace = ? ORDER BY id DESC", (self._number,))
        return [lesson_of(row, self._namespace) for row in rows]

    def uses(self, memory_ids: Collection[MemoryId] | None = None, *, limit: int) -> Mapping[MemoryId, int]:
        """How often memories were put to use, most used first; those of *memory_ids* only, where given."""
        only = "" if memory_ids is None else "AND memory_id IN (SELECT value FROM json_each(:ids)) "
        rows = self._rows(
            f"SELECT memory_id, times FROM uses WHERE namespace = :namespace {only}"
            "ORDER BY times DESC, memory_id DESC LIMIT :limit",
            {"namespace": self._number, "ids": listed(memory_ids or ()), "limit": limit},
        )
        return {MemoryId(row["memory_id"]): row["times"] for row in rows}


class LessonWrites(LessonReads, Writing):
    """Writes lessons and counts uses."""

    def put_lesson(self, lesson: Lesson) -> None:
        """Insert or change a lesson."""
        self._own(lesson.namespace, what=f"lesson {lesson.id!r}")
        row = {
            "namespace": self._number,
            "id": lesson.id,
            "memory_id": lesson.memory_id,
            "body": lesson_body(lesson),
        }
        self._run(upsert("lessons", row, key=("namespace", "id")), row)

    def remove_lesson(self, lesson_id: LessonId) -> bool:
        """Forget a lesson; False where there was none by that id."""
        return self._run("DELETE FROM lessons WHERE namespace = ? AND id = ?", (self._number, lesson_id)) > 0

    def count_uses(self, memory_ids: Collection[MemoryId]) -> None:
        """Note that each of these memories was put to use once more."""
        self._run_many(
            "INSERT INTO uses (namespace, memory_id, times) VALUES (?, ?, 1) "
            "ON CONFLICT (namespace, memory_id) DO UPDATE SET times = times + 1",
            [(self._number, memory_id) for memory_id in dict.fromkeys(memory_ids)],
        )
