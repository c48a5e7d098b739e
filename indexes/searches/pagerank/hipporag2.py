"""HippoRAG 2: a walk from the facts that are nearest to the question, and from all near passages.

Gutiérrez et al., "From RAG to Memory: Non-Parametric Continual Learning for Large Language Models",
ICML 2025 (arXiv:2502.14802), with the values of its code. A graph without facts has sentences in
their place: each is a statement about the names in it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.graph.weights import facts_and_passages
from hopyard.indexes.searches.pagerank.query import Query, Ranking, Seeds, nothing
from hopyard.indexes.searches.pagerank.statements import Statement, nearest_statements
from hopyard.prompts.pagerank import KEEP_FACTS, MOST_KEPT, numbered
from hopyard.prompts.passages import one_line

DAMPING: Final = 0.5
PASSAGE_FACTOR: Final = 0.05
"""Weight of passages beside entities (the best of 0.01 to 0.5 in the paper's ablation)."""
FACTS: Final = 5
"""Facts that are nearest to the question, and entities that a walk begins at."""


async def rank(query: Query) -> Ranking:
    """Rank passages by their own PageRank."""
    statements = await asyncio.to_thread(nearest_statements, query, FACTS)
    statements = await _recognised(query, statements)
    seeds = fact_seeds(statements, query.graph.passages_with)
    if not seeds:
        return nothing("no fact of the graph fits the question")
    return await asyncio.to_thread(_walk, query, seeds, await query.nearest())


def _walk(query: Query, seeds: Seeds, near: NDArray[np.float64]) -> Ranking:
    graph = query.graph
    entities = np.zeros(graph.entities)
    entities[list(seeds)] = list(seeds.values())
    reset = np.concatenate((entities, PASSAGE_FACTOR * near))
    walk = query.walk("facts and passages", facts_and_passages)
    found = walk.pagerank(reset, DAMPING)
    return Ranking(found[graph.entities :], found[: graph.entities], seeds)


def fact_seeds(statements: list[Statement], passages_with: NDArray[np.int64]) -> Seeds:
    """The entities of facts: the mean of score / |passages with it| over its facts, the best five.

    Args:
        statements: The facts that were kept, with scores in [0, 1].
        passages_with: [e] In how many passages each entity stands.
    """
    scores: defaultdict[int, list[float]] = defaultdict(list)
    for statement in statements:
        for entity in statement.entities:
            scores[entity].append(statement.score / max(int(passages_with[entity]), 1))
    means = {entity: sum(each) / len(each) for entity, each in scores.items()}
    best = sorted(means.items(), key=lambda item: (-item[1], item[0]))[:FACTS]
    return {entity: mean for entity, mean in best if mean > 0}


async def _recognised(query: Query, statements: list[Statement]) -> list[Statement]:
    """The facts that the chat model takes for relevant, if it is to be asked ("recognition").

    A failed call keeps all facts: that is not the same as a model that keeps none.
    """
    search = query.search
    if not (query.settings.ask_model and statements):
        return statements
    values = {
        "facts": numbered(statement.text for statement in statements),
        "question": one_line(search.text),
    }
    output = await search.try_call(KEEP_FACTS, values)
    if output is None:
        return statements
    kept = [number - 1 for number in dict.fromkeys(output.facts) if number <= len(statements)]
    return [statements[row] for row in kept[:MOST_KEPT]]
