"""Finds what is wrong with a store: broken pages, rows that hang in the air, a broken audit chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hindsight.adapters.sqlite.connection import Connection
from hindsight.adapters.sqlite.proofs import CHAIN_HEAD, chained_event_of
from hindsight.domain.audit import GENESIS, broken_links
from hindsight.domain.errors import CorruptData

_CHAIN_PAGE: Final = 1_000
_FAULTS_SHOWN_MAX: Final = 20
_LIVE: Final = "SELECT item FROM items WHERE deleted = 0 AND kind"

# What the rows of each query are. An empty answer is a sound store.
_ORPHANS: Final[tuple[tuple[str, str], ...]] = (
    ("vectors of items that are gone", f"SELECT item FROM vectors WHERE item NOT IN ({_LIVE} IS NOT NULL)"),
    ("memories without a live item", f"SELECT item FROM memories WHERE item NOT IN ({_LIVE} = 'memory')"),
    ("turns without a live item", f"SELECT item FROM turns WHERE item NOT IN ({_LIVE} = 'turn')"),
    ("episodes without a live item", f"SELECT item FROM episodes WHERE item NOT IN ({_LIVE} = 'episode')"),
    (
        "live items that stand for nothing",
        f"{_LIVE} IS NOT NULL EXCEPT SELECT item FROM memories EXCEPT SELECT item FROM turns "
        "EXCEPT SELECT item FROM episodes",
    ),
    (
        "memories without a version",
        "SELECT item FROM memories AS m WHERE NOT EXISTS (SELECT 1 FROM memory_versions AS v "
        "WHERE v.item = m.item AND v.version = m.version)",
    ),
    (
        "versions of memories that are gone",
        "SELECT item FROM memory_versions EXCEPT SELECT item FROM memories",
    ),
    ("evidence of memories that are gone", "SELECT item FROM evidence EXCEPT SELECT item FROM memories"),
    (
        "items that are wrong about having a vector",
        "SELECT item FROM items WHERE has_vector <> (item IN (SELECT item FROM vectors))",
    ),
    (
        "tombstones with words",
        "SELECT item FROM items WHERE deleted = 1 AND terms <> x''",
    ),
    (
        "conflicts about memories that are gone",
        "SELECT c.id FROM conflicts AS c WHERE NOT EXISTS (SELECT 1 FROM memories AS m "
        "WHERE m.namespace = c.namespace AND m.id = c.first) OR NOT EXISTS (SELECT 1 FROM memories AS m "
        "WHERE m.namespace = c.namespace AND m.id = c.second)",
    ),
    (
        "proposals about memories that are gone",
        "SELECT p.id FROM proposals AS p WHERE NOT EXISTS (SELECT 1 FROM memories AS m "
        "WHERE m.namespace = p.namespace AND m.id = p.memory_id)",
    ),
    (
        "namespaces whose changes outran their seq",
        "SELECT n.number FROM namespaces AS n WHERE n.seq < (SELECT max(seq) FROM items WHERE namespace = n.number)",
    ),
)


def faults(connection: Connection) -> Iterator[str]:
    """What is wrong, in words, within one snapshot. It ends where the file cannot be read on."""
    try:
        yield from _page_faults(connection)
        yield from _row_faults(connection)
        yield from _chain_faults(connection)
    except CorruptData as exc:
        yield str(exc)


def _page_faults(connection: Connection) -> Iterator[str]:
    for row in connection.rows(f"PRAGMA integrity_check({_FAULTS_SHOWN_MAX})"):
        if row[0] != "ok":
            yield f"the file is damaged: {row[0]}"


def _row_faults(connection: Connection) -> Iterator[str]:
    for row in connection.rows("PRAGMA foreign_key_check"):
        yield f"a row of {row[0]} points at a row of {row[2]} that is not there"
    for what, query in _ORPHANS:
        found = [row[0] for row in connection.rows(query)]
        if found:
            shown = ", ".join(str(value) for value in found[:_FAULTS_SHOWN_MAX])
            yield f"{what}: {len(found)} ({shown})"


def _chain_faults(connection: Connection) -> Iterator[str]:
    number, head = 0, GENESIS
    while True:
        rows = connection.rows("SELECT * FROM audit WHERE number > ? ORDER BY number LIMIT ?", (number, _CHAIN_PAGE))
        if not rows:
            break
        events = [chained_event_of(row) for row in rows]
        for fault in broken_links(((e.number, e.line, e.hash) for e in events), number=number, head=head):
            yield fault
            return
        number, head = events[-1].number, events[-1].hash
    kept: str | None = connection.value("SELECT value FROM meta WHERE name = ?", (CHAIN_HEAD,))
    if (kept or f"0:{GENESIS}") != f"{number}:{head}":
        yield f"the audit chain ends at event {number}, but its kept head is another: it was cut or replaced"
