"""Models that several threads ask for at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from hopyard.classifiers.scorers import T5Scorer
from hopyard.models.builtin.embedding import MiniLMEmbedder

from .test_train import Made, made

__all__ = ("made",)

QUESTIONS = ("Hello!", "Who wrote the anthem of Hungary?", "12 + 30?")
THREADS = 8


def test_of_many_that_load_a_t5_at_once_each_gets_its_weights(made: Made) -> None:
    folder = made[0]
    expected = T5Scorer.load(folder).scores(QUESTIONS)
    together = Barrier(THREADS + 1)

    def asked(_: int) -> list[float]:
        together.wait()
        return T5Scorer.load(folder).scores(QUESTIONS)

    def embedded() -> int:
        together.wait()
        return MiniLMEmbedder().embed_query("one").shape[0]

    with ThreadPoolExecutor(THREADS + 1) as pool:
        vector = pool.submit(embedded)
        answers = list(pool.map(asked, range(THREADS)))
    assert vector.result() == MiniLMEmbedder.dimension
    assert answers == [expected] * THREADS
