"""docs/results.md is what its sources say, with the gate as a user gets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.evaluation.report import REPORT_FILE, Report
from lab.evaluation.publish import publish

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "evaluation" / "results" / "0-today"


@pytest.mark.parametrize("place", range(4))
def test_the_row_of_auto_is_as_published(place: int) -> None:
    name = ("2wikimultihopqa", "hotpotqa", "multihoprag", "musique")[place]
    published = Report.model_validate_json((RESULTS / name / REPORT_FILE).read_bytes())
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
