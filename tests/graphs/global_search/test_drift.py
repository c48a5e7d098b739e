"""DRIFT search: a primer over reports, rounds of follow-up questions, and the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from building import build
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from hopyard.graphs.drift import graph
from hopyard.indexes.kinds.communities.records import Community
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.drift import follow_up, primer, select
from hopyard.nodes.drift.follow_up import new_questions
from hopyard.nodes.drift.select import rank_communities
from hopyard.nodes.global_search import reading
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.drift import Proposal
from hopyard.state.errors import ModelUnreachableError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.strategy import STRATEGIES
from hopyard.state.verdicts import BUDGET
from hopyard.testing import DOCUMENTS, ScriptedChat
from hopyard.testing.contract import all_kinds
from hopyard.testing.models import GARBAGE, ChatRequest, WordEmbedder

QUESTION = "What is known about the Iron Bridge?"
OPENED, RIBS, RIVER, LENGTH = (
    "When was the Iron Bridge opened?",
    "Who cast the ribs of the Iron Bridge?",
    "Which river does the Iron Bridge cross?",
    "How long is the Severn?",
)
FOLLOW_UPS = {
    "": [(RIBS, 60), (OPENED, 90), ("Is it red?", 0), ("when was the Iron  Bridge opened", 70)],
    OPENED: [(OPENED, 95), (RIVER, 40), (LENGTH, 80)],
}
"""The follow-up questions that are proposed by the primer ("") and by a follow-up question."""
FACTS = {OPENED: "opened in 1781", RIBS: "Abraham Darby III", RIVER: "Severn", LENGTH: "354"}
"""A text in the passage that answers a follow-up question."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight passages about bridges, with seven communities and no report."""
    directory = tmp_path_factory.mktemp("drift") / "index"
    build(
        DOCUMENTS,
        directory=directory,
        embedder=WordEmbedder(),
        chunk_tokens=0,
        kinds=all_kinds(["dense", "communities"]),
        settings=Context.model_validate({"communities": {"max_size": 2}}),
    )
    return directory


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


def told(index: Path, **changes: Any) -> Context:
    """Settings of a run."""
    base = Context.model_validate(
        {"index": str(index), "model": "scripted", "embedding": WordEmbedder.name}
    )
    return change_context(base, changes)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two reports, which are written for small communities too, and two follow-up questions."""
    monkeypatch.setattr(reading, "LONGEST_EXCERPT", 0)
    monkeypatch.setattr(select, "MOST_REPORTS", 2)
    for module in (primer, follow_up):
        monkeypatch.setattr(module, "MOST_FOLLOW_UPS", 2)


@pytest.fixture
def ask(index: Path, resources: Resources) -> Callable[..., Any]:
    async def asked(question: str = QUESTION, **changes: Any) -> Any:
        return await graph.ainvoke(
            {"question": question}, config_with(resources), context=told(index, **changes)
        )

    return asked


def answer(name: str, messages: list[dict[str, Any]]) -> Any:
    """A finding a report, a point a call, and the follow-up questions of the table."""
    turn = str(messages[-1]["content"])
    if name == "CommunityReport":
        number, text = re.findall(r"^([SE]\d+) (.*)$", turn, re.MULTILINE)[0]
        finding = {"summary": "Fact", "explanation": text[-40:], "elements": [number]}
        return {"title": text[:30], "summary": "Some.", "rating": 5, "findings": [finding]}
    if name == "Explored":
        return explore(turn)
    points = re.findall(r"^- \(\d+\) (.*?) ((?:\[\d+\])+)$", turn, re.MULTILINE)
    return {"thought": "", "answer": " ".join(f"{text} {marks}" for text, marks in points)}


def explore(turn: str) -> dict[str, Any]:
    asked = turn.partition("Follow-up question: ")[2]
    if not asked:
        [first] = re.findall(r"^\[1\] (?:Fact: )?(.*)$", turn, re.MULTILINE)
        points = [{"point": first, "findings": [1], "score": 50}]
    else:
        passages = re.findall(r"^\[(\d+)\] (.*)$", turn, re.MULTILINE)
        found = [int(number) for number, text in passages if FACTS.get(asked, "?") in text]
        points = [{"point": f"It says {FACTS[asked]}.", "findings": found[:1], "score": 80}
                  for _ in found[:1]]  # fmt: skip
    follow_ups = [{"question": one, "score": score} for one, score in FOLLOW_UPS.get(asked, [])]
    return {"points": points, "follow_ups": follow_ups}


def turns(chat: ScriptedChat, name: str = "Explored") -> list[str]:
    return [request.turn for request in chat.requests if request.name == name]


def step_of(output: Any, step_id: str) -> Any:
    [step] = [step for step in output["steps"] if step["id"] == step_id]
    return step


def follow_ups(output: Any) -> list[tuple[str, str, str]]:
    """Id, parent and question of each follow-up."""
    return [
        (step["id"], step["parent"], step["question"])
        for step in output["steps"]
        if step["kind"] == "follow-up"
    ]


# Choices


def proposals(*given: tuple[str, int]) -> list[Proposal]:
    return [Proposal(question=question, score=score, parent="p") for question, score in given]


def test_new_questions_are_those_not_asked_the_best_first() -> None:
    given = proposals(("Who?", 10), ("When?", 90), (" WHO ", 30), ("Where?", 0), ("Why?", 90))
    assert [(one["question"], one["score"]) for one in new_questions(given, ["why"])] == [
        ("When?", 90),
        (" WHO ", 30),
    ]


@given(st.lists(st.tuples(st.text(), st.integers(0, 100))), st.lists(st.text()))
def test_a_question_is_never_asked_twice(given: list[tuple[str, int]], asked: list[str]) -> None:
    first = [one["question"] for one in new_questions(proposals(*given), asked)]
    assert new_questions(proposals(*given), [*asked, *first]) == []
    assert len(set(first)) == len(first)


def test_communities_share_the_weight_of_each_group_of_entities() -> None:
    communities = [
        Community(id=name, level=0, entities=entities, passages=1, title="")
        for name, entities in {"a": (1, 2), "b": (7,), "c": (9,), "d": (3, 5)}.items()
    ]
    # a: 1/2 · 1/4 + 1/3 · 2/3, b: 1 · 1/2, d: 1 · 1/2 + 1/2 · 2/4 + 1/3 · 1/3; c has no entity.
    groups = [[7, 3], [1, 3, 5, 8], [1, 2, 3]]
    assert rank_communities(groups, communities) == ["d", "b", "a"]
    assert rank_communities([[9], *groups], communities)[0] == "c"


async def test_without_reports_the_communities_of_near_entities_are_chosen(
    ask: Callable[..., Any], chat: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "MOST_REPORTS", 1)
    output = await ask("What grows in the garden?")
    chosen = step_of(output, "select")
    assert chosen["facts"] == {"communities": "1", "reports to write": "1"}
    assert "by the entities" in chosen["reason"]
    shown = turns(chat)[0]
    assert shown.count("Report: ") == 1
    assert "arden" in shown


async def test_small_communities_are_read_without_a_report(
    ask: Callable[..., Any], chat: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LONGEST_EXCERPT", 300)
    output = await ask()
    assert step_of(output, "select")["facts"] == {"communities": "2", "reports to write": "0"}
    assert {request.name for request in chat.requests} == {"Explored", "Reduced"}
    assert turns(chat)[0].count("(lines of the documents)") == 2
    [(title, line)] = re.findall(r"^From (.*):\n\[1\] (.*)$", turns(chat)[0], re.MULTILINE)
    assert title == "Abraham Darby"
    quotes = {cited["passage_id"]: cited["quote"] for cited in output["citations"]}
    assert quotes["abraham-darby"] == line


async def test_reports_of_the_index_are_chosen_by_their_text(
    tmp_path: Path, chat: ScriptedChat, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select, "MOST_REPORTS", 1)
    directory = tmp_path / "index"
    settings = told(directory, communities={"max_size": 2, "reports": "all"})
    build(
        DOCUMENTS,
        directory=directory,
        embedder=WordEmbedder(),
        chunk_tokens=0,
        kinds=all_kinds(["dense", "communities"]),
        settings=settings,
        caller=lambda: resources.caller("scripted"),
    )
    chat.requests.clear()
    output = await graph.ainvoke({"question": QUESTION}, config_with(resources), context=settings)
    assert "by their titles" in step_of(output, "select")["reason"]
    assert {request.name for request in chat.requests} == {"Explored", "Reduced"}
    assert "Iron Bridge" in turns(chat)[0].partition("\n\n")[0]


# Rounds


async def test_each_round_asks_the_best_new_questions(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask()
    assert follow_ups(output) == [
        ("follow-up-1-1", "primer", OPENED),
        ("follow-up-1-2", "primer", RIBS),
        ("follow-up-2-1", "follow-up-1-1", LENGTH),
        ("follow-up-2-2", "follow-up-1-1", RIVER),
    ]
    assert len(turns(chat)) == 5
    assert all(f"Main question: {QUESTION}" in turn for turn in turns(chat))
    assert ["up to 2" in turn for turn in turns(chat)] == [True, True, True, False, False]
    assert f"- {OPENED}\n- {RIBS}\n- {LENGTH}\n- {RIVER}\n" in turns(chat)[-1]
    assert not output["truncated"]


async def test_points_of_reports_and_of_follow_ups_lead_to_passages(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask()
    [reduced] = turns(chat, "Reduced")
    scores = [int(score) for score in re.findall(r"^- \((\d+)\)", reduced, re.MULTILINE)]
    assert scores == [80, 80, 80, 80, 50]
    cited = {citation["claim"]: citation for citation in output["citations"]}
    opened = next(one for claim, one in cited.items() if "1781" in claim)
    assert (opened["passage_id"], opened["supported"]) == ("iron-bridge", True)
    assert opened["quote"] == "The Iron Bridge was opened in 1781."
    assert any(one["passage_id"] == "severn" for one in cited.values())
    kinds = {unit["kind"] for unit in output["evidence"]}
    assert kinds == {"passage", "report"}
    assert all(unit["passages"] for unit in output["evidence"])


async def test_a_follow_up_is_read_in_the_context_of_local_search(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask()
    assert step_of(output, "follow-up-1-1-link")["title"] == "Entities: Iron Bridge"
    context = step_of(output, "follow-up-1-1-context")
    assert context["parent"] == "follow-up-1-1"
    assert context["facts"]["reports"].startswith("1, ")
    [turn] = [turn for turn in turns(chat) if turn.endswith(OPENED)]
    assert turn.startswith("Reports:\n")
    assert "\n\nPassages:\n[1] Iron Bridge: " in turn


async def test_without_follow_up_questions_the_question_itself_is_asked(
    ask: Callable[..., Any], chat: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FOLLOW_UPS, "", [("Is it red?", 0)])
    monkeypatch.setitem(FOLLOW_UPS, OPENED, [(OPENED, 90)])
    output = await ask(OPENED)
    assert follow_ups(output) == [("follow-up-1-1", "", OPENED)]
    assert len(turns(chat)) == 2


async def test_a_filter_leaves_only_what_its_passages_say(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(where=["title=Iron Bridge"])
    assert {name for unit in output["evidence"] for name in unit["passages"]} == {"iron-bridge"}
    assert {one["passage_id"] for one in output["citations"]} == {"iron-bridge"}
    assert not any("Stone Bridge" in turn for turn in turns(chat))


# Failures and budget


async def test_without_a_primer_the_question_itself_is_searched_for(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    def without_primer(name: str, messages: list[dict[str, Any]]) -> Any:
        lost = name == "Explored" and "Follow-up question:" not in str(messages[-1]["content"])
        return GARBAGE if lost else answer(name, messages)

    chat.answers = without_primer
    output = await ask(OPENED)
    assert step_of(output, "primer")["verdict"] == "failed"
    assert follow_ups(output)[0] == ("follow-up-1-1", "", OPENED)
    assert "1781" in output["answer"]


async def test_a_failed_follow_up_is_recorded_and_the_others_count(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    def without_opening(name: str, messages: list[dict[str, Any]]) -> Any:
        lost = str(messages[-1]["content"]).endswith(f"Follow-up question: {OPENED}")
        return GARBAGE if lost else answer(name, messages)

    chat.answers = without_opening
    output = await ask()
    assert step_of(output, "follow-up-1-1")["verdict"] == "failed"
    assert len(follow_ups(output)) == 2
    assert "Abraham Darby III" in output["answer"]
    assert not output["truncated"]


async def test_a_budget_that_ends_reduces_the_points_so_far(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    # Two reports, the primer, one of two follow-up questions, and the call that is kept.
    output = await ask(budget={"calls": 5})
    names = [request.name for request in chat.requests]
    assert names == ["CommunityReport", "CommunityReport", "Explored", "Explored", "Reduced"]
    assert output["truncated"]
    assert len(follow_ups(output)) == 2
    assert sum(step.get("verdict") == BUDGET for step in output["steps"]) == 1
    assert output["answer"] != "Unknown"


async def test_a_run_that_was_stopped_repeats_no_finished_call(
    index: Path, tmp_path: Path, chat: ScriptedChat
) -> None:
    own, thread = graph.copy({"checkpointer": InMemorySaver()}), {"thread_id": "t"}

    def stop(request: ChatRequest) -> None:
        if request.turn.endswith(f"Follow-up question: {RIVER}"):
            raise ConnectionError("gone")

    chat.before = stop
    asked: Any = {"question": QUESTION}
    with Resources(tmp_path / "first") as first, pytest.raises(ModelUnreachableError):
        config = config_with(first, {"configurable": thread})
        await own.ainvoke(asked, config, context=told(index))
    chat.before = lambda request: None
    before = [request.turn for request in chat.requests]
    with Resources(tmp_path / "second") as second:
        config = config_with(second, {"configurable": thread})
        output = await own.ainvoke(None, config, context=told(index))
    after = [request.turn for request in chat.requests[len(before) :]]
    finished = {turn for turn in before if not turn.endswith((RIVER, LENGTH))}
    assert len(finished) == 5  # two reports, the primer, the first round
    assert not finished & set(after)
    assert len(follow_ups(output)) == 4
    with Resources(tmp_path / "third") as third:
        alone = await graph.ainvoke(asked, config_with(third), context=told(index))
    assert output["answer"] == alone["answer"]


def test_the_route_does_not_offer_it() -> None:
    assert STRATEGIES["drift"].route is None
