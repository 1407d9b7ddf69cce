"""The protocol's requests, answered: each one is permitted, run on the pool, and told in the protocol's words.

It rests on the SDK's low-level server. The decorated one was rejected: it derives schemas from
signatures, which leaves no room for a second language, and hides what an error says.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any, Final, TypeVar, cast

import anyio
import anyio.to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
)
from pydantic import ValidationError

from hindsight.domain.errors import HindsightError, InvalidRequest, NotFound, PermissionDenied
from hindsight.domain.trust import lowest_origin
from hindsight.entrypoints.access import Access
from hindsight.entrypoints.mcp import prompts, resources
from hindsight.entrypoints.mcp.budget import compact
from hindsight.entrypoints.mcp.tools import AGENT, TOOLS, Arguments, MemoryTool, tool_named
from hindsight.entrypoints.mcp.words import words_in
from hindsight.entrypoints.presenting import present_error
from hindsight.facade import Hindsight

NAME: Final = "hindsight"
DISTRIBUTION: Final = "hindsight-agent-memory"
# Where a tool error's stable code stands. Structured content is kept for answers: clients hold it to the schema.
ERROR_META: Final = "hindsight/error"

Answer = TypeVar("Answer")
Context = ServerRequestContext[Any, Any]
AccessOf = Callable[[Context], Access]

_log = logging.getLogger("hindsight.mcp")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Requests:
    """The handlers of one server."""

    service: Hindsight
    access_of: AccessOf
    limiter: anyio.CapacityLimiter
    language: str

    async def list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        words = words_in(self.language)
        return ListToolsResult(tools=[tool.declared(words) for tool in TOOLS.values()])

    async def call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        """A tool's answer, or its error for the model to read."""
        try:
            tool = tool_named(params.name)
            given = tool.check(cast("Arguments | None", params.arguments))
            return await self._in_pool(partial(self._run_tool, self.access_of(ctx), tool, given))
        except HindsightError as error:
            _log.info("%s refused: %s", params.name, error.code)
            return CallToolResult(
                content=[TextContent(type="text", text=f"{error} [{error.code}]")],
                is_error=True,
                _meta={ERROR_META: present_error(error)["error"]},
            )

    def _run_tool(self, access: Access, tool: MemoryTool, given: Arguments) -> CallToolResult:
        access.require(tool.right)
        namespace = access.permit(cast("str | None", given.get("namespace")))
        answer = tool.run(self._as(access), namespace, given, words_in(self.language))
        # Clients that know no structured content show the text; it is the same answer.
        return CallToolResult(content=[TextContent(type="text", text=compact(answer))], structured_content=answer)

    async def list_resources(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        access = self.access_of(ctx)
        cursor = params.cursor if params is not None else None
        return await self._told(lambda: resources.listed(self._reading(access), access.default, cursor))

    async def list_templates(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return resources.templates(words_in(self.language))

    async def read_resource(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        access, uri = self.access_of(ctx), str(params.uri)

        def read() -> ReadResourceResult:
            namespace, _, _ = resources.parsed(uri)
            return resources.read(self._reading(access), access.permit(namespace), uri, words_in(self.language))

        return await self._told(read)

    async def list_prompts(self, ctx: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        return prompts.listed(words_in(self.language))

    async def get_prompt(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        access, given = self.access_of(ctx), params.arguments or {}

        def fill() -> GetPromptResult:
            prompts.check(params.name, given)
            namespace = access.permit(given.get("namespace"))
            return prompts.filled(self._reading(access), namespace, params.name, given, words_in(self.language))

        return await self._told(fill)

    def _as(self, access: Access) -> Hindsight:
        """The service as an agent may use it: never as the user, never as the owner."""
        caller = access.caller
        lowered = replace(
            caller, ceiling=lowest_origin((caller.ceiling, AGENT)), owner=False, writer=caller.writer or "mcp"
        )
        return self.service.as_caller(lowered)

    def _reading(self, access: Access) -> Hindsight:
        access.require("read")
        return self._as(access)

    async def _in_pool(self, work: Callable[[], Answer]) -> Answer:
        return await anyio.to_thread.run_sync(work, limiter=self.limiter)

    async def _told(self, work: Callable[[], Answer]) -> Answer:
        """*work* on the pool, with its expected errors in the protocol's form."""
        try:
            return await self._in_pool(work)
        except HindsightError as error:
            expected = isinstance(error, InvalidRequest | NotFound | PermissionDenied)
            code = INVALID_PARAMS if expected else INTERNAL_ERROR
            raise MCPError(code=code, message=f"{error} [{error.code}]", data=present_error(error)["error"]) from error


async def hide_defects(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Log what nobody expected, and tell the client no more than that: the text may hold a memory."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:
        _log.exception("%s failed; this is a defect in hindsight, please report what led to it", ctx.method)
        raise MCPError(
            code=INTERNAL_ERROR, message="this is a defect in hindsight; the server's log on standard error says more"
        ) from error


def build_server(
    service: Hindsight, *, access_of: AccessOf, limiter: anyio.CapacityLimiter, language: str
) -> Server[Any]:
    """The server for every transport.

    Args:
        service: The owner's; each request gets a view of it with the rights of its caller.
        access_of: Who a request comes from. It may raise `PermissionDenied`.
        limiter: The bounded pool that every call into the service runs on.
        language: ``en`` or ``zh``: what descriptions and prompts are written in.
    """
    words = words_in(language)
    requests = _Requests(service=service, access_of=access_of, limiter=limiter, language=language)
    server: Server[Any] = Server(
        NAME,
        version=version(DISTRIBUTION),
        title="hindsight",
        instructions=words.instructions,
        get_tool_input_schema=lambda name: TOOLS[name].input_schema if name in TOOLS else None,
        on_list_tools=requests.list_tools,
        on_call_tool=requests.call_tool,
        on_list_resources=requests.list_resources,
        on_list_resource_templates=requests.list_templates,
        on_read_resource=requests.read_resource,
        on_list_prompts=requests.list_prompts,
        on_get_prompt=requests.get_prompt,
    )
    server.middleware.append(hide_defects)
    return server
