"""An answer about all documents says which share of them it was given from.

Six families have twelve sentences each, 72 in all, and a community each. Its prompt shows 105
tokens: the best eight of its sentences, or all of them with the report about its larger part.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from hopyard.agent.answer import Answer
from hopyard.agent.tool import readable
from hopyard.cli.mcp.results import ToolAnswer
from hopyard.cli.render import as_json, doubt_lines
from hopyard.graphs import global_search, router
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.global_search.coverage import share_of_sentences
from hopyard.nodes.resources import Resources, config_with
from hopyard.prompts.strategies.global_search import part_only
from hopyard.prompts.traits import TRAITS, Traits
from hopyard.state.schemas import read_note
from hopyard.testing.models import GARBAGE, WordEmbedder

from .families import Families, answer, families

QUESTION = "Who met most often?"
COUNTS = {"a": 4, "b": 2, "c": 2}
"""Sentences of passages."""


@pytest.mark.parametrize(
    ("single", "whole", "counts", "share"),
    [
        ([("a", 0), ("a", 3), ("a", 0)], (), COUNTS, 2 / 8),
        ([("a", 0), ("b", 1)], ("b",), COUNTS, 3 / 8),
        ([("a", 0)], ("a", "b", "c"), COUNTS, 1),
        ([("a", 0), ("c", 0)], ("b",), {"a": 4}, 1 / 4),  # a filter leaves a alone
        ([], (), COUNTS, 0),
        ([], (), {}, 1),
    ],
)
def test_a_sentence_counts_once(single: Any, whole: Any, counts: Any, share: float) -> None:
    assert share_of_sentences(single, whole, counts) == share


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Families:
    register_embedder(WordEmbedder.name, WordEmbedder())
    made = Families(tmp_path_factory.mktemp("families") / "index", reports="on-demand", max_size=3)
    made.build(families())
    return made


@pytest.fixture(autouse=True)
def window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts show 105 tokens of a community."""
    monkeypatch.setitem(TRAITS, "capable", Traits(report_tokens=105))  # type: ignore[arg-type]


def script(name: str, messages: list[dict[str, Any]]) -> Any:
    """Each finding and each passage is a point; the answer cites the first passage."""
    if name == "CommunityReport":
        return answer(name, messages)
    turn = str(messages[-1]["content"])
    if name == "Points":
        numbers = re.findall(r"^\[(\d+)\] ", turn, re.MULTILINE)
        points = [{"point": f"They met {n}.", "findings": [int(n)], "score": 50} for n in numbers]
        return {"points": points}
    return {"thought": "", "answer": "They met [1]."}


Ask = Callable[..., Any]


@pytest.fixture
def ask(library: Families, tmp_path: Path) -> Ask:
    library.chat.answers = script
    library.chat.requests.clear()

    def asked(graph: Any = global_search.published, **changes: Any) -> Any:
        context = library.context(
            index=str(library.directory),
            embedding=WordEmbedder.name,
            **changes,
        )
        with Resources(tmp_path / "home") as resources:
            config = config_with(resources)
            return asyncio.run(graph.ainvoke({"question": QUESTION}, config, context=context))

    return asked


def step(output: Any, name: str) -> Any:
    return next(each for each in output["steps"] if each["id"] == name)


def told(library: Families) -> str:
    """The material of the closing call."""
    [turn] = [each.turn for each in library.chat.requests if each.name == "Reduced"]
    return turn


@pytest.mark.parametrize(
    ("settings", "to_write", "share"),
    [
        ({}, {"reports to write": "12", "of parts": "6"}, 1),
        ({"global": {"most_reports": 6}}, {"reports to write": "6"}, 48 / 72),
        # The largest community gets the report that is left: 12 + 5 * 8.
        (
            {"global": {"most_reports": 7}},
            {"reports to write": "7", "of parts": "1"},
            52 / 72,
        ),
        # Three quarters of ten calls are for reports.
        ({"budget": {"calls": 10}}, {"reports to write": "7", "of parts": "1"}, 52 / 72),
        # A report takes up to 105 tokens: 0.75 * 930 / 105 is rounded up.
        ({"budget": {"tokens": 930}}, {"reports to write": "7", "of parts": "1"}, None),
    ],
)
def test_reports_that_may_be_written_decide_what_is_read(
    ask: Ask, library: Families, settings: Any, to_write: dict[str, str], share: float | None
) -> None:
    output = ask(**settings)
    assert step(output, "select")["facts"] == {"communities": "6", **to_write}
    if share is None:
        return
    assert output["read_share"] == pytest.approx(share)
    percent = f"{int(100 * share)} %" if share < 1 else "all"
    assert step(output, "reduce")["facts"]["sentences read"] == percent
    assert ("state no maximum" in told(library)) == (share < 1)
    written = sum(each["kind"] == "report" for each in output["steps"])
    assert written == int(to_write["reports to write"])


def test_the_steps_show_what_each_report_was_written_from(ask: Ask) -> None:
    output = ask()
    whole, part = step(output, "report-0-0"), step(output, "report-1-0")
    assert (whole["parent"], part["parent"]) == ("select", "report-0-0")
    assert whole["facts"]["elements read"] == "12"
    assert part["facts"]["elements read"] == "8"


def test_what_a_failed_map_call_had_was_not_read(ask: Ask, library: Families) -> None:
    """Each report is a chunk of its own, and one of six map calls gives nothing."""
    library.chat.answers = lambda name, messages: (
        GARBAGE
        if name == "Points" and "Anna Adler" in str(messages[-1]["content"])
        else script(name, messages)
    )
    output = ask(**{"global": {"window": 1}})
    assert [each["kind"] for each in output["steps"] if each.get("verdict") == "failed"] == ["map"]
    assert output["read_share"] == pytest.approx(60 / 72)


def test_excerpts_and_passages_count_with_what_they_show(ask: Ask) -> None:
    output = ask(global_search.graph)
    assert output["read_share"] == 1, "a community of 145 tokens is short"
    # Two of six excerpts of 12 sentences fit into four windows.
    some = ask(global_search.graph, **{"global": {"window": 120}})
    assert int(step(some, "select")["facts"]["left out"]) == 4
    assert 24 / 72 <= some["read_share"] < 1


def test_the_agent_gives_the_share_and_forgets_it(library: Families, tmp_path: Path) -> None:
    library.chat.answers = script
    graph = router.build().compile(checkpointer=InMemorySaver())
    context = library.context(
        index=str(library.directory),
        embedding=WordEmbedder.name,
        gate="off",
        check="off",
        strategy="graphrag",
        **{"global": {"most_reports": 6}},
    )
    with Resources(tmp_path / "home") as resources:
        config = config_with(resources, {"configurable": {"thread_id": "one"}})
        first = asyncio.run(graph.ainvoke({"question": QUESTION}, config, context=context))
        assert first["read_share"] == pytest.approx(48 / 72)
        assert readable(first).splitlines()[-1].startswith("Read 66 % of the sentences")
        single = context.model_copy(update={"strategy": "direct"})
        library.chat.answers = {"Answer": {"answer": "Berlin", "thought": ""}}
        again = asyncio.run(graph.ainvoke({"question": "Hello?"}, config, context=single))
        assert again["read_share"] is None


# The mark


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, ""),
        (1.0, ""),
        (0.999, "Read 99 % of the sentences of the documents"),
        (0.61, "Read 61 % of the sentences of the documents"),
        (0.004, "Read less than 1 % of the sentences of the documents"),
    ],
)
def test_the_note(share: float | None, text: str) -> None:
    assert read_note(share).partition(":")[0] == text
    assert [line.plain for line in doubt_lines({"read_share": share})] == (
        [read_note(share)] if text else []
    )
    for question, wanted in (("Which is the oldest?", "no maximum"), ("How many?", "the number")):
        assert ("documents" in (told := part_only(share, question))) == bool(text)
        assert not told or wanted in told


def test_json_a_notebook_and_mcp_have_the_share() -> None:
    assert as_json({"read_share": 0.61})["read_share"] == 0.61
    assert "Read 61 % of the sentences" in Answer(text="A", read_share=0.61)._repr_markdown_()
    assert ToolAnswer.model_fields["read_share"].default is None
