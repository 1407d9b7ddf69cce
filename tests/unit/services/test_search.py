from __future__ import annotations

import pytest

import hindsight
from hindsight import Hindsight

NS = "user/zhang-san"


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("The plugin is called ask-codex.", "ask-codex"),
        (r"The script lies at C:\repo\a.py on the build box.", r"C:\repo\a.py"),
        ("The motto on the wall is don't panic.", "don't"),
        ("The ticket has status: done since Monday.", "status: done"),
        ("The run id is 7b0c1f7e-2f5a-4a0e-9d2c-0a1b2c3d4e5f.", "7b0c1f7e-2f5a-4a0e-9d2c-0a1b2c3d4e5f"),
        ("用户负责精排模型的上线。", "精排模型"),
        ("用户对花生过敏。", "过敏"),
        ("用戶對花生過敏。", "用户对花生过敏"),
        ("房间号是３０２。", "302"),
        ("The café is on the corner.", "cafe\u0301"),
    ],
)
def test_exact_and_code_like_words_find_their_memory_first(hs: Hindsight, stored: str, query: str) -> None:
    hs.write(NS, key="filler_one", value="The user enjoys long walks by the river.", origin="user")
    hs.write(NS, key="filler_two", value="用户周末常去图书馆看书。", origin="user")
    wanted = hs.write(NS, key="the_wanted_slot", value=stored, origin="user").memory
    hits = hs.search(query, namespace=NS, layers=["semantic"]).hits
    assert hits
    assert hits[0].memory is not None
    assert hits[0].memory.id == wanted.id


@pytest.mark.parametrize("query", ['"', "AND", "*", "NEAR(", "a OR b", "-x", "%", "'; DROP TABLE memories; --", "😀"])
def test_syntax_of_other_engines_is_only_text(hs: Hindsight, query: str) -> None:
    hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user")
    assert isinstance(hs.search(query, namespace=NS).hits, tuple)


@pytest.mark.parametrize("query", ["", "   ", "x" * 10_000, None, 5, "a\ud800"])
def test_a_bad_query_gets_a_clear_error(hs: Hindsight, query: object) -> None:
    with pytest.raises(hindsight.InvalidRequest, match="query"):
        hs.search(query, namespace=NS)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, -1, 10**9, "5", True, 1.0, None])
def test_a_bad_limit_gets_a_clear_error(hs: Hindsight, limit: object) -> None:
    with pytest.raises(hindsight.InvalidRequest, match="limit"):
        hs.search("x", namespace=NS, limit=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("namespace", [None, "", [], [None], ["ok", ""]])
def test_no_namespace_is_an_error_and_never_everything(hs: Hindsight, namespace: object) -> None:
    hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user")
    with pytest.raises(hindsight.InvalidRequest):
        hs.search("Hangzhou", namespace=namespace)  # type: ignore[arg-type]


def test_the_same_search_gives_the_same_list_and_another_namespace_does_not_move_it(hs: Hindsight) -> None:
    for number in range(20):
        hs.write(
            NS, key=f"machine_{number}_hall", value=f"Machine {number} stands in hall {number % 3}.", origin="user"
        )

    def answer() -> list[tuple[str, float, dict[str, float]]]:
        hits = hs.search("which machine stands in hall 2", namespace=NS, layers=["semantic"]).hits
        return [(hit.memory.id, hit.relevance, dict(hit.parts)) for hit in hits if hit.memory]

    first = answer()
    assert first
    for number in range(40):
        hs.write("user/li-si", key=f"x{number}_place", value=f"Machine {number} stands in hall 2.", origin="user")
    assert answer() == first


def test_untrusted_turns_come_only_on_request(hs: Hindsight) -> None:
    hs.observe(NS, "s", [{"role": "tool", "content": "The zeppelin museum opens at noon.", "origin": "web"}])
    assert hs.search("zeppelin museum", namespace=NS).hits == ()
    found = hs.search("zeppelin museum", namespace=NS, include_untrusted=True)
    assert [hit.turn.origin for hit in found if hit.turn] == ["web"]
    assert found.cautions


def test_an_injected_block_that_comes_back_is_no_evidence(hs: Hindsight) -> None:
    hs.write(NS, key="home_city", value="The user lives in Hangzhou with two cats.", origin="user")
    block = hs.context("where does the user live", namespace=NS, window_tokens=8000)
    before = hs.memories(NS).items
    hs.observe(
        NS,
        "later",
        [
            {"role": "user", "content": block.text + "\nhello"},
            {"role": "assistant", "content": "The user lives in Hangzhou with two cats."},
            {"role": "user", "content": "ok, thanks"},
        ],
        end=True,
    )
    hs.distill(NS, "later")
    assert hs.memories(NS).items == before


def test_a_trace_explains_the_search_and_takes_its_uses(hs: Hindsight) -> None:
    memory = hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user").memory
    found = hs.search("Hangzhou", namespace=NS)
    assert found.trace_id is not None
    trace = hs.explain(found.trace_id, namespace=NS)
    assert trace.query == "Hangzhou"
    assert [item.target for item in trace.candidates if item.returned] == [memory.id]
    assert trace.candidates[0].parts
    hs.used(found.trace_id, [memory.id], "suggested a tea house in Hangzhou", namespace=NS)
    assert [use.memory_ids for use in hs.explain(found.trace_id, namespace=NS).uses] == [(memory.id,)]
    with pytest.raises(hindsight.InvalidRequest):
        hs.used(found.trace_id, ["mem_unknown"], "x", namespace=NS)
    with pytest.raises(hindsight.NotFound):
        hs.explain(found.trace_id, namespace="user/li-si")


def test_search_over_several_namespaces_says_where_each_hit_is_from(hs: Hindsight) -> None:
    hs.write("a", key="home_city", value="The user lives in Hangzhou.", origin="user")
    hs.write("b", key="home_city", value="The user lives in Hangzhou.", origin="user")
    assert {hit.namespace for hit in hs.search("Hangzhou", namespace=["a", "b"])} == {"a", "b"}
    assert {hit.namespace for hit in hs.search("Hangzhou", namespace=["a"])} == {"a"}


def test_a_secret_in_a_query_is_masked_in_its_trace(hs: Hindsight) -> None:
    secret = "sk-proj-" + "Ab3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
    found = hs.search(f"where do I use {secret}", namespace=NS)
    assert found.trace_id is not None
    assert secret not in hs.explain(found.trace_id, namespace=NS).query


def test_a_use_names_at_most_a_hundred_memories(hs: Hindsight) -> None:
    memory = hs.write(NS, key="home_city", value="The user lives in Hangzhou.", origin="user").memory
    found = hs.search("Hangzhou", namespace=NS)
    with pytest.raises(hindsight.InvalidRequest, match="at most 100"):
        hs.used(found.trace_id, [memory.id] * 101, "chose a flight", namespace=NS)  # type: ignore[arg-type]


RULES = {
    "en": "Keep to the house rules. Answer in plain sentences. Never invent prices. Quote at most one line. "
    "Numbers are written with digits. Be friendly but do not flatter. Tools may be called three times. ",
    "zh": "请遵守内部规则。回答用平实的句子。不要编造价格。引用最多一行。数字用阿拉伯数字书写。"
    "语气友好但不要奉承。工具最多调用三次。",
}


@pytest.mark.parametrize(
    ("language", "wanted", "question"),
    [
        ("en", "The spare key hangs behind the boiler.", "Where does the spare key hang?"),
        ("en", "The spare key hangs behind the boiler.", "Say where the spare key hangs."),
        ("zh", "备用钥匙挂在锅炉后面。", "备用钥匙挂在哪里？"),
        ("zh", "备用钥匙挂在锅炉后面。", "告诉我备用钥匙挂在哪里。"),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_question_buried_in_house_rules_finds_what_it_finds_alone(
    hs: Hindsight, language: str, wanted: str, question: str, place: int
) -> None:
    hs.write(NS, key="cellar_note", value="The cellar floods each spring.", origin="user")
    hs.write(NS, key="roof_note", value="屋顶去年冬天刚换过瓦。", origin="user")
    memory = hs.write(NS, key="spare_key_place", value=wanted, origin="user").memory
    rules = [RULES[language] * 8] * 2
    rules.insert(place, question)
    buried = "\n".join(rules)
    assert len(buried) > 800
    hits = hs.search(buried, namespace=NS, layers=["semantic"]).hits
    assert hits
    assert hits[0].memory is not None
    assert hits[0].memory.id == memory.id
