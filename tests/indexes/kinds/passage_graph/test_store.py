"""The file of written questions: what a row gives back, and files of an older form."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hopyard.indexes.kinds.passage_graph.writing import (
    ENOUGH,
    QUESTIONS_FILE,
    QuestionStore,
    WrittenQuestions,
)
from hopyard.indexes.written.store import Author, Written
from hopyard.state.errors import IndexMissingError

OLDER = """
CREATE TABLE written (
    content_hash TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    model TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('enough', 'too few', 'failed')),
    incoming TEXT NOT NULL,
    outcoming TEXT NOT NULL,
    generation INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs (run TEXT PRIMARY KEY) WITHOUT ROWID;
"""


def row(author: Author, *incoming: str) -> Written[WrittenQuestions]:
    return Written(author, ENOUGH, WrittenQuestions(incoming=incoming, outcoming=("Why?",)))


def test_an_older_file_says_what_to_do(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / QUESTIONS_FILE)) as connection:
        connection.executescript(OLDER)
    with pytest.raises(IndexMissingError, match=r"an older Hopyard wrote it.* delete it"):
        QuestionStore(tmp_path)


def test_a_row_is_replaced_and_lives_while_it_is_used(tmp_path: Path) -> None:
    small, large = Author(1, "small"), Author(2, "large")
    with QuestionStore(tmp_path) as store:
        store.put([("aa", row(small, "Who?")), ("bb", row(small))], 1)
        store.put([("aa", row(large, "Whom?"))], 1)
        assert store.authors() == {"aa": large, "bb": small}
        store.use(["aa"], 3)
        store.begin(4, [])
        assert store.written(["aa", "bb"]) == {"aa": row(large, "Whom?")}


def test_a_content_of_another_form_is_damage(tmp_path: Path) -> None:
    with QuestionStore(tmp_path) as store:
        store.put([("aa", row(Author(1, "small")))], 1)
        store._connection.execute("UPDATE written SET content = '{}'")
        with pytest.raises(IndexMissingError, match=r"questions\.sqlite' .* delete it"):
            store.written(["aa"])
