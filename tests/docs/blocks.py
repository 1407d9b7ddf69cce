"""The code blocks of the documentation, and how they are run.

A block that is marked ``<!-- run -->`` runs in order with the others of its page, in one folder and on one
home: ``bash`` and ``python`` must succeed, and ``console`` must print what the page shows, apart from
ids, days and figures, which differ from run to run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh-CN.md",
    *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
]
_BLOCK = re.compile(r"^<!-- run -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VARYING = re.compile(r"(?:mem|tra|con|cfl|rec|job|epi|key)_?[0-9a-f]{8,}|\d{4}-\d{2}-\d{2}|\d+\.\d+|\b[0-9a-f]{16,}\b")
BLOCK_TIMEOUT_S = 120


@dataclass(frozen=True)
class Block:
    """One block that is to be run."""

    kind: str
    text: str


def blocks_of(page: Path) -> list[Block]:
    """The blocks of *page* that are marked to be run, in order."""
    return [Block(kind, text) for kind, text in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def run_block(block: Block, *, folder: Path) -> None:
    """Run one block in *folder*; AssertionError where it fails or prints something else."""
    if block.kind == "python":
        _run([sys.executable, "-c", block.text], folder)
    elif block.kind == "bash":
        _run(["bash", "-euo", "pipefail", "-c", block.text], folder)
    elif block.kind == "console":
        _run_console(block.text, folder)
    else:
        raise AssertionError(f"a {block.kind} block cannot be run")


def _run_console(text: str, folder: Path) -> None:
    for command, shown in _commands(text):
        printed = _run(["bash", "-euo", "pipefail", "-c", command], folder)
        assert without_varying(printed) == without_varying(shown), f"{command}\nprints\n{printed}"


def _commands(text: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def without_varying(text: str) -> str:
    """*text* with ids, days and figures masked."""
    return _VARYING.sub("#", text).strip()


def _run(command: list[str], folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_")}
    environment["HINDSIGHT_HOME"] = str(folder / "home")
    # The interpreter's own folder first: `hindsight` and `python3` must be the ones under test.
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, timeout=BLOCK_TIMEOUT_S, check=False
    )
    said = ran.stdout.decode("utf-8")
    assert ran.returncode == 0, f"exit {ran.returncode}\n{said}\n{ran.stderr.decode('utf-8', 'replace')}"
    return said
