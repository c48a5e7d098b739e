"""An answer that is longer than it may be is kept, and the step that gave it says so."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.graphs import direct, single, tree
from hopyard.state.settings.fields import Context

from .script import IRON, QUESTION, STONE, Script, said, split

LONG = " ".join(["The Iron Bridge was opened in 1781 and crosses the Severn."] * 100)
MARK = "the answer reached its limit and ends there"


def step_of(output: dict[str, Any], name: str) -> dict[str, Any]:
    return next(step for step in output["steps"] if step["id"] == name)


def check_cut(answer: str) -> None:
    """It is the beginning of what the model wrote."""
    assert LONG.startswith(answer)
    assert 100 < len(answer) < len(LONG)


@pytest.mark.parametrize(("graph", "kind"), [(direct.graph, "direct"), (single.graph, "read")])
async def test_one_call(context: Context, script: Script, graph: Any, kind: str) -> None:
    script.lines = {(kind, IRON): said(LONG)}
    for _ in range(2):  # the second time the ledger answers
        output = await graph.ainvoke({"question": IRON}, context=context)
        check_cut(output["answer"])
        step = step_of(output, "read")
        assert (step["verdict"], step["reason"]) == ("cut", MARK)
        assert script.asked == [(kind, IRON)]  # it is not asked for again
        assert (output["truncated"], output["ending"], step["ending"]) == (True, "cut", "cut")


async def test_a_short_answer_is_not_marked(context: Context, script: Script) -> None:
    script.lines = {("read", IRON): said("1781")}
    output = await single.graph.ainvoke({"question": IRON}, context=context)
    assert not {"verdict", "ending"} & step_of(output, "read").keys()
    assert (output["truncated"], output["ending"]) == (False, "finished")


async def test_a_tree(context: Context, script: Script) -> None:
    script.lines = {
        ("split", QUESTION): split(IRON, STONE),
        ("read", IRON): said(LONG),
        ("aggregate", QUESTION): said(LONG),
    }
    output = await tree.graph.ainvoke({"question": QUESTION}, context=context)
    half, other = step_of(output, "tree-1"), step_of(output, "tree-2")
    check_cut(half["answer"])
    assert half["verdict"] == "leaf"  # it is still a finding
    assert half["facts"]["answer"] == "cut at its limit"
    assert half["ending"] == "cut"
    assert "answer" not in other.get("facts", {})
    check_cut(output["answer"])
    closing = step_of(output, "aggregate")
    assert (closing["verdict"], closing["reason"]) == ("cut", MARK)


async def test_a_tree_of_a_single_question(context: Context, script: Script) -> None:
    script.lines = {("read", IRON): said(LONG)}
    output = await tree.graph.ainvoke({"question": IRON}, context=context)
    check_cut(output["answer"])
    closing = step_of(output, "aggregate")
    assert closing["verdict"] == "cut"
    assert closing["reason"] == f"the question was not split; {MARK}"
