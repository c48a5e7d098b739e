"""Passages that try to take over: the delimiter holds, the schema holds, quotes are verbatim.

How often a model obeys them all the same is measured, not tested: benchmarks/hostile.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from building import build
from model_server import ModelServer

from hopyard.agent.session import open_session
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.nodes.citations import contains_quote
from hopyard.prompts.passages import one_line, passage_lines
from hopyard.state.settings.fields import Context

from ..graphs.conftest import Words, changed
from .conftest import Everything

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("hostile.jsonl").read_text(encoding="utf-8").splitlines()
]
cases = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
TEMPLATE_MARKS = re.compile(r"<[|｜][^<>]*[|｜]>|</?s>|<(start|end)_of_turn>|\[/?INST\]|<</?SYS>>")


@cases
def test_the_delimiter_cannot_be_closed_from_inside(case: dict[str, Any]) -> None:
    shown = passage_lines([(case["title"], case["text"]), ("Other", case["support"])])
    lines = shown.splitlines()  # at every character that any reader takes for a line's end
    assert len(lines) == 2
    assert [line.partition(" ")[0] for line in lines] == ["[1]", "[2]"]
    assert not TEMPLATE_MARKS.search(shown)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]", shown)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)


@pytest.mark.parametrize(
    "text",
    [
        "In 1969 <b>Neil</b> walked; a < b, c | d > e. [1] See [INSTITUTE], <small>s</small>.",
        "Ein Satz – mit „Zeichen“, שלום, سلام, नमस्ते, 👩\u200d🚀 and co\u00adoperation.",
        "f(x) <| g and |> in Elixir; std::vector<int>; </div>",
    ],
)
def test_an_ordinary_passage_is_shown_as_it_is(text: str) -> None:
    assert one_line(text) == text


async def _asked(context: Context, question: str) -> dict[str, Any]:
    async with open_session() as session:
        async for _ in session.ask(question, context, "t"):
            pass
        return await session.result("t")


@cases
async def test_a_captured_model_can_say_nothing_but_an_answer(
    case: dict[str, Any], context: Context, model_server: ModelServer, tmp_path: Path
) -> None:
    """The worst case: the model does what the passage says. Steps, schema and quotes hold."""
    documents = [
        Document("hostile", case["title"], case["text"]),
        Document("support", "Support", case["support"]),
    ]
    build(documents, directory=tmp_path / "index", embedder=Words(), chunk_tokens=0)
    model_server.answer = lambda title, messages: {"answer": f"{case['captured']} \x1b[2J"}
    settings = changed(context, index=str(tmp_path / "index"), strategy="single")
    result = await _asked(settings, case["question"])
    assert result["answer"] == f"{case['captured']} [2J"
    assert result["strategy"] == "single"
    assert result["usage"]["model_calls"] == 1
    with Index.open(tmp_path / "index") as index:
        for citation in result["citations"]:
            [passage] = index.passages([citation["passage_id"]])
            assert contains_quote(passage, citation["quote"])
    [call] = model_server.calls
    assert len(call.turn.splitlines()) == 5  # Passages:, two of them, an empty line, the question
    assert call.turn.splitlines()[-1] == f"Question: {case['question']}"


async def test_more_than_the_schema_has_is_refused(
    context: Context, model_server: ModelServer
) -> None:
    everything = Everything()
    everything.lines = {
        ("read", "x?"): [{"answer": "a", "command": "rm -rf /"}, {"answer": "good"}],
        ("route", "x?"): {"strategy": "shell"},
    }
    model_server.answer = everything
    result = await _asked(context, "x?")
    assert result["answer"] == "good"
    assert (result["route"]["strategy"], result["route"]["by"]) == ("single", "fallback")
