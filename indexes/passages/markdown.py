"""The structure of a Markdown text: sections, tables, and the text between them.

markdown-it reads a stretch at a time, so a long text need not be in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

from hopyard.indexes.corpus.long_text import stretches_of
from hopyard.indexes.corpus.records import PAGE_END, place_in
from hopyard.state.references import SECTION_MARK

_LONGEST_HEADING: Final = 120
"""Characters of a heading in a section's name."""
_UNDERLINED: Final = 2
"""Lines of an underlined heading. CommonMark makes one of a whole paragraph, too; more often that
is text above a line that separates."""

_inline: Final = MarkdownIt("commonmark")


def _ends_table(state: StateBlock, line: int, _: int, silent: bool) -> bool:
    """A line without a column is no row, whereas CommonMark's tables end at an empty line."""
    return silent and "|" not in state.src[state.bMarks[line] : state.eMarks[line]]


def _made_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    # A list or a quotation would swallow a table right below it.
    parser.disable(["inline", "html_block", "reference", "list", "blockquote"])

    # A table ends where a rule that ends quotations says so.
    parser.block.ruler.after("table", "ends_table", _ends_table, {"alt": ["blockquote"]})
    return parser


_blocks: Final = _made_parser()
_DELIMITER: Final = re.compile(r"(?=.*-)(?=.*\|)[ \t|:-]+")


class Row(NamedTuple):
    """A line, and where it begins in the text."""

    start: int
    text: str
    before: str = ""
    """The ends of pages before it."""
    after: str = ""
    """Its end: a line feed, or ends of pages with a line feed."""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class Block(NamedTuple):
    """A table, or text up to the next table or heading. A long table or text is several blocks."""

    section: str
    """The headings above it, as in `Travel › Flights`."""
    start: int
    """Where it begins in the text."""
    text: str
    """As it is in the document; "" for a table."""
    header: str = ""
    """Header and delimiter row of a table, which each of its passages repeats; "" for text."""
    rows: Sequence[Row] = ()
    """The other rows of a table."""
    continued: bool = False
    """Whether these rows of a table follow those of the block before."""
    heading: bool = False
    """Whether it is a heading that has nothing below it, and so no section of its own."""


class _Heading(NamedTuple):
    level: int
    start: int
    text: str

    @property
    def name(self) -> str:
        """The heading without marks."""
        tokens = _inline.parseInline(self.text)[0].children or []
        words = " ".join("".join(token.content for token in tokens).split()) or self.text
        return words if len(words) <= _LONGEST_HEADING else f"{words[:_LONGEST_HEADING].rstrip()}…"


def blocks_of(stretches: Iterable[str], title: str = "") -> Iterator[Block]:
    """Cut a Markdown text at headings and around tables.

    A heading is in the section of its blocks, and in no block. Only a heading that has nothing
    below it is a block itself: of the section that follows, or at the end of the one before.

    Args:
        stretches: Markdown, in which form feeds may end pages. The text may come in parts, which
            end where lines do (`stretches_of`).
        title: The document's title. Sections do not repeat it.
    """
    path: list[_Heading] = []
    section = before = ""
    alone: list[Block] = []
    bare = False  # the last heading has nothing below it so far
    for part in _parts(stretches):
        if isinstance(part, Block):
            yield from (_moved(heading, section) for heading in alone)
            yield part._replace(section=section)
            alone, bare, before = [], False, section
            continue
        if bare and part.level <= path[-1].level:
            alone.append(Block(section, path[-1].start, section or path[-1].text, heading=True))
        path = [*(above for above in path if above.level < part.level), part]
        names = [heading.name for heading in path]
        section = place_in(*(names[1:] if names[0] == title else names))
        bare = True
    if bare:
        alone.append(Block(section, path[-1].start, section or path[-1].text, heading=True))
    yield from (_moved(heading, before) for heading in alone)


def _moved(heading: Block, section: str) -> Block:
    """A heading as text of a section, with the headings above it that the section lacks."""
    names = heading.text.split(SECTION_MARK)
    pairs = zip(names[:-1], section.split(SECTION_MARK), strict=False)
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return heading._replace(section=section, text=place_in(*names[shared:]))


def first_heading(text: str) -> str:
    """The first heading of a Markdown text, without marks; "" if it has none."""
    headings = (part.name for part in _parts(stretches_of(text)) if isinstance(part, _Heading))
    return next(headings, "")


def table_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows as the lines of a Markdown table; the first is its header."""
    for number, row in enumerate(rows):
        yield f"| {' | '.join(map(escape_cell, row))} |"
        if not number:
            yield f"|{'---|' * len(row)}"


def escape_cell(text: str) -> str:
    """A cell's text on one line, without a mark that would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")


def _parts(stretches: Iterable[str]) -> Iterator[_Heading | Block]:
    """Headings, and blocks without their section."""
    start = 0
    open_lines: list[str] = []
    for stretch in stretches:
        lines = list(_lines(stretch, start))
        start += len(stretch)
        source = [*open_lines, *_readable(lines)]
        tokens = _blocks.parse("\n".join([*source, ""]))
        yield from _parts_of(tokens, lines, open_lines)
        open_lines = _open_lines(tokens, source)


def _parts_of(
    tokens: Sequence[Token], lines: Sequence[Row], open_lines: Sequence[str]
) -> Iterator[_Heading | Block]:
    """The parts of a stretch.

    Args:
        tokens: The tokens that markdown-it read.
        open_lines: Lines that markdown-it read before them, from `_open_lines`.
    """
    done = 0
    for token, content in pairwise(tokens):
        first, end = (max(0, place - len(open_lines)) for place in token.map or (0, 0))
        if token.type == "heading_open" and _is_heading(token, content, lines[done:first]):
            yield from _text(lines[done:first])
            line = lines[first]
            yield _Heading(
                int(token.tag[1:]), line.start + line.text.find(content.content), content.content
            )
            done = end
        elif token.type == "table_open":
            yield from _text(lines[done:first])
            continued = not token.map or token.map[0] < len(open_lines)
            header = open_lines if continued else [line.text for line in lines[first : first + 2]]
            rows = lines[first if continued else first + len(header) : end]
            if rows or not continued:
                head = "\n".join(line.strip() for line in header)
                yield Block("", lines[first].start, "", head, rows, continued)
            done = end
    yield from _text(lines[done:])


def _readable(lines: Sequence[Row]) -> Iterator[str]:
    """The lines for markdown-it. A table may be indented, and its delimiter row too short or long.

    markdown-it takes it for text then, and its passages would have no header.
    """
    above = ""
    for line in lines:
        text = line.text.replace("\r", " ")
        if "|" in above and _DELIMITER.fullmatch(text):
            text = "|" + "---|" * len(escapedSplit(above.strip().strip("|")))
        above = text.lstrip() if text.lstrip().startswith("|") else text
        yield above


def _is_heading(token: Token, content: Token, above: Sequence[Row]) -> bool:
    """Whether a heading has words and, if it is underlined, stands alone."""
    if token.markup[0] == "#":
        return bool(content.content)
    begin, end = token.map or (0, 0)
    stands_alone = end - begin == _UNDERLINED and not (above and above[-1].text.strip())
    return stands_alone and not content.content.startswith(("- ", "* ", "+ ", "> "))


def _open_lines(tokens: Sequence[Token], source: Sequence[str]) -> list[str]:
    """The lines that open the fence or table in which a stretch ends."""
    for token in tokens:
        if token.map and token.map[1] == len(source):
            if token.type == "table_open":
                return list(source[token.map[0] : token.map[0] + 2])
            if token.type == "fence" and not source[-1].strip().startswith(token.markup):
                return [token.markup]
    return []


def _text(lines: Sequence[Row]) -> Iterator[Block]:
    """Lines as a block, if they say anything."""
    if any(line.text.strip() for line in lines):
        text = "".join(part for line in lines for part in (line.before, line.text, line.after))
        yield Block("", lines[0].start - len(lines[0].before), text)


def _lines(stretch: str, passed: int) -> Iterator[Row]:
    start = 0
    while start < len(stretch):
        end = stretch.find("\n", start) + 1 or len(stretch)
        line = stretch[start:end]
        # The ends of pages are not part of a line; those that begin a line come before it.
        after = line.lstrip(PAGE_END)
        before = line[: len(line) - len(after)]
        text = after.removesuffix("\n").rstrip(PAGE_END)
        yield Row(passed + start + len(before), text, before, after[len(text) :])
        start = end
