"""The graph of `second-look`: search and read; while the answer is Unknown, search again."""

from __future__ import annotations

from typing import Any, Final, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from pydantic import Field

from hopyard.models.prompt import Output, Prompt
from hopyard.nodes.answer import answer_from_passages
from hopyard.nodes.attempt import attempted
from hopyard.nodes.citations import cite
from hopyard.nodes.evidence import merge_by_max_score
from hopyard.nodes.lifecycle import close_run, start_run
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.state.schemas import (
    Evidence,
    Step,
    StrategyInput,
    StrategyOutput,
    StrategyState,
    passage_ids,
)
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import FALLBACK
from hopyard_titles.strategy import SecondLookSettings


class OtherWords(Output):
    """Another search for the same fact."""

    search: str = Field(min_length=1, max_length=200)


OTHER_WORDS: Final = Prompt(
    name="other-words",
    version=1,
    system="A search found no answer. Write one other search for the same fact, in other words.",
    template="Question: $question\nSearches so far:\n$searches",
    output=OtherWords,
    max_tokens=128,
)


class SecondLookState(StrategyState):
    """The strategy's state."""

    searches: list[str]
    """All searches so far; the last is the next search."""


async def begin(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start the run; what a thread's last question found is cleared."""
    update = await start_run(state, runtime)
    return {**update, "searches": [update["question"]], "evidence": [], "steps": [], "answer": ""}


async def search_and_read(state: SecondLookState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search, and answer from the new and the earlier passages."""
    run, question, searches = await run_of(state, runtime), state["question"], state["searches"]
    step = Step(id=f"look-{len(searches)}", kind="search", title=f"Search: {searches[-1]}")
    step["passages"] = await run.find(searches[-1], step=step["id"])
    most = len(searches) * run.settings.retrieval.k
    evidence = merge_by_max_score([state["evidence"], step["passages"]], most)
    last = len(searches) > SecondLookSettings.of(run.settings).tries
    update = await _read(run, question, evidence, step, last=last)
    return {**update, "evidence": evidence, "steps": [*state["steps"], step]}


async def _read(
    run: Run, question: str, evidence: list[Evidence], step: Step, *, last: bool
) -> dict[str, Any]:
    """Answer from the evidence, in the place that the budget keeps for it, if need be.

    If the last reading fails, its error ends the run: Unknown means that the passages do not say.
    """
    reading = answer_from_passages(run, question, evidence, step=step["id"], final=last)
    attempt = await attempted(reading)
    if attempt.truncated:
        step["reason"] = attempt.reason
        reading = answer_from_passages(run, question, evidence, step=step["id"], final=True)
        attempt = await attempted(reading)
    if attempt.output is None:
        step |= attempt.mark(step)
        step["answer"] = attempt.answer_instead() if last else UNKNOWN
        return {"answer": step["answer"], "truncated": attempt.truncated}
    step["answer"] = attempt.output.answer
    if "reason" in step and is_unknown(step["answer"]):
        return {"answer": step["answer"], "truncated": True}
    return {"answer": step["answer"]}


async def after_reading(
    state: SecondLookState, runtime: Runtime[Context]
) -> Literal["reword", "close"]:
    """Look again while there is no answer, and tries and budget are left."""
    tries = SecondLookSettings.of((await run_of(state, runtime)).settings).tries
    again = (
        is_unknown(state["answer"]) and len(state["searches"]) <= tries and not state["truncated"]
    )
    return "reword" if again else "close"


async def reword(state: SecondLookState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask for another search. Without one, search for the question again."""
    run, question = await run_of(state, runtime), state["question"]
    step = Step(id=f"reword-{len(state['searches'])}", kind="reword", question=question)
    searches = "\n".join(map(one_line, state["searches"]))
    values = {"question": one_line(question), "searches": searches}
    attempt = await run.try_call(OTHER_WORDS, values, step=step["id"])
    if attempt.output is None:
        step |= {"answer": question, "verdict": FALLBACK, "reason": attempt.reason}
    else:
        step["answer"] = attempt.output.search
    return {
        "truncated": attempt.truncated,
        "steps": [*state["steps"], step],
        "searches": [*state["searches"], step["answer"]],
    }


def is_unknown(answer: str) -> bool:
    """Whether the passages did not say."""
    return answer.lower() == UNKNOWN.lower()


async def close(state: SecondLookState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Cite the answer, and say what the run spent."""
    run = await run_of(state, runtime)
    passages = await run.passages(passage_ids(state["evidence"]))
    citations = cite(state["question"], state["answer"], passages)
    return await close_run(run, {"citations": citations, "steps": state["steps"]})


graph = (
    StateGraph(
        SecondLookState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("begin", begin)
    .add_node("search_and_read", search_and_read)
    .add_node("reword", reword)
    .add_node("close", close)
    .add_edge(START, "begin")
    .add_edge("begin", "search_and_read")
    .add_conditional_edges("search_and_read", after_reading, ["reword", "close"])
    .add_edge("reword", "search_and_read")
    .add_edge("close", END)
    .compile(name="second-look")
)
