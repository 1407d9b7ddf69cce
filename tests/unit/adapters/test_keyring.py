"""The home's keys: made once, private, and each for its own purpose."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from hindsight.adapters.keyring import FileKeyring, verifies_with
from hindsight.domain.errors import BackendUnavailable, CorruptData


def test_a_home_keeps_its_keys_and_another_has_others(tmp_path: Path) -> None:
    first, again = FileKeyring.open(tmp_path / "a"), FileKeyring.open(tmp_path / "a")
    other = FileKeyring.open(tmp_path / "b")
    for each in (lambda k: k.key_id, lambda k: k.public_key, lambda k: k.digest("p", "t"), lambda k: k.secret("p")):
        assert each(first) == each(again) != each(other)


def test_only_what_was_signed_here_verifies(tmp_path: Path) -> None:
    keyring, other = FileKeyring.open(tmp_path / "a"), FileKeyring.open(tmp_path / "b")
    signature = keyring.sign("收据".encode())
    assert keyring.verifies("收据".encode(), signature)
    assert not keyring.verifies("收据!".encode(), signature)
    assert not other.verifies("收据".encode(), signature)
    for forged in ("", "x", "é", signature[:-2], signature + "AA", signature.swapcase()):
        assert not keyring.verifies("收据".encode(), forged)


def test_whoever_has_the_public_half_can_check_a_signature(tmp_path: Path) -> None:
    keyring = FileKeyring.open(tmp_path)
    signature = keyring.sign(b"receipt")
    assert verifies_with(keyring.public_key, b"receipt", signature)
    assert not verifies_with(keyring.public_key, b"another", signature)
    assert not verifies_with("not a key", b"receipt", signature)


def test_digests_and_secrets_differ_by_purpose_and_text(tmp_path: Path) -> None:
    keyring = FileKeyring.open(tmp_path)
    digests = {keyring.digest(p, t) for p in ("turn", "value") for t in ("", "茶", "tea", "\ud800")}
    assert len(digests) == 8
    assert all(len(digest) == 64 for digest in digests)
    assert len({keyring.secret("api"), keyring.secret("page"), bytes.fromhex(keyring.digest("api", ""))}) == 3
    assert len(keyring.secret("api")) == 32


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_only_the_owner_can_read_the_keys(tmp_path: Path) -> None:
    FileKeyring.open(tmp_path / "home")
    folder = tmp_path / "home" / "keys"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {
        "signing.key": 0o600,
        "digest.key": 0o600,
    }


def test_threads_that_race_at_the_first_start_agree(tmp_path: Path) -> None:
    found: list[tuple[str, str]] = []

    def open_it() -> None:
        keyring = FileKeyring.open(tmp_path)
        found.append((keyring.key_id, keyring.digest("p", "t")))

    threads = [threading.Thread(target=open_it) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(found) == 16
    assert len(set(found)) == 1


@pytest.mark.parametrize("content", ["", "zz", "ab" * 31, "键"])
def test_a_damaged_key_is_never_replaced(tmp_path: Path, content: str) -> None:
    FileKeyring.open(tmp_path)
    path = tmp_path / "keys" / "digest.key"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CorruptData, match=r"digest\.key") as caught:
        FileKeyring.open(tmp_path)
    assert caught.value.code == "corrupt_key"
    assert path.read_text(encoding="utf-8") == content


def test_keys_that_cannot_be_made_are_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file where the directory should be")
    with pytest.raises(BackendUnavailable, match="keys"):
        FileKeyring.open(tmp_path)


def test_a_file_system_without_hard_links_still_gets_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    assert FileKeyring.open(tmp_path).key_id == FileKeyring.open(tmp_path).key_id
