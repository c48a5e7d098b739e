"""What every strategy owes, as a test class. A strategy's tests inherit it.

class TestMine(StrategyContract):
    graph = mine.graph
    question = "…"
    lines = {("read", "…"): said("…")}
    answer = "…"
    calls = 1
"""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, Any, ClassVar

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send
from model_server import ModelServer, Reply
from typing_extensions import TypedDict

from hopyard.prompts.answer import UNKNOWN
from hopyard.state.errors import IndexMissingError, ModelUnreachableError, UsageError
from hopyard.state.settings import Context

from .checkpointed import plain_values, saved_values
from .conftest import changed
from .script import GARBAGE, Said, Script, said

OUTPUT = {"answer", "citations", "evidence", "steps", "truncated", "usage"}
USAGE = {"model_calls", "cached_calls", "input_tokens", "output_tokens", "seconds"}


class Questions(TypedDict):
    """The state of a user's own graph that asks a strategy several questions at once."""

    questions: list[str]
    answers: Annotated[list[tuple[str, str]], operator.add]
    evidence: Annotated[list[Any], operator.add]


class StrategyContract:
    """Inherit, and set what stands in the class body."""

    graph: ClassVar[CompiledStateGraph[Any, Any, Any, Any]]
    question: ClassVar[str]
    lines: ClassVar[dict[tuple[str, str], Said | list[Said]]]
    """What the model says when it is asked the question."""
    answer: ClassVar[str]
    """What the strategy makes of that."""
    calls: ClassVar[int]
    """Model calls that it takes."""
    retrieves: ClassVar[bool] = True

    @pytest.fixture(autouse=True)
    def _scripted(self, script: Script) -> None:
        script.lines = dict(self.lines)

    async def ask(self, context: Context, question: str | None = None) -> dict[str, Any]:
        asked = {"question": self.question if question is None else question}
        return await self.graph.ainvoke(asked, context=context)

    async def test_a_question_alone_gives_the_whole_output(
        self, context: Context, script: Script
    ) -> None:
        output = await self.ask(context)
        assert set(output) == OUTPUT
        assert output["answer"] == self.answer
        assert output["truncated"] is False
        assert set(output["usage"]) == USAGE
        assert output["usage"]["model_calls"] == len(script.asked) == self.calls
        assert output["usage"]["input_tokens"] > output["usage"]["output_tokens"] > 0

    @pytest.mark.parametrize("question", ["", "  \n ", "?" * 4001])
    async def test_a_question_that_is_none_is_refused_before_anything_is_spent(
        self, context: Context, script: Script, question: str
    ) -> None:
        with pytest.raises(UsageError):
            await self.ask(context, question)
        with pytest.raises(UsageError):
            await self.graph.ainvoke({"run": "nameless"}, context=context)
        assert script.asked == []

    @pytest.mark.parametrize("budget", [1, 2, 3])
    async def test_a_budget_is_kept_and_said(
        self, context: Context, script: Script, budget: int
    ) -> None:
        output = await self.ask(changed(context, budget__calls=budget))
        assert len(script.asked) <= budget
        assert output["usage"]["model_calls"] == len(script.asked)
        assert output["truncated"] is (budget < self.calls)
        assert output["answer"]
        if budget < self.calls:
            assert "budget" in "".join(step.get("reason", "") for step in output["steps"])

    async def test_a_retry_is_paid_from_the_budget(self, context: Context, script: Script) -> None:
        script.lines = {key: [GARBAGE, GARBAGE] for key in script.lines}
        output = await self.ask(changed(context, budget__calls=1, retries=2))
        assert len(script.asked) == 1
        assert output["truncated"] is True

    async def test_citations_stand_in_their_passages(
        self, context: Context, passages: dict[str, str]
    ) -> None:
        output = await self.ask(context)
        for citation in output["citations"]:
            assert set(citation) == {"passage_id", "title", "quote"}
            assert citation["quote"] in passages[citation["passage_id"]]
            assert citation["passage_id"] in [one["passage_id"] for one in output["evidence"]]
        assert bool(output["citations"]) is self.retrieves

    async def test_evidence_is_in_the_index(
        self, context: Context, passages: dict[str, str]
    ) -> None:
        output = await self.ask(context)
        assert bool(output["evidence"]) is self.retrieves
        for one in output["evidence"]:
            assert set(one) == {"passage_id", "score"}
            assert one["passage_id"] in passages
            assert type(one["score"]) is float
        found = [one["passage_id"] for one in output["evidence"]]
        assert len(found) == len(set(found))

    async def test_state_is_plain_and_holds_no_passage(
        self, context: Context, passages: dict[str, str]
    ) -> None:
        saver = InMemorySaver()
        graph = self.graph.copy({"checkpointer": saver})
        output = await graph.ainvoke(
            {"question": self.question}, {"configurable": {"thread_id": "t"}}, context=context
        )
        quotes = {citation["quote"] for citation in output["citations"]}
        saved = [value for one in await saved_values(saver) for value in plain_values(one)]
        assert self.question in saved
        texts = {value for value in saved if isinstance(value, str)} - quotes
        for passage in passages.values():
            assert not [text for text in texts if passage in text]

    async def test_a_thread_of_its_own_begins_afresh(
        self, context: Context, script: Script
    ) -> None:
        graph = self.graph.copy({"checkpointer": InMemorySaver()})
        config: Any = {"configurable": {"thread_id": "t"}}
        tight = changed(context, budget__calls=1)
        await graph.ainvoke({"question": "Another thing entirely?"}, config, context=tight)
        script.asked.clear()
        output = await graph.ainvoke({"question": self.question}, config, context=context)
        alone = await self.ask(context)
        assert output["usage"]["model_calls"] == len(script.asked) == self.calls
        for key in OUTPUT - {"usage"}:
            assert output[key] == alone[key]

    async def test_a_second_run_pays_nothing(self, context: Context, script: Script) -> None:
        first = await self.ask(context)
        script.asked.clear()
        second = await self.ask(context)
        assert script.asked == []
        assert second["usage"]["model_calls"] == 0
        assert second["usage"]["cached_calls"] == self.calls
        assert second["usage"]["input_tokens"] == second["usage"]["output_tokens"] == 0
        for key in OUTPUT - {"usage"}:
            assert second[key] == first[key]

    async def test_usage_is_counted_to_the_run_that_was_given(self, context: Context) -> None:
        asked = {"question": self.question, "run": "mine"}
        await self.graph.ainvoke(asked, context=context)
        again = await self.graph.ainvoke(asked, context=context)
        assert again["usage"]["model_calls"] == again["usage"]["cached_calls"] == self.calls

    async def test_a_model_that_talks_rubbish_gives_unknown_and_why(
        self, context: Context, model_server: ModelServer
    ) -> None:
        model_server.answer = lambda title, messages: GARBAGE
        output = await self.ask(context)
        assert output["answer"] == UNKNOWN
        assert output["citations"] == []
        assert output["truncated"] is False
        assert "no usable output" in "".join(step.get("reason", "") for step in output["steps"])

    async def test_a_model_that_is_not_there_is_an_error(
        self, context: Context, model_server: ModelServer
    ) -> None:
        model_server.answer = lambda title, messages: Reply(401)
        with pytest.raises(ModelUnreachableError):
            await self.ask(context)

    async def test_an_index_that_is_not_there_is_an_error(
        self, context: Context, tmp_path: Any
    ) -> None:
        nowhere = changed(context, index=str(tmp_path / "nowhere"))
        if not self.retrieves:
            assert (await self.ask(nowhere))["answer"] == self.answer
            return
        with pytest.raises(IndexMissingError):
            await self.ask(nowhere)
        with pytest.raises(UsageError, match="--index"):
            await self.ask(changed(context, index=""))

    async def test_a_users_own_graph_asks_many_side_by_side(
        self, context: Context, script: Script
    ) -> None:
        others = ["How long is the Danube?", "Where is Coalbrookdale?"]
        for other in others:
            script.lines |= {(kind, other): said("so") for kind in ("read", "direct")}
        strategy = self.graph

        async def ask(state: Any, config: RunnableConfig) -> dict[str, Any]:
            output = await strategy.ainvoke({"question": state["question"]}, config)
            return {
                "answers": [(state["question"], output["answer"])],
                "evidence": output["evidence"],
            }

        own = (
            StateGraph(Questions, context_schema=Context)
            .add_node("ask", ask)
            .add_conditional_edges(
                START,
                lambda state: [Send("ask", {"question": one}) for one in state["questions"]],
                ["ask"],
            )
            .add_edge("ask", END)
            .compile(checkpointer=InMemorySaver())
        )
        given = {"questions": [self.question, *others], "answers": [], "evidence": []}
        output = await own.ainvoke(given, {"configurable": {"thread_id": "t"}}, context=context)
        assert output["answers"] == [(self.question, self.answer), *((one, "so") for one in others)]
        assert bool(output["evidence"]) is self.retrieves

    async def test_it_is_a_node_of_a_users_own_graph_under_send(self, context: Context) -> None:
        """As a node it writes the output keys that the two graphs share, and nothing else."""
        own = (
            StateGraph(Questions, context_schema=Context)
            .add_node("strategy", self.graph)
            .add_conditional_edges(
                START,
                lambda state: [Send("strategy", {"question": one}) for one in state["questions"]],
                ["strategy"],
            )
            .add_edge("strategy", END)
            .compile()
        )
        given = {"questions": [self.question, self.question], "answers": [], "evidence": []}
        output, alone = await asyncio.gather(own.ainvoke(given, context=context), self.ask(context))
        assert output["evidence"] == [*alone["evidence"], *alone["evidence"]]
        assert output["questions"] == given["questions"]
