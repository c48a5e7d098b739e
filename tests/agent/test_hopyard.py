"""The front door: `hopyard.Hopyard`, in scripts, event loops, threads and graphs."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

import hopyard
from hopyard.agent.answer import Citation
from hopyard.agent.session import open_session
from hopyard.indexes.corpus.boxes import pack_boxes
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.passages.marks import Mark
from hopyard.state.errors import IndexMissingError, ThreadMissingError, UsageError

from .conftest import QUESTION, SETTINGS, Scripted


class TestAsk:
    def test_an_answer_has_its_citations_evidence_steps_and_cost(
        self, hop: hopyard.Hopyard
    ) -> None:
        answer = hop.ask(QUESTION)
        assert str(answer) == answer.text == "1781"
        assert [citation.passage_id for citation in answer.citations] == ["iron-bridge"]
        assert answer.citations[0].quote == "The Iron Bridge was opened in 1781."
        assert answer.evidence[0].sources[0].text.startswith("The Iron Bridge was opened")
        assert answer.evidence[0].text == answer.evidence[0].sources[0].text
        assert (answer.strategy, answer.model) == ("single", hop.context.model)
        assert (answer.usage.model_calls, answer.usage.input_tokens) == (1, 100)
        assert answer.steps
        assert (answer.supported, answer.unsupported, answer.waiting) == (True, (), ())

    def test_an_answer_cannot_be_changed(self, hop: hopyard.Hopyard) -> None:
        answer = hop.ask(QUESTION)
        with pytest.raises(ValueError, match="frozen"):
            answer.text = "1782"  # type: ignore[misc]

    def test_a_notebook_shows_the_quotes_without_their_html(self, hop: hopyard.Hopyard) -> None:
        answer = hop.ask(QUESTION)
        assert answer._repr_markdown_() == (
            "1781\n\n[1] “The Iron Bridge was opened in 1781.” — Iron Bridge"
        )
        changed = answer.model_copy(update={"text": "<script>", "unconfirmed": "It is red."})
        shown = changed._repr_markdown_()
        assert shown.startswith("&lt;script>") or shown.startswith("&lt;script&gt;")
        assert shown.endswith("*Not confirmed by the documents:* It is red.")
        assert not changed.supported

    def test_a_quote_has_no_marks_where_its_document_has_no_pages(
        self, hop: hopyard.Hopyard
    ) -> None:
        assert hop.marks(hop.ask(QUESTION).citations[0]) == ((),)

    async def test_a_quote_has_a_mark_on_its_page(
        self, tmp_path: Path, index: Path, chat: Scripted
    ) -> None:
        boxes = pack_boxes([2], [6], np.array([(0.25, 0.5, 0.5, 0.75)]))
        paper = Document("iron-bridge", "Iron Bridge", "In 1781.\n\n\f", boxes=(boxes,))
        await hopyard.abuild_index(tmp_path / "pages", [paper], embedding="words")
        async with hopyard.Hopyard(tmp_path / "pages", model=chat, settings=SETTINGS) as hop:
            citation = Citation(passage_id="iron-bridge", quote="1781", quotes=("1781", "In 1781."))
            assert await hop.amarks(citation) == (
                (Mark(1, ((0.25, 0.5, 0.5, 0.75),)),),
                (),
            )

    async def test_while_an_event_loop_is_running(
        self, hop: hopyard.Hopyard, chat: Scripted
    ) -> None:
        assert hop.ask(QUESTION).text == "1781"  # blocks this loop, as a notebook's cell does
        again = await hop.aask(QUESTION)
        assert (again.text, again.usage.model_calls, again.usage.cached_calls) == ("1781", 0, 1)
        assert chat.asked == 1

    def test_in_several_threads_and_loops(self, hop: hopyard.Hopyard) -> None:
        def ask(number: int) -> str:
            question = f"{QUESTION} ({number})"
            return (hop.ask(question) if number % 2 else asyncio.run(hop.aask(question))).text

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(ask, range(8))) == ["1781"] * 8

    async def test_async_with(self, index: Path, chat: Scripted) -> None:
        async with hopyard.Hopyard(index, model=chat, settings=SETTINGS) as hop:
            assert (await hop.aask(QUESTION)).text == "1781"

    def test_an_index_that_is_not_there(self, tmp_path: Path, chat: Scripted) -> None:
        with (
            hopyard.Hopyard(tmp_path / "no", model=chat, settings=SETTINGS) as hop,
            pytest.raises(IndexMissingError, match="no"),
        ):
            hop.ask(QUESTION)

    async def test_a_cancelled_question_ends(self, hop: hopyard.Hopyard, chat: Scripted) -> None:
        started, release = asyncio.Event(), asyncio.Event()
        here = asyncio.get_running_loop()

        def wait_here(_: Any) -> None:
            here.call_soon_threadsafe(started.set)
            asyncio.run_coroutine_threadsafe(release.wait(), here).result()

        chat._chat.before = wait_here
        asking = asyncio.create_task(hop.aask(QUESTION, thread="t"))
        await started.wait()
        asking.cancel()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await hop.aresume("t")).text == "1781"
        assert chat.asked == 1  # what was being paid for was finished and recorded


class TestSettings:
    def test_keywords_dotted_and_nested_names(self, hop: hopyard.Hopyard) -> None:
        named: dict[str, Any] = {"tree.theta": 0.8}
        answer = hop.ask(
            QUESTION, k=2, search="sparse", budget=3, where={"title": "Iron*"}, thread="t", **named
        )
        assert [unit.id for unit in answer.evidence] == ["iron-bridge"]
        with hopyard.Hopyard(settings={"tree": {"theta": 0.8}, "budget": {"seconds": 9}}) as other:
            assert other.context.model_extra is not None
            assert other.context.model_extra["tree"].theta == 0.8
            assert other.context.budget.seconds == 9

    @pytest.mark.parametrize(
        ("name", "meant"),
        [("stategy", "'strategy'"), ("tree.teta", "'tree.theta'"), ("serch", "'search'")],
    )
    def test_an_unknown_name(self, hop: hopyard.Hopyard, name: str, meant: str) -> None:
        with pytest.raises(UsageError, match=f"There is no setting '{name}'; did you mean {meant}"):
            hop.ask(QUESTION, settings={name: 1})

    def test_they_win_over_the_environment_and_the_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "hopyard.toml").write_text('seed = 1\nstrategy = "tree"\n')
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HOPYARD_STRATEGY", "chain")
        assert hopyard.Hopyard().context.strategy == "chain"
        hop = hopyard.Hopyard(strategy="hop")
        assert (hop.context.strategy, hop.context.seed) == ("hop", 1)

    def test_none_is_no_setting(self) -> None:
        model: Any = os.environ.get("NO_SUCH_MODEL")
        assert hopyard.Hopyard(model=model).context.model == "builtin"

    def test_an_old_thread_keeps_its_own(
        self, hop: hopyard.Hopyard, index: Path, chat: Scripted, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hop.ask(QUESTION, thread="t", k=2)
        monkeypatch.setenv("HOPYARD_RETRIEVAL__K", "3")
        with hopyard.Hopyard(index, model=chat, settings=SETTINGS) as other:
            assert len(other.last_answer("t").evidence) == 2
            chat._chat.answers = {"StandAlone": {"question": QUESTION}, "Answer": {"answer": "x"}}
            assert len(other.ask("And again?", thread="t").evidence) == 2
            assert len(other.ask(QUESTION, thread="new").evidence) == 3


class TestStream:
    def test_it_yields_steps_tokens_and_the_answer(self, hop: hopyard.Hopyard) -> None:
        *before, last = hop.stream(QUESTION)
        assert isinstance(last, hopyard.Answer)
        assert last.text == "1781"
        texts = [event.text for event in before if isinstance(event, hopyard.Token)]
        assert "".join(texts) == "1781"
        nodes = [event.node for event in before if isinstance(event, hopyard.Event)]
        assert nodes[0] == "receive"
        assert nodes[-1] == "finish"

    async def test_async(self, hop: hopyard.Hopyard) -> None:
        items = [item async for item in hop.astream(QUESTION)]
        assert isinstance(items[-1], hopyard.Answer)

    def test_a_stream_that_is_left_early_is_stopped(
        self, hop: hopyard.Hopyard, chat: Scripted
    ) -> None:
        for event in hop.stream(QUESTION, thread="t"):
            if isinstance(event, hopyard.Event) and event.node == "receive":
                break
        assert not hop.last_answer("t").finished
        assert hop.resume("t").text == "1781"

    def test_an_error_is_raised_where_it_is_read(self, hop: hopyard.Hopyard) -> None:
        with pytest.raises(UsageError, match="empty"):
            list(hop.stream(" "))


class TestThreads:
    def test_they_are_those_of_the_command_line(self, hop: hopyard.Hopyard) -> None:
        answer = hop.ask(QUESTION)
        [thread] = hop.threads()
        assert (thread.thread_id, thread.answer) == (answer.thread, "1781")
        assert hop.last_answer(answer.thread) == answer

        async def question() -> str:
            async with open_session() as session:
                return str((await session.result(answer.thread))["question"])

        assert asyncio.run(question()) == QUESTION
        hop.delete_thread(answer.thread)
        with pytest.raises(ThreadMissingError):
            hop.last_answer(answer.thread)

    def test_a_caller_without_its_groups_does_not_continue_a_thread(
        self, hop: hopyard.Hopyard
    ) -> None:
        """The conversation tells what others may read."""
        hop.ask("Hello?", thread="pay", groups=["hr"])
        hop.ask("Hello?", thread="all")
        staff = hopyard.Hopyard.of(hop, groups=["staff"])
        for thread in ("pay", "all"):
            with pytest.raises(UsageError, match="with other groups"):
                staff.ask("And who?", thread=thread)
            with pytest.raises(UsageError, match="with other groups"):
                staff.last_answer(thread)
            with pytest.raises(UsageError, match="with other groups"):
                staff.resume(thread)
            with pytest.raises(UsageError, match="with other groups"):
                staff.delete_thread(thread)
        assert staff.threads() == []
        assert [each.thread_id for each in hop.threads()] == ["all", "pay"]
        assert hop.ask("Again?", thread="pay", groups=["hr", "staff"]).finished
        assert hop.last_answer("pay").finished
        assert staff.ask("Hello?", thread="own").finished
        assert [(each.thread_id, each.groups) for each in staff.threads()] == [("own", ("staff",))]

    def test_an_approval_waits_and_is_given(self, hop: hopyard.Hopyard, chat: Scripted) -> None:
        chat._chat.answers = {"Route": {"strategy": "single"}, "Answer": {"answer": "1781"}}
        waits = hop.ask(QUESTION, approve="route", strategy="auto", settings={"check": "off"})
        assert (waits.text, waits.finished) == ("", False)
        [asked] = waits.waiting
        assert (asked.action, asked.args["strategy"]) == ("route", "single")
        assert asked.decisions[0] == "approve"
        assert "Waiting for approval: route" in waits._repr_markdown_()
        answer = hop.resume(waits.thread, "approve")
        assert (answer.text, answer.waiting, answer.finished) == ("1781", (), True)


class TestInsideOfGraphs:
    @pytest.mark.parametrize("way", ["sync", "async"])
    def test_a_question_in_a_node_leaves_the_thread_of_its_graph_alone(
        self, hop: hopyard.Hopyard, way: str
    ) -> None:
        def node(_: MessagesState) -> dict[str, Any]:
            return {"messages": [("ai", hop.ask(QUESTION, thread="inner").text)]}

        async def node_async(_: MessagesState) -> dict[str, Any]:
            return {"messages": [("ai", (await hop.aask(QUESTION, thread="inner")).text)]}

        builder = StateGraph(MessagesState)
        builder.add_node("node", node if way == "sync" else node_async)
        builder.add_edge(START, "node")
        builder.add_edge("node", END)
        saver = InMemorySaver()
        graph = builder.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": "outer"}}
        if way == "sync":
            result = graph.invoke({"messages": [("user", "x")]}, config)
        else:
            result = asyncio.run(graph.ainvoke({"messages": [("user", "x")]}, config))
        assert result["messages"][-1].text == "1781"
        assert {saved.config["configurable"]["thread_id"] for saved in saver.list(None)} == {
            "outer"
        }
        assert hop.last_answer("inner").text == "1781"

    async def test_the_sync_api_inside_of_a_run_says_what_to_do(
        self, hop: hopyard.Hopyard, chat: Scripted
    ) -> None:
        def nested(_: Any) -> None:
            hop.ask("Why?")

        chat._chat.before = nested
        with pytest.raises(hopyard.HopyardError, match="aask"):
            await hop.aask(QUESTION)


def test_import_is_light() -> None:
    code = "import sys, hopyard; print(sorted(m for m in sys.modules if m.startswith('lang')))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    assert hopyard.__version__
    for name in hopyard.__all__:
        assert getattr(hopyard, name) is not None
        assert name in dir(hopyard)
    with pytest.raises(AttributeError, match="No hopyard attribute nothing"):
        hopyard.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_a_process_ends_while_questions_are_running(index: Path, home: Path) -> None:
    code = f"""
import threading, time, hopyard
from hopyard.testing import ScriptedChat, WordEmbedder
hopyard.register_embedding("words", WordEmbedder())
chat = ScriptedChat({{"Answer": {{"answer": "1"}}}})
begun = threading.Semaphore(0)
def before(_):
    begun.release(); time.sleep(1)  # it ends after the program's last line
chat.before = before
chat.register("scripted")
hop = hopyard.Hopyard({str(index)!r}, model="scripted", settings={SETTINGS!r})
events = hop.stream("When?"); next(events)
threading.Thread(target=lambda: hop.ask("Where?"), daemon=True).start()
begun.acquire(); begun.acquire()
print("end")
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (run.returncode, run.stdout) == (0, "end\n"), run.stderr
