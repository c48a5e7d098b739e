"""The demo: its commands, and the recorded answers, which are replayed without a network."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hopyard.cli.console import out
from hopyard.cli.main import main

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "solar_system"
QUESTIONS = (SAMPLE / "demo_questions.txt").read_text("utf-8").splitlines()
FACT, COMPARISON, BRIDGE, SUM = QUESTIONS
ANSWERS = {
    FACT: "Olympus Mons",
    COMPARISON: "Huygens, on 14 January 2005",
    BRIDGE: "Illinois",
    SUM: "42",
}
CITED = {FACT: ["mars"], COMPARISON: ["huygens-probe", "voyager-1"], SUM: []} | {
    BRIDGE: ["pluto", "clyde-tombaugh"]
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(autouse=True)
def clean(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The repository as working directory, with a data folder of its own."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("HOPYARD_HOME", str(folder / "home"))
    monkeypatch.setattr(out, "_width", 100)


@pytest.fixture(scope="module")
def index(folder: Path) -> str:
    """The index, as the demo makes it."""
    directory = folder / "index"
    command = ("index", "build", str(SAMPLE / "corpus.jsonl"), "--out", str(directory))
    command += ("--embedding", "builtin")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setenv("HOPYARD_HOME", str(folder / "home"))
        patch.setattr(sys, "argv", ["hopyard", *command])
        main()
    assert ended.value.code == 0
    return str(directory)


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The demo's script. Its commands that need the built-in model are not run."""
    spec = importlib.util.spec_from_file_location("solar_system_demo", SAMPLE / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)

    def recorded_only() -> None:
        if "--model" in sys.argv:
            main()

    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(script, "main", recorded_only)
    return script


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_recorded_answers_are_right(
    question: str, index: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = f"recorded:{SAMPLE / 'recording'}"
    options = ["--index", index, "-k", "3", "--search", "sparse", "--model", model, "--json"]
    command = ["ask", question, *options]
    monkeypatch.setattr(sys, "argv", ["hopyard", *command])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)

    assert ANSWERS[question] in result["answer"]
    assert [cited["document_id"] for cited in result["citations"]] == CITED[question]
    assert all(cited["supported"] for cited in result["citations"])
    assert not result["unconfirmed"]
    assert result["gate"]["retrieve"] is (question != SUM)
    searched = [step["title"] for step in result["steps"] if step["kind"] == "link"]
    if question == BRIDGE:
        assert searched == [BRIDGE, "Where was Clyde Tombaugh born?"]


def test_the_demo_says_whose_answers_it_shows(
    demo: ModuleType, index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.demo(index)
    shown = capsys.readouterr().out
    places = [
        shown.index(text)
        for text in (
            "hopyard index build examples/solar_system/corpus.jsonl --out ",
            "Recorded model: a large language model",
            "recorded on 2026-11-29",
            "from the ledger answers of earlier, identical model calls",
            f"hopyard ask '{FACT}' --index {index} -k 3 --search sparse --model recorded:",
            "Olympus Mons",
            "In Illinois",
            "12 plus 30 is 42",
            "Built-in model, 135 million parameters: for trying out; often wrong.",
            "rubric 5/5      the split into sub-questions passed",
            "θ=0.4           a branch whose score is below this threshold",
            f"hopyard ask '{FACT}' --index {index} -k 3\n",
            f"hopyard ask '{SUM}' --index {index} -k 3\n",
            "--model openai:gpt-4.1-mini",
            "--model ollama:",
        )
    ]
    assert places == sorted(places)


def test_a_command_that_fails_ends_the_demo(demo: ModuleType, folder: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        demo.hopyard("ask", FACT, "--index", str(folder / "none"), "--model", "recorded:none")
    assert ended.value.code == 3
