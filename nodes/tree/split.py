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
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.tree.decompose import plain, repeats
from hopyard.nodes.tree.references import reference_fault, references
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.split import SPLIT, Part, Split
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Evidence, Thrown
from hopyard.state.settings.fields import Context
from hopyard.state.tree import (
    MOST_PARTS,
    ROOT,
    TreeNode,
    TreeSettings,
    TreeTask,
    because,
    child_paths,
    step_id,
)

__all__ = ("split",)

_NEEDED: Final = ("complete", "relevant")
"""The rubrics that a split must meet."""


@dataclass(frozen=True)
class _Plan:
    """How a question is to be split.

    Attributes:
        parts: The sub-questions; none leave the question whole.
        reason: Why it stays whole.
        rubric: The points of the split.
        rejected: Splits that were thrown away.
        truncated: Whether the budget ended the planning.
    """

    parts: list[Part] = field(default_factory=list)
    reason: str = ""
    rubric: dict[str, int] = field(default_factory=dict)
    rejected: list[Thrown] = field(default_factory=list)
    truncated: bool = False


async def split(state: TreeTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Split one question into two to four parts, or leave it whole.

    The user's question is searched for at the same time: what one search finds takes part in the
    final answer, however the question is split.
    """
    run, node = await run_of(state, runtime), state["node"]
    plan, found = await asyncio.gather(_plan(run, node), _search(run, node))
    node = {**node, "passages": found, "judge": run.settings.model}
    if run.problem:
        node["reason"] = because(node, run.problem)
    plan = _approve(run, node, plan)
    update = _branch(node, plan) if plan.parts else _whole(node, plan)
    return {"tree": update, "truncated": plan.truncated or run.out_of_budget}


async def _search(run: Run, node: TreeNode) -> list[Evidence]:
    """Search for the question itself, unless it is a sub-question, which has been searched for."""
    if "passages" in node:
        return node["passages"]
    return await run.find(node["question"], step=step_id(node["path"]))


async def _plan(run: Run, node: TreeNode) -> _Plan:
    """Ask for a split. One with faults is asked for again, a bounded number of times."""
    rejected: list[Thrown] = []
    try:
        for _ in range(TreeSettings.of(run.settings).dependent_retries + 1):
            plan, faults = await _propose(run, node, rejected)
            if not faults:
                return plan
            rejected = [*plan.rejected, _thrown(plan.parts, faults)]
    except (ModelOutputError, BudgetExceededError) as error:
        out_of_budget = isinstance(error, BudgetExceededError)
        return _Plan(reason=str(error), rejected=rejected, truncated=out_of_budget)
    return _Plan(reason="no split passed its criticism", rejected=rejected)


async def _propose(run: Run, node: TreeNode, rejected: list[Thrown]) -> tuple[_Plan, str]:
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
    return plan, _faults(run, question, output, texts)


def _reason_for_whole(question: str, output: Split, texts: list[str]) -> str:
    """Why the question is not split; "" if it is."""
    if output.kind == "simple":
        return "the question is simple"
    echo = repeats(question, texts) if len(texts) > 1 else "there is no second sub-question"
    return f"not split: {echo}" if echo else ""


def _faults(run: Run, question: str, output: Split, texts: list[str]) -> str:
    """Why a split cannot be used; "" if it can."""
    if len(texts) > MOST_PARTS:
        return f"it has more than {MOST_PARTS} sub-questions"
    missed = [f"not {name}" for name in _NEEDED if not output.rubric[name]]
    if missed and TreeSettings.of(run.settings).judge:
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


def _approve(run: Run, node: TreeNode, plan: _Plan) -> _Plan:
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


def _branch(node: TreeNode, plan: _Plan) -> dict[str, TreeNode]:
    """The question with its parts, which are answered next."""
    paths = child_paths(node["path"], len(plan.parts))
    needs = [
        [paths[number - 1] for number in references(part.question, node["question"])]
        for part in plan.parts
    ]
    needed = {path for some in needs for path in some}
    parent: TreeNode = {
        **node,
        "status": "to judge",
        "verdict": "split",
        "rubric": plan.rubric,
        "replaced": [*node.get("replaced", []), *plan.rejected],
    }
    return {node["path"]: parent} | {
        path: TreeNode(
            path=path,
            question=part.question,
            status="to answer",
            needs=own,
            needed=path in needed,
            simple=part.simple,
        )
        for path, part, own in zip(paths, plan.parts, needs, strict=True)
    }


def _whole(node: TreeNode, plan: _Plan) -> dict[str, TreeNode]:
    """A question that is not split. The root is answered from its own search, at the end."""
    whole: TreeNode = {
        **node,
        "status": "done" if node["path"] == ROOT else "answered",
        "verdict": "leaf",
        "reason": because(node, plan.reason),
        "replaced": [*node.get("replaced", []), *plan.rejected],
    }
    return {node["path"]: whole}
