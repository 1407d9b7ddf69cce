"""What a fresh install weighs and how soon it answers: packages, megabytes, seconds, resident memory.

    python bench/footprint.py                  builds nothing: installs the project from this tree
    python bench/footprint.py --wheel dist/hindsight_agent_memory-0.1.0-py3-none-any.whl

It makes an environment in a temporary folder, so that nothing which happens to be installed counts.
Every time is from the start of a new process, on a warm disk cache, and the median of the runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What an environment has before anything is installed into it.
PREINSTALLED = frozenset({"pip", "setuptools", "wheel"})

FILL = """
import sys, hindsight
with hindsight.open(sys.argv[1]) as hs:
    for number in range(int(sys.argv[2])):
        hs.write("bench", key=f"item_{number}_place", value=f"Keeps item number {number} in room {number % 97}.")
    hs.wait()
"""
FIRST_ANSWER = """
import os, sys, hindsight
with hindsight.open(sys.argv[1]) as hs:
    assert hs.search("Where is item number 7 kept?", namespace="bench").hits
    print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmRSS")), flush=True)
    os._exit(0)
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print one table, or JSON."""
    options = _parse(arguments)
    with tempfile.TemporaryDirectory(prefix="hindsight-footprint-") as folder:
        figures = measure(Path(folder), options.wheel, runs=options.runs, memories=options.memories)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:<44} {value}")


def measure(folder: Path, wheel: str, *, runs: int, memories: int) -> dict[str, object]:
    """The figures of one fresh install in *folder*."""
    python = _install(folder / "env", wheel)
    packages = _packages(python)
    site = Path(_run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip())
    home = folder / "home"
    _run([python, "-c", FILL, str(home), str(memories)])
    command = str(Path(python).with_name("hindsight"))
    in_python = [_timed([python, "-c", FIRST_ANSWER, str(home)]) for _ in range(runs)]
    asked = [command, "search", "Where is item number 7 kept?", "-n", "bench", "--home", str(home)]
    on_command_line = [_timed(asked) for _ in range(runs)]
    helped = [_timed([command, "--help"]) for _ in range(runs)]
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "packages": len(packages),
        "installed_mb": round(_megabytes(site, ignoring=PREINSTALLED), 1),
        "memories": memories,
        "first_search_python_s": round(statistics.median(seconds for seconds, _ in in_python), 2),
        "first_search_command_line_s": round(statistics.median(seconds for seconds, _ in on_command_line), 2),
        "help_s": round(statistics.median(seconds for seconds, _ in helped), 2),
        "resident_mb_after_first_search": round(int(in_python[-1][1].split()[-1]) / 1024, 1),
        "home_mb": round(sum(file.stat().st_size for file in home.rglob("*") if file.is_file()) / 1e6, 1),
    }


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--wheel", default=str(ROOT), help="what to install; this tree, when omitted")
    parser.add_argument("--runs", type=int, default=5, help="how often each time is taken")
    parser.add_argument("--memories", type=int, default=100, help="how many memories the home holds")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(arguments)


def _install(environment: Path, wheel: str) -> str:
    venv.create(environment, with_pip=True)
    python = str(environment / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    _run([python, "-m", "pip", "install", "-qq", "--no-compile", wheel])
    return python


def _packages(python: str) -> list[str]:
    listed = json.loads(_run([python, "-m", "pip", "list", "--format=json"]))
    return [package["name"] for package in listed if package["name"] not in PREINSTALLED]


def _megabytes(site: Path, *, ignoring: frozenset[str]) -> float:
    """Megabytes of all that was installed, without what the environment brought along and compiled caches."""
    total = 0
    for entry in site.iterdir():
        if entry.name.split("-")[0] in ignoring or entry.name in {"_distutils_hack", "pkg_resources"}:
            continue
        files = [entry] if entry.is_file() else entry.rglob("*")
        total += sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc")
    return total / 1e6


def _timed(command: list[str]) -> tuple[float, str]:
    started = time.perf_counter()
    said = _run(command)
    return time.perf_counter() - started, said


def _run(command: list[str]) -> str:
    ran = subprocess.run(command, capture_output=True, check=False, text=True, encoding="utf-8")
    if ran.returncode:
        sys.exit(f"{' '.join(command[:4])} … failed:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


if __name__ == "__main__":
    main()
