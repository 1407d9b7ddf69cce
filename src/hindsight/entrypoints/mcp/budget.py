"""How long an answer may get, and what goes first when it is too long.

An agent pays for an answer with its window, and clients cut long ones blindly. So entries are left
out from the end, whole, and the answer says how many and how to get them.
"""

from __future__ import annotations

import json
from typing import Final, cast

from hindsight.entrypoints.presenting import Json

# About 8,000 tokens of Chinese or 6,000 of English: clients warn from 10,000 and refuse from 25,000.
ANSWER_BYTES_MAX: Final = 24_000
# A hit with its neighbours and digest then takes at most a quarter of an answer.
TURN_BYTES_MAX: Final = 2_400
NEIGHBOUR_BYTES_MAX: Final = 500
DIGEST_BYTES_MAX: Final = 900
_ELLIPSIS: Final = "…"

Answer = dict[str, Json]


def size_of(value: Json) -> int:
    """How many bytes *value* takes on the wire."""
    return len(compact(value).encode("utf-8", "surrogatepass"))


def compact(value: Json) -> str:
    """*value* as JSON in one line, with nothing to spare."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shortened(words: str, bytes_max: int) -> str:
    """*words*, or their beginning and an ellipsis where they take more than *bytes_max* in UTF-8."""
    raw = words.encode("utf-8", "surrogatepass")
    if len(raw) <= bytes_max:
        return words
    return raw[:bytes_max].decode("utf-8", "ignore").rstrip() + _ELLIPSIS


def shorten_turns(hit: Answer) -> None:
    """Shorten the long texts of one hit in place: its turn, the turns around it, and its episode's digest."""
    turn, episode = hit["turn"], hit["episode"]
    if isinstance(turn, dict):
        turn["content"] = shortened(cast("str", turn["content"]), TURN_BYTES_MAX)
    if isinstance(episode, dict):
        episode["text"] = shortened(cast("str", episode["text"]), DIGEST_BYTES_MAX)
    for neighbour in cast("list[Answer]", hit["around"]):
        neighbour["content"] = shortened(cast("str", neighbour["content"]), NEIGHBOUR_BYTES_MAX)


def leave_out(answer: Answer, name: str, *, keep: int = 0, bytes_max: int = ANSWER_BYTES_MAX) -> int:
    """Drop entries from the end of the list *name* until *answer* fits or *keep* are left. Returns how many went."""
    entries = cast("list[Json]", answer[name])
    size = size_of(answer)
    before = len(entries)
    while size > bytes_max and len(entries) > keep:
        # The comma between entries goes with all but the last.
        size -= size_of(entries.pop()) + (1 if entries else 0)
    return before - len(entries)
