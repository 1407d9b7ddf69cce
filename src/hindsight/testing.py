"""Fakes for tests of whatever uses hindsight: no files, no model, no real clock.

They are public and pass the same contract as the real adapters, so a test that passes with them says
something about the service.
"""

from __future__ import annotations

import hashlib
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from hindsight.adapters.in_memory.store import InMemoryStore
from hindsight.domain.conversation import Session, Turn
from hindsight.domain.ids import MemoryId, SessionId, TurnId
from hindsight.domain.memory import Evidence, Language, Memory
from hindsight.domain.moments import parse_moment
from hindsight.domain.namespace import Namespace
from hindsight.language.script import language_of
from hindsight.ports import Vectors

__all__ = [
    "CountingIds",
    "FrozenClock",
    "HashEmbedder",
    "InMemoryStore",
    "sample_evidence",
    "sample_memory",
    "sample_session",
    "sample_turn",
]

HASH_DIMENSION: Final = 256
SAMPLE_TIME: Final = parse_moment("2026-03-08T12:00:00Z", what="time")


class FrozenClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, now: datetime | str) -> None:
        self._now = parse_moment(now, what="now")

    def now(self) -> datetime:
        """The moment it was set to."""
        return self._now

    def advance(self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0) -> datetime:
        """Move on by a span (negative ones go back); the new present."""
        return self.set(self._now + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds))

    def set(self, now: datetime | str) -> datetime:
        """Move to a moment with a time zone; the new present."""
        self._now = parse_moment(now, what="now")
        return self._now


class CountingIds:
    """Ids that count: ``mem_000001``, ``mem_000002``, in one row for all prefixes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def new(self, prefix: str) -> str:
        """The next id."""
        with self._lock:
            self._count += 1
            return f"{prefix}_{self._count:06d}"


class HashEmbedder:
    """Unit vectors from hashed words and character pairs: texts that share words are near each other.

    It knows no synonyms. The same text gives the same vector on every machine and in every process.
    """

    def __init__(self, *, dimension: int = HASH_DIMENSION) -> None:
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Identifies the space, with its dimension."""
        return f"hash-{self._dimension}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._dimension

    def queries(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d) float32, unit rows."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """(n texts) -> (n, d) float32, unit rows."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature in _features(text):
                place, sign = _place(feature, self._dimension)
                row[place] += sign
            length = float(np.linalg.norm(row))
            if length == 0.0:
                # Nothing to hash, or features that cancel out: still a unit row.
                row[0] = length = 1.0
            row /= np.float32(length)
        return vectors

    def similarity(self, cosine: float, first: Language, second: Language) -> float:
        """The cosine itself, cut to [0, 1], in every pair of languages."""
        del first, second
        return min(max(cosine, 0.0), 1.0)


def sample_evidence(session_id: str, turn_index: int, quote: str, *, at: datetime = SAMPLE_TIME) -> Evidence:
    """A user's words as evidence."""
    return Evidence(session_id=SessionId(session_id), turn_index=turn_index, quote=quote, at=at, origin="user")


def sample_memory(
    memory_id: str,
    *,
    namespace: str = "user/li",
    key: str = "editor_preference",
    value: str = "Prefers Vim with a dark theme",
    at: datetime = SAMPLE_TIME,
    evidence: Sequence[Evidence] = (),
) -> Memory:
    """A trusted, active preference in its first version; change the rest with `dataclasses.replace`."""
    return Memory(
        id=MemoryId(memory_id),
        namespace=Namespace(namespace),
        key=key,
        value=value,
        category="preference",
        language=language_of(value),
        origin="user",
        trust="trusted",
        confidence=0.9,
        status="active",
        created_at=at,
        updated_at=at,
        verified_at=at,
        evidence=tuple(evidence),
    )


def sample_session(session_id: str, *, turn_count: int = 0, at: datetime = SAMPLE_TIME) -> Session:
    """A session whose turns are all the user's and wait to be looked back on."""
    return Session(
        id=SessionId(session_id),
        turn_count=turn_count,
        user_turns_pending=turn_count,
        distilled_to=0,
        started_at=at,
        last_at=at,
        observed_at=at,
        time_zone="Asia/Shanghai",
    )


def sample_turn(session_id: str, index: int, content: str, *, at: datetime = SAMPLE_TIME) -> Turn:
    """A user's turn."""
    return Turn(
        session_id=SessionId(session_id),
        index=index,
        id=TurnId(f"{session_id}#{index}"),
        role="user",
        content=content,
        at=at,
        origin="user",
    )


def _features(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    for word in "".join(c if c.isalnum() else " " for c in folded).split():
        yield word
        yield from (word[place : place + 2] for place in range(len(word) - 1))


def _place(feature: str, dimension: int) -> tuple[int, float]:
    number = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")
    return (number >> 1) % dimension, 1.0 if number & 1 else -1.0
