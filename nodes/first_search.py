"""The features of a question for a trained route, before a strategy is chosen. No model call."""

from __future__ import annotations

from hopyard.classifiers.route_features import Features, FirstSearch
from hopyard.nodes.index_facts import nearness_of
from hopyard.nodes.run import Run

__all__ = ("question_features",)


async def question_features(run: Run, question: str) -> Features:
    """The question's sentence vector, and how well the first search fits it.

    The strategy's own search asks for the same embedding, which is kept.

    Raises:
        IndexMissingError: The index is missing, damaged, or of another embedding model.
    """
    vector = await run.embed(question)
    near = await nearness_of(run, question)
    gap = 0.0
    if (await run.index()).has("dense"):
        nearest = [unit["score"] for unit in await run.find(question, k=2, method="dense")]
        gap = nearest[0] - nearest[1] if len(nearest) == 2 else 0.0
    scores = FirstSearch(near.cosine or 0.0, near.outstanding or 0.0, near.words or 0.0, gap)
    return Features(question, vector, scores)
