"""The tools for an agent that reads long documents itself."""

from __future__ import annotations

from typing import Any

import pytest
from long_reports import build_reports

import hopyard
from hopyard.agent.reading import as_reading_tools
from hopyard.testing.models import WordEmbedder


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    index = build_reports(tmp_path_factory.mktemp("reading") / "index")
    made = as_reading_tools(index, embedding=WordEmbedder(), search="sparse", k=2)
    return {tool.name: tool for tool in made}


def id_of(text: str, told: str) -> str:
    """The id of the line with a text."""
    [line] = [line for line in told.splitlines() if text in line]
    return line[1:].partition("] ")[0]


def test_an_agent_searches_finds_words_and_opens_pages(tools: dict[str, Any]) -> None:
    told = tools["search_documents"].invoke({"query": "What did ferries pay in 2023?"})
    name = id_of("Ferries paid 310", told)
    opened = tools["open_pages"].invoke({"id": name})
    assert id_of("Tugs paid 90", opened)
    assert "harbour_2023.pdf, p. 19" in opened
    assert "harbour_2024.pdf" not in opened
    for document in ("Harbour Report 2023", name):
        found = tools["find_in_document"].invoke({"document": document, "words": "4.2.1"})
        assert "Clause 4.2.1" in found.splitlines()[0]


async def test_async_is_the_same(tools: dict[str, Any]) -> None:
    given = {"document": "harbour_2024.pdf", "words": "tugs"}
    found = await tools["find_in_document"].ainvoke(given)
    assert found == tools["find_in_document"].invoke(given)
    assert len(found.splitlines()) == 1


def test_a_wrong_name_and_a_wrong_id_are_said(tools: dict[str, Any]) -> None:
    given = {"document": "Harbour Report 2019", "words": "tugs"}
    first, *others = tools["find_in_document"].invoke(given).splitlines()
    assert first == "No single document is named “Harbour Report 2019”, so all were searched."
    assert len(others) == 2
    told = tools["open_pages"].invoke({"id": "nowhere"})
    assert told.startswith("The index has no passage with the id 'nowhere'.")


def test_the_tools_take_what_they_need(tools: dict[str, Any]) -> None:
    taken = {name: list(tool.args) for name, tool in tools.items()}
    assert taken == {
        "search_documents": ["query"],
        "find_in_document": ["document", "words"],
        "open_pages": ["id"],
    }
    assert all(tool.description for tool in tools.values())
    assert hopyard.as_reading_tools is as_reading_tools
