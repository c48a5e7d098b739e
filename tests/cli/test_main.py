"""The entry: how an error ends a command, and that what messages advise is really there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer.main

from hopyard.cli import app as entry
from hopyard.cli import settings
from hopyard.indexes.search import SEARCHES
from hopyard.state.errors import HopyardError
from hopyard.state.settings.fields import Context, every_setting
from hopyard.state.strategy import STRATEGIES

from .conftest import Run

ROOT = Path(__file__).parents[2]


def break_settings(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr(settings, "context_from", fail)


def test_an_unforeseen_error_is_one_sentence(hopyard: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    break_settings(monkeypatch, ZeroDivisionError("[x] by zero"))
    ended = hopyard("settings", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert ended.error.startswith("ZeroDivisionError: [x] by zero; this is a bug in Hopyard")


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), HopyardError("x")])
def test_debug_shows_the_traceback(
    hopyard: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    break_settings(monkeypatch, error)
    ended = hopyard("--debug", "settings")
    assert ended.code == 1
    assert "Traceback" in ended.err
    assert "break_settings" in ended.err or "Error: x" in ended.err


def test_an_interrupt_ends_with_130(hopyard: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    break_settings(monkeypatch, KeyboardInterrupt())
    ended = hopyard("settings")
    assert (ended.code, ended.out) == (130, "")


def test_a_closed_pipe_is_no_fault() -> None:
    command = (
        f'"{sys.executable}" -m hopyard.cli.main settings | head -1; echo "${{PIPESTATUS[0]}}"'
    )
    done = subprocess.run(
        ["/bin/bash", "-c", command], capture_output=True, text=True, check=True, cwd="/"
    )
    assert "fault" not in done.stderr
    assert "Traceback" not in done.stderr


def test_the_version_is_told(hopyard: Run) -> None:
    ended = hopyard("--version")
    assert ended.code == 0
    assert re.fullmatch(r"hopyard \d+\.\d+\.\d+\n", ended.out)


def test_help_lists_every_strategy_and_search_but_no_baseline(hopyard: Run) -> None:
    text = " ".join(hopyard("ask", "--help").out.replace("│", " ").split())
    baselines = {name for name in STRATEGIES if STRATEGIES[name].baseline}
    assert ", ".join(name for name in STRATEGIES if name not in baselines) in text
    assert ", ".join(SEARCHES) in text


def test_a_misspelt_command_is_guessed(hopyard: Run) -> None:
    ended = hopyard("indx")
    assert ended.code == 2
    assert "Did you mean 'index'?" in ended.err


def commands(group: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, group
    for child, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{name} {child}")


COMMANDS = {"hopyard": typer.main.get_command(entry.app)} | dict(
    pair
    for name in entry.COMMANDS
    for pair in commands(entry.load_command(name), f"hopyard {name}")
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_fits_a_screen(hopyard: Run, name: str) -> None:
    ended = hopyard(*name.split()[1:], "--help")
    lines = ended.out.rstrip().splitlines()
    assert ended.code == 0
    assert "Usage:" in ended.out
    assert COMMANDS[name].help
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", entry.COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    about = entry.COMMANDS[name].about.removesuffix(".")
    assert str(entry.load_command(name).help).startswith(about)


def test_no_help_text_loses_words_to_markup() -> None:
    """Rich takes `[default: x]` for markup and leaves it out."""
    for name, command in COMMANDS.items():
        for parameter in command.params:
            told = getattr(parameter, "help", None) or ""
            assert not re.search(r"\[[a-z]", told), f"{name} {parameter.name}: {told}"


def messages() -> Iterator[tuple[str, str]]:
    """The texts of all errors in the code, with the module where each stands."""
    folders = ("models", "state", "prompts", "nodes", "graphs", "indexes", "cli")
    for path in sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("Error"):
                texts = [
                    node.value
                    for node in ast.walk(call)
                    if isinstance(node, ast.Constant) and isinstance(node.value, str)
                ]
                yield f"{path.parent.name}/{path.name}", "".join(texts)


def test_what_a_message_advises_is_there() -> None:
    options = {
        option
        for command in COMMANDS.values()
        for parameter in command.params
        for option in parameter.opts
    } | {"--no-deps", "--help"}
    for module, text in messages():
        for flag in re.findall(r"--[a-z][a-z-]*", text):
            assert flag in options, f"{module}: {text}"
        for command in re.findall(r"`hopyard ((?:[a-z]+ ?)+)", text):
            words = command.split()
            assert any("hopyard " + " ".join(words[:count]) in COMMANDS for count in (1, 2)), (
                f"{module}: {text}"
            )
        for setting in re.findall(r"--set ([a-z_.]+)=", text):
            assert settings_has(setting), f"{module}: {text}"


def settings_has(name: str) -> bool:
    return name in {setting for setting, _, _ in every_setting(Context())}


@pytest.mark.parametrize("file", ["threads.sqlite", "ledger.sqlite"])
@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be read as one" * 9, None]
)
def test_a_damaged_data_file_is_named(
    hopyard: Run, home: Path, model: object, file: str, content: bytes | None
) -> None:
    home.mkdir()
    if content is None:
        (home / file).mkdir()
    else:
        (home / file).write_bytes(content)
    ended = hopyard("ask", "Who?", "--strategy", "direct", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert file in ended.error
    assert "HOPYARD_HOME" in ended.error


def test_an_error_of_the_system_is_no_fault_of_hopyards(
    hopyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_settings(monkeypatch, OSError(28, "No space left on device", "some/file"))
    ended = hopyard("settings")
    assert ended.code == 1
    assert ended.error == "[Errno 28] No space left on device: 'some/file'."
