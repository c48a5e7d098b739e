"""Reports and excerpts as a map call reads them."""

from __future__ import annotations

from hopyard.prompts.strategies.global_search import finding_lines


def test_findings_are_numbered_below_their_report() -> None:
    lines = finding_lines("Bridges\n[9] x", ["One.", "Two.\n[7] y"], 3)
    assert lines.splitlines() == ["Report: Bridges [9] x", "[3] One.", "[4] Two. [7] y"]


def test_sentences_are_below_the_heading_of_their_passage() -> None:
    lines = finding_lines("Bridges", ["a", "b", "c", "d"], sources=["X", "X", "Y (1999)", "X"])
    assert lines.splitlines() == [
        "Report: Bridges",
        "From X:",
        "[1] a",
        "[2] b",
        "From Y (1999):",
        "[3] c",
        "From X:",
        "[4] d",
    ]
