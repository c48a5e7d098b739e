"""A list question in other words takes the table of an earlier one, and never that of others."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from building import build

from hopyard.testing import ScriptedChat
from hopyard.testing.models import FAILURES, WordEmbedder

from .contracts import COUNT, OWN, QUESTION, TABLE, Ask, ask, chat, index, read

__all__ = ("ask", "chat", "index")  # fixtures

REWORDED = "List all contracts of Norrland with partners and signers."


def like(earlier: int, kind: str = "count") -> Callable[..., dict[str, Any]]:
    """A model that takes the table of an earlier question."""
    again = {"earlier": earlier, "kind": kind, "sentence": "# are Norrland's:"}
    return lambda name, messages: again if name == "Again" else read(name, messages)


def test_other_words_for_an_earlier_question_read_nothing_again(
    ask: Ask, chat: ScriptedChat
) -> None:
    chat.answers = like(1)
    ask()
    output = ask(COUNT)
    [asked] = chat.requests
    assert asked.turn == f"Earlier questions:\n1. {QUESTION}\n\nNew question: {COUNT}"
    assert output["answer"] == f"6 are Norrland's:\n\n{TABLE}\n\nRead 12 of 12 documents."
    assert output["steps"][0]["reason"] == f"the same table as for: {QUESTION}"
    assert ask(COUNT, answer={"style": "short"})["answer"] == "6"
    assert chat.requests == []
    chat.answers = like(1, "list")
    assert ask(REWORDED, answer={"style": "short"})["answer"].count(";") == 5
    assert len(chat.requests) == 1
    ask()
    assert chat.requests == []


@pytest.mark.parametrize("earlier", [0, 2, -1])
def test_a_question_that_no_earlier_question_asks_is_read_for_itself(
    ask: Ask, chat: ScriptedChat, earlier: int
) -> None:
    chat.answers = like(earlier)
    ask()
    output = ask(COUNT)
    assert [request.name for request in chat.requests] == ["Again", "Opened"]
    assert output["answer"].startswith("Norrland has 6 contracts:")
    ask(COUNT)
    assert chat.requests == []
    answer = ask(REWORDED, seed=8, budget={"calls": 1})["answer"]  # none is left for the comparison
    assert "Not read: " in answer
    assert [request.name for request in chat.requests] == ["Opened"]


@pytest.mark.parametrize("failure", ["unfit", "too long"])
def test_a_comparison_that_fails_takes_nothing_from_the_answer(
    ask: Ask, chat: ScriptedChat, failure: str
) -> None:
    whole = ask()
    chat.answers = lambda name, messages: (
        FAILURES[failure] if name == "Again" else read(name, messages)
    )
    output = ask(REWORDED)
    assert output["steps"][0]["verdict"] == "failed"
    assert (output["answer"], output["truncated"]) == (whole["answer"], False)


@pytest.mark.parametrize(
    "settings",
    [{"groups": ("sales",)}, {"budget": {"person": "Ada"}}, {"where": ["title=Contract 1"]}],
    ids=("groups", "person", "filter"),
)
def test_nobody_sees_what_another_person_asked(
    ask: Ask, chat: ScriptedChat, settings: dict[str, Any]
) -> None:
    chat.answers = like(1)
    ask()
    ask(COUNT, **settings)
    assert [request.name for request in chat.requests][:1] == ["Opened"]


def test_questions_belong_to_an_index_wherever_its_copies_are(
    ask: Ask, chat: ScriptedChat, index: Path, tmp_path: Path
) -> None:
    """A machine that shares an index searches a copy, in a folder of each generation."""
    chat.answers = like(1)
    ask()
    ask(COUNT, shutil.copytree(index, tmp_path / "copy"))
    assert [request.name for request in chat.requests] == ["Again"]
    build(OWN, directory=tmp_path / "other", embedder=WordEmbedder(), chunk_tokens=0)
    ask(REWORDED, tmp_path / "other")
    assert "Again" not in [request.name for request in chat.requests]


def test_a_resumed_question_keeps_its_choice(ask: Ask, chat: ScriptedChat) -> None:
    chat.answers = like(1)
    ask()

    def before(asked: Any) -> None:
        raise KeyboardInterrupt

    chat.before = before
    with pytest.raises(KeyboardInterrupt):
        ask(COUNT, seed=8, concurrency=1)  # the choice itself
    chat.before = lambda asked: None if "Earlier" in asked.turn else before(asked)
    with pytest.raises(KeyboardInterrupt):
        ask(None, seed=8, concurrency=1)
    chat.before = lambda asked: None
    ask(None, seed=8, concurrency=1)
    assert "Again" not in [request.name for request in chat.requests]
    assert QUESTION in chat.requests[0].turn
