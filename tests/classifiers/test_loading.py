"""Models that several threads ask for at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from hopyard.classifiers.retrieval_gate import RetrievalGate, gate_folder
from hopyard.models.embeddings import MiniLMEmbedder
from hopyard.nodes.resources import shared_resources

QUESTIONS = ("Hello!", "Who wrote the anthem of Hungary?", "12 + 30?")
THREADS = 8


def test_of_many_that_load_the_gate_at_once_each_gets_its_weights() -> None:
    expected = RetrievalGate.load(gate_folder("model")).logits(QUESTIONS)
    together = Barrier(THREADS + 1)

    def asked(_: int) -> tuple[int, list[float]]:
        together.wait()
        gate = shared_resources().gate("model")
        return id(gate), gate.logits(QUESTIONS)

    def embedded() -> int:
        together.wait()
        return MiniLMEmbedder().embed_query("one").shape[0]

    with ThreadPoolExecutor(THREADS + 1) as pool:
        vector = pool.submit(embedded)
        answers = list(pool.map(asked, range(THREADS)))
    assert vector.result() == MiniLMEmbedder.dimension
    assert [found for _, found in answers] == [expected] * THREADS
    assert len({gate for gate, _ in answers}) == 1
