"""The questions that were written so far (see `written_store`)."""

from __future__ import annotations

import sqlite3
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.corpus.corpus_file import columns_of
from hopyard.indexes.written.store import SCHEMA, WrittenStore

__all__ = ("ENOUGH", "QUESTIONS_FILE", "TOO_FEW", "QuestionStore", "WrittenQuestions")

QUESTIONS_FILE: Final = "questions.sqlite"

ENOUGH: Final = "enough"
"""The outcome of a passage for which the model wrote as many questions as the paper asks for."""
TOO_FEW: Final = "too few"

_CONVERT: Final = f"""
BEGIN IMMEDIATE;
ALTER TABLE written RENAME TO former;
{SCHEMA}
INSERT INTO written SELECT content_hash, version, model, outcome,
    json_object('incoming', json(incoming), 'outcoming', json(outcoming)), generation FROM former;
DROP TABLE former;
DROP TABLE IF EXISTS vectors;  -- of the first format; now they are in the corpus store
COMMIT;
"""


class WrittenQuestions(BaseModel):
    """The questions of one passage."""

    model_config = ConfigDict(frozen=True)

    incoming: tuple[str, ...]
    """Never empty: where the model gave too few, the passage's own text is among them."""
    outcoming: tuple[str, ...]


class QuestionStore(WrittenStore[WrittenQuestions]):
    """The questions of passages, by content hash."""

    file_name: ClassVar[str] = QUESTIONS_FILE
    content: ClassVar[type[BaseModel]] = WrittenQuestions

    def _convert(self, connection: sqlite3.Connection) -> None:
        """An older file has a column for each kind of question."""
        if "incoming" in columns_of(connection, "written"):
            connection.executescript(_CONVERT)
