"""What a trace says of a run: finished, running, with and without its index."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Reply
from rich.console import Console

from hopyard.agent.session import Session
from hopyard.state.errors import ModelUnreachableError, ThreadMissingError
from hopyard.state.settings import Context
from hopyard.tracing.model import Cost, Trace, TraceStep
from hopyard.tracing.read import read_trace
from hopyard.tracing.terminal import drawn
from hopyard.tracing.texts import quotes_in

from ..graphs.conftest import changed
from ..graphs.script import rubric, said, scores, split
from ..hop.script import HopScript

QUESTION = "Which was built first, the Iron Bridge or the Stone Bridge?"
IRON = "When was the Iron Bridge opened?"
STONE = "When was the Stone Bridge completed?"
OLD = "How old is the Stone Bridge?"


async def asked(
    session: Session, context: Context, thread: str = "t", question: str = QUESTION
) -> Trace:
    async for _ in session.ask(question, context, thread):
        pass
    return await read_trace(session, thread)


def step(trace: Trace, name: str) -> TraceStep:
    (found,) = [one for one in trace.walk() if one.id == name]
    return found


def text_of(trace: Trace) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(drawn(trace))
    written: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in written.splitlines())


@pytest.fixture
def tree(context: Context, script: HopScript) -> Context:
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


async def test_a_tree_tells_scores_what_was_thrown_away_and_its_cost(
    session: Session, tree: Context
) -> None:
    trace = await asked(session, tree)
    assert (trace.question, trace.answer, trace.finished) == (QUESTION, "Stone Bridge", True)
    root = step(trace, "tree-root")
    assert [one.title for one in root.children] == [IRON, STONE]
    assert [one.answer for one in root.children] == ["1781", "1146"]
    facts = {one.name: one.value for one in root.facts}
    assert facts["rubric"] == "5/5"
    assert facts["branch score"] == "0.90"
    assert facts["sufficiency"] == "5/5"
    assert [one.question for one in root.thrown] == ["Iron? / Stone?", OLD]
    # Two splits, two rubrics, two judgements and a replacement; the halves read one passage list
    # each, and what the thrown half cost is its parent's.
    prompts = [use.entry.prompt for use in root.uses]
    assert len(prompts) == 8
    assert prompts.count("decompose") == prompts.count("judge-decomposition") == 2
    assert [use.place.about for use in root.uses if use.entry.prompt == "answer"] == [OLD]
    assert [use.entry.prompt for use in root.children[0].uses] == ["answer"]
    whole = sum((one.whole_cost for one in trace.steps), Cost())
    assert whole == trace.cost
    result = await session.result("t")
    assert trace.cost.calls == result["usage"]["model_calls"]
    assert trace.cost.input_tokens == result["usage"]["input_tokens"]


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
    session: Session, tree: Context, script: HopScript
) -> None:
    script.lines |= {("rubric", QUESTION): rubric(5), ("judge", QUESTION): scores(4)}
    trace = await asked(session, changed(tree, tree__retries=0))
    assert [one.verdict for one in step(trace, "tree-root").children] == ["pruned", "pruned"]
    assert "pruned" in text_of(trace)


async def test_hops_stand_in_their_rounds(
    session: Session, context: Context, script: HopScript
) -> None:
    script.useful = {
        "When was the Stone Bridge completed?": "necessary",
        "When was the cathedral of Regensburg begun?": "indirect",
    }
    settings = changed(context, strategy="hop", hop__n_hop=2, hop__top_k=2)
    trace = await asked(session, settings, question="How long is the river of the Iron Bridge?")
    rounds = [one for one in trace.walk() if one.kind == "round"]
    assert [one.id for one in rounds] == ["round-0", "round-1", "round-2"]
    hops = [hop for one in rounds[1:] for hop in one.children]
    judged = [hop for hop in hops if hop.uses]
    assert judged
    assert all({use.place.about for use in hop.uses} == {hop.tail} for hop in judged)
    reached = {hop.head: hop.verdict for hop in hops if hop.head}
    assert reached == {"stone-bridge": "necessary", "regensburg": "indirect"}
    assert trace.passages["stone-bridge"].text
    assert step(trace, "strategy").children[-1].kind == "read"


@pytest.mark.parametrize("strategy", ["direct", "single", "chain"])
async def test_every_other_strategy_has_its_steps(
    session: Session, context: Context, script: HopScript, strategy: str
) -> None:
    trace = await asked(session, changed(context, strategy=strategy))
    assert [one.id for one in trace.steps] == ["gate", "route", "strategy"]
    assert trace.strategy == strategy
    assert sum((one.whole_cost for one in trace.steps), Cost()) == trace.cost
    assert f"Route: {strategy}" in text_of(trace)


class TestUnfinished:
    @pytest.fixture
    async def stopped(
        self, session: Session, tree: Context, model_server: ModelServer, script: HopScript
    ) -> Trace:
        """A tree whose model went away when the second half was read."""

        def answer(title: str, messages: list[dict[str, Any]]) -> Any:
            line = script(title, messages)
            return Reply(401) if script.asked[-1] == ("read", OLD) else line

        model_server.answer = answer
        with pytest.raises(ModelUnreachableError):
            await asked(session, tree)
        return await read_trace(session, "t")

    async def test_what_is_done_so_far_is_there(self, stopped: Trace) -> None:
        assert (stopped.finished, stopped.waits_for, stopped.answer) == (False, ("tree",), "")
        root = step(stopped, "tree-root")
        assert [one.title for one in root.children] == [IRON, OLD]
        assert step(stopped, "strategy").verdict == "open"
        assert root.children[1].answer == ""
        shown = text_of(stopped)
        assert "not finished; next: tree" in shown

    async def test_a_new_turn_does_not_show_the_last_ones_steps(
        self, session: Session, tree: Context, model_server: ModelServer, script: HopScript
    ) -> None:
        await asked(session, tree)
        model_server.answer = lambda title, messages: Reply(401)
        with pytest.raises(ModelUnreachableError):
            await asked(session, tree, question="And the other?")
        trace = await read_trace(session, "t")
        assert trace.steps == ()
        assert trace.waits_for == ("receive",)


async def test_a_rewritten_follow_up_is_told(
    session: Session, context: Context, script: HopScript
) -> None:
    script.lines = {("rewrite", "And the other?"): {"question": STONE}}
    single = changed(context, strategy="single")
    await asked(session, single, question=IRON)
    trace = await asked(session, single, question="And the other?")
    assert (trace.asked, trace.question) == ("And the other?", STONE)
    assert trace.conversation == (("You", IRON), ("Hopyard", f"read: {IRON}"))
    assert [use.entry.prompt for use in step(trace, "rewrite").uses] == ["rewrite"]


async def test_without_its_index_the_passages_are_ids(
    session: Session, tree: Context, tmp_path: Path
) -> None:
    copy = tmp_path / "index"
    shutil.copytree(tree.index, copy)
    await asked(session, changed(tree, index=str(copy)))
    shutil.rmtree(copy)
    trace = await read_trace(session, "t")
    assert trace.passages
    assert all(one.text is None for one in trace.passages.values())
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
    assert [text[one.begin : one.end] for one in quotes_in(text, quotes)] == found
