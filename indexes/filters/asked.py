"""The filter that a question names itself: "according to The Verge", "published in November 2023".

It is recognised by rule. Sources and authors are values of the index that the question has letter
for letter; a date may be in any spelling that `iso_date` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from hopyard.indexes.filters.allowed import has_field
from hopyard.indexes.text.year_limits import year_limits
from hopyard.state.text.dates import iso_date
from hopyard.state.where import Condition, condition_texts

if TYPE_CHECKING:
    from hopyard.indexes.arrays.passage_set import PassageSet
    from hopyard.indexes.filters.fields import Fields

__all__ = ("asked_conditions",)

_FIELDS: Final = ("source", "author")
"""A name that is a value of both is a source."""
_WORD: Final = re.compile(r"[^\W_]\w*")
_GOES_ON: Final = re.compile(r" [A-Z\d]")
_LONGEST: Final = 12
"""Words of a value."""
_DATE: Final = re.compile(
    r"\b(?:\d{4}-\d\d(?:-\d\d)?|(?:\d{1,2}(?:st|nd|rd|th|\.)? (?:of )?)?[^\W\d_]{3,9}\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?,?)? \d{4})\b(?!-\d)"
)
_PUBLISHED: Final = r"published|posted|dated|written|issued|released"
_TEXT: Final = r"article|post|story|e-?mail|letter|memo|newsletter|minutes"
_DATED: Final = re.compile(rf"\b(?:{_PUBLISHED}|(?:{_TEXT})s?)\b", re.IGNORECASE)
_YEAR: Final = re.compile(
    rf"\b(?:{_PUBLISHED}) (?:in |during )?(?:the year )?((?:19|20)\d\d)\b(?!-\d)"
    rf"|\b(?:{_TEXT})s? (?:of|from) ((?:19|20)\d\d)\b(?!-\d)"
    rf"|\b((?:19|20)\d\d) (?:{_TEXT})s?\b",
    re.IGNORECASE,
)
"""The year of a text. Any other year says what the text is about: "the revenue in 2021"."""
_NOT: Final = re.compile(
    r"\b(?:not?|nor|never|without|except|excluding|unlike|outside|other than)\W+(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)
"""Ends the text before a value that is not meant, as in "not from 2021"."""
_LIMIT: Final = re.compile(
    r"\b(?:before|after|since|until|till|between|prior to|up to|later than|earlier than)\W+"
    r"(?:\w+\W+)?$",
    re.IGNORECASE,
)
"""Ends the text before a date that is a limit, as in "before 2021"."""

Named = tuple[str, str, int]
"""A field, a value of it, and where the question names it."""


def asked_conditions(
    fields: Fields, question: str, readable: PassageSet | None = None
) -> list[str]:
    """The conditions that a question names, as `--where` takes them: one of each field.

    A field has none if the question names a value of it with a "not" or the like, or a date as a
    limit. A day or month counts if the question also names a source or an author, or says that a
    text was published: any other date says what a text is about.

    Args:
        readable: The passages that the caller may read, whose values alone count; None for all.

    Examples:
        "Did Wired say so in November 2023?" has `source=Wired` and `date=2023-11`.
    """
    named, refused = dict[str, dict[str, None]](), set[str]()
    values = [each for each in _values(fields, question) if _is_readable(fields, each, readable)]
    if (values or _DATED.search(question)) and has_field(fields, "date", readable):
        values += _dates(question)
    for field, value, start in values:
        named.setdefault(field, {})[value] = None
        before = question[:start]
        if _NOT.search(before) or (field == "date" and _LIMIT.search(before)):
            refused.add(field)
    meant = {field: [*values] for field, values in named.items() if field not in refused}
    return cast("list[str]", condition_texts(meant))


def _values(fields: Fields, question: str) -> Iterator[Named]:
    """The values that a question has letter for letter: the first and longest that overlap."""
    words, done = list(_WORD.finditer(question)), 0
    for place, word in enumerate(words):
        if word.start() < done or word[0].islower():
            continue
        longest: list[Named] = []
        for field in reversed(_FIELDS):
            for last in words[place : place + _LONGEST]:
                name = question[word.start() : last.end()]
                if not any(fields.begins(field, text) for text in (name, f"the {name}")):
                    break
                called = fields.called(field, name) or fields.called(field, f"the {name}")
                if called and last.end() >= done:
                    longest, done = [(field, each, word.start()) for each in called], last.end()
        # "Fortune" of "Fortune 500" is not the whole name.
        if longest and not _GOES_ON.match(question, done):
            yield from longest


def _is_readable(fields: Fields, named: Named, readable: PassageSet | None) -> bool:
    field, value, _ = named
    fits = readable is None or fields.fit(Condition(field, "=", (value,))) & readable.mask
    return bool(np.any(fits))


def _dates(question: str) -> Iterator[Named]:
    """The days, months and years that a question has."""
    if not any(year_limits(question)):
        for found in _DATE.finditer(question):
            if day := iso_date(found[0]):
                yield "date", day, found.start()
        for found in _YEAR.finditer(question):
            yield "date", next(filter(None, found.groups())), found.start()
