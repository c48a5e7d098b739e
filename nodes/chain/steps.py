"""CoR-RAG: ask for the next missing fact, look it up, and go on until nothing is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from langgraph.runtime import Runtime

from hopyard.models.call import call_model
from hopyard.nodes.answer import read, shown
from hopyard.nodes.begin import begin
from hopyard.nodes.citations import cite
from hopyard.nodes.evidence import pooled
from hopyard.nodes.finish import spent
from hopyard.nodes.resources import context_of, passages_of
from hopyard.nodes.search import find_passages
from hopyard.nodes.tree.decompose import plain
from hopyard.prompts.aggregate import AGGREGATE
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.chain import NEXT_QUESTION, NOTHING_FOUND
from hopyard.prompts.passages import one_line, rewritable
from hopyard.state.chain import ChainState, Link
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Step, StrategyInput
from hopyard.state.settings import Context

__all__ = ("after_link", "after_question", "answer_link", "ask_next", "begin_chain", "conclude")


async def begin_chain(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Begin the run with an empty chain; what a thread's last turn asked is gone."""
    return {**await begin(state, runtime), "links": [], "pending": "", "ended": ""}


async def ask_next(state: ChainState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the model for the next sub-question, knowing the answers so far, or end the chain.

    A question that needs none is searched for as it is.
    """
    context, links, question = context_of(runtime), state["links"], state["question"]
    if len(links) >= context.chain.max_steps:
        return _end(state, f"{len(links)} sub-questions are the most that may be asked")
    values = {
        "question": rewritable(question),
        "findings": _findings(links, rewritable) or NOTHING_FOUND,
    }
    try:
        following = await call_model(NEXT_QUESTION, values, context=context, run=state["run"])
    except ModelOutputError as error:
        return _end(state, str(error))
    except BudgetExceededError as error:
        return _end(state, str(error)) | {"truncated": True}
    if following.kind == "enough" or not following.question:
        return _end(state, "nothing is missing" if links else "the question asks for one fact")
    if plain(following.question) in {plain(one) for one in (question, *_questions(links))}:
        return _end(state, "the next sub-question repeats an earlier one")
    return {"pending": following.question}


def after_question(state: ChainState) -> Literal["answer_link", "conclude"]:
    """Look up the sub-question, if there is one."""
    return "answer_link" if state["pending"] else "conclude"


async def answer_link(state: ChainState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search for the sub-question and answer it from what was found."""
    context, question = context_of(runtime), state["pending"]
    passages = await find_passages(question, context)
    link = Link(question=question, answer=UNKNOWN, passages=passages)
    update: dict[str, Any] = {"pending": ""}
    try:
        # Where the chain has ended, this is the whole question: nothing comes after its answer.
        link["answer"], _ = await read(
            question, passages, context, state["run"], final=bool(state["ended"])
        )
    except (ModelOutputError, BudgetExceededError) as error:
        link["reason"] = str(error)
        if isinstance(error, BudgetExceededError):
            update |= {"truncated": True, "ended": state["ended"] or str(error)}
    return update | {"links": [*state["links"], link]}


def after_link(state: ChainState) -> Literal["ask_next", "conclude"]:
    """Go on while the chain has not ended."""
    return "conclude" if state["ended"] else "ask_next"


async def conclude(state: ChainState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer the question from the partial answers and their best snippets."""
    context, links, question = context_of(runtime), state["links"], state["question"]
    evidence = pooled([link["passages"] for link in links], context.chain.evidence_k)
    passages = await passages_of([one["passage_id"] for one in evidence], context)
    closing = Step(
        step="aggregate", question=question, passages=evidence, reason=state["ended"], answer=""
    )
    update: dict[str, Any] = {}
    if _questions(links) == [question]:
        closing["answer"] = links[0]["answer"]
    else:
        values = {
            "passages": shown(passages, context),
            "findings": _findings(links),
            "question": one_line(question),
        }
        try:
            output = await call_model(
                AGGREGATE, values, context=context, run=state["run"], final=True
            )
            closing["answer"] = output.answer
        except (ModelOutputError, BudgetExceededError) as error:
            closing |= {"answer": _last_known(links), "verdict": "fallback", "reason": str(error)}
            if isinstance(error, BudgetExceededError):
                update["truncated"] = True
    return update | {
        "answer": closing["answer"],
        "citations": cite(question, closing["answer"], passages),
        "evidence": evidence,
        "steps": [*(_step(number, link) for number, link in enumerate(links, 1)), closing],
        **await spent(state["run"], context),
    }


def _end(state: ChainState, reason: str) -> dict[str, Any]:
    """Ask nothing more; a chain without a link gets the whole question as its only one."""
    return {"ended": reason, "pending": "" if state["links"] else state["question"]}


def _questions(links: Sequence[Link]) -> list[str]:
    return [link["question"] for link in links]


def _findings(links: Sequence[Link], as_line: Callable[[str], str] = one_line) -> str:
    return "\n".join(f"{as_line(link['question'])} {as_line(link['answer'])}" for link in links)


def _last_known(links: Sequence[Link]) -> str:
    """Without a closing call: the last partial answer, which was asked for knowing the others."""
    answers = [link["answer"] for link in reversed(links)]
    return next((one for one in answers if one.lower() != UNKNOWN.lower()), UNKNOWN)


def _step(number: int, link: Link) -> Step:
    step = Step(
        step="link",
        round=number,
        question=link["question"],
        answer=link["answer"],
        passages=link["passages"],
    )
    if "reason" in link:
        step["reason"] = link["reason"]
    return step
