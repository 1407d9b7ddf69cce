"""What each kind of thing is found by: the packed terms that are stored beside it."""

from __future__ import annotations

from hindsight.domain.conversation import Episode, Turn
from hindsight.domain.memory import Memory
from hindsight.language import terms


def memory_terms(memory: Memory) -> bytes:
    """The terms of a memory's key and value."""
    return terms.pack(terms.memory_text(memory.key, memory.value))


def turn_terms(turn: Turn) -> bytes:
    """The terms of a turn; none for what must not be found: erased words and our own served text."""
    if turn.erased or turn.origin == "memory" or not turn.content.strip():
        return b""
    return terms.pack(terms.turn_text(turn.name, turn.content), turn.at)


def episode_terms(episode: Episode) -> bytes:
    """The terms of an episode's digest and entities."""
    names = " ".join(entity.name for entity in episode.entities)
    text = terms.episode_text(episode.user_said, episode.agent_did, episode.conclusion, names)
    return terms.pack(text, episode.ended_at)
