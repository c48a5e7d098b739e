"""The contract of a strategy."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from hopyard.indexes.index import Index
from hopyard.indexes.search import SEARCHES
from hopyard.models.calls import request
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.errors import (
    EXIT_MODEL,
    IndexMissingError,
    ModelOutputError,
    ModelUnreachableError,
    UsageError,
)
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.strategy import STRATEGIES, Strategy
from hopyard.state.usage import Usage
from hopyard.state.verdicts import FELL_SHORT
from hopyard.testing.checkpoints import plain_values, saved_values
from hopyard.testing.contract import Contract
from hopyard.testing.evidence import check_evidence
from hopyard.testing.models import FAILURES, GARBAGE, ScriptedChat

__all__ = ("StrategyContract",)

_OUTPUT: Final = {"answer", "citations", "evidence", "steps", "truncated", "usage"}
_MAY_GIVE: Final = {"ending", "read_share", "unconfirmed"}
_USAGE: Final = {*Usage.__annotations__}
_MOST_STEPS: Final = 100
_SEEN: Final = ("unfit", "empty", "refused", "unreachable")
"""Failures that differ for a strategy: in their error, and in whether the ledger keeps them."""
_KEPT: Final = {"unfit", "empty"}
"""Failures that the ledger keeps."""


class _Questions(TypedDict):
    """The state of a user's own graph that asks a strategy several questions at once."""

    questions: list[str]
    answers: Annotated[list[tuple[str, str]], operator.add]
    evidence: Annotated[list[Any], operator.add]


@pytest.mark.asyncio
class StrategyContract(Contract):
    """Contract tests of a strategy. Inherit it in a test class and set the attributes.

    Attributes:
        answer: The expected answer, given the chat model's `answers`.
        calls: How many model calls it takes.
        searches: The search methods that it is tried with.
    """

    strategy: ClassVar[Strategy]
    question: ClassVar[str]
    answer: ClassVar[str]
    calls: ClassVar[int]
    searches: ClassVar[Sequence[str]] = ("dense", "sparse", "hybrid", "mmr")
    settings: ClassVar[Mapping[str, Any]] = {"retrieval": {"k": 2}}

    @pytest.fixture(autouse=True)
    def registered(self) -> Any:
        """The strategy, by its name."""
        with STRATEGIES.registered(self.strategy):
            yield

    @pytest.fixture(scope="class")
    @classmethod
    def index(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """An index of the documents, with what the strategy and the searches need."""
        directory = tmp_path_factory.mktemp("contract") / "index"
        searches = (*cls.searches, cls.make_context().retrieval.method)
        needed = [need for search in searches for need in SEARCHES[search].needs]
        kinds = (*cls.strategy.needs, *needed, *cls.kinds)
        return asyncio.run(cls.build_index(directory, kinds))

    @pytest.fixture
    def context(self, index: Path, chat: ScriptedChat) -> Context:
        """The settings of a run."""
        return self.make_context(index)

    @pytest.fixture
    def passages(self, index: Path) -> dict[str, str]:
        """The text of every passage, by id."""
        with Index.open(index) as opened:
            return {passage.id: passage.text for passage in opened.corpus.passages()}

    @pytest.fixture
    def config(self, resources: Resources) -> RunnableConfig:
        """A configuration whose runs use the test's own resources, on a thread."""
        return config_with(resources, {"configurable": {"thread_id": "t"}})

    async def ask(
        self, context: Context, config: RunnableConfig, question: str | None = None
    ) -> dict[str, Any]:
        """Ask the strategy alone."""
        asked = {"question": self.question if question is None else question}
        output: dict[str, Any] = await self.strategy.load_graph().ainvoke(
            asked, config, context=context
        )
        return output

    def saved_graph(self, saver: InMemorySaver | None = None) -> Any:
        """The strategy's graph with a checkpointer."""
        return self.strategy.load_graph().copy({"checkpointer": saver or InMemorySaver()})

    async def test_a_question_gives_the_whole_output(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        output = await self.ask(context, config)
        assert set(output) - _MAY_GIVE == _OUTPUT
        assert output["answer"] == self.answer
        assert output["truncated"] is False
        assert set(output["usage"]) == _USAGE
        assert output["usage"]["model_calls"] == len(chat.requests) == self.calls
        assert output["usage"]["input_tokens"] > output["usage"]["output_tokens"] > 0

    @pytest.mark.parametrize("question", ["", "  \n ", "?" * 4001])
    async def test_an_unusable_question_is_refused_before_anything_is_spent(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat, question: str
    ) -> None:
        with pytest.raises(UsageError):
            await self.ask(context, config, question)
        with pytest.raises(UsageError):
            await self.strategy.load_graph().ainvoke(
                {"run": "no question"}, config, context=context
            )
        assert chat.requests == []

    @pytest.mark.parametrize("budget", [1, 2, 3])
    async def test_a_budget_is_kept_and_named(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat, budget: int
    ) -> None:
        output = await self.ask(change_context(context, {"budget": {"calls": budget}}), config)
        assert len(chat.requests) <= budget
        assert output["usage"]["model_calls"] == len(chat.requests)
        assert output["truncated"] is (budget < self.calls)
        assert output["answer"]
        if budget < self.calls:
            assert "budget" in _reasons(output)

    async def test_a_retry_is_paid_from_the_budget(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        chat.answers = lambda name, messages: GARBAGE
        tight = change_context(context, {"budget": {"calls": 1}})
        output = await self.ask(tight, config)
        assert len(chat.requests) == 1
        assert output["truncated"] is True

    async def test_quotes_and_evidence_are_in_the_index(
        self, context: Context, config: RunnableConfig, passages: dict[str, str]
    ) -> None:
        output = await self.ask(context, config)
        check_evidence(output["evidence"], passages)
        for citation in output["citations"]:
            assert set(citation) >= {"passage_id", "title", "quote"}
            assert citation["quote"] in passages[citation["passage_id"]]
            assert citation["passage_id"] in passage_ids(output["evidence"])
        assert bool(output["citations"]) is self.strategy.retrieves
        assert bool(output["evidence"]) is self.strategy.retrieves

    async def test_every_search_can_be_used(
        self, context: Context, config: RunnableConfig, passages: dict[str, str]
    ) -> None:
        for search in self.searches:
            output = await self.ask(
                change_context(context, {"retrieval": {"method": search}}), config
            )
            assert output["answer"], search
            check_evidence(output["evidence"], passages)

    async def test_every_model_call_names_a_step(
        self, context: Context, config: RunnableConfig, resources: Resources
    ) -> None:
        named = {"question": self.question, "run": "steps"}
        state = await self.saved_graph().ainvoke(named, config, context=context)
        steps = [step["id"] for step in state["steps"]]
        assert len(steps) == len(set(steps))
        uses = resources.ledger.uses("steps")
        assert len(uses) == self.calls
        assert all(use.step for use in uses)
        if steps:  # a strategy that takes a single step may show none
            assert {use.step for use in uses} <= set(steps)
            parents = {step.get("parent", "") for step in state["steps"]}
            assert parents <= {"", *steps}

    async def test_state_is_plain_and_holds_no_passage(
        self, context: Context, config: RunnableConfig, passages: dict[str, str]
    ) -> None:
        saver = InMemorySaver()
        asked = {"question": self.question}
        output = await self.saved_graph(saver).ainvoke(asked, config, context=context)
        quotes = {citation["quote"] for citation in output["citations"]}
        saved = [inner for value in await saved_values(saver) for inner in plain_values(value)]
        assert self.question in saved
        texts = {value for value in saved if isinstance(value, str)} - quotes
        for passage in passages.values():
            assert not [text for text in texts if passage in text]

    async def test_a_run_stopped_between_nodes_continues_without_repeating_a_call(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat, tmp_path: Path
    ) -> None:
        alone = await self.ask(context, config)
        chat.requests.clear()
        graph = self.saved_graph()
        state: dict[str, Any] | None = {"question": self.question}
        for stop in range(_MOST_STEPS):
            # Other resources each time: nothing is left of the last process, the ledger included.
            with Resources(tmp_path / f"process-{stop}") as resources:
                process = config_with(resources, config)
                output = await graph.ainvoke(state, process, context=context, interrupt_after="*")
            state, saved = None, await graph.aget_state(config)
            shown = [step["id"] for step in self.strategy.steps_of(saved.values)]
            assert len(shown) == len(set(shown))
            if not saved.next:
                break
        assert stop > 0
        assert len(chat.requests) == self.calls
        _check_same(output, alone)

    async def test_a_thread_of_its_own_starts_each_question_afresh(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        graph = self.saved_graph()
        answers, chat.answers = chat.answers, lambda name, messages: GARBAGE
        tight = change_context(context, {"budget": {"calls": 1}})
        await graph.ainvoke({"question": "Another thing entirely?"}, config, context=tight)
        chat.answers = answers
        chat.requests.clear()
        output = await graph.ainvoke({"question": self.question}, config, context=context)
        assert output["usage"]["model_calls"] == len(chat.requests) == self.calls
        _check_same(output, await self.ask(context, config))

    async def test_a_second_run_pays_nothing_and_a_run_counts_its_own_calls(
        self, context: Context, config: RunnableConfig, chat: ScriptedChat
    ) -> None:
        graph, asked = self.strategy.load_graph(), {"question": self.question, "run": "mine"}
        first = await graph.ainvoke(asked, config, context=context)
        chat.requests.clear()
        second = await self.ask(context, config)
        assert second["usage"]["model_calls"] == 0
        assert second["usage"]["cached_calls"] == self.calls
        assert second["usage"]["input_tokens"] == second["usage"]["output_tokens"] == 0
        _check_same(second, first)
        again = await graph.ainvoke(asked, config, context=context)
        assert again["usage"]["model_calls"] == again["usage"]["cached_calls"] == self.calls
        assert chat.requests == []

    @pytest.mark.parametrize("failure", _SEEN)
    async def test_a_run_whose_calls_all_fail_ends_with_the_error_and_asks_again_when_resumed(
        self,
        context: Context,
        config: RunnableConfig,
        chat: ScriptedChat,
        monkeypatch: pytest.MonkeyPatch,
        failure: str,
    ) -> None:
        """It is never Unknown, which means that the documents were read and do not say."""
        monkeypatch.setattr(request, "FIRST_PAUSE", 0.0)
        graph = self.saved_graph()
        answers, chat.answers = chat.answers, lambda name, messages: FAILURES[failure]
        with pytest.raises((ModelOutputError, ModelUnreachableError)) as raised:
            await graph.ainvoke({"question": self.question}, config, context=context)
        assert (raised.value.reason, raised.value.exit_code) == (failure, EXIT_MODEL)
        chat.answers = answers
        # A reply that fits no schema is a finished call: only other settings ask again.
        other = change_context(context, {"seed": 8} if failure in _KEPT else {})
        output = await graph.ainvoke(None, config, context=other)
        # Steps that an answer does not need are not repeated, and say so.
        reduced = {step.get("verdict") for step in output["steps"]} & FELL_SHORT
        assert output["answer"] == self.answer or reduced

    async def test_a_missing_index_is_an_error(
        self, context: Context, config: RunnableConfig, tmp_path: Path
    ) -> None:
        nowhere = change_context(context, {"index": str(tmp_path / "nowhere")})
        if not self.strategy.retrieves:
            assert (await self.ask(nowhere, config))["answer"] == self.answer
            return
        with pytest.raises(IndexMissingError):
            await self.ask(nowhere, config)
        with pytest.raises(UsageError, match="--index"):
            await self.ask(change_context(context, {"index": ""}), config)

    async def test_questions_side_by_side_in_a_graph_of_the_users_own(
        self, context: Context, config: RunnableConfig
    ) -> None:
        """As a node it writes the output keys that the two graphs share, and nothing else."""

        async def ask(state: Any, config: RunnableConfig) -> dict[str, Any]:
            output = await self.ask(context, config, state["question"])
            return {
                "answers": [(state["question"], output["answer"])],
                "evidence": output["evidence"],
            }

        own = (
            StateGraph(_Questions, context_schema=Context)
            .add_node("ask", ask)
            .add_node("strategy", self.strategy.load_graph())
            .add_conditional_edges(START, _send_all, ["ask", "strategy"])
            .add_edge("ask", END)
            .add_edge("strategy", END)
            .compile(checkpointer=InMemorySaver())
        )
        given: Any = {"questions": [self.question] * 2, "answers": [], "evidence": []}
        output, alone = await asyncio.gather(
            own.ainvoke(given, config, context=context), self.ask(context, config)
        )
        assert output["answers"] == [(self.question, self.answer)] * 2
        assert output["evidence"] == alone["evidence"] * 4
        assert output["questions"] == given["questions"]


def _send_all(state: _Questions) -> list[Send]:
    nodes = ("ask", "strategy")
    return [Send(node, {"question": text}) for node in nodes for text in state["questions"]]


def _check_same(output: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    for key in _OUTPUT - {"usage"}:
        assert output[key] == other[key], key


def _reasons(output: Mapping[str, Any]) -> str:
    return "".join(step.get("reason", "") for step in output["steps"])
