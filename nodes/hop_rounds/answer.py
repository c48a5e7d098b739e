"""Select passages and answer from them, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.nodes.answer import answer_from_evidence, format_passages, mark_cut
from hopyard.nodes.attempt import attempted
from hopyard.nodes.citations import is_unknown, statements
from hopyard.nodes.cited_answer import Cited, cite_answer
from hopyard.nodes.hop.choose import chosen_numbers
from hopyard.nodes.hop.steps import path_of
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import UNKNOWN, writing
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.hop import SELECT_AND_ANSWER
from hopyard.state import verdicts
from hopyard.state.hop_rounds import HopRoundsState
from hopyard.state.schemas import Evidence, Step, StrategyState, passage_ids
from hopyard.state.settings.fields import Context

_SELECT: Final = "Select the useful passages"


async def answer(state: HopRoundsState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the passages kept; every hop becomes a step.

    If the call gives nothing usable, the first passages are read without a selection. If the budget
    left none, that call says so.
    """
    run, question, evidence = await run_of(state, runtime), state["question"], state["evidence"]
    pruned = Step(
        id="prune", kind="prune", title="Keep the most necessary passages", passages=evidence
    )
    steps = [*await path_of(run, question, state["hops"], state["rounds"]), pruned]
    attempt = None
    if evidence:
        attempt = await attempted(_select_and_answer(run, question, evidence, steps))
    if attempt and attempt.reason and not attempt.truncated:
        evidence = evidence[: run.settings.retrieval.k]
        failed = Step(id="select", kind="select", title=_SELECT, verdict=verdicts.FALLBACK)
        failed["reason"] = f"the first {len(evidence)} are read: {attempt.reason}"
        steps.append(failed)
    update = attempt.output if attempt else None
    if update is None:
        readable = cast(StrategyState, {**state, "steps": steps, "evidence": evidence})
        update = {"evidence": evidence, "unconfirmed": ""}
        update |= await answer_from_evidence(readable, runtime)
    return update | {"hops": Overwrite([]), "rounds": Overwrite([])}


async def _select_and_answer(
    run: Run, question: str, evidence: Sequence[Evidence], steps: Sequence[Step]
) -> dict[str, Any]:
    """One call: which passages are useful, and the answer from them."""
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
