"""Time travel, approvals in subgraphs and runs that start again: no call is paid for twice.

LangGraph runs nodes again: a node with an interrupt when it is answered, a whole subgraph when
somebody travels to a checkpoint inside it (issue 8458), branches whose siblings failed. So the
ledger has to answer what was paid for. Here are the cases that its users have met.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from approvals import APPROVE, edit, proposed, question
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, StateSnapshot

from hopyard.graphs import router
from hopyard.state.settings.fields import Context

from .conftest import changed
from .script import Script, full_tree, said
from .tree.trees import nodes

QUESTION = "All?"
HALVES = ["All left?", "All right?"]
CALLS = 16
"""A full tree of depth 2: 3·3 for its inner questions, 6 readings, 1 answer."""
THREAD: Any = {"configurable": {"thread_id": "t"}}


@pytest.fixture
def agent() -> Any:
    return router.build().compile(checkpointer=InMemorySaver())


@pytest.fixture
def tree(context: Context, script: Script) -> Context:
    script.lines = {**full_tree(QUESTION, 2), ("aggregate", QUESTION): said("The left one")}
    return changed(context, strategy="tree", tree__max_depth=2)


@pytest.fixture
async def done(agent: Any, tree: Context, script: Script) -> Any:
    """A thread that was answered; what it asked is forgotten."""
    await agent.ainvoke({"question": QUESTION}, THREAD, context=tree)
    assert len(script.asked) == CALLS
    script.asked.clear()
    return agent


async def before(agent: Any, node: str) -> StateSnapshot:
    """The checkpoint that a node started from."""
    history = [state async for state in agent.aget_state_history(THREAD)]
    return next(state for state in history if state.next == (node,))


async def inside(agent: Any) -> list[RunnableConfig]:
    """The checkpoints inside the strategy's subgraph, the newest first."""
    saver = agent.checkpointer
    found: list[RunnableConfig] = [
        saved.config
        async for saved in saver.alist({"configurable": {"thread_id": "t"}})
        if saved.config["configurable"]["checkpoint_ns"].startswith("tree:")
    ]
    return found


@pytest.mark.parametrize("node", ["receive", "gate", "route", "tree", "check", "finish"])
async def test_travelling_to_any_step_pays_for_nothing(
    done: Any, tree: Context, script: Script, node: str
) -> None:
    place = await before(done, node)
    again = await done.ainvoke(None, place.config, context=tree)
    assert again["answer"] == "The left one"
    assert [message.text for message in again["messages"]] == [QUESTION, "The left one"]
    assert again["usage"]["model_calls"] in {0, CALLS}  # `receive` makes it another run
    assert script.asked == []


async def test_a_fork_with_another_question_is_answered_and_the_old_branch_stays(
    done: Any, tree: Context, script: Script
) -> None:
    place = await before(done, "tree")
    forked = await done.aupdate_state(place.config, {"question": HALVES[0]})
    other = await done.ainvoke(None, forked, context=tree)
    assert other["question"] == HALVES[0]
    assert nodes(other)[""]["question"] == HALVES[0]
    paid = Counter(script.asked)
    assert max(paid.values()) == 1
    assert ("read", "All left left?") not in paid  # the ledger has its answer
    history = [state async for state in done.aget_state_history(THREAD)]
    ended = [state for state in history if not state.next]
    assert [state.values["question"] for state in ended] == [HALVES[0], QUESTION]


async def test_travelling_into_a_subgraph_pays_for_nothing(
    done: Any, tree: Context, script: Script
) -> None:
    """LangGraph may run the whole subgraph again (issue 8458)."""
    places = await inside(done)
    assert len(places) > 5
    for place in places:
        again = await done.ainvoke(None, place, context=tree)
        assert again["answer"] == "The left one"
    assert script.asked == []


class TestApprovals:
    @pytest.fixture
    def asking(self, tree: Context) -> Context:
        return changed(tree, approve="decomposition")

    async def start(self, agent: Any, asking: Context) -> Any:
        """The two branches of the tree wait, each for its own approval."""
        await agent.ainvoke({"question": QUESTION}, THREAD, context=asking)
        return await agent.ainvoke(Command(resume=APPROVE), THREAD, context=asking)

    async def test_branches_in_a_subgraph_wait_side_by_side(
        self, agent: Any, asking: Context, script: Script
    ) -> None:
        found = (await self.start(agent, asking))["__interrupt__"]
        waiting = sorted(found, key=lambda asked: question(asked.value))
        assert [question(asked.value) for asked in waiting] == HALVES
        assert len({asked.id for asked in waiting}) == 2
        answers = {
            waiting[0].id: APPROVE,
            waiting[1].id: edit("decomposition", sub_questions=["A?", "B?"]),
        }
        result = await agent.ainvoke(Command(resume=answers), THREAD, context=asking)
        assert result["answer"] == "The left one"
        assert nodes(result)["2.2"]["question"] == "B?"
        assert set(Counter(script.asked).values()) == {1}

    async def test_one_answer_for_two_branches_goes_to_neither(
        self, agent: Any, asking: Context
    ) -> None:
        """It is not for LangGraph to guess which branch it is meant for (issue 8579)."""
        await self.start(agent, asking)
        answer = edit("decomposition", question=HALVES[1], sub_questions=["A?", "B?"])
        with pytest.raises(RuntimeError, match="interrupt id"):
            await agent.ainvoke(Command(resume=answer), THREAD, context=asking)
        waiting = (await agent.aget_state(THREAD)).interrupts
        assert {question(asked.value) for asked in waiting} == {*HALVES}

    async def test_the_same_branch_is_asked_again_after_time_travel(
        self, agent: Any, asking: Context, script: Script
    ) -> None:
        """An answer that was given is not taken for the one that is asked for now."""
        waiting = (await self.start(agent, asking))["__interrupt__"]
        answers = {asked.id: APPROVE for asked in waiting}
        await agent.ainvoke(Command(resume=answers), THREAD, context=asking)
        script.asked.clear()
        place = await before(agent, "tree")
        again = await agent.ainvoke(None, place.config, context=asking)
        [asked] = again["__interrupt__"]
        assert (question(asked.value), proposed(asked.value)) == (QUESTION, HALVES)
        other = edit("decomposition", sub_questions=["A?", "B?"])
        result = await agent.ainvoke(Command(resume=other), THREAD, context=asking)
        assert nodes(result)["1"]["question"] == "A?"
        assert ("split", QUESTION) not in script.asked
        assert result["answer"] == "The left one"

    async def test_an_answer_may_name_the_newest_checkpoint(
        self, agent: Any, asking: Context, script: Script
    ) -> None:
        """Studio and the server name it with every answer."""
        await agent.ainvoke({"question": QUESTION}, THREAD, context=asking)
        head = (await agent.aget_state(THREAD)).config
        result = await agent.ainvoke(Command(resume=APPROVE), head, context=asking)
        assert {question(asked.value) for asked in result["__interrupt__"]} == {*HALVES}
        assert set(Counter(script.asked).values()) == {1}


class Crash(Exception):  # noqa: N818
    pass


@pytest.mark.parametrize("kind", ["route", "split", "rubric", "read", "judge", "aggregate"])
async def test_after_a_crash_nothing_finished_is_paid_for_again(
    agent: Any, tree: Context, script: Script, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hopyard.models.calls import call

    routed = changed(tree, strategy="auto", route="model")
    script.lines["route", QUESTION] = {"strategy": "tree"}
    record = call.ModelCaller._paid
    crashed: list[str] = []

    async def crash(self: Any, key: str, made: Any) -> Any:
        entry = await record(self, key, made)
        if not crashed and script.asked[-1][0] == kind:
            crashed.append(kind)
            raise Crash(kind)
        return entry

    monkeypatch.setattr(call.ModelCaller, "_paid", crash)
    with pytest.raises(Crash):
        await agent.ainvoke({"question": QUESTION}, THREAD, context=routed)
    result = await agent.ainvoke(None, THREAD, context=routed)
    assert result["answer"] == "The left one"
    assert set(Counter(script.asked).values()) == {1}
    assert len(script.asked) == CALLS + 1
