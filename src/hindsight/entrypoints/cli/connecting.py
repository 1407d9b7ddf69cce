"""Commands for MCP clients: serve one over stdio, and say how to configure it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias, cast

import typer
from rich.text import Text

from hindsight.domain.errors import InvalidRequest
from hindsight.domain.namespace import parse_namespace
from hindsight.entrypoints.cli import options
from hindsight.entrypoints.cli.app import app
from hindsight.entrypoints.cli.opening import Lines, show
from hindsight.entrypoints.clients import CLIENTS, Client, Connection, ConnectLanguage, client_named, connection_to
from hindsight.entrypoints.wire import take_standard_output

_PANEL = "Serving"
DEFAULT_URL: Final = "http://127.0.0.1:8000/mcp"
# A client asks one thing after the other; more threads would wait for the same embedder.
CALLS_AT_ONCE: Final = 8

Only: TypeAlias = Annotated[bool, typer.Option("--only", help="Refuse every other namespace.")]


@app.command("mcp", rich_help_panel=_PANEL)
def serve_mcp(
    *,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    only: Only = False,
    home: options.Home = None,
) -> None:
    """Serve one MCP client over standard input and output; the client starts this."""
    # Before anything else: whatever prints from here on must not reach the client.
    wire = take_standard_output()
    import anyio

    import hindsight
    from hindsight.entrypoints.access import Access, keyless
    from hindsight.entrypoints.mcp import build_server, serve_stdio
    from hindsight.settings import Settings, default_home

    bound = parse_namespace(namespace)
    anyone = keyless(bound)
    access = Access(caller=anyone.caller, namespaces=(bound,) if only else None, default=bound)
    path = home or default_home()
    settings = Settings.load(path)
    with hindsight.open(path, settings=settings) as service:
        server = build_server(
            service,
            access_of=lambda _: access,
            limiter=anyio.CapacityLimiter(CALLS_AT_ONCE),
            language=settings.text("mcp.language"),
        )
        anyio.run(lambda: serve_stdio(server, wire=wire))


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """What `connect` answers with: the two entries, and for each client asked for its own form of them."""

    stdio: dict[str, object]
    http: dict[str, object]
    clients: dict[str, dict[str, str]]


_HEADINGS: Final[dict[ConnectLanguage, tuple[str, str, str]]] = {
    "en": (
        "Over stdio the client starts hindsight itself",
        "Over HTTP it calls a server that runs (`hindsight serve`)",
        "Then restart the client and ask it: what do you remember about me?",
    ),
    "zh": (
        "stdio：由客户端自己启动 hindsight",
        "HTTP：调用正在运行的服务（先运行 hindsight serve）",
        "然后重启客户端，问它：你记得我的哪些事？",
    ),
}


@app.command(rich_help_panel=_PANEL)
def connect(
    client: Annotated[str | None, typer.Argument(metavar="[CLIENT]", show_default=False)] = None,
    *,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    only: Only = False,
    url: Annotated[str, typer.Option(metavar="URL", help="Where the server runs, for HTTP.")] = DEFAULT_URL,
    key: Annotated[str | None, typer.Option(metavar="KEY", help="The API key to send, for HTTP.")] = None,
    language: Annotated[
        str, typer.Option("--lang", metavar="LANGUAGE", help="en or zh: of this text and of the tools.")
    ] = "en",
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Print ready-made configuration for MCP: generic, claude-desktop, claude-code, cursor, vscode or codex."""
    from hindsight.settings import default_home

    if language not in _HEADINGS:
        raise InvalidRequest(f"language {language!r} must be en or zh", code="invalid_language")
    chosen = {client: client_named(client)} if client is not None else CLIENTS
    connection = connection_to(
        (home or default_home()).absolute(),
        namespace=parse_namespace(namespace),
        only=only,
        url=url,
        language=language,
        key=key,
    )
    if as_json:
        show(_instructions(connection, chosen), lambda _: [], as_json=True)
        return
    show(connection, lambda _: _lines(connection, chosen), as_json=False)


def _instructions(connection: Connection, chosen: dict[str, Client]) -> Instructions:
    return Instructions(
        stdio=cast("dict[str, object]", connection.stdio),
        http=cast("dict[str, object]", connection.http),
        clients={
            name: {
                "where": client.where[connection.language],
                "stdio": client.stdio(connection),
                "http": client.http(connection),
            }
            for name, client in chosen.items()
        },
    )


def _lines(connection: Connection, chosen: dict[str, Client]) -> Lines:
    by_stdio, by_http, then = _HEADINGS[connection.language]
    lines: Lines = []
    for heading, form in ((by_stdio, "stdio"), (by_http, "http")):
        lines += [Text(heading, style="bold"), Text()]
        # Clients that read the same are told once.
        readers: dict[str, list[Client]] = {}
        for client in chosen.values():
            text = client.stdio(connection) if form == "stdio" else client.http(connection)
            readers.setdefault(text, []).append(client)
        for text, clients in readers.items():
            lines += [Text(f"# {client.title}: {client.where[connection.language]}") for client in clients]
            lines += [Text(text), Text()]
    return [*lines, Text(then)]
