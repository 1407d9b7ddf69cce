"""The commands on API keys."""

from __future__ import annotations

import pytest

from unit.entrypoints.conftest import Command


def test_a_key_is_made_listed_exchanged_and_revoked(hindsight: Command) -> None:
    made = hindsight("keys", "create", "--label", "机器人", "-n", "user/kim", "-n", "user/lee", "--json").answer
    key_id = made["key"]["id"]
    assert made["key"]["namespaces"] == ["user/kim", "user/lee"]
    assert hindsight("keys", "list", "--json").answer["items"] == [made["key"]]
    exchanged = hindsight("keys", "rotate", key_id, "--json").answer
    assert (exchanged["key"], exchanged["secret"] == made["secret"]) == (made["key"], False)
    assert hindsight("keys", "revoke", key_id, "--yes", "--json").answer["revoked_at"]
    assert hindsight("keys", "rotate", key_id).code == 5


def test_the_secret_is_printed_once_and_never_listed(hindsight: Command) -> None:
    made = hindsight("keys", "create", "--label", "bot", "-n", "*", "--right", "owner", "--highest-origin", "user")
    assert "hsk_" in made.out
    listed = hindsight("keys", "list").out
    assert "hsk_" not in listed
    assert "read, write, owner in every namespace" in listed


def test_a_key_is_not_revoked_without_a_yes(hindsight: Command) -> None:
    key_id = hindsight("keys", "create", "--label", "bot", "-n", "*", "--json").answer["key"]["id"]
    refused = hindsight("keys", "revoke", key_id)
    assert (refused.code, "not_confirmed" in refused.err) == (2, True)
    assert hindsight("keys", "list", "--json").answer["items"][0]["revoked_at"] is None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--label", "bot"], "invalid_command_line"),
        (["--label", "bot", "-n", "user kim"], "invalid_namespace"),
        (["--label", "bot", "-n", "*", "--right", "root"], "invalid_rights"),
        (["--label", "bot", "-n", "*", "--expires-at", "2020-01-01T00:00:00Z"], "invalid_expiry"),
    ],
)
def test_a_wrong_key_is_refused(hindsight: Command, arguments: list[str], code: str) -> None:
    refused = hindsight("keys", "create", *arguments)
    assert (refused.code, code in refused.err) == (2, True)


def test_a_server_beyond_this_machine_needs_a_key(hindsight: Command) -> None:
    refused = hindsight("serve", "--host", "0.0.0.0", "--port", "0")
    assert (refused.code, "serve_needs_key" in refused.err) == (4, True)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--port", "70000"], "invalid_setting"), (["--host", "no.such.host.invalid"], "invalid_host"),
     (["-n", "user kim"], "invalid_namespace")],
)  # fmt: skip
def test_a_wrong_address_is_refused(hindsight: Command, arguments: list[str], code: str) -> None:
    refused = hindsight("serve", "--port", "0", *arguments)
    assert (refused.code, code in refused.err) == (2, True)
