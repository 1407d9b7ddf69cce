"""Cutting a conversation into what fits one request to a model, where one task ends and the next begins.

Every word of the user goes into exactly one piece. The assistant's long replies are shortened: they
say what an answer answers. What tools and pages said is left out, since it is evidence of nothing
about the user and the likeliest place for an instruction to the model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, timedelta, tzinfo
from typing import Final

from hindsight.domain.budget import tokens_at_most
from hindsight.domain.conversation import Turn
from hindsight.language.endings import ends_task
from hindsight.language.sentences import sentences

# A pause of this length between two messages most often lies between two tasks.
PAUSE: Final = timedelta(hours=2)
CONTEXT_LINES: Final = 4
CONTEXT_CHARACTERS_MAX: Final = 400
ASSISTANT_CHARACTERS_MAX: Final = 1_500
_OMITTED: Final = " […] "


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A turn, or a part of a long one, as the model sees it. ``before`` marks what is only context."""

    turn: Turn
    text: str
    opens_task: bool = False
    before: bool = False

    def shown(self, zone: tzinfo | None) -> str:
        """The line as JSON: whatever the text holds, it cannot end the line or speak for another turn."""
        at = self.turn.at.astimezone(zone or UTC)
        fields: dict[str, object] = {
            "turn": self.turn.index,
            "role": self.turn.role,
            "date": at.strftime("%Y-%m-%d %a"),
        }
        if self.before:
            fields["before"] = True
        # Surrogates cannot be sent; the quote of such a turn is then found by its other words.
        text = self.text.encode("utf-8", "replace").decode("utf-8")
        return json.dumps({**fields, "text": text}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Piece:
    """What one request shows: a few lines of context, then the lines it asks about."""

    context: tuple[Line, ...]
    lines: tuple[Line, ...]

    def shown(self, zone: tzinfo | None) -> str:
        """All lines, one a row."""
        return "\n".join(line.shown(zone) for line in (*self.context, *self.lines))

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns asked about, each once."""
        return tuple({line.turn.index: line.turn for line in self.lines}.values())

    def halves(self) -> tuple[Piece, Piece] | None:
        """The piece in two, for a model that finds it too large; None when it is a single line."""
        if len(self.lines) < 2:
            return None
        middle = len(self.lines) // 2
        openings = [at for at, line in enumerate(self.lines) if at and line.turn.role == "user"]
        at = min(openings, key=lambda place: abs(place - middle), default=middle)
        return Piece(self.context, self.lines[:at]), Piece(_as_context(self.lines[:at]), self.lines[at:])


def cut(turns: Sequence[Turn], context: Sequence[Turn], *, tokens_max: int, zone: tzinfo | None) -> list[Piece]:
    """Cut *turns* into pieces of at most *tokens_max* tokens each, at task boundaries where there are any.

    A single line may exceed the bound only by its own frame. Nothing is left out that the user said.
    """
    lines = _lines(turns, tokens_max=tokens_max)
    pieces: list[Piece] = []
    before = _as_context(_lines(context, tokens_max=tokens_max))
    while lines:
        room = tokens_max - sum(_tokens(line, zone) for line in before)
        taken, spent = 0, 0
        while taken < len(lines) and (taken == 0 or spent + _tokens(lines[taken], zone) <= room):
            spent += _tokens(lines[taken], zone)
            taken += 1
        if taken < len(lines):
            taken = _last_boundary(lines, taken)
        piece = Piece(before, tuple(lines[:taken]))
        pieces.append(piece)
        lines = lines[taken:]
        before = _as_context(piece.lines)
    return pieces


def _tokens(line: Line, zone: tzinfo | None) -> int:
    return tokens_at_most(line.shown(zone)) + 1


def _last_boundary(lines: Sequence[Line], taken: int) -> int:
    """The best place to cut at or before *taken*: where a task begins, else where the user speaks."""
    least = max(1, taken // 2)
    places = range(taken, least - 1, -1)
    tasks = (at for at in places if lines[at].opens_task)
    users = (at for at in places if lines[at].turn.role == "user")
    return next(tasks, next(users, taken))


def _as_context(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple(
        replace(line, text=_shortened(line.text, CONTEXT_CHARACTERS_MAX), before=True)
        for line in lines[-CONTEXT_LINES:]
    )


def _lines(turns: Sequence[Turn], *, tokens_max: int) -> list[Line]:
    lines: list[Line] = []
    ended = False
    last_at = None
    for turn in turns:
        if turn.erased or not turn.content.strip() or turn.origin not in ("user", "assistant"):
            continue
        opens = turn.role == "user" and (ended or (last_at is not None and turn.at - last_at >= PAUSE))
        last_at = turn.at
        if turn.role == "user":
            # A line's frame takes a little; half the bound leaves room for context.
            parts = _parts(turn.content, tokens_max=max(1, tokens_max // 2))
            lines += [Line(turn=turn, text=part, opens_task=opens and number == 0) for number, part in enumerate(parts)]
            ended = ends_task(turn.content)
        elif turn.role == "assistant":
            lines.append(Line(turn=turn, text=_shortened(turn.content, ASSISTANT_CHARACTERS_MAX)))
    return lines


def _shortened(text: str, characters_max: int) -> str:
    """*text*, or its beginning and its end: the end holds the question that is answered next."""
    if len(text) <= characters_max:
        return text
    half = (characters_max - len(_OMITTED)) // 2
    return text[:half] + _OMITTED + text[-half:]


def _parts(text: str, *, tokens_max: int) -> list[str]:
    """*text* in parts of at most *tokens_max* tokens, cut between sentences where they allow it."""
    if tokens_at_most(text) <= tokens_max:
        return [text]
    parts: list[str] = []
    start = last = 0
    for end in (*(end for _, end in sentences(text)), len(text)):
        if tokens_at_most(text[start:end]) > tokens_max:
            if last > start:
                parts.append(text[start:last])
                start = last
            if tokens_at_most(text[start:end]) > tokens_max:
                parts += _hard_parts(text[start:end], tokens_max=tokens_max)
                start = end
        last = end
    if text[start:].strip():
        parts.append(text[start:])
    return parts


def _hard_parts(text: str, *, tokens_max: int) -> list[str]:
    """*text* cut by length alone: no tokenizer needs more than a few tokens for a character."""
    size = max(1, len(text) * tokens_max // max(1, tokens_at_most(text)))
    return [text[at : at + size] for at in range(0, len(text), size)]
