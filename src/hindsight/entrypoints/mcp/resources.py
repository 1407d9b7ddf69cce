"""Memories as resources: ``memory://{namespace}/{id}``, the namespace percent-encoded as one segment."""

from __future__ import annotations

from typing import Final, cast
from urllib.parse import unquote_to_bytes

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from hindsight.domain.errors import NotFound
from hindsight.entrypoints.mcp.budget import Answer, compact, leave_out
from hindsight.entrypoints.mcp.tools import uri_of
from hindsight.entrypoints.mcp.words import Words
from hindsight.entrypoints.presenting import present
from hindsight.facade import Hindsight

SCHEME: Final = "memory://"
WHY_ENDING: Final = "/why"
JSON_TYPE: Final = "application/json"
RESOURCES_PER_PAGE: Final = 50


def templates(words: Words) -> ListResourceTemplatesResult:
    """One memory, and why it is what it is."""
    found = [
        ResourceTemplate(
            name=name,
            title=told.title,
            uri_template=SCHEME + "{namespace}/{id}" + ending,
            description=told.description,
            mime_type=JSON_TYPE,
        )
        for name, ending, told in (("memory", "", words.resource), ("memory-why", WHY_ENDING, words.why))
    ]
    return ListResourceTemplatesResult(resource_templates=found)


def listed(service: Hindsight, namespace: str, cursor: str | None) -> ListResourcesResult:
    """A page of the namespace's memories, newest first."""
    page = service.memories(namespace, limit=RESOURCES_PER_PAGE, cursor=cursor)
    found = [
        Resource(
            name=memory.key,
            uri=uri_of(memory.namespace, memory.id),
            description=f"{memory.category}, {memory.trust}, {memory.status}",
            mime_type=JSON_TYPE,
        )
        for memory in page
    ]
    return ListResourcesResult(resources=found, next_cursor=page.next_cursor)


def parsed(uri: str) -> tuple[str, str, bool]:
    """The (namespace, memory id, whether to say why) that *uri* names.

    Raises:
        NotFound: It is not of the form ``memory://{namespace}/{id}``, with or without ``/why``.
    """
    scheme, found, rest = uri.partition("://")
    bare = rest.removesuffix(WHY_ENDING)
    parts = bare.split("/")
    if found and scheme.lower() == "memory" and len(parts) == 2 and all(parts):
        try:
            namespace, memory_id = (unquote_to_bytes(part).decode("utf-8") for part in parts)
        except UnicodeDecodeError:
            pass
        else:
            return namespace, memory_id, bare != rest
    raise NotFound(
        f"there is no resource {uri!r}; memories are memory://NAMESPACE/ID, a '/' in the namespace written as %2F"
    )


def read(service: Hindsight, namespace: str, uri: str, words: Words) -> ReadResourceResult:
    """One memory with all its fields and its evidence, or why it is what it is, as JSON."""
    _, memory_id, asks_why = parsed(uri)
    found = (service.why if asks_why else service.memory)(memory_id, namespace=namespace)
    answer = {**cast("Answer", present(found)), "cut": None}
    lists = ("neighbours", "met", "merged", "sources", "steps") if asks_why else ("evidence",)
    left_out = sum(leave_out(answer, name) for name in lists)
    if left_out:
        answer["cut"] = {"left_out": left_out, "how": words.more["evidence"]}
    content = TextResourceContents(uri=uri, mime_type=JSON_TYPE, text=compact(answer))
    return ReadResourceResult(contents=[content])
