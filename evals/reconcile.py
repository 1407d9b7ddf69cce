"""How well the relation of a new memory to an old one is judged, on labelled pairs of three authors.

Reports the read part and the unread third apart; of the third only sums are shown. "unrelated" counts
as coexist, since a store does the same with both: it leaves both memories as they are.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cases import is_unread, load, parser
from hindsight.adapters.embedders.nano import NanoEmbedder
from hindsight.domain.memory import under_key
from hindsight.language.relation import Statement, Verdict, merge
from hindsight.language.relation.judge import Weights
from hindsight.language.relation.relating import relate_with
from hindsight.language.script import language_of

AUTHORS = ("reconcile", "reconcile_b", "reconcile_c")
RELATIONS = ("duplicate", "refinement", "update", "contradiction", "coexist")
_APART = ("contradiction", "coexist")
_MERGING = ("duplicate", "refinement")
_RANDOM_PAIRS = 1_000

Similarity = Callable[[Statement, Statement], float]


@dataclass(frozen=True)
class Case:
    """One labelled pair."""

    id: str
    author: str
    old: Statement
    new: Statement
    relation: str
    near: bool
    merged_must_contain: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """Sums over some cases."""

    count: int
    accuracy: float
    by_language: dict[str, float]
    f1: dict[str, float]
    acted_accuracy: float
    covered: float
    lost: int
    losable: int
    near_acted: float
    confusion: Counter[tuple[str, str]]

    def line(self) -> str:
        """The figures in one line."""
        languages = " ".join(f"{name} {value:.3f}" for name, value in self.by_language.items())
        f1 = " ".join(f"{name[:6]} {value:.2f}" for name, value in self.f1.items())
        share = self.lost / max(1, self.losable)
        return (
            f"n {self.count}  accuracy {self.accuracy:.3f} ({languages})  F1 {f1}\n"
            f"    silent loss {self.lost}/{self.losable} ({share:.1%})  near acted on {self.near_acted:.1%}  "
            f"certain {self.covered:.2f}  accuracy when the uncertain coexist {self.acted_accuracy:.3f}"
        )


def case_of(data: dict[str, Any], author: str) -> Case:
    """A case from its JSON line."""
    return Case(
        id=data["id"],
        author=author,
        old=_statement(data["old"]),
        new=_statement(data["new"]),
        relation=data["relation"],
        near=bool(data.get("near")),
        merged_must_contain=tuple(data.get("merged_must_contain") or ()),
    )


def _statement(side: dict[str, Any]) -> Statement:
    return Statement(
        key=side["key"], value=side["value"], category=side["category"], language=language_of(side["value"])
    )


def similarities(statements: Sequence[Statement]) -> Similarity:
    """Calibrated similarity of any two of *statements*, embedded under their keys as the product does."""
    embedder = NanoEmbedder()
    unique = list(dict.fromkeys(under_key(s.key, s.value) for s in statements))
    vectors = dict(zip(unique, embedder.passages(unique), strict=True))

    def vector_of(statement: Statement) -> Any:
        text = under_key(statement.key, statement.value)
        if text not in vectors:
            vectors[text] = embedder.passages([text])[0]
        return vectors[text]

    def similarity(one: Statement, other: Statement) -> float:
        first, second = vector_of(one), vector_of(other)
        return embedder.similarity(float(np.dot(first, second)), one.language, other.language)

    return similarity


def judge(case: Case, similarity: Similarity, learned: Weights | None = None) -> Verdict:
    """The verdict on one case."""
    return relate_with(case.old, case.new, similarity=similarity(case.old, case.new), learned=learned)


def score(cases: Sequence[Case], similarity: Similarity, *, learned: Weights | None = None) -> Score:
    """Judge *cases* and add up."""
    verdicts = [judge(case, similarity, learned) for case in cases]
    said = ["coexist" if v.relation == "unrelated" else v.relation for v in verdicts]
    acted = [s if v.certain else "coexist" for s, v in zip(said, verdicts, strict=True)]
    truth = [case.relation for case in cases]
    right = [s == t for s, t in zip(said, truth, strict=True)]
    confusion = Counter(zip(truth, said, strict=True))
    f1 = {name: 2 * confusion[name, name] / max(1, truth.count(name) + said.count(name)) for name in RELATIONS}
    near = [a != "coexist" for a, case in zip(acted, cases, strict=True) if case.near]
    return Score(
        count=len(cases),
        accuracy=_mean(right),
        by_language={
            language: _mean([r for r, case in zip(right, cases, strict=True) if case.new.language == language])
            for language in ("zh", "en")
        },
        f1=f1,
        acted_accuracy=_mean([a == t for a, t in zip(acted, truth, strict=True)]),
        covered=_mean([v.certain for v in verdicts]),
        lost=sum(a in _MERGING and t in _APART for a, t in zip(acted, truth, strict=True)),
        losable=sum(t in _APART for t in truth),
        near_acted=_mean(near),
        confusion=confusion,
    )


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / max(1, len(values))


def random_acted(cases: Sequence[Case], similarity: Similarity) -> float:
    """The share of random pairs of different cases that would be acted on."""
    rng = random.Random(7)
    acted = 0
    for _ in range(_RANDOM_PAIRS):
        one, other = rng.sample(list(cases), 2)
        pair = replace(one, new=other.new)
        verdict = judge(pair, similarity)
        acted += verdict.certain and verdict.relation not in ("coexist", "unrelated")
    return acted / _RANDOM_PAIRS


def with_equal_keys(case: Case) -> Case:
    """The case with keys that tell nothing."""
    return replace(case, old=replace(case.old, key="topic"), new=replace(case.new, key="topic"))


def merged_share(cases: Sequence[Case]) -> tuple[float, float]:
    """The share of refinements whose merge keeps every required string, and the mean length ratio."""
    kept: list[bool] = []
    ratios: list[float] = []
    for case in cases:
        if not case.merged_must_contain:
            continue
        merged = merge(case.old.value, case.new.value, language=case.new.language) or ""
        kept.append(all(part.casefold() in merged.casefold() for part in case.merged_must_contain))
        ratios.append(len(merged) / max(len(case.old.value), len(case.new.value)))
    return _mean(kept), sum(ratios) / max(1, len(ratios))


def report(name: str, cases: Sequence[Case], similarity: Similarity) -> None:
    """Print the figures of one part."""
    found = score(cases, similarity)
    print(f"{name}: {found.line()}")
    keyless = score([with_equal_keys(case) for case in cases], similarity)
    kept, ratio = merged_share(cases)
    print(
        f"    accuracy with all keys alike {keyless.accuracy:.3f}  "
        f"random pairs acted on {random_acted(cases, similarity):.2%}"
    )
    print(f"    merges that keep all that they must {kept:.3f} at {ratio:.2f} times the length")
    print("    truth \\ said  " + " ".join(f"{name[:6]:>7}" for name in RELATIONS))
    for truth in RELATIONS:
        print(f"    {truth:13} " + " ".join(f"{found.confusion[truth, said]:7d}" for said in RELATIONS))


def main() -> None:
    """Score the shipped judge."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--unread", action="store_true", help="also score the third that nobody reads")
    arguments.add_argument("--by-author", action="store_true", help="also score each author's read part")
    chosen = arguments.parse_args()
    every = [case_of(data, author) for author in AUTHORS for data in load(author, chosen.shared)]
    similarity = similarities([s for case in every for s in (case.old, case.new)])
    read = [case for case in every if not is_unread(case.id)]
    report("read part (trained on)", read, similarity)
    if chosen.by_author:
        for author in AUTHORS:
            print(author, score([case for case in read if case.author == author], similarity).line())
    if chosen.unread:
        report("unread third", [case for case in every if is_unread(case.id)], similarity)


if __name__ == "__main__":
    main()
