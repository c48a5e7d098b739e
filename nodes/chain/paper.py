"""CoR-RAG as published: ask for the next missing fact, look it up, until nothing is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime

from hopyard.nodes.answer import (
    PassageAnswer,
    answer_from_findings,
    answer_from_passages,
    mark_cut,
)
from hopyard.nodes.citations import cite, is_unknown
from hopyard.nodes.evidence import merge_by_max_score
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import run_of
from hopyard.nodes.tree.decompose import plain
from hopyard.nodes.unanswered import answer_without
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.chain import NEXT_QUESTION, NOTHING_FOUND
from hopyard.state.chain import ChainSettings, ChainState, Link
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Step, passage_ids
from hopyard.state.settings.fields import Context, profile_of
from hopyard.state.text.counting import counted

__all__ = (
    "after_link",
    "after_question",
    "answer_link",
    "ask_next",
    "conclude",
    "steps_of",
)


_NOTHING_MISSING: Final = "nothing is missing"


async def ask_next(state: ChainState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the model for the next sub-question, knowing the answers so far, or end the chain.

    A question that needs none is searched for as it is.
    """
    run, links, question = await run_of(state, runtime), state["links"], state["question"]
    if len(links) >= ChainSettings.of(run.settings).links:
        return _end(state, f"stopped at the limit of {counted(len(links), 'sub-question')}")
    values = {
        "question": one_line(question),
        "findings": _findings(links) or NOTHING_FOUND,
    }
    try:
        following = await run.call(NEXT_QUESTION, values, step=_step_id(len(links) + 1))
    except ModelOutputError as error:
        return _end(state, str(error))
    except BudgetExceededError as error:
        return _end(state, str(error)) | {"truncated": True}
    if following.kind == "enough" or not following.question:
        return _end(state, _NOTHING_MISSING if links else "the question asks for one fact")
    if plain(following.question) in {plain(asked) for asked in (question, *_questions(links))}:
        return _end(state, "the next sub-question repeats an earlier one")
    return {"pending": following.question}


def after_question(state: ChainState) -> Literal["answer_link", "conclude"]:
    """Look up the sub-question, if there is one."""
    return "answer_link" if state["pending"] else "conclude"


async def answer_link(state: ChainState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search for the sub-question and answer it from what was found."""
    run, question = await run_of(state, runtime), state["pending"]
    step = _step_id(len(state["links"]) + 1)
    passages = await run.find(question, step=step)
    link = Link(question=question, answer=UNKNOWN, passages=passages)
    update: dict[str, Any] = {"pending": ""}
    if run.problem:
        link["reason"] = run.problem
    if run.out_of_budget:
        update |= {"truncated": True, "ended": state["ended"] or run.problem}
    # Where the chain has ended, this is the whole question: nothing comes after its answer.
    final = bool(state["ended"])
    try:
        reading = await answer_from_passages(run, question, passages, step=step, final=final)
        link["answer"] = reading.answer
        if final:
            link["citations"] = reading.citations
        if reading.cut:
            link["cut"] = True
    except (ModelOutputError, BudgetExceededError) as error:
        link["answer"] = answer_without(error) if final else UNKNOWN
        link["reason"] = str(error)
        if isinstance(error, BudgetExceededError):
            update |= {"truncated": True, "ended": state["ended"] or str(error)}
    return update | {"links": [*state["links"], link]}


def after_link(state: ChainState) -> Literal["ask_next", "conclude"]:
    """Ask the next sub-question unless the chain has ended."""
    return "conclude" if state["ended"] else "ask_next"


async def conclude(state: ChainState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer the question from the partial answers and their best snippets."""
    run, links, question = await run_of(state, runtime), state["links"], state["question"]
    most = ChainSettings.of(run.settings).evidence_k
    evidence = merge_by_max_score([link["passages"] for link in links], most)
    passages = await run.passages(passage_ids(evidence))
    closing = Step(
        id=_step_id(len(links) + 1),  # the call that ended the chain asked for this link
        kind="aggregate",
        title="Answer from the findings",
        question=question,
        passages=evidence,
        reason=state["ended"],
        answer="",
    )
    update: dict[str, Any] = {}
    read: PassageAnswer | None = None
    if _questions(links) == [question] or _settled_by_one(state, run.settings):
        closing["answer"] = links[0]["answer"]
        if links[0].get("cut"):
            closing = mark_cut(closing)
    else:
        try:
            read = await answer_from_findings(
                run, question, passages, _findings(links), step=closing["id"]
            )
            if profile_of(run.settings) == "small" and is_unknown(read.answer):
                evidence = await run.find(question, step=closing["id"])
                read = await answer_from_passages(
                    run, question, evidence, step=closing["id"], final=True
                )
                closing["passages"] = evidence
            closing["answer"] = read.answer
            if read.cut:
                closing = mark_cut(closing)
        except (ModelOutputError, BudgetExceededError) as error:
            answer = answer_without(error, _last_known(links))
            closing |= {"answer": answer, "verdict": "fallback", "reason": str(error)}
            if isinstance(error, BudgetExceededError):
                update["truncated"] = True
    cited = read.citations if read else links[0].get("citations")
    update |= {
        "answer": closing["answer"],
        "citations": cite(question, closing["answer"], passages) if cited is None else cited,
        "unconfirmed": read.unconfirmed if read else "",
        "evidence": evidence,
        "steps": [*_steps(links), closing],
    }
    return await close_run(run, update)


def _settled_by_one(state: ChainState, settings: Context) -> bool:
    """Whether a single link answers the question, so that a small model need not read it again.

    The model has said so, and a short answer, as that of a link, is what the user wants.
    """
    return (
        profile_of(settings) == "small"
        and settings.answer.style in {"short", "auto"}
        and len(state["links"]) == 1
        and state["ended"] == _NOTHING_MISSING
        and not is_unknown(state["links"][0]["answer"])
    )


def _end(state: ChainState, reason: str) -> dict[str, Any]:
    """Ask no further question. A chain without a link gets the whole question as its only link."""
    return {"ended": reason, "pending": "" if state["links"] else state["question"]}


def _questions(links: Sequence[Link]) -> list[str]:
    return [link["question"] for link in links]


def _findings(links: Sequence[Link]) -> str:
    return "\n".join(f"{one_line(link['question'])} {one_line(link['answer'])}" for link in links)


def _last_known(links: Sequence[Link]) -> str:
    """Without a closing call: the last partial answer, which was asked for knowing the others."""
    answers = [link["answer"] for link in reversed(links)]
    return next((answer for answer in answers if not is_unknown(answer)), UNKNOWN)


def _step_id(number: int) -> str:
    return f"link-{number}"


def steps_of(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a chain that is under way, or of a node's update."""
    return list(state.get("steps") or _steps(state.get("links") or ()))


def _steps(links: Sequence[Link]) -> list[Step]:
    return [_step(number, link) for number, link in enumerate(links, 1)]


def _step(number: int, link: Link) -> Step:
    step = Step(
        id=_step_id(number),
        kind="link",
        title=link["question"],
        question=link["question"],
        answer=link["answer"],
        passages=link["passages"],
    )
    if "reason" in link:
        step["reason"] = link["reason"]
    return mark_cut(step) if link.get("cut") else step
