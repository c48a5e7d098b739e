"""Pages that a question names: "on page 14", "the second page", "Seite 14", "第14页"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hopyard.indexes.text.identifiers import normal

_NUMBERS: Final = """one two three four five six seven eight nine ten eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen twenty"""
_CARDINALS: Final = _NUMBERS.split()
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_PAGE: Final = r"(?:page|seite|página|pagina|sida|strona|страниц[аеы])"
_OTHERS: Final = ("home", "web", "front", "landing", "main", "login", "start", "fan", "title")
_NOT_OTHERS: Final = "".join(rf"(?<!\b{word}[ -])" for word in _OTHERS)
"""Not before the page: a word that makes it one of the web, as in "the home page 2023"."""
_WHOLE: Final = r"(?![.,]?\d|\w|-[a-z]|%)"
_NAMED: Final = re.compile(
    rf"(?<![\w-]){_NOT_OTHERS}{_PAGE} (?:no\. ?)?"
    rf"(?:(\d{{1,4}}){_WHOLE}|({'|'.join(_CARDINALS)})\b)"
    rf"|\bp\. ?(\d{{1,4}}){_WHOLE}|\b({'|'.join(_ORDINALS)}) page\b"
    r"|(?<![共全で\d])(\d{1,4})\s?(?:页|頁|ページ|쪽|페이지)",
    re.IGNORECASE,
)


def page_terms(pages: str) -> Iterator[str]:
    """The terms of the pages that a passage is on, such as "3-5"."""
    first, _, last = pages.partition("-")
    if first.isdecimal() and (last or first).isdecimal():
        yield from (f"page_{number}" for number in range(int(first), int(last or first) + 1))


def pages_named(question: str) -> Iterator[str]:
    """The terms of the pages that a question names by their number in the file.

    Examples:
        >>> list(pages_named("What is on page thirteen, and what on the first page?"))
        ['page_13', 'page_1']
    """
    for found in _NAMED.finditer(normal(question)):
        number, cardinal, short, ordinal, asian = found.groups()
        if cardinal:
            yield f"page_{_CARDINALS.index(cardinal.lower()) + 1}"
        elif ordinal:
            yield f"page_{_ORDINALS.index(ordinal.lower()) + 1}"
        else:
            yield f"page_{int(number or short or asian)}"
