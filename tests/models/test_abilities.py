"""What a server can do, kept in a file for other processes."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hopyard.models.servers import abilities
from hopyard.models.servers.abilities import (
    ABILITIES_FILE,
    Abilities,
    Form,
    abilities_of,
    forget,
    keep,
    remember,
    without_refused,
)

NAME = "openai:m@gateway.example.org/v1"
TOOL = Abilities(Form.TOOL, frozenset({"seed"}), 8192)


@pytest.fixture(autouse=True)
def folder(home: Path) -> Path:
    home.mkdir()
    return home


def another_process() -> None:
    """Forget what only this process knows."""
    abilities._known.clear()


def change_file(folder: Path, **values: Any) -> None:
    file = folder / ABILITIES_FILE
    entries = json.loads(file.read_text("utf-8"))
    entries[NAME] |= values
    file.write_text(json.dumps(entries), "utf-8")


def test_another_process_knows_what_was_found(folder: Path) -> None:
    keep(NAME, TOOL)
    another_process()
    assert abilities_of(NAME) == TOOL
    assert abilities_of("openai:m@other.example.org/v1") == Abilities()
    kept = json.loads((folder / ABILITIES_FILE).read_text("utf-8"))[NAME]
    assert (kept["form"], kept["left_out"], kept["window"]) == ("tool call", ["seed"], 8192)
    assert list(folder.iterdir()) == [folder / ABILITIES_FILE]


def test_what_is_only_remembered_stays_in_the_process() -> None:
    remember(NAME, TOOL)
    assert abilities_of(NAME) == TOOL
    another_process()
    assert abilities_of(NAME) == Abilities()


def test_it_is_found_out_again_after_some_days_or_when_asked(folder: Path) -> None:
    keep("ollama:other", TOOL)
    keep(NAME, TOOL)
    old = datetime.now(UTC) - abilities.KEPT_FOR - timedelta(minutes=1)
    change_file(folder, found=old.isoformat())
    another_process()
    assert abilities_of(NAME) == Abilities()
    keep(NAME, TOOL)
    forget(NAME)
    assert abilities_of(NAME) == Abilities()
    another_process()
    assert abilities_of(NAME) == Abilities()
    assert abilities_of("ollama:other") == TOOL


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        "null",
        json.dumps({NAME: 3}),
        json.dumps({NAME: {"form": "plain"}}),
        "[" * 9999,
    ],
)
def test_a_damaged_file_only_costs_finding_it_out_again(folder: Path, damage: str) -> None:
    (folder / ABILITIES_FILE).write_text(damage, "utf-8")
    another_process()
    assert abilities_of(NAME) == Abilities()
    keep(NAME, TOOL)
    another_process()
    assert abilities_of(NAME) == TOOL


@pytest.mark.parametrize(
    "values",
    [
        {"form": "telepathy"},
        {"left_out": "seed"},
        {"left_out": ["api_key"]},
        {"left_out": None},
        {"window": "wide"},
        {"forms": ["Answer"]},
        {"forms": {"Answer": "telepathy"}},
        {"found": "yesterday"},
        {"found": "2999-01-01T00:00:00+00:00"},
        {"found": "2026-01-01T00:00:00"},
        {"found": 3},
    ],
)
def test_a_damaged_entry_is_found_out_again(folder: Path, values: dict[str, Any]) -> None:
    keep(NAME, TOOL)
    change_file(folder, **values)
    another_process()
    assert abilities_of(NAME) == Abilities()


def test_a_file_that_cannot_be_written_changes_nothing_else(folder: Path) -> None:
    (folder / ABILITIES_FILE).mkdir()
    keep(NAME, TOOL)
    assert abilities_of(NAME) == TOOL


class RefusalError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = {"message": message}


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context "
        "length is 4096 tokens and your request has 1200 input tokens (4000 > 4096 - 1200).",
        "max_completion_tokens: the prompt is longer than the model's context window",
    ],
)
def test_an_error_about_a_length_refuses_no_option(message: str) -> None:
    assert without_refused(Abilities(), RefusalError(400, message), "Answer") is None


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 4000. This model supports at most 2048 completion tokens, "
        "whereas you provided 4000.",
        "The parameter `max_completion_tokens` is not valid: integer above maximum value, expected "
        "a value <= 2048, but got 4000 instead.",
        "`max_tokens` must be less than or equal to `2048`, the maximum value for this model",
        "max_tokens: 4000 > 2048, which is the maximum allowed number of output tokens",
    ],
)
def test_a_limit_of_answers_is_kept_to(message: str) -> None:
    weaker = without_refused(Abilities(), RefusalError(400, message), "Answer")
    assert weaker == Abilities(longest_answer=2048)
    assert without_refused(weaker, RefusalError(400, message), "Answer") is None


@pytest.mark.parametrize(
    "message",
    ["m does not support feature: structured-outputs", "This model has no Structured Outputs"],
)
def test_schemas_are_refused_in_several_spellings(message: str) -> None:
    weaker = without_refused(Abilities(), RefusalError(400, message), "Answer")
    assert weaker == Abilities(forms={"Answer": Form.TOOL})


def test_a_form_that_the_server_refuses_for_two_schemas_is_refused_for_all() -> None:
    error = RefusalError(400, "This response_format type is unavailable now")
    first = without_refused(Abilities(), error, "ChainStep")
    assert first == Abilities(forms={"ChainStep": Form.TOOL})
    second = without_refused(first, error, "Answer")
    assert second == Abilities(Form.TOOL, forms={"ChainStep": Form.TOOL})
    assert {second.form_of(title) for title in ("ChainStep", "Answer", "Split")} == {Form.TOOL}
    tools = RefusalError(400, "tools are not supported")
    assert without_refused(second, tools, "Answer").form is Form.TOOL


def test_a_refusal_that_names_a_schema_counts_for_that_schema_only() -> None:
    message = "Invalid schema for response_format 'ChainStep': 'kind' is missing"
    weaker = without_refused(Abilities(), RefusalError(400, message), "ChainStep")
    assert weaker == Abilities(forms={"ChainStep": Form.TOOL})
    assert (weaker.form_of("ChainStep"), weaker.form_of("Answer")) == (Form.TOOL, Form.JSON_SCHEMA)
    keep(NAME, weaker)
    assert abilities_of(NAME) == weaker
    another_process()
    assert abilities_of(NAME) == weaker
    other = replace(weaker, forms={"ChainStep": Form.TOOL, "Answer": Form.TOOL})
    assert (
        without_refused(weaker, RefusalError(400, message.replace("ChainStep", "Answer")), "Answer")
        == other
    )
