"""What MCP clients are told, as a file: a change of a tool, a schema or a word shows as a difference.

``python tests/surfaces/test_mcp_snapshot.py`` writes it anew.
"""

from __future__ import annotations

import json
from pathlib import Path

from hindsight.entrypoints.mcp import prompts, resources
from hindsight.entrypoints.mcp.tools import TOOLS
from hindsight.entrypoints.mcp.words import words_in

SNAPSHOT = Path(__file__).parent / "snapshots" / "mcp_tools.json"


def told() -> str:
    """Everything a client lists, in both languages."""
    by_language: dict[str, object] = {}
    # Answers are described in English only.
    for language, without in (("en", set[str]()), ("zh", {"output_schema", "annotations"})):
        words = words_in(language)
        lists = [prompts.listed(words), resources.templates(words)]
        by_language[language] = {
            "instructions": words.instructions,
            "tools": [
                tool.declared(words).model_dump(mode="json", by_alias=True, exclude=without) for tool in TOOLS.values()
            ],
            "more": [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in lists],
        }
    return json.dumps(by_language, ensure_ascii=False, indent=1) + "\n"


def test_clients_are_told_what_the_snapshot_says() -> None:
    assert told() == SNAPSHOT.read_text(encoding="utf-8"), f"run python {Path(__file__).name} and look at the diff"


if __name__ == "__main__":
    SNAPSHOT.write_text(told(), encoding="utf-8", newline="\n")
