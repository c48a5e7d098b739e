from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from hopyard.measures.answers import normalize_answer
from hopyard.measures.questions import read_questions
from lab.gate_questions import SETS, main, pool_questions, vocabulary_text
from lab.gate_written.questions import KINDS, written_questions
from lab.routing import chat
from lab.sources import Guard, read_source

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"


def test_some_hundreds_are_written_of_every_kind_in_both_splits() -> None:
    written = written_questions()
    assert 300 <= len(written) <= 900
    for kind in KINDS:
        for split, least in (("train", 35), ("dev", 10)):
            rows = [made for made in written if made.kind == kind and made.split == split]
            assert len(rows) >= least
    assert all(made.answers and all(made.answers) for made in written)
    asked = [normalize_answer(made.question) for made in written if made.kind != "arithmetic"]
    assert len(set(asked)) == len(asked)


def test_a_seed_gives_the_same_questions() -> None:
    assert written_questions(3) == written_questions(3)
    assert written_questions(3) != written_questions(4)


def test_arithmetic_is_right() -> None:
    for made in written_questions():
        sides = made.question.removesuffix(" = ?").split(" ")
        if made.question.endswith(" = ?") and sides[1] == "+":
            assert made.answers == (str(int(sides[0]) + int(sides[2])),)
        elif made.question.endswith(" = ?"):
            assert made.answers == (str(int(sides[0]) * int(sides[2])),)


def test_held_out_written_questions_are_not_those_of_the_adapter_or_the_sample() -> None:
    rng = random.Random(0)
    taught = {normalize_answer(chat(rng)[0]) for _ in range(5000)}
    sample = {
        normalize_answer(question.question)
        for question in read_questions(ROOT / "examples" / "solar_system" / "questions.jsonl")
    }
    written = written_questions()
    held_out = {normalize_answer(made.question) for made in written if made.split == "dev"}
    assert not held_out & taught
    assert not {normalize_answer(made.question) for made in written} & sample


def write(path: Path, *rows: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A question of each kind that matters, in a folder of the plain form."""
    base = {"answers": ["x"], "supporting_ids": ["p1"], "type": "single_hop"}
    write(
        tmp_path / "squad2" / "questions.jsonl",
        {**base, "id": "t", "question": "What is train?", "split": "train"},
        {**base, "id": "u", "question": "What is not?", "split": "train", "type": "unanswerable"},
        {**base, "id": "d", "question": "What is dev?", "split": "dev", "supporting_ids": ["p2"]},
        {**base, "id": "c", "question": "what is DEV", "split": "train"},
    )
    held_out = "the secret text that answers the held out question is here to be kept away"
    write(
        tmp_path / "squad2" / "corpus.jsonl",
        {
            "id": "p1",
            "title": "Free",
            "text": "An open passage is this one. U.S. And here is another sentence.",
        },
        {"id": "p2", "title": "Held", "text": held_out},
    )
    steps = [
        {"question": "Who made it?", "answer": "Ann", "supporting_id": "p1"},
        {"question": "Where was #1 born?", "answer": "Rome", "supporting_id": "p3"},
        {"question": "Ann >> spouse", "answer": "Ben", "supporting_id": "p3"},
    ]
    row = {**base, "id": "m", "question": "Where?", "split": "train", "decomposition": steps}
    write(tmp_path / "musique" / "questions.jsonl", row)
    return tmp_path


def test_the_pool_keeps_splits_apart_and_fills_steps_in(data: Path) -> None:
    sources = [read_source(data / name) for name in SETS]
    train = {
        question.id: question
        for question in pool_questions(sources, "train", nq_open=5)
        if "written" not in question.id
    }
    assert set(train) == {"squad2-t", "musique-m-0", "musique-m-1"}
    assert train["musique-m-1"].question == "Where was Ann born?"
    assert train["musique-m-1"].supporting_ids == ("p3",)
    dev = [
        question.id
        for question in pool_questions(sources, "dev", nq_open=5)
        if "written" not in question.id
    ]
    assert dev == ["squad2-d"]
    texts = list(vocabulary_text(sources))
    text = " ".join(texts)
    assert {"An open passage is this one.", "And here is another sentence."} <= set(texts)
    assert "U.S." not in texts
    assert "secret" not in text
    assert "dev" not in text.lower().split()


def test_the_command_writes_the_pool(data: Path, tmp_path: Path) -> None:
    assert main([str(data), "--out", str(tmp_path / "pool")]) == 0
    questions = read_questions(tmp_path / "pool" / "train.jsonl")
    assert {question.type for question in questions} >= {
        "squad2",
        "musique-step",
        "written-greeting",
    }
    corpus = (tmp_path / "pool" / "corpus.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in corpus] == ["p1", "p2"]


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data is not here")
def test_written_questions_are_none_of_the_held_out_ones() -> None:
    guard = Guard([read_source(folder) for folder in sorted(DATA.iterdir()) if folder.is_dir()])
    assert all(guard.allows_question(made.question) for made in written_questions())
