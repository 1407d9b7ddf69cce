"""API keys as rows. They belong to the home as a whole, so no scope of a namespace holds them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

from hindsight.adapters.sqlite.connection import Connection
from hindsight.domain.access import ApiKey, KeyId
from hindsight.domain.moments import from_millis, to_millis
from hindsight.ports import StoredKey


def put_key(connection: Connection, stored: StoredKey) -> None:
    """Insert or change a key."""
    key = stored.key
    connection.run(
        "INSERT OR REPLACE INTO api_keys (id, digest, label, namespaces, rights, highest_origin, created_ms, "
        "expires_ms, revoked_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key.id,
            stored.digest,
            key.label,
            None if key.namespaces is None else json.dumps(key.namespaces, ensure_ascii=False),
            json.dumps(key.rights),
            key.highest_origin,
            to_millis(key.created_at),
            _millis(key.expires_at),
            _millis(key.revoked_at),
        ),
    )


def find_key(connection: Connection, key_id: KeyId) -> StoredKey | None:
    """The key with that id, if any."""
    row = connection.row("SELECT * FROM api_keys WHERE id = ?", (key_id,))
    return None if row is None else _stored(row)


def list_keys(connection: Connection, limit: int | None) -> Sequence[StoredKey]:
    """Keys by id, at most *limit*."""
    rows = connection.rows("SELECT * FROM api_keys ORDER BY id LIMIT ?", (-1 if limit is None else limit,))
    return [_stored(row) for row in rows]


def _stored(row: sqlite3.Row) -> StoredKey:
    names = row["namespaces"]
    return StoredKey(
        key=ApiKey(
            id=KeyId(row["id"]),
            label=row["label"],
            namespaces=None if names is None else tuple(json.loads(names)),
            rights=tuple(json.loads(row["rights"])),
            highest_origin=row["highest_origin"],
            created_at=from_millis(row["created_ms"]),
            expires_at=_moment(row["expires_ms"]),
            revoked_at=_moment(row["revoked_ms"]),
        ),
        digest=row["digest"],
    )


def _millis(moment: datetime | None) -> int | None:
    return None if moment is None else to_millis(moment)


def _moment(millis: int | None) -> datetime | None:
    return None if millis is None else from_millis(millis)
