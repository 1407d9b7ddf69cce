"""What requests look like.

Fields say their type to readers of the OpenAPI description, and are handed on as they came: the services
check every one of them, with the same codes and words on every surface. Only what the services cannot
see is checked here: fields that are missing or unknown, and what is no true or false.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, cast
from urllib.parse import unquote_to_bytes

from fastapi import Header, Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, WithJsonSchema

from hindsight.domain.memory import (
    CATEGORIES,
    KEY_BYTES_MAX,
    LABEL_BYTES_MAX,
    STATUSES,
    VALUE_CHARACTERS_MAX,
    Status,
)
from hindsight.domain.records import LAYERS, SETTLE_OUTCOMES, VERIFY_OUTCOMES
from hindsight.domain.trust import ORIGINS

LISTED_STATUSES: Final = tuple(status for status in STATUSES if status != "quarantined")


def _decoded(raw: str) -> str:
    """A segment of the path, whose slashes and other signs were sent percent-encoded."""
    return unquote_to_bytes(raw.encode("latin-1")).decode("utf-8")


def _header_text(value: str | None) -> str | None:
    """A header's text: HTTP hands on bytes, and ours are UTF-8."""
    return None if value is None else value.encode("latin-1").decode("utf-8")


def _text(**more: object) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", **more})


def _text_or_none(**more: object) -> WithJsonSchema:
    return WithJsonSchema({"type": ["string", "null"], **more})


Text = Annotated[Any, _text()]
TextOrNone = Annotated[Any, _text_or_none()]
NumberOrNone = Annotated[Any, WithJsonSchema({"type": ["number", "null"]})]
Whole = Annotated[Any, WithJsonSchema({"type": "integer"})]
WholeOrNone = Annotated[Any, WithJsonSchema({"type": ["integer", "null"]})]
TimeOrNone = Annotated[Any, _text_or_none(format="date-time")]
OriginOrNone = Annotated[Any, WithJsonSchema({"enum": [*ORIGINS, None]})]
Texts = Annotated[Any, WithJsonSchema({"type": "array", "items": {"type": "string"}})]

# 1 to 200 bytes of letters, digits and "._-/".
NamespaceOrNone = Annotated[
    Any, _text_or_none(description="Whose memory it is; the key's or the server's own when omitted.")
]

MemoryIdPath = Annotated[str, Path(alias="memory_id", examples=["mem_01a2"]), AfterValidator(_decoded)]
SessionIdPath = Annotated[str, Path(alias="session_id", examples=["chat-7"]), AfterValidator(_decoded)]
ConflictIdPath = Annotated[str, Path(alias="conflict_id", examples=["con_01a2"]), AfterValidator(_decoded)]
LessonIdPath = Annotated[str, Path(alias="lesson_id", examples=["les_01a2"]), AfterValidator(_decoded)]
TraceIdPath = Annotated[str, Path(alias="trace_id", examples=["trc_01a2"]), AfterValidator(_decoded)]
IdempotencyKey = Annotated[
    str | None,
    Header(description="Makes a retry answer as the first call did. 1 to 200 bytes.", examples=["order-17"]),
    AfterValidator(_header_text),
]
OwnerCode = Annotated[
    str | None,
    Header(
        alias="X-Hindsight-Code",
        description="Where there are no keys: the code that the server shows on its terminal, good for one action.",
    ),
]


class Where(BaseModel):
    """The query of every route: which namespace it is about."""

    model_config = ConfigDict(extra="forbid")

    namespace: str | None = Field(
        None, description="Whose memory it is; the key's or the server's own when omitted.", examples=["user/kim"]
    )


class Listing(Where):
    """The query of a list."""

    limit: int = Field(50, description="The most items to return, 1 to 1,000.")
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class MemoryListing(Listing):
    """The query of the list of memories."""

    statuses: list[str] | None = Field(
        None,
        description="Which to see, given once for each; active and stale when omitted.",
        json_schema_extra={"items": {"type": "string", "enum": list(LISTED_STATUSES)}},
    )
    include_untrusted: bool = Field(False, description="Also what came from tools, pages, documents and peers.")


class TurnListing(Listing):
    """The query of a session's turns."""

    limit: int = Field(1_000, description="The most turns to return, 1 to 1,000.")


class AuditListing(Listing):
    """The query of the audit trail."""

    limit: int = Field(100, description="The most events to return, 1 to 1,000.")
    subject: str | None = Field(None, description="Only what happened to this memory, session, conflict or erasure.")


class Body(BaseModel):
    """A request's body: one JSON object, whose namespace may stand in the query instead."""

    model_config = ConfigDict(extra="forbid")

    namespace: NamespaceOrNone = None


class WriteBody(Body):
    """One fact to remember."""

    key: Annotated[Any, _text(description=f"The slot, telling memories apart, at most {KEY_BYTES_MAX} bytes.")]
    value: Annotated[
        Any, _text(description=f"The fact, as a sentence that stands alone, at most {VALUE_CHARACTERS_MAX} characters.")
    ]
    category: Annotated[Any, WithJsonSchema({"enum": [*CATEGORIES, None]})] = None
    source: Annotated[
        Any, _text_or_none(description=f"Your label for where it came from, at most {LABEL_BYTES_MAX} bytes.")
    ] = None
    confidence: Annotated[Any, WithJsonSchema({"type": ["number", "null"], "description": "In [0, 1]."})] = None
    ttl_days: Annotated[
        Any,
        WithJsonSchema({"type": ["number", "null"], "description": "Days without verification until it turns stale."}),
    ] = None
    origin: OriginOrNone = None
    evidence: Annotated[
        Any,
        WithJsonSchema(
            {
                "type": ["array", "null"],
                "items": {
                    "type": "object",
                    "properties": {
                        "session_id": {"type": "string"},
                        "turn_index": {"type": "integer"},
                        "turn_id": {"type": "string"},
                        "quote": {"type": "string"},
                    },
                    "required": ["session_id", "quote"],
                },
                "description": "Verbatim quotes of observed turns that it rests on.",
            }
        ),
    ] = None
    session_id: TextOrNone = None


class SearchBody(BaseModel):
    """A question to the memory."""

    model_config = ConfigDict(extra="forbid")

    query: Annotated[Any, _text(description="Natural language or an exact token, 1 to 8,192 bytes.")]
    namespace: Annotated[
        Any,
        WithJsonSchema(
            {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}],
                "description": "One, or several; the key's or the server's own when omitted.",
            }
        ),
    ] = None
    limit: Annotated[Any, WithJsonSchema({"type": "integer", "description": "1 to 100."})] = 8
    layers: Annotated[Any, WithJsonSchema({"type": "array", "items": {"enum": list(LAYERS)}})] = LAYERS
    at: Annotated[Any, _text_or_none(format="date-time", description="Answer as was known then.")] = None
    as_if_now: Annotated[
        Any, _text_or_none(format="date-time", description="What counts as the present for freshness.")
    ] = None
    statuses: Annotated[Any, WithJsonSchema({"type": "array", "items": {"enum": list(LISTED_STATUSES)}})] = (
        "active",
        "stale",
    )
    include_untrusted: StrictBool = False
    min_relevance: Annotated[
        Any, WithJsonSchema({"type": ["number", "null"], "description": "In [0, 1]; 0 turns abstention off."})
    ] = None


class ContextBody(Body):
    """What the prompt is about, and how much room there is."""

    query: Text
    window_tokens: Annotated[Any, WithJsonSchema({"type": "integer", "description": "The size of the model's window."})]
    share: Annotated[
        Any,
        WithJsonSchema({"type": ["number", "null"], "description": "The largest share of it the block may take."}),
    ] = None


class VerifyBody(Body):
    """What is said about a memory."""

    outcome: Annotated[Any, WithJsonSchema({"enum": list(VERIFY_OUTCOMES)})]
    value: Annotated[Any, _text_or_none(description="What is true instead; for the outcome `changed`.")] = None
    origin: OriginOrNone = None


class ForgetBody(Body):
    """Why a memory is no longer to be served."""

    reason: Text
    origin: OriginOrNone = None


class RestoreBody(Body):
    """On whose word a memory is served again."""

    origin: OriginOrNone = None


class ReleaseBody(Body):
    """What was seen in the quarantine."""

    digest: Annotated[
        Any, _text_or_none(description="As the quarantine list showed it; refused if it is not that any more.")
    ] = None


class EraseBody(Body):
    """What is to be removed for good: exactly one of the three."""

    memory_id: TextOrNone = None
    session_id: TextOrNone = None
    everything: StrictBool = False


class SettleBody(Body):
    """Which side of a conflict is true."""

    outcome: Annotated[Any, WithJsonSchema({"enum": list(SETTLE_OUTCOMES)})]
    value: Annotated[Any, _text_or_none(description="What is true instead; for the outcome `changed`.")] = None
    origin: OriginOrNone = None


class ObserveBody(Body):
    """Turns of a running conversation."""

    turns: Annotated[
        Any,
        WithJsonSchema(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "role": {"enum": ["user", "assistant", "tool", "system"]},
                        "content": {
                            "anyOf": [
                                {"type": "string"},
                                {"type": "array", "items": {"type": "object"}},
                                {"type": "null"},
                            ],
                            "description": "Text, or OpenAI or Anthropic parts.",
                        },
                        "at": {"type": ["string", "null"], "format": "date-time"},
                        "name": {"type": ["string", "null"]},
                        "origin": {"enum": [*ORIGINS, None]},
                        "id": {"type": ["string", "null"]},
                    },
                    "required": ["role"],
                },
                "description": "At most 10,000. Sending the whole list again appends only its new tail.",
            }
        ),
    ]
    end: StrictBool = Field(False, description="The conversation is over: look back on all of it.")
    distill: StrictBool = Field(True, description="False stores the turns without ever triggering a look back.")
    from_index: Annotated[
        Any, WithJsonSchema({"type": ["integer", "null"], "description": "The index of the first turn sent."})
    ] = None
    time_zone: Annotated[Any, _text_or_none(description="IANA name for times without a zone.")] = None


class UseBody(Body):
    """A decision that rested on memories of a search."""

    memory_ids: Texts
    decision: Text


def chosen_statuses(asked: list[str] | None) -> tuple[Status, ...]:
    """The statuses to see: those asked for, which the service checks, or the ones that are served."""
    return tuple(cast("list[Status]", asked)) if asked is not None else ("active", "stale")
