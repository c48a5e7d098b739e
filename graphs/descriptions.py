"""What each graph is for, told to whoever chooses one: in Studio, over MCP, as an assistant.

`langgraph.json` says the same in its own format; a test compares the two.
"""

from __future__ import annotations

from typing import Final

__all__ = ("AGENT", "DESCRIPTIONS")

AGENT: Final = "hopyard"
"""The whole agent: gate, route, and the strategy that they choose."""

DESCRIPTIONS: Final[dict[str, str]] = {
    AGENT: (
        "Answer a question from the indexed documents with the least retrieval that will do: none, "
        "one search, a tree of sub-questions, or hops over a graph of passages. Gives a short "
        "answer, quotes that support it, and every step of the reasoning."
    ),
    "direct": (
        "Answer from what the model knows, without a document: greetings, arithmetic, language, "
        "common sense."
    ),
    "single": "One search, one answer from what it found: for a fact that one passage can state.",
    "chain": (
        "CoR-RAG: sub-questions one after another, each asked knowing the answers so far. For a "
        "question whose next step only shows when the last one is answered."
    ),
    "tree": (
        "ToR-RAG: split the question into a tree of sub-questions, answer them side by side, judge "
        "and prune, put the findings together. For comparisons and facts from several passages."
    ),
    "hop": (
        "HopRAG: hop along the questions that join one passage to the next. For a question about "
        "something that it does not name. The index needs a passage graph."
    ),
    "decompose": (
        "A baseline to compare with: the question is split once, the passages found for its "
        "sub-questions are read together."
    ),
    "rerank": (
        "A baseline to compare with: twice as many passages are found, and those that a reranker "
        "finds best are read."
    ),
}
"""By the graph's name."""
