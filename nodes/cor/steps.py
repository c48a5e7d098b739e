"""CoR-RAG as published: ask for the next missing fact, look it up, until nothing is missing.

ToR-RAG, section IV, describes it as a baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime

from hopyard.nodes.answer import answer_from_passages, mark_cut
from hopyard.nodes.attempt import attempted
from hopyard.nodes.citations import cite, is_unknown
from hopyard.nodes.cited_answer import Cited
from hopyard.nodes.evidence import merge_by_max_score
from hopyard.nodes.lifecycle import close_run, start_run
from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.sub_questions import answer_from_findings
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line, plain
from hopyard.prompts.strategies.cor import NEXT_QUESTION, NOTHING_FOUND
from hopyard.prompts.traits import traits_of
from hopyard.state import verdicts
from hopyard.state.cor import CorState, Link
from hopyard.state.schemas import Evidence, Step, StrategyInput, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted

MOST_LINKS: Final = 4
"""Sub-questions of one question; MuSiQue's longest questions need 4."""
EVIDENCE: Final = 5
"""Passages for the final answer (ToR-RAG, section III.6)."""
_NOTHING_MISSING: Final = "nothing is missing"


async def init_chain(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Begin the run, without the results of the last question."""
    return await start_run(state, runtime) | {"links": [], "pending": "", "ended": ""}


async def ask_next(state: CorState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the model for the next sub-question, knowing the answers so far, or end the chain.

    A question that needs none is searched for as it is.
    """
    run, links, question = await run_of(state, runtime), state["links"], state["question"]
    if len(links) >= MOST_LINKS:
        return _end(state, f"stopped at the limit of {counted(len(links), 'sub-question')}")
    values = {"question": one_line(question), "findings": _findings(links) or NOTHING_FOUND}
    attempt = await run.try_call(NEXT_QUESTION, values, step=_step_id(len(links) + 1))
    following = attempt.output
    if following is None:
        truncated = attempt.truncated or state["truncated"]
        return _end(state, attempt.reason) | {"truncated": truncated}
    if following.kind == "enough" or not following.question:
        return _end(state, _NOTHING_MISSING if links else "the question asks for one fact")
    if plain(following.question) in {plain(asked) for asked in (question, *_questions(links))}:
        return _end(state, "the next sub-question repeats an earlier one")
    return {"pending": following.question}


def after_question(state: CorState) -> Literal["answer_link", "conclude"]:
    """Look up the sub-question, if there is one."""
    return "answer_link" if state["pending"] else "conclude"


async def answer_link(state: CorState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search for the sub-question and answer it from what was found."""
    run, question = await run_of(state, runtime), state["pending"]
    step = _step_id(len(state["links"]) + 1)
    found = await find_to_read(run, question, step=step)
    link = Link(question=question, answer=UNKNOWN, passages=found.evidence)
    # Where the chain has ended, this is the whole question: nothing comes after its answer.
    final = bool(state["ended"])
    reading = answer_from_passages(run, question, found.evidence, step=step, final=final)
    attempt = await attempted(reading)
    if reason := attempt.reason or found.reason:
        link["reason"] = reason
    if (read := attempt.output) is not None:
        link["answer"] = read.answer
        if final:
            link["citations"] = read.citations
        if read.cut:
            link["cut"] = True
    elif final:
        link["answer"] = attempt.answer_instead()
    update: dict[str, Any] = {"pending": "", "links": [*state["links"], link]}
    if attempt.truncated or found.truncated:
        update |= {"truncated": True, "ended": state["ended"] or link["reason"]}
    return update


def after_link(state: CorState) -> Literal["ask_next", "conclude"]:
    """Ask the next sub-question unless the chain has ended."""
    return "conclude" if state["ended"] else "ask_next"


async def conclude(state: CorState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer the question from the partial answers and their best snippets."""
    run, links, question = await run_of(state, runtime), state["links"], state["question"]
    evidence = merge_by_max_score([link["passages"] for link in links], EVIDENCE)
    closing = Step(
        id=_step_id(len(links) + 1),  # the call that ended the chain asked for this link
        kind="aggregate",
        title="Answer from the findings",
        question=question,
        passages=evidence,
        reason=state["ended"],
        answer=links[0]["answer"],
    )
    citations, unconfirmed, truncated = links[0].get("citations"), "", state["truncated"]
    if _questions(links) == [question] or _settled_by_one(state, run.settings):
        if links[0].get("cut"):
            closing = mark_cut(closing)
    else:
        attempt = await attempted(_answer_from_links(run, state, evidence, closing["id"]))
        if attempt.output is not None:
            read, closing["passages"] = attempt.output
            citations, unconfirmed = read.citations, read.unconfirmed
            closing["answer"] = read.answer
            closing = mark_cut(closing) if read.cut else closing
        else:
            closing["answer"] = attempt.answer_instead(_last_known(links))
            closing |= {"verdict": verdicts.FALLBACK, "reason": attempt.reason}
            truncated = truncated or attempt.truncated
    if citations is None:
        passages = await run.passages(passage_ids(evidence))
        citations = cite(question, closing["answer"], passages)
    update = {
        "answer": closing["answer"],
        "citations": citations,
        "unconfirmed": unconfirmed,
        "evidence": closing["passages"],
        "steps": [*_steps(links), closing],
        "truncated": truncated,
    }
    return await close_run(run, update)


async def _answer_from_links(
    run: Run, state: CorState, evidence: list[Evidence], step: str
) -> tuple[Cited, list[Evidence]]:
    """The answer from all sub-questions, and the evidence that it was read from.

    If they do not settle the question, a small model reads once what a search for it finds.
    """
    question, passages = state["question"], await run.passages(passage_ids(evidence))
    read = await answer_from_findings(run, question, passages, _findings(state["links"]), step=step)
    if traits_of(run.settings).needs_one_link and is_unknown(read.answer):
        evidence = (await find_to_read(run, question, step=step)).evidence
        read = await answer_from_passages(run, question, evidence, step=step, final=True)
    return read, evidence


def _settled_by_one(state: CorState, settings: Context) -> bool:
    """Whether a single link answers the question, so that a small model need not read it again.

    The model has said so, and a short answer, as that of a link, is what the user wants.
    """
    return (
        traits_of(settings).needs_one_link
        and settings.answer.style in {"short", "auto"}
        and len(state["links"]) == 1
        and state["ended"] == _NOTHING_MISSING
        and not is_unknown(state["links"][0]["answer"])
    )


def _end(state: CorState, reason: str) -> dict[str, Any]:
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
