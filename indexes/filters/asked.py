"""The filter that a question names itself: "according to The Verge", "published in November 2023".

It is recognised by rule. Sources and authors are values of the index that the question has letter
for letter; a date may be in any spelling that `iso_date` reads. Words around them are known in
English, German and French.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from hopyard.indexes.filters.allowed import has_field
from hopyard.indexes.text.capitals import begins_sentence
from hopyard.indexes.text.english import NOT_CONTENT
from hopyard.indexes.text.language import detect_language
from hopyard.indexes.text.year_limits import year_limits
from hopyard.state.references import file_name
from hopyard.state.text.dates import iso_date
from hopyard.state.where import Condition, condition_texts, day_of, folded

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
"""Values that one name, or a day without a year, may stand for."""
_A_DATE: Final = (
    r"\b(?:\d{4}-\d\d(?:-\d\d)?|(?:\d{1,2}(?:st|nd|rd|th|er|\.)? (?:of )?)?[^\W\d_]{3,9}\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?,?)? \d{4})\b(?!-\d)"
)
_DATE: Final = re.compile(_A_DATE)
_DAY: Final = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th|er|\.)? (?:of )?[^\W\d_]{3,9}"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?|\d{1,2}\.\s?\d{1,2}\.)(?!\w|,?\s?\d)"
)
"""A day without a year, if it is one."""
_LEAP_YEAR: Final = 2000
_SPAN: Final = re.compile(
    rf"{_A_DATE}\s*(?:to|until|till|through|bis|au|[-–])\s*(?:the |zum )?\d?\w"
)
_PUBLISHED: Final = r"published|posted|dated|veröffentlicht|publiée?s?"
_TEXT: Final = (
    r"(?:article|post|story|e-?mail|letter|memo|newsletter|minutes|meeting|artikel|brief|protokoll"
    r"|sitzung|lettre|réunion)s?"
)
"""A text that has a date."""
_ANY_TEXT: Final = rf"(?:{_TEXT}|(?:mail|report|paper|bericht|rapport)s?)"
"""Also one whose year may be what it is about."""
_DATED: Final = re.compile(rf"\b(?:{_PUBLISHED}|{_TEXT})\W+(?:\w+\W+){{0,3}}$", re.IGNORECASE)
"""Ends the text before a date of publication."""
_A_TEXT: Final = re.compile(rf"\W+{_TEXT}\b", re.IGNORECASE)
_YEAR: Final = re.compile(
    rf"\b(?:{_PUBLISHED}|{_TEXT}\W+(?:\w+\W+){{0,3}}(?:written|issued|released|sent)) "
    r"(?:in |during |im Jahr |en )?(?:the year )?((?:19|20)\d\d)\b(?!-\d)"
    rf"|\b{_TEXT} (?:of|from) ((?:19|20)\d\d)\b(?!-\d)"
    rf"|\b((?:19|20)\d\d) {_TEXT}\b",
    re.IGNORECASE,
)
"""The year of a text. Any other year says what the text is about: "the revenue in 2021"."""
_SAID: Final = (
    r"wrote|writes?|written|say|said|says|report(?:s|ed)?|argue[sd]?|claim(?:s|ed)?"
    r"|schrieb|schreibt|geschrieben|berichte(?:n|t|te)|meldete?|sagte?|gesagt"
    r"|(?:a )?écrit|(?:a )?dit"
)
_BY: Final = re.compile(
    rf"\b(?:by|author|autor(?:in)?|auteur|par|{_SAID}|{_ANY_TEXT} (?:from|of|von|de))\W+"
    r"(?:(?:\w\S*\s+){1,4}(?:and|or|und|oder|et|ou|&)\s+)?$",
    re.IGNORECASE,
)
"""Ends the text before an author. Any other person is one whom a text is about."""
_WROTE: Final = re.compile(rf"(?:['’]s?)?(?:\s+|-)(?:{_SAID}|{_ANY_TEXT})\b", re.IGNORECASE)
"""Begins the text after an author."""
_SOURCE: Final = re.compile(
    rf"(?:\b(?:according to|laut|gemäß|bei|in|selon|d['’]après)|{_ANY_TEXT} (?:in|on|im|aus|dans)"
    r"|\b(?:schrieb|schreibt|berichtete?|meldete?) (?:der|die|das))\W+(?:the\W+)?$",
    re.IGNORECASE,
)
"""Ends the text before a source that may be a common noun, as in "laut Spiegel"."""
_QUOTES: Final = "'\"’”“»«"
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


class Named(NamedTuple):
    """A value that a question names, and where. `sure`: it says that this is a text's own."""

    field: str
    value: str
    start: int
    sure: bool


def asked_conditions(
    fields: Fields, question: str, readable: PassageSet | None = None
) -> list[str]:
    """The conditions that a question names, as `--where` takes them: one of each field.

    Those come first of which the question says that they are a text's own: who said or wrote it,
    when it was published. A field has none if the question names a value of it with a "not" or the
    like, or a date as a limit. A day or month counts if the question also names a source or an
    author, or says that a text is of that day: any other date says what a text is about. So does a
    person of whom the question does not say that he or she wrote. A day without a year is that day
    of every year that the index has.

    Args:
        readable: The passages that the caller may read, whose values alone count; None for all.

    Examples:
        "Did Wired say so in November 2023?" has `source=Wired` and `date=2023-11`.
    """
    values = [each for each in _values(fields, question) if _is_held(fields, each, readable)]
    if has_field(fields, "date", readable):
        days = partial(_days_of_all_years, fields, readable)
        values += _dates(question, bool(values), days)
    named, refused = dict[str, list[Named]](), set[str]()
    for each in values:
        named.setdefault(each.field, []).append(each)
        before = question[: each.start]
        if _NOT.search(before) or (each.field == "date" and _LIMIT.search(before)):
            refused.add(each.field)
    surest = sorted(named.items(), key=lambda pair: not any(each.sure for each in pair[1]))
    meant = {
        field: [*dict.fromkeys(each.value for each in own)]
        for field, own in surest
        if field not in refused
    }
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
                if called and _is_whole(question, start, end):
                    sure = _is_told(question, start, end)
                    if sure or (field == "source" and _is_name(question, start, end)):
                        longest = [Named(field, each, start, sure) for each in called]
                        done = end
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


def _is_whole(question: str, start: int, end: int) -> bool:
    """Whether a name is whole, and no topic."""
    if _ABOUT.search(question[:start]):
        return False
    begun = _BEGUN.search(question[:start])
    part = begun and begun[1][0].isupper() and " " not in question[start:end]
    return not part or _BY.search(question[:start]) is not None


def _is_told(question: str, start: int, end: int) -> bool:
    """Whether the words around a name say that a text is by it, or in it."""
    before = question[:start]
    return bool(_BY.search(before) or _SOURCE.search(before) or _WROTE.match(question, end))


def _is_name(question: str, start: int, end: int) -> bool:
    """Whether a capital shows that a word is a name: not in German, nor where a sentence begins."""
    name = question[start:end]
    if name != name.capitalize() or not name.isalpha():
        return True
    if question[start - 1 : start] in _QUOTES and question[end : end + 1] in _QUOTES:
        return True
    return not begins_sentence(question, start) and detect_language([question]) != "de"


def _is_held(fields: Fields, named: Named, readable: PassageSet | None) -> bool:
    """Whether a passage that the caller may read has a value; those removed have none."""
    fits = fields.fit(Condition(named.field, "=", (named.value,)))
    return bool(np.any(fits if readable is None else fits & readable.mask))


def _dates(question: str, of_text: bool, all_years: Callable[[str], list[str]]) -> Iterator[Named]:
    """The days, months and years that a question has, if they are those of a text.

    Args:
        all_years: Gives the days of the index that a day without a year may be.
    """
    if any(year_limits(question)) or _SPAN.search(question):
        return
    for found in chain(_DATE.finditer(question), _DAY.finditer(question)):
        start, near = found.start(), _DATED.search(question[: found.start()])
        sure = bool(near or _A_TEXT.match(question, found.end()))
        if not (sure or of_text):
            continue
        days = [iso_date(found[0])] if found.re is _DATE else all_years(found[0])
        yield from (Named("date", day, start, sure) for day in days if day)
    for found in _YEAR.finditer(question):
        yield Named("date", next(filter(None, found.groups())), found.start(), sure=True)


def _days_of_all_years(fields: Fields, readable: PassageSet | None, written: str) -> list[str]:
    """The days of the index that a day without a year may be: none if they are very many."""
    joint = "" if written.endswith(".") else " "
    if not (day := iso_date(f"{written}{joint}{_LEAP_YEAR}")):
        return []
    known = {known for value in fields.values("date") if (known := day_of(value))}
    days = [each for each in sorted(known) if each[4:] == day[4:]]
    held = [each for each in days if _is_held(fields, Named("date", each, 0, True), readable)]
    return held if len(held) <= _MOST else []
