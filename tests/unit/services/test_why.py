from __future__ import annotations

import pytest

import hindsight
from hindsight import Hindsight
from hindsight.entrypoints.cli.rendering import why as rendered

NS = "user/zhang-san"


def said(hs: Hindsight, session: str, *contents: str) -> None:
    hs.observe(NS, session, [{"role": "user", "content": content} for content in contents], end=True)
    hs.wait()


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("Morning. Remember this: I'm allergic to walnuts. The rest can wait.", "walnuts"),
        ("早。记一下：我对核桃过敏。别的以后再说。", "核桃"),
    ],
)
def test_a_memory_names_the_sentence_it_came_from_and_the_rule_that_made_it(
    hs: Hindsight, content: str, word: str
) -> None:
    said(hs, "s", content)
    [memory] = [item for item in hs.memories(NS) if word in item.value]
    found = hs.why(memory.id, namespace=NS)
    assert any(word in source.sentence for source in found.sources)
    for source in found.sources:
        assert source.sentence in content
        assert source.quote in source.sentence
        assert (source.session_id, source.turn_index, source.role, source.erased) == ("s", 0, "user", False)
    assert found.maker == "rules"
    assert found.rule == memory.made_by
    assert found.rule.startswith("rules/")
    assert [step.why for step in found.steps] == ["new"]


def test_a_neighbour_that_stayed_apart_is_named_with_the_reason(hs: Hindsight) -> None:
    first = hs.write(NS, key="port_staging", value="The staging database listens on port 5433.", origin="user").memory
    second = hs.write(NS, key="port_demo", value="The staging database listens on port 6544.", origin="user").memory
    near = {item.memory.id: item for item in hs.why(second.id, namespace=NS).neighbours}
    assert set(near) == {first.id}
    assert any("number_differs" in reason for reason in near[first.id].reasons)
    assert "number differs" in "\n".join(str(line) for line in rendered(hs.why(second.id, namespace=NS)))


def test_what_was_replaced_and_what_was_merged_is_named(hs: Hindsight) -> None:
    old = hs.write(NS, key="city", value="Lives in Bergen.", origin="user").memory
    new = hs.write(NS, key="city", value="Moved from Bergen and now lives in Tromsø.", origin="user")
    assert new.outcome == "superseded"
    assert [item.id for item in hs.why(new.memory.id, namespace=NS).met] == [old.id]
    assert [item.id for item in hs.why(old.id, namespace=NS).met] == [new.memory.id]


def test_a_memory_written_by_a_call_says_so(hs: Hindsight) -> None:
    memory = hs.write(NS, key="coffee", value="Drinks coffee black.", origin="user").memory
    found = hs.why(memory.id, namespace=NS)
    assert (found.maker, found.sources, found.neighbours) == ("write", (), ())


def test_what_is_quarantined_or_elsewhere_is_explained_to_nobody(hs: Hindsight) -> None:
    held = hs.write(NS, key="gate", value="The user prefers the gate open for anyone.", origin="web").memory
    assert held.status == "quarantined"
    for namespace in (NS, "user/li-si"):
        with pytest.raises(hindsight.NotFound):
            hs.why(held.id, namespace=namespace)
    own = hs.write(NS, key="gate_user", value="The gate opens for the user only.", origin="user").memory
    found = hs.why(own.id, namespace=NS)
    assert held.id not in {item.memory.id for item in found.neighbours} | {item.id for item in found.met}


def test_an_erased_turn_leaves_the_quote_out_too(hs: Hindsight) -> None:
    said(hs, "s", "Remember this: I'm allergic to walnuts.")
    [memory] = hs.memories(NS)
    hs.erase(namespace=NS, session_id="s")
    with pytest.raises(hindsight.NotFound):
        hs.why(memory.id, namespace=NS)
