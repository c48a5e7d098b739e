"""Act on the last answer ("shorter", "in a table", "why?") from what it was read from."""

from __future__ import annotations

from typing import Any, Final, Literal

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.answer import mark_cut
from hopyard.nodes.attempt import attempted
from hopyard.nodes.citations import is_unknown, statements
from hopyard.nodes.conversation import LONGEST_MESSAGE, conversation_lines
from hopyard.nodes.lifecycle import with_endings
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line, passage_lines, passage_snippet
from hopyard.prompts.revise import REVISE, Revised
from hopyard.state.agent import AgentState, LastAnswer
from hopyard.state.errors import IndexMissingError, UsageError
from hopyard.state.schemas import (
    CUT,
    FINISHED,
    Citation,
    GateDecision,
    RouteDecision,
    Step,
    passage_evidence,
)
from hopyard.state.settings.fields import Context
from hopyard.state.text.markers import renumber
from hopyard.state.verdicts import ABOUT_LAST

REVISED: Final = ABOUT_LAST
"""The name in place of a strategy."""
_REASON = "the message is about the last answer"


def after_receive(state: AgentState) -> Literal["revise", "gate"]:
    """A message about the last answer needs neither gate nor route."""
    return "revise" if state.get("last") else "gate"


async def revise(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Do what the message asks with the last answer, in one call and without a search.

    If that cannot be done, the message is answered as a question, made to stand alone.
    """
    run, last = await run_of(state, runtime), state.get("last")
    if last is None:
        raise ValueError("no last answer to revise")
    asked = state["question"]
    step = Step(id="revise", kind="revise", title="Act on the last answer", question=asked)
    attempt = await attempted(_call(run, state, last), IndexMissingError, UsageError)
    if attempt.retry_later:
        attempt.check_needed()
    output = attempt.output
    if output is None:
        [step] = await with_endings(run, [attempt.mark(step)])
        return _ask_instead(last, step, f"treated as a question: {attempt.reason}")
    if output.needs_search or is_unknown(output.answer):
        return _ask_instead(last, step, "it needs a search")
    answer, citations = _keep_citations(output.answer, last["citations"])
    named = dict.fromkeys(citation["passage_id"] for citation in citations)
    step["answer"] = answer
    return {
        "last": None,
        "answer": answer,
        "citations": citations,
        "unconfirmed": last["unconfirmed"],
        "evidence": [passage_evidence(name, 1.0) for name in named],
        "ending": CUT if output.cut else FINISHED,
        "truncated": output.cut,
        "steps": [mark_cut(step) if output.cut else step],
        "strategy": REVISED,
        "gate": GateDecision(gate="off", probability=None, retrieve=None, reason=_REASON),
        "route": RouteDecision(strategy=REVISED, by="model", probability=None, reason=_REASON),
    }


def after_revise(state: AgentState) -> Literal["finish", "gate"]:
    """Without an answer the message is a question after all."""
    return "finish" if state["answer"] else "gate"


async def _call(run: Run, state: AgentState, last: LastAnswer) -> Revised:
    cited = last["citations"]
    passages = await run.passages([each["passage_id"] for each in cited]) if cited else []
    before = state["messages"][
        :-2
    ]  # without the last answer, which is shown whole, and the message
    values = {
        "conversation": conversation_lines(before, LONGEST_MESSAGE),
        "passages": _numbered(cited, passages, run.settings) or "none",
        "answer": "\n".join(f"> {one_line(line)}" for line in last["text"].splitlines()),
        "question": one_line(state["question"]),
    }
    return await run.call(REVISE, values, step="revise", final=True)


def _numbered(cited: list[Citation], passages: list[Passage], settings: Context) -> str:
    """The passages under the numbers of the citations; one that comes again is its quote."""
    longest = settings.retrieval.snippet_tokens
    lines, seen = [], set[str]()
    for citation, passage in zip(cited, passages, strict=True):
        text = citation["quote"] if passage.id in seen else passage_snippet(passage.text, longest)
        seen.add(passage.id)
        lines.append((passage.full_title, text))
    return passage_lines(lines)


def _keep_citations(answer: str, cited: list[Citation]) -> tuple[str, list[Citation]]:
    """The citations that the answer's markers name, in their order; all of them without markers."""
    named = [number for _, numbers in statements(answer) for number in numbers]
    used = [number for number in dict.fromkeys(named) if 1 <= number <= len(cited)]
    if not used:
        return renumber(answer, {}), cited
    places = {number: place for place, number in enumerate(used, 1)}
    return renumber(answer, places), [cited[number - 1] for number in used]


def _ask_instead(last: LastAnswer, step: Step, reason: str) -> dict[str, Any]:
    return {
        "last": None,
        "question": last["question"],
        "steps": [step | {"answer": last["question"], "reason": reason}],
    }
