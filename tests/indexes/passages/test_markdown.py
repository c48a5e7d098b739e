"""Where a Markdown text is cut: sections, tables, fences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.passages.markdown import blocks_of, first_heading, table_lines


def blocks(text: str, title: str = "") -> list[tuple[str, str]]:
    return [(one.section, one.text.strip()) for one in blocks_of([text], title)]


def test_headings_make_a_path_that_does_not_repeat_the_title() -> None:
    text = "intro\n# Handbook\n## Contacts\nCall.\n### Bremen\nJonas.\n## *Travel* [x](y)\nGo.\n"
    assert blocks(text, "Handbook") == [
        ("", "intro"),
        ("Contacts", "Call."),
        ("Contacts › Bremen", "Jonas."),
        ("Travel x", "Go."),
    ]
    assert blocks(text)[1][0] == "Handbook › Contacts"


def test_a_heading_with_nothing_below_it_is_kept() -> None:
    assert blocks("# A\n## B\n## C\ntext\n# D\n") == [
        ("A › B", "B"),
        ("A › C", "text"),
        ("D", "D"),
    ]


def test_underlined_headings_follow_an_empty_line() -> None:
    assert blocks("Title\n=====\none\n\nPart\n---\ntwo\nnot a heading\n---\n") == [
        ("Title", "one"),
        ("Title › Part", "two\nnot a heading\n---"),
    ]


def test_what_is_in_a_fence_is_no_heading_and_no_table() -> None:
    text = "# A\n```sh\n# comment\n| a |\n|---|\n~~~\n# more\n```\nend\n# B\nb"
    assert blocks(text) == [
        ("A", "```sh\n# comment\n| a |\n|---|\n~~~\n# more\n```\nend"),
        ("B", "b"),
    ]


def test_a_table_is_a_block_with_its_rows() -> None:
    text = "before\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\nafter\n"
    before, table, after = blocks_of([text])
    assert (before.header, after.header) == ("", "")
    assert table.header == "| a | b |\n|---|:-:|"
    assert [row.text for row in table.rows] == ["| 1 | 2 |", "| 3 | 4 |"]
    assert all(text[row.start : row.end] == row.text for row in table.rows)
    assert text[after.start :] == after.text == "after\n"


def test_long_text_and_tables_are_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopyard.indexes.passages.markdown.STRETCH", 20)
    words, rows = "a line of words\n" * 4 + "\nend\n\n", "| row |\n" * 5
    text = f"# A\n{words}| a |\n|---|\n{rows}"
    found = list(blocks_of([text]))
    assert {one.section for one in found} == {"A"}
    assert "".join(one.text for one in found) == words
    tables = [one for one in found if one.header]
    assert [(one.header, one.continued, len(one.rows)) for one in tables] == [
        ("| a |\n|---|", False, 2),
        ("| a |\n|---|", True, 2),
        ("| a |\n|---|", True, 1),
    ]
    assert all(text[one.rows[0].start :].startswith("| row |") for one in tables)


def test_a_text_in_parts_has_the_blocks_of_the_whole() -> None:
    text = "# A\n\none\n\n\f## B\n```\n# no\n\n# no\n```\n| a |\n|---|\n| 1 |\n| 2 |\n"
    parts = [f"{line}\n" for line in text.split("\n")[:-1]]
    assert list(blocks_of(parts)) == list(blocks_of([text]))


def test_pages_end_within_lines_and_headings() -> None:
    text = "one\n\n\f# B\ntwo\n\n\f"
    assert blocks(text) == [("", "one"), ("B", "two")]
    assert text.index("two") == next(b.start for b in blocks_of([text]) if b.section == "B")


def test_the_first_heading() -> None:
    assert first_heading("x\n\nName of it\n---\n# Other") == "Name of it"
    assert first_heading("```\n# no\n```\n") == ""


def test_cells_stay_in_their_row() -> None:
    assert list(table_lines([["a|b", "c\nd"], ["1", ""]])) == [
        "| a\\|b | c d |",
        "|---|---|",
        "| 1 |  |",
    ]


LINES = st.sampled_from(["# A", "## B", "text", "", "|a|b|", "|-|-|", "|1|2|", "```", "\f"])


@given(st.lists(LINES))
def test_blocks_follow_each_other_and_lose_no_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = list(blocks_of([text]))
    parts = [one.text or "\n".join([one.header, *(row.text for row in one.rows)]) for one in found]
    ends = [0, *(one.start + len(part) for one, part in zip(found, parts, strict=True))]
    assert all(end <= one.start for end, one in zip(ends, found, strict=False))
    assert all(text[one.start :].startswith(one.text or one.header) for one in found)
    kept = "".join(parts)
    assert kept.count("text") == text.count("text")
    assert kept.count("|1|2|") == text.count("|1|2|")
