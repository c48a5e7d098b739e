"""Answer from the passages kept, and tell the path that led to them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.nodes.answer import answer_from_evidence, format_passages, mark_cut
from hopyard.nodes.citations import is_unknown, statements
from hopyard.nodes.cited_answer import Cited, cite_answer
from hopyard.nodes.hop.offers import chosen_numbers
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.hop.steps import path_of
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.hop import SELECT_AND_ANSWER
from hopyard.prompts.style import writing
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.hop import HopSettings, HopState
from hopyard.state.schemas import Evidence, Step, StrategyState, passage_ids
from hopyard.state.settings.fields import Context, profile_of

__all__ = ("answer",)

_SELECT: Final = "Select the useful passages"


async def answer(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the best of the passages kept; every hop becomes a step.

    In rounds the model selects its passages in the same call. If that call gives nothing usable,
    the first passages are read without a selection.
    """
    run = await run_of(state, runtime)
    settings = HopSettings.of(run.settings).for_profile(profile_of(run.settings))
    evidence = state["evidence"][: settings.evidence_k]
    steps = await _path(state, run, settings)
    update: dict[str, Any] = {}
    if settings.form == "rounds" and evidence:
        try:
            update = await _select_and_answer(run, state["question"], evidence, steps)
        except ModelOutputError as error:
            evidence = evidence[: run.settings.retrieval.k]
            failed = Step(id="select", kind="select", title=_SELECT, verdict="fallback")
            steps.append({**failed, "reason": f"the first {len(evidence)} are read: {error}"})
        except BudgetExceededError:
            pass  # what follows asks again, and says so
    if not update:
        readable = cast(StrategyState, {**state, "steps": steps, "evidence": evidence})
        update = {"evidence": evidence, "unconfirmed": ""}
        update |= await answer_from_evidence(readable, runtime)
    return update | {"hops": Overwrite([]), "rounds": Overwrite([])}


async def _path(state: HopState, run: Run, settings: HopSettings) -> list[Step]:
    graph, query = await graph_of(run), await query_of(run, state["question"])
    steps = await asyncio.to_thread(path_of, state["hops"], state["rounds"], graph, query)
    title = (
        "Keep the most necessary passages"
        if settings.prune == "necessary"
        else "Keep the most helpful passages"
    )
    return [*steps, Step(id="prune", kind="prune", title=title, passages=state["evidence"])]


async def _select_and_answer(
    run: Run, question: str, evidence: Sequence[Evidence], steps: Sequence[Step]
) -> dict[str, Any]:
    """One call: which passages are useful, and the answer from them.

    Raises:
        BudgetExceededError: The run's budget is used up.
        ModelOutputError: The model gave no usable answer.
    """
    passages = await run.passages(passage_ids(evidence))
    values = {
        "passages": format_passages(passages, run.settings),
        "style": writing(run.settings.answer),
        "question": one_line(question),
    }
    output = await run.call(SELECT_AND_ANSWER, values, step="select", final=True)
    facts = [
        (useful.fact, useful.passage)
        for useful in output.useful
        if 1 <= useful.passage <= len(passages)
    ]
    # A passage that only the answer's markers name is used too.
    named = [number for _, numbers in statements(output.answer) for number in numbers]
    numbers = chosen_numbers([*(number for _, number in facts), *named], len(passages))
    found = not is_unknown(output.answer)
    kept = [evidence[number - 1] for number in numbers] or list(evidence)
    selected = Step(id="select", kind="select", title=_SELECT, passages=kept)
    if not numbers:
        selected["reason"] = "the model named no passage; all stay"
    claims = [(fact, passages[number - 1]) for fact, number in facts]
    cited = (
        cite_answer(question, output.answer, passages, numbers, findings=claims)
        if found
        else Cited(UNKNOWN, [])
    )
    read = Step(id="read", kind="read", title="Answer", question=question, answer=cited.answer)
    update = {
        "answer": cited.answer,
        "citations": cited.citations,
        "evidence": kept,
        "unconfirmed": (output.unconfirmed or cited.unconfirmed) if found else "",
        "steps": [*steps, selected, mark_cut(read) if output.cut else read],
    }
    return await close_run(run, update)
