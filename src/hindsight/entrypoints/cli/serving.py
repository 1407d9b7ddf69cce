"""Commands of a running service: serve it, and the keys that callers need."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer
from rich.text import Text

from hindsight.domain.access import ApiKey, Right
from hindsight.domain.trust import Origin
from hindsight.entrypoints.cli import options, rendering
from hindsight.entrypoints.cli.app import app
from hindsight.entrypoints.cli.opening import Lines, confirm, opened, show
from hindsight.entrypoints.clients import connection_to

if TYPE_CHECKING:
    from hindsight.entrypoints.embedder.serving import ServingEmbedder
    from hindsight.entrypoints.serving import Serving
    from hindsight.services.keys import IssuedKey

_PANEL = "Serving"
_KEY_VARIABLE: Final = "HINDSIGHT_KEY"


@app.command("serve", rich_help_panel=_PANEL)
def serve_http(
    *,
    host: Annotated[
        str | None, typer.Option(help="The address to listen on.  [default: 127.0.0.1]", show_default=False)
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 takes a free one.  [default: 8000]")] = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Serve REST and MCP on one port until you stop it."""
    from hindsight.entrypoints.serving import serve
    from hindsight.settings import Settings, default_home

    given = {"http.host": host, "http.port": port}
    path = home or default_home()
    settings = Settings.load(path, {name: value for name, value in given.items() if value is not None})

    def started(serving: Serving) -> None:
        show(serving, _started, as_json=as_json)
        sys.stdout.flush()

    serve(path, settings, namespace=namespace, started=started, show_code=_show_code)


@app.command("serve-embedder", rich_help_panel=_PANEL)
def serve_embedder_http(
    *,
    host: Annotated[
        str | None, typer.Option(help="The address to listen on.  [default: 127.0.0.1]", show_default=False)
    ] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 takes a free one.  [default: 8001]")] = None,
    embedder: Annotated[str | None, typer.Option(metavar="NAME", help="Which embedder of this machine.")] = None,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Serve this machine's embedder to other processes (/v1/embeddings) until you stop it."""
    from hindsight.entrypoints.embedder.serving import serve_embedder
    from hindsight.settings import Settings, default_home

    given = {"embedder.host": host, "embedder.port": port, "embedder.name": embedder}
    settings = Settings.load(
        home or default_home(), {name: value for name, value in given.items() if value is not None}
    )

    def started(serving: ServingEmbedder) -> None:
        show(serving, _embedder_started, as_json=as_json)
        sys.stdout.flush()

    serve_embedder(settings, started=started)


def _embedder_started(serving: ServingEmbedder) -> Lines:
    key = " with its key" if serving.needs_key else ""
    return [
        Text("The embedder is running. Ctrl-C stops it.", style="bold"),
        Text(f"  vectors  {serving.url}/v1/embeddings{key}    {serving.model}, {serving.dimension} dimensions"),
        Text(f"  health   {serving.url}/health/ready    figures {serving.url}/metrics"),
        Text(f"  use it   HINDSIGHT_EMBEDDER={serving.url} hindsight serve"),
    ]


def _show_code(code: str) -> None:
    """On standard error: whoever reads the output in a pipe is not the owner at the terminal."""
    print(
        f"Owner's code for the next erase or release over HTTP (X-Hindsight-Code): {code}", file=sys.stderr, flush=True
    )


def _started(serving: Serving) -> Lines:
    """The addresses, the configuration for MCP clients, and three commands to try."""
    key = f"${_KEY_VARIABLE}" if serving.needs_key else None
    connection = connection_to(
        serving.home, namespace=serving.namespace, only=False, url=serving.mcp_url, language="en", key=key
    )
    blocks = [
        Text("hindsight is running. Ctrl-C stops it.", style="bold"),
        Text(f"  REST     {serving.url}/v1    described at {serving.url}/openapi.json"),
        Text(f"  MCP      {serving.mcp_url}    for old clients {serving.url}/sse"),
        Text(f"  health   {serving.url}/health/ready    figures {serving.url}/metrics"),
        Text(f"  home     {rendering.visible(str(serving.home))}    namespace {serving.namespace}"),
        Text("\nMCP clients, over stdio:", style="bold"),
        Text(json.dumps({"mcpServers": {"hindsight": connection.stdio}}, ensure_ascii=False, indent=2)),
        Text("or over HTTP:", style="bold"),
        Text(json.dumps({"mcpServers": {"hindsight": connection.http}}, ensure_ascii=False, indent=2)),
        Text("\nTry:", style="bold"),
        *(Text(f"  {line}") for line in _to_try(serving)),
    ]
    if serving.needs_key:
        blocks.append(Text(f"\nEvery call needs an API key: put yours into {_KEY_VARIABLE}."))
    return blocks


def _to_try(serving: Serving) -> list[str]:
    written = {"key": "coffee_preference", "value": "Prefers pour-over coffee without sugar."}
    asked = {"query": "which coffee to order"}
    search = ["hindsight", "search", asked["query"], "--home", str(serving.home), "--namespace", serving.namespace]
    return [
        _curl(f"{serving.url}/v1/memories", written, serving),
        _curl(f"{serving.url}/v1/search", asked, serving),
        shlex.join(search),
    ]


def _curl(url: str, body: dict[str, str], serving: Serving) -> str:
    text = json.dumps(body, ensure_ascii=False)
    windows = sys.platform == "win32"
    quoted = '"' + text.replace('"', '\\"') + '"' if windows else shlex.quote(text)
    variable = f"%{_KEY_VARIABLE}%" if windows else f"${_KEY_VARIABLE}"
    key = f' -H "Authorization: Bearer {variable}"' if serving.needs_key else ""
    return f'curl -s {url} -H "Content-Type: application/json"{key} -d {quoted}'


key_commands = typer.Typer(help="Make, list, exchange and withdraw the API keys of callers over HTTP.")
app.add_typer(key_commands, name="keys", rich_help_panel=_PANEL)


@key_commands.command("create")
def create_key(
    *,
    label: Annotated[str, typer.Option(help="What tells it apart from other keys, for you.")],
    namespaces: Annotated[
        list[str],
        typer.Option("--namespace", "-n", metavar="NAME", help="A namespace it opens; again for more; '*' for all."),
    ],
    rights: Annotated[
        list[str] | None,
        typer.Option("--right", metavar="RIGHT", help="read, write or owner; again for more.  [default: read, write]"),
    ] = None,
    highest_origin: Annotated[
        str, typer.Option(metavar="ORIGIN", help="The most its words count as: user, assistant, tool, …")
    ] = "assistant",
    expires_at: Annotated[
        str | None, typer.Option(metavar="TIME", help="From when on it opens nothing, with a time zone.")
    ] = None,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Make an API key. From the first one on, every call over HTTP needs a key."""
    with opened(home) as service:
        issued = service.create_key(
            label=label,
            namespaces=namespaces,
            rights=cast("list[Right]", rights) if rights else ("read", "write"),
            highest_origin=cast("Origin", highest_origin),
            expires_at=expires_at,
        )
    show(issued, _issued, as_json=as_json)


@key_commands.command("list")
def list_keys(*, home: options.Home = None, as_json: options.AsJson = False) -> None:
    """List the API keys, revoked and expired ones included; never a secret."""
    with opened(home) as service:
        listed = service.api_keys()
    show(listed, rendering.page(_key), as_json=as_json)


@key_commands.command("rotate")
def rotate_key(
    key_id: Annotated[str, typer.Argument(metavar="KEY_ID", show_default=False)],
    *,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Give an API key another secret; the one before opens nothing from now on."""
    with opened(home) as service:
        issued = service.rotate_key(key_id)
    show(issued, _issued, as_json=as_json)


@key_commands.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(metavar="KEY_ID", show_default=False)],
    *,
    yes: options.Yes = False,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Withdraw an API key for good."""
    confirm(f"Revoke key {key_id!r}? Whoever uses it is locked out at once.", yes=yes)
    with opened(home) as service:
        revoked = service.revoke_key(key_id)
    show(revoked, _key, as_json=as_json)


def _issued(issued: IssuedKey) -> Lines:
    return [*_key(issued.key), Text(""), Text(issued.secret, style="bold"), Text("It is shown only now: keep it.")]


def _key(key: ApiKey) -> Lines:
    state = "revoked" if key.revoked_at is not None else "good"
    until = f" · until {rendering.minute(key.expires_at)}" if key.expires_at is not None else ""
    spaces = "every namespace" if key.namespaces is None else ", ".join(key.namespaces)
    return [
        Text.assemble((rendering.visible(key.label), "bold cyan"), f"  {state}{until}"),
        Text(f"    {', '.join(key.rights)} in {spaces} · words count as {key.highest_origin} at most"),
        Text(f"    {key.id} · made {rendering.minute(key.created_at)}", style="dim"),
    ]
