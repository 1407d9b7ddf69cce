"""The options that commands share, each with one name and one meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, TypeAlias, cast

import typer

from hindsight.domain.memory import Status

DEFAULT_NAMESPACE: Final = "default"

Home: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--home",
        metavar="FOLDER",
        help="The folder that holds everything; else HINDSIGHT_HOME, else your data folder.",
        show_default=False,
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
NamespaceName: TypeAlias = Annotated[str, typer.Option("--namespace", "-n", metavar="NAME", help="Whose memory it is.")]
NamespaceNames: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="Whose memory to search; give it again for more.  [default: default]",
        show_default=False,
    ),
]
Limit: TypeAlias = Annotated[int, typer.Option("--limit", metavar="N", help="The most entries to return.")]
Cursor: TypeAlias = Annotated[
    str | None, typer.Option("--cursor", help="Go on where the page before ended.", show_default=False)
]
Statuses: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--status",
        metavar="STATUS",
        help="active, stale or archived; give it again for more.  [default: active, stale]",
        show_default=False,
    ),
]
IncludeUntrusted: TypeAlias = Annotated[
    bool, typer.Option("--include-untrusted", help="Return untrusted entries too, labelled.")
]
ByOrigin: TypeAlias = Annotated[
    str, typer.Option("--origin", metavar="ORIGIN", help="On whose behalf: user, assistant, tool, …")
]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before doing it.")]
TimeZone: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--time-zone",
        metavar="ZONE",
        help="Zone of times that have none, such as Asia/Shanghai.",
        show_default=False,
    ),
]
MemoryIdArgument: TypeAlias = Annotated[str, typer.Argument(metavar="MEMORY_ID", show_default=False)]
SessionIdArgument: TypeAlias = Annotated[str, typer.Argument(metavar="SESSION_ID", show_default=False)]
QueryArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="QUERY", help="What to look for, in plain words.", show_default=False)
]


def chosen_statuses(asked: list[str] | None) -> tuple[Status, ...]:
    """The statuses to see: those asked for, which the service checks, or the ones that are served."""
    return tuple(cast("list[Status]", asked)) if asked else ("active", "stale")
