"""What a command must not import, so that it starts quickly. Times are in docs/performance.md."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from building import build
from model_server import ModelServer

from hopyard.cli.app import COMMANDS
from hopyard.indexes.corpus.records import Document
from hopyard.models.embeddings import embedder
from hopyard.nodes.resources import close_shared_resources

from .conftest import CORPUS, Run

TRAINING: Final = {
    "accelerate",
    "captum",
    "gguf",
    "matplotlib",
    "networkx",
    "numba",
    "peft",
    "sentence_transformers",
    "sklearn",
    "torch",
    "transformers",
}
SEARCH: Final = {"bm25s", "faiss", "numpy", "onnxruntime", "scipy", "tokenizers"}
CHAT_MODELS: Final = {"langchain_ollama", "langchain_openai", "openai", "ollama", "xllamacpp"}
GRAPHS: Final = {"langchain", "langgraph.graph", "langgraph_sdk", "langsmith"}
LANGCHAIN: Final = {"httpx", "langchain_core", "langgraph"}
NO_SEARCH: Final = TRAINING | SEARCH | CHAT_MODELS | GRAPHS
PROGRAM: Final = """
import sys
from hopyard.cli.app import run
try:
    run()
except SystemExit as ended:
    print(*sys.modules, file=sys.stderr)
    raise
"""


def modules_of(*arguments: str | Path) -> tuple[set[str], str]:
    """The modules that are loaded when a command ends, and what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HOPYARD_GATE": "auto", "HOPYARD_EMBEDDING": "builtin"},
    )
    return set(done.stderr.splitlines()[-1].split()), done.stdout


@pytest.fixture(scope="module")
def builtin_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index with the built-in embedding."""
    directory = tmp_path_factory.mktemp("imports") / "index"
    documents = [Document(name, name.title(), text) for name, text in CORPUS.items()]
    build(documents, directory=directory, embedder=embedder("builtin"))
    return directory


@pytest.mark.parametrize("arguments", ["--help", "--version"])
def test_hopyard_alone_reads_no_settings(arguments: str) -> None:
    modules, _ = modules_of(arguments)
    assert "hopyard.cli.app" in modules
    assert modules & (NO_SEARCH | LANGCHAIN | {"pydantic"}) == set()


HELP: Final = """
import contextlib, io, json, os, sys
from hopyard.cli.app import COMMANDS, run
for name in COMMANDS:
    if os.fork() == 0:  # a process of its own, with nothing imported but the list of commands
        sys.argv = ["hopyard", name, "--help"]
        with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
            run()
        print(json.dumps([name, shown.getvalue(), [*sys.modules]]), flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="fork")
def test_help_imports_only_the_flags_of_its_command() -> None:
    command = [sys.executable, "-W", "ignore", "-c", HELP]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    helped = {
        name: (shown, modules) for name, shown, modules in map(json.loads, done.stdout.splitlines())
    }
    assert list(helped) == list(COMMANDS)
    for name, (shown, modules) in helped.items():
        assert "Usage:" in shown, name
        module = f"hopyard.cli.{COMMANDS[name].module}"
        assert module in modules, name
        others = {f"hopyard.cli.{place.module}" for place in COMMANDS.values()} - {module}
        assert {*modules} & (NO_SEARCH | LANGCHAIN | others) == set(), name
    shown, modules = helped["ask"]
    assert "tree" in shown
    assert not {*modules} & {"hopyard.graphs.strategies.tree", "hopyard.indexes.searches.mmr"}


def test_settings_are_listed_without_a_graph() -> None:
    modules, shown = modules_of("settings")
    assert "tree.theta" in shown
    assert modules & (NO_SEARCH | LANGCHAIN) == set()


@pytest.mark.parametrize("command", ["list", "status"])
def test_an_index_is_described_without_opening_it(command: str, builtin_index: Path) -> None:
    modules, shown = modules_of("index", command, builtin_index)
    assert "3" in shown
    assert modules & (NO_SEARCH | LANGCHAIN) == set()


def test_a_search_needs_no_graph_and_no_chat_model(builtin_index: Path) -> None:
    modules, shown = modules_of("search", "moons of Mars", "--index", builtin_index)
    assert "Phobos" in shown
    assert {"faiss", "onnxruntime"} <= modules
    assert modules & (TRAINING | CHAT_MODELS | {"langgraph.prebuilt"}) == set()


@pytest.mark.builtin
@pytest.mark.timeout(300)
def test_the_built_in_model_needs_no_training() -> None:
    modules, _ = modules_of("ask", "Hi", "-s", "direct", "--model", "builtin")
    assert "xllamacpp" in modules
    assert modules & TRAINING <= {"gguf"}  # merges the adapter into the weights


def test_a_question_answered_from_the_ledger_needs_no_model(
    builtin_index: Path,
    hopyard: Run,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in model_server.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOPYARD_GATE", "auto")
    monkeypatch.setenv("HOPYARD_EMBEDDING", "builtin")
    question = ("ask", "How many moons has Mars?", "--index", builtin_index)
    command = (*question, "-s", "single", "-k", "1", "--model", "openai:scripted")
    assert "1 model call, " in hopyard(*command).out
    close_shared_resources()
    again, shown = modules_of(*command)
    assert "0 model calls, " in shown
    assert {"faiss", "langgraph.graph"} <= again
    assert again & (TRAINING | CHAT_MODELS | {"langgraph.prebuilt"}) == set()
    modules, listed = modules_of("threads", "list")
    assert "How many moons" in listed
    assert modules & NO_SEARCH == set()


def test_the_process_ends_without_searching_its_modules_for_garbage() -> None:
    program = """
import atexit, gc
from hopyard.cli.main import main
atexit.register(lambda: print(len(gc.get_objects()) < gc.get_freeze_count()))
main()
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "True"
