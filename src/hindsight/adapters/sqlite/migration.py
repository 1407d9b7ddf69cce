"""Brings a database file to the schema this version knows, one numbered SQL file at a time.

Each step commits with the version it reaches, so that a crash between steps leaves a store that the
next start carries on with.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from hindsight.adapters.sqlite.connection import Connection
from hindsight.domain.errors import CorruptData, InvalidRequest

# "hsmm" in ASCII, so that a file of another program is never taken for a store.
APPLICATION_ID: Final = 0x68736D6D
_FOLDER: Final = resources.files("hindsight.adapters.sqlite") / "migrations"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: the version it leads to, and its statements."""

    version: int
    sql: str


def migrations() -> tuple[Migration, ...]:
    """All steps, in order."""
    files = sorted((entry for entry in _FOLDER.iterdir() if entry.name.endswith(".sql")), key=lambda e: e.name)
    return tuple(Migration(int(entry.name[:4]), entry.read_text(encoding="utf-8")) for entry in files)


def migrate(connection: Connection, *, steps: tuple[Migration, ...] | None = None) -> None:
    """Bring the file up to the last of *steps*.

    Raises:
        InvalidRequest: A newer version of hindsight made the file.
        CorruptData: The file is a database of another program.
    """
    steps = migrations() if steps is None else steps
    newest = steps[-1].version
    if _version(connection, newest=newest) == newest:
        return
    with connection.transaction(write=True):
        # Another process may have migrated while this one waited for the lock.
        version = _version(connection, newest=newest)
        for step in steps:
            if step.version > version:
                for statement in _statements(step.sql):
                    connection.run(statement)
                connection.run(f"PRAGMA user_version = {step.version}")
        connection.run(f"PRAGMA application_id = {APPLICATION_ID}")


def _version(connection: Connection, *, newest: int) -> int:
    path = connection.path
    version = int(connection.value("PRAGMA user_version"))
    application = int(connection.value("PRAGMA application_id"))
    if application != APPLICATION_ID and (version or connection.value("SELECT count(*) FROM sqlite_schema")):
        raise CorruptData(f"the file {str(path)!r} is a database of another program; name another home")
    if version > newest:
        raise InvalidRequest(
            f"the store at {str(path)!r} has schema {version}, and this hindsight knows up to {newest}; "
            "upgrade hindsight",
            code="store_too_new",
        )
    return version


def _statements(sql: str) -> Iterator[str]:
    """The statements one by one: the driver's own script call would commit first."""
    gathered = ""
    for line in sql.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""


def prepare_file(home: Path, name: str) -> Path:
    """Make the home (0700) and an empty database file (0600) in it, where they are not there yet.

    Raises:
        InvalidRequest: *home* is a file, or the place of the database is a directory.
    """
    if home.exists() and not home.is_dir():
        raise InvalidRequest(f"home {str(home)!r} is a file; name a directory", code="invalid_home")
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = home.resolve() / name
    if path.is_dir():
        raise InvalidRequest(f"{str(path)!r} is a directory; name another home", code="invalid_home")
    path.touch(mode=0o600, exist_ok=True)
    return path
