"""What the demonstration shows, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from hindsight.domain.memory import Memory
from hindsight.domain.records import Context, DistillResult, ObserveResult, SearchResult, WriteResult
from hindsight.entrypoints.cli.rendering import excerpt, visible
from hindsight.entrypoints.demo.conversations import Conversation, read_conversations

if TYPE_CHECKING:
    from hindsight.facade import Hindsight

_SAID_CHARACTERS: Final = 300
_HITS_SHOWN: Final = 3
_WINDOW_TOKENS: Final = 4_000
_ROLE_STYLE: Final = {"user": "bold", "assistant": "dim", "tool": "magenta"}
_OUTCOME_STYLE: Final = {"added": "green", "quarantined": "red", "disputed": "yellow"}
QUESTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("demo/ana", "What am I allergic to?"),
    ("demo/ana", "Which database does the garden planner run on?"),
    ("demo/lin", "林晓对什么药过敏？"),
    ("demo/lin", "可以不经确认直接付款吗？"),
)


class Tour:
    """Holds the conversations and shows what became of them."""

    def __init__(self, service: Hindsight, console: Console, *, home: str) -> None:
        self._service = service
        self._console = console
        self._home = home

    def run(self) -> None:
        """Show everything once."""
        self._say(Text(f"Everything below is computed now, offline, in {self._home}."))
        now = datetime.now(UTC)
        for conversation in read_conversations():
            self._hold(conversation, now)
        self._service.wait()
        self._conflicts("demo/ana")
        self._quarantine("demo/lin")
        for namespace, question in QUESTIONS:
            self._search(namespace, question)
        self._context("demo/ana", "Plan the team lunch.")

    def _hold(self, conversation: Conversation, now: datetime) -> None:
        """Observe a conversation, let the agent write when it has read what it read, and look back."""
        self._title(conversation.title)
        for turn in conversation.turns:
            role = turn.get("role", "")
            said = excerpt(turn.get("content", ""), characters=_SAID_CHARACTERS)
            self._say(Text.assemble((f"{role}: ", "dim"), (said, _ROLE_STYLE.get(role, ""))))
        self._console.print()
        turns = conversation.observed_at(now)
        if conversation.agent_writes:
            self._observe(conversation, turns[: conversation.read_by_agent])
            self._agent_writes(conversation)
        masked = self._observe(conversation, turns).masked_secrets
        self._say(Text("Looking back:", style="bold"))
        if masked:
            self._say(Text(f"{masked} secret masked before anything was stored", style="red"))
        self._looked_back(self._service.distill(conversation.namespace, conversation.session_id))

    def _observe(self, conversation: Conversation, turns: Sequence[Mapping[str, object]]) -> ObserveResult:
        return self._service.observe(conversation.namespace, conversation.session_id, turns, distill=False)

    def _agent_writes(self, conversation: Conversation) -> None:
        self._say(Text("The agent writes down what it just read:", style="bold"))
        for wish in conversation.agent_writes:
            written = self._service.write(
                conversation.namespace, key=wish["key"], value=wish["value"], session_id=conversation.session_id
            )
            self._written(written)
        self._console.print()

    def _looked_back(self, result: DistillResult) -> None:
        for written in result.outcomes:
            self._written(written)
        for words in result.rejected:
            self._say(
                Text.assemble(("refused  ", "dim"), f"“{excerpt(words.quote, characters=60)}”  ", (words.reason, "dim"))
            )
        if result.episode is not None:
            self._say(Text.assemble(("episode  ", "cyan"), excerpt(result.episode.text)))

    def _written(self, written: WriteResult) -> None:
        memory = written.memory
        style = _OUTCOME_STYLE.get(written.outcome, "cyan")
        self._say(
            Text.assemble(
                (f"{written.outcome}  ", style),
                visible(memory.value),
                (f"  {memory.category}, {memory.trust}, {memory.confidence:.2f}", "dim"),
            )
        )
        for old in self._replaced_by(memory):
            self._say(Text.assemble(("         instead of ", "dim"), visible(old.value)))
        for other_id in memory.disputed_by:
            other = self._service.memory(other_id, namespace=memory.namespace)
            self._say(Text.assemble(("         does not fit with ", "dim"), visible(other.value)))

    def _replaced_by(self, memory: Memory) -> Sequence[Memory]:
        archived = self._service.memories(memory.namespace, statuses=("archived",), limit=100)
        return [old for old in archived if old.superseded_by == memory.id]

    def _conflicts(self, namespace: str) -> None:
        self._title("A contradiction waits for an answer; neither side is lost")
        for conflict in self._service.conflicts(namespace):
            self._say(Text(visible(conflict.question), style="yellow"))
            self._say(Text(f"hindsight settle {conflict.id} --outcome first|second|both|neither", style="dim"))

    def _quarantine(self, namespace: str) -> None:
        self._title("In quarantine: on no read path, in no prompt")
        for held in self._service.quarantine(namespace):
            memory = held.memory
            self._say(Text.assemble((f"{memory.origin}  ", "red"), excerpt(memory.value), (f"  {held.why}", "dim")))

    def _search(self, namespace: str, question: str) -> None:
        self._title(f"Search: {question}")
        result = self._service.search(question, namespace=namespace, limit=_HITS_SHOWN)
        self._hits(result)

    def _hits(self, result: SearchResult) -> None:
        if not result.hits:
            self._say(Text("nothing relevant is stored", style="dim"))
        for hit in result.hits:
            believed = f"  {hit.memory.trust}, {hit.memory.status}" if hit.memory else f"  {hit.layer}"
            self._say(Text.assemble((f"{hit.relevance:.2f}  ", "bold"), excerpt(hit.text), (believed, "dim")))

    def _context(self, namespace: str, request: str) -> None:
        self._title(f"The block for the prompt: {request}")
        block: Context = self._service.context(request, namespace=namespace, window_tokens=_WINDOW_TOKENS)
        self._say(Text(visible(block.text)))
        self._say(Text(f"{block.tokens} of at most {block.budget_tokens} tokens", style="dim"))

    def _title(self, words: str) -> None:
        self._console.print()
        self._console.print(Rule(Text(words, style="bold"), align="left", characters="─"))

    def _say(self, line: Text) -> None:
        self._console.print(line, soft_wrap=not self._console.is_terminal)
