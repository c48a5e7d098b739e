"""Answer from the passages kept, and tell the path that led to them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Final, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.nodes.answer import answer_from_evidence, format_passages, mark_cut
from hopyard.nodes.citations import cite
from hopyard.nodes.hop.offers import chosen_numbers
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.hop.steps import path_of
from hopyard.nodes.run import Run, close_run, run_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.hop import SELECT_AND_ANSWER, SelectedAnswer
from hopyard.prompts.passages import one_line
from hopyard.prompts.style import writing
from hopyard.state.errors import BudgetExceededError, CallFailedError, ModelOutputError
from hopyard.state.hop import HopSettings, HopState
from hopyard.state.schemas import Evidence, Step, StrategyState, passage_ids
from hopyard.state.settings import Context, profile_of

__all__ = ("answer", "renumber", "select")

_MARK: Final = re.compile(r"\s*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
"""The numbers of passages behind a statement, as in [2] or [1, 4]."""


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
        except CallFailedError:
            raise  # a resumed run may have more luck
        except ModelOutputError as error:
            evidence = evidence[: run.settings.retrieval.k]
            title = "Select the useful passages"
            failed = Step(id="select", kind="select", title=title, verdict="fallback")
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
        "Keep the passages that are needed first"
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
    output = await run.call(SELECT_AND_ANSWER, values, step="read", final=True)
    numbers = select(output, len(passages))
    text = renumber(output.answer, numbers)
    found = text.rstrip(".").casefold() != UNKNOWN.casefold()
    kept = [evidence[number - 1] for number in numbers] or list(evidence)
    selected = Step(id="select", kind="select", title="Select the useful passages", passages=kept)
    if not numbers:
        selected["reason"] = "the model named no passage; all stay"
    read = Step(
        id="read", kind="read", title="Answer", question=question, answer=text if found else UNKNOWN
    )
    readable = [passages[number - 1] for number in numbers] or passages
    return {
        "answer": read["answer"],
        "citations": cite(question, _MARK.sub("", text), readable) if found else [],
        "evidence": kept,
        "unconfirmed": output.unconfirmed if found else "",
        "steps": [*steps, selected, mark_cut(read) if output.cut else read],
        **await close_run(run),
    }


def select(output: SelectedAnswer, shown: int) -> list[int]:
    """The numbers of the useful passages in order of use, and of those that the answer names."""
    named = [int(number) for mark in _MARK.findall(output.answer) for number in mark.split(",")]
    return chosen_numbers([*output.useful, *named], shown)


def renumber(answer: str, numbers: Sequence[int]) -> str:
    """The answer with its marks counted among the passages selected.

    Args:
        answer: The answer, whose marks count among the passages shown.
        numbers: The numbers of the passages selected. The mark of another passage is left out.
    """
    places = {number: place for place, number in enumerate(numbers, 1)}

    def renumbered(found: re.Match[str]) -> str:
        marks = [f"[{places[n]}]" for n in map(int, found[1].split(",")) if n in places]
        return found[0][: found[0].index("[")] + "".join(marks) if marks else ""

    return _MARK.sub(renumbered, answer)
