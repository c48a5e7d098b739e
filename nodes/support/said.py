"""What a text says, as far as it can be compared: content words, names, numbers and dates."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from hopyard.nodes.support.measures import SCALES, UNITS
from hopyard.nodes.support.number_words import find_number_words, ordinal
from hopyard.nodes.support.quantities import CODE, MONTHS, Date, Number, find_quantities
from hopyard.nodes.support.words import cut, listed

__all__ = ("Entity", "Said", "entities_of", "said")

_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?]['\"”’)]*\s|\n)[\s\-*•|>#\"“„'(\d.]*$")
_JOINS: Final = re.compile(r"(?:[ \u00a0]|-|‑|\. | & )?")
_MOST_ENDING: Final = 3
"""Letters by which two forms of a name may differ: Hungary and Hungarian."""
_LEAST_STEM: Final = 4
_EMPTY: Final = frozenset(
    listed(
        "a an and are as at be been being both but by did do does for from had has have he her his "
        "how in into is it its of on or she that the their them they this those to was were what "
        "when where which who whom whose why will with would you your also not than then there "
        "mr ms mrs dr prof sir lord lady jr sr frau herr herrn these such only now about over "
        "under up out so if while after before during between among "
        "can could may might must shall should i we us our my me one all any some each other more "
        "most very just no nor yet already still however therefore thus according too per minus "
        "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren "
        "wird werden wurde wurden hat haben hatte hatten im in an am auf aus bei mit nach von vom "
        "vor zu zum zur für über unter durch um als wie auch nicht nur noch es er sie sich wer was "
        "wo wann dass daß weil wenn so also je sein seine ihr ihre man kann muss soll alle alles "
        "dieser diese dieses jeder jede jedes sonst dann dort hier mehr sehr beim ins "
        "total together sum altogether overall combined average less fewer insgesamt zusammen "
        "gesamt summe durchschnitt weniger largest highest lowest smallest fewest least longest "
        "shortest higher lower rose grew fell stieg sank höchste höchsten größte größten meisten "
        "kein keine keinen keiner nämlich innerhalb binnen müssen müsse "
        "günstigsten niedrigste niedrigsten yes ja nein"
    )
)
_WEEKDAYS: Final = frozenset(
    listed(
        "monday tuesday wednesday thursday friday saturday sunday "
        "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag"
    )
)
_LONG_NAME: Final = re.compile(r"[A-ZÄÖÜ]\w+(?: [A-ZÄÖÜ]\w+)+")
"""What may have an abbreviation of its first letters."""
_OPENINGS: Final = frozenset(listed("yes no none unknown there these both ja nein"))
_ARTICLE: Final = re.compile(
    r"\b(?:der|die|das|dem|den|des|im|am|zum|zur|ein|eine|einen)\s+$", re.I
)
_TITLED: Final = re.compile(r"\b(?:mr|ms|mrs|dr|prof|frau|herrn?)\.?\s+$", re.IGNORECASE)
_TITLES: Final = frozenset(listed("mr ms mrs dr prof sir lord lady jr sr frau herr herrn"))


_PEOPLES: Final = {
    name: frozenset(other for other in group.split() if other != name)
    for group in (
        "states america american us usa",
        "kingdom britain british uk england english",
        "france french",
        "netherlands holland dutch",
        "spain spanish",
        "poland polish",
        "denmark danish",
        "sweden swedish",
        "switzerland swiss",
        "greece greek",
        "turkey turkish",
        "ireland irish",
        "scotland scottish",
        "wales welsh",
        "finland finnish",
        "thailand thai",
        "frankreich französisch französische französischen",
        "deutschland deutsch deutsche deutschen",
    )
    for name in group.split()
}
"""Countries and words for what comes from them, where their beginnings differ."""


@dataclass(frozen=True)
class Entity:
    """A name: words with capitals that follow each other, or a code such as STS-2.

    Attributes:
        words: Its words in small letters.
        start: Where it begins.
        sure: Whether it is surely a name: in German every noun has a capital.
    """

    words: tuple[str, ...]
    start: int
    sure: bool = True

    def is_in(self, text: Said) -> bool:
        """Whether a text has the name: its last word, or at least half of its words."""
        found = [text.has_word(word) for word in self.words]
        coded = [any(letter.isdecimal() for letter in word) for word in self.words]
        if any(coded):
            return all(there for there, code in zip(found, coded, strict=True) if code)
        return found[-1] or 2 * sum(found) >= len(found)


@dataclass(frozen=True)
class Said:
    """The compared features of a text."""

    text: str

    @cached_property
    def plain(self) -> str:
        """The text in one normal form."""
        return unicodedata.normalize("NFKC", self.text)

    @cached_property
    def places(self) -> dict[str, int]:
        """The content words as they are compared, each with its first place."""
        plain = CODE.sub(lambda code: _bare(code[0]).ljust(len(code[0])), self.plain).casefold()
        places: dict[str, int] = {}
        for found in _WORD.finditer(plain):
            word = found[0].partition("'")[0].partition("’")[0]
            if word in _EMPTY or word in UNITS or word in SCALES or word in MONTHS:
                continue
            if word[0].isdecimal():
                continue
            for part in cut(word):
                if not part.isdecimal() and not (len(part) == 1 and part.isascii()):
                    places.setdefault(part, found.start())
        for _, start, end in find_number_words(plain):
            for part in cut(plain[start:end]):
                places.pop(part, None)
        return places

    @property
    def words(self) -> frozenset[str]:
        """The content words as they are compared."""
        return frozenset(self.places)

    @property
    def numbers(self) -> tuple[Number, ...]:
        """Its numbers."""
        return find_quantities(self.plain)[0]

    @property
    def dates(self) -> tuple[Date, ...]:
        """Its dates."""
        return find_quantities(self.plain)[1]

    @cached_property
    def values(self) -> frozenset[int]:
        """Whole numbers that it says in another way: the years of its dates, and ordinals."""
        ordinals = (ordinal(word) for word in _WORD.findall(self.plain.lower()))
        years = (date.year for date in self.dates)
        days = (date.day for date in self.dates)
        return frozenset(filter(None, (*years, *days, *ordinals)))

    def has_word(self, word: str) -> bool:
        """Whether it has a form of this word, which is in small letters."""
        return any(
            same_name(name, other)
            for name in (word, *_PEOPLES.get(word, ()))
            for other in self._by_beginning.get(name[:3], ())
        )

    def place_of(self, entity: Entity) -> int:
        """Where it has a name, or -1."""
        for found in _WORD.finditer(self.plain.casefold()):
            if same_name(entity.words[-1], _bare(found[0])):
                return found.start()
        return -1

    @cached_property
    def _by_beginning(self) -> dict[str, set[str]]:
        plain = self.plain.casefold()
        words = {_bare(word) for word in _WORD.findall(plain)} | set(_codes(plain))
        words |= {
            "".join(word[0] for word in name.split()).casefold()
            for name in _LONG_NAME.findall(self.plain)
        }
        found: dict[str, set[str]] = {}
        for word in words:
            found.setdefault(word[:3], set()).add(word)
        return found


@lru_cache(8192)
def said(text: str) -> Said:
    """What a text says."""
    return Said(text)


def same_name(one: str, other: str) -> bool:
    """Whether two words in small letters are forms of one name, as in `Bremen` and `Bremer`."""
    if one == other:
        return True
    if any(letter.isdecimal() for letter in one + other):
        return False
    stem = next(
        (place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )
    endings = max(len(one), len(other)) - stem
    if stem == min(len(one), len(other)) and stem >= 3:
        return endings <= _MOST_ENDING
    return stem >= _LEAST_STEM + 1 and endings <= _MOST_ENDING


def entities_of(
    text: str,
    is_known: Callable[[str], bool] = lambda _: False,
    *,
    german: bool = False,
    short: bool = False,
) -> list[Entity]:
    """The names in a text.

    Args:
        text: A statement or an answer.
        is_known: Whether a word, which is in small letters, is a name elsewhere. It decides on a
            word that has its capital perhaps because a sentence begins with it.
        german: Whether every noun has a capital.
        short: Whether the text is a short answer, which is a name if it has a capital.
    """
    plain = unicodedata.normalize("NFKC", text)
    runs: list[list[re.Match[str]]] = []
    for found in _tokens(plain):
        if not _is_name(found[0]):
            continue
        between = plain[runs[-1][-1].end() : found.start()] if runs else "-"
        if runs and _JOINS.fullmatch(between):
            runs[-1].append(found)
        else:
            runs.append([found])
    entities = []
    for found_run in runs:
        run = found_run
        if german and len(run) > 1 and _ARTICLE.search(plain[: run[0].start()]):
            run = run[1:]  # "das Werk Jena" is called Jena
        words = tuple(_bare(found[0].casefold()) for found in run)
        first = _SENTENCE_START.search(plain[: run[0].start()]) is not None
        coded = any(any(letter.isdecimal() for letter in word) for word in words)
        if len(run) == 1 and first and not (short or coded or is_known(words[0])):
            continue
        titled = _TITLED.search(plain[: run[0].start()]) is not None
        sure = coded or titled or len(run) > 1 or not german
        entities.append(Entity(words, run[0].start(), sure))
    return entities


def _tokens(plain: str) -> Iterator[re.Match[str]]:
    codes = list(CODE.finditer(plain))
    inside = [code.span() for code in codes]
    words = (
        word
        for word in _WORD.finditer(plain)
        if not any(begin <= word.start() < end for begin, end in inside)
    )
    yield from sorted((*codes, *words), key=lambda found: found.start())


def _is_name(word: str) -> bool:
    small = _bare(word.casefold())
    if any(letter.isdecimal() for letter in word):
        return CODE.fullmatch(word) is not None and small not in UNITS
    if not word[0].isupper() or len(word) < 2:
        return False
    usual = small in _EMPTY | _WEEKDAYS | _OPENINGS | _TITLES or small in UNITS or small in SCALES
    return not usual and not find_quantities(word)[1] and not list(find_number_words(small))


def _bare(word: str) -> str:
    """A word without its ending after an apostrophe; a code without the signs in it."""
    return re.sub(r"[-/]", "", word.partition("'")[0].partition("’")[0])


def _codes(plain: str) -> Iterator[str]:
    """Codes without signs, and a word with the number after it: `STS-2` and `STS 2` are one."""
    for code in CODE.finditer(plain):
        yield _bare(code[0])
    for word, number in re.findall(r"([^\W\d_]+) (\d+)\b", plain):
        yield f"{word}{number}"
