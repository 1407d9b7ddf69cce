"""What every use case is given: the ports, the settings and who is calling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from hindsight.domain.errors import PermissionDenied
from hindsight.domain.lifecycle import Policy
from hindsight.domain.trust import Origin
from hindsight.ports import AuditLog, Clock, Distiller, Embedder, IdSource, Keyring, RecordStore, TextIndex, VectorIndex
from hindsight.services.retrieval import Finders
from hindsight.services.tracing import TraceQueue

TIME_ZONE_META: Final = "time_zone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who is calling: the highest origin their words can have, and whether they own the home.

    In-process Python is the user's own program and has both.
    """

    ceiling: Origin = "user"
    owner: bool = True
    writer: str | None = None

    def require_owner(self, action: str) -> None:
        """Refuse *action* to everyone but the owner.

        Raises:
            PermissionDenied: This caller is not the owner.
        """
        if not self.owner:
            raise PermissionDenied(f"{action} needs the owner right; ask the owner to do it", code="owner_only")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Numbers from the settings that services need."""

    user_turns: int
    task_end: bool
    idle_minutes: float
    attempts: int
    lease_s: float
    context_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """The wired machinery. Services are functions of it; it decides nothing itself."""

    store: RecordStore
    finders: Finders
    traces: TraceQueue
    embedder: Embedder | None
    distiller: Distiller
    keyring: Keyring
    audit_log: AuditLog
    clock: Clock
    ids: IdSource
    policy: Policy
    limits: Limits
    time_zone: str | None
    wake: Callable[[], None] = field(default=lambda: None)

    @property
    def texts(self) -> TextIndex:
        """Finds by words."""
        return self.finders.texts

    @property
    def vectors(self) -> VectorIndex:
        """Finds by meaning."""
        return self.finders.vectors

    def now(self) -> datetime:
        """The present."""
        return self.clock.now()
