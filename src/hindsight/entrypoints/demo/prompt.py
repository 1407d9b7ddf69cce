"""A prompt that remembers what is typed, for trying the service out by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from rich.console import Console

from hindsight.domain.errors import HindsightError
from hindsight.entrypoints.cli import rendering

if TYPE_CHECKING:
    from hindsight.facade import Hindsight

NAMESPACE: Final = "demo/you"
SESSION: Final = "prompt"
WINDOW_TOKENS: Final = 4_000
INSTRUCTIONS: Final = """
Try it: say things about yourself, in English or Chinese.
  text         is a turn of a conversation
  /done        ends the task: look back on what you said
  ?question    searches, as in  ?where do I live
  /context Q   builds the block for a prompt about Q
  /list        shows what is remembered
  /quit        leaves, and removes everything you typed
"""


def converse(service: Hindsight, console: Console, read: Callable[[str], str] = input) -> None:
    """Read lines until ``/quit`` or the end of input, and answer each."""
    console.print(INSTRUCTIONS)
    while True:
        try:
            line = read("> ").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if line == "/quit":
            return
        if not line:
            continue
        try:
            answered = _answer(service, line)
        except HindsightError as error:
            console.print(f"error: {error}")
            continue
        for text in answered:
            console.print(text)


def _answer(service: Hindsight, line: str) -> rendering.Lines:
    if line.startswith(("?", "？")):
        return rendering.search_result(service.search(line[1:].strip(), namespace=NAMESPACE))
    command, _, rest = line.partition(" ")
    if command == "/context":
        return rendering.context(service.context(rest, namespace=NAMESPACE, window_tokens=WINDOW_TOKENS))
    if command == "/list":
        return rendering.page(rendering.memory_lines)(service.memories(NAMESPACE))
    if command == "/done":
        return rendering.distill_result(service.distill(NAMESPACE, SESSION))
    return _remember(service, line)


def _remember(service: Hindsight, line: str) -> rendering.Lines:
    """Take the line in as the user's next turn; when it ends the task, show the look back at once."""
    length = service.observe(NAMESPACE, SESSION, [], distill=False).turn_count
    turn = {"role": "user", "content": line}
    observed = service.observe(NAMESPACE, SESSION, [turn], from_index=length)
    lines = [rendering.Text("  heard", style="dim")]
    for receipt in observed.receipts:
        lines += rendering.receipt(receipt)
    if observed.trigger is not None:
        service.wait()
        lines += rendering.page(rendering.memory_lines)(service.memories(NAMESPACE))
    return lines
