"""Observing a file of conversations: read it line by line, take in the turns, then look back.

A line is one session as far as it has gone. Reading in whole sessions makes the command resumable
without a mark of its own: what is stored already is recognised, so after an interruption the same
command goes on where it stopped.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from hindsight.domain.errors import HindsightError, InvalidRequest, LimitExceeded
from hindsight.domain.moments import parse_zone
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.records import DistillResult
from hindsight.entrypoints.cli.opening import terminal
from hindsight.entrypoints.cli.rendering import Lines, visible

if TYPE_CHECKING:
    from hindsight.facade import Hindsight

# A session of 10,000 turns of 2,000 characters is 60 MB in UTF-8; anything longer is no JSON lines file.
LINE_BYTES_MAX: Final = 64 * 1024 * 1024
FAILURES_SHOWN: Final = 20
WATCH_S: Final = 0.5
STANDARD_INPUT: Final = "-"

_TASK_COLUMNS: Final = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeRemainingColumn(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A line that was not taken in, or a session whose look back failed."""

    line: int | None
    session_id: str | None
    code: str
    message: str


@dataclass(slots=True, kw_only=True)
class Report:
    """What became of a file: what was taken in, kept, refused and held back."""

    lines: int = 0
    sessions: int = 0
    turns_appended: int = 0
    turns_known: int = 0
    secrets_masked: int = 0
    erased_on_request: int = 0
    looked_back: int = 0
    episodes: int = 0
    outcomes: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])
    failures: list[Failure] = field(default_factory=list[Failure])
    interrupted: bool = False

    def add(self, result: DistillResult) -> None:
        """Count what one look back made."""
        self.looked_back += 1
        self.episodes += result.episode is not None
        self.outcomes.update(written.outcome for written in result.outcomes)
        self.refused.update(words.reason for words in result.rejected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the file, checked for shape; what its turns hold is the service's to judge."""

    number: int
    namespace: str
    session_id: str
    turns: Sequence[object]
    time_zone: str | None


class _Watch:
    """Calls *look* now and then while the work under it blocks this thread."""

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hindsight-progress", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *failure: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(WATCH_S):
            self._look()


class _Stop:
    """Turns the first Ctrl-C into a wish to stop after what is at hand; the second one stops at once.

    A session that is cut off in its look back would stay leased, and the next run would have to wait.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._wished = False
        self._before: Any = None

    def __enter__(self) -> _Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._wish)
        return self

    def __exit__(self, *failure: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Stop here if that was wished for."""
        if self._wished:
            raise KeyboardInterrupt

    def _wish(self, number: int, frame: FrameType | None) -> None:
        if self._wished:
            raise KeyboardInterrupt
        self._wished = True
        self._say("stopping after the session at hand; Ctrl-C again stops at once")


class Observer:
    """Takes a file in, with a bar on standard error, and keeps count."""

    def __init__(self, service: Hindsight, *, namespace: str | None, time_zone: str | None, distill: bool) -> None:
        self.report = Report()
        self._service = service
        # Checked here, so that a slip on the command line is said once and not for every line.
        self._namespace = None if namespace is None else parse_namespace(namespace)
        self._time_zone = None if time_zone is None else parse_zone(time_zone).key
        self._distill = distill
        # Sessions in the order of the file; a dict, because a file may name one twice.
        self._sessions: dict[tuple[str, str], int] = {}

    def run(self, source: str) -> Report:
        """Observe *source* (a path, or ``-``) and look back on its sessions; Ctrl-C ends it early."""
        console = terminal(stderr=True)
        with Progress(*_TASK_COLUMNS, console=console, disable=not console.is_terminal) as progress:
            try:
                with _Stop(progress.console.print) as stop:
                    self._take_in(source, progress, stop)
                    if self._distill:
                        self._look_back(progress, stop)
                if self._distill:
                    self._embed(progress)
            except KeyboardInterrupt:
                self.report.interrupted = True
        return self.report

    def _take_in(self, source: str, progress: Progress, stop: _Stop) -> None:
        total = None if source == STANDARD_INPUT else Path(source).stat().st_size
        bar = progress.add_task("observing", total=None)
        for number, raw in _lines(source):
            stop.check()
            self.report.lines += 1
            try:
                self._observe(self._parse(number, raw))
            except HindsightError as error:
                self._fail(error, line=number)
            if total and self.report.lines == 1:
                # Lines are about equally long, so the first one tells how many there are.
                progress.update(bar, total=max(1, round(total / max(1, len(raw)))))
            progress.update(bar, completed=self.report.lines)
        progress.update(bar, total=self.report.lines, completed=self.report.lines)

    def _observe(self, line: Line) -> None:
        result = self._service.observe(
            line.namespace,
            line.session_id,
            cast("Sequence[Mapping[str, object]]", line.turns),
            distill=False,
            time_zone=line.time_zone or self._time_zone,
        )
        if result.turn_count:
            self._sessions.setdefault((line.namespace, line.session_id), line.number)
            self.report.sessions = len(self._sessions)
        self.report.turns_appended += result.appended
        self.report.turns_known += len(line.turns) - result.appended
        self.report.secrets_masked += result.masked_secrets
        self.report.erased_on_request += len(result.receipts)

    def _look_back(self, progress: Progress, stop: _Stop) -> None:
        bar = progress.add_task("looking back", total=len(self._sessions))
        for (namespace, session_id), number in self._sessions.items():
            stop.check()
            try:
                self.report.add(self._service.distill(namespace, session_id))
            except HindsightError as error:
                self._fail(error, line=number, session_id=session_id)
            progress.advance(bar)

    def _embed(self, progress: Progress) -> None:
        """Make the vectors that are outstanding, so that everything is found by meaning at once."""
        total = self._service.pending().texts
        bar: TaskID = progress.add_task("indexing", total=total)
        with _Watch(lambda: progress.update(bar, completed=total - self._service.pending().texts)):
            self._service.wait()
        progress.update(bar, completed=total)

    def _fail(self, error: HindsightError, *, line: int, session_id: str | None = None) -> None:
        failure = Failure(line=line, session_id=session_id, code=error.code, message=str(error))
        self.report.failures.append(failure)

    def _parse(self, number: int, raw: bytes) -> Line:
        if len(raw) > LINE_BYTES_MAX:
            raise LimitExceeded(f"the line has {len(raw):,} bytes; at most {LINE_BYTES_MAX:,} are read")
        try:
            # The mark that some editors put before UTF-8 is no part of the first line.
            content: object = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError) as exc:
            raise InvalidRequest(f"the line is not JSON in UTF-8: {exc}", code="invalid_line") from exc
        if not isinstance(content, dict):
            raise InvalidRequest("the line must be an object with session_id and turns", code="invalid_line")
        fields = cast("dict[str, object]", content)
        turns = fields.get("turns")
        if not isinstance(turns, list):
            raise InvalidRequest("turns must be a list of {'role', 'content'}", code="invalid_line")
        time_zone = fields.get("time_zone")
        return Line(
            number=number,
            namespace=cast("str", fields.get("namespace", self._namespace)),
            session_id=cast("str", fields.get("session_id")),
            turns=_dated(cast("list[object]", turns), fields.get("date")),
            time_zone=cast("str | None", time_zone),
        )


def _dated(turns: list[object], date: object) -> list[object]:
    """*turns* with the session's date on the first one, where it has no time: later ones follow it."""
    first = turns[0] if turns else None
    if date is None or not isinstance(first, dict):
        return turns
    fields = cast("dict[str, object]", first)
    return turns if fields.get("at") is not None else [{**fields, "at": date}, *turns[1:]]


def _lines(source: str) -> Iterator[tuple[int, bytes]]:
    """(number from 1, bytes) of every line that is not blank."""
    try:
        with nullcontext(sys.stdin.buffer) if source == STANDARD_INPUT else Path(source).open("rb") as file:
            yield from _numbered(file)
    except OSError as exc:
        raise InvalidRequest(f"file {source!r} cannot be read: {exc.strerror}", code="invalid_file") from exc


def _numbered(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    # Bytes, because text would also break lines at U+2028 and at a lone carriage return.
    for number, raw in enumerate(file, start=1):
        if raw.strip():
            yield number, raw


def report_lines(report: Report) -> Lines:
    """The report for people."""
    known = f", {report.turns_known:,} known already" if report.turns_known else ""
    lines = [Text(f"observed {report.sessions:,} sessions: {report.turns_appended:,} new turns{known}")]
    if report.secrets_masked:
        lines.append(Text(f"masked {report.secrets_masked:,} secrets in turns", style="yellow"))
    if report.erased_on_request:
        lines.append(Text(f"erased on the user's word in {report.erased_on_request:,} turns"))
    if report.looked_back:
        kept = report.outcomes.total() - report.outcomes["quarantined"]
        lines.append(Text(f"looked back on {report.looked_back:,} sessions: {report.episodes:,} episodes"))
        lines.append(Text(f"kept {kept:,}{_by(report.outcomes, without='quarantined')}", style="green"))
        lines.append(Text(f"refused {report.refused.total():,}{_by(report.refused)}"))
        lines.append(Text(f"quarantined {report.outcomes['quarantined']:,}", style="yellow"))
    for failure in report.failures[:FAILURES_SHOWN]:
        lines.append(Text(f"line {failure.line}: {visible(failure.message)} [{failure.code}]", style="red"))
    if len(report.failures) > FAILURES_SHOWN:
        lines.append(Text(f"and {len(report.failures) - FAILURES_SHOWN:,} more; --json lists them all", style="red"))
    if report.interrupted:
        lines.append(Text("interrupted: what is counted here is kept; the same command goes on from here"))
    return lines


def _by(counts: Counter[str], *, without: str = "") -> str:
    parts = [f"{count:,} {name}" for name, count in counts.most_common() if name != without and count]
    return f" ({', '.join(parts)})" if parts else ""
