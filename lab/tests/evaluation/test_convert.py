"""Public formats, each from a small piece written as its publisher writes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.documents.loaders import load
from hopyard.measures.questions import read_questions
from hopyard.state.errors import CorpusError, UsageError
from lab.evaluation.convert import convert, main, rows_of_hub
from lab.evaluation.formats.plain import Converted, document_id

JAWS = {
    "_id": "5a7",
    "question": "Where was the director of Jaws born?",
    "answer": "Cincinnati",
    "type": "bridge",
    "supporting_facts": [["Jaws", 0], ["Steven Spielberg", 1], ["Jaws", 1]],
    "context": [
        ["Jaws", ["Jaws is a film.", " Spielberg directed it."]],
        ["Shark", ["Sharks are fish."]],
        ["Steven Spielberg", ["He directs.", " He was born in Cincinnati."]],
    ],
}
JAWS_ON_THE_HUB = {
    **{key: JAWS[key] for key in ("question", "answer", "type")},
    "id": "5a7",
    "supporting_facts": {
        "title": ["Jaws", "Steven Spielberg", "Jaws"],
        "sent_id": [0, 1, 1],
    },
    "context": {
        "title": [title for title, _ in JAWS["context"]],  # type: ignore[misc, str-unpack]
        "sentences": [sentences for _, sentences in JAWS["context"]],  # type: ignore[misc, str-unpack]
    },
}
JAWS_AS_TEXT = JAWS | {
    "supporting_facts": json.dumps(JAWS["supporting_facts"]),
    "context": json.dumps(JAWS["context"]),
}


def titles(converted: Converted, number: int = 0) -> list[str]:
    return [converted.documents[key]["title"] for key in converted.questions[number].supporting_ids]


@pytest.mark.parametrize("row", [JAWS, JAWS_ON_THE_HUB, JAWS_AS_TEXT])
@pytest.mark.parametrize("name", ["hotpotqa", "2wikimultihopqa"])
def test_hotpotqa_and_2wiki(name: str, row: dict[str, Any]) -> None:
    converted = convert(name, [row, row | {"_id": "other", "id": "other"}])
    question = converted.questions[0]
    assert (question.id, question.answers, question.type) == ("5a7", ("Cincinnati",), "bridge")
    assert titles(converted) == ["Jaws", "Steven Spielberg"]
    assert len(converted.documents) == 3
    key = document_id("Jaws", "Jaws is a film. Spielberg directed it.")
    assert converted.documents[key]["text"] == "Jaws is a film. Spielberg directed it."


def test_musique() -> None:
    row = {
        "id": "2hop__1_2",
        "question": "How long is the river of Salzburg?",
        "answer": "225 km",
        "answer_aliases": ["225 kilometres", "225 km"],
        "answerable": True,
        "paragraphs": [
            {"idx": 0, "title": "Salzach", "paragraph_text": "225 km.", "is_supporting": True},
            {"idx": 1, "title": "Inn", "paragraph_text": "518 km.", "is_supporting": False},
        ],
        "question_decomposition": [
            {"id": 1, "question": "Salzburg >> river", "answer": "Salzach"},
            {"id": 2, "question": "How long is #1 ?", "answer": "225 km"},
        ],
    }
    converted = convert("musique", [row, row | {"id": "2hop__3_4", "answerable": False}])
    question, impossible = converted.questions
    assert question.answers == ("225 km", "225 kilometres")
    assert question.type == "2hop"
    assert question.steps == ("Salzburg >> river >>>> Salzach", "How long is Salzach ? >>>> 225 km")
    assert titles(converted) == ["Salzach"]
    assert impossible.answers == ("",)


EVIDENCE = {
    "title": "A sale",
    "url": "https://example.org/1",
    "source": "The Paper",
    "published_at": "2023-11-24",
    "fact": "Chargers were cheap.",
}
QUERY = {
    "query": "Were chargers cheap?",
    "answer": "Yes",
    "question_type": "inference_query",
    "evidence_list": [EVIDENCE, EVIDENCE | {"fact": "Cables too."}],
}


def test_multihoprag_with_its_articles() -> None:
    article = {"title": "A sale", "url": EVIDENCE["url"], "source": "The Paper", "body": "All."}
    null = QUERY | {"evidence_list": [], "answer": "Insufficient information."}
    converted = convert("multihoprag", [QUERY, null], [article])
    assert titles(converted) == ["A sale"]
    assert converted.questions[1].supporting_ids == ()
    [document] = converted.documents.values()
    assert document["text"] == "All."
    assert document["metadata"]["source"] == "The Paper"


def test_multihoprag_without_articles_keeps_the_facts() -> None:
    converted = convert("multihoprag", [QUERY])
    [document] = converted.documents.values()
    assert document["text"] == "Chargers were cheap.\nCables too."
    assert document["metadata"]["published_at"] == "2023-11-24"


def test_nq_open() -> None:
    converted = convert("nq_open", [{"question": "who wrote it", "answer": ["A", "B"]}])
    assert converted.questions[0].answers == ("A", "B")
    assert converted.questions[0].supporting_ids == ()
    assert converted.documents == {}


def test_triviaqa_as_released_and_on_the_hub() -> None:
    released = {
        "Data": [
            {
                "QuestionId": "tc_1",
                "Question": "Who sang it?",
                "Answer": {"Value": "Cher", "Aliases": ["Cher", "Cherilyn"]},
                "EntityPages": [
                    {"Title": "Cher", "Text": "CHER is a singer."},
                    {"Title": "Song", "Text": "A song."},
                ],
            }
        ]
    }
    hub = {
        "question_id": "tc_1",
        "question": "Who sang it?",
        "answer": {"value": "Cher", "aliases": ["Cher", "Cherilyn"]},
        "entity_pages": {
            "title": ["Cher", "Song"],
            "wiki_context": ["CHER is a singer.", "A song."],
        },
    }
    for row in (released, hub):
        converted = convert("triviaqa", [row])
        assert converted.questions[0].answers == ("Cher", "Cherilyn")
        assert titles(converted) == ["Cher"]
        assert len(converted.documents) == 2


def test_squad_as_released_and_on_the_hub() -> None:
    answered = {"id": "a", "question": "Where?", "answers": [{"text": "Bonn", "answer_start": 3}]}
    impossible = {"id": "b", "question": "Why?", "answers": [], "is_impossible": True}
    released = {
        "version": "v2.0",
        "data": [
            {
                "title": "City",
                "paragraphs": [{"context": "In Bonn.", "qas": [answered, impossible]}],
            }
        ],
    }
    hub = [
        {"id": "a", "title": "City", "context": "In Bonn.", "question": "Where?",
         "answers": {"text": ["Bonn"], "answer_start": [3]}},
        {"id": "b", "title": "City", "context": "In Bonn.", "question": "Why?",
         "answers": {"text": [], "answer_start": []}},
    ]  # fmt: skip
    for rows in ([released], hub):
        converted = convert("squad", rows)
        assert [question.answers for question in converted.questions] == [("Bonn",), ("",)]
        assert titles(converted) == ["City"]
        assert len(converted.documents) == 1


@pytest.mark.parametrize("name", ["hotpotqa", "musique", "multihoprag", "triviaqa", "squad"])
def test_entries_of_another_format_are_told(name: str) -> None:
    with pytest.raises(CorpusError, match=name):
        convert(name, [{"question": "Who?", "nothing": "else"}])


def test_a_converted_set_can_be_indexed_and_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "hotpot.json", tmp_path / "plain"
    file.write_text(json.dumps([JAWS | {"_id": f"q{number}"} for number in range(10)]))
    assert main(["hotpotqa", str(file), "--out", str(out), "--limit", "8"]) == 0
    assert capsys.readouterr().out == "8 questions, 3 documents\n"
    assert len(read_questions(out / "questions.jsonl", split="dev")) == 2
    questions = read_questions(out / "questions.jsonl", split="train", limit=4)
    assert len(questions) == 4
    documents = load([out / "corpus.jsonl"]).documents
    assert set(questions[0].supporting_ids) < {document.id for document in documents}


def test_what_is_missing_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["squad", "--out", str(tmp_path)]) == 2
    assert "either a file or --hub SPLIT" in capsys.readouterr().err
    assert main(["squad", str(tmp_path / "none.json"), "--out", str(tmp_path)]) == 1
    assert "none.json" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UsageError, match="pip install datasets"):
        rows_of_hub("squad", "validation")


def test_the_hub_is_asked_by_name_and_its_silence_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    class Datasets:
        @staticmethod
        def load_dataset(*arguments: Any, split: str) -> list[Any]:
            asked.append((*arguments, split))
            if split == "nowhere":
                raise ConnectionError("no route to host")
            return [{"question": "who", "answer": ["A"]}]

    monkeypatch.setitem(sys.modules, "datasets", Datasets)  # type: ignore[arg-type]
    converted = convert("nq_open", rows_of_hub("nq_open", "validation"))
    assert len(converted.questions) == 1
    with pytest.raises(CorpusError, match="no route to host"):
        rows_of_hub("hotpotqa", "nowhere")
    assert asked == [
        ("google-research-datasets/nq_open", None, "validation"),
        ("hotpotqa/hotpot_qa", "distractor", "nowhere"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}\n", "id"),
        ('{"id": "a", "question": "Who?"}\n' * 2, "occurs twice"),
        ("not json\n", "questions.jsonl:1"),
    ],
)
def test_a_bad_line_of_questions_is_named(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=told):
        read_questions(path)


def test_a_split_without_a_question_is_told(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"id": "a", "question": "Who?", "split": "train"}\n')
    with pytest.raises(UsageError, match="'dev'"):
        read_questions(path, split="dev")
    with pytest.raises(UsageError, match="cannot be read"):
        read_questions(tmp_path / "none.jsonl")
