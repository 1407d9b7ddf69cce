from __future__ import annotations

import os
from pathlib import Path

import pytest

from hindsight.entrypoints.doctor import Finding, examine


def found(home: Path) -> dict[str, Finding]:
    return {finding.subject: finding for finding in examine(home)}


def test_a_sound_machine_and_a_home_that_is_not_there_yet_are_fine(tmp_path: Path) -> None:
    findings = found(tmp_path / "home")
    assert {finding.state for finding in findings.values()} <= {"ok", "warning"}
    assert "will be made" in findings["home"].found
    assert not (tmp_path / "home").exists()


def test_every_finding_that_is_not_right_has_a_next_step(tmp_path: Path) -> None:
    (tmp_path / "hindsight.toml").write_text("[context]\nshare = 7\n", encoding="utf-8")
    wrong = [finding for finding in examine(tmp_path) if finding.state != "ok"]
    assert [finding.subject for finding in wrong if finding.state == "failed"] == ["settings"]
    assert all(finding.next_step for finding in wrong)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_a_home_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    assert found(home)["home"].state == "warning"
    assert found(home)["home"].next_step == f"chmod 700 {home}"
    home.chmod(0o700)
    assert found(home)["home"].state == "ok"


def test_a_file_in_place_of_the_home_is_a_failure(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("", encoding="utf-8")
    assert found(home)["home"].state == "failed"


def test_a_clock_behind_what_was_written_is_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(b"")
    tomorrow = file.stat().st_mtime + 86_400
    os.utime(file, (tomorrow, tomorrow))
    assert found(tmp_path)["clock"].state == "failed"
