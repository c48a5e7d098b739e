"""The follow-up questions that a model may choose from, with what it reads beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.traversal import Exit, Query, exits
from hopyard.nodes.answer import format_passages
from hopyard.nodes.run import Run
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.hop import CHOOSE_HOPS, HopChoice, offer_lines
from hopyard.state.hop import Relevance

__all__ = (
    "MOST_CHOICES",
    "TEMPERATURE",
    "ask_for_hops",
    "chosen_numbers",
    "offers_of",
    "verdicts",
)

MOST_CHOICES: Final = 8
"""Edges of one passage that are judged, those most similar to the question."""
TEMPERATURE: Final = 0.1
"""Sampling temperature of a choice (HopRAG, section 4.1)."""


def offers_of(
    graph: GraphIndex, query: Query, tails: Sequence[str], seen: Collection[str]
) -> list[Exit]:
    """The edges to passages that were not reached yet, tail by tail, each question once.

    Args:
        seen: The passages that were reached before.
    """
    offers: dict[tuple[str, str], Exit] = {}
    for tail in tails:
        new = [way for way in exits(graph, query, tail) if way.edge.head not in seen]
        for way in new[:MOST_CHOICES]:
            offers.setdefault((way.edge.question, way.edge.head), way)
    return list(offers.values())


async def ask_for_hops(
    run: Run, question: str, read: Sequence[str], offers: Sequence[Exit], *, step: str
) -> HopChoice:
    """Let the model choose among edges.

    Args:
        read: The passages that the model reads; the tails of all edges are among them.

    Raises:
        BudgetExceededError: The run's budget is used up.
        ModelOutputError: The model gave no usable answer.
    """
    heads = list(dict.fromkeys(way.edge.head for way in offers if way.edge.head not in read))
    passages = await run.passages([*read, *heads])
    titles = {passage.id: passage.title for passage in passages}
    places = {name: number for number, name in enumerate(read, 1)}
    values = {
        "question": one_line(question),
        "passages": format_passages(passages[: len(read)], run.settings),
        "follow_ups": offer_lines(
            [(places[way.edge.tail], titles[way.edge.head], way.edge.question) for way in offers]
        ),
    }
    asking = run.with_settings(temperature=TEMPERATURE)
    return await asking.call(CHOOSE_HOPS, values, step=step)


def verdicts(choice: HopChoice, offered: int) -> Mapping[int, Relevance]:
    """The judgement of every edge chosen, by its place from 0, the necessary edges first."""
    found: dict[int, Relevance] = {}
    if not choice.enough:
        for number in chosen_numbers(choice.necessary, offered):
            found[number - 1] = "necessary"
        for number in chosen_numbers(choice.indirect, offered):
            found.setdefault(number - 1, "indirect")
    return found


def chosen_numbers(numbers: Sequence[int], shown: int) -> list[int]:
    """The valid numbers from 1 to `shown`, without duplicates."""
    return [number for number in dict.fromkeys(numbers) if 1 <= number <= shown]
