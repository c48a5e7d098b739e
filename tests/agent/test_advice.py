"""Errors for agents, over MCP and of tools: no advice that needs a shell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from hopyard.agent.advice import (
    PROGRAM,
    Advice,
    advises_shell,
    failure_text,
    with_advice,
    without_shell_advice,
)
from hopyard.cli.mcp.tools import ADVICE
from hopyard.state.errors import (
    BudgetExceededError,
    HopyardError,
    IndexMissingError,
    ThreadBusyError,
    ThreadMissingError,
    ThreadUnfinishedError,
    UsageError,
)

ROOT = Path(__file__).parents[2]
FOLDERS = ("agent", "classifiers", "graphs", "indexes", "models", "nodes", "prompts", "state")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            ThreadMissingError("There is no thread 'x'; `hopyard threads list` shows them."),
            "There is no thread 'x'; give a thread_id that `ask` has returned.",
        ),
        (
            ThreadUnfinishedError("The thread 'x' has a question; run `hopyard resume x` first."),
            "The thread 'x' has a question; call `continue_thread` without a question first, or "
            "ask on another thread.",
        ),
        (
            ThreadBusyError("The thread 'x' is running; stop it and run `hopyard resume x`."),
            "The thread 'x' is running; wait for it to end, then call again.",
        ),
        (
            BudgetExceededError("The budget of 5 calls is used up; raise --max-calls."),
            "The budget of 5 calls is used up; whoever runs this server can change that.",
        ),
        (
            IndexMissingError("The index 'x' cannot be used (a: b; c): run `hopyard index build`."),
            "The index 'x' cannot be used (a: b; c); whoever runs this server can change that.",
        ),
        (
            IndexMissingError("No index yet: it runs. `hopyard index status` tells; be patient."),
            "No index yet: it runs; whoever runs this server can change that.",
        ),
        (UsageError("The question is empty; write one."), "The question is empty; write one."),
        (
            UsageError("The setting 'where' is wrong: write 'a=b'; see `hopyard settings`."),
            "The setting 'where' is wrong: write 'a=b'.",
        ),
        (
            HopyardError("The variable HOPYARD_SEED is wrong."),
            "The variable HOPYARD_SEED is wrong.",
        ),
    ],
)
def test_by_hand(error: HopyardError, told: str) -> None:
    assert with_advice(error, ADVICE) == told


def test_an_argument_of_the_client_gets_no_advice_about_the_server() -> None:
    assert without_shell_advice("There is no 'x'; see `hopyard settings`.") == "There is no 'x'."


@pytest.fixture(scope="module")
def messages() -> list[str]:
    """The text of every error that the package raises, with X in the place of values."""
    return list(_raised())


def _raised() -> Iterator[str]:
    for file in sorted(path for name in FOLDERS for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name.endswith("Error"):
                    yield from _texts(first)


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
        yield "".join(map(str, parts))


def test_the_caller_of_a_tool_is_told_who_can_change_it() -> None:
    error = IndexMissingError("There is no index 'x'; run `hopyard index build PATH… --out x`.")
    assert failure_text(error) == (
        "There is no index 'x'; whoever runs this program can change that."
    )


@pytest.mark.parametrize("advice", [ADVICE, PROGRAM])
def test_no_error_of_the_package_advises_a_shell_to_an_agent(
    advice: Advice, messages: list[str]
) -> None:
    advising = [text for text in messages if advises_shell(text)]
    assert len(messages) > 200
    assert len(advising) > 40
    told = [with_advice(HopyardError(text), advice) for text in messages]
    assert all(told)
    # A flag in the first clause is the problem, not advice: only a build meets --ocr and --on.
    assert all("--o" in text for text in told if advises_shell(text))
