"""The command line's own manners; what commands do is tested in `tests/surfaces`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight.domain import errors
from hindsight.entrypoints.cli.app import EXIT_CODES, exit_code_of
from unit.entrypoints.conftest import Command

WRITE = ("write", "-k", "饮茶偏好", "-v", "喜欢喝龙井，不加糖。", "--origin", "user")


def test_without_arguments_it_shows_its_commands(hindsight: Command) -> None:
    ran = hindsight()
    assert "observe" in ran.out + ran.err
    assert ran.code in (0, 2)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("write", "-k", "user info", "-v", "x"), 2),
        (("search", ""), 2),
        (("search",), 2),
        (("no-such-command",), 2),
        (("search", "x", "--no-such-option"), 2),
        (("search", "x", "--limit", "five"), 2),
        (("show", "mem_unknown"), 3),
        (("explain", "trc_unknown"), 3),
        (("distill", "unknown"), 3),
        (("observe", "not-there.jsonl"), 2),
        (("erase",), 2),
        (("erase", "mem_unknown"), 2),
    ],
)
def test_an_expected_error_is_one_sentence_and_its_exit_code(
    hindsight: Command, arguments: tuple[str, ...], code: int
) -> None:
    ran = hindsight(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("error: ")
    assert "Traceback" not in ran.err
    assert ran.err.count("\n") == 1


def test_with_json_an_error_is_one_object_on_standard_error(hindsight: Command) -> None:
    ran = hindsight("show", "mem_unknown", "--json")
    assert (ran.code, ran.out) == (3, "")
    told = json.loads(ran.err)["error"]
    assert (told["code"], told["kind"], told["retryable"]) == ("not_found", "NotFound", False)
    assert "mem_unknown" in told["message"]


def test_every_error_has_an_exit_code_of_its_own() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind is not errors.HindsightError]
    kinds = [kind for kind in kinds if issubclass(kind, errors.HindsightError)]
    assert {exit_code_of(kind("x")) for kind in kinds} == set(EXIT_CODES.values())
    assert len(set(EXIT_CODES.values())) == len(kinds)


def test_output_is_utf8_with_lf_under_another_encoding(hindsight: Command) -> None:
    hindsight(*WRITE)
    ran = hindsight("list")
    assert "喜欢喝龙井" in ran.out
    assert "\r" not in ran.out


def test_stored_text_cannot_steer_the_terminal(hindsight: Command) -> None:
    hindsight("write", "-k", "note_colour", "-v", "likes \x1b[31mred\x1b[0m pens")
    assert "\x1b" not in hindsight("list").out
    assert hindsight("list", "--json").answer["items"][0]["value"] == "likes \x1b[31mred\x1b[0m pens"


def test_a_dangerous_command_wants_a_yes_where_nobody_can_answer(hindsight: Command) -> None:
    memory_id = hindsight(*WRITE, "--json").answer["memory"]["id"]
    refused = hindsight("erase", memory_id)
    assert refused.code == 2
    assert "--yes" in refused.err
    assert hindsight("show", memory_id).code == 0
    assert hindsight("erase", memory_id, "--yes").code == 0
    assert hindsight("show", memory_id).code == 3


def test_home_may_be_named_by_option_or_by_variable(hindsight: Command, home: Path, tmp_path: Path) -> None:
    hindsight(*WRITE)
    assert len(hindsight("list", "--home", str(home), "--json").answer["items"]) == 1
    assert hindsight("list", "--home", str(tmp_path / "other"), "--json").answer["items"] == []


def test_settings_say_where_each_came_from(hindsight: Command, home: Path) -> None:
    home.mkdir()
    (home / "hindsight.toml").write_text("[context]\nshare = 0.1\n", encoding="utf-8")
    told = {item["setting"]["name"]: item for item in hindsight("settings", "--json").answer}
    assert told["embedder.name"]["source"] == "environment"
    assert (told["context.share"]["value"], told["context.share"]["source"]) == (0.1, str(home / "hindsight.toml"))
    assert told["look_back.user_turns"]["source"] == "default"


@pytest.mark.parametrize("encoding", ["gbk", "cp1252", "ascii"])
def test_a_process_under_another_code_page_writes_utf8(home: Path, encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "HINDSIGHT_EMBEDDER_NAME": "none"}
    environment.pop("HINDSIGHT_CONFIG", None)
    start = [sys.executable, "-c", "from hindsight.entrypoints.cli import main; main()"]
    ran = subprocess.run(
        [*start, *WRITE, "--home", str(home), "--json"], env=environment, capture_output=True, check=True
    )
    assert json.loads(ran.stdout.decode("utf-8"))["memory"]["value"] == "喜欢喝龙井，不加糖。"
    assert b"\r" not in ran.stdout
    failed = subprocess.run(
        [*start, "show", "没有这个", "--home", str(home)], env=environment, capture_output=True, check=False
    )
    assert failed.returncode == 3
    assert "没有这个" in failed.stderr.decode("utf-8")
