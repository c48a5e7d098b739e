"""The paper's way of reasoning over the passage graph, to the letter: for the benchmark alone."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

from openai import LengthFinishReasonError
from traversal_prompts import CHOOSE_FOLLOW_UP, JUDGE_ONE_EDGE

from hopyard.indexes.kinds.passage_graph.graph import Edge
from hopyard.models.chat import Sampling, chat_provider
from hopyard.nodes.hop.prune import by_helpfulness
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.resources import index_of
from hopyard.state.settings import Context

__all__ = ("Cost", "by_edges", "by_vertices")

MAX_TOKENS: Final = 64
TRIES: Final = 2
"""Times that the authors' code asks for an answer that it cannot read."""
USE: Final = {"Completely Irrelevant": 0, "Indirectly Relevant": 1, "Relevant and Necessary": 2}


@dataclass
class Cost:
    """What one question cost one way."""

    seconds: float = 0.0
    calls: int = 0
    unreadable: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    kept: list[str] = field(default_factory=list)


async def by_edges(question: str, context: Context) -> Cost:
    """Every edge question judged by a call of its own."""
    judged: dict[str, int] = {}
    model = _Model(context)

    async def reason(edges: list[Edge], _: str) -> Edge | None:
        for edge in edges:
            if edge.question not in judged:
                asked = JUDGE_ONE_EDGE.format(question=question, follow_up=edge.question)
                answer = await model.json(asked, lambda given: given["Decision"] in USE)
                judged[edge.question] = USE[answer["Decision"]] if answer else 0
        best = max(edges, key=lambda edge: judged[edge.question])
        return best if judged[best.question] else None

    return await _literally(question, context, model, reason)


async def by_vertices(question: str, context: Context) -> Cost:
    """Every vertex asked once for the question that helps most, written out."""
    model = _Model(context)

    async def reason(edges: list[Edge], text: str) -> Edge | None:
        by_text = {edge.question: edge for edge in edges}
        numbered = json.dumps(dict(enumerate(by_text, 1)), ensure_ascii=False)
        asked = CHOOSE_FOLLOW_UP.format(question=question, passage=text, follow_ups=numbered)
        answer = await model.json(asked, lambda given: isinstance(given["Decision"], str))
        chosen = str(answer.get("Follow-up", ""))
        return by_text.get(chosen)

    return await _literally(question, context, model, reason)


async def _literally(
    question: str, context: Context, model: _Model, reason: Callable[..., Any]
) -> Cost:
    """Algorithm 1, line by line."""
    cost, started = model.cost, perf_counter()
    index, graph = await index_of(context), await graph_of(context)
    query = await query_of(question, context)
    entered = graph.entry_edges(query.vector, query.keywords, context.hop.top_k)
    count = Counter(edge.head for edge, _ in entered)
    queue = deque(count)
    for _ in range(context.hop.n_hop):
        for _ in range(len(queue)):
            vertex = queue.popleft()
            edges = graph.out_edges(vertex)
            scores = graph.similarities(query.vector, query.keywords, edges)
            edges = [edges[at] for at in sorted(range(len(edges)), key=lambda at: -scores[at])]
            [passage] = index.passages([vertex])
            chosen = await reason(edges, passage.text) if edges else None
            if chosen is None:
                continue
            if chosen.head not in count:
                queue.append(chosen.head)
            count[chosen.head] += 1
    ranked = by_helpfulness(index, graph, query, count)[: context.hop.top_k]
    cost.kept = [one["passage_id"] for one in ranked]
    cost.seconds = perf_counter() - started
    return cost


class _Model:
    """The same model, asked as the authors' code asks: any JSON object, read as it comes."""

    def __init__(self, context: Context) -> None:
        sampling = Sampling(MAX_TOKENS, context.hop.temperature, context.seed)
        chat = chat_provider(context.model).connect(sampling)
        self._chat = chat.bind(response_format={"type": "json_object"})
        self.cost = Cost()

    async def json(self, asked: str, fits: Callable[[Any], bool]) -> Mapping[str, Any]:
        """One answer, asked for again if it cannot be read; empty if that does not help."""
        for _ in range(TRIES):
            text = await self._answer(asked)
            try:
                given: Mapping[str, Any] = json.loads(text)
                if fits(given):
                    return given
            except (ValueError, KeyError, TypeError):
                pass
            self.cost.unreadable += 1
        return {}

    async def _answer(self, asked: str) -> str:
        self.cost.calls += 1
        try:
            message = await self._chat.ainvoke([("user", asked)])
        except LengthFinishReasonError as error:  # the client reads the JSON itself, or raises
            usage = error.completion.usage
            self.cost.input_tokens += usage.prompt_tokens if usage else 0
            self.cost.output_tokens += usage.completion_tokens if usage else 0
            return ""
        spent = message.usage_metadata or {}
        self.cost.input_tokens += spent.get("input_tokens", 0)
        self.cost.output_tokens += spent.get("output_tokens", 0)
        return str(message.text)
