"""Explain an answer: how much of it rests on each passage (`classifiers.contributions`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.classifiers.contributions import Shares, coalitions, shares_of_answer
from hopyard.indexes.corpus.records import Passage
from hopyard.measures.answers import token_f1
from hopyard.nodes.answer import format_passages
from hopyard.nodes.attempt import attempted
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.lifecycle import with_endings
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import ANSWER, writing
from hopyard.prompts.passages import one_line
from hopyard.state.agent import AgentState
from hopyard.state.errors import HopyardError
from hopyard.state.schemas import Explanation, PassageShare, Step, passage_evidence, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.text.markers import renumber

MOST_EXPLAINED: Final = 5
"""Passages with a share of their own: at most 32 coalitions, and all passages together."""
_STEP: Final = "explain"
_LEAST: Final = 0.005
"""Smaller shares are not shown: they are 0.00 when rounded."""


async def explain_answer(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Say how much of the answer rests on each passage that it cites, or was read from.

    The answer stays as it is, whatever fails here. Finished calls are in the ledger, so a run that
    is killed here pays for none of them again.
    """
    answer = renumber(state["answer"], {})
    cited = [citation["passage_id"] for citation in state["citations"]]
    names = list(dict.fromkeys(cited)) or passage_ids(state["evidence"])
    if is_unknown(answer) or not names:
        return {}
    run = await run_of(state, runtime)
    attempt = await attempted(_explained(run, state["question"], answer, names), HopyardError)
    if attempt.output is None:
        step = Step(id=_STEP, kind=_STEP, title="The shares of the passages are unknown")
        return {"steps": await with_endings(run, [attempt.mark(step)])}
    explanation, step = attempt.output
    return {"explanation": explanation, "steps": [step]}


async def _explained(
    run: Run, question: str, answer: str, names: Sequence[str]
) -> tuple[Explanation, Step]:
    """The explanation, and its step."""
    passages = await run.passages(names)
    players = passages[:MOST_EXPLAINED]
    values = await _values(run, question, answer, _prompts(passages, players))
    shares = shares_of_answer(values[: 2 ** len(players)], values[-1])
    explanation = _explanation(players, shares, calls=len(values))
    return explanation, _told(explanation, players)


def _prompts(passages: Sequence[Passage], players: Sequence[Passage]) -> list[Sequence[Passage]]:
    """The passages of each coalition of the players, and all passages if there are more."""
    chosen: list[Sequence[Passage]] = [
        [players[place] for place in coalition] for coalition in coalitions(len(players))
    ]
    return chosen if len(players) == len(passages) else [*chosen, passages]


async def _values(
    run: Run, question: str, answer: str, prompts: Sequence[Sequence[Passage]]
) -> list[float]:
    """The token F1 of the answer with the answer from the passages of each prompt.

    The answer need not come from such a prompt, so all passages are asked too: if it does, the
    ledger has that call.
    """
    given = await asyncio.gather(
        *(_answer_from(run, question, passages) for passages in prompts),
        return_exceptions=True,  # calls under way are finished before one that failed ends this
    )
    values = []
    for found in given:
        if isinstance(found, BaseException):
            raise found
        values.append(0.0 if is_unknown(found) else token_f1(found, answer))
    return values


async def _answer_from(run: Run, question: str, passages: Sequence[Passage]) -> str:
    """The answer that the product's own prompt gives with these passages alone."""
    values = {
        "passages": format_passages(passages, run.settings) or "none",
        "question": one_line(question),
        "style": writing(run.settings.answer),
    }
    output = await run.call(ANSWER, values, step=_STEP)
    return renumber(output.answer, {})


def _explanation(players: Sequence[Passage], shares: Shares, calls: int) -> Explanation:
    each = zip(players, shares.contributions, shares.passages, strict=True)
    return Explanation(
        passages=[
            PassageShare(passage_id=passage.id, contribution=contribution, share=share)
            for passage, contribution, share in each
        ],
        others=shares.others,
        without=shares.without,
        calls=calls,
    )


def _told(explanation: Explanation, passages: Sequence[Passage]) -> Step:
    """The step's fields: the largest share, and the shares of the passages as their scores."""
    shares, without = [each["share"] for each in explanation["passages"]], explanation["without"]
    others, most = explanation["others"], passages[shares.index(max(shares))]
    missing = max(0.0, 1 - sum(shares) - others - without)
    titles = {
        f"This answer rests {100 * max(shares):.0f} % on {most.title or most.id}": max(shares),
        f"This answer rests {100 * others:.0f} % on other passages": others,
        f"The model says {100 * without:.0f} % of this answer without its passages": without,
        f"Asked again, the model did not say {100 * missing:.0f} % of this answer": missing,
    }
    title = max(titles, key=lambda words: titles[words])
    told = Step(
        id=_STEP,
        kind=_STEP,
        title=title,
        passages=[
            passage_evidence(passage.id, share)
            for passage, share in zip(passages, shares, strict=True)
        ],
    )
    facts = {"other passages": others, "without them": without, "not said again": missing}
    told["facts"] = {name: f"{share:.2f}" for name, share in facts.items() if share >= _LEAST}
    told["facts"]["calls"] = str(explanation["calls"])
    return told
