"""What is kept to prove or to recognise later: receipts, tombstones, fingerprints and the audit chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from hindsight.adapters.sqlite.rows import fingerprint_columns, receipt_body, receipt_of, upsert
from hindsight.adapters.sqlite.scope import Scope, Writing, listed
from hindsight.domain.audit import GENESIS, line_of, link
from hindsight.domain.moments import from_millis, to_millis
from hindsight.domain.records import AuditEvent, Receipt
from hindsight.ports import ChainedEvent

# Under this name meta keeps the chain's last number and hash, so that a shortened chain shows.
CHAIN_HEAD: Final = "audit.head"


class ProofReads(Scope):
    """The namespace's proofs."""

    def receipts(self) -> Sequence[Receipt]:
        """The namespace's receipts by id."""
        rows = self._rows("SELECT * FROM receipts WHERE namespace = ? ORDER BY id", (self._number,))
        return [receipt_of(row, self._namespace) for row in rows]

    def any_tombstone(self) -> bool:
        """Whether anything was ever erased here."""
        return self._row("SELECT 1 FROM tombstones WHERE namespace = ? LIMIT 1", (self._number,)) is not None

    def tombstoned(self, digests: Collection[str]) -> Mapping[str, datetime]:
        """Those of *digests* under which something was erased, with the latest time it was."""
        rows = self._rows(
            "SELECT digest, at_ms FROM tombstones WHERE namespace = ? AND digest IN (SELECT value FROM json_each(?))",
            (self._number, listed(digests)),
        )
        return {str(row["digest"]): from_millis(row["at_ms"]) for row in rows}

    def served(self, fingerprints: Collection[int]) -> frozenset[int]:
        """Those of *fingerprints* that belong to text this service has served."""
        signed = fingerprint_columns(fingerprints)
        rows = self._rows(
            "SELECT fingerprint FROM served WHERE namespace = ? AND fingerprint IN (SELECT value FROM json_each(?))",
            (self._number, listed(signed)),
        )
        return frozenset(signed[row["fingerprint"]] for row in rows)

    def audit_lines(self, subject: str) -> Sequence[ChainedEvent]:
        """The events about one subject, oldest first."""
        rows = self._rows(
            "SELECT * FROM audit WHERE namespace = ? AND subject = ? ORDER BY number", (self._number, subject)
        )
        return [chained_event_of(row) for row in rows]


class ProofWrites(ProofReads, Writing):
    """Writes proofs."""

    def put_served(self, fingerprints: Iterable[int], *, at: datetime) -> None:
        """Keep fingerprints of text that was served at *at*."""
        self._run_many(
            "INSERT OR REPLACE INTO served (namespace, fingerprint, at_ms) VALUES (?, ?, ?)",
            [(self._number, signed, to_millis(at)) for signed in fingerprint_columns(fingerprints)],
        )

    def drop_served(self, fingerprints: Collection[int]) -> None:
        """Forget that text with these *fingerprints* was served."""
        self._run(
            "DELETE FROM served WHERE namespace = ? AND fingerprint IN (SELECT value FROM json_each(?))",
            (self._number, listed(fingerprint_columns(fingerprints))),
        )

    def put_tombstones(self, digests: Iterable[str], *, at: datetime) -> None:
        """Keep digests of what was erased at *at*."""
        self._run_many(
            "INSERT OR REPLACE INTO tombstones (namespace, digest, at_ms) VALUES (?, ?, ?)",
            [(self._number, digest, to_millis(at)) for digest in digests],
        )

    def put_receipt(self, receipt: Receipt) -> None:
        """Insert or change a receipt."""
        self._own(receipt.namespace, what=f"receipt {receipt.id!r}")
        row = {"namespace": self._number, "id": receipt.id, "body": receipt_body(receipt)}
        self._run(upsert("receipts", row, key=("namespace", "id")), row)

    def record(self, event: AuditEvent) -> None:
        """Append an audit event to the store's chain, in this transaction."""
        self._own(event.namespace, what=f"an audit event about {event.subject!r}")
        last = self._row("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        number, previous = (0, GENESIS) if last is None else (int(last["number"]), str(last["hash"]))
        line = line_of(event)
        digest = link(previous, line)
        self._run(
            "INSERT INTO audit (number, namespace, subject, line, hash) VALUES (?, ?, ?, ?, ?)",
            (number + 1, self._number, event.subject, line, digest),
        )
        self._run(
            "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
            (CHAIN_HEAD, f"{number + 1}:{digest}"),
        )


def chained_event_of(row: sqlite3.Row) -> ChainedEvent:
    """An audit event as it stands in the chain."""
    return ChainedEvent(number=row["number"], line=row["line"], hash=row["hash"])
