"""MCP: thin tools, resources and prompts over the same services as every other surface.

The SDK takes a second to load, so other modules import from here only when they serve.
"""

from hindsight.entrypoints.mcp.http import McpHttp, http_app
from hindsight.entrypoints.mcp.server import build_server
from hindsight.entrypoints.mcp.stdio import serve_stdio

__all__ = ["McpHttp", "build_server", "http_app", "serve_stdio"]
