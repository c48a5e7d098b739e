"""The agent: route and follow-up turns."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from hopyard.graphs import router
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import plain_values, saved_values

from .conftest import changed
from .script import GARBAGE, STONE, Script, said, split
from .script import IRON as QUESTION

EVERYWHERE = ("direct", "single", "tree")
"""Those that need no more of an index than every index has."""
OUTPUT = {
    "question",
    "messages",
    "answer",
    "strategy",
    "gate",
    "route",
    "citations",
    "evidence",
    "steps",
    "truncated",
    "ending",
    "unconfirmed",
    "read_share",
    "explanation",
    "usage",
}
CONFIG: Any = {"configurable": {"thread_id": "t"}}


@pytest.fixture
def agent() -> CompiledStateGraph[Any, Any, Any, Any]:
    """The agent with a memory."""
    return router.build().compile(checkpointer=InMemorySaver())


async def ask_agent(context: Context, question: str = QUESTION, **settings: Any) -> dict[str, Any]:
    return await router.graph.ainvoke({"question": question}, context=changed(context, **settings))


class TestRoute:
    @pytest.mark.parametrize("strategy", EVERYWHERE)
    async def test_a_forced_strategy_asks_no_one(
        self, context: Context, script: Script, strategy: str
    ) -> None:
        output = await ask_agent(context, strategy=strategy)
        assert set(output) == OUTPUT
        assert "route" not in script.counts
        assert output["strategy"] == strategy
        assert output["route"] == {
            "strategy": strategy,
            "by": "forced",
            "probability": None,
            "reason": "the caller asked for it",
        }
        assert output["usage"]["model_calls"] == len(script.asked)

    @pytest.mark.parametrize("strategy", EVERYWHERE)
    async def test_the_model_chooses(self, context: Context, script: Script, strategy: Any) -> None:
        script.lines = {("route", QUESTION): {"strategy": strategy}}
        output = await ask_agent(context)
        assert script.asked[0] == ("route", QUESTION)
        assert output["strategy"] == strategy
        assert output["route"] == {
            "strategy": strategy,
            "by": "model",
            "probability": None,
            "reason": STRATEGIES[strategy].route.reason,
        }
        assert output["usage"]["model_calls"] == len(script.asked)

    async def test_a_capable_model_takes_the_chain_in_one_call(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {("step", QUESTION): {"kind": "answer", "answer": "1781"}}
        output = await ask_agent(context, profile="capable")
        assert script.asked == [("step", QUESTION)]
        assert (output["answer"], output["strategy"]) == ("1781", "chain")
        assert output["route"]["by"] == "default"

    async def test_without_an_index_a_capable_model_chooses_too(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {("route", QUESTION): {"strategy": "direct"}}
        output = await ask_agent(context, profile="capable", index="")
        assert script.asked[0] == ("route", QUESTION)
        assert output["route"]["by"] == "model"

    @pytest.mark.parametrize("choice", [GARBAGE, {"strategy": "astrology"}, {}])
    async def test_a_route_that_fails_is_single_and_says_so(
        self, context: Context, script: Script, choice: Any
    ) -> None:
        script.lines = {("route", QUESTION): choice}
        output = await ask_agent(context)
        assert output["strategy"] == "single"
        assert output["route"]["by"] == "fallback"
        assert "'route' got no usable output" in output["route"]["reason"]
        assert output["answer"] == f"read: {QUESTION}"

    async def test_a_route_without_budget_is_single(self, context: Context, script: Script) -> None:
        output = await ask_agent(context, budget__calls=1)
        assert script.asked == [("read", QUESTION)]
        assert output["route"]["by"] == "budget"
        assert "budget" in output["route"]["reason"]
        assert output["truncated"] is True

    @pytest.mark.parametrize("calls", [1, 2, 3, 4])
    async def test_route_and_strategy_share_the_budget(
        self, context: Context, script: Script, calls: int
    ) -> None:
        script.lines = {
            ("route", QUESTION): {"strategy": "tree"},
            ("split", QUESTION): split(STONE, "Where is it?"),
        }
        output = await ask_agent(context, budget__calls=calls)
        assert len(script.asked) == calls == output["usage"]["model_calls"]
        assert output["truncated"] is True


class TestInput:
    @pytest.mark.parametrize(
        "given",
        [
            {"question": " "},
            {"messages": []},
            {"messages": [HumanMessage("")]},
            {"messages": [AIMessage("Hello!")]},
        ],
    )
    async def test_without_a_question_nothing_is_spent(
        self, context: Context, script: Script, given: Any
    ) -> None:
        with pytest.raises(UsageError, match="empty"):
            await router.graph.ainvoke(given, context=context)
        assert script.asked == []

    @pytest.mark.parametrize(
        "message",
        [HumanMessage(QUESTION), ("user", QUESTION), {"role": "user", "content": QUESTION}],
    )
    async def test_a_message_is_a_question(
        self, context: Context, script: Script, agent: Any, message: Any
    ) -> None:
        single = changed(context, strategy="single")
        output = await agent.ainvoke({"messages": [message]}, CONFIG, context=single)
        assert output["question"] == QUESTION
        assert script.counts == {"read": 1}
        messages = (await agent.aget_state(CONFIG)).values["messages"]
        assert [(message.type, message.text) for message in messages] == [
            ("human", QUESTION),
            ("ai", f"read: {QUESTION}"),
        ]

    async def test_a_message_of_several_parts(self, context: Context, script: Script) -> None:
        parts: Any = [{"type": "text", "text": text} for text in ("When was the Iron ", "Bridge?")]
        output = await router.graph.ainvoke(
            {"messages": [HumanMessage(parts)]}, context=changed(context, strategy="direct")
        )
        assert output["question"] == "When was the Iron Bridge?"

    async def test_a_conversation_given_at_once_is_read_with_its_history(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {("rewrite", "And the other?"): {"question": STONE}}
        given = [HumanMessage(QUESTION), AIMessage("1781"), HumanMessage("And the other?")]
        output = await router.graph.ainvoke(
            {"messages": given}, context=changed(context, strategy="single")
        )
        assert output["question"] == STONE
        assert script.turns[0] == (
            f"Conversation:\nUser: {QUESTION}\nAssistant: 1781\n\nLast question: And the other?"
        )


class TestFollowUp:
    async def test_it_is_made_to_stand_alone_and_begins_afresh(
        self, context: Context, script: Script, agent: Any
    ) -> None:
        script.lines = {
            ("read", QUESTION): said("1781"),
            ("rewrite", "And the other?"): {"question": STONE},
            ("read", STONE): said("1146"),
        }
        single = changed(context, strategy="single")
        first = await agent.ainvoke({"question": QUESTION}, CONFIG, context=single)
        second = await agent.ainvoke({"question": "And the other?"}, CONFIG, context=single)
        assert "rewrite" not in [step["kind"] for step in first["steps"]]
        assert second["question"] == STONE
        assert second["answer"] == "1146"
        assert [step["kind"] for step in second["steps"]] == ["rewrite", "search", "read"]
        assert second["steps"][0] == {
            "id": "rewrite",
            "kind": "rewrite",
            "title": "Understand the follow-up",
            "question": "And the other?",
            "answer": STONE,
            "reason": "rewritten to be understood alone",
        }
        named = [unit["id"] for unit in second["steps"][1]["passages"]]
        assert [unit["id"] for unit in second["evidence"]] == named
        assert first["citations"][0]["quote"] == "The Iron Bridge was opened in 1781."
        assert first["citations"][0] not in second["citations"]
        assert second["usage"]["model_calls"] == 2  # this turn's alone
        messages = (await agent.aget_state(CONFIG)).values["messages"]
        assert [message.text for message in messages[:2]] == [QUESTION, "1781"]
        assert [message.text for message in messages[2:]] == ["And the other?", "1146"]

    async def test_nothing_of_a_tree_stays_for_a_direct_turn(
        self, context: Context, script: Script, agent: Any
    ) -> None:
        script.lines = {
            ("split", QUESTION): split(STONE, "Where is it?"),
            ("read", STONE): said("1146"),
            ("rewrite", "Thanks!"): {"question": "Thanks!"},
        }
        tree = changed(context, strategy="tree", budget__calls=4)
        first = await agent.ainvoke({"question": QUESTION}, CONFIG, context=tree)
        assert first["truncated"] is True
        assert first["evidence"]
        direct = changed(context, strategy="direct")
        second = await agent.ainvoke({"question": "Thanks!"}, CONFIG, context=direct)
        assert second["evidence"] == second["citations"] == []
        assert second["truncated"] is False
        assert [step["kind"] for step in second["steps"]] == ["rewrite"]
        assert second["route"]["strategy"] == second["strategy"] == "direct"

    async def test_two_trees_on_a_thread_do_not_grow_together(
        self, context: Context, script: Script, agent: Any
    ) -> None:
        script.lines = {
            ("split", QUESTION): split(STONE, "Where is it?"),
            ("rewrite", "How long is the Danube?"): {"question": "How long is the Danube?"},
        }
        tree = changed(context, strategy="tree")
        await agent.ainvoke({"question": QUESTION}, CONFIG, context=tree)
        second = await agent.ainvoke({"question": "How long is the Danube?"}, CONFIG, context=tree)
        ids = ["rewrite", "tree-root", "aggregate", "note-1"]
        assert [step["id"] for step in second["steps"]] == ids

    async def test_a_rewrite_that_fails_takes_the_question_as_it_is(
        self, context: Context, script: Script, agent: Any
    ) -> None:
        script.lines = {("rewrite", "And the other?"): GARBAGE}
        single = changed(context, strategy="single")
        await agent.ainvoke({"question": QUESTION}, CONFIG, context=single)
        second = await agent.ainvoke({"question": "And the other?"}, CONFIG, context=single)
        assert second["question"] == "And the other?"
        assert second["steps"][0]["reason"].startswith("kept unchanged: The prompt 'rewrite'")

    async def test_only_the_last_turns_are_shown(self, context: Context, script: Script) -> None:
        history: list[Any] = []
        for number in range(9):
            history += [HumanMessage(f"question {number}"), AIMessage(f"answer\n{number}")]
        await router.graph.ainvoke(
            {"messages": [*history, HumanMessage("And now?")]},
            context=changed(context, strategy="direct"),
        )
        conversation = script.turns[0].partition("\n\n")[0].splitlines()[1:]
        assert len(conversation) == 6
        assert conversation[0] == "User: question 6"
        assert conversation[-1] == "Assistant: answer 8"


@pytest.mark.parametrize("strategy", EVERYWHERE)
async def test_state_is_plain_and_holds_no_passage(
    context: Context, script: Script, passages: dict[str, str], strategy: str
) -> None:
    """Subgraphs write checkpoints of their own: all of them are looked at."""
    script.lines = {
        ("split", QUESTION): split(STONE, "Where is it?"),
        ("read", STONE): said("1146"),
        ("aggregate", QUESTION): said("1781"),
        ("rewrite", QUESTION): {"question": QUESTION},
    }
    saver = InMemorySaver()
    agent: Any = router.build().compile(checkpointer=saver)
    settings = changed(context, strategy=strategy)
    for _ in range(2):
        output = await agent.ainvoke({"question": QUESTION}, CONFIG, context=settings)
    quotes = {citation["quote"] for citation in output["citations"]}
    saved = [inner for value in await saved_values(saver) for inner in plain_values(value)]
    texts = {value for value in saved if isinstance(value, str)} - quotes
    assert QUESTION in texts
    for passage in passages.values():
        assert not [text for text in texts if passage in text]
