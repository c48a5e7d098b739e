"""What a search result shows of a long passage."""

from __future__ import annotations

import pytest

from hopyard.indexes.passages.excerpt import excerpt

FILLER = "The tide rose and the pilots waited in the harbour office. " * 5
SWAN = "A swan sat on quay 3 and delayed the crane."
LONG = f"{FILLER}{SWAN} {FILLER}"
TABLE = "| City | Rate |\n|---|---|\n" + "\n".join(f"| City {n} | {n} |" for n in range(40))


@pytest.mark.parametrize("asked", ["swan", "Where did the swans sit?", "SWAN quay"])
def test_the_matching_sentence_comes_first(asked: str) -> None:
    shown = excerpt(LONG, asked)
    assert shown.startswith(f"… {SWAN} The tide rose")
    assert shown.endswith(" …")
    assert len(shown) <= 246


@pytest.mark.parametrize("asked", ["vacation", "", "the and in", "?"])
def test_without_a_shared_word_it_is_the_beginning(asked: str) -> None:
    assert excerpt(LONG, asked).startswith("The tide rose")


def test_a_short_passage_is_shown_whole() -> None:
    assert excerpt(f"One.\n\n{SWAN}", "swan") == f"One. {SWAN}"
    assert excerpt("", "swan") == ""


def test_a_row_stands_behind_its_header() -> None:
    assert excerpt(TABLE, "city 31").startswith("| City | Rate | … | City 31 | 31 |")
