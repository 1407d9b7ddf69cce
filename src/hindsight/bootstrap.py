"""Where everything is wired: the only module that names adapters."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Final, cast

from hindsight.adapters.audit.export import AuditExport
from hindsight.adapters.clock import SystemClock
from hindsight.adapters.distillers.rules import RuleDistiller
from hindsight.adapters.embedders.auto import open_embedder
from hindsight.adapters.ids import TimeOrderedIds
from hindsight.adapters.indexes.text import RamTextIndex
from hindsight.adapters.indexes.vector import RamVectorIndex
from hindsight.adapters.keyring import FileKeyring
from hindsight.adapters.sqlite.store import SqliteStore
from hindsight.domain.errors import InvalidRequest, StateMismatch
from hindsight.domain.moments import parse_moment
from hindsight.facade import Hindsight
from hindsight.ports import Clock, Embedder, RecordStore
from hindsight.services.core import Caller, Core, Limits
from hindsight.services.worker import Worker
from hindsight.settings import Settings

EMBEDDER_META: Final = "embedder"


def open(  # noqa: A001 - the name the documentation promises
    home: str | Path,
    *,
    embedder: str | Embedder | None = "auto",
    clock: Clock | Callable[[], datetime] | None = None,
    settings: Settings | Mapping[str, object] | None = None,
) -> Hindsight:
    """Open the memory kept in *home*, making it where there is none.

    Args:
        home: A directory. Several processes may hold it open at once.
        embedder: ``auto`` for the one that comes with the package, another by name, one of your own, or
            ``none`` to search by words only.
        clock: What tells the present; the system's by default.
        settings: Values by name, such as ``{"look_back.user_turns": 20}``, over the file and the environment.

    Raises:
        InvalidRequest: *home* cannot be a home, or a setting does not fit.
        StateMismatch: The vectors in *home* come from another embedder.
        BackendUnavailable: The store cannot be opened now.
        CorruptData: What is in *home* cannot be read.
    """
    path = _parse_home(home)
    loaded = settings if isinstance(settings, Settings) else Settings.load(path, settings)
    with ExitStack() as stack:
        store = SqliteStore.open(path, busy_timeout_s=loaded.number("store.busy_timeout_s"))
        stack.callback(store.close)
        opened = _wire(path, store, embedder, clock, loaded)
        # From here on the store is closed by whoever closes what was opened.
        stack.pop_all()
    return opened


def _wire(
    path: Path,
    store: SqliteStore,
    embedder: str | Embedder | None,
    clock: Clock | Callable[[], datetime] | None,
    settings: Settings,
) -> Hindsight:
    ticking = _clock(clock)
    load = _embedder_loader(store, embedder, settings)
    keyring = FileKeyring.open(path)
    owner = f"{socket.gethostname()}:{os.getpid()}:{os.urandom(4).hex()}"
    worker = Worker(lambda: core, owner=owner)
    core = Core(
        store=store,
        texts=RamTextIndex(),
        vectors=RamVectorIndex(),
        load_embedder=load,
        distiller=RuleDistiller(load),
        keyring=keyring,
        audit_log=AuditExport(store, keyring, path, owner=owner),
        clock=ticking,
        ids=TimeOrderedIds(ticking),
        policy=settings.policy,
        limits=Limits(
            user_turns=settings.whole("look_back.user_turns"),
            task_end=settings.flag("look_back.task_end"),
            idle_minutes=settings.number("look_back.idle_minutes"),
            attempts=settings.whole("look_back.attempts"),
            lease_s=settings.number("look_back.lease_s"),
            context_share=settings.number("context.share"),
        ),
        time_zone=settings.time_zone,
        wake=worker.wake if settings.flag("look_back.worker") else _nothing,
    )

    def close() -> None:
        worker.stop()
        core.audit_log.run(now=ticking.now())
        store.close()

    core.wake()
    return Hindsight(core, caller=Caller(), owner=owner, close=_once(close))


def _parse_home(home: object) -> Path:
    text = str(home) if isinstance(home, (str, Path)) else ""
    if not text:
        raise InvalidRequest(f"home {home!r} must be a directory's path", code="invalid_home")
    if "://" in text:
        scheme = text.split("://", 1)[0]
        raise InvalidRequest(
            f"home {scheme}://… names a server; this version keeps a home in a directory", code="invalid_home"
        )
    return Path(text).expanduser()


class _CalledClock:
    """A clock made of a function that returns the present."""

    def __init__(self, call: Callable[[], datetime]) -> None:
        self._call = call

    def now(self) -> datetime:
        return parse_moment(self._call(), what="clock")


def _clock(clock: Clock | Callable[[], datetime] | None) -> Clock:
    if clock is None:
        return SystemClock()
    if hasattr(clock, "now"):
        return cast("Clock", clock)
    return _CalledClock(cast("Callable[[], datetime]", clock))


def _embedder_loader(
    store: RecordStore, embedder: str | Embedder | None, settings: Settings
) -> Callable[[], Embedder | None]:
    """What gives the embedder. It is loaded at its first use, once, since a command may not need it."""
    chosen: str | Embedder | None = settings.text("embedder.name") if embedder == "auto" else embedder
    lock = threading.Lock()
    loaded: list[Embedder | None] = []

    def load() -> Embedder | None:
        with lock:
            if not loaded:
                found = open_embedder(chosen) if isinstance(chosen, str) and chosen != "none" else chosen
                ready = None if found is None or isinstance(found, str) else found
                if ready is not None:
                    _same_space(store, ready)
                loaded.append(ready)
            return loaded[0]

    return load


def _same_space(store: RecordStore, embedder: Embedder) -> None:
    """Refuse to mix vectors of two spaces; the first embedder to come names the home's."""
    mine = f"{embedder.name} ({embedder.dimension} dimensions)"
    known = store.meta(EMBEDDER_META)
    if known is None:
        store.set_meta(EMBEDDER_META, mine)
    elif known != mine:
        raise StateMismatch(
            f"this home's vectors come from {known}, and the embedder here is {mine}: run `hindsight reembed` "
            "to move them, or open it with embedder='none' to search by words",
            code="embedder_mismatch",
        )


def _once(action: Callable[[], None]) -> Callable[[], None]:
    done = threading.Event()

    def run() -> None:
        if not done.is_set():
            done.set()
            action()

    return run


def _nothing() -> None:
    pass
