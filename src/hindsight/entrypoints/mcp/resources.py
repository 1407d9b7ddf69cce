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
JSON_TYPE: Final = "application/json"
RESOURCES_PER_PAGE: Final = 50


def templates(words: Words) -> ListResourceTemplatesResult:
    """The one template."""
    template = ResourceTemplate(
        name="memory",
        title=words.resource.title,
        uri_template=SCHEME + "{namespace}/{id}",
        description=words.resource.description,
        mime_type=JSON_TYPE,
    )
    return ListResourceTemplatesResult(resource_templates=[template])


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


def parsed(uri: str) -> tuple[str, str]:
    """The (namespace, memory id) that *uri* names.

    Raises:
        NotFound: It is not of the form ``memory://{namespace}/{id}``.
    """
    scheme, found, rest = uri.partition("://")
    parts = rest.split("/")
    if found and scheme.lower() == "memory" and len(parts) == 2 and all(parts):
        try:
            namespace, memory_id = (unquote_to_bytes(part).decode("utf-8") for part in parts)
        except UnicodeDecodeError:
            pass
        else:
            return namespace, memory_id
    raise NotFound(
        f"there is no resource {uri!r}; memories are memory://NAMESPACE/ID, a '/' in the namespace written as %2F"
    )


def read(service: Hindsight, namespace: str, memory_id: str, uri: str, words: Words) -> ReadResourceResult:
    """One memory with all its fields and its evidence, as JSON."""
    answer = {**cast("Answer", present(service.memory(memory_id, namespace=namespace))), "cut": None}
    left_out = leave_out(answer, "evidence")
    if left_out:
        answer["cut"] = {"left_out": left_out, "how": words.more["evidence"]}
    content = TextResourceContents(uri=uri, mime_type=JSON_TYPE, text=compact(answer))
    return ReadResourceResult(contents=[content])
