"""Summaries by rule: the most central sentences."""

from __future__ import annotations

from hopyard.indexes.kinds.summary_tree.writing import Line, Material, summary_by_rule

FERRIES = (
    "The ferry to Nordby leaves at seven from the north pier.",
    "The ferry to Nordby leaves at seven from the old pier.",
    "The ferry to Sund leaves at nine from the north pier.",
    "Cats sleep in the harbour office all day long.",
)


def summary(*lines: Line) -> list[tuple[str, str]]:
    sentences = summary_by_rule(Material("#1-0", lines, 3500), "en")
    return [(each.passages[0], each.text) for each in sentences]


def test_central_sentences_come_first_and_are_not_repeated() -> None:
    long = Line("Office", " ".join(FERRIES[3:] * 20), ("office",))
    ferries = [Line("Ferries", text, (f"f{place}",)) for place, text in enumerate(FERRIES[:3])]
    chosen = summary(*ferries, long)
    assert [name for name, _ in chosen] == ["f0", "f2", "office"] or chosen[0][0] == "f0"
    assert ("f1", FERRIES[1]) not in chosen
    assert all(text in FERRIES for _, text in chosen)


def test_rows_and_headings_are_chosen_only_if_there_is_nothing_else() -> None:
    table = "# Fares\n\n| Port | Fare |\n|---|---|\n| Nordby | 12 euros for each grown person |"
    line = Line("Fares", table, ("fares",))
    assert summary(line)
    both = summary(line, Line("Ferries", FERRIES[0], ("ferry",)))
    assert both == [("ferry", FERRIES[0])]
    assert summary(Line("Only a title", "", ("empty",))) == [("empty", "Only a title")]
