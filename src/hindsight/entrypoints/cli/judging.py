"""Commands where a person decides: review, conflicts, settle, quarantine, release."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from hindsight.domain.records import SettleOutcome
from hindsight.domain.trust import Origin
from hindsight.entrypoints.cli import options, rendering
from hindsight.entrypoints.cli.app import app
from hindsight.entrypoints.cli.opening import confirm, opened, show

_PANEL = "Deciding"


@app.command(rich_help_panel=_PANEL)
def review(
    *,
    limit: options.Limit = 50,
    cursor: options.Cursor = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what most needs your look.

    Memories that are disputed, or often used and soon stale or little sure; then conflicts, proposals of
    agents, and the quarantine.
    """
    with opened(home) as service:
        found = service.review(namespace, limit=limit, cursor=cursor)
    show(found, rendering.review, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def conflicts(
    *,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """List memories that contradict each other, each with a question to ask."""
    with opened(home) as service:
        listed = service.conflicts(namespace)
    show(listed, rendering.page(rendering.conflict), as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def settle(
    conflict_id: Annotated[str, typer.Argument(metavar="CONFLICT_ID", show_default=False)],
    *,
    outcome: Annotated[str, typer.Option(metavar="OUTCOME", help="first, second, both, neither or changed.")],
    value: Annotated[str | None, typer.Option(help="What is true instead; for --outcome changed.")] = None,
    origin: options.ByOrigin = "user",
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Settle a conflict: say which side is true."""
    with opened(home) as service:
        result = service.settle(
            conflict_id,
            namespace=namespace,
            outcome=cast("SettleOutcome", outcome),
            value=value,
            origin=cast("Origin", origin),
        )
    show(result, rendering.change, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def lessons(
    *,
    limit: options.Limit = 50,
    cursor: options.Cursor = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """List what was rejected and is not learned again from where it came."""
    with opened(home) as service:
        listed = service.lessons(namespace, limit=limit, cursor=cursor)
    show(listed, rendering.page(rendering.taught), as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def unlearn(
    lesson_id: Annotated[str, typer.Argument(metavar="LESSON_ID", show_default=False)],
    *,
    yes: options.Yes = False,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Remove a lesson: what it kept out may be learned again."""
    confirm(f"Remove lesson {lesson_id!r} in {namespace!r}?", yes=yes)
    with opened(home) as service:
        removed = service.unlearn(lesson_id, namespace=namespace)
    show(removed, rendering.unlearned, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def quarantine(
    *,
    limit: options.Limit = 50,
    cursor: options.Cursor = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """List what was held back because of where it came from; nothing else ever shows it."""
    with opened(home) as service:
        listed = service.quarantine(namespace, limit=limit, cursor=cursor)
    show(listed, rendering.page(rendering.held), as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def release(
    memory_id: options.MemoryIdArgument,
    *,
    digest: Annotated[
        str | None, typer.Option(help="The digest that quarantine showed; refused if it is not that any more.")
    ] = None,
    yes: options.Yes = False,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Let a memory out of quarantine on your own word."""
    confirm(f"Release memory {memory_id!r} in {namespace!r} and let agents act on it?", yes=yes)
    with opened(home) as service:
        result = service.release(memory_id, namespace=namespace, digest=digest)
    show(result, rendering.change, as_json=as_json)
