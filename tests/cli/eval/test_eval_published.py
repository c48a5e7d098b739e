"""docs/results.md is what its sources say, with the gate as a user gets it and all calls."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hopyard.evaluation.report import REPORT_FILE, Report
from hopyard.models.recorded import open_recording
from lab.evaluation.publish import publish

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "evaluation" / "results" / "0-today"
RECORDINGS = "benchmarks/recordings"
SETS = ("2wikimultihopqa", "hotpotqa", "multihoprag", "musique")


def published_report(name: str) -> Report:
    return Report.model_validate_json((RESULTS / name / REPORT_FILE).read_bytes())


@pytest.mark.parametrize("place", range(4))
def test_the_row_of_auto_is_as_published(place: int) -> None:
    published = published_report(SETS[place])
    assert published.settings["gate"] == "auto"
    usage = published.strategies["auto"].usage
    tokens = usage["input_tokens"] + usage["output_tokens"]
    wanted = f"{usage['model_calls']:.1f} calls, {tokens:,.0f} tokens"
    section = (ROOT / "docs" / "results.md").read_text("utf-8").partition("## Reports")[0]
    [row] = [
        line for line in section.splitlines() if line.startswith("| `auto`") and "calls" in line
    ]
    assert row.split("|")[2 + place].strip() == wanted


def test_the_page_is_written_from_its_sources(tmp_path: Path) -> None:
    publish(RESULTS.parent, tmp_path)
    written = (tmp_path / "results.md").read_text("utf-8")
    assert written == (ROOT / "docs" / "results.md").read_text("utf-8")


@pytest.mark.parametrize("name", SETS)
def test_every_call_of_the_first_tables_is_recorded(name: str) -> None:
    columns = published_report(name).strategies
    calls = {each: round(found.usage["model_calls"] * found.n) for each, found in columns.items()}
    assert calls.pop("auto") == calls["chain"]  # the same calls
    assert len(open_recording(ROOT / RECORDINGS / name)) >= sum(calls.values())


def test_the_commits_that_replay_tables_have_the_recordings() -> None:
    if git("rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("the history of the repository is not there")
    page = (ROOT / "docs" / "results.md").read_text("utf-8")
    commits = {*re.findall(r"\| all calls \| `(\w+)` \|", page)}
    assert commits
    for commit in commits:
        listed = git("ls-tree", "--name-only", f"{commit}:{RECORDINGS}")
        assert set(SETS) <= {*listed.split()}, commit


def git(*arguments: str) -> str:
    """What git prints; "" if it fails."""
    ended = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return ended.stdout.strip()
