"""The application that commands hang on, and what happens around each of them: streams, errors, exit codes."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Final, TextIO, cast

import typer

from hindsight.domain.errors import (
    BackendUnavailable,
    CorruptData,
    HindsightError,
    InvalidRequest,
    LimitExceeded,
    ModelOutputInvalid,
    NotFound,
    PermissionDenied,
    StateMismatch,
)
from hindsight.entrypoints.presenting import present_error

DISTRIBUTION: Final = "hindsight-agent-memory"

EXIT_DEFECT: Final = 1
EXIT_USAGE: Final = 2
EXIT_INTERRUPTED: Final = 130
EXIT_PIPE_CLOSED: Final = 141
# Listed in docs/reference/cli.md; scripts rely on them.
EXIT_CODES: Final[dict[type[HindsightError], int]] = {
    InvalidRequest: EXIT_USAGE,
    NotFound: 3,
    PermissionDenied: 4,
    StateMismatch: 5,
    LimitExceeded: 6,
    BackendUnavailable: 7,
    CorruptData: 8,
    ModelOutputInvalid: 9,
}

# typer names neither of its usage errors in public; their common parent is the parent of this one.
_UsageError = cast("type[Exception]", typer.BadParameter.__bases__[0])

app = typer.Typer(
    name="hindsight",
    help="Long-term memory for LLM agents that looks back.",
    epilog="Everything is kept in one folder: --home, else HINDSIGHT_HOME, else your data folder.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"hindsight {version(DISTRIBUTION)}")
        raise typer.Exit


@app.callback()
def about(
    *,
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Long-term memory for LLM agents that looks back."""
    del show_version


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command line and end the process with its exit code."""
    try:
        code = run(argv)
    except Exception:
        logging.getLogger("hindsight").exception("this is a defect in hindsight; please report what led to it")
        code = EXIT_DEFECT
    sys.exit(code)


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command line in this process and return its exit code. Expected errors are printed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _speak_utf8()
    as_json = "--json" in arguments
    try:
        outcome = app(args=arguments, prog_name="hindsight", standalone_mode=False)
        sys.stdout.flush()
    except HindsightError as error:
        complain(error, as_json=as_json)
        return exit_code_of(error)
    except _UsageError as error:
        complain(_as_invalid_request(error), as_json=as_json)
        return EXIT_USAGE
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain once more while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE_CLOSED
    return outcome if isinstance(outcome, int) else 0


def complain(error: HindsightError, *, as_json: bool) -> None:
    """Print an expected error on standard error: one sentence, or its JSON form."""
    if as_json:
        print(json.dumps(present_error(error), ensure_ascii=False), file=sys.stderr)
    else:
        print(f"error: {error} [{error.code}]", file=sys.stderr)


def exit_code_of(error: HindsightError) -> int:
    """The exit code for *error*, by the nearest class that has one."""
    for kind in type(error).__mro__:
        if kind in EXIT_CODES:
            return EXIT_CODES[cast("type[HindsightError]", kind)]
    return EXIT_DEFECT


def _as_invalid_request(error: Exception) -> InvalidRequest:
    """A mistake on the command line itself, in the words and form of every other error."""
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "hindsight")
    said = str(error.format_message()) if hasattr(error, "format_message") else str(error)  # pyright: ignore
    return InvalidRequest(f"{said.rstrip('.')}. See `{command} --help`", code="invalid_command_line")


def _speak_utf8() -> None:
    """UTF-8 and LF on every stream, whatever the console's code page and wherever output goes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def is_terminal(stream: TextIO) -> bool:
    """Whether a person sees *stream* as it is written."""
    return stream.isatty()
