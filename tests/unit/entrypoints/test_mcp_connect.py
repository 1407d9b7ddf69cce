"""What `hindsight connect` prints can be pasted: it parses in each client's own format and starts the server."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from hindsight.entrypoints.clients import CLIENTS
from unit.entrypoints.conftest import Command


def test_json_names_the_command_and_the_address(hindsight: Command, home: Path) -> None:
    told = hindsight("connect", "-n", "user/kim", "--only", "--json").answer
    assert Path(told["stdio"]["command"]).is_file()
    assert told["stdio"]["args"] == ["mcp", "--home", str(home), "--namespace", "user/kim", "--only"]
    assert "env" not in told["stdio"]
    assert told["http"] == {"type": "http", "url": "http://127.0.0.1:8000/mcp"}
    assert set(told["clients"]) == set(CLIENTS)


@pytest.mark.parametrize(
    ("client", "name"), [("generic", "mcpServers"), ("cursor", "mcpServers"), ("vscode", "servers")]
)
def test_a_client_that_reads_json_gets_json(hindsight: Command, client: str, name: str) -> None:
    told = hindsight("connect", client, "--key", "hsk_x", "--json").answer
    assert json.loads(told["clients"][client]["stdio"])[name]["hindsight"] == told["stdio"]
    served = json.loads(told["clients"][client]["http"])[name]["hindsight"]
    assert served == told["http"]
    assert served["headers"] == {"Authorization": "Bearer hsk_x"}


def test_codex_gets_toml(hindsight: Command) -> None:
    told = hindsight("connect", "codex", "--lang", "zh", "--key", "hsk_x", "--json").answer
    entry = tomllib.loads(told["clients"]["codex"]["stdio"])["mcp_servers"]["hindsight"]
    assert entry == told["stdio"]
    assert entry["env"] == {"HINDSIGHT_MCP_LANGUAGE": "zh"}
    served = tomllib.loads(told["clients"]["codex"]["http"])["mcp_servers"]["hindsight"]
    assert served == {"url": told["http"]["url"], "http_headers": {"Authorization": "Bearer hsk_x"}}


def test_claude_code_gets_a_command_line(hindsight: Command, tmp_path: Path) -> None:
    folder = tmp_path / "my memory"
    told = hindsight("connect", "claude-code", "--home", str(folder), "--lang", "zh", "--json").answer
    words = shlex.split(told["clients"]["claude-code"]["stdio"])
    start = words.index("--")
    assert words[:start] == ["claude", "mcp", "add", "hindsight", "--env=HINDSIGHT_MCP_LANGUAGE=zh"]
    assert words[start + 1 :] == [told["stdio"]["command"], *told["stdio"]["args"]]
    assert str(folder) in words


@pytest.mark.parametrize(("language", "says"), [("en", "restart the client"), ("zh", "重启客户端")])
def test_people_are_told_where_it_goes_each_form_once(hindsight: Command, language: str, says: str) -> None:
    ran = hindsight("connect", "--lang", language)
    assert ran.code == 0
    assert says in ran.out
    assert ran.out.count('"mcpServers"') == 2
    for client in CLIENTS.values():
        assert client.where[language] in ran.out  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("emacs",), "unknown_client"), (("--lang", "fr"), "invalid_language"), (("-n", "user kim"), "invalid_namespace")],
)
def test_what_it_does_not_know_is_refused(hindsight: Command, arguments: tuple[str, ...], code: str) -> None:
    ran = hindsight("connect", *arguments)
    assert ran.code == 2
    assert f"[{code}]" in ran.err
