"""`plan` looks inside long documents for a part whose answer is unknown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from long_reports import build_reports

from hopyard.graphs import plan
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.settings.fields import Context
from hopyard.testing.contract import EMBEDDING, MODEL
from hopyard.testing.models import ScriptedChat, WordEmbedder

from ..tree.trees import nodes

QUESTION = "Did all tolls together come to more in 2024 than in 2023?"
FIRST, SECOND = "What did ferries pay in 2023?", "What did ferries pay in 2024?"
SPLIT = {
    "thought": "Two sums.",
    "kind": "compound",
    "draft": [FIRST, SECOND],
    "parts": [{"question": each, "simple": True} for each in (FIRST, SECOND)],
    **dict.fromkeys(("relevant", "complete", "specific", "non_overlapping"), True),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_reports(tmp_path_factory.mktemp("plan-inside") / "index")


def unknown(**more: Any) -> dict[str, Any]:
    return {"thought": "The page ends before the sum.", "answer": UNKNOWN, **more}


class Script:
    """Looks up what a part needs, then reads the sum."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, str]] = []

    def __call__(self, name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        turn = messages[-1]["content"]
        if name == "Split":
            return SPLIT
        if name == "Closing":
            return {"thought": "1,745 is more.", "answer": "yes", "passages": [1]}
        self.parts.append((name, turn))
        if total := re.search(r"^\[(\d+)\].*came to (\S+) crowns", turn, re.MULTILINE):
            passages = [int(total.group(1))]
            return {"thought": "So it says.", "answer": total.group(2), "passages": passages}
        if FIRST in turn:
            barges = re.search(r"^\[(\d+)\].*Barges paid", turn, re.MULTILINE)
            assert barges
            return unknown(opens=[int(barges.group(1))])
        return unknown(finds=[{"document": "Harbour Report 2024", "words": "all tolls together"}])


async def test_a_part_opens_pages_and_finds_words(index: Path, tmp_path: Path) -> None:
    register_embedder(EMBEDDING, WordEmbedder())
    script = Script()
    ScriptedChat(script).register(MODEL)
    retrieval = {"method": "sparse", "k": 2, "tokens": 0}  # so that the sum is not read at once
    context = Context.model_validate(
        {"index": str(index), "model": MODEL, "embedding": EMBEDDING, "retrieval": retrieval}
    )
    with Resources(tmp_path / "home") as resources:
        output = await plan.graph.ainvoke(
            {"question": QUESTION}, config_with(resources), context=context
        )
    assert output["answer"] == "yes"
    assert output["usage"]["model_calls"] == 6
    parts = nodes(output)
    assert [parts[path]["answer"] for path in ("1", "2")] == ["1,600", "1,745"]
    assert parts["1"]["question"] == FIRST
    assert [parts[path]["replaced"][0]["reason"] for path in ("1", "2")] == [
        "unknown; looked up the pages around Harbour Report 2023, page 18",
        "unknown; looked up “all tolls together” in Harbour Report 2024",
    ]
    names = [name for name, _ in script.parts]
    assert names.count("PartAnswerInside") == names.count("PartAnswer") == 2
