"""The report, its plots, and the page of results that is made from committed reports."""

from __future__ import annotations

from pathlib import Path

from hopyard.evaluation.plan import RunInfo
from hopyard.evaluation.report import REPORT_FILE, Report, make_report, markdown
from hopyard.state.settings.fields import Context

from .conftest import MakePlan, record, report_of


def test_the_page_names_the_model_and_has_a_row_for_each_strategy(
    plan: MakePlan, tmp_path: Path
) -> None:
    report = report_of(plan, tmp_path / "bridges", em=0.0, answer="1780", retrieval=None)
    text = (tmp_path / "bridges" / "report.md").read_text()
    assert "`a-model`" in text
    assert "Not complete" not in text
    assert "5 passages of at most 450 tokens by `hybrid` search" in text
    assert "| `single` native RAG: one search | 3 | 100.0 [29, 100] " in text
    assert "| `tree` ToR-RAG: a tree of sub-questions | 3 | 0.0 [0, 71] " in text
    assert (
        "| `tree` | 3 | **-100.0 [-100, -100]** | 0.250 | +0.0 [+0, +0] | +0.0 [+0, +0] | +0 |"
        in text
    )
    assert "| answer/1 | 15 | 15 | 0 | 0 | 100.0% |" in text
    assert report.strategies["tree"].retrieval is None
    saved = (tmp_path / "bridges" / REPORT_FILE).read_bytes()
    assert Report.model_validate_json(saved) == report


def test_what_is_missing_is_said(plan: MakePlan, tmp_path: Path) -> None:
    asked = plan(("single", "tree"))
    info = report_info()
    report = make_report(asked, info, [record("q1")])
    assert not report.complete
    assert "**Not complete**" in markdown(report)
    assert report.strategies.keys() == {"single"}
    stranger = record("q77")
    assert make_report(asked, info, [record("q1"), stranger]).strategies["single"].n == 1


def report_info() -> RunInfo:
    return RunInfo(
        run="r", name="bridges", model="a-model", embedding="words", index="", index_created="",
        settings=Context().model_dump(mode="json"),
    )  # fmt: skip
