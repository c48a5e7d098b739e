"""The features of a text, and the sentences and rows of a passage with their surroundings."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.text.sentences import (
    cells_of_row,
    context_of_row,
    header_of_row,
    is_header,
    is_heading,
    is_item,
    is_row,
    sentence_spans,
)
from hopyard.nodes.support.measures import SCALES, UNITS
from hopyard.nodes.support.names import names_by_beginning
from hopyard.nodes.support.quantities import (
    CODE,
    MONTHS,
    SPACED,
    Date,
    Number,
    find_quantities,
    in_column,
    join,
    with_digits,
    with_joined_thousands,
)
from hopyard.nodes.support.words import content_words, language_of
from hopyard.state.references import file_name

Span = tuple[int, int]

SAMPLE: Final = 4000
"""Characters of a text that show its language."""
_WORD: Final = re.compile(r"\w+")
_PARTS: Final = re.compile(r"[:;,]\s+(?!(?:compared|versus|against|verglichen|gegenüber)\b)")
_FISCAL: Final = re.compile(r"\bFY ?(?=(?:19|20)\d\d\b)")
"""FY2022 is the year 2022, and no name."""
_QUARTER: Final = re.compile(
    r"\b([1-4]|first|erste[ns]?)(?:st|nd|rd|th|\.)? (?:fiscal )?quart(?:er|als?)\b", re.I
)
_YEAR_QUARTER: Final = re.compile(r"(?<=(?:19|20)\d\d)(?=Q[1-4](?![^\W_]))")
"""In "2024Q2"."""
_RACE: Final = re.compile(
    r"(?<![$€£\d.,])\b(\d{1,3})-?k(?=[ -](?:run|race|walk|course|fun|charity|lauf)\b)", re.I
)
"""A 10-K run is 10 km long, and no form 10-K."""
_JOINT: Final = re.compile(r"_(?!\d)|_(?=(?:19|20)\d\d(?!\d))")
"""Before a word or a year in the name of a file. The 10 of "ACME_2022_10-K" is no number."""
_THOUSAND: Final = 1000
_BETWEEN: Final = re.compile(r"[\s_]+")
_DIGIT: Final = re.compile(r"\d")
"""Of a file's name, identifiers, versions and dates count. A name, a year or a number there says
nothing of the statement: "Kim_2022.pdf" may hold what Lee did in 2021."""
_PER_UNIT: Final = re.compile(
    r"\b(?:per|pro|eps)\b|\b(?:ratios?|rate|multiples?|index|scores?|kennzahl|quote|verhältnis|taux)"
    r"(?=\s*(?:[|(,:;]|$|(?:of|to)\b))",
    re.IGNORECASE,
)
"""A row that is not in the millions of its table, as its caption says: "except per share". A tax
rate is none, but interest rate swaps are."""
_SCALE_OF_ROW: Final = re.compile(
    r"(?:\(|\bin )[^()\d]{0,80}(?:thousand|[mb]illion)s?\b", re.IGNORECASE
)
"""Of a row, but not "401(k) plan" or "gifts above one million"."""


@dataclass(frozen=True)
class Said:
    """The compared features of a text whose number words are digits."""

    plain: str

    @cached_property
    def words(self) -> frozenset[str]:
        """The content words as they are compared; numbers, units and months are none."""
        small = CODE.sub(lambda code: re.sub("[-/]", "", code[0]), self.plain).casefold()
        words = (word for word in _WORD.findall(small) if not word[0].isdecimal())
        rest = (word for word in words if not (word in UNITS or word in SCALES or word in MONTHS))
        return frozenset(
            part
            for part in content_words(" ".join(rest))
            if not part.isdecimal() and (len(part) > 1 or not part.isascii())
        )

    @cached_property
    def _quantities(self) -> tuple[tuple[Number, ...], tuple[Date, ...]]:
        return find_quantities(self.plain)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """Its numbers."""
        return self._quantities[0]

    @cached_property
    def readings(self) -> tuple[Number, ...]:
        """Its numbers, and before them those of "6 214", which may be one number or two."""
        joined = SPACED.sub(join, self.plain)
        own = () if joined == self.plain else find_quantities(joined)[0]
        return (*(each for each in own if each.value >= _THOUSAND), *self.numbers)

    @property
    def dates(self) -> tuple[Date, ...]:
        """Its dates."""
        return self._quantities[1]

    @cached_property
    def names(self) -> dict[str, set[str]]:
        """Its words that can be parts of names."""
        return names_by_beginning(self.plain)


@lru_cache(512)
def said(text: str, language: str = "en", apart: frozenset[str] = frozenset()) -> Said:
    """The features of a text. `apart` has runs such as "6 214" that are two numbers."""
    text = _RACE.sub(r"\1 km", with_joined_thousands(text, apart).replace("\n", " "))
    plain = _FISCAL.sub("fiscal ", unicodedata.normalize("NFKC", text))
    plain = with_digits(_YEAR_QUARTER.sub(" ", plain), language)
    return Said(_QUARTER.sub(_with_short_form, plain))


def _with_short_form(quarter: re.Match[str]) -> str:
    """A quarter as a report names it, "Q1 quarter", so that its number is none of the text."""
    return f"Q{quarter[1] if quarter[1].isdecimal() else 1} quarter"


@dataclass(frozen=True)
class Line:
    """A sentence, or a row of a table.

    Attributes:
        passage: Place of its passage among those that are compared.
        span: Where it is in the passage.
        own: Its own features.
        around: Features of its title, section and document, and of marks in its file's name; of a
            row also those of the header and of the sentence before the table.
        table: The header of its table; of a row without a header, and of an item, its kind.
        header: The header of each column of its row.
        cells: Features of each cell of a row, or of each clause.
        heading: Whether it is a heading.
    """

    passage: int
    span: Span
    own: Said
    around: Said
    table: tuple[object, ...] = ()
    header: tuple[str, ...] = ()
    cells: tuple[Said, ...] = ()
    heading: bool = False

    @property
    def asks(self) -> bool:
        """Whether it is a question, which states nothing."""
        return self.own.plain.rstrip(' *_"”').endswith(("?", "？"))

    @cached_property
    def columns(self) -> list[list[Number]]:
        """The numbers of each cell or part of an item; of a sentence, all in one."""
        if not self.table:
            return [list(self.own.readings)]
        names = [*self.header, *[""] * len(self.cells)]
        # "Cards (millions)" at the beginning of a row counts before the table's head.
        label = _SCALE_OF_ROW.search(self.cells[0].plain)
        lead = f"{label[0] if label else ''} {self.around.plain}"
        if _PER_UNIT.search(self.own.plain):
            lead = ""
        return [
            [
                replace(each, unscaled=False) if not lead or _PER_UNIT.search(name) else each
                for each in (in_column(number, name, lead) for number in cell.readings)
            ]
            for name, cell in zip(names, self.cells, strict=False)
        ]

    @property
    def numbers(self) -> list[Number]:
        """Its numbers; those of a row have the unit of their column."""
        return [number for column in self.columns for number in column]


def lines_of(
    passage: Passage, place: int = 0, apart: frozenset[str] = frozenset()
) -> tuple[Line, ...]:
    """The sentences and rows of a passage, in order. `apart` is that of `said`."""
    name = _BETWEEN.split(file_name(passage.source).rpartition(".")[0])
    told = (part for part in name if _DIGIT.search(part) and not part.isdigit())
    return _lines(
        passage.text, _JOINT.sub(" ", f"{passage.heading}, {' '.join(told)}"), place, apart
    )


@lru_cache(512)
def _lines(text: str, title: str, passage: int, apart: frozenset[str]) -> tuple[Line, ...]:
    language = language_of(text[:SAMPLE]) or "en"
    about = said(title, language)
    lines: list[Line] = []
    for start, end in sentence_spans(text):
        span, own = (start, end), said(text[start:end], language, apart)
        if not is_row(text, start):
            kind = (passage, "items") if is_item(text, start) else ()
            parts = tuple(said(part, language, apart) for part in _PARTS.split(own.plain))
            heading = is_heading(text, start)
            lines.append(Line(passage, span, own, about, kind, cells=parts, heading=heading))
        elif not is_header(text, span):
            around = said(f"{title} {context_of_row(text, start)}", language)
            header = tuple(header_of_row(text, start))
            cells = tuple(said(cell, language, apart) for cell in cells_of_row(text[start:end]))
            table = header or (passage, "table")
            lines.append(Line(passage, span, own, around, table, header, cells))
    return tuple(lines)
