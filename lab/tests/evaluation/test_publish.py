"""The plots of a report, and the page of results that is made from committed reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.evaluation.report import REPORT_FILE, Report, save_report
from hopyard.evaluation.retrieval_only import RETRIEVAL_FILE, RetrievalReport, SearchResult
from hopyard.evaluation.summary import Comparison
from hopyard.measures.bootstrap import Interval
from hopyard.measures.exact import Paired
from hopyard.state.errors import UsageError
from lab.evaluation.plots import draw_report, find_sweeps
from lab.evaluation.publish import main, publish
from tests.evaluation.conftest import MakePlan, report_of


def test_swept_settings_are_put_in_order() -> None:
    names = ["tree", "tree@tree.theta=0.6", "tree@tree.theta=0", "hop@hop.n_hop=2",
             "tree@seed=8", "tree@tree.theta=0.4@seed=8"]  # fmt: skip
    assert find_sweeps(names) == {
        "tree.theta": [(0.0, "tree@tree.theta=0"), (0.6, "tree@tree.theta=0.6")]
    }


def test_plots_are_the_same_for_the_same_numbers(plan: MakePlan, tmp_path: Path) -> None:
    report = report_of(plan, tmp_path / "bridges")
    files = draw_report(report, tmp_path / "one")
    again = draw_report(report, tmp_path / "other")
    assert [file.name for file in files] == ["accuracy-tokens.png", "tree-max-depth.png"]
    assert [file.read_bytes() for file in files] == [file.read_bytes() for file in again]


def test_the_page_of_results_is_made_from_the_files_alone(plan: MakePlan, tmp_path: Path) -> None:
    results, docs = tmp_path / "results", tmp_path / "docs"
    report_of(plan, results / "words" / "bridges", ("single", "tree"))
    report_of(plan, results / "words" / "rivers", ("single", "direct"))
    search = SearchResult(
        n=3,
        recall={1: 0.25, 5: 0.5},
        at_5={"precision": 0.1, "recall": 0.5, "f1": 0.2},
        interval_at_5=Interval(0.5, 0.4, 0.6),
        seconds=0.1,
    )
    (results / "words" / "rivers" / RETRIEVAL_FILE).write_text(
        RetrievalReport(
            name="rivers", questions=3, questions_fingerprint="f", embedding="words",
            documents=8, passages=9, searches={"bm25": search},
        ).model_dump_json()
    )  # fmt: skip
    publish(results, docs)
    text = (docs / "results.md").read_text()
    assert "## words" in text
    assert "| `tree` | 100 / 100 [29, 100] | – |" in text
    assert "| `tree` | 0 | – |" in text  # identical answers
    assert "| strategy | bridges (3) | rivers (3) |" in text
    assert "The table makes 2 comparisons" in text
    assert "a difference counts if p < .025." in text  # .05 / 2
    assert "| `bm25` | 50 [40, 60] |" in text
    publish(results, docs)
    assert (docs / "results.md").read_text() == text
    (results / "about.md").write_text("One core.\n")
    publish(results, docs)
    told = (docs / "results.md").read_text()
    assert told.replace("One core.\n\n", "") == text
    assert told.index("One core.") < told.index("## ")


def test_a_difference_has_its_p_beside_it_and_passages_their_questions(
    plan: MakePlan, tmp_path: Path
) -> None:
    folder = tmp_path / "results" / "words" / "bridges"
    report_of(plan, folder, ("single", "tree"))
    report = Report.model_validate_json((folder / REPORT_FILE).read_bytes())
    compared = Comparison(
        baseline="single",
        n=30,
        differences={"f1": Interval(0.2, 0.05, 0.35), "tokens": Interval(9.0, 8.0, 10.0)},
        paired={"em": Paired(6, 0, 0.03125), "judged": Paired(12, 1, 0.003418)},
    )
    results = {
        name: result.model_copy(update={"retrieval_n": 27, "retrieval": {"recall_at_5": 0.5}})
        for name, result in report.strategies.items()
    }
    changed = report.model_copy(
        update={"questions": 30, "strategies": results, "comparisons": {"tree": compared}}
    )
    save_report(changed, folder)
    publish(tmp_path / "results", tmp_path / "docs")
    text = (tmp_path / "docs" / "results.md").read_text()
    assert "| `tree` | **+20 [+5, +35]**, p = .003 |" in text  # of the judge, if there is one
    assert "comparisons: if" not in text  # a single one
    answers, _, passages = text.partition("first five of the evidence")
    assert "| strategy | bridges (30) |" in answers
    assert "| strategy | bridges (27) |" in passages.partition("Model calls")[0]


def test_no_result_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="no result"):
        publish(tmp_path, tmp_path)
    folder = tmp_path / "broken" / "bridges"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text("{}")
    assert main(["--results", str(tmp_path), "--docs", str(tmp_path)]) == 1
    assert "report.json" in capsys.readouterr().err
