"""Sub-questions: whether they are valid, their steps, and the answer from what they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.types import Overwrite

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.answer import answer_from_shown, format_passages
from hopyard.nodes.cited_answer import Cited
from hopyard.nodes.run import Run
from hopyard.prompts.passages import plain
from hopyard.prompts.strategies.aggregate import aggregate_prompt
from hopyard.state import verdicts
from hopyard.state.schemas import Step
from hopyard.state.sub_questions import ROOT, SubQuestion, in_order, step_id


def repeats(question: str, parts: Sequence[str]) -> str:
    """Why some texts are no valid sub-questions of a question: empty or repeated; else ""."""
    worded = [plain(part) for part in parts]
    if not all(worded):
        return "a sub-question is empty"
    if len(set(worded)) < len(worded):
        return "the sub-questions are the same"
    if plain(question) in worded:
        return "a sub-question repeats the question"
    return ""


def replacements(node: SubQuestion) -> int:
    """How many sub-questions of a question were replaced; rejected splits do not count."""
    return sum("answer" in thrown for thrown in node.get("replaced", []))


async def init_tree(state: Mapping[str, Any]) -> dict[str, Any]:
    """Make the user's question the root of a new tree; the last turn's tree is removed."""
    root = SubQuestion(path=ROOT, question=state["question"], status="to split")
    old = dict.fromkeys(state.get("tree", {}))
    return {"tree": {**old, ROOT: root}, "truncated": Overwrite(False), "unconfirmed": ""}


async def join_level(state: Mapping[str, Any]) -> dict[str, Any]:
    """Wait until all tasks of the level have ended; `next_tasks` says what follows."""
    del state
    return {}


async def answer_from_findings(
    run: Run, question: str, passages: list[Passage], findings: str, *, step: str
) -> Cited:
    """Answer the whole question from its passages and `findings`, a sub-question a line."""
    shown = {"passages": format_passages(passages, run.settings), "findings": findings}
    prompt = aggregate_prompt(run.settings.answer.style)
    return await answer_from_shown(
        run, question, passages, shown, prompt=prompt, step=step, final=True
    )


def steps_of(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a tree that is still growing, or of the questions that a task has written."""
    if state.get("steps"):
        return list(state["steps"])
    tree = {path: node for path, node in (state.get("tree") or {}).items() if node}
    return [_step(node) for node in in_order(tree)]


def _step(node: Any) -> Step:
    path = node["path"]
    step = Step(
        id=step_id(path),
        kind="question",
        parent=step_id(path.rpartition(".")[0]) if path else "",
        title=node["question"],
        question=node["question"],
    )
    for key in ("answer", "passages", "reason", "replaced", "verdict", "score"):
        if key in node:
            step[key] = node[key]
    if node["status"] != "done" and (node["status"] != "answered" or "verdict" not in node):
        step["verdict"] = verdicts.OPEN
    if facts := _facts(node):
        step["facts"] = facts
    if "judge" in node and (node.get("rubric") or node.get("scores")):
        step["judge"] = node["judge"]
    return step


def _facts(node: Mapping[str, Any]) -> dict[str, str]:
    facts = {}
    if rubric := node.get("rubric"):
        facts["rubric"] = f"{sum(rubric.values())}/{len(rubric)}"
        if faults := [name.replace("_", " ") for name, point in rubric.items() if not point]:
            facts["fails on"] = ", ".join(faults)
    if node.get("cut"):
        facts["answer"] = "cut at its limit"
    for name, score in node.get("scores", {}).items():
        facts[name.replace("_", " ")] = f"{score}/5"
    return facts
