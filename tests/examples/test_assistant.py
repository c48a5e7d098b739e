"""The example assistant, run as a user runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from model_server import ModelServer

from .conftest import Run


def test_it_answers_and_remembers(
    model_server: ModelServer, run: Run, index: Path, home: Path
) -> None:
    usual = model_server.answer

    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        if title == "StandAlone":
            return {"question": "How many moons does Venus have?"}
        if title != "Answer":
            return usual(title, messages)
        return {"answer": "none" if "does Venus" in str(messages[-1]) else "two moons"}

    model_server.answer = answer
    first = run("assistant.py", index, lines=("How many moons does Mars have?",))
    assert first.out.startswith("two moons\n    “Mars has two moons")
    assert first.err == ""

    second = run("assistant.py", index, lines=("And Venus?",))
    assert second.out == ("you: How many moons does Mars have?\nassistant: two moons\nnone\n")
