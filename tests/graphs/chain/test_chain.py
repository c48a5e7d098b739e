"""`chain`: findings, searches side by side, and how it ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hopyard.graphs import chain
from hopyard.nodes.chain.cite import steps_of
from hopyard.nodes.cited_answer import NOTHING_NAMED
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.errors import ModelOutputError
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.testing.contract import EMBEDDING, MODEL, Contract
from hopyard.testing.models import GARBAGE, ScriptedChat, WordEmbedder

BOTH = "Which bridge is older, the Iron Bridge or the Stone Bridge?"
IRON = "When was the Iron Bridge opened?"
STONE = "When was the Stone Bridge completed?"


def number_of(title: str, turn: str) -> int:
    """The number that a passage has in a turn."""
    found = re.search(rf"^\[(\d+)\] {title}: ", turn, re.MULTILINE)
    assert found, f"{title} is not shown in\n{turn}"
    return int(found.group(1))


def found(fact: str, title: str, turn: str) -> dict[str, Any]:
    return {"fact": fact, "passage": number_of(title, turn)}


def search(*texts: str, findings: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"kind": "search", "searches": list(texts), "findings": findings or []}


class Steps:
    """Gives one reply after the other; a reply may be a function of the turn."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.turns: list[str] = []

    def __call__(self, name: str, messages: list[dict[str, Any]]) -> Any:
        assert name in {"ChainStep", "NextSearch"}
        turn = messages[-1]["content"]
        self.turns.append(turn)
        reply = self.replies.pop(0)
        return reply(turn) if callable(reply) else reply


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import asyncio

    directory = tmp_path_factory.mktemp("chain") / "index"
    return asyncio.run(Contract.build_index(directory, ("dense", "sparse")))


@pytest.fixture
def ask(index: Path, tmp_path: Path) -> Callable[..., Any]:
    """Ask a chain whose model gives these replies; the second value is what it was shown."""
    from hopyard.models.embeddings import register_embedder

    register_embedder(EMBEDDING, WordEmbedder())

    async def run(question: str, *replies: Any, **settings: Any) -> tuple[dict[str, Any], Steps]:
        steps = Steps(*replies)
        ScriptedChat(steps).register(MODEL)
        base = Context.model_validate({"index": str(index), "model": MODEL, "embedding": EMBEDDING})
        context = change_context(base, {"retrieval": {"k": 2}, **settings})
        with Resources(tmp_path / "home") as resources:
            output = await chain.graph.ainvoke(
                {"question": question}, config_with(resources), context=context
            )
        return output, steps

    return run


async def test_a_simple_question_costs_one_call(ask: Callable[..., Any]) -> None:
    output, _ = await ask(
        IRON,
        lambda turn: {
            "findings": [found("The Iron Bridge was opened in 1781.", "Iron Bridge", turn)],
            "kind": "answer",
            "answer": "1781",
        },
    )
    assert output["answer"] == "1781"
    assert output["usage"]["model_calls"] == 1
    assert [citation["quote"] for citation in output["citations"]] == [
        "The Iron Bridge was opened in 1781."
    ]
    assert output["evidence"][0]["id"] == "iron-bridge"
    assert [step["id"] for step in output["steps"]] == ["link-1", "answer"]
    assert output["unconfirmed"] == ""


async def test_independent_searches_run_side_by_side_and_are_read_together(
    ask: Callable[..., Any],
) -> None:
    output, steps = await ask(
        BOTH,
        search(IRON, STONE),
        lambda turn: {
            "findings": [
                found("The Iron Bridge was opened in 1781.", "Iron Bridge", turn),
                found("The Stone Bridge was completed in 1146.", "Stone Bridge", turn),
            ],
            "kind": "answer",
            "answer": "the Stone Bridge",
        },
    )
    assert output["answer"] == "the Stone Bridge"
    assert output["usage"]["model_calls"] == 2
    assert f"- {IRON}\n- {STONE}" in steps.turns[1]
    assert output["steps"][1]["title"] == f"{IRON} · {STONE}"
    assert {citation["passage_id"] for citation in output["citations"]} == {
        "iron-bridge",
        "stone-bridge",
    }


async def test_useful_passages_stay_under_their_number_and_the_rest_is_dropped(
    ask: Callable[..., Any],
) -> None:
    _, steps = await ask(
        "How long is the river that the Iron Bridge crosses?",
        lambda turn: search(
            "How long is the Severn?",
            findings=[found("The Iron Bridge crosses the Severn.", "Iron Bridge", turn)],
        ),
        lambda turn: {
            "findings": [found("The Severn is 354 kilometres long.", "Severn", turn)],
            "kind": "answer",
            "answer": "354 kilometres",
        },
    )
    first, second = steps.turns
    kept = number_of("Iron Bridge", first)
    assert number_of("Iron Bridge", second) == kept
    assert f"- The Iron Bridge crosses the Severn. [{kept}]" in second
    shown = re.findall(r"^\[(\d+)\]", second, re.MULTILINE)
    assert len(shown) == len(set(shown))
    dropped = set(re.findall(r"^\[(\d+)\] ", first, re.MULTILINE)) - {str(kept)}
    severn = str(number_of("Severn", second))
    assert not dropped & set(shown) or severn in dropped


async def test_a_later_search_finds_what_was_not_shown(ask: Callable[..., Any]) -> None:
    _, steps = await ask(
        "When was the bridge opened?",
        search("In which year did the bridge open?"),
        search("What is the opening date of the bridge?"),
        {"kind": "not_found"},
    )
    shown = [set(re.findall(r"^\[(\d+)\]", turn, re.MULTILINE)) for turn in steps.turns]
    assert shown[1] - shown[0]
    assert shown[2] - shown[1] - shown[0]


async def test_it_gives_up_after_steps_without_a_finding(ask: Callable[..., Any]) -> None:
    output, steps = await ask(
        "Who painted the gate?",
        search("Who painted the garden gate?"),
        search("Which painter worked on a gate?"),
        search("By whom was the gate painted?"),
        {"kind": "answer", "answer": "never asked"},
    )
    assert output["answer"] == "Unknown"
    assert output["citations"] == []
    assert output["steps"][-1]["reason"] == "3 steps in a row found nothing"
    assert "(found nothing that helps)" in steps.turns[2]
    assert len(steps.replies) == 1


async def test_a_search_that_was_made_before_leaves_one_last_reading(
    ask: Callable[..., Any],
) -> None:
    output, steps = await ask(
        IRON,
        lambda turn: search(
            IRON.upper(), findings=[found("The bridge is of iron.", "Iron Bridge", turn)]
        ),
        {"kind": "answer", "answer": "1781"},
    )
    assert output["answer"] == "1781"
    assert "No search is left" in steps.turns[1]
    assert output["steps"][1]["title"] == "Read the findings again"


async def test_a_last_reading_that_searches_again_ends_the_chain(ask: Callable[..., Any]) -> None:
    output, _ = await ask(
        IRON,
        lambda turn: search(
            IRON.upper(), findings=[found("The bridge is of iron.", "Iron Bridge", turn)]
        ),
        search(STONE),
    )
    assert output["answer"] == "Unknown"
    assert output["steps"][-1]["reason"] == "no new search was named"


@pytest.mark.parametrize("first", [search(IRON.upper()), {"kind": "not_found"}])
async def test_a_first_reading_that_gives_up_leads_to_a_search_in_other_words(
    ask: Callable[..., Any], first: dict[str, Any]
) -> None:
    output, steps = await ask(
        IRON,
        first | {"answer": "unknown."},
        {"search": "In which year did the Iron Bridge open?"},
        {"kind": "answer", "answer": "1781"},
    )
    assert output["answer"] == "1781"
    assert steps.turns[1] == f"Question: {IRON}\nSearches made:\n- {IRON}"
    assert output["steps"][1]["title"] == "In which year did the Iron Bridge open?"


async def test_different_searches_that_found_nothing_are_enough(ask: Callable[..., Any]) -> None:
    output, steps = await ask(IRON, search("Who built bridges?"), {"kind": "not_found"})
    assert output["answer"] == "Unknown"
    assert len(steps.turns) == 2
    assert output["steps"][-1]["reason"] == "it cannot be found"


@pytest.mark.parametrize("again", [{"search": IRON.lower()}, GARBAGE])
async def test_nothing_is_read_where_nothing_was_found_and_no_search_is_new(
    ask: Callable[..., Any], again: Any
) -> None:
    output, steps = await ask(IRON, search(IRON), again)
    assert output["answer"] == "Unknown"
    assert output["steps"][-1]["reason"] == "no new search was named"
    assert [step["id"] for step in output["steps"]] == ["link-1", "answer"]
    assert not any("Passages:\nnone" in turn for turn in steps.turns)


async def test_an_answer_beside_a_search_that_repeats_counts(ask: Callable[..., Any]) -> None:
    output, steps = await ask(IRON, search(IRON.upper()) | {"answer": "1781"})
    assert output["answer"] == "1781"
    assert len(steps.turns) == 1
    assert output["steps"][-1]["reason"] == "answered"


async def test_an_answer_beside_a_new_search_does_not_count(ask: Callable[..., Any]) -> None:
    output, steps = await ask(
        IRON,
        search("Who built the Iron Bridge?") | {"answer": "1779"},
        {"kind": "answer", "answer": "1781"},
    )
    assert output["answer"] == "1781"
    assert len(steps.turns) == 2


async def test_a_last_step_without_a_passage_asks_nothing(ask: Callable[..., Any]) -> None:
    output, steps = await ask(IRON, where=["title=nowhere"], chain={"max_steps": 1})
    assert output["answer"] == "Unknown"
    assert steps.turns == []


@pytest.mark.parametrize("said", ["None.", "yes", "N/A", "(none)", "unknown", "-"])
async def test_a_word_that_says_nothing_is_no_unconfirmed_link(
    ask: Callable[..., Any], said: str
) -> None:
    output, _ = await ask(
        IRON,
        lambda turn: {
            "findings": [found("The Iron Bridge was opened in 1781.", "Iron Bridge", turn)],
            "kind": "answer",
            "answer": "1781",
            "unconfirmed": said,
        },
    )
    assert output["unconfirmed"] == ""


async def test_the_last_step_is_told_that_it_is_the_last(ask: Callable[..., Any]) -> None:
    output, steps = await ask(
        BOTH,
        search(IRON),
        search(STONE),
        chain={"max_steps": 2},
    )
    assert "Searches left: 1." in steps.turns[0]
    assert "No search is left" in steps.turns[1]
    assert output["answer"] == "Unknown"
    assert output["steps"][-1]["reason"] == "stopped at the limit of 2 steps"


async def test_an_unconfirmed_link_is_said(ask: Callable[..., Any]) -> None:
    output, _ = await ask(
        IRON,
        {"kind": "answer", "answer": "1781", "unconfirmed": "No passage says which bridge."},
    )
    assert output["unconfirmed"] == "No passage says which bridge."


async def test_a_finding_of_no_passage_is_left_out(ask: Callable[..., Any]) -> None:
    output, _ = await ask(
        IRON,
        {
            "findings": [{"fact": "It was opened by a king.", "passage": 99}],
            "kind": "answer",
            "answer": "by a king",
        },
    )
    assert output["steps"][0]["answer"] == ""
    assert output["citations"] == []
    assert output["unconfirmed"] == NOTHING_NAMED


async def test_a_greeting_needs_no_document(ask: Callable[..., Any]) -> None:
    output, _ = await ask("Good morning!", {"kind": "direct", "answer": "Good morning to you."})
    assert output["answer"] == "Good morning to you."
    assert output["citations"] == []
    assert output["unconfirmed"] == ""
    assert output["steps"][-1]["reason"] == "no document is needed"


async def test_general_knowledge_answers_where_it_is_allowed(ask: Callable[..., Any]) -> None:
    said = "From general knowledge: a blacksmith."
    output, steps = await ask(
        "Who painted the gate?",
        {"kind": "not_found", "answer": said},
        answer={"knowledge": "both"},
    )
    assert output["answer"] == said
    assert "your own knowledge" in steps.turns[0]


async def test_markers_are_numbered_as_the_citations_are(ask: Callable[..., Any]) -> None:
    def answer(turn: str) -> dict[str, Any]:
        iron, stone = number_of("Iron Bridge", turn), number_of("Stone Bridge", turn)
        text = (
            f"The Stone Bridge was completed in 1146 [{stone}]. The Iron Bridge [{iron}] in 1781."
        )
        return {"kind": "answer", "answer": text}

    output, _ = await ask(BOTH, search(IRON, STONE), answer)
    assert output["answer"].startswith("The Stone Bridge was completed in 1146 [1].")
    assert output["citations"][0]["passage_id"] == "stone-bridge"


@pytest.mark.parametrize("noted", [True, False])
async def test_a_passage_that_is_no_longer_shown_is_no_source(
    ask: Callable[..., Any], noted: bool
) -> None:
    """Neither as a finding's passage nor as a marker: the model cannot read it there."""
    numbers: list[int] = []

    def look_elsewhere(turn: str) -> dict[str, Any]:
        numbers.append(number_of("Iron Bridge", turn))
        return search("How long is the Danube?")

    def answer(turn: str) -> dict[str, Any]:
        assert "] Iron Bridge: " not in turn
        if not noted:
            return {"kind": "answer", "answer": f"2,850 kilometres [{numbers[0]}]"}
        findings = [
            {"fact": "It was opened in 1781.", "passage": numbers[0]},
            found("The Danube is 2,850 kilometres long.", "Danube", turn),
        ]
        return {"kind": "answer", "answer": "2,850 kilometres", "findings": findings}

    output, _ = await ask(IRON, look_elsewhere, answer)
    assert "iron-bridge" not in {cited["passage_id"] for cited in output["citations"]}
    assert "iron-bridge" not in passage_ids(output["evidence"])
    assert "1781" not in output["steps"][1]["answer"]
    if noted:
        assert [cited["passage_id"] for cited in output["citations"]] == ["danube"]


async def test_a_failed_call_is_an_error(ask: Callable[..., Any]) -> None:
    with pytest.raises(ModelOutputError, match="no usable output"):
        await ask(IRON, GARBAGE)


@pytest.mark.parametrize("last", [{"kind": "not_found"}, search(STONE)])
async def test_a_budget_leaves_a_last_reading(
    ask: Callable[..., Any], last: dict[str, Any]
) -> None:
    output, steps = await ask(BOTH, search(IRON), last, budget={"calls": 2})
    assert len(steps.turns) == 2
    assert "No search is left" in steps.turns[1]
    assert output["answer"] == "Unknown"
    assert output["truncated"] is True


async def test_the_answer_is_streamed_and_a_searching_step_is_not(
    index: Path, ask: Callable[..., Any], tmp_path: Path
) -> None:
    ScriptedChat(
        Steps(search(IRON) | {"answer": "not yet"}, {"kind": "answer", "answer": "1781"})
    ).register(MODEL)
    context = Context.model_validate({"index": str(index), "model": MODEL, "embedding": EMBEDDING})
    text = ""
    with Resources(tmp_path / "own") as resources:
        parts = chain.graph.astream(
            {"question": BOTH}, config_with(resources), context=context, stream_mode="custom"
        )
        async for part in parts:
            text = part["text"] if part["restart"] else text + part["text"]
    assert text == "1781"


def test_steps_of_an_update_without_readings() -> None:
    assert steps_of({"lookups": []}) == []
