"""Answering from passages."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.models.prompt import Prompt
from hopyard.nodes.attempt import Attempt, attempted
from hopyard.nodes.citations import cite
from hopyard.nodes.cited_answer import Cited, cite_answer
from hopyard.nodes.evidence import as_read, join_adjacent
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import ANSWER, UNKNOWN, AnyAnswer, CitedAnswer, PlainAnswer, writing
from hopyard.prompts.passages import heading, one_line, passage_lines, passage_snippet
from hopyard.prompts.traits import traits_of
from hopyard.state import verdicts
from hopyard.state.metadata import page_words
from hopyard.state.schemas import CUT, Evidence, Step, StrategyState, add_reason, passage_ids
from hopyard.state.settings.fields import AnswerSettings, Context

_PARTIAL: Final = AnswerSettings(style="short")
"""How the answer to a sub-question is written."""


async def answer_from_evidence(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the evidence found, and cite it."""
    run, question = await run_of(state, runtime), state["question"]
    reading = answer_from_passages(run, question, state["evidence"], step="read", final=True)
    return await close_answer(run, question, state.get("steps", []), reading)


async def close_answer(
    run: Run, question: str, steps: Sequence[Step], reading: Awaitable[Cited]
) -> dict[str, Any]:
    """The last update of a strategy, from its closing call; a note says if the budget left none."""
    update: dict[str, Any] = {"citations": [], "unconfirmed": ""}
    attempt = await attempted(reading)
    read = attempt.output
    if read is None:
        update |= without_answer(question, attempt)
        update["steps"] = [*steps, *update["steps"]]
    else:
        update["answer"] = read.answer
        update["citations"] = read.citations
        update["unconfirmed"] = read.unconfirmed
        update["steps"] = [*steps, read_step(question, read.answer, cut=read.cut)]
    return await close_run(run, update)


async def answer_from_passages(
    run: Run, question: str, evidence: list[Evidence], *, step: str, final: bool = False
) -> Cited:
    """Answer one question from the passages behind some evidence; see `answer_from_shown`."""
    passages = await run.passages(passage_ids(evidence)) if evidence else []
    read = as_read(passages, evidence)
    shown = {"passages": format_passages(read, run.settings) or "none"}
    return await answer_from_shown(run, question, passages, shown, step=step, final=final)


async def answer_from_shown(
    run: Run,
    question: str,
    passages: list[Passage],
    shown: Mapping[str, str],
    *,
    prompt: Prompt[AnyAnswer] = ANSWER,
    step: str,
    final: bool = False,
) -> Cited:
    """Answer one question from a text about numbered passages.

    Args:
        shown: The values of the prompt besides `question` and `style`.
        final: Whether this is the answer that the user reads, written in the run's style. A
            partial answer is short.
    """
    if not passages and not (final and _may_use_knowledge(run.settings)):
        return Cited(UNKNOWN, [])
    small = not traits_of(run.settings).offers_yes_no
    style = writing(run.settings.answer if final else _PARTIAL, small=small)
    values = {**shown, "question": one_line(question), "style": style}
    output = await run.call(prompt, values, step=step, final=final)
    return replace(_cite(question, output, passages), cut=output.cut)


def _may_use_knowledge(settings: Context) -> bool:
    return settings.answer.knowledge == "both" and traits_of(settings).writes_freely


def _cite(question: str, output: AnyAnswer, passages: list[Passage]) -> Cited:
    """The citations that the model named, or those that can be found where it names none."""
    if isinstance(output, CitedAnswer):
        return cite_answer(question, output.answer, passages, output.passages)
    if isinstance(output, PlainAnswer):
        return cite_answer(question, output.answer, passages)
    return Cited(output.answer, cite(question, output.answer, passages))


def format_passages(
    passages: Sequence[Passage], settings: Context, numbers: Sequence[int] | None = None
) -> str:
    """The passages as the model sees them, each cut to a snippet and with its number.

    A capable model reads passages that follow each other in a document one after the other. Each
    keeps its number.
    """
    longest = settings.retrieval.snippet_tokens
    traits = traits_of(settings)
    given = list(range(1, len(passages) + 1) if numbers is None else numbers)
    apart = [[row] for row in range(len(passages))]
    blocks = join_adjacent(passages) if traits.joins_passages else apart
    shown: list[tuple[str, str]] = []
    for block in blocks:
        for place, row in enumerate(block):
            passage = passages[row]
            title = heading(passage.full_title, passage.about if traits.reads_metadata else "")
            if place:
                before = f"continues [{given[block[place - 1]]}]"
                last = passages[block[place - 1]]
                section = passage.section if passage.section != last.section else ""
                title = ", ".join(filter(None, (before, section, page_words(passage.pages))))
            shown.append((title, passage_snippet(passage.text, longest)))
    return passage_lines(shown, [given[row] for block in blocks for row in block])


def mark_cut(step: Step) -> Step:
    """The step of an answer that was cut."""
    reason = add_reason(step.get("reason", ""), "the answer reached its limit and ends there")
    return {**step, "verdict": verdicts.CUT, "reason": reason, "ending": CUT}


def read_step(question: str, answer: str, *, cut: bool) -> Step:
    """The step of the closing call."""
    step = Step(id="read", kind="read", title="Answer", question=question, answer=answer)
    return mark_cut(step) if cut else step


def without_answer(question: str, attempt: Attempt[Any]) -> dict[str, Any]:
    """The update if the budget left no closing call."""
    return {
        "answer": attempt.answer_instead(),
        "truncated": True,
        "steps": [attempt.mark(read_step(question, "", cut=False))],
    }
