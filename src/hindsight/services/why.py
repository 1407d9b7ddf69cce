"""Why a memory is what it is: the words it came from, who made it, what it met, and why it stayed apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from hindsight.domain.conversation import Role
from hindsight.domain.ids import MemoryId, SessionId
from hindsight.domain.lifecycle import present
from hindsight.domain.memory import Memory, Relation
from hindsight.domain.namespace import parse_namespace
from hindsight.domain.trust import Origin
from hindsight.language.sentences import sentences
from hindsight.ports import ReadScope
from hindsight.services.admit import judged_again
from hindsight.services.core import Core
from hindsight.services.verify import find_visible

Maker = Literal["rules", "model", "write"]
_NAMED: Final = re.compile(r"\bmem_\w+")
_SENTENCE_CHARACTERS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Words that a memory rests on. ``sentence`` is the whole of what they stand in.

    ``erased`` says that the turn no longer holds them; the quote is then all there is.
    """

    quote: str
    sentence: str
    session_id: SessionId
    turn_index: int
    role: Role | None
    origin: Origin
    at: datetime
    erased: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One change in its life and the reason."""

    version: int
    at: datetime
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A memory that stands near it and was not made one with it, as the two are judged now.

    ``reasons`` are stable codes, the weightiest first, such as ``number_differs`` or ``other_person``.
    """

    memory: Memory
    relation: Relation
    certain: bool
    probability: float
    similarity: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """All that made one memory.

    ``rule`` is the rule's name or the model's, with the version of what it worked by. ``merged`` are the
    memories it was made of, ``met`` others that its history names: replaced, contradicting, older.
    """

    memory: Memory
    maker: Maker
    rule: str
    sources: tuple[Source, ...]
    steps: tuple[Step, ...]
    merged: tuple[Memory, ...]
    met: tuple[Memory, ...]
    neighbours: tuple[Neighbour, ...]


def why(core: Core, memory_id: object, *, namespace: object) -> Why:
    """Explain one memory from what is stored; nothing is guessed but the neighbours, who are judged again.

    Raises:
        NotFound: None here has it, or it is in quarantine.
    """
    now = core.now()
    with core.store.reading(parse_namespace(namespace)) as scope:
        found = find_visible(scope, memory_id)
        versions = scope.versions(found.id)
        named = [MemoryId(item) for step in versions for item in _NAMED.findall(step.why)]
        merged = _served(scope, found.merged_from)
        met = _served(scope, (item for item in dict.fromkeys(named) if item not in {found.id, *found.merged_from}))
        judgements = judged_again(core, scope, found)
        return Why(
            memory=present(found, now, core.policy),
            maker=_maker(found.made_by),
            rule=found.made_by,
            sources=tuple(_sources(scope, found)),
            steps=tuple(Step(version=v.memory.version, at=v.recorded_at, why=v.why) for v in versions),
            merged=tuple(present(item, now, core.policy) for item in merged),
            met=tuple(present(item, now, core.policy) for item in met),
            neighbours=tuple(
                Neighbour(
                    memory=present(judged.memory, now, core.policy),
                    relation=judged.relation,
                    certain=judged.certain,
                    probability=round(judged.probability, 3),
                    similarity=round(judged.similarity, 3),
                    reasons=judged.reasons,
                )
                for judged in judgements
                if judged.memory.id != found.id and judged.memory.trust != "untrusted"
            ),
        )


def _maker(made_by: str) -> Maker:
    if made_by.startswith("rules"):
        return "rules"
    return "model" if made_by.startswith("model") else "write"


def _served(scope: ReadScope, memory_ids: Iterable[MemoryId]) -> Sequence[Memory]:
    """Those of the memories that a reader may see."""
    asked = list(memory_ids)
    known = scope.memories(asked)
    return [
        known[item]
        for item in asked
        if item in known and known[item].status != "quarantined" and known[item].trust != "untrusted"
    ]


def _sources(scope: ReadScope, memory: Memory) -> Iterable[Source]:
    for item in memory.evidence:
        turns = scope.turns(item.session_id, first=item.turn_index, end=item.turn_index + 1)
        content = turns[0].content if turns else ""
        at = content.find(item.quote) if item.quote else -1
        yield Source(
            quote=item.quote,
            sentence=_sentence(content, at, at + len(item.quote)) if at >= 0 else item.quote,
            session_id=item.session_id,
            turn_index=item.turn_index,
            role=turns[0].role if turns else None,
            origin=item.origin,
            at=item.at,
            erased=at < 0,
        )


def _sentence(content: str, start: int, end: int) -> str:
    """The sentences that the span stands in."""
    bounds = [(first, last) for first, last in sentences(content) if first < end and start < last]
    whole = content[min((b[0] for b in bounds), default=start) : max((b[1] for b in bounds), default=end)]
    return whole if len(whole) <= _SENTENCE_CHARACTERS_MAX else content[start:end]
