"""The house holds: layers, sizes, names and clean files; and every rule is seen to fail once."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import PurePosixPath

import pytest

import house_rules as rules
from house_rules import ROOT, Source

SOURCES = rules.sources()
PORTS = rules.port_methods(next(source for source in SOURCES if source.module == "ports"))
NEVER = rules.refused_words((ROOT / "docs" / "domain.md").read_text(encoding="utf-8"))

RULES: dict[str, rules.Rule] = {
    "dependency_rule": rules.dependency_rule,
    "quiet_import": rules.quiet_import,
    "environment_only_in_settings": rules.environment_only_in_settings,
    "narrow_except": rules.narrow_except,
    "print_only_at_the_edge": rules.print_only_at_the_edge,
    "sizes": rules.sizes,
    "speaking_names": rules.speaking_names,
    "documented": partial(rules.documented, ports=PORTS),
    "domain_words": partial(rules.domain_words, never=NEVER),
}


@pytest.mark.parametrize("name", RULES)
def test_every_module_keeps_the_rule(name: str) -> None:
    broken = [f"{source.module or 'hindsight'}: {said}" for source in SOURCES for said in RULES[name](source)]
    assert not broken, "\n".join(broken)


_LONG = "def f() -> None:\n" + "    x = 1\n" * 80
_MANY = "class Wide:\n" + "".join(f"    def m{n}(self) -> None: ...\n" for n in range(16))

BAD = [
    ("dependency_rule", "domain.memory", "import numpy"),
    ("dependency_rule", "domain.memory", "from hindsight.ports import Clock"),
    ("dependency_rule", "ports", "from hindsight.services import write"),
    ("dependency_rule", "services.write", "from hindsight.adapters.sqlite import store"),
    ("dependency_rule", "services.write", "from hindsight.entrypoints import presenting"),
    ("dependency_rule", "services.write", "import typer"),
    ("dependency_rule", "services.write", "def f():\n    from ..adapters import sqlite"),
    ("dependency_rule", "language.script", "from hindsight.ports import Clock"),
    ("dependency_rule", "adapters.sqlite.store", "from hindsight.services import write"),
    ("dependency_rule", "adapters.sqlite.store", "from hindsight.adapters.audit import lines"),
    ("dependency_rule", "entrypoints.cli", "from hindsight.adapters.sqlite import store"),
    ("dependency_rule", "entrypoints.cli", "import hindsight.adapters"),
    ("quiet_import", "services.write", "DATA = open('data.txt')"),
    ("quiet_import", "services.write", "from pathlib import Path\nDATA = Path('x').read_text()"),
    ("quiet_import", "services.write", "import os\nHOME = os.environ['HOME']"),
    ("quiet_import", "services.write", "class A:\n    started = time.time()"),
    ("quiet_import", "services.write", "def f(now=datetime.now()):\n    pass"),
    ("environment_only_in_settings", "services.write", "def f():\n    return os.environ.get('X')"),
    ("environment_only_in_settings", "services.write", "from os import getenv"),
    ("environment_only_in_settings", "entrypoints.cli", "HOME = typer.Option(envvar='X')"),
    ("narrow_except", "services.write", "try:\n    f()\nexcept Exception:\n    pass"),
    ("narrow_except", "services.write", "try:\n    f()\nexcept:\n    pass"),
    (
        "narrow_except",
        "entrypoints.cli.app",
        "def show():\n    try:\n        f()\n    except (OSError, Exception):\n        pass",
    ),
    ("print_only_at_the_edge", "services.write", "def f():\n    print('x')"),
    ("sizes", "services.write", _LONG),
    ("sizes", "services.write", "x = 1\n" * 601),
    ("sizes", "services.write", _MANY),
    ("sizes", "services.write", "def f(a, b, c, d, *, e, f, g, h): ..."),
    ("sizes", "services.write", "def f(**options): ..."),
    ("speaking_names", "services.text_utils", ""),
    ("speaking_names", "services.write_v2", ""),
    ("speaking_names", "services.write", "class StoreManager: ..."),
    ("documented", "services.write", "x = 1"),
    ("documented", "services.write", '"""Why."""\ndef write(): ...'),
    ("documented", "services.write", '"""Why."""\nclass A:\n    """What."""\n    def b(self): ...'),
    ("domain_words", "services.write", "def f(tenant): ..."),
    ("domain_words", "services.write", "class A:\n    distance: float"),
]


@pytest.mark.parametrize(("name", "module", "text"), BAD)
def test_the_rule_sees_its_violation(name: str, module: str, text: str) -> None:
    assert list(RULES[name](Source(module, text)))


GOOD = [
    ("dependency_rule", "services.write", "import numpy as np\nfrom hindsight.language import script"),
    (
        "dependency_rule",
        "adapters.sqlite.store",
        "import sqlite3\nfrom hindsight.adapters.sqlite import rows",
    ),
    ("dependency_rule", "bootstrap", "from hindsight.adapters.sqlite import store"),
    ("quiet_import", "services.write", "import os\ndef f():\n    return open(os.environ['X'])"),
    ("environment_only_in_settings", "settings", "def f():\n    return os.environ.get('X')"),
    (
        "narrow_except",
        "entrypoints.cli",
        "def main():\n    try:\n        f()\n    except Exception:\n        pass",
    ),
    ("sizes", "facade", "class Hindsight:\n    def write(self, n, *, a, b, c, d, e, f, g, h): ..."),
    ("sizes", "entrypoints.cli", "@app.command()\ndef search(a, b, c, d, e, f, g, h): ..."),
    ("speaking_names", "services.database", "class Baseline: ..."),
    ("documented", "services.write", '"""Why."""\ndef _write(): ...'),
]


@pytest.mark.parametrize(("name", "module", "text"), GOOD)
def test_the_rule_lets_pass_what_is_right(name: str, module: str, text: str) -> None:
    assert not list(RULES[name](Source(module, text)))


def tracked_files() -> list[PurePosixPath]:
    """The files git tracks or would track; without git (a source archive) the rule has nothing to read."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return []
    names = [name for name in listed.stdout.decode("utf-8").split("\0") if name]
    return [PurePosixPath(name) for name in names if (ROOT / name).is_file()]


def test_no_tracked_file_names_a_machine_or_is_unfinished() -> None:
    broken: list[str] = []
    for path in tracked_files():
        content = (ROOT / path).read_bytes()
        if b"\0" not in content:
            broken += [f"{path}:{said}" for said in rules.clean_file(path, content.decode("utf-8"))]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    "line",
    [
        "see /wor" + "k/main/notes",
        "cp /ho" + "me/ana/x .",
        "pip install --index-url https://py" + "pi.org/simple",
        "as in LoC" + "oMo",
        "# TO" + "DO later",
    ],
)
def test_the_file_rule_sees_its_violation(line: str) -> None:
    assert list(rules.clean_file(PurePosixPath("src/hindsight/x.py"), line))


def test_no_tracked_file_is_over_a_megabyte() -> None:
    sizes = {str(path): (ROOT / path).stat().st_size for path in tracked_files()}
    assert {path: size for path, size in sizes.items() if size > rules.FILE_BYTES_MAX} == {}


def test_the_glossary_refuses_words() -> None:
    assert NEVER["tenant"] == "namespace"
    assert NEVER["distance"] == "similarity"
