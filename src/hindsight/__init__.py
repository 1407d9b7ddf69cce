"""Long-term memory for LLM agents that looks back: judged afterwards, kept true, served well, owned by the user."""

from hindsight.bootstrap import open, reembed  # noqa: A004 - the name the documentation promises
from hindsight.domain.conversation import Entity, Episode, Session, Turn
from hindsight.domain.errors import (
    BackendUnavailable,
    CorruptData,
    HindsightError,
    InvalidRequest,
    LimitExceeded,
    ModelOutputInvalid,
    NotFound,
    PermissionDenied,
    StateMismatch,
)
from hindsight.domain.memory import Evidence, Memory, MemoryVersion
from hindsight.domain.records import (
    Change,
    Conflict,
    Context,
    DistillResult,
    Hit,
    Job,
    ObserveResult,
    Page,
    Proposal,
    Receipt,
    SearchResult,
    Trace,
    WriteResult,
)
from hindsight.facade import Hindsight
from hindsight.settings import Settings

__all__ = [
    "BackendUnavailable",
    "Change",
    "Conflict",
    "Context",
    "CorruptData",
    "DistillResult",
    "Entity",
    "Episode",
    "Evidence",
    "Hindsight",
    "HindsightError",
    "Hit",
    "InvalidRequest",
    "Job",
    "LimitExceeded",
    "Memory",
    "MemoryVersion",
    "ModelOutputInvalid",
    "NotFound",
    "ObserveResult",
    "Page",
    "PermissionDenied",
    "Proposal",
    "Receipt",
    "SearchResult",
    "Session",
    "Settings",
    "StateMismatch",
    "Trace",
    "Turn",
    "WriteResult",
    "open",
    "reembed",
]
