"""Where a Markdown text is cut: sections, tables, fences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.passages.markdown import blocks_of, first_heading, table_lines


def blocks(text: str, title: str = "") -> list[tuple[str, str]]:
    return [(each.section, each.text.strip()) for each in blocks_of([text], title)]


def test_headings_make_a_path_that_does_not_repeat_the_title() -> None:
    text = "intro\n# Handbook\n## Contacts\nCall.\n### Bremen\nJonas.\n## *Travel* [x](y)\nGo.\n"
    assert blocks(text, "Handbook") == [
        ("", "intro"),
        ("Contacts", "Call."),
        ("Contacts › Bremen", "Jonas."),
        ("Travel x", "Go."),
    ]
    assert blocks(text)[1][0] == "Handbook › Contacts"


def test_a_heading_with_nothing_below_it_is_text_of_a_section_beside_it() -> None:
    assert blocks("# A\n## B\n## C\ntext\n# D\n") == [
        ("A › C", "B"),
        ("A › C", "text"),
        ("A › C", "D"),
    ]
    assert blocks("# A\n## B\n# C\ntext\n") == [("C", "A › B"), ("C", "text")]
    assert blocks("# A\n## A\n# A\ntext\n") == [("A", "A"), ("A", "text")]
    assert blocks("# A\n# B\n") == [("", "A"), ("", "B")]


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


def test_each_part_of_a_long_text_or_table_has_its_section_and_header() -> None:
    parts = ["# A\na line\n\n", "more\n| a |\n|---|\n| 1 |\n", "| 2 |\n", "| 3 |\nend\n"]
    found = list(blocks_of(parts))
    assert {block.section for block in found} == {"A"}
    assert [block.text.strip() for block in found if not block.header] == ["a line", "more", "end"]
    tables = [block for block in found if block.header]
    assert [
        (block.header, block.continued, [row.text for row in block.rows]) for block in tables
    ] == [
        ("| a |\n|---|", False, ["| 1 |"]),
        ("| a |\n|---|", True, ["| 2 |"]),
        ("| a |\n|---|", True, ["| 3 |"]),
    ]
    text = "".join(parts)
    assert all(text[block.rows[0].start :].startswith(block.rows[0].text) for block in tables)


def test_a_fence_may_go_through_several_parts_of_a_text() -> None:
    parts = ["# A\n```\n# no\n\n", "\f# no\n| a |\n|---|\n", "# no\n```\n# B\nb\n"]
    found = list(blocks_of(parts))
    assert [block.section for block in found] == ["A", "A", "A", "B"]
    assert "".join(block.text for block in found) == "".join(parts).replace("# A\n", "").replace(
        "# B\n", ""
    )


def test_a_table_may_have_a_delimiter_row_of_another_length() -> None:
    [table] = blocks_of(["| a | b | c\\|d |\n|---|---|\n| 1 | 2 | 3 |\n"])
    assert (table.header, len(table.rows)) == ("| a | b | c\\|d |\n|---|---|", 1)


@pytest.mark.parametrize("above", ["- item", "> quoted", "text"])
def test_a_table_may_follow_or_be_part_of_a_list(above: str) -> None:
    for indent in ("", "    "):
        text = f"{above}\n{indent}| a | b |\n{indent}|---|---|\n{indent}| 1 | 2 |\n\n---\n"
        first, table, _ = blocks_of([text])
        assert (first.text, table.header) == (f"{above}\n", "| a | b |\n|---|---|")
        assert [text[row.start : row.end] for row in table.rows] == [f"{indent}| 1 | 2 |"]


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
    parts = [
        each.text or "\n".join([each.header, *(row.text for row in each.rows)]) for each in found
    ]
    ends = [0, *(each.start + len(part) for each, part in zip(found, parts, strict=True))]
    assert all(end <= each.start for end, each in zip(ends, found, strict=False))
    assert all(text[each.start :].startswith(each.text or each.header) for each in found)
    kept = "".join(parts)
    assert kept.count("text") == text.count("text")
    assert kept.count("|1|2|") == text.count("|1|2|")
