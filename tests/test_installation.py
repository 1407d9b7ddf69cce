"""What users install: the right package, whole, and quiet when it is imported."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import hindsight

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hindsight"
INSTALLED = Path(hindsight.__file__).parent
AGAINST_WHEEL = os.environ.get("SUITE_AGAINST") == "wheel"

# Imports every module with a hook on what the interpreter is asked to do, and prints what it must not do.
QUIET_IMPORT = """
import importlib, pkgutil, sys
import hindsight.domain.errors  # third-party libraries that this brings along are imported before the hook
broken = []
def watch(event, arguments):
    if event in {"socket.connect", "socket.bind", "subprocess.Popen", "os.system", "sqlite3.connect"}:
        broken.append(f"{event} {arguments!r}")
    if event == "open" and any(letter in str(arguments[1] or "") for letter in "wax+"):
        broken.append(f"{event} {arguments!r}")
sys.dont_write_bytecode = True
sys.addaudithook(watch)
for module in pkgutil.walk_packages(hindsight.__path__, "hindsight."):
    importlib.import_module(module.name)
print("\\n".join(broken))
"""


def shipped(folder: Path) -> set[str]:
    """The files of the package in *folder*, as they are installed."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in files}


@pytest.mark.skipif(not AGAINST_WHEEL, reason="runs where the wheel is installed: make test")
def test_the_suite_runs_against_the_wheel_and_not_the_tree() -> None:
    assert INSTALLED.is_relative_to(Path(sysconfig.get_path("purelib")))
    assert not INSTALLED.is_relative_to(ROOT / "src")


def test_the_package_ships_every_file_of_the_source() -> None:
    assert shipped(SOURCE) - shipped(INSTALLED) == set()
    assert "py.typed" in shipped(INSTALLED)


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert version(project["name"]) == project["version"]


def test_importing_every_module_opens_nothing() -> None:
    ran = subprocess.run([sys.executable, "-c", QUIET_IMPORT], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


def test_the_command_is_installed() -> None:
    command = Path(sysconfig.get_path("scripts")) / "hindsight"
    ran = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"hindsight {version('hindsight-agent-memory')}\n"


def test_the_public_names_are_sorted_and_there() -> None:
    assert list(hindsight.__all__) == sorted(hindsight.__all__)
    assert [name for name in hindsight.__all__ if not hasattr(hindsight, name)] == []
