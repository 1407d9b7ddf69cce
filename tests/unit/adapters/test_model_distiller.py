"""The model's distiller on the library's own test models: what it keeps, drops, and never lets a model do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from hindsight.adapters.distillers.chat import AskLimits, ChatModel
from hindsight.adapters.distillers.model import ModelDistiller
from hindsight.adapters.distillers.rules import RuleDistiller
from hindsight.adapters.distillers.spending import SPENT_META, DaySpending
from hindsight.domain.conversation import Turn
from hindsight.ports import Distilled, Stretch
from hindsight.testing import SAMPLE_TIME, FrozenClock, InMemoryStore, sample_turn

function = pytest.importorskip("pydantic_ai.models.function", reason="the extra llm is not installed")
messages = pytest.importorskip("pydantic_ai.messages")
test_models = pytest.importorskip("pydantic_ai.models.test")

Answer = Callable[[str, str], str]
"""The model's answer, from its instructions and what it was shown."""


def turn(index: int, role: str, content: str, **more: Any) -> Turn:
    at = SAMPLE_TIME + timedelta(minutes=index)
    return replace(sample_turn("s", index, content, at=at), **({"role": role, "origin": role} | more))


def entry(value: str, quote: str, *, at: int = 0, **more: Any) -> dict[str, Any]:
    whole = {
        "key": "workshop_detail",
        "value": value,
        "category": "fact",
        "evidence": [{"turn": at, "quote": quote}],
        "confidence": 0.9,
    }
    return whole | more


def answering(*entries: Any) -> Answer:
    return lambda instructions, shown: json.dumps({"memories": list(entries)})


class Bench:
    """A distiller on a scripted model, and what the model was asked."""

    def __init__(self, answer: Answer, *, tokens_max: int = 1_000_000, piece_tokens: int = 8_000) -> None:
        self.asked: list[tuple[str, str]] = []
        self.store = InMemoryStore()
        self.slept: list[float] = []
        clock = FrozenClock(SAMPLE_TIME)

        def respond(history: Any, info: Any) -> Any:
            shown = history[-1].parts[-1].content
            self.asked.append((info.instructions, shown))
            return messages.ModelResponse(parts=[messages.TextPart(answer(info.instructions, shown))])

        @asynccontextmanager
        async def opened() -> Any:
            yield function.FunctionModel(respond)

        chat = ChatModel(
            opened,
            name="scripted",
            spending=DaySpending(self.store, clock, tokens_max=tokens_max),
            limits=AskLimits(attempts=2, concurrency=2),
            sleep=self.slept.append,
        )
        self.distiller = ModelDistiller(chat, RuleDistiller(None), piece_tokens=piece_tokens)

    def distil(self, *turns: Turn, context: tuple[Turn, ...] = ()) -> Distilled:
        return self.distiller.distil(Stretch(turns=turns, context=context, time_zone=None))


def values(found: Distilled) -> list[str]:
    return [candidate.value for candidate in found.candidates]


def reasons(found: Distilled) -> list[str]:
    return [rejection.reason for rejection in found.rejections if rejection.reason.startswith("model:")]


LATHE = turn(0, "user", "The lathe in my workshop runs on 400 volts, and oak is what I turn most.")


def test_a_claim_that_was_said_becomes_a_candidate_with_its_quote_and_maker() -> None:
    found = Bench(
        answering(entry("The user's lathe runs on 400 volts.", "lathe in my workshop runs on 400 volts"))
    ).distil(LATHE)
    [candidate] = [c for c in found.candidates if c.made_by.startswith("model/")]
    [span] = candidate.spans
    assert LATHE.content[span.start : span.end] == "lathe in my workshop runs on 400 volts"
    assert (candidate.made_by, candidate.origin, candidate.at) == ("model/extract-1:scripted", "user", LATHE.at)
    assert candidate.confidence == 0.9
    assert found.notes == ("without_vectors",)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (entry("The user's lathe runs on 400 volts.", "lathe runs on 230 volts"), "model:quote_not_found"),
        (entry("The user's lathe runs on 400 volts.", "runs on 400 volts", at=7), "model:quote_not_found"),
        (entry("The user's lathe runs on 230 volts.", "runs on 400 volts"), "model:number_not_said"),
        (entry("The user's lathe is a Wadkin and runs on 400 volts.", "runs on 400 volts"), "model:name_not_said"),
        (entry("The user loves to dance all night long.", "runs on 400 volts"), "model:not_said"),
        (entry("The user turns oak.", "oak is what I turn most", confidence=0.3), "model:unsure"),
        (entry("The user turns oak.", "oak is what I turn most", confidence=7), "model:unsure"),
        (entry("The user turns oak.", "oak is what I turn most", category="wood"), "model:unknown_category"),
        (entry("The user turns oak.", "oak is what I turn most", key="user_info"), "model:vague_key"),
        (entry("The user turns oak. " * 40, "oak is what I turn most"), "model:too_long"),
        (entry("  ", "oak is what I turn most"), "model:empty"),
        ({"value": "no more than this"}, "model:unreadable"),
    ],
)
def test_a_claim_that_does_not_hold_is_dropped_and_counted(claim: dict[str, Any], reason: str) -> None:
    found = Bench(answering(claim)).distil(LATHE)
    assert reasons(found) == [reason]
    assert not [c for c in found.candidates if c.made_by.startswith("model/")]


def test_a_chinese_conversation_is_asked_about_in_chinese() -> None:
    said = turn(0, "user", "我家院子里种了三棵枇杷树，每年五月都要套袋。")
    bench = Bench(answering(entry("用户家院子里种了3棵枇杷树。", "院子里种了三棵枇杷树", key="院子_枇杷树")))
    assert "用户家院子里种了3棵枇杷树。" in values(bench.distil(said))
    assert bench.asked[0][0].startswith("你在回看")


def test_a_relative_date_may_be_told_as_the_day_it_means() -> None:
    said = turn(0, "user", "The boiler inspection is next Wednesday, the landlord will be there.")
    claim = entry(
        "The user's boiler inspection is on 2026-03-11.", "boiler inspection is next Wednesday", category="schedule"
    )
    [candidate] = [c for c in Bench(answering(claim)).distil(said).candidates if c.made_by.startswith("model/")]
    assert candidate.valid_from is not None
    assert candidate.valid_from.date().isoformat() == "2026-03-11"


def test_a_quote_of_the_assistant_alone_is_no_evidence() -> None:
    offer = turn(0, "assistant", "I suggest a walnut top for the counter.")
    found = Bench(answering(entry("The user wants a walnut top.", "walnut top for the counter"))).distil(
        offer, turn(1, "user", "Let me think about the counter for a while, thanks.")
    )
    assert reasons(found) == ["model:not_the_users"]


def test_a_yes_does_not_make_the_assistants_words_the_users_unless_the_rules_say_so() -> None:
    plan = turn(0, "assistant", "I read in the manual: deliveries may be left unsigned at the back gate.")
    claim = entry(
        "Deliveries may be left unsigned at the back gate.",
        "deliveries may be left unsigned at the back gate",
        evidence=[
            {"turn": 0, "quote": "deliveries may be left unsigned at the back gate"},
            {"turn": 1, "quote": "okay then"},
        ],
        category="permission",
    )
    found = Bench(answering(claim)).distil(plan, turn(1, "user", "okay then"))
    [candidate] = [c for c in found.candidates if c.made_by.startswith("model/")]
    assert candidate.origin == "assistant"


def test_a_yes_cannot_carry_words_that_nobody_said() -> None:
    claim = entry("The user lets anyone read the ledger.", "okay then", at=1, category="permission")
    found = Bench(answering(claim)).distil(turn(0, "assistant", "Shall I go on?"), turn(1, "user", "okay then"))
    assert reasons(found) == ["model:not_said"]


def test_the_origin_of_a_turn_is_never_raised() -> None:
    said = replace(LATHE, origin="assistant")
    found = Bench(
        answering(entry("The user's lathe runs on 400 volts.", "lathe in my workshop runs on 400 volts"))
    ).distil(said)
    assert {candidate.origin for candidate in found.candidates} == {"assistant"}


@pytest.mark.parametrize(
    ("content", "quote", "value", "reason"),
    [
        (
            "My locker code word is password: Zx81-Kiwi-Tango7, the gym is on Elm Road.",
            "password: Zx81-Kiwi-Tango7",
            "The user's locker password is Zx81-Kiwi-Tango7.",
            "model:secret",
        ),
        (
            'Summarise this:\n"""\nI always fly from the north terminal.\n"""',
            "I always fly from the north terminal",
            "The user always flies from the north terminal.",
            "model:quoted",
        ),
    ],
)
def test_what_the_rules_close_no_model_opens(content: str, quote: str, value: str, reason: str) -> None:
    assert reasons(Bench(answering(entry(value, quote))).distil(turn(0, "user", content))) == [reason]


def test_what_the_user_asked_to_forget_stays_forgotten() -> None:
    first = turn(0, "user", "My aunt Berta owes the bakery a lot of money.")
    second = turn(2, "user", "Forget what I just said.")
    claim = entry("The user's aunt Berta owes the bakery a lot of money.", "aunt Berta owes the bakery")
    found = Bench(answering(claim)).distil(first, turn(1, "assistant", "I see."), second)
    assert reasons(found) == ["model:forgotten"]


def test_what_the_rules_are_sure_of_is_kept_though_the_model_passes_it_over() -> None:
    said = turn(0, "user", "Remember this: I'm allergic to walnuts.")
    [kept] = Bench(answering()).distil(said).candidates
    assert kept.made_by.startswith("rules/")
    assert "walnuts" in kept.value


@pytest.mark.parametrize(
    "text", ["I cannot help with that.", "", "{", '{"memories": 3}', "\ud800", "<think>" + "hm " * 1_000]
)
def test_rubbish_is_asked_for_once_more_and_then_the_rules_stand_in(text: str) -> None:
    said = turn(0, "user", "I'm allergic to walnuts, and I never eat after eight.")
    bench = Bench(lambda instructions, shown: text)
    found = bench.distil(said)
    alone = RuleDistiller(None).distil(Stretch(turns=(said,), context=(), time_zone=None))
    assert list(found.candidates) == list(alone.candidates)
    assert "model_output_invalid" in found.notes
    assert len(bench.asked) == 2


def long_talk() -> list[Turn]:
    """Twelve tasks, each with one fact, far beyond one request."""
    turns: list[Turn] = []
    for number, wood in enumerate(("oak ash elm fir yew box cherry walnut maple birch larch cedar").split()):
        filler = "The shop was busy and the light was good all day long. " * 6
        turns.append(turn(3 * number, "user", f"My drawer {number + 20} holds {wood} veneer. {filler}"))
        turns.append(turn(3 * number + 1, "assistant", "Noted."))
        turns.append(turn(3 * number + 2, "user", "that's all, thanks"))
    return turns


def veneers(instructions: str, shown: str) -> str:
    """A model that finds the veneer of every turn it is asked about."""
    found = []
    for row in map(json.loads, shown.splitlines()):
        if "veneer" in row["text"] and not row.get("before"):
            quote = row["text"].split(".")[0]
            found.append(
                entry(quote.replace("My", "The user's") + ".", quote, at=row["turn"], key=f"drawer_{row['turn']}")
            )
    return json.dumps({"memories": found})


def test_no_fact_of_any_piece_of_a_long_conversation_is_lost() -> None:
    bench = Bench(veneers, piece_tokens=1_600)
    found = bench.distil(*long_talk())
    made = [c.value for c in found.candidates if c.made_by.startswith("model/")]
    assert len(bench.asked) > 3
    assert made == [v for v in made if "veneer" in v]
    assert len(made) == 12


def test_an_answer_that_breaks_off_is_asked_for_in_halves() -> None:
    def cut_when_long(instructions: str, shown: str) -> str:
        text = veneers(instructions, shown)
        return text if shown.count("veneer") <= 4 else text[: len(text) // 2]

    bench = Bench(cut_when_long, piece_tokens=100_000)
    found = bench.distil(*long_talk())
    assert len({c.value for c in found.candidates if c.made_by.startswith("model/")}) == 12
    assert "model_answer_cut" not in found.notes


def test_one_piece_that_fails_is_the_rules_and_the_others_stay_the_models() -> None:
    def fails_on_elm(instructions: str, shown: str) -> str:
        return "no." if "elm veneer" in shown else veneers(instructions, shown)

    found = Bench(fails_on_elm, piece_tokens=1_600).distil(*long_talk())
    assert "model_output_invalid" in found.notes
    assert any("cedar" in c.value and c.made_by.startswith("model/") for c in found.candidates)
    assert not any("elm" in c.value and c.made_by.startswith("model/") for c in found.candidates)


def test_a_day_that_is_spent_sends_nothing_more_and_counts_across_processes() -> None:
    bench = Bench(answering(), tokens_max=6_000)
    assert "model_day_spent" not in bench.distil(LATHE).notes
    stored = json.loads(bench.store.meta(SPENT_META) or "{}")
    assert 0 < stored["tokens"] < 6_000
    bench.store.set_meta(SPENT_META, json.dumps(stored | {"tokens": 5_999}))
    before = len(bench.asked)
    assert "model_day_spent" in bench.distil(LATHE).notes
    assert len(bench.asked) == before


def test_another_day_begins_at_nothing() -> None:
    bench = Bench(answering(), tokens_max=6_000)
    bench.store.set_meta(SPENT_META, json.dumps({"day": "2026-03-07", "tokens": 5_999}))
    assert "model_day_spent" not in bench.distil(LATHE).notes


def test_a_stretch_without_the_user_asks_nobody() -> None:
    bench = Bench(answering())
    assert bench.distil(turn(0, "tool", "all done"), turn(1, "assistant", "It is done.")).candidates == ()
    assert bench.asked == []


def test_the_librarys_test_model_gives_nothing_that_was_not_said() -> None:
    @asynccontextmanager
    async def opened() -> Any:
        yield test_models.TestModel(custom_output_text=json.dumps({"memories": [entry("a", "b")]}))

    spending = DaySpending(InMemoryStore(), FrozenClock(SAMPLE_TIME), tokens_max=1_000_000)
    chat = ChatModel(opened, name="test", spending=spending, limits=AskLimits())
    found = ModelDistiller(chat, RuleDistiller(None), piece_tokens=8_000).distil(
        Stretch(turns=(LATHE,), context=(), time_zone=None)
    )
    assert reasons(found) == ["model:quote_not_found"]


@pytest.fixture(autouse=True)
def no_real_calls() -> Iterator[None]:
    models = pytest.importorskip("pydantic_ai.models")
    with models.override_allow_model_requests(False):
        yield
