"""The finds in one passage: names in sentences, facts about them, and descriptions.

All builders of the entity graph give an `Extraction`. Only the chat model writes descriptions, and
only if the settings ask for them.
"""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import BaseModel, Field

from hopyard.indexes.written.stats import Plain
from hopyard.indexes.written.store import WrittenStore

NOWHERE: Final = -1
"""In place of a sentence, for all that is in no single sentence, such as a name in the title."""

EXTRACTIONS_FILE: Final = "extractions.sqlite"

EXTRACTED: Final = "extracted"
"""The outcome of a passage whose names and facts are there; there may be none."""


class Mention(Plain):
    """A name in a passage."""

    name: str
    """As it is written in the passage; never empty."""
    sentence: int = NOWHERE
    """The place of its sentence among `sentence_spans(passage.text)`, or `NOWHERE`."""


class Fact(Plain):
    """A statement about two names: (subject, relation, object), a triple."""

    subject: str
    relation: str
    object: str
    sentence: int = NOWHERE
    description: str = ""
    """How the two are related, in a sentence of the model; "" if it was not asked for."""
    strength: float = Field(1.0, ge=0)
    """How strong the relation is, 1 to 10; 1 for every fact if the model was not asked for it."""

    @property
    def text(self) -> str:
        """The fact as one line, which is what is embedded of it."""
        return f"{self.subject} {self.relation} {self.object}"


class Described(Plain):
    """A description of an entity in one passage, in the words of the model."""

    name: str
    type: str = ""
    """The kind of thing that it is, such as `person`, in lower case."""
    description: str = ""
    sentence: int = NOWHERE
    """The sentence that says most of it, or the first with the name."""


class Extraction(Plain):
    """All that a builder found in one passage, in the order of the passage."""

    mentions: tuple[Mention, ...] = ()
    phrases: tuple[Mention, ...] = ()
    """Possible terms of the domain, in small letters and the singular; the whole corpus shows which
    of them are terms (`text.terms`)."""
    facts: tuple[Fact, ...] = ()
    entities: tuple[Described, ...] = ()
    """Each name once."""


class StoredExtraction(Extraction):
    """The stored extraction of one passage."""

    dropped_names: int = 0
    """Names that are not written in the passage, and that no fact uses."""
    dropped_facts: int = 0
    """Facts without a part, repeated facts, and facts with neither end written in the passage."""


class ExtractionStore(WrittenStore[StoredExtraction]):
    """The extractions of passages, by content hash."""

    file_name: ClassVar[str] = EXTRACTIONS_FILE
    content: ClassVar[type[BaseModel]] = StoredExtraction
