"""The example plug-in, installed with pip beside Hopyard, appears everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

pytestmark = pytest.mark.timeout(600)  # a wheel is built and installed

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"
QUESTION = "When was the Iron Bridge opened?"
CORPUS = {
    "iron-bridge": "The Iron Bridge was opened in 1781. It crosses the River Severn.",
    "stone-bridge": "The Stone Bridge was completed in 1146. It crosses the Danube.",
    "severn": "The Severn is the longest river in Great Britain.",
}


@dataclass(frozen=True)
class Installed:
    """An environment that sees Hopyard, with the plug-in installed from its wheel."""

    folder: Path

    def run(
        self, *arguments: object, environment: Mapping[str, str] | None = None, given: str = ""
    ) -> str:
        """Run the environment's Python on an input; its standard output."""
        ended = subprocess.run(
            [str(self.folder / "bin" / "python"), *map(str, arguments)],
            input=given,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=_without_checkout() | dict(environment or {}),
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout


def _without_checkout() -> dict[str, str]:
    """This process's variables, but no path that leads to the checkout."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A fresh environment that sees this checkout and what it needs."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    ignored = shutil.ignore_patterns("*.egg-info", "__pycache__", "build")
    copy = shutil.copytree(PLUGIN, folder / "source", ignore=ignored)  # a build leaves its traces
    wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(copy)]
    subprocess.run(wheel, check=True)
    environment = folder / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    inside = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": ""}))
    (inside / "needs.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    python = str(environment / "bin" / "python")
    wheels = list(map(str, folder.glob("*.whl")))
    install = [*pip, "--python", python, "install", "--no-deps", "--no-index", "--force-reinstall"]
    subprocess.run([*install, "--ignore-installed", *wheels], check=True)
    return Installed(environment)


ALL = """
import contextlib, io, json, sys
from hopyard.cli.app import run
said = []
for sys.argv in json.load(sys.stdin):
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            run()
    except SystemExit as ended:
        assert not ended.code, out.getvalue()
    said.append(out.getvalue())
print(json.dumps(said))
"""
"""Runs commands one after the other in one process, which is started and imported once."""

Hopyard = Callable[..., list[str]]


@pytest.fixture
def hopyard(installed: Installed, model_server: ModelServer, home: Path) -> Hopyard:
    """Runs installed commands, with a scripted model behind them; what each prints."""

    def answer(title: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        del messages
        return {
            "Route": {"strategy": "second-look"},
            "Answer": {"answer": "1781"},
            "Decomposition": {"kind": "simple", "first": "", "second": ""},
        }[title]

    model_server.answer = answer
    models = {"HOPYARD_MODEL": "openai:scripted", "HOPYARD_EMBEDDING": "ollama:words"}
    environment = model_server.environment() | models | {"HOPYARD_HOME": str(home)}

    def run(*commands: tuple[object, ...]) -> list[str]:
        given = json.dumps([["hopyard", *map(str, command)] for command in commands])
        said: list[str] = json.loads(installed.run("-c", ALL, environment=environment, given=given))
        return said

    return run


def test_its_parts_appear_everywhere(
    installed: Installed, hopyard: Hopyard, tmp_path: Path
) -> None:
    corpus, index = tmp_path / "corpus.jsonl", tmp_path / "i"
    rows = (
        {"id": name, "title": name.replace("-", " ").title(), "text": text}
        for name, text in CORPUS.items()
    )
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        json.dumps(
            {
                "id": "q",
                "question": QUESTION,
                "answers": ["1781"],
                "supporting_ids": ["iron-bridge"],
            }
        )
    )
    columns = ("single", "second-look", "second-look+titles", "tree+titles")
    asked = ("ask", QUESTION, "--index", index, "--json")
    _, status, found, forced, routed, traced, report, settings = hopyard(
        ("index", "build", corpus, "--out", index, "--with", "dense,sparse,titles"),
        ("index", "status", index, "--json"),
        ("search", "iron", "--index", index, "--search", "titles", "--json"),
        (*asked, "-s", "second-look", "--search", "titles", "-t", "t"),
        asked,
        ("trace", "t"),
        (
            "eval",
            questions,
            "-i",
            index,
            "-s",
            ",".join(columns),
            "--out",
            tmp_path / "e",
            "--json",
        ),
        ("settings", "--json"),
    )
    assert "title_words" in status
    assert [unit["id"] for unit in json.loads(found)["evidence"]] == ["iron-bridge"]
    forced = json.loads(forced)
    assert (forced["answer"], forced["strategy"]) == ("1781", "second-look")
    assert [step["id"] for step in forced["steps"]] == ["look-1"]
    routed = json.loads(routed)
    assert (routed["strategy"], routed["route"]["by"]) == ("second-look", "model")
    assert "Search: When was the Iron Bridge opened?" in traced
    assert set(json.loads(report)["strategies"]) == set(columns)
    assert json.loads(settings)["second_look"] == {"tries": 1}

    help_ = " ".join(installed.run("-m", "hopyard.cli.main", "ask", "--help").split())
    assert "second-look" in help_.replace("- ", "-")  # a line may end at the hyphen
    assert "titles" in help_


def test_it_keeps_the_contracts(installed: Installed) -> None:
    tests = str(PLUGIN / "tests")
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", PLUGIN, "-c", PLUGIN / "pyproject.toml")
    said = installed.run("-m", "pytest", *options, tests)
    assert " passed" in said
