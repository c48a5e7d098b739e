"""Reports on demand: which are written first, and what the report above them has read.

A family has seven members and twelve sentences, of 12 tokens each with its number: 145 in all. Its
community 0-0 has two parts. 1-0, of the last four members, has the sentences 4 to 11, 97 tokens,
and two parts itself: 2-0 has the sentences 4 to 9, 72 tokens, and 2-6 has 8 to 11. 1-6 has the
first three members and the sentences 0 to 5. Sentences 4 and 5 are about members of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from building import wait

from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.on_demand import (
    NO_LIMIT,
    Plan,
    plan_reports,
    planned,
    report_of,
)
from hopyard.indexes.kinds.communities.records import Community, Report
from hopyard.indexes.kinds.communities.writing import elements_of
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.testing.models import GARBAGE

from .families import Families, answer, families


@pytest.fixture
def library(tmp_path: Path, small_window: None) -> Families:
    """An index without reports, whose prompts show 100 tokens of a community."""
    made = Families(tmp_path / "index", reports="on-demand", max_size=3)
    made.build(families())
    return made


@pytest.fixture
def opened(library: Families) -> Iterator[Index]:
    with library.open() as index:
        yield index


def plan(index: Index, tokens: int, most: int = NO_LIMIT) -> Plan:
    communities = index.reader("communities")
    return plan_reports(communities.community("0-0"), communities, elements_of(index), tokens, most)


def calls(planned: Plan) -> dict[str, int]:
    """The calls of a plan and of the plans below it, by community."""
    found = {planned.community.id: planned.calls}
    for part in planned.parts:
        found |= calls(part)
    return found


def sentences(names: Any) -> list[int]:
    return sorted(int(name[1:]) for name in names if name.startswith("S"))


@pytest.mark.parametrize(
    ("tokens", "most", "written", "read"),
    [
        # Everything fits.
        (145, NO_LIMIT, {"0-0": 1}, range(12)),
        # The larger part is replaced: 145 - 97 + 100 // 8 = 60.
        (100, NO_LIMIT, {"0-0": 2, "1-0": 1}, range(12)),
        # 1-0 does not fit itself: 97 - 72 + 10 = 35, and then 145 - 97 + 10 = 58.
        (80, NO_LIMIT, {"0-0": 3, "1-0": 2, "2-0": 1}, range(12)),
        # A second report leaves none for 2-0: 1-0 shows the best six of its eight sentences.
        (80, 2, {"0-0": 2, "1-0": 1}, range(11)),
        # One report shows the best eight of twelve sentences, as before: 97 tokens.
        (100, 1, {"0-0": 1}, range(2, 10)),
    ],
)
def test_the_largest_parts_are_written_first(
    opened: Index, tokens: int, most: int, written: dict[str, int], read: range
) -> None:
    found = plan(opened, tokens, most)
    assert calls(found) == written
    assert sentences(found.read) == [*read]
    assert calls(plan(opened, tokens, found.calls)) == written, "as many as it needs are enough"


def test_the_tokens_of_a_plan_are_those_of_all_prompts(opened: Index) -> None:
    assert plan(opened, 80).input_tokens == 58 + 35 + 72


class Asked:
    """A question that has reports written, and the reports of parts that it gets."""

    def __init__(self, library: Families, index: Index, **settings: Any) -> None:
        self.library, self.index = library, index
        self.settings = library.context(**settings)
        self.told: dict[str, Report | ModelOutputError] = {}

    def report(self, name: str, **limits: int) -> Report:
        def tell(community: Community, report: Report | ModelOutputError) -> None:
            self.told[community.id] = report

        with Resources() as resources:
            call = Run("run", self.settings, resources).call
            return wait(report_of(self.index, name, self.settings, call, tell=tell, **limits))

    @property
    def turns(self) -> list[str]:
        return [request.turn for request in self.library.chat.requests]


def test_a_community_that_does_not_fit_is_written_from_the_report_of_its_part(
    library: Families, opened: Index
) -> None:
    asked = Asked(library, opened)
    report = asked.report("0-0")
    part, whole = asked.turns
    assert len(asked.turns) == planned(opened, "0-0", asked.settings).calls
    assert "Report: " not in part and "Gregor Adler" in part
    assert "Report: Clara Adler. A family." in whole and "Anna Adler" in whole
    assert "day 4" not in whole, "the report stands for these sentences"
    assert sentences(report.read) == [*range(12)]
    assert asked.told.keys() == {"1-0"} and sentences(asked.told["1-0"].read) == [*range(4, 12)]


def test_reports_of_parts_are_asked_for_once(library: Families, opened: Index) -> None:
    asked = Asked(library, opened)
    first = asked.report("0-0")
    part = asked.report("1-0")
    assert asked.report("0-0") == first and asked.told["1-0"] == part
    assert len(asked.turns) == 2, "the ledger answers"


def test_one_report_shows_the_community_like_a_leaf(library: Families, opened: Index) -> None:
    report = Asked(library, opened).report("0-0", most=1)
    assert sentences(report.read) == [*range(2, 10)]
    assert len(library.chat.requests) == 1


def test_a_part_whose_report_fails_keeps_its_sentences(library: Families, opened: Index) -> None:
    library.chat.answers = lambda name, messages: (
        GARBAGE if "It was Frida" in messages[-1]["content"] else answer(name, messages)
    )
    asked = Asked(library, opened)
    report = asked.report("0-0")
    assert isinstance(asked.told["1-0"], ModelOutputError)
    assert sentences(report.read) == [*range(2, 10)], "like a leaf"


def test_a_budget_that_ends_below_a_report_ends_it(library: Families, opened: Index) -> None:
    asked = Asked(library, opened, budget={"calls": 2})  # one of them for the closing call
    with pytest.raises(BudgetExceededError):
        asked.report("0-0")
    assert len(asked.turns) == 1


def test_a_question_that_was_killed_repeats_no_report_of_a_part(
    library: Families, opened: Index
) -> None:
    def killed(request: Any) -> None:
        if "Report: " in request.turn:
            raise KeyboardInterrupt

    library.chat.before = killed
    asked = Asked(library, opened)
    with pytest.raises(KeyboardInterrupt):
        asked.report("0-0")
    library.chat.before = lambda request: None
    before = len(asked.turns)
    assert sentences(asked.report("0-0").read) == [*range(12)]
    assert len(asked.turns) == before + 1, "the report above alone"


def test_reports_of_the_build_take_no_call(library: Families) -> None:
    library.build(families(), communities={"reports": "all", "max_size": 3})
    with library.open() as index:
        report = index.reader("communities").report("0-0")
        assert report is not None and sentences(report.read) == [*range(12)]
        assert planned(index, "0-0", library.context()).parts == ()
