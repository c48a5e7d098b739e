"""The examples of the Python API and of LangChain, each run as a user runs it."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from .conftest import EXAMPLES, MODEL, Run

QUESTION = "How many moons does Mars have?"
ANSWER = "two moons"
QUOTE = "“Mars has two moons, Phobos and Deimos.” (Mars)"
MOST_LINES = 40


@pytest.fixture(autouse=True)
def script(model_server: ModelServer) -> None:
    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        if title == "hopyard":  # the tool, which the agent's model calls
            return {"question": QUESTION}
        plain = f"Mars has {ANSWER} [1]."
        scripted = {
            "Answer": {"answer": ANSWER},
            "Route": {"strategy": "single"},
            "StandAlone": {"question": QUESTION},
        }
        return scripted.get(title, plain)

    model_server.answer = answer


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mars.md").write_text("# Mars\n\nMars has two moons, Phobos and Deimos.\n")
    return tmp_path / "docs"


def test_script(run: Run, documents: Path) -> None:
    done = run("script.py", documents, QUESTION, MODEL)
    assert done.out == (f"{ANSWER}\n  “Mars has two moons, Phobos and Deimos.” (mars.md)\n")
    assert "passages: 1, embedded: 1" in done.err
    assert "single, model calls: 1" in done.err or "single, model calls: 2" in done.err


def test_lcel_retriever(run: Run, index: Path, model_server: ModelServer) -> None:
    assert run("lcel_retriever.py", index, QUESTION, MODEL).out == f"Mars has {ANSWER} [1].\n"
    [call] = model_server.calls
    assert "Mars: Mars has two moons, Phobos and Deimos." in call.turn


def test_agent_tool(run: Run, index: Path, model_server: ModelServer) -> None:
    shown = run("agent_tool.py", index, "Tell me about Mars.", MODEL).out
    assert shown.index("Tool Calls:") < shown.index(ANSWER) < shown.index(f"Mars has {ANSWER} [1].")
    assert "“Mars has two moons, Phobos and Deimos.”" in shown
    assert model_server.titles()[0] == "hopyard"


def test_langgraph_node(run: Run, index: Path) -> None:
    shown = run("langgraph_node.py", index, QUESTION).out
    steps = [line for line in shown.splitlines() if line.startswith("step: ")]
    assert steps[-2:] == ["step: documents", "step: write"]
    assert {"step: route", "step: single"} <= set(steps)
    quote = "- Mars has two moons, Phobos and Deimos."
    assert shown.endswith(f"You asked: {QUESTION}\n{ANSWER}\n{quote}\n")


def test_agent_middleware(run: Run, index: Path, model_server: ModelServer) -> None:
    shown = run("agent_middleware.py", index, QUESTION, MODEL).out
    assert shown == f"Mars has {ANSWER} [1].\n[1] {QUOTE}\n"
    [call] = model_server.calls
    assert "[1] Mars: Mars has two moons" in call.turn


async def test_notebook(
    environment: dict[str, str], documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cells in an event loop that runs, as in a kernel, which would take seconds to start.

    The code that is executed is the example itself.
    """
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(documents.parent)
    names: dict[str, Any] = {}
    shown = []
    for cell in json.loads((EXAMPLES / "notebook.ipynb").read_bytes())["cells"]:
        if cell["cell_type"] == "code":
            *lines, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(lines, []), "cell", "exec"), names)  # noqa: S102
            assert isinstance(last, ast.Expr)
            code = compile(
                ast.Expression(last.value), "cell", "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            )
            value = eval(code, names)  # noqa: S307
            shown.append(await value if inspect.isawaitable(value) else value)
    passages, first, second, evidence = shown
    assert passages == 1
    quoted = f"{ANSWER}\n\n[1] “Mars has two moons, Phobos and Deimos.” — mars.md"
    assert first._repr_markdown_() == second._repr_markdown_() == quoted
    assert "Mars has two moons" in str(evidence)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_every_program_is_short(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= MOST_LINES
