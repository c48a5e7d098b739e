"""Map-reduce over the source text: every passage is read once, and points lead to passages."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from building import build
from langgraph.checkpoint.memory import InMemorySaver

from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.errors import CallFailedError
from hopyard.state.settings.fields import Context
from hopyard.testing import DOCUMENTS, ScriptedChat
from hopyard.testing.models import FAILURES, GARBAGE, WordEmbedder
from lab.global_eval.map_reduce import graph

QUESTION = "What do the documents tell about bridges?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("source") / "index"
    build(DOCUMENTS, directory=directory, embedder=WordEmbedder(), chunk_tokens=0)
    return directory


def points(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The first passage of a chunk is worth its year, any other 0; a wrong number is ignored."""
    turn = str(messages[-1]["content"])
    if name == "Points":
        lines = re.findall(r"^\[(\d+)\] (.*)$", turn, re.MULTILINE)
        return {
            "points": [
                {"point": text, "findings": [int(number), 99], "score": 60 if "17" in text else 0}
                for number, text in lines
            ]
        }
    return {"thought": "", "answer": "In the 18th century [1]."}


def context(index: Path, chat: ScriptedChat, **settings: Any) -> Context:
    register_embedder(WordEmbedder.name, WordEmbedder())
    chat.register()
    values = {
        "index": str(index),
        "model": "scripted",
        "embedding": WordEmbedder.name,
        **settings,
    }
    return Context.model_validate(values)


def ask(index: Path, tmp_path: Path, chat: ScriptedChat, **settings: Any) -> Any:
    given = context(index, chat, **settings)
    with Resources(tmp_path / "home") as resources:
        return asyncio.run(
            graph.ainvoke({"question": QUESTION}, config_with(resources), context=given)
        )


WINDOW: Any = {"global": {"window": 60}}


def turns(chat: ScriptedChat, name: str) -> list[str]:
    return [request.turn for request in chat.requests if request.name == name]


def test_every_passage_is_read_once_in_a_fixed_order(index: Path, tmp_path: Path) -> None:
    chat = ScriptedChat(points)
    output = ask(index, tmp_path / "1", chat, **WINDOW)
    chunks = [re.findall(r"^(\[\d+\] .*)$", turn, re.M) for turn in turns(chat, "Points")]
    read = [line.partition(" ")[2] for chunk in chunks for line in chunk]
    assert sorted(read) == sorted(f"{each.title}: {each.text}".strip() for each in DOCUMENTS)
    assert len(chunks) > 1
    assert all(sum(map(len, chunk)) <= 4 * 60 for chunk in chunks if len(chunk) > 1)
    assert output["usage"]["model_calls"] == len(turns(chat, "Points")) + 1
    again = ScriptedChat(points)
    ask(index, tmp_path / "2", again, **WINDOW)
    assert sorted(turns(again, "Points")) == sorted(turns(chat, "Points"))


def test_points_lead_to_their_passages(index: Path, tmp_path: Path) -> None:
    chat = ScriptedChat(points)
    output = ask(index, tmp_path, chat)
    helpful = {each.id for each in DOCUMENTS if "17" in each.text}
    assert {unit["id"] for unit in output["evidence"]} == helpful
    assert all(
        (unit["kind"], unit["score"], unit["passages"]) == ("passage", 60.0, [unit["id"]])
        for unit in output["evidence"]
    )
    assert output["citations"][0]["passage_id"] in helpful
    [mapped, reduced] = output["steps"]
    assert mapped["title"] == f"Map 1 of 1: read {len(DOCUMENTS)} passages"
    assert mapped["facts"]["dropped"] == str(len(DOCUMENTS) - len(helpful))
    assert reduced["answer"] == "In the 18th century [1]."


def test_without_a_point_the_answer_is_unknown(index: Path, tmp_path: Path) -> None:
    chat = ScriptedChat({"Points": {"points": []}})
    output = ask(index, tmp_path, chat)
    assert (output["answer"], output["evidence"]) == ("Unknown", [])
    assert turns(chat, "Reduced") == []


def test_a_failed_map_call_does_not_end_the_others(index: Path, tmp_path: Path) -> None:
    def answer(name: str, messages: list[dict[str, Any]]) -> Any:
        if name == "Points" and "Iron Bridge:" in str(messages[-1]["content"]):
            return GARBAGE
        return points(name, messages)

    output = ask(index, tmp_path, ScriptedChat(answer), **WINDOW)
    failed = [step for step in output["steps"] if step.get("verdict") == "failed"]
    assert len(failed) == 1
    assert "iron-bridge" not in {unit["id"] for unit in output["evidence"]}
    assert output["read_share"] < 1
    assert output["answer"] == "In the 18th century [1]."


def test_a_resumed_run_repeats_only_the_map_calls_that_failed(index: Path, tmp_path: Path) -> None:
    whole = ScriptedChat(points)
    # One call at a time: the ledger has each of them before the next can fail.
    undisturbed = ask(index, tmp_path / "whole", whole, concurrency=1, **WINDOW)
    parts = len(turns(whole, "Points"))
    assert parts > 2
    working = 0  # map calls that are answered; the others are refused

    def answer(name: str, messages: list[dict[str, Any]]) -> Any:
        asked = dict.fromkeys(turns(chat, "Points"))
        return FAILURES["refused"] if len(asked) > working else points(name, messages)

    chat, saver = ScriptedChat(answer), InMemorySaver()
    settings = context(index, chat, concurrency=1, **WINDOW)

    def run(given: Any) -> Any:
        """One process: it shares the ledger and the checkpoints with the others."""
        chat.requests.clear()
        with Resources(tmp_path / "home") as resources:
            config = config_with(resources, {"configurable": {"thread_id": "t"}})
            threaded = graph.copy({"checkpointer": saver})
            return asyncio.run(threaded.ainvoke(given, config, context=settings))

    with pytest.raises(CallFailedError):
        run({"question": QUESTION})
    working = parts - 1
    with pytest.raises(CallFailedError):
        run(None)
    *read, failed = dict.fromkeys(turns(chat, "Points"))
    assert sorted([*read, failed]) == sorted(turns(whole, "Points"))
    working = parts
    output = run(None)
    assert turns(chat, "Points") == [failed]
    for key in ("answer", "citations", "evidence", "read_share", "truncated"):
        assert output[key] == undisturbed[key], key
    assert [step["id"] for step in output["steps"]] == [step["id"] for step in undisturbed["steps"]]
