"""The retriever: in chains, ensembles, sync and async."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tools import create_retriever_tool

import hopyard
from hopyard.state.errors import UsageError

from .conftest import QUESTION


@pytest.fixture
def retriever(index: Path) -> hopyard.HopyardRetriever:
    return hopyard.as_retriever(index, embedding="words", k=2)


def test_a_document_says_where_it_is_from(index: Path) -> None:
    hopyard.add_documents(
        index,
        Document("The Tay Bridge fell in 1879.", id="tay", metadata={"source": "t.pdf", "page": 3}),
    )
    retriever = hopyard.as_retriever(index, embedding="words", k=1, search="sparse")
    [found] = retriever.invoke("When did the Tay Bridge fall?")
    assert found.page_content == "The Tay Bridge fell in 1879."
    assert found.id == found.metadata["passage_id"] == found.metadata["document_id"] == "tay"
    assert found.metadata["source"] == "t.pdf"
    assert found.metadata["page"] == "3"
    assert found.metadata["score"] > 0
    assert found.metadata["reference"] == "t.pdf, p. 3"


async def test_async_is_the_same(retriever: hopyard.HopyardRetriever) -> None:
    assert await retriever.ainvoke(QUESTION) == retriever.invoke(QUESTION)
    assert [len(found) for found in await retriever.abatch([QUESTION, "Danube"])] == [2, 2]


def test_search_k_and_where(index: Path) -> None:
    found = hopyard.as_retriever(
        index, embedding="words", search="mmr", k=3, where={"title": ["Severn", "Danube"]}
    ).invoke(QUESTION)
    assert {document.id for document in found} == {"severn", "danube"}
    with pytest.raises(UsageError, match=r"retrieval\.method"):
        hopyard.as_retriever(index, search="nothing")


def test_in_a_chain(retriever: hopyard.HopyardRetriever) -> None:
    def texts(documents: list[Document]) -> str:
        return "\n".join(document.page_content for document in documents)

    chain: Any = (
        {"passages": retriever | texts, "question": RunnablePassthrough()}
        | ChatPromptTemplate.from_template("{passages}\n{question}")
        | FakeListChatModel(responses=["1781"])
        | StrOutputParser()
    )
    assert chain.invoke(QUESTION) == "1781"


def test_in_an_ensemble(index: Path) -> None:
    parts = [
        hopyard.as_retriever(index, embedding="words", search=s, k=2) for s in ("mmr", "sparse")
    ]
    ensemble = EnsembleRetriever(retrievers=parts, weights=[0.5, 0.5], id_key="passage_id")
    found = ensemble.invoke(QUESTION)
    assert found[0].id == "iron-bridge"
    assert len({document.id for document in found}) == len(found)


def test_as_a_tool(retriever: hopyard.HopyardRetriever) -> None:
    tool = create_retriever_tool(retriever, "bridges", "About bridges.")
    assert "opened in 1781" in tool.invoke({"query": QUESTION})


def test_of_an_open_hopyard(hop: hopyard.Hopyard) -> None:
    retriever = hopyard.as_retriever(hop, k=1)
    assert [document.id for document in retriever.invoke(QUESTION)] == ["iron-bridge"]
    assert retriever.hopyard.resources is hop.resources
