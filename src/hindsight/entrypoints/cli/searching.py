"""Commands that find: search, context, explain, used."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from hindsight.domain.records import Layer
from hindsight.entrypoints.cli import options, rendering
from hindsight.entrypoints.cli.app import app
from hindsight.entrypoints.cli.opening import opened, show

_PANEL = "Finding"

TraceIdArgument = Annotated[str, typer.Argument(metavar="TRACE_ID", show_default=False)]


@app.command(rich_help_panel=_PANEL)
def search(
    query: options.QueryArgument,
    *,
    limit: options.Limit = 8,
    layers: Annotated[
        list[str] | None,
        typer.Option(
            "--layer",
            metavar="LAYER",
            help="semantic (memories) or episodic (turns); give it again for both.  [default: both]",
            show_default=False,
        ),
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="Answer as was known then.")] = None,
    as_if_now: Annotated[
        str | None, typer.Option(metavar="TIME", help="Take this for the present in freshness and dates.")
    ] = None,
    statuses: options.Statuses = None,
    include_untrusted: options.IncludeUntrusted = False,
    min_relevance: Annotated[
        float | None, typer.Option(help="Leave out hits below this; 0 turns abstention off.")
    ] = None,
    namespaces: options.NamespaceNames = None,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Find memories and turns, best first."""
    with opened(home) as service:
        result = service.search(
            query,
            namespace=namespaces or [options.DEFAULT_NAMESPACE],
            limit=limit,
            layers=tuple(cast("list[Layer]", layers)) if layers else ("semantic", "episodic"),
            at=at,
            as_if_now=as_if_now,
            statuses=options.chosen_statuses(statuses),
            include_untrusted=include_untrusted,
            min_relevance=min_relevance,
        )
    show(result, rendering.search_result, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def context(
    query: options.QueryArgument,
    *,
    window_tokens: Annotated[int, typer.Option(metavar="N", help="How many tokens your model can read.")] = 8_192,
    share: Annotated[
        float | None,
        typer.Option(help="The most of the window that the block may take; else context.share of the settings."),
    ] = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Build the block of memories for a prompt, within a budget of tokens."""
    with opened(home) as service:
        block = service.context(query, namespace=namespace, window_tokens=window_tokens, share=share)
    show(block, rendering.context, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def explain(
    trace_id: TraceIdArgument,
    *,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what a search considered, why each ranked where it did, and what it led to."""
    with opened(home) as service:
        record = service.explain(trace_id, namespace=namespace)
    show(record, rendering.trace, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def used(
    trace_id: TraceIdArgument,
    memory_ids: Annotated[list[str], typer.Argument(metavar="MEMORY_ID...", show_default=False)],
    *,
    decision: Annotated[str, typer.Option(help="What was decided on their word.")],
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Record which memories a decision rested on."""
    with opened(home) as service:
        record = service.used(trace_id, memory_ids, decision, namespace=namespace)
    show(record, rendering.trace, as_json=as_json)
