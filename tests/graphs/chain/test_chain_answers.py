"""`chain`: its answers, their citations, and failures."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hopyard.graphs import chain
from hopyard.nodes.chain.cite import steps_of
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.errors import ModelOutputError
from hopyard.state.schemas import UNCITED, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.testing.contract import EMBEDDING, MODEL, Contract
from hopyard.testing.models import GARBAGE, ScriptedChat

from ..script import IRON, STONE
from .replies import BOTH, Ask, Steps, asker, found, number_of, search


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("chain") / "index"
    return asyncio.run(Contract.build_index(directory, ("dense", "sparse")))


@pytest.fixture
def ask(index: Path, tmp_path: Path) -> Ask:
    return asker(index, tmp_path / "home")


async def test_the_last_step_is_told_that_it_is_the_last(ask: Ask) -> None:
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


async def test_an_unconfirmed_link_is_said(ask: Ask) -> None:
    output, _ = await ask(
        IRON,
        {"kind": "answer", "answer": "1781", "unconfirmed": "No passage says which bridge."},
    )
    assert output["unconfirmed"] == "No passage says which bridge."


async def test_a_finding_of_no_passage_is_left_out(ask: Ask) -> None:
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
    assert output["unconfirmed"] == UNCITED


async def test_a_greeting_needs_no_document(ask: Ask) -> None:
    output, _ = await ask("Good morning!", {"kind": "direct", "answer": "Good morning to you."})
    assert output["answer"] == "Good morning to you."
    assert output["citations"] == []
    assert output["unconfirmed"] == ""
    assert output["steps"][-1]["reason"] == "no document is needed"


async def test_general_knowledge_answers_where_it_is_allowed(ask: Ask) -> None:
    said = "From general knowledge: a blacksmith."
    output, steps = await ask(
        "Who painted the gate?",
        {"kind": "not_found", "answer": said},
        answer={"knowledge": "both"},
    )
    assert output["answer"] == said
    assert "your own knowledge" in steps.turns[0]


async def test_markers_are_numbered_as_the_citations_are(ask: Ask) -> None:
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
async def test_a_passage_that_is_no_longer_shown_is_no_source(ask: Ask, noted: bool) -> None:
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


async def test_a_failed_call_is_an_error(ask: Ask) -> None:
    with pytest.raises(ModelOutputError, match="no usable output"):
        await ask(IRON, GARBAGE)


@pytest.mark.parametrize("last", [{"kind": "not_found"}, search(STONE)])
async def test_a_budget_leaves_a_last_reading(ask: Ask, last: dict[str, Any]) -> None:
    output, steps = await ask(BOTH, search(IRON), last, budget={"calls": 2})
    assert len(steps.turns) == 2
    assert "No search is left" in steps.turns[1]
    assert output["answer"] == "Unknown"
    assert output["truncated"] is True


async def test_the_answer_is_streamed_and_a_searching_step_is_not(
    index: Path, ask: Ask, tmp_path: Path
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
