"""Hopyard's searches as a LangChain retriever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field
from typing_extensions import Unpack

from hopyard.agent.answer import Evidence
from hopyard.agent.hopyard import Hopyard
from hopyard.agent.keywords import Settings


class HopyardRetriever(BaseRetriever):
    """Finds passages with one of Hopyard's search methods, without calling a chat model.

    A document has the passage's id as `id`. Its metadata are the document's own, and `source`,
    `title`, `section`, `page`, `reference`, `document_id`, `passage_id` and `score`, and `why`
    if the search method says why it found the passage.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    hopyard: Hopyard = Field(exclude=True, repr=False)
    """The index and the settings of the search."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        return list(_documents(self.hopyard.search(query)))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        return list(_documents(await self.hopyard.asearch(query)))


def as_retriever(
    index: str | Path | Hopyard = "",
    **named: Unpack[Settings],
) -> HopyardRetriever:
    """Make a LangChain retriever of an index, for chains, ensembles and evaluators.

        retriever = hopyard.as_retriever("my-index", search="pagerank", k=8)
        documents = retriever.invoke("Who discovered Pluto?")

    Args:
        index: The index directory, read from `HOPYARD_INDEX` if it is empty; or a `Hopyard`.
        **named: Settings, as in `search="mmr"`, `k=8`, `where="date>=2024"`.

    Raises:
        UsageError: A setting is unknown or not usable.
    """
    return HopyardRetriever(hopyard=Hopyard.of(index, **named))


def _documents(evidence: tuple[Evidence, ...]) -> Iterator[Document]:
    """The passages behind some evidence, each once, with the score of the best unit."""
    seen: set[str] = set()
    for unit in evidence:
        for source in unit.sources:
            if source.passage_id in seen:
                continue
            seen.add(source.passage_id)
            metadata = {
                **source.metadata,
                "source": source.source,
                "title": source.title,
                "section": source.section,
                "page": source.pages,
                "reference": source.reference,
                "document_id": source.document_id,
                "passage_id": source.passage_id,
                "score": unit.score,
            }
            if unit.why:
                metadata["why"] = unit.why
            yield Document(source.text, id=source.passage_id, metadata=metadata)
