"""The conversations that the demonstration is held on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Final, NotRequired, TypedDict, cast

# Turns of one conversation are half a minute apart.
_TURN_SPACING: Final = timedelta(seconds=30)


class SpokenTurn(TypedDict, total=False):
    """A turn as it stands in the data."""

    role: str
    content: str
    name: str


class AgentWrite(TypedDict):
    """What an agent writes down by itself, right after what it read."""

    key: str
    value: str


class _Record(TypedDict):
    namespace: str
    session_id: str
    title: str
    days_ago: int
    turns: list[SpokenTurn]
    agent_writes: NotRequired[list[AgentWrite]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation; how long ago it was is data, so that the demonstration never grows stale."""

    namespace: str
    session_id: str
    title: str
    days_ago: int
    turns: tuple[SpokenTurn, ...]
    agent_writes: tuple[AgentWrite, ...] = ()

    def observed_at(self, now: datetime) -> list[dict[str, object]]:
        """The turns as `observe` takes them, with their times counted back from *now*."""
        start = now - timedelta(days=self.days_ago)
        return [{**turn, "at": start + place * _TURN_SPACING} for place, turn in enumerate(self.turns)]

    @property
    def read_by_agent(self) -> int:
        """How many turns the agent had seen when it wrote: up to the last tool's result."""
        tools = [place for place, turn in enumerate(self.turns) if turn.get("role") == "tool"]
        return tools[-1] + 1 if tools else len(self.turns)


def read_conversations() -> tuple[Conversation, ...]:
    """The conversations, in the order they are shown."""
    text = files("hindsight.entrypoints.demo").joinpath("conversations.json").read_text(encoding="utf-8")
    records = cast("list[_Record]", json.loads(text))
    return tuple(
        Conversation(
            namespace=record["namespace"],
            session_id=record["session_id"],
            title=record["title"],
            days_ago=record["days_ago"],
            turns=tuple(record["turns"]),
            agent_writes=tuple(record.get("agent_writes", ())),
        )
        for record in records
    )
