"""`chain` looks inside long documents: words in one, and the pages around a passage."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from long_reports import build_reports

from hopyard.state.text.tokens import tokens_of

from .replies import Ask, asker

QUESTION = "What did ferries pay in the Harbour Report 2023?"
TOTAL = "All tolls together came to 1,600 crowns"
WORDS = ("4.2.1", "tugs")


def number_of(text: str, turn: str) -> int:
    """The number of the passage that has a text."""
    found = re.search(rf"^\[(\d+)\].*{re.escape(text)}", turn, re.MULTILINE)
    assert found, f"{text} is not shown in\n{turn}"
    return int(found.group(1))


def numbers_in(turn: str) -> set[str]:
    return set(re.findall(r"^\[(\d+)\] ", turn, re.MULTILINE))


def look(**more: Any) -> dict[str, Any]:
    return {"kind": "search", **more}


def find(words: str, document: str) -> dict[str, Any]:
    return look(finds=[{"words": words, "document": document}])


def noted(fact: str, text: str, **more: Any) -> Callable[[str], dict[str, Any]]:
    """A reply that notes a fact from the passage with a text."""

    def reply(turn: str) -> dict[str, Any]:
        return {"findings": [{"fact": fact, "passage": number_of(text, turn)}], **more}

    return reply


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_reports(tmp_path_factory.mktemp("chain-inside") / "index")


@pytest.fixture
def ask(index: Path, tmp_path: Path) -> Ask:
    return asker(index, tmp_path / "home", method="sparse")


async def test_the_rest_of_a_table_is_on_the_pages_around_a_passage(
    ask: Ask,
) -> None:
    output, steps = await ask(
        QUESTION,
        lambda turn: look(opens=[number_of("Ferries paid 310", turn)]),
        noted(TOTAL, TOTAL, kind="answer", answer="1,600 crowns"),
    )
    assert steps.names == ["ChainStepInside", "ChainStepInside"]
    assert "- the pages around Harbour Report 2023, page 18" in steps.turns[1]
    assert number_of("Barges paid 1,200", steps.turns[1]) < number_of(TOTAL, steps.turns[1])
    assert output["answer"] == "1,600 crowns"
    assert output["usage"]["model_calls"] == 2
    assert "1,600 crowns" in output["citations"][0]["quote"]
    assert output["steps"][1]["title"] == "the pages around Harbour Report 2023, page 18"


@pytest.mark.parametrize("document", ["Harbour Report 2024", "harbour_2024.pdf", "harbour 2024"])
async def test_words_are_found_in_the_document_that_is_named(ask: Ask, document: str) -> None:
    output, steps = await ask(QUESTION, find("clause 4.2.1", document), {"kind": "not_found"})
    assert "- “clause 4.2.1” in Harbour Report 2024\n" in steps.turns[1]
    assert "Harbour Report 2024 (page 7): Clause 4.2.1" in steps.turns[1]
    assert "reason" not in output["steps"][1]


async def test_a_passage_number_names_its_document(ask: Ask) -> None:
    _, steps = await ask(
        QUESTION,
        lambda turn: find("tugs", f"[{number_of('Ferries paid 310', turn)}]"),
        {"kind": "not_found"},
    )
    assert "- “tugs” in Harbour Report 2023\n" in steps.turns[1]
    assert "Tugs paid 90 crowns." in steps.turns[1]


async def test_the_nearest_name_takes_the_place_of_a_wrong_one(ask: Ask) -> None:
    output, steps = await ask(
        QUESTION, find("tugs", "The Harbour Report of 2024"), {"kind": "not_found"}
    )
    assert "- “tugs” in Harbour Report 2024\n" in steps.turns[1]
    assert output["steps"][1]["reason"] == (
        "No document is named “The Harbour Report of 2024”; the nearest is “Harbour Report 2024”."
    )


async def test_a_search_takes_the_place_of_a_document_that_does_not_exist(
    ask: Ask,
) -> None:
    output, steps = await ask(QUESTION, find("tugs", "Harbour Report 2019"), {"kind": "not_found"})
    assert "- Harbour Report 2019 tugs\n" in steps.turns[1]
    assert output["steps"][1]["reason"] == (
        "No single document is named “Harbour Report 2019”, so all were searched."
    )


async def test_words_that_a_document_lacks_are_said(ask: Ask) -> None:
    output, steps = await ask(
        QUESTION,
        noted("Ferries paid 310.", "Ferries paid 310", **find("submarine", "Harbour Report 2023")),
        {"kind": "answer", "answer": "310"},
    )
    assert "- “submarine” in Harbour Report 2023 (found nothing that helps)" not in steps.turns[1]
    assert output["steps"][1]["reason"] == "Nothing fits “submarine” in Harbour Report 2023."


async def test_what_the_nearest_name_does_not_have_is_searched_for(ask: Ask) -> None:
    output, steps = await ask(
        QUESTION, find("Ann asks", "The Harbour Report of 2024"), {"kind": "not_found"}
    )
    assert "Ann asks who confirmed" in steps.turns[1]
    assert output["steps"][1]["reason"].endswith(
        "Nothing fits “Ann asks” in Harbour Report 2024, so all documents were searched."
    )


async def test_a_number_that_no_passage_has_is_said(ask: Ask) -> None:
    output, _ = await ask(
        QUESTION, look(opens=[99], searches=["Which ships pay tolls?"]), {"kind": "not_found"}
    )
    assert output["steps"][0]["reason"] == "No passage has the number 99."


async def test_a_look_is_made_once(ask: Ask) -> None:
    again = find("tugs", "Harbour Report 2024")
    output, steps = await ask(
        QUESTION, again, noted("Ferries paid 310.", "Tugs paid 90", **again), {"kind": "not_found"}
    )
    assert "No search is left" in steps.turns[2]
    assert steps.names[2] == "ChainStep"
    assert output["answer"] == "Unknown"


async def test_searches_and_looks_of_a_step_are_read_together(ask: Ask) -> None:
    output, steps = await ask(
        QUESTION,
        look(
            searches=["Who confirmed the tolls?"],
            finds=[{"words": "4.2.1", "document": "Harbour Report 2023"}],
        ),
        {"kind": "not_found"},
    )
    assert "Harbour Report 2023 (page 7): Clause 4.2.1" in steps.turns[1]
    assert "Letter: Ann asks" in steps.turns[1]
    assert output["usage"]["model_calls"] == 2
    assert output["steps"][1]["title"] == (
        "Who confirmed the tolls? · “4.2.1” in Harbour Report 2023"
    )


async def test_opened_pages_without_a_finding_are_dropped(ask: Ask) -> None:
    _, steps = await ask(
        QUESTION,
        lambda turn: look(opens=[number_of("Ferries paid 310", turn)]),
        noted(TOTAL, TOTAL, **find("4.2.1", "Harbour Report 2024")),
        {"kind": "not_found"},
    )
    opened = numbers_in(steps.turns[1])
    kept = str(number_of(TOTAL, steps.turns[2]))
    assert len(opened) > 10
    assert opened & numbers_in(steps.turns[2]) == {kept}


@pytest.mark.parametrize("profile", ["small", "builtin"])
async def test_a_small_model_is_offered_searches_only(ask: Ask, profile: str) -> None:
    _, steps = await ask(QUESTION, {"kind": "answer", "answer": "310"}, profile=profile)
    assert steps.names == ["ChainStep"]


async def test_short_documents_are_searched_only(ask: Ask) -> None:
    _, steps = await ask(
        "What does Ann ask?", {"kind": "answer", "answer": "who"}, where=["title=Letter"]
    )
    assert steps.names == ["ChainStep"]


async def test_a_filter_holds_for_what_is_opened(ask: Ask) -> None:
    output, steps = await ask(
        QUESTION,
        find("tugs", "Harbour Report 2024"),
        {"kind": "not_found"},
        where=["title=Harbour Report 2023"],
    )
    assert "Harbour Report 2024 (page" not in steps.turns[1]
    assert output["steps"][1]["reason"].startswith("Nothing fits")


async def test_the_looks_of_a_step_together_read_no_more_than_one_search(
    ask: Ask,
) -> None:
    output, steps = await ask(
        QUESTION,
        lambda turn: look(
            opens=[number_of("Ferries paid 310", turn)],
            finds=[
                {"words": word, "document": "Harbour Report 2024"} for word in ("4.2.1", "tugs")
            ],
        ),
        {"kind": "not_found"},
        retrieval={"method": "sparse", "k": 2, "tokens": 200},
    )
    read = [line for line in steps.turns[1].splitlines() if re.match(r"\[\d+\] ", line)]
    assert 2 < len(read) == len(output["steps"][1]["passages"])
    assert sum(tokens_of(line.partition(": ")[2]) for line in read) <= 200
    for text in ("Clause 4.2.1", "Tugs paid 90", "Ferries paid 310"):  # the best of each
        assert number_of(text, steps.turns[1])
