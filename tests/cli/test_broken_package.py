"""An installed package that cannot be imported: named, and everything else works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(params=["hopyard.strategies", "hopyard.searches", "hopyard.indexes"])
def group(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def command(tmp_path: Path, group: str) -> Command:
    """Run `hopyard ARGUMENTS…` in a process that has the broken package."""
    about = tmp_path / "broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\nleap = no_such_module:LEAP\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        return subprocess.run(
            [sys.executable, "-c", "from hopyard.cli.main import main; main()", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": path},
        )

    return run


def test_a_command_warns_in_one_line_and_does_its_work(command: Command, group: str) -> None:
    done = command("settings", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["tree"]["theta"] == 0.4
    [line] = done.stderr.splitlines()
    assert "'leap' cannot be loaded from 'no_such_module:LEAP'" in line
    assert line.startswith("WARNING ")


@pytest.mark.parametrize(
    ("group", "option"),
    [("hopyard.strategies", "--strategy"), ("hopyard.searches", "--search")],
    indirect=["group"],
)
def test_who_asks_for_it_is_told_in_one_sentence(command: Command, option: str) -> None:
    done = command("ask", "Who?", option, "leap")
    assert (done.returncode, done.stdout) == (2, "")
    *_, sentence = done.stderr.splitlines()
    assert sentence.startswith("Error: ")
    assert "'leap' cannot be loaded" in sentence
    assert "reinstall the package" in sentence
