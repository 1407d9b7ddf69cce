"""Taking words out of what stays: turns, episodes, traces, reasons, proposals and questions.

A piece is filled at its old length, so that the places of what stays do not move. Words that tell
little ("yes", 好的) are blanked where they are cited, not wherever they happen to stand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hindsight.domain.conversation import FILLER, Span, Turn
from hindsight.domain.fingerprints import ECHO_SHARE_MIN, echoed_spans, windows_of
from hindsight.domain.ids import SessionId
from hindsight.domain.memory import Memory
from hindsight.domain.records import Trace
from hindsight.language import terms
from hindsight.language.digest import digest
from hindsight.language.sentences import sentences
from hindsight.language.stems import STOP_WORDS
from hindsight.language.wording import shared_spans, telling_pieces
from hindsight.ports import WriteScope
from hindsight.services.core import Core
from hindsight.services.indexed import episode_terms, turn_terms
from hindsight.services.lineage import every_memory
from hindsight.services.replay import entomb, replay_digest
from hindsight.services.serving import served_key

SAID_LETTERS_MIN: Final = 6
SAID_HAN_MIN: Final = 3
# A value is a fact however short: a district, a blood group, a number at a door.
FACT_LETTERS_MIN: Final = 3
FACT_HAN_MIN: Final = 2
PAGE: Final = 500
# 200 words in 100,000 rows take about two seconds.
SOUGHT_WITHIN_MAX: Final = 200
_MARKS: Final = " \t\r\n。，,.!！?？;；:：…~～\"'“”‘’「」『』()（）"


@dataclass(frozen=True, slots=True)
class Words:
    """Words that must not be found again: *facts* are the values of memories, *said* pieces of what was said."""

    facts: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        """Every one of them."""
        return self.facts | self.said

    def but(self, kept: Collection[str]) -> Words:
        """These without *kept*."""
        return Words(facts=self.facts - set(kept), said=self.said - set(kept))

    @property
    def telling(self) -> list[str]:
        """Those that are blanked wherever they stand, longest first so that no part shadows a whole."""
        told = {word for word in self.facts if _is_telling(word, FACT_LETTERS_MIN, FACT_HAN_MIN)}
        told |= {word for word in self.said if _is_telling(word, SAID_LETTERS_MIN, SAID_HAN_MIN)}
        return sorted(told, key=lambda word: (-len(word), word))


def _is_telling(word: str, letters_min: int, han_min: int) -> bool:
    return len(word) >= (letters_min if word.isascii() else han_min) and word.casefold() not in STOP_WORDS


def words_of(memories: Iterable[Memory], *, session_id: SessionId | None = None, said: Iterable[str] = ()) -> Words:
    """The values and quotes of *memories*, quotes of one session only where it is given, and what else was *said*."""
    facts: set[str] = set()
    pieces = {piece.strip() for piece in said}
    for memory in memories:
        facts.add(memory.value)
        pieces.update(e.quote.strip() for e in memory.evidence if session_id in (None, e.session_id))
    return Words(facts=frozenset(facts - {""}), said=frozenset(pieces - {""}))


def cited_elsewhere(scope: WriteScope, words: Words) -> tuple[set[str], int]:
    """Those of *words* that a memory which stays holds on evidence of its own, and how many do."""
    kept: set[str] = set()
    retained = 0
    for memory in every_memory(scope):
        texts = (memory.value, *(item.quote for item in memory.evidence))
        held = {word for word in words.all if any(word in text for text in texts)}
        kept |= held
        retained += bool(held)
    return kept, retained


def held_by_others(core: Core, scope: WriteScope, words: Words, texts: Iterable[str] = ()) -> int:
    """How many memories and turns of other namespaces hold *words*, or whole *texts*."""
    wanted = Words(facts=words.facts, said=words.said | {text.strip() for text in texts}).telling
    # Looking for thousands of words in every row takes minutes; a whole text is looked up at once.
    whole = len(wanted) > SOUGHT_WITHIN_MAX
    return core.store.places_holding(wanted, outside=scope.namespace, whole=whole) if wanted else 0


def blank_cited(core: Core, scope: WriteScope, memories: Iterable[Memory], words: Words) -> int:
    """Blank the quotes of *memories* that are among *words*, where they are cited."""
    blanked = 0
    for memory in memories:
        for item in memory.evidence:
            if item.quote.strip() not in words.said:
                continue
            for turn in scope.turns(item.session_id, first=item.turn_index, end=item.turn_index + 1):
                start = turn.content.find(item.quote)
                if start >= 0:
                    span = Span(turn_index=turn.index, start=start, end=start + len(item.quote))
                    blanked += blank_spans(core, scope, item.session_id, [span])
    return blanked


def blank_spans(core: Core, scope: WriteScope, session_id: SessionId, spans: Sequence[Span]) -> int:
    """Blank pieces of a session's turns; how many."""
    by_turn: dict[int, list[Span]] = {}
    for span in spans:
        by_turn.setdefault(span.turn_index, []).append(span)
    for index, pieces in by_turn.items():
        for turn in scope.turns(session_id, first=index, end=index + 1):
            _rewrite(core, scope, turn, _filled(turn.content, [(piece.start, piece.end) for piece in pieces]))
    return len(spans)


def _filled(text: str, places: Iterable[tuple[int, int]]) -> str:
    for start, end in places:
        last = min(end, len(text))
        text = text[:start] + FILLER * (last - start) + text[last:]
    return text


def _rewrite(core: Core, scope: WriteScope, turn: Turn, content: str) -> None:
    if content == turn.content:
        return
    original = scope.erased_digest(turn.session_id, turn.index)
    if original is None:
        original = replay_digest(core, turn.content, turn.at)
        entomb(core, scope, [turn])
    whole = not content.strip(FILLER + _MARKS)
    scope.replace_turn_words(
        turn.session_id,
        turn.index,
        content="" if whole else content,
        digest=original,
        terms=b"" if whole else turn_terms(replace(turn, content=content, erased=False)),
    )
    _digest_anew(scope, turn)


def _digest_anew(scope: WriteScope, turn: Turn) -> None:
    """Digest the stretch over a turn again from the words that are left: a cut digest may hold a part of the others."""
    episode = scope.episode_at(turn.session_id, turn.index)
    if episode is None:
        return
    turns = scope.turns(turn.session_id, first=episode.first_index, end=episode.last_index + 1)
    found = digest([item for item in turns if not item.erased])
    clean = replace(
        episode,
        user_said=found.user_said,
        agent_did=found.agent_did,
        conclusion=found.conclusion,
        entities=found.entities,
    )
    scope.replace_episode(clean, terms=episode_terms(clean))


def blank_everywhere(core: Core, scope: WriteScope, words: Words) -> int:
    """Blank *words* wherever they stand in what the namespace keeps, and what the assistant made of them.

    They also leave the record of what was served: said afresh, they are the user's own again.
    """
    if not words.all:
        return 0
    telling = words.telling
    key = served_key(core.keyring)
    marks = {mark for word in words.all for mark in windows_of(word, key=key)}
    # Fingerprints cost a microsecond a word, and few turns share a single telling word.
    hints = telling_pieces("\n".join(words.all))
    scope.drop_served(marks)
    blanked = 0
    after: SessionId | None = None
    while sessions := scope.session_page(limit=PAGE, after=after):
        for session in sessions:
            for turn in scope.turns(session.id):
                content = without(turn.content, telling)
                if turn.role != "user" and _holds_any(content.casefold(), hints):
                    content = _filled(content, echoed_spans(content, marks, key=key, share_min=ECHO_SHARE_MIN))
                if content != turn.content:
                    blanked += 1
                    _rewrite(core, scope, turn, content)
        after = sessions[-1].id
    return blanked + _blank_episodes(scope, telling) + _blank_records(scope, telling)


def _holds_any(text: str, pieces: Iterable[str]) -> bool:
    return any(piece in text for piece in pieces)


def _blank_episodes(scope: WriteScope, words: Sequence[str]) -> int:
    blanked = 0
    after = None
    while page := scope.episode_page(limit=PAGE, after=after):
        for episode in page:
            clean = replace(
                episode,
                user_said=without(episode.user_said, words),
                agent_did=without(episode.agent_did, words),
                conclusion=without(episode.conclusion, words),
                entities=tuple(e for e in episode.entities if without(e.name, words) == e.name),
            )
            if clean != episode:
                blanked += 1
                scope.replace_episode(clean, terms=episode_terms(clean))
        after = page[-1].id
    return blanked


def _blank_records(scope: WriteScope, words: Sequence[str]) -> int:
    """Blank *words* in the reasons of versions, in proposals, and in the questions of conflicts."""
    blanked = 0
    for memory_id, version, why in scope.reasons():
        clean = without(why, words)
        if clean != why:
            blanked += 1
            scope.replace_reason(memory_id, version, clean)
    for proposal in scope.proposals():
        value = None if proposal.value is None else without(proposal.value, words)
        reason = None if proposal.reason is None else without(proposal.reason, words)
        if (value, reason) != (proposal.value, proposal.reason):
            blanked += 1
            scope.put_proposal(replace(proposal, value=value, reason=reason))
    for conflict in scope.conflicts():
        question = without(conflict.question, words)
        if question != conflict.question:
            blanked += 1
            scope.put_conflict(replace(conflict, question=question))
    return blanked


def blank_traces(scope: WriteScope, words: Words, *, texts: Sequence[str], targets: Collection[str]) -> int:
    """Blank what traces repeat of *words* and of erased *texts*; how many were touched.

    A query that is a part of an erased text goes whole. One that found something erased (*targets*)
    loses every telling word that it shares with the texts.
    """
    pieces = Words(facts=words.facts, said=words.said | _pieces_of(texts)).telling
    plain = [terms.normalise(text) for text in (*texts, *words.all)]
    everything = "\n".join((*texts, *words.all))
    blanked = 0
    for trace_id in scope.trace_ids():
        trace = scope.trace(trace_id)
        if trace is None:
            continue
        found = any(candidate.target in targets for candidate in trace.candidates)
        clean = replace(
            trace,
            query=_clean_query(trace, pieces, plain, everything if found else ""),
            uses=tuple(replace(use, decision=without(use.decision, pieces)) for use in trace.uses),
        )
        if clean != trace:
            blanked += 1
            scope.replace_trace(clean)
    return blanked


def _clean_query(trace: Trace, pieces: Sequence[str], plain: Sequence[str], everything: str) -> str:
    asked = terms.normalise(trace.query).strip(_MARKS)
    if _is_telling(asked, SAID_LETTERS_MIN, SAID_HAN_MIN) and any(asked in text for text in plain):
        return FILLER * len(trace.query)
    query = without(trace.query, pieces)
    return _filled(query, shared_spans(query, everything)) if everything else query


def _pieces_of(texts: Iterable[str]) -> frozenset[str]:
    """*texts*, their sentences, and those without their final marks."""
    whole = {text.strip() for text in texts}
    parts = {text[start:end] for text in whole for start, end in sentences(text)}
    return frozenset((whole | parts | {part.strip(_MARKS) for part in whole | parts}) - {""})


def without(text: str, words: Sequence[str]) -> str:
    """*text* with *words* filled; a short word of Latin letters or digits only where it stands alone."""
    for word in words:
        if word not in text:
            continue
        filler = FILLER * len(word)
        if word.isascii() and len(word) < SAID_LETTERS_MIN:
            text = re.sub(rf"(?<![0-9A-Za-z]){re.escape(word)}(?![0-9A-Za-z])", filler, text)
        else:
            text = text.replace(word, filler)
    return text
