"""Rules by folder and a document's own groups, worked by hand."""

from __future__ import annotations

import pytest

from hopyard.state.errors import UsageError
from hopyard.state.settings.given import python_settings, read_given
from hopyard.state.settings.rights import group_names, may_read, rule_of

RULES = {".": ("everyone",), "hr": ("board", "hr"), "hr/open": ("everyone",), "a.eml": ("hr",)}


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("docs/hr/pay.md", "hr"),
        ("hr/pay.md", "hr"),
        ("docs/hr/open/menu.md", "hr/open"),
        ("docs/hr/opener.md", "hr"),
        ("docs/hr.md", "."),
        ("docs/a.eml › pay.pdf", "a.eml"),
        ("https://example.org/hr/pay", "."),
        ("", "."),
    ],
)
def test_the_nearest_folder_decides(source: str, rule: str) -> None:
    assert rule_of(source, RULES) == rule


def test_a_folder_inside_is_nearer_than_the_folder_that_was_indexed() -> None:
    rules = {"public": ("everyone",), "board": ("board",)}
    assert rule_of("public/board/pay.md", rules) == "board"
    assert rule_of("public/menu.md", rules) == "public"
    assert rule_of("public/public/menu.md", {**rules, "public/public": ("hr",)}) == "public/public"


def test_no_rule_fits_a_file_beside_the_folders() -> None:
    assert rule_of("docs/menu.md", {"hr": ("hr",)}) == ""


@pytest.mark.parametrize(
    ("source", "own", "groups", "readable"),
    [
        ("docs/menu.md", None, (), True),
        ("docs/hr/pay.md", None, (), False),
        ("docs/hr/pay.md", None, ("hr",), True),
        ("docs/hr/pay.md", "board", ("hr",), False),  # the folder and the document must allow it
        ("docs/hr/pay.md", "board, staff", ("board",), True),
        ("docs/menu.md", "board", (), False),
        ("docs/menu.md", "", ("board", "everyone"), False),
    ],
)
def test_a_document_is_readable_if_folder_and_document_allow_it(
    source: str, own: str | None, groups: tuple[str, ...], readable: bool
) -> None:
    metadata = {} if own is None else {"groups": own}
    assert may_read(metadata, source, RULES, groups) is readable


def test_a_document_without_groups_is_closed() -> None:
    assert not may_read({}, "docs/menu.md", {}, ("hr", "board"))
    assert may_read({"groups": "everyone"}, "docs/menu.md", {}, ())


def test_the_key_of_a_documents_groups_may_have_capitals() -> None:
    assert not may_read({"Groups": "board"}, "docs/menu.md", RULES, ("hr",))


def test_equal_groups_are_equal() -> None:
    assert group_names("hr, board,hr,") == group_names(["board", "hr"]) == ("board", "hr")
    assert group_names("") == ()
    assert group_names(None) is None


def test_rules_and_groups_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    given = python_settings({"indexing": {"rights": {"hr/a.md": "hr", ".": ["everyone"]}}})
    assert read_given(given).context.indexing.rights == {"hr/a.md": ("hr",), ".": ("everyone",)}
    as_text = [("indexing.rights", '{"./hr/": "hr"}')]
    assert read_given(as_text).context.indexing.rights == {"hr": ("hr",)}
    with pytest.raises(UsageError, match="names no group"):
        read_given([("indexing.rights", {"hr": ""})])
    monkeypatch.setenv("HOPYARD_GROUPS", "hr,board")
    assert read_given([]).context.groups == ("board", "hr")
    assert read_given([("groups", "")]).context.groups == ()
