"""Commands on conversations: observe, distill, sessions, episodes, jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hindsight.domain.errors import InvalidRequest
from hindsight.entrypoints.cli import options, rendering
from hindsight.entrypoints.cli.app import EXIT_DEFECT, EXIT_INTERRUPTED, app
from hindsight.entrypoints.cli.opening import opened, show

_PANEL = "Conversations"


@app.command(rich_help_panel=_PANEL)
def observe(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="JSON lines, or - for standard input.", show_default=False)
    ],
    *,
    distill: Annotated[bool, typer.Option("--distill/--no-distill", help="Look back afterwards.")] = True,
    time_zone: options.TimeZone = None,
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", "-n", metavar="NAME", help="For lines that name none.", show_default=False),
    ] = None,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Take in conversations and look back on them.

    Each line is one session: {"namespace", "session_id", "date"?, "turns": [{"role", "content", "at"?}]}.
    Sending the same file again appends only what is new in it.
    """
    # Imported here, as the progress bars are of no use to any other command.
    from hindsight.entrypoints.cli.observing import STANDARD_INPUT, Observer, report_lines

    if file != STANDARD_INPUT and not Path(file).is_file():
        raise InvalidRequest(
            f"file {file!r} is not there; name a JSON lines file, or - for standard input", code="invalid_file"
        )
    with opened(home) as service:
        report = Observer(service, namespace=namespace, time_zone=time_zone, distill=distill).run(file)
    show(report, report_lines, as_json=as_json)
    if report.interrupted:
        raise typer.Exit(code=EXIT_INTERRUPTED)
    if report.failures:
        raise typer.Exit(code=EXIT_DEFECT)


@app.command("distill", rich_help_panel=_PANEL)
def distill_session(
    session_id: options.SessionIdArgument,
    *,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Look back on a session now: what is worth keeping, and what was refused and why."""
    with opened(home) as service:
        result = service.distill(namespace, session_id)
    show(result, rendering.distill_result, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def sessions(
    *,
    limit: options.Limit = 50,
    cursor: options.Cursor = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """List running and ended sessions."""
    with opened(home) as service:
        listed = service.sessions(namespace, limit=limit, cursor=cursor)
    show(listed, rendering.page(rendering.session), as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def episodes(
    *,
    limit: options.Limit = 50,
    cursor: options.Cursor = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """List what sessions came down to: user said, agent did, conclusion."""
    with opened(home) as service:
        listed = service.episodes(namespace, limit=limit, cursor=cursor)
    show(listed, rendering.page(rendering.episode), as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def jobs(
    *,
    limit: options.Limit = 50,
    cursor: options.Cursor = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """List background jobs and what became of them."""
    with opened(home) as service:
        listed = service.jobs(namespace, limit=limit, cursor=cursor)
    show(listed, rendering.page(rendering.job), as_json=as_json)
