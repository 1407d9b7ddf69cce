from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

import hindsight
from hindsight.domain.conversation import ROLES
from hindsight.entrypoints.cli import run
from hindsight.entrypoints.demo import converse, read_conversations


def test_the_demo_shows_what_the_product_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo"]) == 0
    shown = capsys.readouterr().out
    for promise in ("added", "refused", "superseded", "instead of", "quarantined", "masked", "hindsight settle con_"):
        assert promise in shown
    assert "<memory-" in shown
    assert "Tulip-9471-blue" not in shown.split("Looking back", 1)[1]
    # A file gets whole lines, and no line ends in blanks.
    assert [line for line in shown.splitlines() if line != line.rstrip()] == []


def test_the_conversations_are_in_both_languages_and_well_formed() -> None:
    conversations = read_conversations()
    assert {conversation.namespace for conversation in conversations} == {"demo/ana", "demo/lin"}
    assert any(turn.get("role") == "tool" for conversation in conversations for turn in conversation.turns)
    for conversation in conversations:
        assert {turn.get("role") for turn in conversation.turns} <= set(ROLES)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Callable[..., str]]:
    with hindsight.open(tmp_path / "home", embedder="none", settings={"look_back.worker": False}) as service:

        def converse_with(*lines: str) -> str:
            said = iter(lines)
            out = io.StringIO()

            def read(_prompt: str) -> str:
                try:
                    return next(said)
                except StopIteration:
                    raise EOFError from None

            converse(service, Console(file=out, width=200, markup=False, highlight=False), read)
            return out.getvalue()

        yield converse_with


def test_the_prompt_remembers_what_is_typed(talk: Callable[..., str]) -> None:
    shown = talk("My daughter Mia is allergic to peanuts.", "/done", "?peanuts", "/list", "/quit", "never read")
    assert shown.count("peanuts") >= 3
    assert "never read" not in shown


def test_the_prompt_looks_back_when_the_task_ends(talk: Callable[..., str]) -> None:
    shown = talk("我女儿对花生过敏。", "好的就这样，谢谢。")
    assert "花生" in shown
    assert "trusted" in shown


def test_the_prompt_survives_a_mistake(talk: Callable[..., str]) -> None:
    shown = talk("?", "/context", "/quit")
    assert shown.count("error: ") == 2
