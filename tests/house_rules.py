"""The rules of the house as functions: source in, violations out.

They read syntax trees and never import what they judge, so a broken module is still judged.
`test_architecture.py` holds the source to them, and each of them to a snippet that must fail.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "hindsight"

FUNCTION_LINES_MAX = 70
MODULE_LINES_MAX = 600
PARAMETERS_MAX = 7
PUBLIC_METHODS_MAX = 15
FILE_BYTES_MAX = 1_000_000


@dataclass(frozen=True)
class Source:
    """One module: its dotted name below the package, ``""`` for the package itself, and its text."""

    module: str
    text: str
    is_package: bool = False

    @property
    def layer(self) -> str:
        return self.module.split(".")[0] or "root"

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)


def sources() -> list[Source]:
    """Every module of the package."""
    found: list[Source] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if is_package else parts)
        found.append(Source(module, path.read_text(encoding="utf-8"), is_package))
    return found


# --- Who may see whom -------------------------------------------------------------------------

ALL_LAYERS = frozenset(
    "root domain ports language services adapters entrypoints settings facade bootstrap testing".split()
)
MAY_SEE: dict[str, frozenset[str]] = {
    "domain": frozenset({"domain"}),
    "ports": frozenset({"domain", "ports"}),
    "language": frozenset({"domain", "language"}),
    "services": frozenset({"domain", "ports", "language", "services"}),
    "adapters": frozenset({"domain", "ports", "language", "adapters"}),
    "settings": frozenset({"domain", "settings"}),
    "facade": frozenset({"domain", "ports", "services", "settings", "facade"}),
    "entrypoints": ALL_LAYERS - {"adapters", "language", "testing"},
    "testing": ALL_LAYERS - {"entrypoints"},
    "bootstrap": ALL_LAYERS,
    "root": ALL_LAYERS - {"adapters", "entrypoints", "testing"},
}
# numpy arrays cross the ports, so the core may hold them; any other library stays at the edge.
THIRD_PARTY_ALLOWED: dict[str, frozenset[str]] = {
    "domain": frozenset(),
    "settings": frozenset(),
    "ports": frozenset({"numpy"}),
    "services": frozenset({"numpy"}),
    "facade": frozenset(),
    "root": frozenset(),
}


def imported_modules(source: Source) -> Iterator[tuple[int, str]]:
    """(line, absolute dotted name) of every import, wherever it stands."""
    here = ["hindsight", *[part for part in source.module.split(".") if part]]
    package = here if source.is_package else here[:-1]
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def dependency_rule(source: Source) -> Iterator[str]:
    """Inner layers never see outer ones, and only the edge sees libraries."""
    libraries = THIRD_PARTY_ALLOWED.get(source.layer)
    for line, name in imported_modules(source):
        first, *rest = name.split(".")
        if first == "hindsight":
            target = rest[0] if rest and rest[0] in ALL_LAYERS else "root"
            if target not in MAY_SEE[source.layer]:
                yield f"{line}: {source.layer} must not import {name}"
            if source.layer == target == "adapters" and _family(name) != _family("hindsight." + source.module):
                yield f"{line}: one adapter must not import another: {name}"
        elif libraries is not None and first not in sys.stdlib_module_names and first not in libraries:
            yield f"{line}: {source.layer} must not import the library {first}"


def _family(name: str) -> str:
    return ".".join(name.split(".")[:3])


# --- What a module may do ---------------------------------------------------------------------

_IO_NAMES = frozenset(
    "open print input exec eval os.getenv os.environ os.environb os.getcwd os.listdir os.mkdir os.makedirs "
    "sqlite3.connect socket.socket socket.create_connection subprocess.run subprocess.Popen "
    "subprocess.check_output time.time time.monotonic datetime.now datetime.utcnow date.today "
    "threading.Thread threading.Timer logging.basicConfig urllib.request.urlopen np.load numpy.load "
    "random.random secrets.token_bytes uuid.uuid4 Path.cwd Path.home signal.signal atexit.register".split()
)
_IO_METHODS = frozenset(
    "read_text read_bytes write_text write_bytes mkdir touch unlink exists iterdir glob rglob open connect "
    "expanduser resolve".split()
)


def quiet_import(source: Source) -> Iterator[str]:
    """Importing a module opens nothing, reads no environment and asks no clock."""
    for node in _at_import(source.tree):
        if isinstance(node, ast.Call):
            name = _dotted(node.func)
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in _IO_NAMES or method in _IO_METHODS:
                yield f"{node.lineno}: {name or method}() runs at import"
        elif isinstance(node, ast.Attribute) and _dotted(node) in {"os.environ", "os.environb"}:
            yield f"{node.lineno}: the environment is read at import"


# A library that reads its variable once, when it is loaded, can be set in no other way.
MAY_SET_A_LIBRARYS_VARIABLE = frozenset({("adapters.embedders.nano", "_load")})


def environment_only_in_settings(source: Source) -> Iterator[str]:
    """`settings.py` is the only reader of the environment."""
    if source.module == "settings":
        return
    for function, node in _with_function(source.tree):
        if isinstance(node, ast.Attribute) and _dotted(node) in {"os.environ", "os.getenv", "os.environb"}:
            if (source.module, function) not in MAY_SET_A_LIBRARYS_VARIABLE:
                yield f"{node.lineno}: {_dotted(node)} outside settings.py"
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            for alias in node.names:
                if alias.name in {"environ", "getenv", "environb"}:
                    yield f"{node.lineno}: os.{alias.name} outside settings.py"
        elif isinstance(node, ast.keyword) and node.arg == "envvar":
            yield f"{node.value.lineno}: envvar= reads the environment outside settings.py"


# The top of every entry point, and the loop that runs durable jobs.
MAY_CATCH_ALL = frozenset(
    {
        ("entrypoints.cli", "main"),
        ("entrypoints.mcp", "hide_defects"),
        ("services.worker", "_run"),
        ("services.worker", "_loop"),
        # An embedder may be the caller's own code, which raises whatever it likes.
        ("adapters.embedders.guarded", "_checked"),
    }
)


def narrow_except(source: Source) -> Iterator[str]:
    """`except Exception` stands only at the top level of an entry point and in the worker loop."""
    for function, node in _with_function(source.tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = _caught(node)
        if caught & {"", "Exception", "BaseException"} and not any(
            source.module.startswith(module) and function == name for module, name in MAY_CATCH_ALL
        ):
            yield f"{node.lineno}: catches everything in {function or 'the module'}"


def _caught(node: ast.ExceptHandler) -> set[str]:
    if node.type is None:
        return {""}
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return {_dotted(kind).split(".")[-1] for kind in kinds}


def print_only_at_the_edge(source: Source) -> Iterator[str]:
    """`print` belongs to entry points."""
    if source.layer == "entrypoints":
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and _dotted(node.func) in {"print", "sys.stdout.write"}:
            yield f"{node.lineno}: print outside an entry point"


# --- Sizes ------------------------------------------------------------------------------------

# The facade's names are fixed by the design. A scope is one seam: no word of the domain divides it.
EXEMPT_LAYERS = frozenset({"facade"})
SCOPE_SUFFIXES = ("Scope", "Store")


def sizes(source: Source) -> Iterator[str]:
    """Modules, functions, classes and parameter lists stay small enough to read at once."""
    lines = source.text.count("\n")
    if lines > MODULE_LINES_MAX:
        yield f"the module has {lines} lines, at most {MODULE_LINES_MAX}"
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _function_size(source, node)
        elif isinstance(node, ast.ClassDef) and source.layer not in EXEMPT_LAYERS:
            public = [item for item in _methods(node) if not item.name.startswith("_")]
            if len(public) > PUBLIC_METHODS_MAX and not node.name.endswith(SCOPE_SUFFIXES):
                yield f"{node.lineno}: {node.name} has {len(public)} methods, at most {PUBLIC_METHODS_MAX}"


def _function_size(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    if length > FUNCTION_LINES_MAX:
        yield f"{node.lineno}: {node.name} has {length} lines, at most {FUNCTION_LINES_MAX}"
    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    count = len([name for name in names if name not in {"self", "cls"}])
    if count > PARAMETERS_MAX and source.layer not in EXEMPT_LAYERS and not _is_mirror(source, node):
        yield f"{node.lineno}: {node.name} has {count} parameters, at most {PARAMETERS_MAX}"
    if arguments.kwarg and not node.name.startswith("_"):
        yield f"{node.lineno}: {node.name} takes **{arguments.kwarg.arg}; name its options"


def _is_mirror(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the parameters are fixed elsewhere: a command line, or the facade's call of the same name."""
    if source.module == f"services.{node.name}":
        return True
    return any(
        isinstance(d, ast.Call) and isinstance(d.func, ast.Attribute) and d.func.attr in {"command", "callback"}
        for d in node.decorator_list
    )


# --- Words ------------------------------------------------------------------------------------

_EMPTY_NAMES = frozenset("helper helpers util utils manager managers base common misc v2".split())


def speaking_names(source: Source) -> Iterator[str]:
    """Modules and classes are named by what they know, never by being a helper."""
    last = source.module.split(".")[-1]
    if _EMPTY_NAMES & set(last.split("_")):
        yield f"the module name {last!r} says nothing"
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            words = {word.lower() for word in re.findall(r"[A-Z][a-z0-9]*", node.name)}
            if words & _EMPTY_NAMES:
                yield f"{node.lineno}: the class name {node.name!r} says nothing"


def documented(source: Source, *, ports: frozenset[str] = frozenset()) -> Iterator[str]:
    """Every public name says what it is; a method of a port is documented there."""
    tree = source.tree
    if tree.body and not ast.get_docstring(tree):
        yield "the module does not say why it exists"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and _public(node.name):
            if not ast.get_docstring(node):
                yield f"{node.lineno}: {node.name} has no docstring"
            if isinstance(node, ast.ClassDef) and source.layer != "ports":
                for method in _methods(node):
                    known = method.name in ports and source.layer in {"adapters", "testing"}
                    if _public(method.name) and not known and not ast.get_docstring(method):
                        yield f"{method.lineno}: {node.name}.{method.name} has no docstring"


def port_methods(source: Source) -> frozenset[str]:
    """The names of all methods that the ports declare."""
    return frozenset(
        method.name for node in source.tree.body if isinstance(node, ast.ClassDef) for method in _methods(node)
    )


def domain_words(source: Source, *, never: dict[str, str]) -> Iterator[str]:
    """One word per concept: *never* maps a refused identifier to the word to use."""
    if source.layer in {"adapters", "language", "testing"}:
        return
    for node in ast.walk(source.tree):
        name = ""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        if name in never:
            yield f"{node.lineno}: {name!r} is {never[name]!r} here (docs/domain.md)"


def refused_words(glossary: str) -> dict[str, str]:
    """The refused identifiers of the glossary's table: rows ``| word | meaning | never |``."""
    refused: dict[str, str] = {}
    for line in glossary.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| **") and len(cells) == 3:
            for word in re.findall(r"`([a-z_]+)`", cells[2]):
                refused[word] = cells[0].strip("*")
    return refused


# --- Files ------------------------------------------------------------------------------------

_MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:work|root|home/[a-z]\w*|Users/[A-Za-z]\w*)/")
_DATASET = re.compile(
    "|".join(("loc" + "omo", "mad" + "ial", "life" + "bench", "longmem" + "eval", "chats" + "_zh")), re.I
)
_PACKAGE_INDEX = re.compile(
    "|".join((r"pypi\.o" + "rg", "pythonho" + "sted", r"registry\.npm" + "js", r"deb\.deb" + "ian"))
)
_UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def clean_file(path: PurePosixPath, text: str) -> Iterator[str]:
    """A tracked file names no machine, no data set outside the evaluations, and no unfinished work."""
    product = path.parts[0] in {"src", "tests"}
    for number, line in enumerate(text.splitlines(), start=1):
        if _MACHINE_PATH.search(line):
            yield f"{number}: names a path of one machine"
        if _PACKAGE_INDEX.search(line):
            yield f"{number}: names a package index; the caller's own configuration decides"
        if product and _DATASET.search(line):
            yield f"{number}: names a data set"
        if product and _UNFINISHED.search(line):
            yield f"{number}: is unfinished"


# --- Reading trees ----------------------------------------------------------------------------


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        start = _dotted(node.value)
        return f"{start}.{node.attr}" if start else ""
    return ""


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]


def _public(name: str) -> bool:
    return not name.startswith("_")


def _at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run when the module is imported: all but the bodies of functions."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Lambda):
            continue
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            for outside in (
                *child.decorator_list,
                *child.args.defaults,
                *filter(None, child.args.kw_defaults),
            ):
                yield outside
                yield from _at_import(outside)
            continue
        yield child
        yield from _at_import(child)


def _with_function(tree: ast.AST, function: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every node with the name of the outermost function or method it stands in."""
    for child in ast.iter_child_nodes(tree):
        inside = function
        if not function and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = child.name
        yield inside, child
        yield from _with_function(child, inside)


Rule = Callable[[Source], Iterator[str]]
