"""Answers as lines for people.

Stacked lines, not tables: a memory's value is a sentence, often Chinese, and a column of sentences is
unreadable at 80 columns. Stored text may come from anywhere, so what would steer a terminal is shown,
not obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeVar

from rich.text import Text

from hindsight.domain.conversation import Episode, Session
from hindsight.domain.memory import Evidence, Memory, MemoryVersion
from hindsight.domain.moments import to_text
from hindsight.domain.records import (
    Change,
    Conflict,
    Context,
    DistillResult,
    Hit,
    Job,
    Page,
    Proposal,
    Receipt,
    RejectedWords,
    SearchResult,
    Trace,
    TraceCandidate,
    WriteResult,
)

if TYPE_CHECKING:
    from hindsight.services.auditing import AuditLine
    from hindsight.services.browse import Held, Review, Shown
    from hindsight.services.lessons import Taught
    from hindsight.services.review import NeedsLook
    from hindsight.services.why import Step, Why

Lines = list[Text]
Item = TypeVar("Item")

EXCERPT_CHARACTERS: Final = 160
# Control characters but tab and line feed, and those that turn the direction of what follows.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_REASON: Final = {
    "disputed": "contradicted, see the conflicts",
    "soon_stale": "in use and soon stale: confirm it or say what changed",
    "low_confidence": "in use and little sure",
}
_TRUST_STYLE: Final = {"trusted": "green", "reported": "yellow", "untrusted": "red"}


def visible(text: str) -> str:
    """*text* with everything that would steer a terminal written as an escape."""
    return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def excerpt(text: str, *, characters: int = EXCERPT_CHARACTERS) -> str:
    """*text* on one line, cut at *characters*."""
    line = " ".join(visible(text).split())
    return line if len(line) <= characters else line[: characters - 1] + "…"


def day(moment: datetime) -> str:
    """The UTC day of *moment*."""
    return to_text(moment)[:10]


def minute(moment: datetime) -> str:
    """*moment* in UTC to the minute."""
    return to_text(moment)[:16].replace("T", " ") + "Z"


def memory_lines(memory: Memory, *, lead: str = "", note: str = "") -> Lines:
    """One memory: its key, its value, and how far to believe it."""
    head = Text.assemble(
        (lead, "bold"),
        (visible(memory.key), "bold cyan"),
        f"  {memory.category}",
        (f"  {note}" if note else "", "yellow"),
    )
    facts = Text.assemble(
        "    ",
        (memory.trust, _TRUST_STYLE[memory.trust]),
        f" · {memory.status} · confidence {memory.confidence:.2f} · freshness {memory.freshness:.2f}",
        f" · verified {day(memory.verified_at)}",
        (" · disputed" if memory.disputed_by else "", "yellow"),
    )
    return [head, Text("    " + visible(memory.value)), facts, Text(f"    {memory.id}", style="dim")]


def evidence_line(evidence: Evidence) -> Text:
    """One quote and where it stands."""
    place = f"{visible(evidence.session_id)} turn {evidence.turn_index}, {minute(evidence.at)}, {evidence.origin}"
    return Text.assemble("    “", (excerpt(evidence.quote), "italic"), f"”  ({place})")


def full_memory(memory: Memory) -> Lines:
    """Everything known about one memory but its versions."""
    lines = memory_lines(memory)
    lines.append(Text(f"    namespace {visible(memory.namespace)} · version {memory.version} · by {memory.made_by}"))
    validity = [
        f"{name} {day(moment)}"
        for name, moment in (("from", memory.valid_from), ("to", memory.valid_to))
        if moment is not None
    ]
    if validity:
        lines.append(Text("    held " + " ".join(validity)))
    for name in ("source", "writer", "locator", "superseded_by", "ttl_days"):
        value = getattr(memory, name)
        if value is not None:
            lines.append(Text(f"    {name} {visible(str(value))}"))
    if memory.merged_from:
        lines.append(Text("    merged from " + ", ".join(memory.merged_from)))
    return [*lines, *map(evidence_line, memory.evidence)]


def shown(found: Shown) -> Lines:
    """One memory with its life, and the turns it rests on."""
    lines = [*full_memory(found.memory), Text("history:", style="bold"), *versions(found.versions)]
    if found.turns:
        lines.append(Text("rests on:", style="bold"))
    for turn in found.turns:
        place = f"{visible(turn.session_id)} turn {turn.index}, {minute(turn.at)}"
        lines.append(Text(f"    {turn.role}: {excerpt(turn.content)}  ({place})"))
    return lines


_MAKERS = {"rules": "rule", "model": "language model", "write": "written by a call"}


def why(found: Why) -> Lines:
    """What made one memory, and why its neighbours were not made one with it."""
    made = _MAKERS[found.maker] + ("" if found.maker == "write" else f" {visible(found.rule)}")
    lines = [*memory_lines(found.memory), Text.assemble(("made by: ", "bold"), made)]
    if found.sources:
        lines.append(Text("because of:", style="bold"))
    for source in found.sources:
        who = source.role or source.origin
        place = f"{visible(source.session_id)} turn {source.turn_index}, {who}, {minute(source.at)}"
        lines.append(Text(f"    “{excerpt(source.sentence)}”  ({place}{', erased since' if source.erased else ''})"))
    lines += [Text("history:", style="bold"), *(_step(step) for step in found.steps)]
    for title, memories in (("merged from:", found.merged), ("met:", found.met)):
        if memories:
            lines.append(Text(title, style="bold"))
            lines += [Text(f"    {item.id}  {item.status}  {excerpt(item.value)}") for item in memories]
    if found.neighbours:
        lines.append(Text("kept apart from:", style="bold"))
    for near in found.neighbours:
        because = ", ".join(reason.replace("_", " ").removeprefix("veto:") for reason in near.reasons)
        sure = "" if near.certain else ", undecided"
        lines.append(Text(f"    {near.memory.id}  {excerpt(near.memory.value)}"))
        lines.append(Text(f"        {near.relation}{sure} ({near.probability:.2f}): {because}", style="dim"))
    return lines


def _step(step: Step) -> Text:
    return Text(f"    v{step.version}  {minute(step.at)}  {visible(step.why)}")


def held(item: Held) -> Lines:
    """One memory in quarantine, why it is there, and what a release names."""
    return [*memory_lines(item.memory, note=visible(item.why)), Text(f"    digest {item.digest}", style="dim")]


def review(found: Review) -> Lines:
    """What most needs the user's look."""
    lines = [line for item in found.memories for line in look(item)]
    if found.memories.next_cursor is not None:
        lines.append(Text(f"more: --cursor {found.memories.next_cursor}", style="dim"))
    lines += [line for item in found.conflicts for line in conflict(item)]
    lines += [line for item in found.proposals for line in proposal(item)]
    if found.quarantined:
        lines.append(Text(f"{found.quarantined} in quarantine: hindsight quarantine", style="yellow"))
    return lines or [Text("nothing needs a look")]


def look(item: NeedsLook) -> Lines:
    """One memory that needs a look, and why."""
    why = ", ".join(_REASON[reason] for reason in item.reasons)
    used = f"used {item.uses} times; stale from {minute(item.stale_from)}"
    return memory_lines(item.memory, note=f"{why}; {used}")


def taught(item: Taught) -> Lines:
    """One lesson: what was rejected, or that it was erased since."""
    lead = f"{item.id}  {minute(item.learned_at)}  rejected by {item.by}"
    if item.memory is None:
        return [Text(f"{lead}: erased since; near-copies are known by fingerprints alone")]
    return [Text(f"{lead}:"), *memory_lines(item.memory)]


def unlearned(item: Taught) -> Lines:
    """A lesson that was removed."""
    return [Text("removed:"), *taught(item)]


def versions(history: Iterable[MemoryVersion]) -> Lines:
    """A memory's life, oldest step first."""
    return [
        Text(
            f"    v{step.memory.version}  {minute(step.recorded_at)}  {step.memory.status}"
            f"  confidence {step.memory.confidence:.2f}  {visible(step.why)}"
        )
        for step in history
    ]


def write_result(result: WriteResult) -> Lines:
    """What became of a write."""
    lines = memory_lines(result.memory, lead=f"{result.outcome}: ")
    if result.conflict is not None:
        lines += conflict(result.conflict)
    if result.related:
        lines.append(Text("related:"))
        for memory in result.related:
            lines += memory_lines(memory, lead="  ")
    return lines


def change(result: Change) -> Lines:
    """What became of a verify, forget, restore, settle or release."""
    lines = [Text(result.outcome, style="bold")]
    if result.memory is not None:
        lines += memory_lines(result.memory)
    if result.conflict is not None:
        lines += conflict(result.conflict)
    if result.proposal is not None:
        lines += proposal(result.proposal)
    return lines


def proposal(waiting: Proposal) -> Lines:
    """A change that waits for the user."""
    value = f" to “{excerpt(waiting.value)}”" if waiting.value else ""
    return [
        Text(f"{waiting.id}  {waiting.action} {waiting.memory_id}{value}"),
        Text(f"    by {waiting.proposed_by}, {minute(waiting.proposed_at)}", style="dim"),
    ]


def conflict(found: Conflict) -> Lines:
    """A conflict with its question."""
    state = "open" if found.open else f"settled: {found.outcome}"
    return [
        Text.assemble(("conflict ", "bold yellow"), found.id, f"  {state}, since {day(found.opened_at)}"),
        Text.assemble("    ", (visible(found.question), "yellow")),
        Text(f"    first {found.first}, second {found.second}", style="dim"),
    ]


def search_result(result: SearchResult) -> Lines:
    """Hits, best first, and what their reader should know."""
    lines: Lines = []
    for place, hit in enumerate(result.hits, start=1):
        lines += hit_lines(hit, place=place)
    if not result.hits:
        lines.append(Text("nothing relevant is stored"))
    for found in result.conflicts:
        lines += conflict(found)
    lines += [Text(f"caution: {visible(caution)}", style="yellow") for caution in result.cautions]
    lines += _degraded(result.degraded)
    if result.trace_id is not None:
        lines.append(Text(f"trace {result.trace_id}", style="dim"))
    return lines


def hit_lines(hit: Hit, *, place: int) -> Lines:
    """One hit: a memory, or a turn with the session it stands in."""
    lead = f"{place}. {hit.relevance:.2f}  "
    if hit.memory is not None:
        return memory_lines(hit.memory, lead=lead)
    turn = hit.turn
    if turn is None:
        return [Text(lead + hit.layer)]
    return [
        Text.assemble((lead, "bold"), (f"{turn.role} said", "bold magenta"), f"  {minute(turn.at)}"),
        Text("    " + excerpt(turn.content)),
        Text(f"    session {visible(turn.session_id)}, turn {turn.index}, origin {turn.origin}", style="dim"),
    ]


def context(block: Context) -> Lines:
    """The block as it goes into a prompt, and what it takes of the window."""
    head = f"{block.tokens} of {block.budget_tokens} tokens, {len(block.memory_ids)} memories"
    lines = [Text(visible(block.text)), Text(head, style="dim"), *_degraded(block.degraded)]
    if block.trace_id is not None:
        lines.append(Text(f"trace {block.trace_id}", style="dim"))
    return lines


def trace(record: Trace) -> Lines:
    """What one search considered, returned, injected and led to."""
    lines = [Text(f"“{excerpt(record.query)}” at {minute(record.at)}", style="bold")]
    lines += [_candidate(candidate, injected=candidate.target in record.injected) for candidate in record.candidates]
    for use in record.uses:
        lines.append(Text(f"used for “{excerpt(use.decision)}”: {', '.join(use.memory_ids)}"))
    return [*lines, *_degraded(record.degraded)]


def _candidate(candidate: TraceCandidate, *, injected: bool) -> Text:
    fate = "injected" if injected else "returned" if candidate.returned else "left out"
    parts = "  ".join(f"{name} {value:.2f}" for name, value in sorted(candidate.parts.items()))
    return Text(
        f"{candidate.rank:>3}. {candidate.relevance:.2f}  {fate}  {candidate.layer} {candidate.target}\n     {parts}"
    )


def _degraded(parts: Iterable[str]) -> Lines:
    return [Text(f"degraded: {part} could not be used", style="yellow") for part in parts]


def receipt(proof: Receipt) -> Lines:
    """What an erasure removed."""
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(proof.counts.items()) if count) or "nothing"
    state = "complete" if proof.complete else "not complete yet"
    lines = [
        Text.assemble(("erased ", "bold"), f"{visible(proof.subject)}: {counts} ({state})"),
        Text(f"    receipt {proof.id}, {minute(proof.erased_at)}, key {proof.key_id}", style="dim"),
    ]
    if proof.retained:
        lines.append(Text(f"    {proof.retained} places keep the same words on evidence of their own"))
    return lines + [Text(f"    pending: {visible(part)}", style="yellow") for part in proof.pending]


def distill_result(result: DistillResult) -> Lines:
    """What one look back made, and what it refused."""
    lines: Lines = []
    if result.episode is not None:
        lines += episode(result.episode)
    for memory in result.memories:
        lines += memory_lines(memory, lead="kept ")
    for memory in result.quarantined:
        lines += memory_lines(memory, lead="quarantined ")
    lines += [rejected(words) for words in result.rejected]
    return lines or [Text("nothing new to look back on")]


def rejected(words: RejectedWords) -> Text:
    """A piece that was looked at and not kept, and why."""
    return Text.assemble(("refused ", "dim"), f"“{excerpt(words.quote)}”", (f"  {words.reason}", "dim"))


def episode(stretch: Episode) -> Lines:
    """A finished stretch, digested."""
    head = (
        f"episode {stretch.id}  {visible(stretch.session_id)}"
        f" turns {stretch.first_index}–{stretch.last_index}, {minute(stretch.started_at)}"
    )
    names = ", ".join(visible(entity.name) for entity in stretch.entities)
    labelled = (
        ("user said", stretch.user_said),
        ("agent did", stretch.agent_did),
        ("concluded", stretch.conclusion),
        ("names", names),
    )
    return [
        Text(head, style="bold"),
        *(Text(f"    {label}: {excerpt(text)}") for label, text in labelled if text),
    ]


def session(running: Session) -> Lines:
    """A session: how long it is and how far it was looked back on."""
    state = "ended" if running.ended else "open"
    return [
        Text.assemble(
            (visible(running.id), "bold"),
            f"  {running.turn_count} turns, looked back on to {running.distilled_to}, {state}",
            f", {minute(running.started_at)} to {minute(running.last_at)}",
        )
    ]


def job(work: Job) -> Lines:
    """A background job and what became of it."""
    subject = f" {visible(work.session_id)} turns {work.first_index}–{work.end_index - 1}" if work.session_id else ""
    line = Text(f"{work.id}  {work.kind}{subject}: {work.state}, attempts {work.attempts}")
    notes = [*work.notes, *([work.error] if work.error else [])]
    return [line, *(Text(f"    {visible(note)}", style="yellow") for note in notes)]


def audit_line(event: AuditLine) -> Lines:
    """One event: what happened to what, by whom, with its numbers."""
    detail = "  ".join(f"{name}={value}" for name, value in event.detail.items())
    head = f"{event.number:>6}  {minute(event.at)}  {event.action}  {visible(event.subject)}  by {event.by}"
    return [Text(head), *([Text(f"        {visible(detail)}", style="dim")] if detail else [])]


def page(of: Callable[[Item], Lines]) -> Callable[[Page[Item]], Lines]:
    """A renderer of pages from one of items."""

    def render(listed: Page[Item]) -> Lines:
        lines = [line for item in listed for line in of(item)]
        if listed.next_cursor is not None:
            lines.append(Text(f"more: --cursor {listed.next_cursor}", style="dim"))
        return lines or [Text("nothing here")]

    return render
