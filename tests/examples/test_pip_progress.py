"""What `make install` shows while pip works, and after pip has failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "pip_progress.py"

TORCH = "  Downloading https://host/torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl (899.8 MB)\n"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPT.parent))


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], "starting pip"),
        (["  Installing build dependencies: started\n"], "installing build dependencies"),
        (
            ["  Preparing editable metadata (pyproject.toml): started\n"],
            "preparing editable metadata",
        ),
        (["Collecting torch==2.13.0 (from -c x)\n"], "looking up torch; 1 found so far"),
        (
            ["Collecting a\n", "Collecting b>=1\n", TORCH],
            "downloading torch (899.8 MB); 2 found so far",
        ),
        (
            ["Collecting a\n", "Installing collected packages: a, b, c\n"],
            "installed 0 of 3 packages",
        ),
    ],
)
def test_the_line_says_what_pip_is_doing(lines: list[str], text: str) -> None:
    from pip_progress import Progress  # type: ignore[import-not-found]

    progress = Progress()
    progress.read(lines)
    assert str(progress) == text


def test_success_is_one_line_and_failure_shows_what_pip_said() -> None:
    run = [sys.executable, str(SCRIPT)]
    done = subprocess.run([*run, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "0:00  starting pip"
    assert done.stdout.splitlines()[-1].endswith("  done")
    assert not done.stderr

    failed = subprocess.run([*run, "no-such-command"], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert 'unknown command "no-such-command"' in failed.stderr
    assert "done" not in failed.stdout
