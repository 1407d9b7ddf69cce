"""Observing a file: what is taken in, resumed, refused and reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from unit.entrypoints.conftest import Command


def session(number: int, *contents: str, namespace: str = "user/kim", **more: Any) -> dict[str, Any]:
    turns = [{"role": "user", "content": content} for content in contents]
    return {"namespace": namespace, "session_id": f"s{number}", "date": "2026-03-01", "turns": turns, **more}


def write_lines(path: Path, *lines: dict[str, Any] | str) -> str:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")
    return str(path)


def test_a_file_is_taken_in_and_reported(hindsight: Command, tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "talk.jsonl",
        session(1, "我对花生过敏。", "今天天气怎么样？"),
        session(2, "I'm allergic to penicillin."),
    )
    ran = hindsight("observe", file, "--time-zone", "Asia/Shanghai", "--json")
    assert ran.code == 0
    report = ran.answer
    assert (report["lines"], report["sessions"], report["turns_appended"]) == (2, 2, 3)
    assert report["looked_back"] == 2
    assert sum(report["outcomes"].values()) >= 1
    assert sum(report["refused"].values()) >= 1
    assert report["failures"] == []
    listed = hindsight("sessions", "-n", "user/kim", "--json").answer["items"]
    assert [one["started_at"] for one in listed] == ["2026-02-28T16:00:00.000Z"] * 2


def test_the_same_file_again_doubles_nothing(hindsight: Command, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "talk.jsonl", session(1, "我对花生过敏。"), session(2, "我住在成都。"))
    arguments = ("observe", file, "--time-zone", "Asia/Shanghai", "--json")
    hindsight(*arguments)
    before = hindsight("list", "-n", "user/kim", "--json").answer
    again = hindsight(*arguments).answer
    assert (again["turns_appended"], again["turns_known"]) == (0, 2)
    after = hindsight("list", "-n", "user/kim", "--json").answer
    assert [one["id"] for one in after["items"]] == [one["id"] for one in before["items"]]


def test_a_longer_session_appends_its_tail(hindsight: Command, tmp_path: Path) -> None:
    zone = ("--time-zone", "Asia/Shanghai", "--json")
    hindsight("observe", write_lines(tmp_path / "a.jsonl", session(1, "我住在成都。")), *zone)
    longer = write_lines(tmp_path / "b.jsonl", session(1, "我住在成都。", "我养了一只猫。"))
    report = hindsight("observe", longer, *zone).answer
    assert (report["turns_appended"], report["turns_known"]) == (1, 1)


def test_a_bad_line_is_named_and_the_rest_goes_on(hindsight: Command, tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "talk.jsonl",
        session(1, "I live in Leeds."),
        '{"namespace": "user/kim", "session_id": "s2", "turns": ',
        "[1, 2]",
        "",
        {"namespace": "user/kim", "session_id": "s3"},
        session(4, "I live in Leeds.", namespace="user kim"),
        {"namespace": "user/kim", "session_id": "s5", "turns": [{"role": "robot", "content": "x"}]},
        {"session_id": "s6", "turns": [{"role": "user", "content": "x"}]},
        session(7, "I have a dog called Rex."),
    )
    ran = hindsight("observe", file, "--time-zone", "UTC", "--json")
    assert ran.code == 1
    failures = ran.answer["failures"]
    assert [failure["line"] for failure in failures] == [2, 3, 5, 6, 7, 8]
    assert [failure["code"] for failure in failures] == [
        "invalid_line",
        "invalid_line",
        "invalid_line",
        "invalid_namespace",
        "invalid_role",
        "invalid_namespace",
    ]
    assert ran.answer["sessions"] == 2
    said = hindsight("observe", file, "--time-zone", "UTC")
    assert said.code == 1
    assert "line 2: " in said.out


def test_lines_that_name_no_namespace_take_the_option(hindsight: Command, tmp_path: Path) -> None:
    line = {"session_id": "s1", "turns": [{"role": "user", "content": "I live in Leeds."}]}
    file = write_lines(tmp_path / "talk.jsonl", line)
    assert hindsight("observe", file, "-n", "user/ana", "--json").code == 0
    assert len(hindsight("sessions", "-n", "user/ana", "--json").answer["items"]) == 1


def test_a_date_without_a_zone_is_refused_with_the_next_step(hindsight: Command, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "talk.jsonl", session(1, "I live in Leeds."))
    ran = hindsight("observe", file, "--json")
    assert ran.code == 1
    [failure] = ran.answer["failures"]
    assert failure["code"] == "time_without_zone"
    assert "time_zone" in failure["message"]


def test_invalid_utf8_and_a_byte_order_mark_are_told_apart(hindsight: Command, tmp_path: Path) -> None:
    good = json.dumps(session(1, "我住在成都。"), ensure_ascii=False).encode("utf-8-sig")
    bad = json.dumps(session(2, "我住在成都。"), ensure_ascii=False).encode("gbk")
    file = tmp_path / "talk.jsonl"
    file.write_bytes(good + b"\r\n" + bad + b"\n")
    report = hindsight("observe", str(file), "--time-zone", "UTC", "--json").answer
    assert [failure["line"] for failure in report["failures"]] == [2]
    assert report["turns_appended"] == 1


def test_a_line_separator_inside_text_does_not_break_the_line(hindsight: Command, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "talk.jsonl", session(1, "I live in Leeds.\u2028I like it."))
    assert hindsight("observe", file, "--time-zone", "UTC", "--json").answer["turns_appended"] == 1


@pytest.mark.parametrize("option", [("--time-zone", "Mars/Olympus"), ("-n", "user kim")])
def test_a_slip_on_the_command_line_is_said_once(hindsight: Command, tmp_path: Path, option: tuple[str, str]) -> None:
    file = write_lines(tmp_path / "talk.jsonl", session(1, "I live in Leeds."))
    ran = hindsight("observe", file, *option)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_a_session_without_turns_is_nothing_to_look_back_on(hindsight: Command, tmp_path: Path) -> None:
    ran = hindsight("observe", write_lines(tmp_path / "talk.jsonl", session(1)), "--time-zone", "UTC", "--json")
    assert (ran.code, ran.answer["failures"]) == (0, [])


def test_no_distill_only_takes_in(hindsight: Command, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "talk.jsonl", session(1, "I'm allergic to penicillin."))
    report = hindsight("observe", file, "--time-zone", "UTC", "--no-distill", "--json").answer
    assert (report["turns_appended"], report["looked_back"]) == (1, 0)
    assert hindsight("list", "-n", "user/kim", "--json").answer["items"] == []


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_an_interrupted_observe_keeps_what_it_took_in_and_goes_on(
    hindsight: Command, home: Path, tmp_path: Path
) -> None:
    lines = [session(number, f"I keep {number} bees in hive {number}.") for number in range(400)]
    file = write_lines(tmp_path / "talk.jsonl", *lines)
    command = [sys.executable, "-c", "from hindsight.entrypoints.cli import main; main()", "observe", file]
    command += ["--home", str(home), "--time-zone", "UTC", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not taken_in(hindsight) and time.monotonic() < deadline:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    report = json.loads(out)
    assert report["interrupted"] is True
    kept = taken_in(hindsight)
    assert 0 < report["turns_appended"] <= kept
    rest = hindsight("observe", file, "--time-zone", "UTC", "--no-distill", "--json").answer
    assert rest["turns_known"] == kept
    assert taken_in(hindsight) == 400


def taken_in(hindsight: Command) -> int:
    """How many turns the home holds."""
    total, more = 0, {"next_cursor": ""}
    while more["next_cursor"] is not None:
        cursor = ["--cursor", more["next_cursor"]] if more["next_cursor"] else []
        more = hindsight("sessions", "-n", "user/kim", "--limit", "1000", "--json", *cursor).answer
        total += sum(one["turn_count"] for one in more["items"])
    return total


def test_a_line_with_an_endless_number_fails_alone(hindsight: Command, tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "talk.jsonl",
        session(1, "我对花生过敏。"),
        f'{{"namespace": "user/kim", "session_id": {"9" * 5_000}, "turns": []}}',
        session(2, "I'm allergic to penicillin."),
    )
    ran = hindsight("observe", file, "--time-zone", "Asia/Shanghai", "--json")
    report = ran.answer
    assert report["sessions"] == 2
    assert [(one["line"], one["code"]) for one in report["failures"]] == [(2, "invalid_line")]
