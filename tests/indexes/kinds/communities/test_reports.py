"""Reports about communities: written, kept, written again after a change, and supported."""

from __future__ import annotations

from pathlib import Path

import pytest
from building import wait

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.on_demand import report_of
from hopyard.indexes.kinds.communities.writing import Limits, elements_of, material_of
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.prompts.indexes.communities import report_values
from hopyard.testing.models import GARBAGE

from .families import FAMILIES, Families, answer, families, meeting

# A build

ALL = 5 * len(FAMILIES)
"""Communities with max_size=3: a family has two parts, and one of these has two parts."""


def test_every_community_has_a_report_whose_elements_lead_to_quotes(tmp_path: Path) -> None:
    library = Families(tmp_path / "index", max_size=3)
    library.build(families())
    counts = library.counts
    assert counts.written == counts.rewritten == len(library.chat.requests) == ALL
    assert (counts.missing, counts.failed, counts.unknown_elements) == (0, 0, 0)
    with library.open() as index:
        communities: CommunityIndex = index.reader("communities")
        elements = elements_of(index)
        for name in communities.ids:
            report = communities.report(name)
            assert report is not None and report.findings
            for finding in report.findings:
                quotes = elements.quotes(finding.elements)
                assert any(report.title in quote for _, quote in quotes)
                for passage, quote in quotes:
                    assert quote in index.passages([passage])[0].text


def test_only_reports_that_show_something_new_are_written_again(tmp_path: Path) -> None:
    """Rows of all entities and facts move, since Adler is the first family."""
    library = Families(tmp_path / "index")
    library.build(families())
    before, asked = library.reports, len(library.chat.requests)
    assert asked == len(FAMILIES)
    library.add(meeting("Adler", 1, ["Aaron Adler", "Anna Adler"]))
    new = library.chat.requests[asked:]
    assert len(new) == library.counts.rewritten == 1, "a sixth of the reports"
    assert "Aaron Adler" in new[0].turn
    after = library.reports
    unchanged = before.keys() & after.keys()
    assert len(unchanged) == len(FAMILIES) - 1
    assert {name: before[name][0] for name in unchanged} == {
        name: after[name][0] for name in unchanged
    }
    moved = [name for name in unchanged if before[name][1] != after[name][1]]
    assert moved, "the same reports cite other rows"
    assert_titles_are_cited(library)


def assert_titles_are_cited(library: Families) -> None:
    """Each report is named after a person in the first sentence that it shows, which it cites."""
    with library.open() as index:
        communities, elements = index.reader("communities"), elements_of(index)
        for report in communities.reports.values():
            [(_, quote)] = elements.quotes(report.findings[0].elements)
            assert report.title in quote


def test_a_removed_document_leaves_the_other_reports(tmp_path: Path) -> None:
    library = Families(tmp_path / "index")
    library.build(families())
    asked = len(library.chat.requests)
    library.build(families()[1:])
    assert len(library.chat.requests) == asked + 1
    library.build(families())
    assert len(library.chat.requests) == asked + 1, "the store keeps the reports of two builds"


def about(library: Families, family: str, since: int = 0) -> list[str]:
    """Prompts about a family."""
    turns = [request.turn for request in library.chat.requests[since:]]
    return [turn for turn in turns if family in turn]


@pytest.mark.usefixtures("small_window")
def test_a_higher_community_shows_reports_of_its_parts(tmp_path: Path) -> None:
    library = Families(tmp_path / "index", max_size=3)
    library.build(families())
    *parts, whole = about(library, "Adler")
    assert len(parts) == 4 and "Report: " not in "".join(parts)
    assert "Report: Clara Adler. A family.\n- They met: So it is. [S5]" in whole, whole
    assert whole.count("Report: ") == 1, "it fits with the report of the largest part"
    lines = whole[: whole.index("Report: ")].splitlines()
    assert lines[:2] == ["Sentences:", "S1 It was Anna Adler who met Boris Adler on day 0."]
    with library.open() as index:
        communities, elements = index.reader("communities"), elements_of(index)
        graph = elements.graph
        [root] = [each for each in communities.at(0) if "Adler" in graph.label(each.entities[0])]
        parts = {name: communities.report(name) for name in root.children}
        shown = material_of(root, elements, Limits(100, 8), parts)
        assert whole.startswith(shown.text)
        [(_, quote)] = elements.quotes([shown.ids["S5"]])
        assert "Clara Adler" in quote, "an element of the report"


@pytest.mark.usefixtures("small_window")
def test_a_new_report_of_a_part_changes_what_is_above_it(tmp_path: Path) -> None:
    library = Families(tmp_path / "index", max_size=3)
    library.build(families())
    asked = len(library.chat.requests)
    library.chat.answers = lambda *given: answer(*given) | {"summary": "Another family."}
    again = Document("adler-9", "", "It was Clara Adler who met David Adler on day 9.")
    library.add(again)
    *parts, whole = about(library, "Adler", asked)
    assert len(parts) + 1 == len(library.chat.requests) - asked, "no other family"
    assert "day 9" in "".join(parts) and "Another family." not in "".join(parts)
    assert "Another family." in whole


def test_an_entity_without_relationships_costs_no_call(tmp_path: Path) -> None:
    library = Families(tmp_path / "index")
    library.build([*families(), Document("z", "", "Nobody knows Zanzibar.")])
    assert len(library.chat.requests) == len(FAMILIES)
    assert library.reports["Zanzibar"] == ("Zanzibar", "Nobody knows Zanzibar.")
    assert (library.counts.written, library.counts.missing) == (len(FAMILIES) + 1, 0)


def test_a_report_that_failed_is_missing_and_counted(tmp_path: Path) -> None:
    """One of six at level 0 would be too many, but it is one of 30 in all."""
    library = Families(tmp_path / "index", max_size=3)
    library.chat.answers = lambda name, messages: (
        GARBAGE if "S9 It was Emil Fuchs" in messages[-1]["content"] else answer(name, messages)
    )
    library.build(families(), writing={"max_failure_rate": 0.1})
    counts = library.counts
    assert (counts.written, counts.failed, counts.missing) == (ALL - 1, 1, 0)
    with library.open() as index:
        reports = [index.reader("communities").report(f"0-{number}") for number in range(6)]
    assert sum(report is None for report in reports) == 1


def test_an_estimate_asks_about_a_few_communities(tmp_path: Path) -> None:
    library = Families(tmp_path / "index", max_size=3)
    assert "known when the entity graph is built" in library.estimate(families())[1].basis
    library.build(families(), communities={"reports": "on-demand", "max_size": 3})
    assert not library.chat.requests
    _, estimate = library.estimate(families())
    assert len(library.chat.requests) == estimate.spent_calls == 4
    assert (estimate.details["unwritten"], estimate.model_calls) == (ALL, ALL - 4)


# On demand


def test_a_question_has_a_report_written_once(tmp_path: Path) -> None:
    library = Families(tmp_path / "index", reports="on-demand", max_size=3)
    library.build(families())
    assert not library.chat.requests
    settings = library.context(index=str(library.directory))
    with Resources() as resources, library.open() as index:

        def ask(name: str, run: str) -> object:
            call = Run(run, settings, resources).call
            return wait(report_of(index, name, settings, call))

        first = ask("0-0", "first")
        assert ask("0-0", "second") == first
        assert len(library.chat.requests) == 1, "the ledger answers the second time"
        communities = index.reader("communities")
        limits = Limits(tokens=8000, findings=8)
        shown = material_of(communities.community("0-0"), elements_of(index), limits)
        values = report_values(shown.text, 8)
        assert library.chat.requests[0].turn.startswith(values["material"])
        assert first.community == "0-0" and first.findings[0].elements[0] == shown.ids["S1"]


def test_a_written_report_is_not_written_by_a_question(tmp_path: Path) -> None:
    library = Families(tmp_path / "index")
    library.build(families())
    with library.open() as index:
        report = wait(report_of(index, "0-0", library.context(), None))  # type: ignore[arg-type]
        assert report == index.reader("communities").report("0-0")
