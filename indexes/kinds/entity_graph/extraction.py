"""What is found in one passage: names in sentences, and facts about them.

Both builders of the entity graph give an `Extraction`, and so does an imported file.
"""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

__all__ = ("NOWHERE", "Extraction", "Fact", "Mention")

NOWHERE: Final = -1
"""The sentence of what stands in no single sentence, such as a name in the title."""


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True)


class Mention(_Plain):
    """A name in a passage."""

    name: str
    """As it is written in the passage; never empty."""
    sentence: int = NOWHERE
    """The place of its sentence among `sentence_spans(passage.text)`, or `NOWHERE`."""


class Fact(_Plain):
    """A statement about two names: (subject, relation, object), a triple."""

    subject: str
    relation: str
    object: str
    sentence: int = NOWHERE

    @property
    def text(self) -> str:
        """The fact as one line, which is what is embedded of it."""
        return f"{self.subject} {self.relation} {self.object}"


class Extraction(_Plain):
    """All that a builder found in one passage, in the order of the passage."""

    mentions: tuple[Mention, ...] = ()
    facts: tuple[Fact, ...] = ()
