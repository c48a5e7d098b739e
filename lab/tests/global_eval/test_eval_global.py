"""`python -m lab.global_eval` from end to end."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from building import build
from model_server import ModelServer, WordEmbedder

from hopyard.cli.app import run
from hopyard.testing import DOCUMENTS
from hopyard.testing.contract import all_kinds
from lab.global_eval.__main__ import app
from lab.global_eval.judge_pair import CRITERIA
from tests.cli.conftest import Run, folder, index, model, runner

__all__ = ("folder", "index", "model")


def everything(title: str, messages: list[dict[str, object]]) -> dict[str, object]:
    """Writer, answerer and judge: map-reduce names all planets, and wins by every criterion."""
    turn = str(messages[-1]["content"])
    if title == "CorpusDescription":
        return {"description": "Notes about planets."}
    if title == "Personas":
        return {"personas": [{"persona": "A teacher", "tasks": ["Lessons", "Exams"]}]}
    if title == "TaskQuestions":
        return {"tasks": [["What are the themes?"], ["How do the planets differ?"]]}
    if title == "Points":
        numbers = re.findall(r"^\[(\d+)\]", turn, re.MULTILINE)
        return {
            "points": [{"point": "They differ.", "findings": [*map(int, numbers)], "score": 50}]
        }
    if title == "PairVerdict":
        first = turn.partition("Answer 2:")[0]
        winner = "1" if "Mars, Venus and Earth" in first else "2"
        return {name: {"reason": "It says more.", "winner": winner} for name in CRITERIA}
    return {"answer": "Mars, Venus and Earth [1]." if title == "Reduced" else "Mars"}


@pytest.fixture
def hopyard(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `python -m lab.global_eval ARGUMENTS…`."""
    return runner(partial(run, app), monkeypatch, capsys)


@pytest.fixture(autouse=True)
def _scripted(model: ModelServer) -> None:
    model.answer = everything


SIZE = ("--personas", "1", "--tasks", "2", "--questions", "1")


def test_questions_are_written_asked_and_judged_once(
    hopyard: Run, index: Path, model: ModelServer
) -> None:
    command = (
        "planets/global.jsonl", "--index", index, *SIZE, "--judge", "scripted",
        "-s", "single,map-reduce,single+dense", "--repeats", "2", "--out", "out",
    )  # fmt: skip
    ended = hopyard(*command, "--json")
    assert ended.code == 0
    assert "Wrote 2 questions to planets/global.jsonl." in ended.err
    lines = [json.loads(line) for line in Path("planets/global.jsonl").read_text().splitlines()]
    assert [(line["id"], line["persona"], line["task"]) for line in lines] == [
        ("p1-t1-q1", "A teacher", "Lessons"),
        ("p1-t2-q1", "A teacher", "Exams"),
    ]
    asked = Counter(model.titles())
    # Both searches answer the same: a tie by rule, and their comparisons with map-reduce share
    # their calls. That leaves two orders, repeats and questions.
    assert asked["PairVerdict"] == 2 * 2 * 2
    assert ended.json["judged"] == 2 * asked["PairVerdict"]
    assert (asked["CorpusDescription"], asked["Personas"], asked["TaskQuestions"]) == (1, 1, 1)
    report = ended.json
    assert report["name"] == "planets"
    assert (report["questions"], report["complete"], report["by_rule"]) == (2, True, 2)
    assert report["settings"]["answer"]["style"] == "full"
    for criterion in CRITERIA:
        rates = report["win_rates"][criterion]
        assert rates["map-reduce"]["single"][0] == 1
        assert rates["single"]["map-reduce"][0] == 0
        assert rates["single"]["single+dense"][0] == 0.5
        assert report["bias"][criterion]["first"][0] == 0.5
    assert {path.name for path in Path("out").iterdir()} >= {
        "records.jsonl", "run.json", "pairs.jsonl", "global.json", "global.md",
    }  # fmt: skip
    model.calls.clear()
    again = hopyard(*command)
    assert (again.code, model.calls) == (0, [])
    assert "Wrote" not in again.err
    rows = [line.split() for line in again.out.splitlines() if line]
    assert rows[0] == ["condition", "n", "words", "calls", "tokens", "of", "most"]
    assert ["B", "100", "–", "100"] in rows
    assert rows[2][:3] == ["B", "map-reduce", "2"]
    assert rows[2][-2:] == ["100.0", "%"]


def test_pairs_with_baselines_alone(hopyard: Run, index: Path, model: ModelServer) -> None:
    command = (
        "global.jsonl", "--index", index, *SIZE, "--about", "Planets.",
        "-s", "single,map-reduce,direct", "--judge", "scripted", "--out", "out", "--json",
    )  # fmt: skip
    found = hopyard(*command, "--baseline", "map-reduce", "--repeats", "1").json
    assert found["win_rates"]["diversity"].keys() == {"single", "map-reduce", "direct"}
    assert found["win_rates"]["diversity"]["direct"].keys() == {"map-reduce"}
    assert model.titles().count("CorpusDescription") == 0
    wrong = hopyard(*command, "--baseline", "map-reduce,tree")
    assert wrong.code == 2
    assert "'tree'" in wrong.error


def test_the_levels_of_communities_are_a_sweep(
    hopyard: Run, tmp_path: Path, words: WordEmbedder, model: ModelServer
) -> None:
    directory = tmp_path / "communities"
    kinds = ["dense", "sparse", *all_kinds(["communities"])]
    build(DOCUMENTS, directory=directory, embedder=words, chunk_tokens=0, kinds=kinds)
    model.answer = with_reports
    command = (
        "global.jsonl", "--index", directory, *SIZE, "--json",
        "-s", "single+hybrid,map-reduce,global", "--sweep", "levels",
    )  # fmt: skip
    found = hopyard(*command, "--judge", "scripted", "--repeats", "1", "--out", "out").json
    levels = [f"graphrag@global.level={level}" for level in range(4)]
    conditions = found["conditions"]
    assert list(conditions) == ["single+hybrid", "map-reduce", "global", *levels]
    # Each community's report is written and paid for once, whichever level asks for it first.
    written = sum(each["report_calls"] for each in conditions.values())
    assert written == model.titles().count("CommunityReport") > 0
    assert conditions[levels[0]]["calls"] == 2  # a map call and the closing call
    assert conditions[levels[0]]["unanswered"] == 0
    assert found["win_rates"]["diversity"][levels[0]]["single+hybrid"][0] == 1
    again = hopyard(*command, "--judge", "scripted", "--repeats", "1", "--out", "out").json
    assert again == found


def with_reports(title: str, messages: list[dict[str, object]]) -> dict[str, object]:
    """The same with a report of one finding for each community."""
    if title != "CommunityReport":
        return everything(title, messages)
    finding = {"summary": "Bridges", "explanation": "They cross rivers.", "elements": ["E1"]}
    return {"title": "Bridges", "summary": "Some.", "rating": 5, "findings": [finding]}


def test_without_a_column_nothing_is_written(hopyard: Run, index: Path) -> None:
    ended = hopyard("global.jsonl", "--index", index, *SIZE)
    assert ended.code == 2
    assert "--strategies" in ended.error
    assert not Path("global.jsonl").exists()
