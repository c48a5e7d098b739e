"""The record of `direct`."""

from __future__ import annotations

from typing import Final

from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="direct",
    about=(
        "Answer from what the model knows, without a document: greetings, arithmetic, "
        "language, common sense."
    ),
    graph="hopyard.graphs.direct:graph",
    route=RouteLabel(
        "it asks for no fact from a document: greeting, arithmetic, language, common sense"
    ),
    retrieves=False,
    stronger=("chain", "cor", "single"),
    rank=0,
    calls=1,
    label="non-RAG: no document",
)
