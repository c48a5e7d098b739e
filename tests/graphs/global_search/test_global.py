"""Global search: communities are selected, reports written, mapped to points, and reduced."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from building import build
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda

from hopyard.graphs import router
from hopyard.graphs.global_search import graph, published
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.global_search.map import best_points, chunks, shuffled
from hopyard.nodes.global_search.reports import writing_budget
from hopyard.nodes.resources import Resources, config_with
from hopyard.nodes.run import Run
from hopyard.state.global_search import Point
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.strategy import STRATEGIES
from hopyard.state.usage import Budget
from hopyard.testing import DOCUMENTS, ScriptedChat
from hopyard.testing.contract import all_kinds
from hopyard.testing.models import GARBAGE, WordEmbedder

QUESTION = "What do the documents tell about bridges?"
LEVELS = [
    ["0-0", "0-1", "0-2", "0-3"],
    ["0-2", "0-3", "1-0", "1-1", "1-2", "1-3"],
    ["0-2", "0-3", "1-2", "1-3", "2-0", "2-1", "2-2", "2-3"],
]
"""Communities at each level: 0-0 consists of 1-0 and 1-1, 0-1 of 1-2 and 1-3, 1-0 of 2-0 and 2-2,
1-1 of 2-1 and 2-3.

The garden is 0-3, a single entity whose report takes no call, and 2-2 is the Iron Bridge's opening
in 1781 over the River Severn.
"""
SCORES = {"1781": 90, "1146": 80, "Bavaria": 0}
"""How much points with a word help to answer the question; other points have 40."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("communities") / "index"
    build(
        DOCUMENTS,
        directory=directory,
        embedder=WordEmbedder(),
        chunk_tokens=0,
        kinds=["dense", "sparse", *all_kinds(["communities"])],
        settings=Context.model_validate({"communities": {"max_size": 2}}),
    )
    return directory


@pytest.fixture
def reader(index: Path) -> Iterator[CommunityIndex]:
    with Index.open(index) as opened:
        yield opened.reader("communities")


@pytest.fixture
def chat() -> ScriptedChat:
    register_embedder(WordEmbedder.name, WordEmbedder())
    chat = ScriptedChat(answer)
    chat.register()
    return chat


@pytest.fixture
def resources(tmp_path: Path) -> Iterator[Resources]:
    with Resources(tmp_path / "home") as resources:
        yield resources


@pytest.fixture
def ask(index: Path, chat: ScriptedChat, resources: Resources) -> Callable[..., Any]:
    """Ask with settings of `global`, and others by name.

    All communities are short enough to be read without a report, so most tests ask the method as
    published, which reads reports alone.
    """
    base = Context.model_validate(
        {"index": str(index), "model": "scripted", "embedding": WordEmbedder.name}
    )

    async def asked(
        question: str = QUESTION, others: Any = None, graph: Any = published, **settings: Any
    ) -> Any:
        context = change_context(base, {"global": settings, **(others or {})})
        return await graph.ainvoke({"question": question}, config_with(resources), context=context)

    return asked


def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A report has a finding for each sentence; each finding is a point; the answer lists all."""
    turn = str(messages[-1]["content"])
    if name == "CommunityReport":
        lines = re.findall(r"^(S\d+|E\d+) (.*)$", turn, re.MULTILINE)
        sentences = [line for line in lines if line[0][0] == "S"] or lines[:1]
        return {
            "title": lines[0][1][:30],
            "summary": "A summary.",
            "rating": 5,
            "findings": [
                {"summary": "Fact", "explanation": text[-30:], "elements": [number]}
                for number, text in sentences
            ],
        }
    if name == "Points":
        found = re.findall(r"^\[(\d+)\] Fact: (.*)$", turn, re.MULTILINE)
        return {
            "points": [
                {"point": text, "findings": [int(number)], "score": score_of(text)}
                for number, text in found
            ]
        }
    points = re.findall(r"^- \(\d+\) (.*?) ((?:\[\d+\])+)$", turn, re.MULTILINE)
    return {"thought": "", "answer": " ".join(f"It says: {text} {marks}" for text, marks in points)}


def score_of(text: str) -> int:
    return next((score for word, score in SCORES.items() if word in text), 40)


def asked_for(chat: ScriptedChat) -> Counter[str]:
    return Counter(request.name for request in chat.requests)


def turns(chat: ScriptedChat, name: str) -> list[str]:
    return [request.turn for request in chat.requests if request.name == name]


def step_of(output: Any, step_id: str) -> Any:
    [step] = [step for step in output["steps"] if step["id"] == step_id]
    return step


def point(score: int, text: str = "abcd") -> Point:
    return Point(text=text, score=score, reports=["0-0"], passages=["p"])


# Chunks and windows


def test_the_order_of_reports_has_no_meaning() -> None:
    names = [f"0-{number}" for number in range(20)]
    assert shuffled(names) == shuffled(reversed(names))
    assert sorted(shuffled(names)) == sorted(names)
    assert shuffled(names) != names


@given(st.sets(st.text(), min_size=1))
def test_a_new_report_does_not_change_the_order_of_the_others(names: set[str]) -> None:
    new = max(names)
    assert [name for name in shuffled(names) if name != new] == shuffled(names - {new})


def test_chunks_are_filled_one_after_the_other() -> None:
    assert chunks([4, 3, 5, 9, 1, 7], int, 8) == [[4, 3], [5], [9], [1, 7]]
    assert chunks([], int, 8) == []


@given(st.lists(st.integers(1, 20)), st.integers(1, 30))
def test_each_item_is_in_one_chunk_and_none_would_fit_into_the_chunk_before(
    lengths: list[int], window: int
) -> None:
    found = chunks(lengths, int, window)
    assert [length for chunk in found for length in chunk] == lengths
    assert all(sum(chunk) <= window or len(chunk) == 1 for chunk in found)
    assert all(sum(each) + following[0] > window for each, following in pairwise(found))


def test_points_are_reduced_by_score_until_the_window_is_full() -> None:
    first, second, best = point(50, "a" * 8), point(50, "b" * 8), point(90, "c" * 12)
    assert best_points([first, second, best], 100) == [best, first, second]
    # Four characters are a token: 3 and 2 tokens fit into 5, another 2 do not.
    assert best_points([first, second, best], 5) == [best, first]
    assert best_points([first, best], 1) == [best]
    assert best_points([], 5) == []


def test_reports_may_use_up_three_quarters_of_a_budget() -> None:
    assert writing_budget(Budget(calls=8, tokens=1000, seconds=4)) == Budget(
        calls=6, tokens=750, seconds=3
    )
    assert writing_budget(Budget(calls=1)) == Budget(calls=1)
    assert writing_budget(Budget()) == Budget()


# Selection


def test_the_communities_of_the_tests(reader: CommunityIndex) -> None:
    assert [[each.id for each in reader.at(level)] for level in range(reader.levels)] == LEVELS


@pytest.mark.parametrize(("level", "at"), [(0, 0), (1, 1), (2, 2), (3, 2), (None, 2)])
async def test_a_level_that_the_index_lacks_means_the_deepest(
    ask: Callable[..., Any], chat: ScriptedChat, level: int | None, at: int
) -> None:
    output = await ask(level=level)
    written = [step["facts"]["community"] for step in output["steps"] if step["kind"] == "report"]
    assert sorted(written) == LEVELS[at]
    assert asked_for(chat) == {"CommunityReport": len(LEVELS[at]) - 1, "Points": 1, "Reduced": 1}


async def test_the_reports_beyond_the_limit_are_left_out(ask: Callable[..., Any]) -> None:
    output = await ask(most_reports=1)
    assert step_of(output, "select")["facts"] == {
        "communities": "4",
        "reports to write": "1",
        "left out": "3",
    }
    assert [step["id"] for step in output["steps"]] == [
        "select",
        "report-0-0",
        "map-1",
        "reduce",
    ]


async def test_small_communities_are_read_without_a_report(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(graph=graph)
    assert step_of(output, "select")["facts"] == {
        "communities": "4",
        "reports to write": "1",
        "excerpts": "3",
    }
    # The garden's many lines are its report. The script makes points of written reports alone.
    assert asked_for(chat) == {"Points": 2}
    [turn, _] = sorted(turns(chat, "Points"), key=lambda turn: "Reports:" not in turn)
    assert turn.count("(lines of the documents)") == 3
    assert "1781" in turn


async def test_excerpts_end_with_their_tokens(ask: Callable[..., Any], chat: ScriptedChat) -> None:
    output = await ask(graph=graph, window=38)
    facts = step_of(output, "select")["facts"]
    assert facts["reports to write"] == "1"
    assert int(facts["excerpts"]) + int(facts["left out"]) == 3
    assert int(facts["excerpts"]) in {1, 2}
    shown = "".join(turns(chat, "Points"))
    assert shown.count("(lines of the documents)") == int(facts["excerpts"])


async def test_an_excerpt_is_cited_like_a_report(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    def every_line(name: str, messages: list[dict[str, Any]]) -> Any:
        if name != "Points":
            return answer(name, messages)
        found = re.findall(r"^\[(\d+)\] (.*)$", str(messages[-1]["content"]), re.MULTILINE)
        return {"points": [{"point": text, "findings": [int(n)], "score": 50} for n, text in found]}

    chat.answers = every_line
    output = await ask(graph=graph)
    opened = [each for each in output["citations"] if "1781" in each["quote"]]
    assert opened[0]["passage_id"] == "iron-bridge"


# Map and reduce


async def test_points_with_a_score_of_zero_are_dropped(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask()
    [turn] = turns(chat, "Reduced")
    scores = [int(score) for score in re.findall(r"^- \((\d+)\)", turn, re.MULTILINE)]
    assert scores[:2] == [90, 80]
    assert scores == sorted(scores, reverse=True)
    assert "Bavaria" not in turn
    given = len(scores)
    assert step_of(output, "map-1")["facts"] == {"points": str(given), "dropped": "1"}
    assert step_of(output, "map-1")["score"] == 0.9
    assert step_of(output, "reduce")["facts"] == {"points": str(given), "sentences read": "95 %"}


async def test_without_a_helpful_point_the_answer_is_unknown_and_costs_no_call(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    chat.answers = lambda name, messages: (
        {"points": []} if name == "Points" else answer(name, messages)
    )
    output = await ask()
    assert output["answer"] == "Unknown"
    assert output["citations"] == output["evidence"] == []
    assert not output["truncated"]
    assert "Reduced" not in asked_for(chat)


async def test_a_small_window_makes_more_map_calls_and_fewer_points(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(window=1)
    assert asked_for(chat) == {"CommunityReport": 3, "Points": 4, "Reduced": 1}
    read = [re.findall(r"^Report: (.{8})", turn, re.MULTILINE) for turn in turns(chat, "Points")]
    assert [len(reports) for reports in read] == [1, 1, 1, 1]
    [turn] = turns(chat, "Reduced")
    assert re.findall(r"^- \((\d+)\)", turn, re.MULTILINE) == ["90"]
    assert step_of(output, "reduce")["facts"]["beyond the window"]
    [evidence] = output["evidence"]
    assert evidence == {
        "kind": "report",
        "id": "0-0",
        "score": 90.0,
        "passages": ["iron-bridge"],
    }
    [citation] = output["citations"]
    assert citation["passage_id"] == "iron-bridge"
    assert citation["quote"] == "The Iron Bridge was opened in 1781."
    assert citation["supported"]


class PatientChat(ScriptedChat):
    """Each call waits until all of its kind are there: one by one would end in a timeout."""

    gates: dict[str, asyncio.Barrier]

    def with_structured_output(self, schema: Any, **_: Any) -> Any:
        inner = super().with_structured_output(schema)
        gate = self.gates.get(schema["title"])

        async def wait_and_answer(messages: Any) -> Any:
            if gate is not None:
                await asyncio.wait_for(gate.wait(), timeout=30)
            return await inner.ainvoke(messages)

        return RunnableLambda(wait_and_answer)


async def test_an_estimate_has_the_calls_of_a_question_at_most(
    ask: Callable[..., Any], index: Path, resources: Resources
) -> None:
    context = Context.model_validate(
        {"index": str(index), "model": "scripted", "embedding": WordEmbedder.name}
    )
    estimated = await STRATEGIES["global"].estimate_calls(Run("", context, resources))
    output = await ask(graph=graph)
    # A report on the garden (here it needs no call), the excerpts, the passages, and the answer
    # (no call here, because no point helps).
    assert (estimated, output["usage"]["model_calls"]) == (4, 2)
    # As published: the reports, among them those on communities that are read as they are above.
    estimated = await STRATEGIES["graphrag"].estimate_calls(Run("", context, resources))
    output = await ask(level=0)
    assert (estimated, output["usage"]["model_calls"]) == (6, 5)


async def test_reports_and_map_calls_run_side_by_side(ask: Callable[..., Any]) -> None:
    chat = PatientChat(answer)
    chat.gates = {"CommunityReport": asyncio.Barrier(3), "Points": asyncio.Barrier(4)}
    chat.register()
    assert "1781" in (await ask(window=1))["answer"]
    assert asked_for(chat) == {"CommunityReport": 3, "Points": 4, "Reduced": 1}


async def test_the_next_question_does_not_pay_for_the_same_reports(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    await ask()
    chat.requests.clear()
    await ask("What else?")
    assert asked_for(chat) == {"Points": 1, "Reduced": 1}


async def test_a_filter_leaves_only_what_its_passages_say(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(others={"where": ["title=Stone Bridge"]})
    assert asked_for(chat)["CommunityReport"] == 1
    [turn] = turns(chat, "Points")
    assert "A summary." not in turn
    cited = {citation["passage_id"] for citation in output["citations"]}
    assert cited == {"stone-bridge"}
    assert {name for unit in output["evidence"] for name in unit["passages"]} == {"stone-bridge"}


# The route


@pytest.mark.parametrize("usable", [True, False])
async def test_auto_lets_a_capable_model_choose_between_chain_and_global(
    index: Path, chat: ScriptedChat, resources: Resources, usable: bool
) -> None:
    def choose(name: str, messages: list[dict[str, Any]]) -> Any:
        if name == "ChainStep":
            return {"kind": "not_found"}
        if name == "Answer":
            return {"answer": "Unknown"}
        if name != "Route":
            return answer(name, messages)
        offered = re.findall(r"^(\w[\w-]*): ", str(messages[0]["content"]), re.MULTILINE)
        assert offered == ["chain", "global"]
        return {"strategy": "global", "confidence": 0.9} if usable else GARBAGE

    chat.answers = choose
    base = {"model": "scripted", "embedding": WordEmbedder.name}
    context = Context.model_validate(base | {"index": str(index), "profile": "capable"})
    output = await router.graph.ainvoke(
        {"question": QUESTION}, config_with(resources), context=context
    )
    assert asked_for(chat)["Route"] == 1
    route = output["route"]
    assert (route["strategy"], route["by"]) == (
        ("global", "model") if usable else ("chain", "fallback")
    )


async def test_a_model_is_offered_what_has_a_description_for_the_route(
    index: Path, chat: ScriptedChat, resources: Resources
) -> None:
    offered: list[str] = []

    def choose(name: str, messages: list[dict[str, Any]]) -> Any:
        if name == "Route":
            offered.extend(re.findall(r"^([\w-]+): ", str(messages[0]["content"]), re.MULTILINE))
            return {"strategy": "global", "confidence": 0.9}
        if name == "Answer":
            return {"answer": "Unknown"}
        return {"kind": "not_found"} if name == "ChainStep" else answer(name, messages)

    chat.answers = choose
    base = {"model": "scripted", "embedding": WordEmbedder.name, "route": "model"}
    context = Context.model_validate(base | {"index": str(index), "profile": "capable"})
    await router.graph.ainvoke({"question": QUESTION}, config_with(resources), context=context)
    assert {"single", "chain", "global", "local"} <= {*offered}
    assert "graphrag" not in offered


# Failures and budget


async def test_sentences_stand_in_for_a_report_that_cannot_be_written(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    def without_the_severn(name: str, messages: list[dict[str, Any]]) -> Any:
        lost = name == "CommunityReport" and "Great Britain" in str(messages[-1]["content"])
        return GARBAGE if lost else answer(name, messages)

    chat.answers = without_the_severn
    output = await ask()
    assert step_of(output, "report-0-2")["verdict"] == "failed"
    assert "read 4 reports" in step_of(output, "map-1")["title"]
    [turn] = turns(chat, "Points")
    assert turn.count("(lines of the documents)") == 1
    assert "1781" in output["answer"]


async def test_without_a_closing_call_the_points_are_the_answer(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    chat.answers = lambda name, messages: GARBAGE if name == "Reduced" else answer(name, messages)
    output = await ask()
    first, second, *_ = output["answer"].splitlines()
    assert first.startswith("- ")
    assert first.endswith("1781. [1]")
    assert second.endswith("1146. [2]")
    assert [citation["passage_id"] for citation in output["citations"][:2]] == [
        "iron-bridge",
        "stone-bridge",
    ]
    assert step_of(output, "reduce")["verdict"] == "fallback"


async def test_a_budget_leaves_calls_for_map_and_reduce(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(others={"budget": {"calls": 4}})
    # Three quarters are three calls, and the last of a budget is kept: two reports.
    assert asked_for(chat) == {"CommunityReport": 2, "Points": 1, "Reduced": 1}
    assert output["truncated"]
    assert output["answer"] != "Unknown"


async def test_a_budget_without_a_map_call_answers_from_one_search(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    chat.answers = {"Answer": {"thought": "", "answer": "1781", "passages": [1]}}
    output = await ask("When was the Iron Bridge opened?", others={"budget": {"calls": 1}})
    assert asked_for(chat) == {"Answer": 1}
    assert output["answer"] == "1781"
    assert output["truncated"]
    assert output["citations"]
    assert step_of(output, "reduce")["verdict"] == "fallback"


async def test_the_answer_has_headings_unless_a_short_one_is_asked_for(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    await ask()
    await ask(others={"answer": {"style": "short"}})
    long, short = turns(chat, "Reduced")
    assert "heading (##)" in long
    assert "paragraphs" in long
    assert "as few words as possible" in short
    assert "heading" not in short
