"""The documentation runs, resolves and leaves nothing out."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typer

from docs.blocks import PAGES, ROOT, blocks_of, run_block, without_varying
from hindsight.entrypoints.cli import app
from hindsight.settings import SETTINGS

ALL_PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
TRANSLATED = [page for page in ALL_PAGES if page.parent.name in {"tutorial", "howto"} or page.name == "README.md"]
README_LINES_MAX = 200


def generator() -> ModuleType:
    """docs/generate.py, which is a script and not part of the package."""
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_code_of_the_page_runs(page: Path, tmp_path: Path) -> None:
    blocks = blocks_of(page)
    assert blocks
    for block in blocks:
        run_block(block, folder=tmp_path)


def test_what_the_page_generates_is_up_to_date() -> None:
    behind = [name(path) for path, text in generator().generated().items() if path.read_text("utf-8") != text]
    assert not behind, f"run `make docs`: {', '.join(behind)}"


@pytest.mark.parametrize("page", ALL_PAGES, ids=name)
def test_links_resolve(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [target for target in targets if target and "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert [command for command in commands if f"## hindsight {command}\n" not in page] == []


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md", "docs/reference/settings.md"])
def test_every_setting_is_documented(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [setting.name for setting in SETTINGS if f"`{setting.name}`" not in text] == []


def test_every_error_code_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    codes = {raised.code for raised in generator().raised_codes()}
    assert len(codes) > 20
    assert [code for code in sorted(codes) if f"`{code}`" not in page] == []


@pytest.mark.parametrize("page", TRANSLATED, ids=name)
def test_the_page_exists_in_both_languages_with_the_same_code(page: Path) -> None:
    if page.name.endswith(".zh-CN.md"):
        assert page.with_name(page.name.replace(".zh-CN", "")).is_file()
        return
    chinese = page.with_name(page.name.replace(".md", ".zh-CN.md"))
    kinds = [block.kind for block in blocks_of(page)]
    assert [block.kind for block in blocks_of(chinese)] == kinds


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_readme_stays_short(page: str) -> None:
    assert len((ROOT / page).read_text(encoding="utf-8").splitlines()) < README_LINES_MAX


def test_ids_days_and_figures_may_differ_and_words_may_not() -> None:
    first = "mem_01a2311ea19372febc4a4f369bda8b22 0.91 2026-12-01 green tea"
    second = "mem_99a2311ea19372febc4a4f369bda8b22 0.87 2027-01-09 green tea"
    assert without_varying(first) == without_varying(second)
    assert without_varying(first) != without_varying(second.replace("green", "black"))
