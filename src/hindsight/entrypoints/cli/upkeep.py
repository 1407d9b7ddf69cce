"""Commands on the home as a whole: audit, check, rebuild, settings, doctor, demo."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from hindsight.domain.errors import CorruptData
from hindsight.entrypoints.cli import options, rendering
from hindsight.entrypoints.cli.app import EXIT_DEFECT, app, exit_code_of
from hindsight.entrypoints.cli.opening import opened, show, terminal
from hindsight.entrypoints.doctor import Finding, examine

_PANEL = "Upkeep"
_STATE_STYLE = {"ok": "green", "warning": "yellow", "failed": "red"}

TRY_THESE = """
Try it on a home of your own:
  hindsight write -k coffee_preference -v "Prefers pour-over coffee without sugar" --origin user
  hindsight search "what coffee to order"
  hindsight context "order a coffee" --window-tokens 8000
  hindsight observe conversations.jsonl --time-zone Asia/Shanghai
  hindsight --help
"""


audit_commands = typer.Typer(
    help="Show what happened to a namespace or a memory: ids and outcomes, never content.",
    invoke_without_command=True,
)
app.add_typer(audit_commands, name="audit", rich_help_panel=_PANEL)


@audit_commands.callback()
def audit(
    context: typer.Context,
    *,
    memory: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this memory, session, conflict or erasure.")
    ] = None,
    limit: options.Limit = 100,
    cursor: options.Cursor = None,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what happened to a namespace or a memory, oldest first: ids and outcomes, never content."""
    if context.invoked_subcommand is not None:
        context.obj = (home, as_json)
        return
    with opened(home) as service:
        listed = service.audit(namespace, subject=memory, limit=limit, cursor=cursor)
    show(listed, rendering.page(rendering.audit_line), as_json=as_json)


@audit_commands.command("check")
def check_audit(context: typer.Context, *, home: options.Home = None, as_json: options.AsJson = False) -> None:
    """Check the chain of events: any edit, gap or swap in the store or in the exported files."""
    # The options may stand before the word `check` or behind it.
    earlier_home, earlier_json = context.obj
    with opened(home or earlier_home) as service:
        wrong = service.audit_check()
    _show_wrong(wrong, sound="the chain is whole", as_json=as_json or earlier_json)


@app.command(rich_help_panel=_PANEL)
def check(*, home: options.Home = None, as_json: options.AsJson = False) -> None:
    """Check that what is stored is sound."""
    with opened(home) as service:
        wrong = service.check()
    _show_wrong(wrong, sound="sound", as_json=as_json)


def _show_wrong(wrong: Sequence[str], *, sound: str, as_json: bool) -> None:
    show(wrong, lambda said: [Text(line, style="red") for line in said] or [Text(sound)], as_json=as_json)
    if wrong:
        raise typer.Exit(code=exit_code_of(CorruptData("")))


@app.command(rich_help_panel=_PANEL)
def rebuild(
    *,
    namespace: options.NamespaceName = options.DEFAULT_NAMESPACE,
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Throw away a namespace's indexes and make the vectors that are missing; the records stay as they are."""
    with opened(home) as service:
        service.rebuild(namespace)
        service.wait()
    show({"rebuilt": namespace}, lambda done: [Text(f"rebuilt {done['rebuilt']}")], as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def reembed(
    *,
    embedder: Annotated[str, typer.Option(metavar="NAME", help="The embedder to move to.")] = "auto",
    home: options.Home = None,
    as_json: options.AsJson = False,
) -> None:
    """Move a home to another embedder: every text gets a new vector. Searching by words goes on meanwhile."""
    import hindsight
    from hindsight.settings import default_home

    bar = Progress(
        TextColumn("texts"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=terminal(stderr=True)
    )
    with bar if sys.stderr.isatty() else nullcontext():
        row = bar.add_task("texts", total=None)
        count = hindsight.reembed(
            home or default_home(),
            embedder=embedder,
            progress=lambda done, total: bar.update(row, completed=done, total=total),
        )
    show({"embedded": count}, lambda answer: [Text(f"{answer['embedded']} texts have new vectors")], as_json=as_json)


@app.command("settings", rich_help_panel=_PANEL)
def show_settings(*, home: options.Home = None, as_json: options.AsJson = False) -> None:
    """Print the settings in force and where each came from."""
    from hindsight.settings import Effective, Settings, default_home

    def lines(effective: Sequence[Effective]) -> rendering.Lines:
        return [
            Text.assemble(
                (f"{item.setting.name} = {item.value!r}", "bold"),
                f"  ({item.source})\n    {item.setting.meaning} {item.setting.variable}",
            )
            for item in effective
        ]

    show(Settings.load(home or default_home()).effective(), lines, as_json=as_json)


@app.command(rich_help_panel=_PANEL)
def doctor(*, home: options.Home = None, as_json: options.AsJson = False) -> None:
    """Look at this machine and the home, and say what to do where something is not right."""
    from hindsight.settings import default_home

    def lines(findings: Sequence[Finding]) -> rendering.Lines:
        return [
            Text.assemble(
                (f"{finding.state:<8}", _STATE_STYLE[finding.state]),
                (f"{finding.subject}: ", "bold"),
                rendering.visible(finding.found),
                (f"\n        next: {rendering.visible(finding.next_step)}" if finding.next_step else ""),
            )
            for finding in findings
        ]

    findings = examine(home or default_home())
    show(findings, lines, as_json=as_json)
    if any(finding.state == "failed" for finding in findings):
        raise typer.Exit(code=EXIT_DEFECT)


@app.command(rich_help_panel=_PANEL)
def demo(
    *,
    prompt: Annotated[bool, typer.Option("--prompt", help="Afterwards, let me try it by hand.")] = False,
) -> None:
    """Show in half a minute, without a network, what hindsight does."""
    from hindsight.entrypoints.demo import Tour, converse

    console = terminal()
    with (
        tempfile.TemporaryDirectory(prefix="hindsight-demo-", ignore_cleanup_errors=True) as folder,
        opened(Path(folder) / "home") as service,
    ):
        Tour(service, console, home=folder).run()
        if prompt and sys.stdin.isatty():
            converse(service, console)
            return
    console.print(TRY_THESE, soft_wrap=True)
