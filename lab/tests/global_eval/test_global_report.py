"""The report of questions about the whole corpus: cost of each condition, and the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hopyard.evaluation.plan import check_plan
from hopyard.evaluation.records import PromptCalls, Record
from lab.global_eval.judge_pair import CRITERIA
from lab.global_eval.pairwise import PairJudgement
from lab.global_eval.report import (
    GLOBAL_PAGE,
    GLOBAL_REPORT,
    GlobalReport,
    make_global_report,
    save_global_report,
)
from tests.evaluation.conftest import MakePlan, record

pytestmark = pytest.mark.usefixtures("map_reduce")
NAMES = ("single", "map-reduce", "single+dense")


def calls(tokens: int, count: int = 1, cached: int = 0) -> PromptCalls:
    return PromptCalls(calls=count, cached=cached, input_tokens=tokens - 10, output_tokens=10)


@pytest.fixture
def records() -> list[Record]:
    """One question costs 100 tokens by a search, 2,000 by map-reduce, and 60 besides reports."""
    found = []
    for key in ("q1", "q2", "q3"):
        found += [
            record(key, "single", answer="In 1781 [1].", calls={"answer/1": calls(100)}),
            record(
                key,
                "map-reduce",
                answer="It was opened [1][2] in 1781.",
                calls={"map-passages/1": calls(1800, 9), "reduce-points/1": calls(200)},
            ),
            record(
                key,
                "single+dense",
                answer="Unknown",
                unanswered=True,
                calls={
                    "community-report/1": calls(1000, 4, 4 if key == "q3" else 1),
                    "map-reports/1": calls(60, 2),
                },
            ),
        ]
    return found


def judgement(question: str, first: str, second: str, winner: str) -> PairJudgement:
    return PairJudgement(
        question_id=question,
        first=first,
        second=second,
        by="judge",
        winners=dict.fromkeys(CRITERIA, winner),
    )


def report(plan: MakePlan, records: list[Record], **values: Any) -> GlobalReport:
    asked = plan(NAMES)
    return make_global_report(asked, check_plan(asked), records, **values)


def test_cost_of_each_condition_by_hand(plan: MakePlan, records: list[Record]) -> None:
    found = report(plan, records).conditions
    assert list(found) == list(NAMES)
    tokens = {name: (each.calls, each.tokens, each.share_of_most) for name, each in found.items()}
    assert tokens == {
        "single": (1, 100, 0.05),
        "map-reduce": (10, 2000, 1),
        "single+dense": (2, 60, 0.03),
    }
    written = found["single+dense"]
    assert (written.report_calls, written.report_tokens) == (3 + 3 + 0, 750 + 750 + 0)
    assert (found["single"].report_calls, found["single"].report_tokens) == (0, 0)
    assert [each.words for each in found.values()] == [2, 5, 0]
    assert [each.unanswered for each in found.values()] == [0, 0, 3]


def test_a_missing_answer_makes_the_report_incomplete(
    plan: MakePlan, records: list[Record]
) -> None:
    assert report(plan, records).complete
    assert not report(plan, records[:-1]).complete


def test_the_page_has_a_matrix_for_each_criterion(
    plan: MakePlan, records: list[Record], tmp_path: Path
) -> None:
    judgements = [
        judgement(key, *order, "map-reduce")
        for key in ("q1", "q2", "q3")
        for order in (("single", "map-reduce"), ("map-reduce", "single"))
    ]
    judgements.append(
        PairJudgement(
            question_id="q1", first="single", second="single+dense", by="judge", failure="No."
        )
    )
    found = report(plan, records, judge="a-judge", repeats=1, judgements=judgements)
    save_global_report(found, tmp_path)
    page = (tmp_path / GLOBAL_PAGE).read_text()
    assert (
        "| `single` one search, one answer | 3 | 2 | 1.0 | 100 | 5.0 % | 0 | 0 | 0 | 0 | 0 |"
        in (page.replace(found.conditions["single"].about, "one search, one answer"))
    )
    for criterion in CRITERIA:
        assert f"## {criterion.capitalize()}\n\n| | `single` | `map-reduce` |\n" in page
        assert f"| {criterion} | 50.0 [50, 50] | 100.0 [29, 100] | 0.0 |" in page
    # 0 of 3: the upper bound is 1 - 0.025^(1/3) = 0.708.
    assert page.count("| `single` | – | 0.0 [0, 71] |") == len(CRITERIA)
    assert page.count("| `map-reduce` | 100.0 [29, 100] | – |") == len(CRITERIA)
    assert "`a-judge`, 7 judgements" in page
    assert "1 call of the judge gave no usable verdict" in page
    saved = json.loads((tmp_path / GLOBAL_REPORT).read_text())
    assert saved["win_rates"]["diversity"]["map-reduce"]["single"][0] == 1
    assert GlobalReport.model_validate(saved) == found


def test_without_a_judge_the_page_has_only_the_costs(
    plan: MakePlan, records: list[Record], tmp_path: Path
) -> None:
    save_global_report(report(plan, records), tmp_path)
    page = (tmp_path / GLOBAL_PAGE).read_text()
    assert "Judge" not in page
    assert "Comprehensiveness" not in page
