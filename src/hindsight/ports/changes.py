"""What the derived indexes follow: changed items as columns, and the facets that ranking needs of each.

Facets travel in one structured array, so that an index can keep, gather and store them whole. An object
for each row was rejected: a million of them take longer to make than everything else of a start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NewType, get_args, overload

import numpy as np
from numpy.typing import NDArray

from hindsight.domain.memory import CATEGORIES, Category, Language, StoredStatus
from hindsight.domain.trust import TRUSTS, Trust

Vector = NDArray[np.float32]  # (d,), one unit row
Vectors = NDArray[np.float32]  # (n, d), unit rows
ItemId = NewType("ItemId", int)
ItemKind = Literal["memory", "turn", "episode"]
Items = NDArray[np.int64]  # (n,), item numbers

# What a facet's code stands for: its place in the tuple.
KINDS: Final[tuple[ItemKind, ...]] = get_args(ItemKind)
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
STORED_STATUSES: Final[tuple[StoredStatus, ...]] = get_args(StoredStatus)
NO_CATEGORY: Final = len(CATEGORIES)
NO_TIME: Final = int(np.iinfo(np.int64).min)

FACETS: Final = np.dtype(
    [
        ("item", "<i8"),
        ("seq", "<i8"),
        ("moment", "<i8"),
        ("valid_from", "<i8"),
        ("valid_to", "<i8"),
        ("session", "<i4"),
        ("position", "<i4"),
        ("last", "<i4"),
        ("characters", "<i4"),
        ("speaker", "<i4"),
        ("confidence", "<f4"),
        ("ttl_days", "<f4"),
        ("kind", "u1"),
        ("language", "u1"),
        ("trust", "u1"),
        ("status", "u1"),
        ("category", "u1"),
        ("asks", "?"),
        ("erased", "?"),
        ("deleted", "?"),
    ]
)
"""What ranking needs to know of an item, as one record of an array: `IndexEntry` says what each means.

Words are codes, a time that is not there is NO_TIME, a ``ttl_days`` that is not there is NaN, and
``speaker`` is the place of the name in a list that comes with the array, or -1.
"""
Facets = NDArray[np.void]  # (n,), of FACETS


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """One searchable thing as the derived indexes see it: the latest state of one item.

    ``seq`` is that of its latest change. ``terms`` is what ``language.terms.pack`` made of its text,
    ``vector`` its embedding when there is one. A deleted entry has neither.
    ``session`` numbers sessions within the store (0 for memories); ``position`` is the turn's index, or
    an episode's first, and ``last`` an episode's last. ``moment_millis`` (milliseconds since 1970 UTC) is
    when a turn was said, an episode ended or a memory was verified. The other facets are a memory's own,
    or of a turn: its ``characters`` without the space at its end (up to the first NUL), whether it
    ``asks``, and who spoke.
    """

    seq: int
    item: ItemId
    kind: ItemKind
    deleted: bool
    language: Language
    trust: Trust
    status: StoredStatus
    session: int
    position: int
    moment_millis: int
    terms: bytes
    vector: Vector | None
    last: int = 0
    confidence: float = 1.0
    category: Category | None = None
    ttl_days: float | None = None
    valid_from_millis: int | None = None
    valid_to_millis: int | None = None
    characters: int = 0
    asks: bool = False
    erased: bool = False
    speaker: str | None = None

    def facets(self) -> tuple[object, ...]:
        """The record of FACETS, without the speaker."""
        return (
            self.item, self.seq, self.moment_millis,
            NO_TIME if self.valid_from_millis is None else self.valid_from_millis,
            NO_TIME if self.valid_to_millis is None else self.valid_to_millis,
            self.session, self.position, self.last, self.characters, -1, self.confidence,
            np.nan if self.ttl_days is None else self.ttl_days,
            KINDS.index(self.kind), LANGUAGES.index(self.language), TRUSTS.index(self.trust),
            STORED_STATUSES.index(self.status),
            NO_CATEGORY if self.category is None else CATEGORIES.index(self.category),
            self.asks, self.erased, self.deleted,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changes(Sequence[IndexEntry]):
    """Changed items in the order of their latest ``seq``: as columns, and one by one as entries.

    An index that follows a million rows reads the columns; no object is made for a row.

    Args:
        facets: One record an item; ``speaker`` is the place in *speakers*.
        terms: The packed terms of each.
        vectors: The embedding of each as little-endian float32, None where there is none.
    """

    facets: Facets
    speakers: Sequence[str]
    terms: Sequence[bytes]
    vectors: Sequence[bytes | None]

    @classmethod
    def of(cls, entries: Sequence[IndexEntry]) -> Changes:
        """The columns of *entries*."""
        facets = np.array([entry.facets() for entry in entries], dtype=FACETS)
        speakers = sorted({entry.speaker for entry in entries if entry.speaker is not None})
        facets["speaker"] = [-1 if entry.speaker is None else speakers.index(entry.speaker) for entry in entries]
        return cls(
            facets=facets,
            speakers=speakers,
            terms=[entry.terms for entry in entries],
            vectors=[None if entry.vector is None else entry.vector.astype("<f4").tobytes() for entry in entries],
        )

    def __len__(self) -> int:
        return len(self.facets)

    @overload
    def __getitem__(self, index: int) -> IndexEntry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[IndexEntry]: ...
    def __getitem__(self, index: int | slice) -> IndexEntry | Sequence[IndexEntry]:
        if isinstance(index, slice):
            return [self._entry(place) for place in range(len(self))[index]]
        return self._entry(range(len(self))[index])

    def __iter__(self) -> Iterator[IndexEntry]:
        return (self._entry(place) for place in range(len(self)))

    def _entry(self, place: int) -> IndexEntry:
        at, blob = self.facets[place], self.vectors[place]
        category, valid_from, valid_to = int(at["category"]), int(at["valid_from"]), int(at["valid_to"])
        return IndexEntry(
            seq=int(at["seq"]),
            item=ItemId(int(at["item"])),
            kind=KINDS[int(at["kind"])],
            deleted=bool(at["deleted"]),
            language=LANGUAGES[int(at["language"])],
            trust=TRUSTS[int(at["trust"])],
            status=STORED_STATUSES[int(at["status"])],
            session=int(at["session"]),
            position=int(at["position"]),
            moment_millis=int(at["moment"]),
            terms=self.terms[place],
            vector=None if blob is None else np.frombuffer(blob, dtype="<f4").astype(np.float32, copy=False),
            last=int(at["last"]),
            confidence=float(at["confidence"]),
            category=None if category == NO_CATEGORY else CATEGORIES[category],
            ttl_days=None if np.isnan(at["ttl_days"]) else float(at["ttl_days"]),
            valid_from_millis=None if valid_from == NO_TIME else valid_from,
            valid_to_millis=None if valid_to == NO_TIME else valid_to,
            characters=int(at["characters"]),
            asks=bool(at["asks"]),
            erased=bool(at["erased"]),
            speaker=None if at["speaker"] < 0 else self.speakers[int(at["speaker"])],
        )
