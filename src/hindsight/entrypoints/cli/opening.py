"""What every command does with the service: open it, ask it once, show the answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from hindsight.domain.errors import InvalidRequest
from hindsight.entrypoints.presenting import present

if TYPE_CHECKING:
    from hindsight.facade import Hindsight

Answer = TypeVar("Answer")
Lines = list[Text]


@contextmanager
def opened(home: Path | None, *, worker: bool = False) -> Generator[Hindsight, None, None]:
    """The service on *home*; without *worker*, background jobs wait for a process that runs them."""
    # Imported here: help, usage errors and shell completion must not wait for numpy and the embedder.
    import hindsight
    from hindsight.settings import default_home

    with hindsight.open(home or default_home(), settings={"look_back.worker": worker}) as service:
        yield service


def show(answer: Answer, render: Callable[[Answer], Lines], *, as_json: bool) -> None:
    """Print *answer* on standard output: its JSON form, or *render*'s lines."""
    if as_json:
        print(json.dumps(present(answer), ensure_ascii=False, indent=2))
        return
    console = terminal()
    for line in render(answer):
        # Only a person's terminal gets lines folded to its width; files and pipes keep them whole.
        console.print(line, soft_wrap=not console.is_terminal)


def terminal(*, stderr: bool = False) -> Console:
    """A console on a standard stream that interprets nothing in the text it prints."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def confirm(question: str, *, yes: bool) -> None:
    """Ask before doing what cannot be undone.

    Raises:
        InvalidRequest: Nobody is there to answer and ``--yes`` was not given.
        typer.Exit: The answer was no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidRequest(f"{question} Nobody can answer here; add --yes", code="not_confirmed")
    if not typer.confirm(question, err=True):
        print("nothing was changed", file=sys.stderr)
        raise typer.Exit(code=0)
