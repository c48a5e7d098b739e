"""The record of `local`."""

from __future__ import annotations

from typing import Final

from hopyard.state.local import LocalSettings
from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="local",
    about=(
        "GraphRAG's local search: one answer from all that the documents say about a person, a "
        "place or a thing and its surroundings, put together from reports, facts and passages. "
        "The index needs an entity graph."
    ),
    graph="hopyard.graphs.local:graph",
    needs=("dense", "entity-graph"),
    route=RouteLabel(
        "it asks what the documents say about one person, place or thing and its surroundings",
        examples=(
            "What do the documents say about Alan Turing?",
            "How is Lake Baikal connected with the towns around it?",
        ),
    ),
    stronger=("chain", "cor"),
    settings=LocalSettings,
    rank=15,
    calls=1,
    label="GraphRAG local search: the surroundings of entities",
    legend={
        "neighbours": "entities that share a fact or a sentence with those of the question",
        "of … tokens": "what a part of the prompt takes of its share of the budget; the rest goes "
        "to the next part: reports, facts, passages",
    },
)
