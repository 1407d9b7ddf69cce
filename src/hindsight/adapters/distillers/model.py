"""The distiller that asks a language model, with the rules underneath.

The rules read every stretch first: they say what must not be kept and who said what, and they stand
in, piece by piece, wherever the model does not answer or answers rubbish. So a model can only add.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

from hindsight.adapters.distillers.answers import Claims, read_claims
from hindsight.adapters.distillers.chat import ChatModel
from hindsight.adapters.distillers.checks import Ground, checked
from hindsight.adapters.distillers.pieces import Piece, cut
from hindsight.adapters.distillers.prompts import EXTRACT, EXTRACT_SCHEMA, prompt
from hindsight.adapters.distillers.rules import RuleDistiller
from hindsight.domain.conversation import Candidate, Rejection, Span
from hindsight.domain.errors import BackendUnavailable, LimitExceeded, ModelOutputInvalid
from hindsight.domain.memory import Language
from hindsight.domain.moments import parse_zone
from hindsight.language.extraction import CLEAR_FROM
from hindsight.language.script import language_of
from hindsight.ports import Distilled, Stretch

logger = logging.getLogger("hindsight.distillers")

# After an endpoint did not answer, it is left alone this long: an import must not wait for it each time.
REST_S: Final = 30.0
# A piece is halved at most this often before the rules take it.
HALVINGS_MAX: Final = 2
_AWAY: Final = frozenset({"model_timed_out", "model_unreachable", "model_busy", "model_failed"})


@dataclass(frozen=True, slots=True)
class _Read:
    """What became of one piece: candidates, what fell, and why the rules must stand in, if they must."""

    piece: Piece
    candidates: tuple[Candidate, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    failure: str | None = None


class ModelDistiller:
    """Proposes memories by a language model, and by rules where that fails."""

    def __init__(
        self,
        model: ChatModel,
        rules: RuleDistiller,
        *,
        piece_tokens: int,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._rules = rules
        self._piece_tokens = piece_tokens
        self._monotonic = monotonic
        self._rested_until = 0.0

    def distil(self, stretch: Stretch) -> Distilled:
        """Propose memories from *stretch*.

        ``notes`` name whatever made the rules stand in, such as ``model_timed_out``; what of the model's
        answers was dropped is among the rejections, with ``model:`` before the reason.
        """
        by_rules = self._rules.distil(stretch)
        zone = parse_zone(stretch.time_zone) if stretch.time_zone else None
        pieces = cut(stretch.turns, stretch.context, tokens_max=self._piece_tokens, zone=zone)
        if not any(turn.role == "user" for piece in pieces for turn in piece.turns):
            return by_rules
        ground = Ground(
            turns=(*stretch.context, *stretch.turns),
            rules=by_rules,
            made_by=f"model/{EXTRACT}:{self._model.name}",
            zone=zone,
        )
        # Threads of their own also keep a caller's event loop out of the way.
        with ThreadPoolExecutor(max_workers=self._model.concurrency) as pool:
            reads = [read for found in pool.map(partial(self._read, ground=ground), pieces) for read in found]
        return _joined(reads, by_rules)

    def _read(self, piece: Piece, ground: Ground, halvings: int = 0) -> list[_Read]:
        """Ask about *piece*, in parts where it turns out too large."""
        if not any(turn.role == "user" for turn in piece.turns):
            return [_Read(piece)]
        if self._monotonic() < self._rested_until:
            return [_Read(piece, failure="model_resting")]
        failure: str | None = None
        claims: Claims | None = None
        try:
            reply = self._model.ask(
                prompt(EXTRACT, _language(piece)),
                piece.shown(ground.zone),
                schema=EXTRACT_SCHEMA,
                readable=_is_readable,
            )
            claims = read_claims(reply.text)
            too_large = reply.cut or claims.cut
        except LimitExceeded as exc:
            failure = exc.code
            too_large = failure == "model_context_exceeded"
        except (BackendUnavailable, ModelOutputInvalid) as exc:
            logger.warning("no memories from the model, rules stand in: %s", exc)
            if exc.code in _AWAY:
                self._rested_until = self._monotonic() + REST_S
            return [_Read(piece, failure=exc.code)]
        halves = piece.halves() if too_large and halvings < HALVINGS_MAX else None
        if halves is not None:
            return [read for half in halves for read in self._read(half, ground, halvings + 1)]
        return [_Read(piece, failure=failure) if claims is None else _checked(piece, claims, ground)]


def _is_readable(text: str) -> bool:
    try:
        read_claims(text)
    except ModelOutputInvalid:
        return False
    return True


def _language(piece: Piece) -> Language:
    return language_of(" ".join(line.text for line in piece.lines if line.turn.role == "user"))


def _checked(piece: Piece, claims: Claims, ground: Ground) -> _Read:
    found = [checked(claim, ground, piece=piece.turns) for claim in claims.claims]
    candidates = tuple(item for item in found if isinstance(item, Candidate))
    # A model none of whose claims holds is not believed about what is not there either.
    unfounded = "model_unfounded" if claims.claims and not candidates else None
    nowhere = Span(turn_index=piece.turns[0].index, start=0, end=0)
    unreadable = [Rejection(span=nowhere, reason="model:unreadable")] * claims.unreadable
    return _Read(
        piece,
        candidates,
        (*(item for item in found if isinstance(item, Rejection)), *unreadable),
        # A piece that cannot be halved further and whose answer breaks off is the rules' too.
        failure="model_answer_cut" if claims.cut else unfounded,
    )


def _joined(reads: Sequence[_Read], by_rules: Distilled) -> Distilled:
    """What the model gave, with what the rules say of the turns it gave nothing for."""
    answered = {turn.index for read in reads if read.failure is None for turn in read.piece.turns}
    answered -= {turn.index for read in reads if read.failure is not None for turn in read.piece.turns}
    candidates = [candidate for read in reads for candidate in read.candidates]
    rejections = [rejection for read in reads for rejection in read.rejections]
    candidates += [
        c for c in by_rules.candidates if c.spans[-1].turn_index not in answered or _is_clear_and_new(c, candidates)
    ]
    rejections += [r for r in by_rules.rejections if r.span.turn_index not in answered]
    notes = dict.fromkeys((*by_rules.notes, *(read.failure for read in reads if read.failure is not None)))
    return Distilled(candidates=_each_once(candidates), rejections=rejections, notes=tuple(notes))


def _is_clear_and_new(candidate: Candidate, known: Sequence[Candidate]) -> bool:
    """Whether the rules are sure of something that the model passed over: a weak model passes over nearly all."""
    return candidate.confidence >= CLEAR_FROM and not any(
        mine.turn_index == theirs.turn_index and mine.start < theirs.end and theirs.start < mine.end
        for mine in candidate.spans
        for other in known
        for theirs in other.spans
    )


def _each_once(candidates: Sequence[Candidate]) -> list[Candidate]:
    """In the order of the talk, each value once; of two the surer stays."""
    best: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: -c.confidence):
        best.setdefault(candidate.value.casefold().strip(" .。"), candidate)
    return sorted(best.values(), key=lambda c: (c.at, c.spans[-1].turn_index, c.spans[-1].start))
