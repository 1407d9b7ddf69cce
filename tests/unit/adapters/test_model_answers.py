from __future__ import annotations

import json

import pytest

from hindsight.adapters.distillers.answers import read_claims
from hindsight.adapters.distillers.prompts import EXTRACT, EXTRACT_SCHEMA, prompt
from hindsight.domain.errors import ModelOutputInvalid
from hindsight.domain.memory import CATEGORIES


def entry(value: str = "The user keeps bees.", **more: object) -> dict[str, object]:
    whole: dict[str, object] = {
        "key": "hobby_bees",
        "value": value,
        "category": "fact",
        "evidence": [{"turn": 0, "quote": "I keep bees"}],
        "confidence": 0.9,
    }
    return whole | more


WHOLE = json.dumps({"memories": [entry()]})


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"Sure! Here is {{what}} you asked for:\n{WHOLE}\nAnything else?",
        f"<think>The user {{keeps}} bees. \n{{</think>\n{WHOLE}",
        json.dumps([entry()]),
        WHOLE.replace("I keep bees", "I keep\nbees"),
        json.dumps({"memories": [entry(), entry()]}),
        json.dumps({"memories": [entry(evidence={"turn": "0", "quote": "I keep bees"}, confidence="0.9")]}),
    ],
)
def test_a_whole_answer_is_read_however_it_is_wrapped(text: str) -> None:
    found = read_claims(text)
    assert [claim.value for claim in found.claims] == ["The user keeps bees."]
    assert (found.unreadable, found.cut) == (0, False)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I'm sorry, but I can't help with that.",
        "抱歉，我无法协助。",
        "{}",
        "[]",
        '{"memory": []}',
        "[" * 100_000,
        '{"a":' * 5_000,
        "<think>never ends",
        "null",
    ],
)
def test_an_answer_without_memories_is_refused(text: str) -> None:
    with pytest.raises(ModelOutputInvalid):
        read_claims(text)


def test_an_answer_that_breaks_off_gives_what_is_whole_and_says_so() -> None:
    text = json.dumps({"memories": [entry("One."), entry("Two."), entry("Three.")]})
    found = read_claims(text[: text.index("Three")])
    assert [claim.value for claim in found.claims] == ["One.", "Two."]
    assert found.cut


@pytest.mark.parametrize(
    "wrong",
    [
        entry(value=7),
        entry(key=None),
        entry(category=["fact"]),
        entry(evidence=[]),
        entry(evidence="turn 0"),
        entry(evidence=[{"turn": True, "quote": "x"}]),
        entry(evidence=[{"turn": 1e300, "quote": "x"}]),
        entry(confidence="very"),
        entry(value="half a \ud83d face"),
        entry(value="with a \x00"),
        "text",
        None,
        [],
    ],
)
def test_an_entry_of_wrong_types_falls_alone_and_is_counted(wrong: object) -> None:
    found = read_claims(json.dumps({"memories": [wrong, entry()]}))
    assert [claim.value for claim in found.claims] == ["The user keeps bees."]
    assert found.unreadable == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompt_names_every_category_and_field_of_the_schema(language: str) -> None:
    text = prompt(EXTRACT, language)  # type: ignore[arg-type]
    properties = EXTRACT_SCHEMA["properties"]["memories"]["items"]["properties"]
    assert [name for name in (*CATEGORIES, *properties) if name not in text] == []
