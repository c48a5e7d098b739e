"""Threads that an older version began: those whose steps still exist go on, others say so."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from hopyard.graphs import router, tree
from hopyard.nodes.lifecycle import start_run
from hopyard.state.errors import UsageError
from hopyard.state.schemas import StrategyInput, StrategyOutput, StrategyState
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES, Strategy

from .conftest import changed
from .script import Script

QUESTION = "When was the Iron Bridge opened?"
SENTENCE = r"^This thread was started by an older version .* again on another thread\."
THREAD: Any = {"configurable": {"thread_id": "t"}}


class KilledError(BaseException):
    """The process ends here."""


class Version:
    """A version of the strategy `leap`, whose second step is killed once."""

    def __init__(self, second: str) -> None:
        self.killed = False
        self.graph: Any = (
            StateGraph(StrategyState, input_schema=StrategyInput, output_schema=StrategyOutput)
            .add_sequence([("start", start_run), (second, self.leap)])
            .add_edge(START, "start")
            .add_edge(second, END)
            .compile(name="leap")
        )

    async def leap(self, state: StrategyState) -> dict[str, Any]:
        """Answer, if the process is not killed."""
        if not self.killed:
            self.killed = True
            raise KilledError
        return {"answer": "1781", "citations": [], "evidence": [], "steps": [], "usage": {}}


@pytest.mark.parametrize("second", ["leap", "hop"])
async def test_a_thread_goes_on_if_its_next_step_still_exists(
    context: Context, script: Script, second: str
) -> None:
    saver, old, new = InMemorySaver(), Version("leap"), Version(second)
    new.killed = True
    try:
        STRATEGIES.register(Strategy("leap", "Leaps.", graph=old.graph))
        forced = changed(context, strategy="leap")
        agent = router.build().compile(checkpointer=saver)
        with pytest.raises(KilledError):
            await agent.ainvoke({"question": QUESTION}, THREAD, context=forced)
        STRATEGIES.register(Strategy("leap", "Leaps.", graph=new.graph))
        agent = router.build().compile(checkpointer=saver)
        if second == "leap":
            output = await agent.ainvoke(None, THREAD, context=forced)
            assert output["answer"] == "1781"
        else:
            with pytest.raises(UsageError, match=SENTENCE):
                await agent.ainvoke(None, THREAD, context=forced)
    finally:
        STRATEGIES.unregister("leap")


async def test_a_tree_whose_sub_questions_depend_on_each_other_is_not_continued(
    context: Context, script: Script
) -> None:
    """The tree of older versions had the steps of today's, which would read it wrongly."""
    part = {"path": "1", "question": "#1?", "status": "to answer", "needs": []}
    graph = tree.graph.builder.compile(checkpointer=InMemorySaver())
    root = {"path": "", "question": QUESTION, "status": "to judge"}
    values = {"question": QUESTION, "run": "r", "truncated": False, "tree": {"": root, "1": part}}
    await graph.aupdate_state(THREAD, values, as_node="init")
    with pytest.raises(UsageError, match=SENTENCE):
        await graph.ainvoke(None, THREAD, context=context)
    assert script.asked == []
