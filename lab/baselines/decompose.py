"""`decompose`: dense search with query decomposition, a baseline of the papers.

The question is split once, each of the m sub-questions gets k/m passages, and one call answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from langgraph.graph import END, START
from langgraph.runtime import Runtime

from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import run_of
from hopyard.nodes.sub_questions import repeats
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.decompose import DECOMPOSE
from hopyard.state import verdicts
from hopyard.state.schemas import Evidence, Step, StrategyState
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import Strategy

__all__ = ("STRATEGY", "graph")


class SplitState(StrategyState):
    """The strategy's state."""

    sub_questions: list[str]
    """The search texts: two sub-questions, or the question itself."""


async def split_question(state: SplitState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask once for two sub-questions. Without them, search for the question itself."""
    run, question = await run_of(state, runtime), state["question"]
    step = Step(id="split", kind="split", title="Split the question", question=question)
    values = {"question": one_line(question), "rejected": ""}
    attempt = await run.try_call(DECOMPOSE, values, step="split")
    asked = [question]
    if (split := attempt.output) is None:
        step["reason"] = attempt.reason
    elif split.kind == "simple":
        step["reason"] = "the question is simple"
    elif echo := repeats(question, (split.first, split.second)):
        step["reason"] = f"not split: {echo}"
    else:
        asked = [split.first, split.second]
    return {"sub_questions": asked, "truncated": attempt.truncated, "steps": [step]}


async def search_sub_questions(state: SplitState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Give each of the m sub-questions k/m of the places."""
    run, asked = await run_of(state, runtime), state["sub_questions"]

    truncated = state["truncated"]

    async def search(number: int, question: str) -> Step:
        nonlocal truncated
        step = Step(id=f"search-{number}", kind="search", question=question)
        found = await find_to_read(run, question, step=step["id"])
        step["passages"] = found.evidence
        truncated = truncated or found.truncated
        if found.reason:
            step |= {"verdict": verdicts.FALLBACK, "reason": found.reason}
        return step

    steps = await asyncio.gather(*map(search, range(1, len(asked) + 1), asked))
    found = [step["passages"] for step in steps]
    return {
        "evidence": merge_in_shares(found, run.settings.retrieval.k),
        "steps": [*state["steps"], *steps],
        "truncated": truncated,
    }


def shares(k: int, m: int) -> list[int]:
    """Shares of m questions in k places: k/m each, and the first questions get the remainder.

    Args:
        k: Places, at least 1.
        m: Questions, at least 1.

    Returns:
        m numbers that add up to k, in falling order.
    """
    each, more = divmod(k, m)
    return [each + (place < more) for place in range(m)]


def merge_in_shares(rankings: Sequence[Sequence[Evidence]], k: int) -> list[Evidence]:
    """Fill k places with each ranking's share; what an earlier ranking gave is not given twice."""
    taken: dict[str, Evidence] = {}
    for ranking, share in zip(rankings, shares(k, len(rankings)), strict=True):
        new = [unit for unit in ranking if unit["id"] not in taken]
        taken |= {unit["id"]: unit for unit in new[:share]}
    return list(taken.values())


graph = (
    strategy_graph(SplitState)
    .add_sequence(
        [
            ("start", start_run),
            ("split", split_question),
            ("search", search_sub_questions),
            ("answer", answer_from_evidence),
        ]
    )
    .add_edge(START, "start")
    .add_edge("answer", END)
    .compile(name="decompose")
)

STRATEGY: Final = Strategy(
    name="decompose",
    about=(
        "A baseline to compare with: the question is split once, the passages found for its "
        "sub-questions are read together."
    ),
    graph=graph,
    baseline=True,
    rank=90,
    label="one split, k/m passages for each of m sub-questions",
)
