"""Writes into both READMEs what their console blocks print, by running them on a fresh home.

Run it as ``make docs``. `tests/docs` runs the same blocks and compares all but ids, days and figures.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_CONSOLE = re.compile(r"(?<=<!-- run -->\n```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def with_outputs(text: str, folder: Path) -> str:
    """*text* with each command of its console blocks followed by what it prints in *folder*."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_")}
    environment["HINDSIGHT_HOME"] = str(folder / "home")
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"

    def run(line: str) -> str:
        ran = subprocess.run(["bash", "-c", line[2:]], cwd=folder, env=environment, capture_output=True, check=True)
        return f"{line}\n{ran.stdout.decode('utf-8')}"

    def fill(block: re.Match[str]) -> str:
        return "".join(run(line) for line in block.group().splitlines() if line.startswith("$ "))

    return _CONSOLE.sub(fill, text)


if __name__ == "__main__":
    for page in (ROOT / "README.md", ROOT / "README.zh-CN.md"):
        with tempfile.TemporaryDirectory() as scratch:
            written = with_outputs(page.read_text(encoding="utf-8"), Path(scratch))
        page.write_text(written, encoding="utf-8", newline="\n")
