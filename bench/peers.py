"""hindsight beside other memories that run offline: who finds the evidence, how fast, in how much memory.

    python bench/peers.py --shared DIR [--set locomo_dev] [--only hindsight,bm25,sqlite-vec,chroma,mem0]

Each conversation goes into each memory turn by turn, with the same vectors, in the same run; then every
labelled question is asked. The query's embedding is cached beforehand, so no time below holds one. A peer
that is not installed is left out by name: pip install bm25s apsw sqlite-vec chromadb mem0ai.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "evals"))

import cases
import hindsight
from hindsight.adapters.embedders.auto import open_embedder
from retrieval import CachedEmbedder, turns_of

CUTS = (5, 10, 20)


class Peer(ABC):
    """One memory that takes a haystack in and answers questions with the ids of turns, best first."""

    needs: str | None = None

    def __init__(self, folder: Path, embedder: CachedEmbedder) -> None:
        self.folder, self.embedder = folder, embedder

    @abstractmethod
    def take(self, stack: dict[str, Any]) -> None: ...

    @abstractmethod
    def answer(self, question: str) -> list[str]: ...

    def close(self) -> None:  # noqa: B027 - most have nothing to give back
        """Give everything back."""


class Ours(Peer):
    def take(self, stack: dict[str, Any]) -> None:
        self.hs = hindsight.open(self.folder, embedder=self.embedder)
        sessions: dict[str, list[dict[str, Any]]] = {}
        for turn in turns_of(stack):
            fields = {"role": "user", "content": turn.content, "at": turn.at.isoformat(), "id": turn.id}
            if turn.name:
                fields["name"] = turn.name
            sessions.setdefault(turn.session_id, []).append(fields)
        for session, turns in sessions.items():
            self.hs.observe("bench", session, turns, distill=False)
        self.hs.wait()

    def answer(self, question: str) -> list[str]:
        found = self.hs.search(question, namespace="bench", layers=["episodic"], limit=max(CUTS), min_relevance=0.0)
        return [hit.turn.id for hit in found.hits if hit.turn is not None]

    def close(self) -> None:
        self.hs.close()


class Bm25(Peer):
    needs = "bm25s"

    def take(self, stack: dict[str, Any]) -> None:
        import bm25s

        self.ids = [doc["id"] for doc in stack["docs"]]
        self.index = bm25s.BM25()
        self.index.index(self._cut([doc["text"] for doc in stack["docs"]]), show_progress=False)

    def _cut(self, texts: Sequence[str]) -> list[list[str]]:
        from hindsight.language.terms import query_tokens

        return [query_tokens(text) for text in texts]

    def answer(self, question: str) -> list[str]:
        rows, _ = self.index.retrieve(self._cut([question]), k=min(max(CUTS), len(self.ids)), show_progress=False)
        return [self.ids[row] for row in rows[0]]


class SqliteVec(Peer):
    needs = "apsw"

    def take(self, stack: dict[str, Any]) -> None:
        # Python's own sqlite3 is often built without extensions.
        import apsw
        import sqlite_vec

        self.ids = [doc["id"] for doc in stack["docs"]]
        self.database = apsw.Connection(str(self.folder / "vec.db"))
        self.database.enable_load_extension(True)
        self.database.load_extension(sqlite_vec.loadable_path())
        self.database.execute(f"CREATE VIRTUAL TABLE v USING vec0(vector float[{self.embedder.dimension}])")
        rows = self.embedder.passages([doc["text"] for doc in stack["docs"]])
        with self.database:
            self.database.executemany(
                "INSERT INTO v (rowid, vector) VALUES (?, ?)", [(i, row.tobytes()) for i, row in enumerate(rows)]
            )

    def answer(self, question: str) -> list[str]:
        query = self.embedder.queries([question])[0].tobytes()
        rows = self.database.execute(
            "SELECT rowid FROM v WHERE vector MATCH ? AND k = ? ORDER BY distance", (query, max(CUTS))
        ).fetchall()
        return [self.ids[row[0]] for row in rows]

    def close(self) -> None:
        self.database.close()


class Chroma(Peer):
    needs = "chromadb"

    def take(self, stack: dict[str, Any]) -> None:
        import chromadb

        settings = chromadb.Settings(anonymized_telemetry=False)
        self.client = chromadb.PersistentClient(path=str(self.folder), settings=settings)
        self.collection = self.client.create_collection("bench", metadata={"hnsw:space": "cosine"})
        docs = stack["docs"]
        rows = self.embedder.passages([doc["text"] for doc in docs])
        for start in range(0, len(docs), 1_000):
            part = slice(start, start + 1_000)
            self.collection.add(
                ids=[str(i) for i in range(len(docs))][part],
                embeddings=rows[part],
                documents=[doc["text"] for doc in docs[part]],
            )
        self.ids = [doc["id"] for doc in docs]

    def answer(self, question: str) -> list[str]:
        found = self.collection.query(query_embeddings=self.embedder.queries([question]), n_results=max(CUTS))
        return [self.ids[int(row)] for row in found["ids"][0]]


class Mem0(Peer):
    needs = "mem0"

    def take(self, stack: dict[str, Any]) -> None:
        os.environ.setdefault("OPENAI_API_KEY", "unused: nothing is inferred")
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("MEM0_DIR", str(self.folder / "mem0"))
        from mem0 import Memory

        store = {"collection_name": "bench", "path": str(self.folder / "q"), "on_disk": True}
        store["embedding_model_dims"] = self.embedder.dimension
        self.memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(self.folder / "history.db"),
            }
        )
        self.memory.embedding_model = _Embeds(self.embedder)
        for doc in stack["docs"]:
            self.memory.add(
                [{"role": "user", "content": doc["text"]}], user_id="bench", metadata={"turn": doc["id"]}, infer=False
            )

    def answer(self, question: str) -> list[str]:
        found = self.memory.search(question, filters={"user_id": "bench"}, top_k=max(CUTS), threshold=0.0)
        return [hit["metadata"]["turn"] for hit in found["results"]]


class _Embeds:
    """What mem0 asks of an embedding model."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self.embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        side: Callable[[Sequence[str]], Any] = (
            self.embedder.queries if memory_action == "search" else self.embedder.passages
        )
        return side([text])[0].tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


PEERS: dict[str, type[Peer]] = {
    "hindsight": Ours, "bm25": Bm25, "sqlite-vec": SqliteVec, "chroma": Chroma, "mem0": Mem0,
}  # fmt: skip


def measure(name: str, stacks: Sequence[dict[str, Any]], embedder: CachedEmbedder) -> None:
    recalls: list[list[float]] = []
    spent: list[float] = []
    took = 0.0
    turns = 0
    for stack in stacks:
        embedder.passages([doc["text"] for doc in stack["docs"]])
        embedder.queries([query["text"] for query in stack["queries"]])
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            peer = PEERS[name](Path(folder), embedder)
            begin = time.perf_counter()
            peer.take(stack)
            took += time.perf_counter() - begin
            turns += len(stack["docs"])
            for query in stack["queries"]:
                gold = set(query["gold"])
                if not gold:
                    continue
                begin = time.perf_counter()
                found = peer.answer(query["text"])
                spent.append(1e3 * (time.perf_counter() - begin))
                recalls.append([len(gold & set(found[:cut])) / len(gold) for cut in CUTS])
            peer.close()
    means = 100 * np.mean(np.asarray(recalls), axis=0)
    quick = statistics.quantiles(spent, n=20)
    print(
        f"{name:12} {means[0]:5.1f} {means[1]:5.1f} {means[2]:5.1f} "
        f"{statistics.median(spent):8.2f} {quick[-1]:8.2f} {turns / took:9.0f}",
        flush=True,
    )


def main() -> None:
    parser = cases.parser((__doc__ or "").splitlines()[0])
    parser.add_argument("--set", default="locomo_dev")
    parser.add_argument("--only", default=",".join(PEERS))
    arguments = parser.parse_args()
    embedder = CachedEmbedder(open_embedder(), Path(tempfile.gettempdir()) / "hindsight-eval-vectors")
    stacks = cases.load(arguments.set, arguments.shared)
    questions = sum(bool(query["gold"]) for stack in stacks for query in stack["queries"])
    print(f"{arguments.set}: {len(stacks)} conversations, {questions} questions; vectors: {embedder.name}")
    print(f"{'':12} {'R@5':>5} {'R@10':>5} {'R@20':>5} {'p50 ms':>8} {'p95 ms':>8} {'turns/s in':>9}")
    for name in arguments.only.split(","):
        needs = PEERS[name].needs
        if needs is not None and importlib.util.find_spec(needs) is None:
            print(f"{name:12} left out: it is not installed")
            continue
        measure(name, stacks, embedder)
        embedder.save()


if __name__ == "__main__":
    main()
