"""Global search reads the passages nearest to the question beside the reports."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from building import build

from hopyard.graphs.global_search import graph
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.global_search.map import window_of
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.errors import CallFailedError
from hopyard.state.settings.fields import Context
from hopyard.testing import DOCUMENTS, ScriptedChat
from hopyard.testing.contract import all_kinds
from hopyard.testing.models import FAILURES, GARBAGE, WordEmbedder

QUESTION = "What do the documents tell about bridges over the Danube?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("communities") / "index"
    build(
        DOCUMENTS,
        directory=directory,
        embedder=WordEmbedder(),
        chunk_tokens=0,
        kinds=["dense", "sparse", *all_kinds(["communities"])],
    )
    return directory


def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Nothing but the passages helps: reports have no point."""
    turn = str(messages[-1]["content"])
    if name == "Reduced":
        return {"thought": "", "answer": "A bridge at Regensburg [1]."}
    found = re.findall(r"^\[(\d+)\] (.*Regensburg.*)$", turn, re.MULTILINE)
    points = [{"point": text, "findings": [int(number)], "score": 70} for number, text in found[:1]]
    return {"points": points if turn.startswith("Passages:") else []}


def ask(index: Path, home: Path, chat: ScriptedChat, **settings: Any) -> Any:
    register_embedder(WordEmbedder.name, WordEmbedder())
    chat.register()
    values = {"index": str(index), "model": "scripted", "embedding": WordEmbedder.name}
    context = Context.model_validate(values | {**settings})
    with Resources(home) as resources:
        return asyncio.run(
            graph.ainvoke({"question": QUESTION}, config_with(resources), context=context)
        )


def passages_read(chat: ScriptedChat) -> list[list[str]]:
    turns = [request.turn for request in chat.requests if request.name == "Points"]
    return [
        re.findall(r"^\[\d+\] (.*?): ", turn, re.MULTILINE)
        for turn in turns
        if turn.startswith("Passages:")
    ]


def test_the_nearest_passages_are_one_more_map_call(index: Path, tmp_path: Path) -> None:
    chat = ScriptedChat(answer)
    output = ask(index, tmp_path, chat)
    [read] = passages_read(chat)
    assert {"Stone Bridge", "Danube"} <= {*read}
    maps = [step for step in output["steps"] if step["kind"] == "map"]
    assert [step["title"] for step in maps] == [
        "Map 1 of 2: read 4 reports",
        f"Map 2 of 2: read {len(read)} passages",
    ]
    [unit] = output["evidence"]
    assert (unit["kind"], unit["score"]) == ("passage", 70.0)
    assert output["citations"][0]["passage_id"] == unit["id"]


def test_passages_fit_into_the_window(index: Path, tmp_path: Path) -> None:
    chat = ScriptedChat(answer)
    ask(index, tmp_path, chat, **{"global": {"window": 40}})
    [read] = passages_read(chat)
    assert 1 <= len(read) <= 3
    [turn] = [each.turn for each in chat.requests if each.turn.startswith("Passages:")]
    lines = turn.partition("\n")[2].partition("\n\nQuestion:")[0]
    assert len(lines) <= 4 * 40 + 4 * len(read)


def test_the_builtin_model_reads_reports_alone(index: Path, tmp_path: Path) -> None:
    chat = ScriptedChat(answer)
    output = ask(index, tmp_path, chat, profile="builtin")
    assert passages_read(chat) == []
    assert output["answer"] == "Unknown"


@pytest.mark.parametrize(
    ("settings", "window"),
    [
        ({}, 8000),
        ({"profile": "builtin"}, 1200),
        ({"profile": "builtin", "global": {"window": 7}}, 7),
    ],
)
def test_the_window_depends_on_the_profile(settings: dict[str, Any], window: int) -> None:
    assert window_of(Context.model_validate({"profile": "capable", **settings})) == window


def test_a_filter_holds_for_the_passages_too(index: Path, tmp_path: Path) -> None:
    chat = ScriptedChat(answer)
    ask(index, tmp_path, chat, where=["title=Stone Bridge"])
    assert passages_read(chat) == [["Stone Bridge"]]


def test_reports_are_enough_if_the_passages_cannot_be_mapped(index: Path, tmp_path: Path) -> None:
    def broken(name: str, messages: list[dict[str, Any]]) -> Any:
        turn = str(messages[-1]["content"])
        if name == "Points" and turn.startswith("Passages:"):
            return GARBAGE
        if name == "Points":
            return {"points": [{"point": "Bridges stand.", "findings": [1], "score": 50}]}
        return answer(name, messages)

    output = ask(index, tmp_path, ScriptedChat(broken))
    failed = [step for step in output["steps"] if step.get("verdict") == "failed"]
    assert [step["kind"] for step in failed] == ["map"]
    assert output["answer"] == "A bridge at Regensburg [1]."


def test_a_call_that_failed_is_made_again_if_no_other_found_a_point(
    index: Path, tmp_path: Path
) -> None:
    """The passages say it, so "Unknown" would be wrong although the reports were read."""
    tries: list[str] = []

    def broken(name: str, messages: list[dict[str, Any]]) -> Any:
        turn = str(messages[-1]["content"])
        if name == "Points" and turn.startswith("Passages:"):
            tries.append(turn)
            return FAILURES["filtered"] if len(tries) < 3 else answer(name, messages)
        return answer(name, messages)

    chat = ScriptedChat(broken)
    with pytest.raises(CallFailedError) as raised:
        ask(index, tmp_path, chat)
    assert (raised.value.reason, len(tries)) == ("filtered", 2)
    output = ask(index, tmp_path, chat)
    assert output["answer"] == "A bridge at Regensburg [1]."
    assert output["usage"]["model_calls"] == 2  # the reports' points are in the ledger
