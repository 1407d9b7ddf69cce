from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hindsight.entrypoints.cli import run


@dataclass(frozen=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        return json.loads(self.out)


class _Stream(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="gbk", newline="\r\n")

    def bytes(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


Command = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def hindsight(home: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs one command line in this process on a home of its own, with words only: no model is loaded."""
    monkeypatch.setenv("HINDSIGHT_HOME", str(home))
    monkeypatch.setenv("HINDSIGHT_EMBEDDER_NAME", "none")
    monkeypatch.delenv("HINDSIGHT_CONFIG", raising=False)

    def command(*arguments: str) -> Ran:
        out, err = _Stream(), _Stream()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(arguments)
        return Ran(code, out.bytes().decode("utf-8"), err.bytes().decode("utf-8"))

    return command
