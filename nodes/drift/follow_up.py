"""Follow-up questions, each answered by one step of local search, round by round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Send

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.drift.primer import MOST_FOLLOW_UPS, explored
from hopyard.nodes.global_search.points import points_from_passages
from hopyard.nodes.local_search.answer import shown_context
from hopyard.nodes.local_search.gather import gather
from hopyard.nodes.local_search.linking import link
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.drift import FOLLOW_UP
from hopyard.prompts.strategies.global_search import BEST_SCORE
from hopyard.state.drift import (
    DriftState,
    FollowUp,
    FollowUpTask,
    Proposal,
    follow_up_id,
)
from hopyard.state.local_search import LocalState
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import Context

__all__ = ("answer_follow_up", "follow_up_tasks", "new_questions", "next_round")

ROUNDS: Final = 2
"""Rounds of follow-up questions (published tool: 3)."""
_BETWEEN_WORDS: Final = re.compile(r"\W+")


async def next_round(state: DriftState) -> dict[str, Any]:
    """Choose the follow-up questions of the next round; none if there is no next round.

    If the reports lead to no follow-up question, the question itself is asked.
    """
    number, asked = state["round"] + 1, state["asked"]
    following: list[FollowUp] = []
    if number <= ROUNDS and not state["truncated"]:
        best = new_questions(state["proposals"], [follow_up["question"] for follow_up in asked])
        if number == 1 and not best:
            question = one_line(state["question"])
            best = [Proposal(question=question, score=BEST_SCORE, parent="")]
        following = [
            FollowUp(**proposal, step=follow_up_id(number, place))
            for place, proposal in enumerate(best[:MOST_FOLLOW_UPS], 1)
        ]
    return {"round": number, "following": following, "asked": [*asked, *following]}


def new_questions(proposals: Sequence[Proposal], asked: Sequence[str]) -> list[Proposal]:
    """The proposals with a score above 0 that were not asked, each once, best first.

    Letter case, punctuation and white space make no difference between questions.
    """
    seen, found = set(map(_words, asked)), []
    for proposal in sorted(proposals, key=lambda proposal: -proposal["score"]):
        words = _words(proposal["question"])
        if proposal["score"] and words and words not in seen:
            seen.add(words)
            found.append(proposal)
    return found


def _words(question: str) -> str:
    return _BETWEEN_WORDS.sub(" ", question.casefold()).strip()


def follow_up_tasks(state: DriftState) -> list[Send] | Literal["reduce"]:
    """One task for each follow-up question of the round; all of them run side by side."""
    following = state["following"]
    return [
        Send(
            "follow_up",
            FollowUpTask(
                run=state["run"],
                question=state["question"],
                follow_up=follow_up,
                round=state["round"],
                asked=[asked["question"] for asked in state["asked"]],
                alone=len(following) == 1 and not state["points"],
                written=state["written"],
            ),
        )
        for follow_up in following
    ] or "reduce"


async def answer_follow_up(state: FollowUpTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Gather the context of local search for a follow-up question, and find points in it.

    Raises:
        ModelOutputError: The only call of the round failed and there is no point yet: a resumed
            run may have more luck.
    """
    run, asked = await run_of(state, runtime), state["follow_up"]
    step = Step(id=asked["step"], kind="follow-up", parent=asked["parent"])
    step |= {"title": f"Follow-up: {asked['question']}", "question": asked["question"]}
    passages, texts, shown, steps, cut = await _context(run, state, runtime)
    if not passages:
        return {"notes": [step | {"reason": "nothing was found"}, *steps], "truncated": cut}
    values = {
        "passages": shown,
        "question": one_line(state["question"]),
        "follow_up": asked["question"],
        "asked": "\n".join(f"- {question}" for question in state["asked"]),
        "most": str(MOST_FOLLOW_UPS if state["round"] < ROUNDS else 0),
    }
    attempt = await run.try_call(FOLLOW_UP, values, step=step["id"])
    output = attempt.output
    if output is None:
        if state["alone"]:
            attempt.check_needed()
        return {"notes": [attempt.mark(step), *steps], "truncated": cut or attempt.truncated}
    points = points_from_passages(output.points, [passage.id for passage in passages])
    update = explored(run, step, output, points)
    looked_at = [passage.id for passage in passages[:texts]]
    return update | {
        "notes": [*update["notes"], *steps],
        "looked_at": looked_at,
        "truncated": cut,
    }


async def _context(
    run: Run, state: FollowUpTask, runtime: Runtime[Context]
) -> tuple[list[Passage], int, str, list[Step], bool]:
    """The numbered passages, the number of those shown whole, the text of the prompt, the steps.

    The last value says whether the budget ended a search.
    """
    asked = state["follow_up"]
    local: Any = {"run": state["run"], "question": asked["question"], "steps": []}
    local |= await link(local, runtime)
    local["written"] = [report for report in state["written"].values() if report]
    local |= await gather(local, runtime)
    gathered: LocalState = local
    passages, shown = await shown_context(run, gathered)
    steps = [
        Step(**{**step, "id": f"{asked['step']}-{step['id']}", "parent": asked["step"]})
        for step in gathered["steps"]
    ]
    return passages, gathered["selection"]["texts"], shown, steps, gathered["truncated"]
