from __future__ import annotations

import json
from pathlib import Path

import pytest

from hopyard.measures.answers import normalize_answer
from lab.gate_questions import OFFICES, SETS, WRITTEN, main, pool
from lab.sources import Guard, read_source

DATA = Path(__file__).parents[3] / "shared" / "data"


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def asked(split: str) -> list[str]:
    files = [WRITTEN / f"{split}_everyday.jsonl"]
    files += [WRITTEN / office / "questions.jsonl" for office in OFFICES[split]]
    return [str(row["question"]) for file in files for row in rows(file)]


def test_written_questions_are_unique_and_hardly_shared_between_the_splits() -> None:
    train, dev = (
        [normalize_answer(question) for question in asked(split)] for split in ("train", "dev")
    )
    assert len(train) > 650
    assert len(dev) > 180
    assert len(set(dev)) == len(dev)
    assert len(set(train) & set(dev)) <= 2  # "Why?" is asked everywhere


@pytest.mark.parametrize("office", [name for names in OFFICES.values() for name in names])
def test_written_documents_hold_what_their_questions_name(office: str) -> None:
    known = {row["id"] for row in rows(WRITTEN / office / "corpus.jsonl")}
    for row in rows(WRITTEN / office / "questions.jsonl"):
        supporting = row["supporting_ids"]
        assert isinstance(supporting, list)
        assert supporting
        assert known.issuperset(supporting)
        assert row["answers"]


@pytest.mark.parametrize("office", [name for names in OFFICES.values() for name in names])
def test_unanswerable_questions_name_no_answer(office: str) -> None:
    found = rows(WRITTEN / office / "unanswerable.jsonl")
    answered = rows(WRITTEN / office / "questions.jsonl")
    assert len(found) == 20
    assert {row["kind"] for row in found} == {"unanswerable"}
    assert not any(row["answers"] for row in found)
    assert not {row["question"] for row in found} & {row["question"] for row in answered}


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
def test_train_questions_are_not_held_out(tmp_path: Path) -> None:
    sources = [read_source(DATA / name) for name in SETS]
    nq_open = read_source(DATA / "nq_open")
    guard = Guard([*sources, nq_open])
    found = pool(sources, nq_open, "train")
    assert set(found) == {*SETS, *OFFICES["train"]}
    for questions in found.values():
        assert all(guard.allows_question(question.question) for question in questions)
        assert any(question.open for question in questions)
        general = [q for q in questions if q.type.startswith(("everyday", "nq_open"))]
        assert {question.needs_documents for question in general} == {False}
        lacking = [q for q in questions if q.type.endswith("-unanswerable")]
        assert {question.needs_documents for question in lacking} <= {True}
        others = [q for q in questions if q not in general and q not in lacking]
        assert all(question.supporting_ids for question in others)
    held_out = pool(sources, nq_open, "dev")
    kinds = {name: {q.type for q in questions} for name, questions in held_out.items()}
    for name in ("multihoprag", "squad2", "choir"):
        assert f"{name}-unanswerable" in kinds[name]


def test_a_pool_without_any_set_holds_what_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none"), "--out", str(tmp_path / "pool")]) == 0
    assert "hotpotqa: skipped" in capsys.readouterr().err
    for split, offices in OFFICES.items():
        for office in offices:
            assert rows(tmp_path / "pool" / office / f"{split}.jsonl")
            assert (tmp_path / "pool" / office / "corpus.jsonl").is_file()
