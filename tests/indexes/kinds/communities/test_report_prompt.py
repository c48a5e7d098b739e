"""The prompt of a report, and what is kept of a model's output."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from hopyard.indexes.kinds.communities.writing import Material, report_from, tokens_of, written_of
from hopyard.models.calls.parse import json_schema, parse
from hopyard.prompts.indexes.communities import FEW_FINDINGS, REPORT, CommunityReport, ReportFinding

# The prompt


def test_the_builtin_model_alone_is_held_to_a_few_short_findings() -> None:
    few = json_schema(REPORT.output)
    assert few["properties"]["findings"]["maxItems"] == FEW_FINDINGS
    free = REPORT.of("capable")
    assert "axItems" not in json.dumps(json_schema(free.output))
    assert (free.version, free.output.model_json_schema()["title"]) == (4, few["title"])
    assert "findings" in json_schema(free.output)["required"]


def test_the_examples_cite_lines_that_they_show() -> None:
    for example in REPORT.examples:
        lines = [line.split()[0] for line in example.values["material"].splitlines()]
        ids = {name: name for name in lines if not name.endswith(":")}
        kept = written_of(example.output, Material("", "", ids, {}, FEW_FINDINGS))
        assert (kept.unknown, kept.unsupported) == (0, 0)
        assert len(kept.findings) == len(example.output.findings) > 0


def test_an_output_that_is_cut_off_keeps_its_whole_findings() -> None:
    text = (
        '{"title": "A", "summary": "B", "rating": 7.5, "findings": [{"summary": "C", '
        '"explanation": "D [E1].", "elements": ["E1"]}, {"summary": "E", "expl'
    )
    found, _ = parse(text, CommunityReport)
    assert (found.rating, [finding.summary for finding in found.findings]) == (7.5, ["C"])


@pytest.mark.parametrize("rating", ["11", "-1", "null"])
def test_a_report_without_a_rating_from_0_to_10_does_not_count(rating: str) -> None:
    with pytest.raises(ValueError, match="rating"):
        parse(
            f'{{"title": "A", "summary": "B", "rating": {rating}, "findings": []}}', CommunityReport
        )


def test_a_recorded_report_names_the_dates_above_its_lines_and_repeats_nothing() -> None:
    """`report.json` has the prompt about the minutes of three meetings, and a model's reply."""
    recorded = json.loads(Path(__file__).with_name("report.json").read_text("utf-8"))
    prompt = REPORT.of("capable")
    assert recorded["system"].startswith(prompt.system)  # otherwise: record again
    ids = {name: name for name in re.findall(r"^[A-Z]\d+", recorded["prompt"], re.MULTILINE)}
    reply = CommunityReport(**recorded["reply"])
    findings = written_of(reply, Material("", "", ids, {}, 8)).findings
    assert len(findings) == len({finding.elements for finding in findings}) == 8
    assert all("2026" in f"{each.summary} {each.explanation}" for each in findings)


# From an output to a report

MATERIAL = Material(
    "1-4",
    "",
    {"E1": "E12", "E2": "E7", "R1": "R30"},
    {"E1": ["Alba"], "E2": ["Al"], "R1": ["Alba", "Al"]},
    2,
)


def output(*findings: tuple[str, str, list[str]]) -> CommunityReport:
    names = ("summary", "explanation", "elements")
    found = [ReportFinding(**dict(zip(names, each, strict=True))) for each in findings]
    return CommunityReport(title="A\ntitle", summary="B", rating=6, findings=found)


def test_elements_that_the_prompt_did_not_show_are_left_out_and_counted() -> None:
    written = written_of(output(("S", "He left [E1, E9]. She too [R8].", ["E1", "R1"])), MATERIAL)
    [finding] = written.findings
    assert finding.elements == ("E1", "R1")
    assert finding.explanation == "He left [E1]. She too."
    assert (written.title, written.unknown, written.unsupported) == ("A title", 2, 0)


def test_elements_are_taken_from_the_list_and_from_the_text() -> None:
    written = written_of(output(("S", "He left [R1].", ["[E1]", "E1; E2"])), MATERIAL)
    assert written.findings[0].elements == ("E1", "E2", "R1")


def test_a_finding_without_elements_rests_on_the_lines_whose_entities_it_names() -> None:
    written = written_of(
        output(("S", "ALBA left [E9].", []), ("S", "Alban left Albania.", ["X1"])), MATERIAL
    )
    assert [finding.elements for finding in written.findings] == [("E1",)]
    both = written_of(output(("Al", "Alba left.", [])), MATERIAL)
    assert both.findings[0].elements == ("E1", "E2", "R1")
    alone = replace(MATERIAL, names={"R1": ["Alba", "Al"]})
    one = written_of(output(("S", "Alba left.", [])), alone)
    assert one.findings[0].elements == ("R1",), "no line has only what it names"
    assert written.findings[0].explanation == "ALBA left."
    assert (written.unknown, written.unsupported) == (2, 1)


def test_findings_beyond_the_limit_are_left_out() -> None:
    assert len(written_of(output(*[("S", "x [E1]", [])] * 3), MATERIAL).findings) == 2


def test_a_kept_report_gets_the_rows_of_the_present_graph() -> None:
    written = written_of(output(("S", "He left [E1, R1].", ["E2"])), MATERIAL)
    report = report_from(written, MATERIAL)
    assert report.community == "1-4"
    assert report.findings[0].elements == ("E7", "E12", "R30")
    assert report.findings[0].explanation == "He left [E12, R30]."


def test_an_estimate_of_tokens() -> None:
    assert [tokens_of(text) for text in ("", "a", "abcd", "abcde", "서울")] == [0, 1, 1, 2, 2]
