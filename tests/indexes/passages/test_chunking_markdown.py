"""Passages of Markdown: sections, tables cut between rows, pages."""

from __future__ import annotations

from collections.abc import Callable

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.passages.chunking import Chunker
from hopyard.indexes.passages.tokens import token_counter
from hopyard.models.embedder import Embedder

MakeEmbedder = Callable[..., Embedder]


def markdown(text: str, title: str = "T") -> Document:
    return Document("d", title, text, markup="markdown")


LONG = "The tide comes in twice. " * 12
"""A section that is not small."""


def test_a_passage_is_of_one_section_and_is_embedded_with_it(embedder: Embedder) -> None:
    text = "# T\nintro\n## Contacts\nCall Jonas.\n### Late\nCall Han.\n"
    passages = list(Chunker(embedder).split(markdown(text)))
    assert [(each.section, each.text) for each in passages] == [
        ("", "intro"),
        ("Contacts", "Call Jonas."),
        ("Contacts › Late", "Call Han."),
    ]
    assert passages[2].embedded_text == "T › Contacts › Late\nCall Han."
    assert passages[2].full_title == passages[2].heading == "T › Contacts › Late"


def test_small_sections_of_a_page_are_joined(make_embedder: MakeEmbedder) -> None:
    embedder = make_embedder(window=300)
    text = (
        "# Trips\nBy sea and land.\n## Ferry\nAt noon.\n## Bus\nAt one.\n### Stops\nQuay.\n"
        f"## Train\n{LONG}\n# Prices\nTen pounds.\n# Notes\nNone.\n\n\f"
    )
    passages = list(Chunker(embedder).split(markdown(text)))
    small = "By sea and land.\n\nFerry\n\nAt noon.\n\nBus\n\nAt one.\n\nBus › Stops\n\nQuay."
    assert [(each.section, each.text) for each in passages] == [
        (
            "Trips; Trips › Ferry; Trips › Bus; Trips › Bus › Stops; Trips › Train",
            f"{small}\n\nTrain\n\n{LONG.strip()}",
        ),
        ("Prices", "Ten pounds."),
        ("Notes", "None."),
    ]
    without = text.replace("By sea and land.\n", "")
    [first, *_] = Chunker(embedder).split(markdown(without))
    assert first.section == "Trips › Ferry; Bus; Bus › Stops; Train"
    assert [first.text[place:][:5] for place in (0, 7, 17)] == ["Ferry", "At no", "Bus\n\n"]
    apart = [each.section for each in Chunker(embedder).split(markdown(text.replace("\f", "")))]
    assert apart[:4] == ["Trips", "Trips › Ferry", "Trips › Bus", "Trips › Bus › Stops"]


def test_small_sections_are_joined_up_to_the_size_and_on_their_page(embedder: Embedder) -> None:
    sections = "".join(f"## Part {number}\nThe tide of day {number}.\n" for number in range(20))
    passages = list(Chunker(embedder, 40).split(markdown(f"# Tides\n{sections}\n\n\f")))
    assert all(each.tokens <= 40 for each in passages)
    assert 1 < len(passages) < 10
    text = "\n\n".join(each.text for each in passages)
    assert [f"Part {number}\n\nThe tide of day {number}." in text for number in range(20)] == (
        [True] * 20
    )
    paged = "# Tides\n## Ebb\nOne.\n## Flow\nTwo.\n\n\f## Neap\nThree.\n## Spring\nFour.\n\n\f"
    assert [(each.section, each.pages) for each in Chunker(embedder).split(markdown(paged))] == [
        ("Tides › Ebb; Flow", "1"),
        ("Tides › Neap; Spring", "2"),
    ]
    table = "# Tides\n## Ebb\nOne.\n## Flow\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\f"
    assert [each.section for each in Chunker(embedder).split(markdown(table))] == [
        "Tides › Ebb",
        "Tides › Flow",
    ]


def test_a_heading_never_is_a_passage_alone(embedder: Embedder) -> None:
    long = "The tide comes in twice. " * 30
    table = "| tea | kg |\n|---|---|\n" + "| green | 7 |\n" * 30
    text = f"# T\n## Part I\n## Sea\n{long}\n## Part II\n## Tea\n{table}\n## Notes\n"
    passages = list(Chunker(embedder, 40).split(markdown(text)))
    sea, tea = (next(each for each in passages if each.section == name) for name in ("Sea", "Tea"))
    assert sea.text.startswith("Part I\n\nThe tide")
    assert tea.text.startswith("Part II\n\n| tea | kg |\n|---|---|\n| green |")
    assert passages[-1].text.endswith("Notes")
    assert {each.section for each in passages} == {"Sea", "Tea"}
    assert all(each.tokens <= 40 for each in passages)


def test_plain_text_has_no_sections(embedder: Embedder) -> None:
    [passage] = Chunker(embedder).split(Document("d", "T", "# a comment\nx\n"))
    assert (passage.section, passage.text) == ("", "# a comment\nx")


def test_a_whole_document_keeps_its_headings(embedder: Embedder) -> None:
    [passage] = Chunker(embedder, 0).split(markdown("# A\nx\n# B\ny"))
    assert (passage.section, passage.text) == ("", "# A\nx\n# B\ny")


def test_each_part_of_a_table_has_its_header(embedder: Embedder) -> None:
    rows = [f"| tea {number} | {number} kg |" for number in range(12)]  # 7 tokens each
    table = "\n".join(["| name | stock |", "|---|---|", *rows])
    count = token_counter(embedder.tokenizer)

    passages = list(Chunker(embedder, 40).split(markdown(f"Stock of May.\n\n{table}\n\nEnd.")))

    first, *others = (each.text for each in passages if "tea" in each.text)
    parts = [first.removeprefix("Stock of May.\n\n"), *others]
    assert len(parts) > 2
    assert all(part.startswith("| name | stock |\n|---|---|\n| tea ") for part in parts)
    kept = [line for part in parts for line in part.splitlines() if line.startswith("| tea")]
    assert kept == rows
    assert all(each.tokens <= 40 for each in passages)
    assert passages[-1].text.endswith("End.")
    assert count(passages[-1].text) == passages[-1].tokens


def test_a_short_table_stays_with_the_text_around_it(embedder: Embedder) -> None:
    text = "Prices:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThey hold."
    [passage] = Chunker(embedder).split(markdown(text))
    assert passage.text == text


def test_rows_and_headers_that_are_too_long_are_cut(embedder: Embedder) -> None:
    long = "word " * 50
    chunker = Chunker(embedder, 20)
    rows = list(chunker.split(markdown(f"| a |\n|---|\n| {long}|\n| x |\n")))
    header = list(chunker.split(markdown(f"| {long}|\n|---|\n| x |\n")))
    for passages in (rows, header):
        assert sum(each.text.count("word") for each in passages) == 50
        assert sum(each.text.count("x") for each in passages) == 1
        assert all(each.tokens <= 20 for each in passages)


def test_sections_and_tables_know_their_pages(embedder: Embedder) -> None:
    text = (
        "# A\none\n\n\f# B\ntwo\n\n\fthree\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\f"
        "# C\n| c |\n|---|\n| 5 |\n\n\f"
    )
    passages = list(Chunker(embedder).split(markdown(text)))
    assert [(each.section, each.pages) for each in passages] == [
        ("A", "1"),
        ("B", "2-3"),
        ("C", "4"),
    ]


def test_a_section_that_leaves_no_room_loses_its_outer_parts(make_embedder: MakeEmbedder) -> None:
    long = " ".join(["word"] * 12)
    text = f"# {long}\n## {long}\n### Inner\nThe text that counts.\n"
    [passage] = Chunker(make_embedder(window=32)).split(markdown(text))
    assert passage.section.endswith("Inner")
    assert passage.section.count("word") < 24


def test_markup_changes_the_fingerprint(embedder: Embedder) -> None:
    chunker = Chunker(embedder)
    plain = Document("d", "T", "# A\nx")
    assert chunker.fingerprint(plain) != chunker.fingerprint(markdown("# A\nx"))
