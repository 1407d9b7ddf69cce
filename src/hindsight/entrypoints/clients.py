"""What to put into which file so that an MCP client finds this memory.

Each client reads much the same from another place. A command that edits those files was rejected:
they hold other programs' settings, and a wrong edit breaks them all.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

from hindsight.domain.errors import InvalidRequest
from hindsight.entrypoints.presenting import Json

SERVER: Final = "hindsight"
ConnectLanguage = Literal["en", "zh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """How to reach one home: the command that serves it over stdio, and the address where it is served over HTTP."""

    command: str
    arguments: tuple[str, ...]
    url: str
    language: ConnectLanguage = "en"
    key: str | None = None

    @property
    def stdio(self) -> dict[str, Json]:
        """The entry of a client that starts the server itself."""
        entry: dict[str, Json] = {"command": self.command, "args": cast("list[Json]", list(self.arguments))}
        if self.language != "en":
            entry["env"] = {"HINDSIGHT_MCP_LANGUAGE": self.language}
        return entry

    @property
    def http(self) -> dict[str, Json]:
        """The entry of a client that calls a running server."""
        entry: dict[str, Json] = {"type": "http", "url": self.url}
        if self.key is not None:
            entry["headers"] = {"Authorization": f"Bearer {self.key}"}
        return entry


def connection_to(
    home: Path, *, namespace: str, only: bool, url: str, language: ConnectLanguage, key: str | None
) -> Connection:
    """The connection to *home* with the program that runs now."""
    beside = Path(sys.executable).with_name("hindsight.exe" if sys.platform == "win32" else "hindsight")
    arguments = ("mcp", "--home", str(home), "--namespace", namespace, *(("--only",) if only else ()))
    # By its full path, because a client started from a desktop does not have the shell's PATH.
    return Connection(
        command=str(beside) if beside.is_file() else "hindsight",
        arguments=arguments,
        url=url,
        language=language,
        key=key,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client: its name, where its configuration goes, and what that is for stdio and for HTTP."""

    title: str
    where: dict[ConnectLanguage, str]
    stdio: Callable[[Connection], str]
    http: Callable[[Connection], str]


def _json(value: dict[str, Json]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _servers(name: str) -> tuple[Callable[[Connection], str], Callable[[Connection], str]]:
    """The two forms of clients whose JSON lists servers under *name*."""
    return (
        lambda connection: _json({name: {SERVER: connection.stdio}}),
        lambda connection: _json({name: {SERVER: connection.http}}),
    )


def _claude_stdio(connection: Connection) -> str:
    environment = [f"--env={name}={value}" for name, value in _environment(connection).items()]
    return shlex.join(["claude", "mcp", "add", SERVER, *environment, "--", connection.command, *connection.arguments])


def _claude_http(connection: Connection) -> str:
    header = ["--header", f"Authorization: Bearer {connection.key}"] if connection.key is not None else []
    return shlex.join(["claude", "mcp", "add", "--transport", "http", SERVER, connection.url, *header])


def _codex_stdio(connection: Connection) -> str:
    lines = [
        f"[mcp_servers.{SERVER}]",
        f"command = {json.dumps(connection.command, ensure_ascii=False)}",
        f"args = {json.dumps(list(connection.arguments), ensure_ascii=False)}",
    ]
    environment = ", ".join(f"{name} = {json.dumps(value)}" for name, value in _environment(connection).items())
    return "\n".join([*lines, *([f"env = {{ {environment} }}"] if environment else [])])


def _codex_http(connection: Connection) -> str:
    header = [f'http_headers = {{ Authorization = "Bearer {connection.key}" }}'] if connection.key is not None else []
    return "\n".join([f"[mcp_servers.{SERVER}]", f"url = {json.dumps(connection.url)}", *header])


def _environment(connection: Connection) -> dict[str, str]:
    return cast("dict[str, str]", connection.stdio.get("env", {}))


def _same(where: str) -> dict[ConnectLanguage, str]:
    return {"en": where, "zh": where}


_GENERIC: Final = _servers("mcpServers")
_VSCODE: Final = _servers("servers")
CLIENTS: Final[dict[str, Client]] = {
    "generic": Client(
        title="mcpServers",
        where={"en": "any client that reads mcpServers", "zh": "任何读取 mcpServers 的客户端"},
        stdio=_GENERIC[0],
        http=_GENERIC[1],
    ),
    "claude-desktop": Client(
        title="Claude Desktop",
        where={
            "en": "claude_desktop_config.json (Settings > Developer > Edit Config); HTTP goes by Settings > Connectors",
            "zh": "claude_desktop_config.json（设置 > 开发者 > 编辑配置）；HTTP 在 设置 > 连接器 里添加",
        },
        stdio=_GENERIC[0],
        http=lambda connection: connection.url,
    ),
    "claude-code": Client(
        title="Claude Code",
        where={"en": "run in a shell", "zh": "在终端里运行"},
        stdio=_claude_stdio,
        http=_claude_http,
    ),
    "cursor": Client(title="Cursor", where=_same("~/.cursor/mcp.json"), stdio=_GENERIC[0], http=_GENERIC[1]),
    "vscode": Client(title="VS Code", where=_same(".vscode/mcp.json"), stdio=_VSCODE[0], http=_VSCODE[1]),
    "codex": Client(title="Codex", where=_same("~/.codex/config.toml"), stdio=_codex_stdio, http=_codex_http),
}


def client_named(name: str) -> Client:
    """The client of that name.

    Raises:
        InvalidRequest: It is none of those known; the message lists them.
    """
    if name not in CLIENTS:
        raise InvalidRequest(
            f"client {name!r} is unknown; known are {', '.join(CLIENTS)}; any other can take 'generic'",
            code="unknown_client",
        )
    return CLIENTS[name]
