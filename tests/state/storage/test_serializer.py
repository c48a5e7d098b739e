"""Checkpoints: compressed, read back as they were, and nothing unknown loaded from them."""

from __future__ import annotations

import dataclasses
import logging
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from hopyard.state.storage.serializer import serializer

SERIALIZER = serializer()
KEY = bytes(range(32))
_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize("key", [b"", KEY])
@given(value=_PLAIN | _PLAIN.map(lambda value: [value] * 50))
def test_values_come_back_and_are_no_larger(key: bytes, value: Any) -> None:
    reader = serializer(key)
    kind, data = reader.dumps_typed(value)
    plain = JsonPlusSerializer().dumps_typed(value)
    assert reader.loads_typed((kind, data)) == value
    assert len(data) <= len(plain[1]) + 16 + (32 if key else 0)  # a nonce and a tag
    assert reader.loads_typed(SERIALIZER.dumps_typed(value)) == value  # written without a key


def test_state_comes_back_with_its_messages() -> None:
    messages = [HumanMessage("Who? " * 200, id="1"), AIMessage("Her.", id="2")]
    state = {
        "messages": messages,
        "tree": {"1.2": {"path": "1.2", "scores": {"sufficiency": 5}}},
        "score": 0.1 + 0.2,
        "big": math.inf,
        "answer": "Ωμέγα \U0001f600",
    }
    assert SERIALIZER.loads_typed(SERIALIZER.dumps_typed(state)) == state


def test_a_tree_shrinks_to_less_than_half() -> None:
    tree = {
        f"1.{number}": {
            "question": f"Who founded company {number}?",
            "passages": [f"{number:032x}"],
        }
        for number in range(200)
    }
    plain = JsonPlusSerializer().dumps_typed(tree)[1]
    assert len(SERIALIZER.dumps_typed(tree)[1]) < len(plain) / 2


@dataclasses.dataclass
class Foreign:
    """A class that no checkpoint of Hopyard's holds."""

    command: str


def test_a_foreign_class_is_not_loaded(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        loaded = SERIALIZER.loads_typed(SERIALIZER.dumps_typed({"x": Foreign("rm")}))
    assert not isinstance(loaded["x"], Foreign)


_STRICT = """
import asyncio, sys
from pathlib import Path
from langchain_core.messages import HumanMessage
from langgraph.graph import END, START, StateGraph
from hopyard.state.storage.checkpoints import open_saver
from hopyard.state.agent import AgentState

async def main():
    graph = StateGraph(AgentState)
    graph.add_node("note", lambda state: {
        "steps": [{"kind": "search", "passages": [{"passage_id": "p", "score": 0.5}]}],
        "gate": {"gate": "off", "probability": None, "retrieve": True, "reason": "r" * 300},
    })
    graph.add_edge(START, "note")
    graph.add_edge("note", END)
    config = {"configurable": {"thread_id": "t"}}
    async with open_saver(Path(sys.argv[1])) as saver:
        agent = graph.compile(checkpointer=saver)
        await agent.ainvoke({"messages": [HumanMessage("Who?")], "run": "r"}, config)
    async with open_saver(Path(sys.argv[1])) as saver:
        values = (await graph.compile(checkpointer=saver).aget_state(config)).values
    assert values["messages"][0].text == "Who?"
    assert values["steps"][0]["passages"][0]["score"] == 0.5
    print("read back")

asyncio.run(main())
"""


def test_the_state_is_read_back_under_strict_msgpack(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STRICT, str(tmp_path / "threads.sqlite")],
        env={"LANGGRAPH_STRICT_MSGPACK": "true", "HOPYARD_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("read back\n", "")
