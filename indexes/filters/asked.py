"""The filter that a question names itself: "according to The Verge", "published in November 2023".

It is recognised by rule. Sources and authors are values of the index that the question has letter
for letter; a date may be in any spelling that `iso_date` reads. Words around them are known in
English, German and French.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from hopyard.indexes.filters.allowed import has_field
from hopyard.indexes.text.english import NOT_CONTENT
from hopyard.indexes.text.year_limits import year_limits
from hopyard.state.references import file_name
from hopyard.state.text.dates import iso_date
from hopyard.state.where import Condition, condition_texts, folded

if TYPE_CHECKING:
    from hopyard.indexes.arrays.passage_set import PassageSet
    from hopyard.indexes.filters.fields import Fields

__all__ = ("asked_conditions",)

_FIELDS: Final = ("source", "author")
"""A name that is a value of both is a source."""
_WORD: Final = re.compile(r"[^\W_]\w*")
_GOES_ON: Final = re.compile(r" [A-Z\d]")
_BEGUN: Final = re.compile(r"[^\s.?!:]\s+([^\W\d_]\w*) $")
"""Ends the text before a word that may end a longer name, as "Washington " before "Post"."""
_LONGEST: Final = 12
"""Words of a value."""
_MOST: Final = 50
"""Values that one name may stand for."""
_A_DATE: Final = (
    r"\b(?:\d{4}-\d\d(?:-\d\d)?|(?:\d{1,2}(?:st|nd|rd|th|er|\.)? (?:of )?)?[^\W\d_]{3,9}\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?,?)? \d{4})\b(?!-\d)"
)
_DATE: Final = re.compile(_A_DATE)
_SPAN: Final = re.compile(
    rf"{_A_DATE}\s*(?:to|until|till|through|bis|au|[-–])\s*(?:the |zum )?\d?\w"
)
_PUBLISHED: Final = r"published|posted|dated|veröffentlicht|publiée?s?"
_TEXT: Final = r"article|post|story|e-?mail|letter|memo|newsletter|minutes"
_DATED: Final = re.compile(rf"\b(?:{_PUBLISHED}|(?:{_TEXT})s?)\W+(?:\w+\W+){{0,3}}$", re.IGNORECASE)
"""Ends the text before a date of publication."""
_A_TEXT: Final = re.compile(rf"\W+(?:{_TEXT})s?\b", re.IGNORECASE)
_YEAR: Final = re.compile(
    rf"\b(?:{_PUBLISHED}|(?:{_TEXT})s?\W+(?:\w+\W+){{0,3}}(?:written|issued|released|sent)) "
    r"(?:in |during |im Jahr |en )?(?:the year )?((?:19|20)\d\d)\b(?!-\d)"
    rf"|\b(?:{_TEXT})s? (?:of|from) ((?:19|20)\d\d)\b(?!-\d)"
    rf"|\b((?:19|20)\d\d) (?:{_TEXT})s?\b",
    re.IGNORECASE,
)
"""The year of a text. Any other year says what the text is about: "the revenue in 2021"."""
_SAID: Final = (
    r"wrote|writes?|written|say|said|says|report(?:s|ed)?|argue[sd]?|claim(?:s|ed)?"
    r"|schrieb|schreibt|geschrieben|sagte?|gesagt|(?:a )?écrit|(?:a )?dit"
)
_BY: Final = re.compile(
    rf"\b(?:by|author|autor(?:in)?|auteur|par|{_SAID}|(?:{_TEXT}|mail|report|paper|artikel|brief"
    r"|lettre)s? (?:from|of|von|de))\W+(?:(?:\w\S*\s+){1,4}(?:and|or|und|oder|et|ou|&)\s+)?$",
    re.IGNORECASE,
)
"""Ends the text before an author. Any other person is one whom a text is about."""
_WROTE: Final = re.compile(
    rf"(?:['’]s?)?\s+(?:{_SAID}|(?:{_TEXT}|mail|report|paper|artikel|brief)s?)\b", re.IGNORECASE
)
"""Begins the text after an author."""
_NOT: Final = re.compile(
    r"(?:n['’]t|\b(?:not?|nor|never|without|except|excluding|unlike|outside|besides|apart from"
    r"|other than|rather than|instead of|nicht|kein\w*|ohne|außer|ausser|pas|ni|non|sauf|sans|hors"
    r"|excepté))\W+(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)
"""Ends the text before a value that is not meant, as in "not from 2021"."""
_LIMIT: Final = re.compile(
    r"\b(?:before|after|since|until|till|between|prior to|up to|later than|earlier than"
    r"|vor|nach|seit|bis|zwischen|avant|après|depuis|entre|jusqu['’]au)\W+(?:\w+\W+)?$",
    re.IGNORECASE,
)
"""Ends the text before a date that is a limit, as in "before 2021"."""
_ABOUT: Final = re.compile(
    r"\b(?:about|regarding|concerning|über|concernant)\W+(?:(?:the|Dr|Mrs?|Ms)\W+)?$", re.IGNORECASE
)
"""Ends the text before a name that a text is about: its source or author is another."""

Named = tuple[str, str, int]
"""A field, a value of it, and where the question names it."""


def asked_conditions(
    fields: Fields, question: str, readable: PassageSet | None = None
) -> list[str]:
    """The conditions that a question names, as `--where` takes them: one of each field.

    A field has none if the question names a value of it with a "not" or the like, or a date as a
    limit. A day or month counts if the question also names a source or an author, or says that a
    text was published: any other date says what a text is about. So does a person of whom the
    question does not say that he or she wrote.

    Args:
        readable: The passages that the caller may read, whose values alone count; None for all.

    Examples:
        "Did Wired say so in November 2023?" has `source=Wired` and `date=2023-11`.
    """
    named, refused = dict[str, dict[str, None]](), set[str]()
    values = [each for each in _values(fields, question) if _is_held(fields, each, readable)]
    if (dates := [*_dates(question, bool(values))]) and has_field(fields, "date", readable):
        values += dates
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
        start = word.start()
        if start < done or word[0].islower():
            continue
        longest: list[Named] = []
        for field in reversed(_FIELDS):
            for last in words[place : place + _LONGEST]:
                end = last.end()
                name = question[start:end]
                if not any(fields.begins(field, text) for text in (name, f"the {name}")):
                    break
                called = _called(fields, field, name) if end >= done else []
                if called and _is_meant(field, question, start, end):
                    longest, done = [(field, each, start) for each in called], end
        # "Fortune" of "Fortune 500" is not the whole name.
        if longest and not _GOES_ON.match(question, done):
            yield from longest


def _called(fields: Fields, field: str, name: str) -> list[str]:
    """The values that a name stands for. A file has its whole name alone."""
    if len(name) == 1 or name.isdecimal():
        return []
    called = fields.called(field, name) or fields.called(field, f"the {name}")
    if name.lower() in NOT_CONTENT:  # "Who" is not the WHO
        called = [each for each in called if name in each]
    if field == "source":
        called = [each for each in called if folded(each) == folded(name) or not file_name(each)]
    return called if len(called) <= _MOST else []


def _is_meant(field: str, question: str, start: int, end: int) -> bool:
    """Whether a name is whole, no topic, and if it is an author's, of one who wrote."""
    if _ABOUT.search(question[:start]):
        return False
    by = _BY.search(question[:start])
    begun = _BEGUN.search(question[:start])
    if begun and begun[1][0].isupper() and " " not in question[start:end] and not by:
        return False
    return bool(field == "source" or by or _WROTE.match(question, end))


def _is_held(fields: Fields, named: Named, readable: PassageSet | None) -> bool:
    """Whether a passage that the caller may read has a value; those removed have none."""
    field, value, _ = named
    fits = fields.fit(Condition(field, "=", (value,)))
    return bool(np.any(fits if readable is None else fits & readable.mask))


def _dates(question: str, of_text: bool) -> Iterator[Named]:
    """The days, months and years that a question has, if they are those of a text."""
    if any(year_limits(question)) or _SPAN.search(question):
        return
    for found in _DATE.finditer(question):
        near = _DATED.search(question[: found.start()]) or _A_TEXT.match(question, found.end())
        if (of_text or near) and (day := iso_date(found[0])):
            yield "date", day, found.start()
    for found in _YEAR.finditer(question):
        yield "date", next(filter(None, found.groups())), found.start()
