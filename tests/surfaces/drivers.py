"""One way to call the service through each surface, answering in the JSON form of `presenting`."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import hindsight
from hindsight.domain.errors import HindsightError
from hindsight.entrypoints.cli import run
from hindsight.entrypoints.presenting import present
from surfaces.mcp_driver import McpSurface
from surfaces.refused import Refused
from surfaces.rest_driver import RestSurface

Answer = Any


class Surface(Protocol):
    """A surface on one home. The verbs and their arguments are those of the facade.

    ``ceiling`` is the highest origin that words can have here.
    """

    ceiling: str

    def call(self, verb: str, *positional: Answer, **named: Answer) -> Answer:
        """The JSON form of what *verb* answers, or `Refused`."""
        ...

    def close(self) -> None: ...


class PythonSurface:
    """The facade, in this process."""

    ceiling = "user"

    def __init__(self, home: Path) -> None:
        self._service = hindsight.open(home, settings={"look_back.worker": False})

    def call(self, verb: str, *positional: Answer, **named: Answer) -> Answer:
        try:
            return present(getattr(self._service, verb)(*positional, **named))
        except HindsightError as error:
            raise Refused(error.code, type(error).__name__, str(error)) from error

    def close(self) -> None:
        self._service.close()


# Where a command is not called as the method is.
_COMMANDS = {"memories": "list", "memory": "show", "why": "show"}
_OPTIONS = {"statuses": "status", "layers": "layer"}
_NAMESPACE_FIRST = {
    "write", "distill", "memories", "conflicts", "quarantine", "review", "lessons", "sessions", "episodes", "jobs",
}  # fmt: skip
_ARGUMENTS = {"erase": ("memory_id",)}
_CONFIRMED = {"erase", "release", "unlearn"}


class CliSurface:
    """The command line, in this process, always with ``--json``."""

    ceiling = "user"

    def __init__(self, home: Path) -> None:
        self._home = home

    def call(self, verb: str, *positional: Answer, **named: Answer) -> Answer:
        if verb == "observe":
            return self._observe(*positional, **named)
        arguments = list(positional)
        namespace = arguments.pop(0) if verb in _NAMESPACE_FIRST else named.pop("namespace")
        if verb == "used":
            named["decision"] = arguments.pop()
            arguments = [arguments[0], *arguments[1]]
        command = [_COMMANDS.get(verb, verb), f"--namespace={namespace}"]
        for name, value in named.items():
            if name in _ARGUMENTS.get(verb, ()):
                arguments.append(value)
            else:
                command += self._option(name, value)
        command += ["--yes"] if verb in _CONFIRMED else ["--why"] if verb == "why" else []
        # Behind the two dashes nothing is taken for an option.
        answer = self._run([*command, "--json", "--home", str(self._home), "--", *map(str, arguments)])
        # `show` answers with the memory's whole life.
        return answer["memory"] if verb == "memory" else answer

    def _option(self, name: str, value: Answer) -> list[str]:
        option = "--" + _OPTIONS.get(name, name).replace("_", "-")
        if value is True:
            return [option]
        values = value if isinstance(value, list | tuple) else [value]
        return [f"{option}={item}" for item in values]

    def _observe(self, namespace: str, session_id: str, turns: list[Answer], **named: Answer) -> Answer:
        line = {"namespace": namespace, "session_id": session_id, "turns": turns, **named}
        file = self._home.parent / "one.jsonl"
        file.write_text(json.dumps(line, ensure_ascii=False), encoding="utf-8")
        command = ["observe", str(file), "--no-distill", "--json", "--home", str(self._home)]
        report = self._run(command, also_ok=1)
        for failure in report["failures"]:
            raise Refused(failure["code"], "", failure["message"])
        return {"appended": report["turns_appended"], "turn_count": report["turns_appended"] + report["turns_known"]}

    def _run(self, command: list[str], also_ok: int = 0) -> Answer:
        out, err = _Captured(), _Captured()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(command)
        if code not in (0, also_ok):
            said = json.loads(err.text())["error"]
            raise Refused(said["code"], said["kind"], said["message"])
        return json.loads(out.text())

    def close(self) -> None:
        """Nothing is held between commands."""


class _Captured(io.TextIOWrapper):
    """A standard stream in memory, with an encoding that the program must not rely on."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="gbk")

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode("utf-8")  # pyright: ignore


SURFACES: dict[str, Callable[[Path], Surface]] = {
    "python": PythonSurface,
    "cli": CliSurface,
    "rest": RestSurface,
    "mcp": McpSurface,
}
