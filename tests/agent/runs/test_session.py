"""Threads: stopped and resumed in this process, copied, deleted, listed."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_server import ModelServer, Reply

from hopyard.agent.session import Event, Session, open_session
from hopyard.nodes.resources import close_shared_resources
from hopyard.state.errors import ModelUnreachableError, ThreadMissingError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import home
from hopyard.state.storage.thread_names import checked_thread_name
from hopyard.testing import saved_values

from ...graphs.conftest import changed
from ...graphs.script import IRON, QUESTION, STONE, Script, full_tree, said

HALVES = ("first", "second")


@pytest.fixture
def single(context: Context) -> Context:
    """Settings for one call."""
    return changed(context, strategy="single")


async def events(stream: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in stream]


async def stop_thread(session: Session, server: ModelServer, context: Context, thread: str) -> None:
    """A thread whose model went away when the second half of its question was read."""
    script: Any = server.answer
    usual = script.lines["read", STONE]
    script.lines["read", STONE] = Reply(401)
    with pytest.raises(ModelUnreachableError):
        await events(session.ask(QUESTION, context, thread))
    script.lines["read", STONE] = usual


@settings(suppress_health_check=list(HealthCheck), max_examples=8)
@given(name=st.text(st.characters(exclude_categories=()), min_size=1, max_size=4))
async def test_any_name_of_a_thread_is_found_again(
    session: Session, single: Context, script: Script, name: str
) -> None:
    await is_whole_or_refused(session, single, f"t{name}")


@pytest.mark.parametrize(
    "name",
    ["../x", "a|b:c\n'%", " ", "\U0001f600", "x" * 100_000],
)
async def test_odd_names_are_taken_whole(session: Session, single: Context, name: str) -> None:
    await is_whole_or_refused(session, single, name)
    assert checked_thread_name(name) == name


async def is_whole_or_refused(session: Session, context: Context, name: str) -> None:
    """A thread is found again by its name, and by no other; or each call says why not."""
    try:
        stored = checked_thread_name(name)
    except UsageError:
        for refused in (
            events(session.ask(QUESTION, context, name)),
            events(session.resume(name)),
            session.result(name),
            session.context(name),
            session.summary(name),
            session.fork("t", name),
            session.delete(name),
            session.earlier(name),
        ):
            with pytest.raises(UsageError, match=r"The thread name .* choose another name"):
                await refused
        return
    await events(session.ask(QUESTION, context, name))
    assert (await session.result(name))["thread_id"] == stored
    assert stored.encode() == name.encode("utf-16", "surrogatepass").decode("utf-16").encode()
    assert (await session.summary(name)).thread_id == stored
    assert await session.fork(name, f"u{name}") == f"u{stored}"
    with pytest.raises(UsageError, match="already; choose another name"):
        await events(session.ask(QUESTION, context, f"u{name}", new=True))
    assert {each.thread_id for each in await session.threads()} == {stored, f"u{stored}"}
    await session.delete(name)
    await session.delete(f"u{name}")
    assert await session.threads() == []


async def test_steps_come_as_they_end(session: Session, tree: Context) -> None:
    told = [(event.graph, event.node) for event in await events(session.ask(QUESTION, tree, "t"))]
    assert told[:4] == [("", "receive"), ("", "gate"), ("", "route"), ("tree", "start")]
    assert told.count(("tree", "answer_sub_question")) == 2
    assert told[-4:] == [("tree", "aggregate"), ("", "tree"), ("", "check"), ("", "finish")]


async def test_a_result_is_the_state_of_the_thread(session: Session, tree: Context) -> None:
    await events(session.ask(QUESTION, tree, "t"))
    result = await session.result("t")
    assert result["answer"] == "Stone Bridge"
    assert (result["thread_id"], result["finished"]) == ("t", True)
    assert result["usage"]["model_calls"] == 8


class TestResume:
    async def test_it_goes_on_where_it_stopped(
        self, session: Session, tree: Context, script: Script, model_server: ModelServer
    ) -> None:
        await events(session.ask(QUESTION, tree, "whole"))
        whole = await session.result("whole")
        other = changed(tree, seed=8)  # another key in the ledger
        script.asked.clear()
        await stop_thread(session, model_server, other, "t")
        assert (await session.result("t"))["finished"] is False
        before = len(script.asked)
        told = [(event.graph, event.node) for event in await events(session.resume("t"))]
        assert ("", "receive") not in told
        assert ("tree", "decompose") in told  # the two halves', not the root's
        assert len(script.asked) == 8 + 1  # the refused one is asked again, no other
        assert script.asked[before] == ("read", STONE)
        assert script.asked.count(("read", IRON)) == 1
        result = await session.result("t")
        for key in ("answer", "steps", "citations", "evidence", "truncated", "question"):
            assert result[key] == whole[key]
        assert result["usage"]["model_calls"] == 8
        assert result["finished"] is True

    async def test_what_the_model_did_not_read_is_noted_after_a_kill(
        self, tree: Context, script: Script, model_server: ModelServer
    ) -> None:
        """The model server's window is found out by the first call, and the next process told."""
        long = "This model's maximum context length is 1500 tokens. However, you requested 3000."
        refused: Any = Reply(400, body={"error": {"message": long}})
        script.lines["read", IRON] = [refused, said("1781")]
        context = changed(tree, retrieval__k=8, concurrency=1)
        async with open_session() as killed:
            await stop_thread(killed, model_server, context, "t")
        close_shared_resources()  # another process
        async with open_session() as session:
            await events(session.resume("t"))
            notes = [
                step["reason"]
                for step in (await session.result("t"))["steps"]
                if step["kind"] == "note"
            ]
        assert re.match(r"The window of .* \(1,500 tokens\) holds \d of the 8 passages", notes[0])

    @pytest.mark.parametrize("calls", [5, 8])
    async def test_the_budget_counts_what_was_spent_before(
        self, tree: Context, script: Script, model_server: ModelServer, calls: int
    ) -> None:
        limited = changed(tree, budget__calls=calls)
        async with open_session() as session:
            await stop_thread(session, model_server, limited, "t")
        close_shared_resources()  # a new process knows only what the ledger says
        async with open_session() as session:
            await events(session.resume("t"))
            result = await session.result("t")
        assert len(script.asked) == calls + 1  # the refused call is not counted
        assert result["usage"]["model_calls"] == calls
        assert result["truncated"] is (calls < 8)
        assert result["answer"] == "Stone Bridge"

    async def test_an_unfinished_thread_takes_no_question(
        self, session: Session, tree: Context, script: Script, model_server: ModelServer
    ) -> None:
        await stop_thread(session, model_server, tree, "t")
        script.asked.clear()
        with pytest.raises(UsageError, match="hopyard resume t"):
            await events(session.ask("Another?", tree, "t"))
        assert script.asked == []
        await events(session.resume("t"))
        assert (await session.result("t"))["question"] == QUESTION
        await events(session.ask(QUESTION, changed(tree, strategy="direct"), "t"))

    async def test_a_question_that_is_none_leaves_no_thread(
        self, session: Session, single: Context
    ) -> None:
        with pytest.raises(UsageError, match="empty"):
            await events(session.ask("  ", single, "t"))
        assert await session.threads() == []
        await events(session.ask(QUESTION, single, "t"))
        with pytest.raises(UsageError, match="empty"):
            await events(session.ask("", single, "t"))
        assert (await session.result("t"))["finished"] is True


class TestFork:
    async def test_the_copy_goes_its_own_way(
        self, session: Session, single: Context, script: Script
    ) -> None:
        script.lines = {("rewrite", "And the other?"): {"question": STONE}}
        await events(session.ask(IRON, single, "old"))
        before = await session.result("old")
        assert await session.fork("old", "new") == "new"
        assert await session.result("new") == before | {"thread_id": "new"}
        await events(session.ask("And the other?", single, "new"))
        assert (await session.result("new"))["question"] == STONE
        assert await session.result("old") == before
        await session.delete("old")
        assert (await session.result("new"))["question"] == STONE

    async def test_the_copy_of_a_stopped_thread_can_be_resumed(
        self, session: Session, tree: Context, script: Script, model_server: ModelServer
    ) -> None:
        await stop_thread(session, model_server, tree, "old")
        new = await session.fork("old")
        assert new != "old"
        script.asked.clear()
        await events(session.resume(new))
        assert ("split", QUESTION) not in script.asked
        assert (await session.result(new))["answer"] == "Stone Bridge"
        assert (await session.result("old"))["finished"] is False
        script.asked.clear()
        await events(session.resume("old"))
        assert script.asked == []  # the copy has paid for it
        assert (await session.result("old"))["answer"] == "Stone Bridge"

    async def test_a_name_is_taken_once(self, session: Session, single: Context) -> None:
        await events(session.ask(QUESTION, single, "a"))
        await events(session.ask(QUESTION, single, "b"))
        before = await session.result("b")
        with pytest.raises(UsageError, match="'b'"):
            await session.fork("a", "b")
        assert await session.result("b") == before


class TestThreads:
    async def test_deleted_is_gone(self, session: Session, single: Context) -> None:
        await events(session.ask(QUESTION, single, "t"))
        await events(session.ask(QUESTION, single, "stays"))
        await session.delete("t")
        assert [thread.thread_id for thread in await session.threads()] == ["stays"]
        assert await session._saver.thread_size("t") == 0
        with pytest.raises(ThreadMissingError):
            await session.result("t")
        assert (await session.result("stays"))["answer"] == f"read: {QUESTION}"

    @pytest.mark.parametrize("verb", ["resume", "result", "context", "fork", "delete"])
    async def test_one_that_is_not_there_is_named(self, session: Session, verb: str) -> None:
        with pytest.raises(ThreadMissingError, match="'nowhere'"):
            outcome: Any = getattr(session, verb)("nowhere")
            await (events(outcome) if verb == "resume" else outcome)
        assert await session.threads() == []

    async def test_the_last_used_comes_first(
        self, session: Session, tree: Context, model_server: ModelServer
    ) -> None:
        await events(session.ask(QUESTION, tree, "first"))
        await stop_thread(session, model_server, changed(tree, seed=8), "second")
        second, first = await session.threads()
        assert (first.thread_id, first.question) == ("first", QUESTION)
        assert (first.strategy, first.finished, first.answer) == ("tree", True, "Stone Bridge")
        assert (second.thread_id, second.answer, second.finished) == ("second", "", False)
        assert first.size == await session._saver.thread_size("first") > 1000
        assert first.updated > "2020"

    async def test_the_list_says_what_the_graph_says(
        self, session: Session, tree: Context, model_server: ModelServer
    ) -> None:
        asking = changed(tree, approve="decomposition")
        await events(session.ask(QUESTION, tree, "finished"))
        await events(session.ask(QUESTION, asking, "waiting"))
        await events(session.ask(QUESTION, tree, "again"))
        await events(session.ask("Is it older?", changed(tree, strategy="direct"), "again"))
        await stop_thread(session, model_server, changed(tree, seed=8), "stopped")
        states = set()
        for thread in await session.threads():
            result = await session.result(thread.thread_id)
            for key in ("question", "answer", "strategy", "model", "finished"):
                assert getattr(thread, key) == result[key]
            assert thread.waiting is bool(result["waiting"])
            assert thread.updated == (await session.snapshot(thread.thread_id)).created_at
            states.add((thread.thread_id, thread.finished, thread.waiting))
        assert states == {
            ("finished", True, False),
            ("stopped", False, False),
            ("waiting", False, True),
            ("again", True, False),
        }

    async def test_they_are_kept_for_the_next_process(self, single: Context) -> None:
        async with open_session() as session:
            await events(session.ask(QUESTION, single, "t"))
            before = await session.result("t")
        async with open_session() as session:
            assert await session.result("t") == before
        assert (home() / "threads.sqlite").exists()

    async def test_a_new_name_is_made_up(self, session: Session, single: Context) -> None:
        await events(session.ask(QUESTION, single))
        await events(session.ask(QUESTION, single))
        names = [thread.thread_id for thread in await session.threads()]
        assert len(set(names)) == 2


async def test_a_thread_with_eight_leaves_is_small(
    session: Session, context: Context, script: Script, sample_index: Path
) -> None:
    """Questions of usual length, five passages each: ids and scores, no text."""
    question = "Which probe to the outer planets was launched first, Voyager 1 or Pioneer 10?"
    script.lines = full_tree(question, 3)
    for line in list(script.lines.values()):
        script.lines |= {("read", line[half]): said("5 September 1977") for half in HALVES}
    settings = changed(context, strategy="tree", index=str(sample_index), retrieval__k=5)
    await events(session.ask(question, settings, "t"))
    result = await session.result("t")
    leaves = [step for step in result["steps"] if step.get("verdict") == "leaf"]
    assert len(leaves) == 8
    assert all(len(leaf["passages"]) == 5 for leaf in leaves)
    assert await session._saver.thread_size("t") < 75_000


async def test_secrets_do_not_reach_a_checkpoint(
    session: Session, single: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-disk")
    await events(session.ask(QUESTION, single, "t"))
    assert "sk-not-for-disk" not in str(await saved_values(session._saver))
    assert b"sk-not-for-disk" not in (home() / "threads.sqlite").read_bytes()
