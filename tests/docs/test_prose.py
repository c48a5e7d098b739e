"""What users read is plain English: README.md, docs/, examples/, `--help` and the settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from codespell_lib import main as codespell
from prose import MOST_WORDS, problems, prose_of_markdown, prose_of_python, sentences

from hopyard.cli.app import COMMANDS, app, load_command
from hopyard.state.settings.fields import Context, every_setting

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
    *sorted((ROOT / "evaluation" / "results").rglob("*.md")),
]
CODE = (
    *("agent", "classifiers", "cli", "evaluation", "graphs", "hopyard/testing", "indexes"),
    *("measures", "models", "nodes", "prompts", "state", "tracing", "web"),
)
"""Folders whose docstrings and comments are read, too. Models read the classes of prompts/."""


@pytest.mark.parametrize("folder", CODE)
def test_docstrings_and_comments(folder: str) -> None:
    found = [
        f"{file}: {problem}"
        for file in sorted((ROOT / folder).rglob("*.py"))
        for problem in problems(
            prose_of_python(file.read_text("utf-8"), classes=folder != "prompts")
        )
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages(page: Path) -> None:
    found = problems(prose_of_markdown(page.read_text("utf-8")))
    assert not found, "\n".join(map(str, found))


def help_texts(command: Any) -> Iterator[str]:
    """What `--help` prints of a command, of its parameters, and of the commands in it."""
    yield command.help or ""
    for parameter in command.params:  # Typer writes the help of its own options
        if "completion" not in parameter.name:
            yield getattr(parameter, "help", None) or ""
    for inner in getattr(command, "commands", {}).values():
        yield from help_texts(inner)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help(name: str) -> None:
    texts = [COMMANDS[name].about, *help_texts(load_command(name))]
    assert all(texts[:2])
    found = [problem for text in texts for problem in problems(text)]
    assert not found, "\n".join(map(str, found))


def test_help_of_the_program() -> None:
    assert app.info.help
    assert not problems(app.info.help)


def test_settings() -> None:
    found = [
        f"{name}: {problem}"
        for name, _, meaning in every_setting(Context())
        for problem in problems(meaning)
    ]
    assert not found, "\n".join(found)


def test_spelling() -> None:
    assert codespell(*map(str, PAGES)) == 0


@pytest.mark.parametrize(
    "planted",
    [
        "We leverage a powerful index.",
        "Hopyard is seamless.",
        "It is what the gate is told.",
        "The question is none.",
        "Mend the file and go on with `hopyard resume`.",
        "Without a word the index is built anew.",
        "See the whole house on one page.",
        "What is derived from the corpus is kept.",
        "It should be noted that the index is small.",
        "Take an old index or a new one.",
        "The answer depends on the colors of the page.",
        "The index — and only the index — is read.",
        "The index " + "of the index " * (MOST_WORDS // 3) + "is read.",
        "Some text.\n\n- A list item that is fine.\n- The index is built anew.",
        "| setting | meaning |\n|---|---|\n| a | times that it is built anew |",
    ],
)
def test_a_planted_sentence_is_found(planted: str) -> None:
    assert len(problems(prose_of_markdown(planted))) >= 1


def test_a_plain_sentence_passes() -> None:
    plain = (
        "Hopyard retrieves only as much as the question needs. If building is expensive, it reuses "
        "what belongs to unchanged passages: vectors, keywords and edges. Maximum retries: 2."
    )
    assert problems(plain) == []


def test_code_and_transcripts_are_not_prose() -> None:
    page = (
        "Run it:\n\n    hopyard leverage --anew\n\n```python\nleverage()\n```\n"
        "<!-- transcript -->\nIt is built anew.\n<!-- /transcript -->\nUse `leverage`.\n"
    )
    assert problems(prose_of_markdown(page)) == []


def test_brackets_semicolons_and_code_do_not_make_a_sentence_long() -> None:
    words = "word " * (MOST_WORDS - 3)
    assert problems(f"The {words}(and {words}); {words}`{words}`.") == []


def test_sentences() -> None:
    assert sentences("One, e.g. this. Two? `three` is code. (Four.) Five: Six.") == [
        "One, e.g. this.",
        "Two?",
        "`three` is code.",
        "(Four.)",
        "Five:",
        "Six.",
    ]


def test_a_misspelling_is_found(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("We recieve the answer.\n", "utf-8")
    assert codespell(str(tmp_path / "page.md")) > 0
