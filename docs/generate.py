"""Writes the parts of the documentation that the code knows best: commands, settings and errors.

Run it as ``make docs``. A test runs it too and fails when a file would change, so what is generated
never falls behind. It reads the source tree and needs hindsight installed.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import typer

import hindsight
from hindsight.domain import confidence, errors
from hindsight.domain.memory import CATEGORIES
from hindsight.domain.trust import TRUSTS
from hindsight.entrypoints.cli import app
from hindsight.entrypoints.cli.app import (
    EXIT_CODES,
    EXIT_DEFECT,
    EXIT_INTERRUPTED,
    EXIT_PIPE_CLOSED,
    exit_code_of,
)
from hindsight.entrypoints.mcp.tools import TOOLS
from hindsight.entrypoints.mcp.words import words_in
from hindsight.settings import SETTINGS, Setting, Settings

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hindsight"
LINE_MAX = 100
# Postponed annotations come as text in quotes.
_QUOTED = re.compile(r"(?<=: )'([^']*)'")
_ENTRY = re.compile(r"^    (\w+): ")
# reStructuredText's double ticks and the docstrings' *argument* become code.
_REFERENCE = re.compile(r"(?:``|\*)([^`*]+)(?:``|\*)")
BEGIN, END = "<!-- generated: {} -->", "<!-- end of generated: {} -->"


# --- Commands ---------------------------------------------------------------------------------


def cli_page() -> str:
    """docs/reference/cli.md: every command with its arguments and options."""
    group = typer.main.get_command(app)
    lines = [
        "# Commands",
        "",
        "Generated from the program by `make docs`. `hindsight COMMAND --help` says the same.",
        "",
        "Results go to standard output, progress and errors to standard error. With `--json` an answer is one JSON",
        "value whose fields are those of the Python value, and an error is one JSON object on standard error. Text is",
        "UTF-8 and lines end in LF, on every console and when redirected.",
        "",
        "## Exit codes",
        "",
        "| code | meaning |",
        "|---|---|",
        "| 0 | done |",
        f"| {EXIT_DEFECT} | part of the work failed and is listed, or a defect in hindsight |",
        *(f"| {code} | `{kind.__name__}`: {_first_sentence(kind)} |" for kind, code in EXIT_CODES.items()),
        f"| {EXIT_INTERRUPTED} | interrupted with Ctrl-C; what was acknowledged is kept |",
        f"| {EXIT_PIPE_CLOSED} | whoever read the output closed it |",
    ]
    for name, command in _commands(group):
        lines += ["", f"## hindsight {name}", "", *_help_lines(command)]
        lines += ["", "```", f"hindsight {name} {_usage(command)}".rstrip(), "```", ""]
        lines += _parameter_table(command)
    return "\n".join(lines).rstrip() + "\n"


def _commands(group, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, command in sorted(group.commands.items()):
        full = f"{prefix}{name}"
        yield full, command
        if hasattr(command, "commands"):
            yield from _commands(command, f"{full} ")


def _help_lines(command) -> list[str]:
    return [line.strip() for line in (command.help or "").strip().splitlines()]


def _is_argument(parameter) -> bool:
    return parameter.param_type_name == "argument"


def _usage(command) -> str:
    arguments = [parameter.metavar or parameter.name.upper() for parameter in command.params if _is_argument(parameter)]
    return " ".join([*arguments, "[OPTIONS]"])


def _parameter_table(command) -> list[str]:
    rows = [
        (_spelling(parameter), _default(parameter), (parameter.help or "").replace("|", "\\|"))
        for parameter in command.params
        if not _is_argument(parameter) and parameter.name != "help"
    ]
    return ["| option | default | meaning |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]


def _spelling(parameter) -> str:
    names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    return f"{names} `{parameter.metavar}`" if parameter.metavar and not parameter.is_flag else names


def _default(parameter) -> str:
    if parameter.required:
        return "required"
    default = parameter.default
    if default is None or default is False or callable(default):
        return ""
    return "on" if default is True else f"`{default}`"


def _first_sentence(kind: type) -> str:
    return (kind.__doc__ or "").strip().split("\n")[0].split(". ")[0].rstrip(".")


# --- Python -----------------------------------------------------------------------------------


def python_page() -> str:
    """docs/reference/python.md: the calls of the facade and the values they answer with, from their docstrings."""
    lines = [
        "# Python",
        "",
        "Generated from the docstrings by `make docs`.",
        "",
        "```python",
        f"hindsight.{_signature(hindsight.open)}",
        "```",
        "",
        *_docstring(hindsight.open),
        "",
        "## Hindsight",
        "",
        *_docstring(hindsight.Hindsight),
    ]
    for name, method in vars(hindsight.Hindsight).items():
        if not name.startswith("_") and inspect.isfunction(method):
            lines += ["", f"### {name}", "", "```python", _signature(method), "```", "", *_docstring(method)]
    lines += ["", "## Values", ""]
    for name in sorted(hindsight.__all__):
        kind = getattr(hindsight, name)
        if inspect.isclass(kind) and is_dataclass(kind):
            lines += [f"### {name}", "", *_docstring(kind), ""]
            lines += [f"- `{field.name}`: `{field.type}`" for field in fields(kind)] + [""]
    return "\n".join(lines).rstrip() + "\n"


def _signature(call) -> str:
    """The call as it is written in the source, one parameter a line where it is long."""
    parameters = [_QUOTED.sub(r"\1", str(one)) for one in _parameters(call)]
    kinds = [one.kind for one in _parameters(call)]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = f" -> {inspect.signature(call).return_annotation}"
    line = f"{call.__name__}({', '.join(parameters)}){returned}"
    if len(line) <= LINE_MAX:
        return line
    return f"{call.__name__}(\n" + "".join(f"    {one},\n" for one in parameters) + f"){returned}"


def _parameters(call) -> list[inspect.Parameter]:
    return [one for name, one in inspect.signature(call).parameters.items() if name != "self"]


def _docstring(thing) -> list[str]:
    """The docstring as Markdown: its sections in bold, their entries as lists."""
    lines: list[str] = []
    for line in (inspect.getdoc(thing) or "").splitlines():
        text = _REFERENCE.sub(r"`\1`", line)
        if text in {"Args:", "Returns:", "Raises:"}:
            lines += [f"**{text[:-1]}**", ""]
        elif _ENTRY.match(text):
            lines.append(_ENTRY.sub(r"- `\1`: ", text))
        else:
            # What goes on from an entry stays below it; the text of a section stands on its own.
            lines.append("  " + text.strip() if text.startswith("        ") else text.strip())
    return lines


# --- Settings ---------------------------------------------------------------------------------


def settings_table() -> str:
    """The table of settings, as it stands in the reference."""
    rows = ["| setting | default | meaning |", "|---|---|---|"]
    for setting in SETTINGS:
        choices = f" One of {', '.join(setting.choices)}." if setting.choices else ""
        rows.append(f"| `{setting.name}` | {_setting_default(setting)} | {setting.meaning}{choices} |")
    return "\n".join(rows)


def _setting_default(setting: Setting) -> str:
    default = str(setting.default).lower() if isinstance(setting.default, bool) else setting.default
    return f"`{default}`" if default != "" else ""


def lifecycle_table() -> str:
    """The shipped policy of docs/explanation/kept-true.md: how long each category stays active."""
    policy = Settings().policy
    rows = ["| category | active for | setting |", "|---|---|---|"]
    for category in CATEGORIES:
        days = policy.by_category.get(category, policy.default_days)
        rows.append(f"| {category} | {days:g} days | `lifecycle.{category}_days` |")
    return "\n".join(rows)


def confidence_table() -> str:
    """The bounds of docs/explanation/kept-true.md: where each trust starts, and what it never passes."""
    rows = ["| trust | starts at | after one more | after three more | never above |", "|---|---|---|---|---|"]
    for trust in TRUSTS:
        value = confidence.first_confidence(trust, None)
        steps = [value]
        for _ in range(3):
            steps.append(confidence.raised(steps[-1], trust))
        rows.append(f"| {trust} | {value:.2f} | {steps[1]:.2f} | {steps[3]:.2f} | {confidence.CEILING[trust]:.2f} |")
    return "\n".join(rows)


def settings_by_section() -> str:
    """The same in a row for each section, as it stands in both READMEs."""
    sections: dict[str, list[str]] = {}
    for setting in SETTINGS:
        default = str(setting.default).lower() if isinstance(setting.default, bool) else setting.default
        sections.setdefault(setting.name.partition(".")[0], []).append(
            f"`{setting.name}`" + (f" {default}" if default != "" else "")
        )
    rows = [f"| {name} | {', '.join(members)} |" for name, members in sections.items()]
    return "\n".join(["| section | settings and their defaults |", "|---|---|", *rows])


# --- MCP --------------------------------------------------------------------------------------


def mcp_tools() -> str:
    """The tools of docs/reference/mcp.md: what each is for, takes and answers."""
    words = words_in("en")
    lines: list[str] = []
    for tool in TOOLS.values():
        declared = tool.declared(words)
        lines += ["", f"## {tool.name}", "", declared.description, ""]
        lines += ["| argument | type | meaning |", "|---|---|---|"]
        for name, schema in declared.input_schema["properties"].items():
            required = ", required" if name in tool.required else ""
            lines.append(f"| `{name}` | {_json_type(schema)}{required} | {schema['description']} |")
        lines += ["", "| answer | type | meaning |", "|---|---|---|"]
        for name, schema in tool.answer["properties"].items():
            lines.append(f"| `{name}` | {_json_type(schema)} | {schema.get('description', '')} |")
        hints = declared.annotations.model_dump(by_alias=True, exclude_none=True)
        lines += [
            "",
            "Annotations: " + ", ".join(f"`{name}` {str(held).lower()}" for name, held in hints.items()) + ".",
        ]
    return "\n".join(lines).strip()


def _json_type(schema) -> str:
    kind = schema["type"]
    names = [kind] if isinstance(kind, str) else kind
    said = " or ".join(
        f"list of {_json_type(schema['items'])}" if name == "array" and "items" in schema else name for name in names
    )
    return said + (f" ({', '.join(schema['enum'])})" if "enum" in schema else "")


# --- Errors -----------------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class RaisedCode:
    """A code as the source raises it, with the message's text."""

    code: str
    kind: str
    message: str


def errors_page() -> str:
    """docs/reference/errors.md: the tree, and every code with what its message says."""
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.HindsightError)
    ]
    by_code: dict[tuple[str, str], list[str]] = {}
    for raised in raised_codes():
        messages = by_code.setdefault((raised.code, raised.kind), [])
        if raised.message not in messages:
            messages.append(raised.message)
    lines = [
        "# Errors",
        "",
        "Generated from the source by `make docs`.",
        "",
        "Every error is a `HindsightError`. `code` is stable across releases and meant for programs; the message names",
        "the value and the next step and is meant for people. `retryable`: whether the same call may succeed later.",
        "",
        "| error | code unless it says otherwise | exit code | retryable | meaning |",
        "|---|---|---|---|---|",
    ]
    for kind in kinds:
        if kind is not errors.HindsightError:
            retryable = "yes" if kind.retryable else ""
            exit_code = exit_code_of(kind("", code=None))
            lines.append(
                f"| `{kind.__name__}` | `{kind.default_code}` | {exit_code} | {retryable} | {_first_sentence(kind)} |"
            )
    lines += [
        "",
        "## Codes",
        "",
        "`…` stands for the value that was given.",
        "",
        "| code | error | says |",
        "|---|---|---|",
    ]
    for (code, kind), messages in sorted(by_code.items()):
        said = "<br>".join(message.replace("|", "\\|") for message in messages)
        lines.append(f"| `{code}` | `{kind}` | {said} |")
    return "\n".join(lines) + "\n"


def raised_codes() -> list[RaisedCode]:
    """Every ``SomeError(message, code=...)`` in the source."""
    kinds = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}
    found: set[RaisedCode] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in kinds:
                continue
            given = next((word.value for word in node.keywords if word.arg == "code"), None)
            code = _words(given) if given is not None else getattr(kinds[node.func.id], "default_code", "")
            if node.args and code:
                found.add(RaisedCode(code, node.func.id, _words(node.args[0])))
    return sorted(found)


def _words(node: ast.expr) -> str:
    """The text of a message as the source writes it, each value replaced by an ellipsis."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _words(node.left) + _words(node.right)
    return "…"


# --- Writing ----------------------------------------------------------------------------------


def with_section(text: str, name: str, content: str) -> str:
    """*text* with what stands between the marks of *name* replaced."""
    begin, end = BEGIN.format(name), END.format(name)
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"the marks of {name!r} are missing")
    return f"{before}{begin}\n{content}\n{end}{after}"


def generated() -> dict[Path, str]:
    """Every generated file with the text it should have."""
    reference = ROOT / "docs" / "reference"
    files = {
        reference / "cli.md": cli_page(),
        reference / "errors.md": errors_page(),
        reference / "python.md": python_page(),
    }
    for path, table in (
        (ROOT / "README.md", settings_by_section()),
        (ROOT / "README.zh-CN.md", settings_by_section()),
        (reference / "settings.md", settings_table()),
    ):
        files[path] = with_section(path.read_text(encoding="utf-8"), "settings", table)
    kept = ROOT / "docs" / "explanation" / "kept-true.md"
    text = with_section(kept.read_text(encoding="utf-8"), "lifecycle", lifecycle_table())
    files[kept] = with_section(text, "confidence", confidence_table())
    mcp = reference / "mcp.md"
    files[mcp] = with_section(mcp.read_text(encoding="utf-8"), "tools", mcp_tools())
    return files


if __name__ == "__main__":
    check_only = "--check" in sys.argv[1:]
    behind = [path for path, text in generated().items() if not path.is_file() or path.read_text("utf-8") != text]
    if check_only and behind:
        sys.exit("run `make docs`; behind: " + ", ".join(str(path.relative_to(ROOT)) for path in behind))
    for path in behind:
        path.write_text(generated()[path], encoding="utf-8", newline="\n")
