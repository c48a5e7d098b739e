"""All calls of a level run at once: a deeper tree costs more levels, not more calls in a row."""

from __future__ import annotations

import threading
from collections import defaultdict
from itertools import pairwise

from model_server import Call, ModelServer

from hopyard.graphs import tree
from hopyard.state.settings.fields import Context

from .conftest import changed
from .script import Script, full_tree, request_of

LEVELS = [
    ("split", 1),
    ("rubric", 1),
    ("read", 2),
    ("judge", 1),
    ("split", 2),
    ("rubric", 2),
    ("read", 4),
    ("judge", 2),
    ("aggregate", 1),
]
"""What a full tree of depth 2 asks, one level after the other, and how many times."""
LONGEST_WAIT = 60.0


async def test_the_calls_of_a_level_overlap(
    context: Context, script: Script, model_server: ModelServer
) -> None:
    """Each call waits at the server until all of its level are there: one by one would hang."""
    script.lines = full_tree("All?", 2)
    gates = {level: threading.Barrier(many) for level, many in enumerate(_sizes())}

    def wait_for_the_level(kind: str, question: str) -> None:
        gates[_level(kind, question)].wait(timeout=LONGEST_WAIT)

    script.before = wait_for_the_level
    output = await tree.graph.ainvoke(
        {"question": "All?"}, context=changed(context, tree__max_depth=2)
    )
    assert output["answer"] == "aggregate: All?"

    levels: defaultdict[int, list[Call]] = defaultdict(list)
    for call in model_server.calls:
        levels[_level(*request_of(call.title, call.messages))].append(call)
    assert [len(levels[level]) for level in sorted(levels)] == _sizes()
    for calls in levels.values():
        assert max(call.started for call in calls) < min(call.finished for call in calls)
    assert model_server.most_at_once() == 4
    assert _calls_in_a_row(model_server.calls) == len(LEVELS)


async def test_one_call_at_once_is_one_call_at_once(
    context: Context, script: Script, model_server: ModelServer
) -> None:
    script.lines = full_tree("All?", 2)
    model_server.delay = 0.01
    await tree.graph.ainvoke(
        {"question": "All?"}, context=changed(context, tree__max_depth=2, concurrency=1)
    )
    assert model_server.most_at_once() == 1
    assert _calls_in_a_row(model_server.calls) == sum(_sizes())


def _sizes() -> list[int]:
    return [many for _, many in LEVELS]


def _level(kind: str, question: str) -> int:
    """The row of `LEVELS`: a question of depth 2 has two words more than the root."""
    depth = len(question.split()) - 1
    if kind == "aggregate":
        return 8
    return {"split": 0, "rubric": 1, "read": 2 - 4, "judge": 3}[kind] + 4 * depth


def _calls_in_a_row(calls: list[Call]) -> int:
    """The most calls of which each begins after the one before has ended."""
    chain: list[Call] = []
    for call in sorted(calls, key=lambda call: call.finished):
        if not chain or call.started >= chain[-1].finished:
            chain.append(call)
    assert all(first.finished <= second.started for first, second in pairwise(chain))
    return len(chain)
