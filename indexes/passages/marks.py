"""The place of a quote on the pages of its document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hopyard.indexes.corpus.boxes import Box, PageText, unpack_boxes, without_space
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.text.sentences import is_row, readable, sentence_spans
from hopyard.state.text.unicode import HYPHENS

_GAP: Final = 1.5
"""The gap between two words that are marked as one, in heights of the line, at most, on a page that
is as wide as it is high."""
_SHARED: Final = 0.5
"""The share of its height that a word has in common with its line, at least."""
_HYPHEN: Final = re.compile(rf"(?<=\S)[{HYPHENS}][^\S\n]*\n\s*(?=\w)")
_HEAD_LINES: Final = 2
"""Lines of a table's head in Markdown."""


class Mark(NamedTuple):
    """Rectangles to mark on a page."""

    page: int
    """From 1."""
    boxes: tuple[Box, ...]
    """One for each line, in the order of the text."""


def find_marks(corpus: Snapshot, passage: Passage, quote: str) -> list[Mark]:
    """Where a quote of a passage stands, by the index; see `marks_of`.

    Raises:
        IndexMissingError: The index cannot be read.
    """
    numbers = [int(page) for page in passage.pages.split("-") if page.isdecimal()]
    if not numbers:
        return []
    pages = corpus.pages(passage.document_id, numbers[0], numbers[-1])
    return marks_of(quote, passage.text, pages)


def marks_of(quote: str, passage: str, pages: Sequence[PageText]) -> list[Mark]:
    """Where a quote stands: the words of the passage's own occurrence, line by line.

    Args:
        quote: Words of the passage; or a row of a table as `readable` gives it.

    Returns:
        A mark for each page that the quote is on; none if a letter or digit of it has no place:
        a wrong mark, or a part of one, would mislead.
    """
    flats = [without_space(page.text) for page in pages]
    text = "".join(flats)
    start, end = _in_passage(quote, passage)
    for begin, length, place in _parts(passage, text):
        if begin <= start and end <= begin + length:
            shift = place - begin
            return list(_marked(text, start + shift, end + shift, zip(pages, flats, strict=True)))
    return []


def quoted_part(quote: str, passage: str) -> str:
    """The characters of a passage that a quote stands for, without white space; "" for none."""
    return without_space(passage)[slice(*_in_passage(quote, passage))]


def _in_passage(quote: str, passage: str) -> tuple[int, int]:
    """Where a quote is in the passage, without white space; an empty place if it is not there."""
    wanted, flat = without_space(quote), without_space(passage)
    start = flat.find(wanted)
    if start < 0 and wanted and (divided := _divided(passage)):
        kept = [at for at in range(len(flat)) if at not in divided]
        if (place := "".join([flat[at] for at in kept]).find(wanted)) >= 0:
            return kept[place], kept[place + len(wanted) - 1] + 1
    if start < 0:
        rows = (span for span in sentence_spans(passage) if is_row(passage, span[0]))
        for span in rows:
            if readable(passage, span) == quote:
                start = len(without_space(passage[: span[0]]))
                wanted = without_space(passage[slice(*span)])
                break
    return (start, start + len(wanted)) if start >= 0 and wanted else (-1, -1)


def _divided(passage: str) -> set[int]:
    """Where hyphens at ends of lines are, without white space."""
    ends = (found.start() for found in _HYPHEN.finditer(passage))
    return {len(without_space(passage[:end])) for end in ends}


def _parts(passage: str, text: str) -> Iterator[tuple[int, int, int]]:
    """Where parts of the passage begin, how long they are, and where the text has them.

    The text has the passage as a whole; or it has a heading between its paragraphs; or the passage
    has a part of a table below a copy of the table's head.
    """
    whole = without_space(passage)
    if (place := text.find(whole)) >= 0:
        yield 0, len(whole), place
        return
    begin = after = 0
    for paragraph in passage.split("\n\n"):
        flat = without_space(paragraph)
        place, head = text.find(flat, after), ""
        if place < 0 and paragraph.startswith("|"):
            head = without_space("".join(paragraph.splitlines()[:_HEAD_LINES]))
            place = text.find(flat[len(head) :], after)
            if (above := text.rfind(head, 0, max(place, 0))) >= 0:
                yield begin, len(head), above
        if place >= 0:
            after = place + len(flat) - len(head)
            yield begin + len(head), len(flat) - len(head), place
        begin += len(flat)


def _marked(
    text: str, start: int, end: int, pages: Iterable[tuple[PageText, str]]
) -> Iterator[Mark]:
    covered = [not character.isalnum() for character in text[start:end]]
    found: list[Mark] = []
    passed = 0
    for page, flat in pages:
        first, last = start - passed, end - passed
        passed += len(flat)
        if first >= len(flat) or last <= 0:
            continue
        words = unpack_boxes(page.boxes)
        inside = (words.starts < last) & (words.ends > first)
        for begin, close in zip(words.starts[inside], words.ends[inside], strict=True):
            for place in range(max(begin - first, 0), min(close - first, len(covered))):
                covered[place] = True
        found.append(Mark(page.number, tuple(_lines([*map(tuple, words.boxes[inside].tolist())]))))
    if all(covered):
        yield from (mark for mark in found if mark.boxes)


def _lines(boxes: Sequence[Box]) -> Iterator[Box]:
    """One box for the words of each line; cells of a table that are far apart stay apart."""
    line: Box | None = None
    for box in boxes:
        if line and _continues(line, box):
            line = (min(line[0], box[0]), min(line[1], box[1]),
                    max(line[2], box[2]), max(line[3], box[3]))  # fmt: skip
        else:
            if line:
                yield line
            line = box
    if line:
        yield line


def _continues(line: Box, box: Box) -> bool:
    height = min(line[3] - line[1], box[3] - box[1])
    shared = min(line[3], box[3]) - max(line[1], box[1])
    gap = max(box[0] - line[2], line[0] - box[2])
    return shared > _SHARED * height and gap < _GAP * height
