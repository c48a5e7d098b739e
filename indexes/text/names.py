"""Names in a text: people, places, works, terms and dates, found without a model.

A name is a run of capitalised words (see `proper_names.py`), a short quotation, a date or year, or
a term that the text abbreviates. Numbers other than years are no names. Korean has no capitals:
see `korean.py`. Chinese and Japanese names are found in quotation marks, in Latin letters and, for
Japanese, in katakana. All others are missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from hopyard.indexes.text.capitals import QUOTES, YEAR, quoted_spans
from hopyard.indexes.text.english import FUNCTION_WORDS
from hopyard.indexes.text.korean import korean_names
from hopyard.indexes.text.proper_names import Span, proper_names


class Name(NamedTuple):
    """A name and its place in a text."""

    start: int
    end: int
    text: str
    """As it is written: `text[start:end]` of the whole text."""


_MONTH: Final = (
    r"(?:Jan(?:uary|uar|\.)?|Feb(?:ruary|ruar|\.)?|Mar(?:ch|\.)?|März|Apr(?:il|\.)?|May|Mai|June?"
    r"|Juni|July?|Juli|Aug(?:ust|\.)?|Sept?(?:ember|\.)?|O[ck]t(?:ober|\.)?|Nov(?:ember|\.)?"
    r"|De[cz](?:ember|\.)?)"
)
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_COUNTED: Final = (
    r"\s?(?:%|percent|people|men|women|times|years|days|hours|dollars|euros|km|miles|metres|meters"
    r"|feet|ft|m|kg|tons|tonnes|acres|inhabitants|soldiers|troops|students|members)(?![a-z])"
)
"""Units behind a number that is no year."""
_DATE: Final = re.compile(
    rf"(?<![\w$€£.,#-])(?:"
    rf"{_DAY}\.?\s(?:of\s)?{_MONTH}(?!\w)(?:,?\s\d{{3,4}}(?!\w))?"
    rf"|{_MONTH}\s{_DAY}(?:,?\s\d{{4}})?(?![\w.,]\d|\w)"
    rf"|{_MONTH},?\s(?:of\s)?{YEAR}(?!\w)"
    rf"|{YEAR}-[01]\d-[0-3]\d(?!\d)"
    rf"|{YEAR}[-–]\d\d(?![\w-])"
    rf"|{YEAR}s?(?![\w%]|[.,]\d|-\w*[a-z]|{_COUNTED}))"
    rf"|(?<=\d[-–]){YEAR}(?!\w)"
    rf"|(?<!\d){YEAR}년(?:\s?\d{{1,2}}월(?:\s?\d{{1,2}}일)?)?"
    rf"|(?<!\d){YEAR}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?"
)
_ONLY_MONTH: Final = re.compile(_MONTH)
_SEASON: Final = re.compile(rf"{YEAR}(?:[-–]\d\d)?")
_EVENT: Final = re.compile(
    r" (?=[^\W\d_])[^,]*\b(?:Olympics|Paralympics|Games|Cup|Championships?|Tournament|Awards|Series"
    r"|Bowl|Season|Prix|Open|Classic|Playoffs|Draft|Convention|Elections?|Festival|Contest)"
)
"""Events that a year belongs to: `1998 FIFA World Cup`."""
_GOES_ON: Final = re.compile(r'" [^\W\d_a-z]')
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w.-]+")
_ABBREVIATED: Final = re.compile(r"(?<=\w )\(([A-Z][\w&-]*[A-Z][A-Z0-9]*)s?\)")
_BETWEEN_INITIALS: Final = r"[\w']*[\s-]+(?:(?:of|and|the|for|in|to|on)[\s-]+)?"
_QUALIFIER: Final = re.compile(
    r" \((?:[\w.'-]+ ){0,3}(?i:film|movie|album|song|single|novel|book|band|group|musician|singer"
    r"|actor|actress|politician|footballer|series|show|play|opera|poem|comics|magazine|newspaper"
    r"|character|planet|god|element|company|city|town|village|river|island|ship|disambiguation)\)"
)
"""Qualifiers of homonyms: `Mercury (planet)`."""
_TITLE_MARKS: Final = re.compile(
    r"《([^《》]{1,40})》|〈([^〈〉]{1,40})〉|[「『]([^「」『』]{1,40})[」』]"
)
_KOREAN_MARKS: Final = re.compile(rf"{_TITLE_MARKS.pattern}|(?<!\w)'([^']{{1,40}})'(?=[가-힣])")
"""A particle may follow the closing quote: `'기생충'은`."""
_KATAKANA: Final = re.compile(r"[ァ-ヺー]{3,}(?:[・＝][ァ-ヺー]+)*|[ァ-ヺー]+(?:[・＝][ァ-ヺー]+)+")
_EAST_ASIAN: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff。、]")
_LONGEST_KNOWN: Final = 100
"""Characters of a name that is looked for, at most."""


def names_in(text: str, language: str = "en") -> list[Name]:
    """All names in a text, in order; no two overlap.

    Args:
        text: A passage, a sentence or a question.
        language: A key of `LANGUAGES`. It decides which words count as names.
    """
    plain = text.translate(QUOTES)
    spans: list[Span] = []
    rest = plain

    def take(found: Iterable[Span]) -> None:
        nonlocal rest
        before = len(spans)
        spans.extend(found)
        rest = _without(rest, spans[before:])

    take(_quotations(rest, language))
    take(_defined_terms(rest))
    rest = _without(rest, [found.span() for found in _ADDRESS.finditer(rest)])
    take(found.span() for found in _DATE.finditer(rest))
    if language == "ko":
        take(korean_names(rest))
    elif language in {"ja", "zh"}:
        take(found.span() for found in _KATAKANA.finditer(rest))
        rest = _EAST_ASIAN.sub(",", rest)
    if language != "ko" and not plain.isupper():
        spans += proper_names(rest, language)
    return [Name(*span, text[slice(*span)]) for span in _joined(plain, sorted(spans))]


def add_known(text: str, names: Iterable[Name], known: Iterable[str]) -> list[Name]:
    """The names of a text, with known names wherever they occur, such as the title of the text.

    A known name takes the place of all shorter names that it overlaps.
    """
    plain, spans = text.translate(QUOTES), [(name.start, name.end) for name in names]
    for name in known:
        spans = _with_longer(spans, _occurrences(plain, name.translate(QUOTES)))
    return [Name(*span, text[slice(*span)]) for span in spans]


def is_date(name: str) -> bool:
    """Whether a name is a date, a month or a year, or has no letters."""
    if not any(letter.isalpha() for letter in name):
        return True
    return bool(_DATE.fullmatch(name) or _ONLY_MONTH.fullmatch(name))


def _without(text: str, spans: list[Span]) -> str:
    """The text with commas in place of some spans, so that all else keeps its place."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        pieces += text[done:start], "," * (end - max(start, done))
        done = max(done, end)
    return "".join([*pieces, text[done:]])


def _occurrences(text: str, name: str) -> list[Span]:
    """Where a name occurs as whole words. The case of its first letter may differ in a term."""
    if not 1 < len(name) <= _LONGEST_KNOWN or name.lower() in FUNCTION_WORDS:
        return []
    pattern = re.escape(name)
    if name[1:] == name[1:].lower() and name[0].isalpha():
        pattern = f"[{name[0].lower()}{name[0].upper()}]{re.escape(name[1:])}"
    # Particles follow a Korean name without a gap.
    after = r"(?![^\W가-힣])" if "가" <= name[-1] <= "힣" else r"(?!\w)"
    return [found.span() for found in re.finditer(rf"(?<!\w){pattern}{after}", text)]


def _quotations(text: str, language: str) -> Iterator[Span]:
    """Short quotations that hold a capital or a digit, where the language has capitals."""
    for start, end in quoted_spans(text):
        inner = text[start:end]
        begin = len(inner) - len(inner.lstrip())
        # Between two quotations: `"A" and "B"`.
        between = inner[:1].isspace() and inner[-1:].isspace()
        capital = inner != inner.lower() or language in {"ko", "ja", "zh"}
        if capital and not between and re.match(r"[\w(#$¿¡']", inner[begin:]):
            yield start + begin, start + len(inner.rstrip(" \n,.;:"))
    for found in (_TITLE_MARKS if language != "ko" else _KOREAN_MARKS).finditer(text):
        yield found.span(found.lastindex or 0)


def _defined_terms(text: str) -> Iterator[Span]:
    """Each term that an abbreviation in brackets follows, wherever it occurs."""
    for found in _ABBREVIATED.finditer(text):
        letters = [re.escape(letter) for letter in found[1] if letter.isalnum()]
        words = _BETWEEN_INITIALS.join(letters)
        before = text[max(0, found.start() - _LONGEST_KNOWN) : found.start() - 1]
        term = re.search(rf"(?<!\w){words}[\w']*\Z", before, re.IGNORECASE)
        if term and term.group() == term.group().lower():
            yield from _occurrences(text, term.group())


def _with_longer(spans: list[Span], others: list[Span]) -> list[Span]:
    """The first spans, with each other span in place of all shorter spans that overlap it."""
    for start, end in others:
        overlapping = [span for span in spans if span[0] < end and start < span[1]]
        if all(last - first < end - start for first, last in overlapping):
            spans = sorted([*(span for span in spans if span not in overlapping), (start, end)])
    return spans


def _joined(text: str, spans: list[Span]) -> Iterator[Span]:
    """Names that belong together as one: `Simon & Garfunkel`, `1998 FIFA World Cup`."""
    last: Span | None = None
    for start, end in spans:
        if last and start < last[1]:
            continue
        qualifier = _QUALIFIER.match(text, end)
        begin = start
        if last and _belongs(text, last, start, end):
            begin = last[0]
        elif last:
            yield last
        last = begin, qualifier.end() if qualifier else end
    if last:
        yield last


def _belongs(text: str, last: Span, start: int, end: int) -> bool:
    gap = text[last[1] : start]
    if gap == " & " or (gap == ", " and text[start:end] in {"Jr", "Sr", "Jr.", "Sr."}):
        return True
    if gap == " " and _SEASON.fullmatch(text, *last):
        return _EVENT.fullmatch(text, last[1], end) is not None
    # A nickname between names: Floyd "Nate" Hills.
    if gap == ' "':
        return " " not in text[start:end] and _GOES_ON.match(text, end) is not None
    return gap == '" ' and '"' in text[slice(*last)]
