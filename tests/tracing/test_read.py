"""What a trace says of a run: finished, running, with and without its index."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from typing import Any, cast

import pytest
from model_server import ModelServer, Reply
from rich.console import Console

from hopyard.agent.session import Session
from hopyard.state.errors import ModelUnreachableError, ThreadMissingError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.storage.checkpoints import FileLocks
from hopyard.tracing.describe import title_of
from hopyard.tracing.model import Cost, Trace, TraceStep
from hopyard.tracing.read import read_trace
from hopyard.tracing.terminal import draw_trace
from hopyard.tracing.texts import find_quotes

from ..graphs.chain.script import BaselineScript, ask
from ..graphs.conftest import changed, context, index, script, session
from ..graphs.script import IRON, QUESTION, STONE, Script, rubric, said, scores, split

__all__ = ("context", "index", "script", "session")

OLD = "How old is the Stone Bridge?"


async def asked(
    session: Session, context: Context, thread: str = "t", question: str = QUESTION
) -> Trace:
    async for _ in session.ask(question, context, thread):
        pass
    return await read_trace(session, thread)


def step(trace: Trace, name: str) -> TraceStep:
    (found,) = [step for step in trace.walk() if step.id == name]
    return found


def text_of(trace: Trace) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(draw_trace(trace))
    written: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in written.splitlines())


@pytest.fixture
def tree(context: Context, script: Script) -> Context:
    """A tree whose first split is rejected and whose second half is replaced once."""
    script.lines = {
        ("split", QUESTION): [split("Iron?", "Stone?"), split(IRON, OLD)],
        ("rubric", QUESTION): [rubric(2), rubric(5)],
        ("judge", QUESTION): [scores(4, "second"), scores(18)],
        ("replace", QUESTION): {"question": STONE},
        ("read", IRON): said("1781"),
        ("read", STONE): said("1146"),
        ("read", OLD): said("Unknown"),
        ("aggregate", QUESTION): said("Stone Bridge"),
    }
    return changed(context, strategy="tree", tree__max_depth=1, retrieval__k=5)


def titles(steps: tuple[TraceStep, ...]) -> list[str]:
    return [title_of(step.record, {}) for step in steps]


def prompts(step: TraceStep) -> list[str]:
    return [use.entry.prompt for use in step.uses]


async def check_costs(session: Session, trace: Trace) -> None:
    """Each call of the ledger is at one step."""
    assert sum((step.whole_cost for step in trace.steps), Cost()) == trace.cost
    usage = (await session.result(trace.thread_id))["usage"]
    assert (trace.cost.calls, trace.cost.cached) == (usage["model_calls"], usage["cached_calls"])
    assert trace.cost.input_tokens == usage["input_tokens"]


async def test_a_tree_tells_scores_what_was_thrown_away_and_its_cost(
    session: Session, tree: Context
) -> None:
    trace = await asked(session, tree)
    assert (trace.question, trace.answer, trace.finished) == (QUESTION, "Stone Bridge", True)
    root = step(trace, "tree-root")
    first, second = root.children
    assert titles(root.children) == [IRON, STONE]
    assert [first.record["answer"], second.record["answer"]] == ["1781", "1146"]
    assert root.record["score"] == 0.9
    assert root.record["facts"]["rubric"] == root.record["facts"]["sufficiency"] == "5/5"
    assert [thrown["question"] for thrown in root.record["replaced"]] == ["Iron? / Stone?", OLD]
    twice = ("decompose", "judge-branch", "judge-decomposition")
    assert sorted(prompts(root)) == [name for name in twice for _ in range(2)]
    assert prompts(first) == ["answer"]
    # "answer" is there for what was thrown away, too
    assert sorted(prompts(second)) == ["answer", "answer", "replace-sub-question"]
    assert prompts(step(trace, "aggregate")) == ["aggregate"]
    assert step(trace, "strategy").uses == ()
    await check_costs(session, trace)


async def test_a_question_with_straight_quotes_keeps_its_calls(
    session: Session, tree: Context, script: Script
) -> None:
    question = 'Which was built first, the "Iron Bridge" or the "Stone Bridge"?'
    quoted = 'When was the "Iron Bridge" opened?'
    script.lines |= {
        ("split", question): split(quoted, STONE),
        ("rubric", question): rubric(5),
        ("judge", question): scores(18),
        ("aggregate", question): said("Stone Bridge"),
    }
    trace = await asked(session, tree, question=question)
    root = step(trace, "tree-root")
    assert titles(root.children) == [quoted, STONE]
    assert sorted(prompts(root)) == ["decompose", "judge-branch", "judge-decomposition"]
    assert prompts(root.children[0]) == ["answer"]
    assert step(trace, "strategy").uses == ()
    await check_costs(session, trace)


async def test_steps_are_told_as_they_end(session: Session, tree: Context) -> None:
    events = [event async for event in session.ask(QUESTION, tree, "t")]
    steps = {
        event.node: {step["id"]: step.get("answer") for step in event.steps}
        for event in events
        if event.graph == "tree" and event.steps
    }
    assert steps["init"] == {"tree-root": None}
    assert steps["decompose"] == {"tree-root": None, "tree-1": None, "tree-2": None}
    assert steps["answer_sub_question"] == {"tree-2": "1146"}  # the last of them
    assert list(steps)[-1] == "aggregate"


async def test_the_terminal_shows_it(session: Session, tree: Context) -> None:
    shown = text_of(await asked(session, tree))
    for part in (
        QUESTION,
        "→ Stone Bridge",
        "Route: tree",
        f"{IRON} → 1781",
        f"✗ {OLD} → Unknown",
        "rubric 5/5",
        "1 call, ",
        "“It crosses the ",
    ):
        assert part in shown
    assert shown.index(OLD) < shown.index(STONE)


async def test_a_pruned_branch_is_shown_as_pruned(
    session: Session, tree: Context, script: Script
) -> None:
    script.lines |= {("rubric", QUESTION): rubric(5), ("judge", QUESTION): scores(4)}
    trace = await asked(session, tree)
    children = step(trace, "tree-root").children
    assert [child.record["verdict"] for child in children] == ["pruned", "pruned"]
    assert "pruned" in text_of(trace)


@pytest.mark.parametrize("strategy", ["direct", "single", "cor", "plan"])
async def test_every_other_strategy_has_its_steps(
    session: Session, context: Context, script: Script, strategy: str
) -> None:
    trace = await asked(session, changed(context, strategy=strategy))
    assert [step.id for step in trace.steps] == ["gate", "route", "strategy"]
    assert trace.strategy == strategy
    await check_costs(session, trace)
    assert f"Route: {strategy}" in text_of(trace)


class TestUnfinished:
    @pytest.fixture
    async def stopped(
        self, session: Session, tree: Context, model_server: ModelServer, script: Script
    ) -> Trace:
        """A tree whose model went away when the second half was read."""
        refused: Any = Reply(401)
        script.lines["read", OLD] = refused
        with pytest.raises(ModelUnreachableError):
            await asked(session, tree)
        return await read_trace(session, "t")

    async def test_what_is_done_so_far_is_there(self, stopped: Trace) -> None:
        assert (stopped.finished, stopped.waits_for, stopped.answer) == (False, ("tree",), "")
        root = step(stopped, "tree-root")
        assert titles(root.children) == [IRON, OLD]
        assert prompts(root.children[0]) == ["answer"]
        assert step(stopped, "strategy").record["verdict"] == "open"
        assert "answer" not in root.children[1].record
        shown = text_of(stopped)
        assert "not finished; next: tree" in shown

    async def test_it_says_where_it_runs(
        self, session: Session, stopped: Trace, home: Path
    ) -> None:
        assert stopped.running == ""
        async with FileLocks(home / "running").hold("t"):
            trace = await read_trace(session, "t")
        assert trace.running.startswith(f"in process {os.getpid()} on ")

    async def test_a_chain_shows_its_links(
        self, session: Session, context: Context, model_server: ModelServer
    ) -> None:
        script, refused = BaselineScript(), cast("Any", Reply(401))
        script.lines = {("next", QUESTION): [ask(IRON), ask(STONE)], ("read", STONE): refused}
        model_server.answer = script
        with pytest.raises(ModelUnreachableError):
            await asked(session, changed(context, strategy="cor"))
        trace = await read_trace(session, "t")
        strategy = step(trace, "strategy")
        assert titles(strategy.children) == [IRON]
        assert len(strategy.children[0].uses) == 2  # the next question, and its answer
        assert len(strategy.uses) == 1  # the call so far for the link that is under way

    async def test_a_new_turn_does_not_show_the_last_ones_steps(
        self, session: Session, tree: Context, model_server: ModelServer, script: Script
    ) -> None:
        await asked(session, tree)
        model_server.answer = lambda title, messages: Reply(401)
        with pytest.raises(ModelUnreachableError):
            await asked(session, tree, question="And the other?")
        trace = await read_trace(session, "t")
        assert trace.steps == ()
        assert trace.waits_for == ("receive",)


async def test_a_rewritten_follow_up_is_told(
    session: Session, context: Context, script: Script
) -> None:
    script.lines = {("rewrite", "And the other?"): {"question": STONE}}
    single = changed(context, strategy="single")
    await asked(session, single, question=IRON)
    trace = await asked(session, single, question="And the other?")
    assert (trace.asked, trace.question) == ("And the other?", STONE)
    [before] = trace.earlier
    assert (before.question, before.answer, before.strategy) == (IRON, f"read: {IRON}", "single")
    assert (before.model, before.calls) == ("scripted", 1)
    assert prompts(step(trace, "rewrite")) == ["rewrite"]
    assert [step.id for step in trace.steps] == ["rewrite", "gate", "route", "strategy"]


async def test_each_question_of_a_thread_can_be_traced(
    session: Session, tree: Context, script: Script
) -> None:
    """Each with its own model calls, settings and answer; a question that is not there is named."""
    script.lines |= {
        ("rewrite", QUESTION): {"question": QUESTION},
        ("rewrite", "And the other?"): {"question": STONE},
    }
    first = await asked(session, changed(tree, strategy="single"), question=IRON)
    second = await asked(session, tree)
    third = await asked(session, changed(tree, strategy="single"), question="And the other?")
    assert [turn.question for turn in third.earlier] == [IRON, QUESTION]
    assert third.earlier[0].sources == ("Iron Bridge",)
    assert await read_trace(session, "t", 1) == first
    assert await read_trace(session, "t", 2) == second
    assert await read_trace(session, "t", 3) == third == await read_trace(session, "t")
    assert first.earlier == ()
    assert (second.strategy, third.strategy) == ("tree", "single")
    with pytest.raises(UsageError, match="no question 4; it has 3"):
        await read_trace(session, "t", 4)


async def test_prompts_are_kept_for_the_trace_but_not_beside_encrypted_checkpoints(
    session: Session, tree: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = changed(tree, strategy="single")
    trace = await asked(session, single, question=IRON)
    [use] = trace_uses(trace)
    said = trace.asked_of_model[use.key]
    assert said[0][0] == "system"
    assert IRON in said[-1][1]
    assert "It crosses the River Severn." in said[-1][1]  # the passages
    monkeypatch.setenv("HOPYARD_CHECKPOINT_KEY", "0" * 64)
    trace = await asked(session, single, "other", question=STONE)
    assert trace_uses(trace)
    assert trace.asked_of_model == {}


def trace_uses(trace: Trace) -> list[Any]:
    return [use for step in trace.walk() for use in step.uses]


async def test_without_its_index_the_passages_are_ids(
    session: Session, tree: Context, tmp_path: Path
) -> None:
    copy = tmp_path / "index"
    shutil.copytree(tree.index, copy)
    await asked(session, changed(tree, index=str(copy)))
    shutil.rmtree(copy)
    trace = await read_trace(session, "t")
    assert trace.passages
    assert all(passage.text is None for passage in trace.passages.values())
    assert "cannot be read" in text_of(trace)


async def test_a_thread_that_is_not_there_is_named(session: Session) -> None:
    with pytest.raises(ThreadMissingError, match="'nowhere'"):
        await read_trace(session, "nowhere")


@pytest.mark.parametrize(
    ("text", "quotes", "found"),
    [
        ("One two. Three.", ["One two."], ["One two."]),
        ("One\n  two. Three.", ["One two."], ["One\n  two."]),
        ("One two. Three.", ["two. Three.", "One two."], ["One two. Three."]),
        ("One (two)? Three.", ["(two)?", "not there", ""], ["(two)?"]),
    ],
)
def test_quotes_are_found_in_the_text(text: str, quotes: list[str], found: list[str]) -> None:
    assert [text[span.begin : span.end] for span in find_quotes(text, quotes)] == found
