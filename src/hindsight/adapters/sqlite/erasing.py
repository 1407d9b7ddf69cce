"""Erasure: rows go for good, and their items stay behind as tombstones for the indexes.

The counts that come back go into receipts, so each names what a person knows: memories, turns,
quotes; never tables. What the file still holds of removed rows is `scrubbing`'s work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hindsight.adapters.sqlite.conversations import ConversationWrites
from hindsight.adapters.sqlite.memories import MemoryWrites
from hindsight.adapters.sqlite.records import RecordWrites
from hindsight.adapters.sqlite.scope import listed
from hindsight.domain.ids import EpisodeId, MemoryId, SessionId

# Tables that hold rows of one namespace and nothing that outlives an erasure of it all.
_PLAIN_TABLES: Final = ("jobs", "conflicts", "proposals", "lessons", "uses", "traces", "requests", "served")


class Erasure(MemoryWrites, ConversationWrites, RecordWrites):
    """Removes and says how much."""

    def erase_memories(self, memory_ids: Sequence[MemoryId]) -> Mapping[str, int]:
        """Remove memories with versions, evidence, vectors, index rows, conflicts, proposals and uses.

        Answers under request ids stay, as do lessons: they hold no words. A late retry must not write
        again, and what was rejected must not be learned again.
        """
        found = self.items_of(memory_ids)
        items, ids = listed(found.values()), listed(found)
        within = "item IN (SELECT value FROM json_each(?))"
        return {
            "versions": self._run(f"DELETE FROM memory_versions WHERE {within}", (items,)),
            "evidence": self._run(f"DELETE FROM evidence WHERE {within}", (items,)),
            "memories": self._run(f"DELETE FROM memories WHERE {within}", (items,)),
            "conflicts": self._run(
                "DELETE FROM conflicts WHERE namespace = ? AND (first IN (SELECT value FROM json_each(?)) "
                "OR second IN (SELECT value FROM json_each(?)))",
                (self._number, ids, ids),
            ),
            "proposals": self._run(
                "DELETE FROM proposals WHERE namespace = ? AND memory_id IN (SELECT value FROM json_each(?))",
                (self._number, ids),
            ),
            "uses": self._run(
                "DELETE FROM uses WHERE namespace = ? AND memory_id IN (SELECT value FROM json_each(?))",
                (self._number, ids),
            ),
            "vectors": self._bury(sorted(found.values())),
        }

    def erase_episodes(self, episode_ids: Sequence[EpisodeId]) -> int:
        """Remove episodes; how many there were."""
        rows = self._rows(
            "SELECT item FROM episodes WHERE namespace = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY item",
            (self._number, listed(episode_ids)),
        )
        items = [int(row["item"]) for row in rows]
        self._run("DELETE FROM episodes WHERE item IN (SELECT value FROM json_each(?))", (listed(items),))
        self._bury(items)
        return len(items)

    def erase_session(self, session_id: SessionId) -> Mapping[str, int]:
        """Remove a session with its turns, episodes and jobs. Memories are the caller's to erase."""
        number = self._session_number(session_id)
        counts = {
            "jobs": self._run("DELETE FROM jobs WHERE namespace = ? AND session_id = ?", (self._number, session_id))
        }
        items = self._rows(
            "SELECT item FROM turns WHERE session = :number UNION SELECT item FROM episodes "
            "WHERE session = :number ORDER BY item",
            {"number": number},
        )
        counts["turns"] = self._run("DELETE FROM turns WHERE session = ?", (number,))
        counts["episodes"] = self._run("DELETE FROM episodes WHERE session = ?", (number,))
        counts["sessions"] = self._run("DELETE FROM sessions WHERE number = ?", (number,))
        counts["vectors"] = self._bury([int(row["item"]) for row in items])
        return counts

    def erase_everything(self) -> Mapping[str, int]:
        """Remove all of the namespace but its sequence, tombstones, receipts and audit events."""
        here = (self._number,)
        own_items = "item IN (SELECT item FROM memories WHERE namespace = ?)"
        own_sessions = "session IN (SELECT number FROM sessions WHERE namespace = ?)"
        live = self._rows("SELECT item FROM items WHERE namespace = ? AND deleted = 0 ORDER BY item", here)
        counts = {
            "versions": self._run(f"DELETE FROM memory_versions WHERE {own_items}", here),
            "evidence": self._run(f"DELETE FROM evidence WHERE {own_items}", here),
            "memories": self._run("DELETE FROM memories WHERE namespace = ?", here),
            "turns": self._run(f"DELETE FROM turns WHERE {own_sessions}", here),
            "episodes": self._run("DELETE FROM episodes WHERE namespace = ?", here),
            "sessions": self._run("DELETE FROM sessions WHERE namespace = ?", here),
        }
        for table in _PLAIN_TABLES:
            counts[table] = self._run(f"DELETE FROM {table} WHERE namespace = ?", here)
        counts["vectors"] = self._bury([int(row["item"]) for row in live])
        return counts
