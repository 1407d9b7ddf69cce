"""The six tools: what each takes, what it answers, and which call of the facade it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, cast
from urllib.parse import quote

from jsonschema import Draft202012Validator, ValidationError
from mcp_types import Tool, ToolAnnotations

from hindsight.domain.access import Right
from hindsight.domain.errors import InvalidRequest
from hindsight.domain.memory import CATEGORIES, STATUSES, Category, Status
from hindsight.domain.records import LAYERS, VERIFY_OUTCOMES, Layer, VerifyOutcome
from hindsight.domain.trust import ORIGINS, Origin
from hindsight.entrypoints.mcp import shapes
from hindsight.entrypoints.mcp.budget import ANSWER_BYTES_MAX, Answer, leave_out, shorten_turns, shortened, size_of
from hindsight.entrypoints.mcp.shapes import Schema, flag, items, number, text, whole
from hindsight.entrypoints.mcp.words import Words
from hindsight.entrypoints.presenting import Json, present
from hindsight.facade import Hindsight
from hindsight.services.search import LIMIT_MAX

# An agent never speaks as the user: what it says about a memory is a proposal where that matters.
AGENT: Final[Origin] = "assistant"
HITS: Final = 8
# A token is at most two bytes of JSON in the block, so a block of this budget fits an answer.
BLOCK_TOKENS_MAX: Final = 10_000
# More than a hint needs to say.
LOOKS_COUNTED_MAX: Final = 100
COMPLAINT_BYTES_MAX: Final = 300

Arguments = Mapping[str, object]
Run = Callable[[Hindsight, str, Arguments, Words], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTool:
    """One tool: its arguments' schemas, the answer's schema, its annotations, and what it does."""

    name: str
    arguments: dict[str, Schema]
    required: tuple[str, ...]
    answer: Schema
    annotations: ToolAnnotations
    run: Run

    @property
    def input_schema(self) -> Schema:
        """The schema of its arguments, without words."""
        return {
            "type": "object",
            "properties": cast("dict[str, Json]", {**self.arguments, "namespace": text()}),
            "required": cast("list[Json]", list(self.required)),
            "additionalProperties": False,
        }

    @property
    def right(self) -> Right:
        """What a caller needs to use it."""
        return "read" if self.annotations.read_only_hint else "write"

    def declared(self, words: Words) -> Tool:
        """The tool as a client lists it."""
        schema = self.input_schema
        properties = cast("dict[str, Schema]", schema["properties"])
        described = {
            name: {**inner, "description": words.argument(self.name, name)} for name, inner in properties.items()
        }
        return Tool(
            name=self.name,
            title=words.tools[self.name].title,
            description=words.tools[self.name].description,
            input_schema={**schema, "properties": described},
            output_schema=self.answer,
            annotations=self.annotations,
        )

    def check(self, arguments: Arguments | None) -> Arguments:
        """Take *arguments* as a client sent them; null counts as left out.

        Raises:
            InvalidRequest: One is missing, unknown or of another type; the message names each.
        """
        given = {name: value for name, value in (arguments or {}).items() if value is not None}
        wrong = [_complaint(error) for error in _violations(self.name, given)]
        if wrong:
            raise InvalidRequest(
                f"{self.name}: {'; '.join(sorted(wrong))}. It takes {self._signature()}", code="invalid_arguments"
            )
        return given

    def _signature(self) -> str:
        names = [*self.required, *(name for name in self.arguments if name not in self.required), "namespace"]
        return ", ".join(name if name in self.required else f"[{name}]" for name in names)


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(TOOLS[name].input_schema)


def _violations(name: str, given: Arguments) -> Iterable[ValidationError]:
    # What the library declares of this method is partly unknown to a type checker.
    return cast("Iterable[ValidationError]", cast("Any", _validator(name)).iter_errors(given))


def _complaint(error: ValidationError) -> str:
    path = ".".join(str(part) for part in error.absolute_path)
    # The message quotes what was sent, which may be long.
    said = shortened(error.message, COMPLAINT_BYTES_MAX)
    return f"{path}: {said}" if path else said


# --- What each does ---------------------------------------------------------------------------


def _write(service: Hindsight, namespace: str, given: Arguments, words: Words) -> Answer:
    written = service.write(
        namespace,
        key=cast("str", given["key"]),
        value=cast("str", given["value"]),
        category=cast("Category | None", given.get("category")),
        source=cast("str | None", given.get("source")),
        confidence=cast("float | None", given.get("confidence")),
        ttl_days=cast("float | None", given.get("ttl_days")),
        origin=cast("Origin", given.get("origin", AGENT)),
        evidence=cast("Sequence[Mapping[str, object]] | None", given.get("evidence")),
        session_id=cast("str | None", given.get("session_id")),
        request_id=cast("str | None", given.get("request_id")),
    )
    answer = _answer(shapes.WRITTEN, written, note=words.notes.get(written.outcome))
    return _fitted(answer, "related", words)


def _search(service: Hindsight, namespace: str, given: Arguments, words: Words) -> Answer:
    limit, skip = cast("int", given.get("limit", HITS)), cast("int", given.get("skip", 0))
    if not 0 <= skip < LIMIT_MAX or (skip and skip + limit > LIMIT_MAX):
        raise InvalidRequest(
            f"skip {skip!r} and limit {limit!r} reach past the {LIMIT_MAX} best hits; ask a narrower question",
            code="invalid_skip",
        )
    found = service.search(
        cast("str", given["query"]),
        namespace=namespace,
        limit=limit + skip,
        layers=cast("Sequence[Layer]", given.get("layers", LAYERS)),
        at=cast("str | None", given.get("at")),
        statuses=cast("Sequence[Status]", given.get("statuses", ("active", "stale"))),
        include_untrusted=cast("bool", given.get("include_untrusted", False)),
        min_relevance=cast("float | None", given.get("min_relevance")),
    )
    answer = _answer(shapes.FOUND, found)
    hits = cast("list[Answer]", answer["hits"])
    del hits[:skip]
    for hit in hits:
        shorten_turns(hit)
    left_out = leave_out(answer, "hits", keep=1)
    left_out += leave_out(answer, "conflicts")
    if left_out:
        answer["cut"] = {"left_out": left_out, "how": words.more["hits"].format(skip=skip + len(hits))}
    return answer


def _forget(service: Hindsight, namespace: str, given: Arguments, words: Words) -> Answer:
    changed = service.forget(
        cast("str", given["memory_id"]), namespace=namespace, reason=cast("str", given["reason"]), origin=AGENT
    )
    return _answer(shapes.CHANGED, changed, note=words.notes.get(changed.outcome))


def _verify(service: Hindsight, namespace: str, given: Arguments, words: Words) -> Answer:
    changed = service.verify(
        cast("str", given["memory_id"]),
        namespace=namespace,
        outcome=cast("VerifyOutcome", given["outcome"]),
        value=cast("str | None", given.get("value")),
        origin=AGENT,
    )
    return _answer(shapes.CHANGED, changed, note=words.notes.get(changed.outcome))


def _context(service: Hindsight, namespace: str, given: Arguments, words: Words) -> Answer:
    query, window = cast("str", given["query"]), cast("int", given["window_tokens"])
    note = _review_note(service, namespace, words)
    answer = _answer(shapes.BLOCK, service.context(query, namespace=namespace, window_tokens=window), note=note)
    if size_of(answer) <= ANSWER_BYTES_MAX:
        return answer
    whole_count = len(cast("list[Json]", answer["memory_ids"]))
    share = BLOCK_TOKENS_MAX / window
    block = service.context(query, namespace=namespace, window_tokens=window, share=share)
    answer = _answer(shapes.BLOCK, block, note=note)
    left_out = whole_count - len(cast("list[Json]", answer["memory_ids"]))
    left_out += leave_out(answer, "conflicts")
    answer["cut"] = {"left_out": left_out, "how": words.more["text"]}
    return answer


def _review_note(service: Hindsight, namespace: str, words: Words) -> str | None:
    """A hint where memories need the user's look; only the user decides on them."""
    waiting = len(service.review(namespace, limit=LOOKS_COUNTED_MAX).memories)
    return words.notes["review"].format(count=waiting) if waiting else None


def _observe(service: Hindsight, namespace: str, given: Arguments, words: Words) -> Answer:
    observed = service.observe(
        namespace,
        cast("str", given["session_id"]),
        cast("Sequence[Mapping[str, object]]", given["turns"]),
        end=cast("bool", given.get("end", False)),
        from_index=cast("int | None", given.get("from_index")),
        time_zone=cast("str | None", given.get("time_zone")),
    )
    return _fitted(_answer(shapes.OBSERVED, observed), "receipts", words)


def _answer(schema: Schema, value: object, note: str | None = None) -> Answer:
    """The JSON form of *value* in the shape of *schema*, not yet cut."""
    form = {"note": note, "cut": None, **cast("Answer", present(value))}
    _add_uris(form)
    return cast("Answer", shapes.shaped(schema, form))


def _add_uris(form: Json) -> None:
    """Give every memory in *form* the address of its resource."""
    if isinstance(form, list):
        for item in form:
            _add_uris(item)
    elif isinstance(form, dict):
        if "key" in form and "value" in form:
            form["uri"] = uri_of(cast("str", form["namespace"]), cast("str", form["id"]))
        else:
            for inner in form.values():
                _add_uris(inner)


def uri_of(namespace: str, memory_id: str) -> str:
    """The address of a memory's resource; the namespace is one segment of it."""
    return f"memory://{quote(namespace, safe='')}/{quote(memory_id, safe='')}"


def _fitted(answer: Answer, name: str, words: Words) -> Answer:
    left_out = leave_out(answer, name)
    if left_out:
        answer["cut"] = {"left_out": left_out, "how": words.more[name]}
    return answer


# --- The list ---------------------------------------------------------------------------------

_EVIDENCE: Final[Schema] = {
    "type": "object",
    "properties": {
        "session_id": {"type": "string"},
        "turn_index": {"type": "integer"},
        "turn_id": {"type": "string"},
        "quote": {"type": "string"},
    },
    "required": ["session_id", "quote"],
}
_TURN: Final[Schema] = {
    "type": "object",
    "properties": {
        "role": {"type": "string"},
        "content": {"type": ["string", "array"]},
        "at": {"type": "string"},
        "name": {"type": "string"},
        "origin": {"type": "string"},
        "id": {"type": "string"},
    },
    "required": ["role", "content"],
}
_WRITABLE: Final = tuple(origin for origin in ORIGINS if origin not in ("user", "system", "memory"))
_READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)

_ALL: Final = (
    MemoryTool(
        name="memory_write",
        arguments={
            "key": text(),
            "value": text(),
            "category": text(choices=CATEGORIES),
            "source": text(),
            "confidence": number(),
            "ttl_days": number(),
            "session_id": text(),
            "request_id": text(),
            "origin": text(choices=_WRITABLE),
            "evidence": items(_EVIDENCE),
        },
        required=("key", "value"),
        answer=shapes.WRITTEN,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
        run=_write,
    ),
    MemoryTool(
        name="memory_search",
        arguments={
            "query": text(),
            "limit": whole(),
            "skip": whole(),
            "layers": items(text(choices=LAYERS)),
            "include_untrusted": flag(),
            "at": text(),
            "statuses": items(text(choices=tuple(status for status in STATUSES if status != "quarantined"))),
            "min_relevance": number(),
        },
        required=("query",),
        answer=shapes.FOUND,
        annotations=_READS,
        run=_search,
    ),
    MemoryTool(
        name="memory_forget",
        arguments={"memory_id": text(), "reason": text()},
        required=("memory_id", "reason"),
        answer=shapes.CHANGED,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
        ),
        run=_forget,
    ),
    MemoryTool(
        name="memory_verify",
        arguments={"memory_id": text(), "outcome": text(choices=VERIFY_OUTCOMES), "value": text()},
        required=("memory_id", "outcome"),
        answer=shapes.CHANGED,
        # Rejecting a memory archives it, as forgetting does.
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
        ),
        run=_verify,
    ),
    MemoryTool(
        name="memory_context",
        arguments={"query": text(), "window_tokens": whole()},
        required=("query", "window_tokens"),
        answer=shapes.BLOCK,
        annotations=_READS,
        run=_context,
    ),
    MemoryTool(
        name="memory_observe",
        arguments={
            "session_id": text(),
            "turns": items(_TURN),
            "end": flag(),
            "from_index": whole(),
            "time_zone": text(),
        },
        required=("session_id", "turns"),
        answer=shapes.OBSERVED,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
        run=_observe,
    ),
)
TOOLS: Final[dict[str, MemoryTool]] = {tool.name: tool for tool in _ALL}


def tool_named(name: str) -> MemoryTool:
    """The tool of that name.

    Raises:
        InvalidRequest: There is none; the message lists those there are.
    """
    if name not in TOOLS:
        raise InvalidRequest(f"there is no tool {name!r}; there are {', '.join(TOOLS)}", code="unknown_tool")
    return TOOLS[name]
