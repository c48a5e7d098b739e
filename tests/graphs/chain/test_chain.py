"""`chain`: searches side by side, findings, and how it ends."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from hopyard.testing.contract import Contract
from hopyard.testing.models import GARBAGE

from ..script import IRON, STONE
from .replies import BOTH, Ask, asker, found, number_of, search


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("chain") / "index"
    return asyncio.run(Contract.build_index(directory, ("dense", "sparse")))


@pytest.fixture
def ask(index: Path, tmp_path: Path) -> Ask:
    return asker(index, tmp_path / "home")


async def test_a_simple_question_costs_one_call(ask: Ask) -> None:
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
    ask: Ask,
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
    ask: Ask,
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


async def test_a_later_search_finds_what_was_not_shown(ask: Ask) -> None:
    _, steps = await ask(
        "When was the bridge opened?",
        search("In which year did the bridge open?"),
        search("What is the opening date of the bridge?"),
        {"kind": "not_found"},
    )
    shown = [set(re.findall(r"^\[(\d+)\]", turn, re.MULTILINE)) for turn in steps.turns]
    assert shown[1] - shown[0]
    assert shown[2] - shown[1] - shown[0]


async def test_it_gives_up_after_steps_without_a_finding(ask: Ask) -> None:
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
    ask: Ask,
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


async def test_a_last_reading_that_searches_again_ends_the_chain(ask: Ask) -> None:
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
    ask: Ask, first: dict[str, Any]
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


async def test_different_searches_that_found_nothing_are_enough(ask: Ask) -> None:
    output, steps = await ask(IRON, search("Who built bridges?"), {"kind": "not_found"})
    assert output["answer"] == "Unknown"
    assert len(steps.turns) == 2
    assert output["steps"][-1]["reason"] == "it cannot be found"


@pytest.mark.parametrize("again", [{"search": IRON.lower()}, GARBAGE])
async def test_nothing_is_read_where_nothing_was_found_and_no_search_is_new(
    ask: Ask, again: Any
) -> None:
    output, steps = await ask(IRON, search(IRON), again)
    assert output["answer"] == "Unknown"
    assert output["steps"][-1]["reason"] == "no new search was named"
    assert [step["id"] for step in output["steps"]] == ["link-1", "answer"]
    assert not any("Passages:\nnone" in turn for turn in steps.turns)


async def test_an_answer_beside_a_search_that_repeats_counts(ask: Ask) -> None:
    output, steps = await ask(IRON, search(IRON.upper()) | {"answer": "1781"})
    assert output["answer"] == "1781"
    assert len(steps.turns) == 1
    assert output["steps"][-1]["reason"] == "answered"


async def test_an_answer_beside_a_new_search_does_not_count(ask: Ask) -> None:
    output, steps = await ask(
        IRON,
        search("Who built the Iron Bridge?") | {"answer": "1779"},
        {"kind": "answer", "answer": "1781"},
    )
    assert output["answer"] == "1781"
    assert len(steps.turns) == 2


async def test_a_last_step_without_a_passage_asks_nothing(ask: Ask) -> None:
    output, steps = await ask(IRON, where=["title=nowhere"], chain={"max_steps": 1})
    assert output["answer"] == "Unknown"
    assert steps.turns == []


@pytest.mark.parametrize("said", ["None.", "yes", "N/A", "(none)", "unknown", "-"])
async def test_a_word_that_says_nothing_is_no_unconfirmed_link(ask: Ask, said: str) -> None:
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
