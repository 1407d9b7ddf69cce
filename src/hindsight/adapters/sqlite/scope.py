"""What every part of a scope shares: its connection, its namespace, and the end of its life.

The parts (changes, memories, conversations, records, erasure) are classes of their own, put together
in `store`. Each statement in them names the namespace; that is the whole isolation.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from hindsight.adapters.sqlite.connection import Connection, Parameters
from hindsight.adapters.sqlite.rows import json_text
from hindsight.domain.errors import InvalidRequest
from hindsight.domain.namespace import Namespace

# A namespace that was never written to has no number; no row has this one.
UNKNOWN = 0


class Scope:
    """One namespace within one transaction."""

    def __init__(self, connection: Connection, namespace: Namespace) -> None:
        self._namespace = namespace
        self._open: Connection | None = connection
        # The first statement is what fixes a deferred transaction's snapshot.
        row = connection.row("SELECT number, seq FROM namespaces WHERE name = ?", (namespace,))
        self._number = UNKNOWN if row is None else int(row["number"])
        self._seq: int = 0 if row is None else int(row["seq"])

    @property
    def namespace(self) -> Namespace:
        """Whose data this is."""
        return self._namespace

    def leave(self) -> None:
        """End the scope: whoever kept it reads nothing more."""
        self._open = None

    @property
    def _connection(self) -> Connection:
        if self._open is None:
            raise RuntimeError("this scope is closed; open another for another read")
        return self._open

    def _rows(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        return self._connection.rows(sql, parameters)

    def _row(self, sql: str, parameters: Parameters = ()) -> sqlite3.Row | None:
        return self._connection.row(sql, parameters)

    def _value(self, sql: str, parameters: Parameters = ()) -> Any:
        return self._connection.value(sql, parameters)


class Writing(Scope):
    """What the writing parts share: the namespace's next ``seq``, and rows that carry its number."""

    def __init__(
        self,
        connection: Connection,
        namespace: Namespace,
        *,
        committed: AbstractContextManager[Connection],
    ) -> None:
        super().__init__(connection, namespace)
        self._committed = committed
        self._seq_before = self._seq
        if self._number == UNKNOWN:
            connection.run("INSERT INTO namespaces (name) VALUES (?)", (namespace,))
            self._number = int(connection.value("SELECT number FROM namespaces WHERE name = ?", (namespace,)))

    def finish(self) -> None:
        """Write what the transaction gathered; the commit comes after it."""
        if self._seq != self._seq_before:
            self._run("UPDATE namespaces SET seq = ? WHERE number = ?", (self._seq, self._number))

    def _next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def _run(self, sql: str, parameters: Parameters = ()) -> int:
        return self._connection.run(sql, parameters)

    def _run_many(self, sql: str, parameters: Iterable[Parameters]) -> int:
        return self._connection.run_many(sql, parameters)

    def _own(self, namespace: Namespace, *, what: str) -> None:
        """Refuse what belongs to another namespace.

        Raises:
            InvalidRequest: It does.
        """
        if namespace != self._namespace:
            raise InvalidRequest(
                f"{what} belongs to another namespace; write it in a scope of its own",
                code="foreign_namespace",
            )


def listed(values: Iterable[object]) -> str:
    """*values* as one parameter for ``IN (SELECT value FROM json_each(?))``, of any number."""
    return json_text(list(values))


def ordered_unique(values: Sequence[int]) -> list[int]:
    """*values* ascending, each once."""
    return sorted(set(values))
