"""Entity types and worked examples that a user gives for a corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.entity_graph.find.asking import Tuning, entity_types
from hopyard.state.errors import UsageError

from .find.library import Library, title_of

SHIPS = [Document(f"log-{n}", f"Log {n}", f"The Argo {n} left Oslo.") for n in range(2)]
TUNED = {
    "types": ["ship"],
    "examples": [
        {
            "title": "Log 4",
            "sentences": ["The Fram left Bergen."],
            "output": {
                "entities": [{"name": "Fram", "type": "ship", "description": "A ship."}],
                "facts": [],
                "claims": [],
            },
        }
    ],
}


def test_a_build_and_an_update_show_the_model_the_examples(tmp_path: Path) -> None:
    file = tmp_path / "tuned.json"
    file.write_text(json.dumps(TUNED))
    prompts: list[list[dict[str, Any]]] = []

    def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        assert name == "PassageElements"
        prompts.append(messages)
        return {"entities": [], "facts": []}

    library = Library(tmp_path / "index", "model")
    library.chat.answers = answer
    library.build(
        SHIPS[:1], graph={"builder": "model", "descriptions": True, "examples": str(file)}
    )
    system, question, reply, last = prompts[0]
    assert "ship" in system["content"]
    assert question["content"].startswith("Title: Log 4\n[1] The Fram left Bergen.")
    assert json.loads(reply["content"]).keys() == {"entities", "facts"}
    assert title_of(last["content"]) == "Log 0"
    [author] = library.stats.written.authors
    assert "types ship, examples " in author.model

    file.unlink()
    library.add(SHIPS[1])  # an update keeps the examples
    assert prompts[1][1] == question


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tuned.json"
    file.write_text('{"examples": [{"title": "A"}]}')
    with pytest.raises(UsageError, match=r"examples\.0\.sentences: Field required.*graphs"):
        Tuning.load(file)


def test_types_are_told_apart_by_their_letters() -> None:
    assert entity_types(" Person,  sea  Port ,,person, law") == ("person", "sea port", "law")
    assert entity_types(" , ") == ()
