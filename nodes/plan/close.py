"""Close a branch whose sub-questions are answered, and the plan with it, in one call each.

ToR-RAG scores a branch in one call (section III.4) and answers in another (III.6). Here one call
reads the findings with their passages and either answers, or names the sub-question that is to be
asked again in other words. A branch that can be answered is not split any further.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.models.calls.stream import PART_TYPE
from hopyard.nodes.answer import format_passages, mark_cut
from hopyard.nodes.attempt import Attempt
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.cited_answer import Cited, cite_answer
from hopyard.nodes.evidence import merge_by_rounds
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.plan.part import numbered
from hopyard.nodes.plan.split import RETRIES
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.sub_questions import replacements, steps_of
from hopyard.prompts.answer import UNKNOWN, writing
from hopyard.prompts.passages import one_line, plain
from hopyard.prompts.strategies.plan import CLOSE, MAY_ASK_AGAIN, MUST_ANSWER, Closing
from hopyard.state import verdicts
from hopyard.state.plan import PlanNode, PlanState, PlanTask
from hopyard.state.schemas import Evidence, Step, Thrown, add_reason, passage_ids
from hopyard.state.settings.fields import AnswerSettings, Context
from hopyard.state.sub_questions import ROOT, because, below, children_of, leaves, step_id

CLOSING_STEP: Final = "aggregate"
"""Id of the step that gives the final answer."""
EVIDENCE: Final = 5
"""Passages for a closing call, if no more are needed to give each part a place."""

Plan = Mapping[str, PlanNode]


async def close_branch(state: PlanTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer a question from its sub-questions, or have one of those asked in other words."""
    run, node = await run_of(state, runtime), state["node"]
    tree = {node["path"]: node} | {other["path"]: other for other in state["read"]}
    may_ask = replacements(node) < RETRIES
    closed, attempt = await _close(run, tree, node["path"], may_ask=may_ask)
    if attempt.output and may_ask and (update := _ask_again(tree, node, attempt.output)):
        if node["path"] == ROOT:  # what was streamed of the closing call is no answer
            get_stream_writer()({"type": PART_TYPE, "text": "", "restart": True})
        return {"tree": update}
    root = node["path"] == ROOT
    done = {other["path"]: {**other, "status": "done"} for other in state["read"]} if root else {}
    closed["status"] = "done" if root else "answered"
    return {"tree": {**done, node["path"]: closed}, "truncated": attempt.truncated}


async def conclude(state: PlanState, runtime: Runtime[Context]) -> dict[str, Any]:
    """The answer of the whole tree. The closing call is made here if no branch's made it.

    That is so for a question that was not split, and for a tree whose growth the budget ended.
    """
    run, tree, truncated = await run_of(state, runtime), state["tree"], state["truncated"]
    if "answer" not in tree[ROOT]:
        closed, attempt = await _close(run, tree, ROOT, may_ask=False)
        tree, truncated = {**tree, ROOT: closed}, truncated or attempt.truncated
    evidence = closing_evidence(tree, ROOT)
    cited = _cite(tree, await run.passages(passage_ids(evidence)))
    root: PlanNode = {**tree[ROOT], "answer": cited.answer}
    tree = {**tree, ROOT: root}
    update = {
        "answer": cited.answer,
        "citations": cited.citations,
        "evidence": evidence,
        "steps": [*steps_of({"tree": tree}), _closing_step(tree, evidence)],
        "truncated": truncated,
        "unconfirmed": root.get("unconfirmed") or cited.unconfirmed,
    }
    return await close_run(run, update)


def closing_evidence(tree: Plan, path: str, k: int = EVIDENCE) -> list[Evidence]:
    """The evidence for the closing call: the leaves' evidence in turns, and the whole question's.

    Each leaf gets a place before any leaf gets a second place. There are at least as many places as
    leaves. The question's own search comes last in each turn: what one search finds
    is not lost by splitting.

    Args:
        k: Places, unless more are needed. A question that was not split keeps all it found.
    """
    own = tree[path].get("passages", [])
    parts = [leaf.get("passages", []) for leaf in leaves(tree, path) if leaf["path"] != path]
    if not parts:
        return own
    return merge_by_rounds([*parts, own], max(k, len(parts) + 1))


def format_findings(parts: Sequence[PlanNode], passages: Sequence[Passage]) -> str:
    """The sub-questions with their answers and the numbers of the passages behind these."""
    numbers = {passage.id: number for number, passage in enumerate(passages, 1)}
    lines = []
    for place, part in enumerate(parts, 1):
        answer = one_line(part.get("answer", "")) or "not answered"
        shown = sorted(numbers[name] for name in part.get("cited", []) if name in numbers)
        marks = "".join(f"[{number}]" for number in shown)
        lines.append(f"{place}. {one_line(part['question'])} {answer} {marks}".rstrip())
    return "\n".join(lines) or "none"


async def _close(
    run: Run, tree: Plan, path: str, *, may_ask: bool
) -> tuple[PlanNode, Attempt[Closing]]:
    """The question with its answer, and the call; without passages there is no call."""
    node, parts, root = tree[path], children_of(tree, path), path == ROOT
    passages = await run.passages(passage_ids(closing_evidence(tree, path)))
    if not passages and not (root and run.settings.answer.knowledge == "both"):
        reason = because(node, "no passage was found")
        return {**node, "answer": UNKNOWN, "reason": reason}, Attempt(None)
    style = run.settings.answer if root else AnswerSettings(style="short")
    values = {
        "passages": format_passages(passages, run.settings) or "none",
        "findings": format_findings(parts, passages),
        "question": one_line(node["question"]),
        "style": writing(style),
        "again": MAY_ASK_AGAIN if may_ask else MUST_ANSWER,
    }
    step = CLOSING_STEP if root else step_id(path)
    attempt = await run.try_call(CLOSE, values, step=step, final=root)
    if (output := attempt.output) is None:
        answer = _only_conclusion(parts)
        if root:
            answer = attempt.answer_instead(answer)
        reason = because(node, attempt.reason)
        return {**node, "answer": answer, "reason": reason, "unconfirmed": ""}, attempt
    closed: PlanNode = {
        **node,
        "answer": UNKNOWN if is_unknown(output.answer) else output.answer,
        "cited": numbered(passages, output.passages),
        "cut": output.cut,
    }
    closed["unconfirmed"] = "" if closed["answer"] == UNKNOWN else one_line(output.unconfirmed)
    return closed, attempt


def _only_conclusion(parts: Sequence[PlanNode]) -> str:
    """Without a closing call: the answer that all others lead to, if there is only one such."""
    last = [part for part in parts if not part.get("needed")]
    answers = [part.get("answer", UNKNOWN) for part in last]
    return answers[0] if len(answers) == 1 and not is_unknown(answers[0]) else UNKNOWN


def _ask_again(tree: Plan, node: PlanNode, output: Closing) -> dict[str, PlanNode | None]:
    """The tree with one reworded sub-question, or nothing if no sub-question is to be repeated.

    Sub-questions that depend on its answer wait for it again. An answer counts more than a wish to
    ask again.
    """
    parts = children_of(tree, node["path"])
    better = one_line(output.in_other_words)
    asked = {plain(text) for other in (node, *parts) for text in _wordings(other)}
    if not is_unknown(output.answer) or not 1 <= output.again <= len(parts):
        return {}
    if plain(better) in asked | {""}:
        return {}
    old = parts[output.again - 1]
    thrown = Thrown(
        question=old["question"],
        answer=old.get("answer", UNKNOWN),
        reason=f"asked again in other words: {better}",
    )
    update: dict[str, PlanNode | None] = {
        node["path"]: {**node, "replaced": [*node.get("replaced", []), thrown]},
        old["path"]: _to_answer(old, better, simple=True),
    }
    again = {old["path"]}
    for part in parts:  # a part refers only to earlier parts
        if again.intersection(part.get("needs", [])):
            again.add(part["path"])
            written = part.get("written", part["question"])
            asked_anew = _to_answer(part, written, simple=part.get("simple", False))
            update[part["path"]] = {**asked_anew, "needs": part["needs"]}
    return update | {gone["path"]: None for path in again for gone in below(tree, path)}


def _to_answer(part: PlanNode, question: str, *, simple: bool) -> PlanNode:
    path, needed = part["path"], part.get("needed", False)
    return PlanNode(path=path, question=question, status="to answer", needed=needed, simple=simple)


def _wordings(node: PlanNode) -> list[str]:
    """The question and those that it replaced."""
    return [node["question"], *(thrown.get("question", "") for thrown in node.get("replaced", []))]


def _cite(tree: Plan, passages: Sequence[Passage]) -> Cited:
    """The answer with quotes for its statements, or for the findings and then for itself."""
    root = tree[ROOT]
    if is_unknown(root["answer"]):
        return Cited(root["answer"], [])
    found = [part for part in leaves(tree) if part["path"] != ROOT]
    claims = [
        (f"{node['question']} {node['answer']}", passage)
        for node in (*found, root)
        if found and not is_unknown(node.get("answer", UNKNOWN))
        for passage in passages
        if passage.id in node.get("cited", [])
    ]
    numbers = [
        number for number, passage in enumerate(passages, 1) if passage.id in root.get("cited", [])
    ]
    return cite_answer(root["question"], root["answer"], passages, numbers, findings=claims)


def _closing_step(tree: Plan, evidence: list[Evidence]) -> Step:
    root, parts = tree[ROOT], children_of(tree, ROOT)
    step = Step(
        id=CLOSING_STEP,
        kind="aggregate",
        title="Answer from the findings",
        question=root["question"],
        answer=root["answer"],
        passages=evidence,
        reason=f"from {len(parts)} findings" if parts else "the question was not split",
    )
    if "cited" not in root:  # no closing call gave the answer
        step |= {"verdict": verdicts.FALLBACK, "reason": add_reason(step["reason"], root["reason"])}
    if root.get("cut"):
        step = mark_cut(step)
    if unconfirmed := root.get("unconfirmed"):
        step["facts"] = {"unconfirmed": unconfirmed}
    return step
