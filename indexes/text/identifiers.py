"""Identifiers: clause numbers, addresses, dates, part numbers, and labels such as `Appendix C`.

A word index cuts `4.2.1` into 4, 2 and 1, which `1.2.4` has too. So an identifier is also a term as
a whole. Its parts remain words of their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from hopyard.indexes.text.english import FUNCTION_WORDS
from hopyard.state.text.dates import iso_date


class Identifier(NamedTuple):
    """An identifier in a text."""

    term: str
    """The same for all spellings: `PPR-9087` and `PPR 9087` are `ppr9087`."""
    certain: bool
    """Whether it names something. `3.5` may be a quantity, and `FY2018` is a year."""


_SPACE: Final = r"[ \t\u00a0]"
_CODE: Final = re.compile(
    r"(?<![\w.,/:-])(?=[\w.,:/-]*\d|[^\W_]+(?:#|\+\+|::))[^\W_]+(?:(?:::|[.,:/_-])[^\W_]+)*"
    rf"(?:{_SPACE}?\([^\W_]{{1,4}}\))*(?:#|\+\+)?(?![^\W_])"
)
"""Letters and digits joined by signs, with paragraphs in brackets: `10.0.3.17`, `12 (3)`, `C#`."""
_SIGNED: Final = re.compile(r"(?<![\w.,/:-])(?:[A-Z][A-Za-z]{0,2}[+\u2212-]|\.[A-Z]{2,})(?![\w+-])")
"""Letters that only a sign tells from others: `A+`, `AA-`, `Na+`, `.NET`."""
_LABELLED: Final = re.compile(
    rf"(?<![^\W_])([^\W\d_]{{2,}})\.?{_SPACE}+(?:[Nn][or]\.?{_SPACE}*)?"
    r"(\d{1,6}[A-Za-z]?|\d+\.\d+|[A-Z]\d{0,3}(?:[+-](?![\w+-]))?|[IVXLC]+[.-][A-Z])"
    r"(?![^\W_]|[.,:/%’'&-][^\W_])(?!\s?[%&])"
    rf"(?:{_SPACE}([a-z])(?![^\W_]))?"
)
"""A word and a number or letter: `clause 12`, `clause 4.2`, `Appendix C`, `Annex IV-B`."""
_DATE: Final = re.compile(
    r"(?<![A-Za-z\d])(?:\d{1,2}(?:st|nd|rd|th|º|\.)?\s(?:de |of )?"
    r"[^\W\d_]{3,}\.?,?\s(?:del? )?\d{4}"
    r"|[^\W\d_]{3,}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4}"
    r"|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|\d{1,2}/\d{1,2}/\d{4}"
    r"|\d{4}[/.]\d{1,2}[/.]\d{1,2}|\d{4}[年년]\s?\d{1,2}[月월]\s?\d{1,2}[日일])(?!\d)"
)
_IN_GROUPS: Final = re.compile(
    r"(?<!\w)(?:\+\d[\d ()/-]{5,}\d|[A-Z]{2}\d\d(?: [A-Z\d]{4}){2,}(?: [A-Z\d]{1,3})?)(?!\w)"
)
"""Telephone and account numbers, however they are spaced."""
_WITHOUT: Final = re.compile(
    r"(?<!\d)\d+(?:\.\d+){3}(?=[/:])|\A(?=[^/]*::)[^/]+(?=/)|(?<=v)\d+\..+"
    r"|(?<=[a-z]{3})\d{1,2}(?:[.-]\d{1,3})+\Z"
)
"""An address without its port or mask, a version without its `v`, and `Table1-2` without its
word."""
_DASH: Final = re.compile(r"(?<=\w)[\u2010-\u2013\u2212](?=\w)")
_TIMES: Final = re.compile(r"(?<=\d)\s?[x×]\s?(?=\d)")
_JOINED: Final = re.compile(
    r"(?<![\w&])(?:[A-Z]{1,3} ?& ?[A-Z]{1,3}|[^\W\d_]{1,3}&[^\W\d_]{1,3})(?![\w&])"
)
"""Letters joined by a sign, whose parts are no words: `AT&T`, `R & D`."""
_RAISED: Final = re.compile(r"(?<=\d)(?=[⁰¹²³⁴-⁹])")
_FOREIGN_DIGIT: Final = re.compile(r"[^\D0-9]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_QUANTITY: Final = re.compile(r"\d+(?:[.,/]\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_JOINTS: Final = re.compile(
    r"(?<=[^\W\d_])[-_/](?=\d)|(?<=\d)[-_/](?=[^\W\d_])|(?<=\d),(?=\d{3})|\s"
)
_BORDER: Final = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_WORD: Final = re.compile(r"[^\W_]+")
_PRONOUNS: Final = frozenset({"A", "I"})
_LEAST_DIGITS: Final = 3
"""Digits of a certain identifier that is a single word, such as `ZX812`."""


def normal(text: str) -> str:
    """The text with one form of each letter and digit: `ＡＢ１２` is `AB12`, `10⁶` is 10^6."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", _RAISED.sub("^", text))
    return _FOREIGN_DIGIT.sub(lambda digit: str(int(digit[0])), text)


def identifiers_in(text: str) -> Iterator[Identifier]:
    """The identifiers of a text. One may come several times.

    Examples:
        >>> [found.term for found in identifiers_in("Part PPR-9087: see clause 4.2 and 10.0.3.17")]
        ['ppr9087', '4.2', '10.0.3.17', 'clause 4.2']
    """
    text = _TIMES.sub("x", _DASH.sub("-", normal(text)))
    for found in _CODE.finditer(text):
        code = found[0]
        for form in (code, *_WITHOUT.findall(code.lower())):
            if not form.isdigit():
                yield Identifier(_JOINTS.sub("", form).lower(), _is_certain(form))
    for found in (*_JOINED.finditer(text), *_SIGNED.finditer(text)):
        yield Identifier(found[0].replace(" ", "").replace("\u2212", "-").lower(), certain=False)
    for found in _IN_GROUPS.finditer(text):
        yield Identifier(re.sub(r"\W", "", found[0]).lower(), certain=True)
    for found in _DATE.finditer(text):
        if day := iso_date(found[0]):
            yield Identifier(day, certain=False)  # many texts may be of one day
    for found in _LABELLED.finditer(text):
        word, label, letter = found.groups()
        if word.lower() in FUNCTION_WORDS or _YEAR.fullmatch(label):
            continue
        if label in _PRONOUNS and word.islower():
            continue
        yield Identifier(f"{word} {label}".lower(), certain=True)
        if letter:
            yield Identifier(f"{word} {label}{letter}".lower(), certain=True)
        if word.isupper():
            yield Identifier(f"{word}{label}".lower(), certain=True)


def _is_certain(code: str) -> bool:
    if _QUANTITY.fullmatch(code):
        return False
    words = _WORD.findall(code)
    if len(words) > 1 or not code.isalnum():
        return True
    digits = [part for part in _BORDER.split(code) if part.isdigit()]
    return any(len(part) >= _LEAST_DIGITS and not _YEAR.fullmatch(part) for part in digits)


def parts_of(text: str) -> Iterator[str]:
    """The parts of words of letters and digits, in small letters: `FY2018` gives fy and 2018.

    Single letters and digits are left out.
    """
    for word in _WORD.findall(text):
        if not (word.isalpha() or word.isdecimal()):
            parts = _BORDER.split(word.lower())
            if len(parts) > 1:
                yield from (part for part in parts if len(part) > 1)
