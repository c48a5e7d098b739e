"""Questions about the whole corpus: how many, from which calls, and the same in a second run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hopyard.measures.questions import read_questions
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import shared_resources
from hopyard.nodes.run import Run
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import Context
from hopyard.testing import ScriptedChat
from lab.global_eval.questions import describe_corpus, write_question_file, write_questions
from tests.graphs.conftest import CORPUS, EMBEDDING, Words

pytestmark = pytest.mark.usefixtures("one_attempt")

SIZE = (2, 3, 2)


def people(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Two people with three tasks, and two questions for each task; one question occurs twice."""
    turn = str(messages[-1]["content"])
    if name == "CorpusDescription":
        return {"description": "Notes about bridges and rivers."}
    if name == "Personas":
        return {
            "personas": [
                {
                    "persona": f"Engineer {who}",
                    "tasks": [f"Task {who}.{task}" for task in (1, 2, 3)],
                }
                for who in (1, 2)
            ]
        }
    [who] = re.findall(r"Engineer (\d)", turn)
    tasks = re.findall(r"^\d\. Task (.*)$", turn, re.MULTILINE)
    asked = [[f"What of {task}, part {part}?" for part in (1, 2)] for task in tasks]
    if who == "2":
        asked[2][1] = "what of 1.1, part 1?"
    return {"tasks": asked}


@pytest.fixture
def run(index: Path) -> Run:
    register_embedder(EMBEDDING, Words())
    settings = {"index": str(index), "model": "writer", "embedding": EMBEDDING}
    return Run(new_run_id(), Context.model_validate(settings), shared_resources())


async def test_one_call_for_the_people_and_one_for_each_of_them(run: Run, tmp_path: Path) -> None:
    chat = ScriptedChat(people)
    chat.register("writer")
    lines = await write_questions(run, "Notes about\nbridges.", *SIZE)
    assert [request.name for request in chat.requests] == ["Personas", *["TaskQuestions"] * 2]
    assert all("Notes about bridges.\n" in request.turn for request in chat.requests)
    assert len(lines) == 2 * 3 * 2 - 1
    assert lines[0] == {
        "id": "p1-t1-q1",
        "question": "What of 1.1, part 1?",
        "open": True,
        "persona": "Engineer 1",
        "task": "Task 1.1",
    }
    assert "p2-t3-q2" not in {line["id"] for line in lines}

    path = tmp_path / "new" / "questions.jsonl"
    count = await write_question_file(path, run.settings, "Notes about\nbridges.", *SIZE)
    read = read_questions(path)
    assert count == len(read)
    assert [(each.id, each.question) for each in read] == [
        (line["id"], line["question"]) for line in lines
    ]
    assert read[0].score("Some answer.") == {"em": 1, "f1": 1, "accuracy": 1}  # none is wrong
    assert len(chat.requests) == 3  # the second time the ledger answers


async def test_a_wrong_number_of_anything_is_no_output(run: Run) -> None:
    ScriptedChat(people).register("writer")
    for size in ((3, 3, 2), (2, 2, 2), (2, 3, 1)):
        with pytest.raises(ModelOutputError):
            await write_questions(run, "Notes.", *size)


async def test_a_corpus_is_described_from_passages_of_the_whole(run: Run) -> None:
    chat = ScriptedChat(people)
    chat.register("writer")
    assert await describe_corpus(run) == "Notes about bridges and rivers."
    lines = chat.requests[0].turn.splitlines()
    assert len(lines) == len(CORPUS)
    assert "[1] Abraham Darby: Abraham Darby III cast the ribs" in lines[0]
    assert max(map(len, lines)) < 230  # beginnings of passages

    filtered = run.with_settings(where=("title=Danube",))
    await describe_corpus(filtered)
    assert len(chat.requests[1].turn.splitlines()) == 1
