"""Commands on single memories: write, list, show, verify, forget, restore, erase."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from hindsight.domain.errors import InvalidRequest
from hindsight.domain.memory import Category
from hindsight.domain.records import VerifyOutcome
from hindsight.domain.trust import Origin
from hindsight.entrypoints.cli import options, rendering
from hindsight.entrypoints.cli.app import app
from hindsight.entrypoints.cli.opening import confirm, opened, show

_PANEL = "Memories"


@app.command(rich_help_panel=_PANEL)
def write(
    *,
    key: Annotated[str, typer.Option("--key", "-k", help="What tells it apart, such as coffee_preference.")],
    value: Annotated[str, typer.Option("--value", "-v", help="The fact, as a sentence that stands alone.")],
    category: Annotated[str | None, typer.Option(help="preference, identity, project, … else guessed.")] = None,
    source: Annotated[str | None, typer.Option(help="Your own label for where it came from.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure you are, 0 to 1.")] = None,
    ttl_days: Annotated[float | None, typer.Option(help="Days without verification until it is stale.")] = None,
    origin: options.ByOrigin = "assistant",
    session_id: Annotated[str | None, typer.Option(help="The session it came up in.")] = None,
    request_id: Annotated[str | None, typer.Option(help="Sending the same id again changes nothing.")] = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Write one memory and say what became of it: added, reinforced, superseded, …"""
    with opened(home) as service:
        result = service.write(
            namespace,
            key=key,
            value=value,
            category=cast("Category | None", category),
            source=source,
            confidence=confidence,
            ttl_days=ttl_days,
            origin=cast("Origin", origin),
            session_id=session_id,
            request_id=request_id,
        )
    show(result, rendering.write_result, as_json=as_json)


@app.command("list", rich_help_panel=_PANEL)
def list_memories(
    *,
    statuses: options.Statuses = None,
    include_untrusted: options.IncludeUntrusted = False,
    limit: options.Limit = 50,
    cursor: options.Cursor = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """List memories, newest first."""
    with opened(home) as service:
        listed = service.memories(
            namespace,
            statuses=options.chosen_statuses(statuses),
            include_untrusted=include_untrusted,
            limit=limit,
            cursor=cursor,
        )
    show(listed, rendering.page(rendering.memory_lines), as_json=as_json)


@app.command("show", rich_help_panel=_PANEL)
def show_memory(
    memory_id: options.MemoryIdArgument,
    *,
    why: Annotated[
        bool, typer.Option("--why", help="Say what it came from, who made it, and why its neighbours stayed apart.")
    ] = False,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Show one memory with its history and the turns that made it."""
    with opened(home) as service:
        if why:
            show(service.why(memory_id, namespace=namespace), rendering.why, as_json=as_json)
        else:
            show(service.show(memory_id, namespace=namespace), rendering.shown, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def verify(
    memory_id: options.MemoryIdArgument,
    *,
    outcome: Annotated[str, typer.Option(metavar="OUTCOME", help="confirmed, rejected or changed.")],
    value: Annotated[str | None, typer.Option(help="What it is now; for --outcome changed.")] = None,
    origin: options.ByOrigin = "user",
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Say that a memory is true, false, or has changed."""
    with opened(home) as service:
        result = service.verify(
            memory_id,
            namespace=namespace,
            outcome=cast("VerifyOutcome", outcome),
            value=value,
            origin=cast("Origin", origin),
        )
    show(result, rendering.change, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def forget(
    memory_id: options.MemoryIdArgument,
    *,
    reason: Annotated[str, typer.Option(help="Why; it is kept with the memory's history.")],
    origin: options.ByOrigin = "user",
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Archive a memory: it is served no longer and can be restored."""
    with opened(home) as service:
        result = service.forget(memory_id, namespace=namespace, reason=reason, origin=cast("Origin", origin))
    show(result, rendering.change, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def restore(
    memory_id: options.MemoryIdArgument,
    *,
    origin: options.ByOrigin = "user",
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Bring an archived memory back."""
    with opened(home) as service:
        result = service.restore(memory_id, namespace=namespace, origin=cast("Origin", origin))
    show(result, rendering.change, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def erase(
    memory_id: Annotated[str | None, typer.Argument(metavar="[MEMORY_ID]", show_default=False)] = None,
    *,
    session_id: Annotated[str | None, typer.Option(help="Erase a session with all that rests on it.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Erase all of the namespace.")] = False,
    yes: options.Yes = False,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Remove a memory, a session or everything, with every trace of the words, and print the receipt."""
    named = [name for name in (memory_id, session_id, everything or None) if name is not None]
    if len(named) != 1:
        raise InvalidRequest(
            "name one thing to erase: a MEMORY_ID, --session-id or --everything", code="ambiguous_erasure"
        )
    subject = "everything" if everything else f"session {session_id!r}" if session_id else f"memory {memory_id!r}"
    confirm(f"Erase {subject} in {namespace!r} for good?", yes=yes)
    with opened(home) as service:
        proof = service.erase(namespace=namespace, memory_id=memory_id, session_id=session_id, everything=everything)
    show(proof, rendering.receipt, as_json=as_json)
