"""The extractions that are kept beside the corpus: by the chat model, and from an imported file."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import BaseModel

from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction
from hopyard.indexes.written.store import Author, WrittenStore

__all__ = ("EXTRACTED", "EXTRACTIONS_FILE", "IMPORTED", "ExtractionStore", "StoredExtraction")

EXTRACTIONS_FILE: Final = "extractions.sqlite"

EXTRACTED: Final = "extracted"
"""The outcome of a passage whose names and facts are there; there may be none."""
IMPORTED: Final = Author(0, "imported")
"""The author of the rows that a file gave."""


class StoredExtraction(Extraction):
    """What is kept of one passage."""

    optional = Extraction.optional | {"dropped_claims"}

    dropped_names: int = 0
    """Names that are not written in the passage, and that no fact uses."""
    dropped_facts: int = 0
    """Facts without a part, repeated facts, and facts with neither end written in the passage."""
    dropped_claims: int = 0
    """Claims without a text, and claims about a name that the extraction does not keep."""


class ExtractionStore(WrittenStore[StoredExtraction]):
    """The extractions of passages, by content hash."""

    file_name: ClassVar[str] = EXTRACTIONS_FILE
    content: ClassVar[type[BaseModel]] = StoredExtraction
