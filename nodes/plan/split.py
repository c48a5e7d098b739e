"""Split a question into parts that may depend on one another, in one call.

ToR-RAG (section III.2) has one call split and another judge the split by five rubrics, the fourth
of which asks that neither sub-question presupposes the other's answer. Here one call drafts,
criticises and corrects the split, and that rubric is dropped on purpose: "Who founded #1?" may
wait for the answer to "Which company makes the PlayStation?".
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.nodes.approve import approve_split
from hopyard.nodes.attempt import attempted
from hopyard.nodes.plan.references import reference_fault, references
from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import Found, Run, run_of
from hopyard.nodes.sub_questions import repeats
from hopyard.prompts.passages import one_line, plain
from hopyard.prompts.strategies.plan import SPLIT, Part, Split
from hopyard.state import verdicts
from hopyard.state.plan import PlanNode, PlanTask
from hopyard.state.schemas import Thrown
from hopyard.state.settings.fields import Context
from hopyard.state.sub_questions import MOST_PARTS, ROOT, because, child_paths, step_id

RETRIES: Final = 2
"""How often a bad split, or the closing of a branch, is tried again."""

_NEEDED: Final = ("complete", "relevant")
"""The rubrics that a split must meet."""


@dataclass(frozen=True)
class _Plan:
    """How a question is to be split.

    Attributes:
        parts: The sub-questions; none leave the question whole.
        reason: Why it stays whole.
        rubric: The points of the split.
        truncated: Whether the budget ended the planning.
    """

    parts: list[Part] = field(default_factory=list)
    reason: str = ""
    rubric: dict[str, int] = field(default_factory=dict)
    rejected: list[Thrown] = field(default_factory=list)
    truncated: bool = False


async def split(state: PlanTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Split one question into two to four parts, or leave it whole.

    The user's question is searched for at the same time: what one search finds takes part in the
    final answer, however the question is split.
    """
    run, node = await run_of(state, runtime), state["node"]
    plan, found = await asyncio.gather(_plan(run, node), _search(run, node))
    node = {**node, "passages": found.evidence, "judge": run.settings.model}
    if found.reason:
        node["reason"] = because(node, found.reason)
    plan = _approve(run, node, plan)
    update = _branch(node, plan) if plan.parts else _whole(node, plan)
    return {"tree": update, "truncated": plan.truncated or found.truncated}


async def _search(run: Run, node: PlanNode) -> Found:
    """Search for the question itself, unless it is a sub-question, which has been searched for."""
    if "passages" in node:
        return Found(node["passages"])
    return await find_to_read(run, node["question"], step=step_id(node["path"]))


async def _plan(run: Run, node: PlanNode) -> _Plan:
    """Ask for a split. One with faults is asked for again, a bounded number of times."""
    rejected: list[Thrown] = []
    for _ in range(RETRIES + 1):
        attempt = await attempted(_propose(run, node, rejected))
        if attempt.output is None:
            return _Plan(reason=attempt.reason, rejected=rejected, truncated=attempt.truncated)
        plan, faults = attempt.output
        if not faults:
            return plan
        rejected = [*plan.rejected, _thrown(plan.parts, faults)]
    return _Plan(reason="no split passed its criticism", rejected=rejected)


async def _propose(run: Run, node: PlanNode, rejected: list[Thrown]) -> tuple[_Plan, str]:
    """A plan from one call, and what is wrong with it; "" if nothing is."""
    question = one_line(node["question"])
    values = {"question": question, "rejected": ""}
    if rejected:
        last = rejected[-1]
        values["rejected"] = f"\nRejected, because {last['reason']}: {last.get('question', '')}"
    output = await run.call(SPLIT, values, step=step_id(node["path"]))
    parts = [part.model_copy(update={"question": one_line(part.question)}) for part in output.parts]
    texts = [part.question for part in parts]
    if reason := _reason_for_whole(question, output, texts):
        return _Plan(reason=reason, rejected=rejected), ""
    plan = _Plan(parts, rubric=output.rubric, rejected=[*rejected, *_corrected(output, texts)])
    return plan, _faults(question, output, texts)


def _reason_for_whole(question: str, output: Split, texts: list[str]) -> str:
    """Why the question is not split; "" if it is."""
    if output.kind == "simple":
        return "the question is simple"
    echo = repeats(question, texts) if len(texts) > 1 else "there is no second sub-question"
    return f"not split: {echo}" if echo else ""


def _faults(question: str, output: Split, texts: list[str]) -> str:
    """Why a split cannot be used; "" if it can."""
    if len(texts) > MOST_PARTS:
        return f"it has more than {MOST_PARTS} sub-questions"
    missed = [f"not {name}" for name in _NEEDED if not output.rubric[name]]
    if missed:
        return f"it is {' and '.join(missed)}"
    return reference_fault(texts, question)


def _corrected(output: Split, texts: list[str]) -> list[Thrown]:
    """The draft, if the model corrected it."""
    draft = [one_line(text) for text in output.draft]
    if not draft or list(map(plain, draft)) == list(map(plain, texts)):
        return []
    reason = one_line(output.criticism) or "the model corrected it"
    return [Thrown(question=" / ".join(draft), reason=reason)]


def _thrown(parts: list[Part], reason: str) -> Thrown:
    return Thrown(question=" / ".join(part.question for part in parts), reason=reason)


def _approve(run: Run, node: PlanNode, plan: _Plan) -> _Plan:
    """The plan as it is proposed, or as whoever is asked about it wants it."""
    if not plan.parts or "decomposition" not in run.settings.approve:
        return plan
    question = node["question"]
    wanted = approve_split(
        question,
        [part.question for part in plan.parts],
        MOST_PARTS,
        lambda texts: reference_fault(texts, question),
    )
    if wanted is None:
        return plan
    rejected = [*plan.rejected, _thrown(plan.parts, "replaced at the approval")]
    if isinstance(wanted, str):
        return _Plan(reason="left whole at the approval", rejected=rejected)
    parts = [Part(question=text, simple=False) for text in wanted]
    return replace(plan, parts=parts, rubric={}, rejected=rejected)


def _branch(node: PlanNode, plan: _Plan) -> dict[str, PlanNode]:
    """The question with its parts, which are answered next."""
    paths = child_paths(node["path"], len(plan.parts))
    needs = [
        [paths[number - 1] for number in references(part.question, node["question"])]
        for part in plan.parts
    ]
    needed = {path for some in needs for path in some}
    parent: PlanNode = {
        **node,
        "status": "to judge",
        "verdict": verdicts.SPLIT,
        "rubric": plan.rubric,
        "replaced": [*node.get("replaced", []), *plan.rejected],
    }
    return {node["path"]: parent} | {
        path: PlanNode(
            path=path,
            question=part.question,
            status="to answer",
            needs=own,
            needed=path in needed,
            simple=part.simple,
        )
        for path, part, own in zip(paths, plan.parts, needs, strict=True)
    }


def _whole(node: PlanNode, plan: _Plan) -> dict[str, PlanNode]:
    """A question that is not split. The root is answered from its own search, at the end."""
    whole: PlanNode = {
        **node,
        "status": "done" if node["path"] == ROOT else "answered",
        "verdict": verdicts.LEAF,
        "reason": because(node, plan.reason),
        "replaced": [*node.get("replaced", []), *plan.rejected],
    }
    return {node["path"]: whole}
