"""The proper names in a text, and whether another text has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hopyard.indexes.text.english import word_set
from hopyard.nodes.support.measures import SCALES, UNITS
from hopyard.nodes.support.quantities import CODE, MONTHS
from hopyard.nodes.support.words import STOP_WORDS

_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")
_TOKEN: Final = re.compile(rf"{CODE.pattern}|{_WORD.pattern}")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?]['\"”’)]*\s)[\s\-*•|>#\"“„'(\d.]*$")
_JOINS: Final = re.compile(r"(?:[ \u00a0]|-|‑|\. | & )?")
_CAPITALS: Final = re.compile(r"[\d_]*[^\W\d_].*[A-ZÀ-Þ]")
_NUMBERED: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]++) (\d+)\b")
_JOINED: Final = "joined"
"""The key of the words of a text that may be several words of a name."""
_PARTICLE: Final = re.compile(r"(?<=[a-z\d])[가-힣]+$")
"""A particle, which Korean writes onto a name in Latin letters."""
_MOST_ENDING: Final = 3
"""Letters by which two forms of a name may differ: Hungary and Hungarian."""
_LEAST_STEM: Final = 5
_NO_NAMES: Final = word_set("""
    unknown none monday tuesday wednesday thursday friday saturday sunday montag dienstag
    mittwoch donnerstag freitag samstag sonnabend sonntag
""")
_LONG_NAME: Final = re.compile(r"(?<!\w)[A-ZÄÖÜ]\w++(?:[ -][A-ZÄÖÜ]\w++)+")
"""A name that may be abbreviated to its first letters."""
_ARTICLE: Final = re.compile(
    r"\b(?:der|die|das|dem|den|des|im|am|zum|zur|ein|eine|einen)\s+$", re.I
)
_TITLED: Final = re.compile(r"\b(?:mr|ms|mrs|dr|prof|frau|herrn?)\.?\s+$", re.IGNORECASE)
_PEOPLES: Final = {
    name: frozenset(group.split()) - {name}
    for line in (
        "states america american us usa, kingdom britain british uk england english, poland polish",
        "netherlands holland dutch, spain spanish, france french, denmark danish, sweden swedish",
        "switzerland swiss, greece greek, turkey turkish, ireland irish, scotland scottish",
        "wales welsh, finland finnish, thailand thai, deutschland deutsch deutsche deutschen",
        "frankreich französisch französische französischen",
    )
    for group in line.split(",")
    for name in group.split()
}
"""Countries and words for what comes from them, where their beginnings differ."""


@dataclass(frozen=True)
class Name:
    """Words with capitals that follow each other, or a code such as STS-2.

    Attributes:
        words: Its words in small letters.
        start: Where it begins.
        sure: Whether it is surely a name: in German every noun has a capital.
    """

    words: tuple[str, ...]
    start: int
    sure: bool = True

    def is_in(self, known: dict[str, set[str]]) -> bool:
        """Whether a text has the name: its last word, half of its words, or all in one word."""
        joined = "".join(self.words)
        if len(self.words) > 1 and joined in known.get(_JOINED, ()):  # "BESTBUY_2023.pdf"
            return True
        found = [_has(known, word) for word in self.words]
        coded = [any(map(str.isdecimal, word)) for word in self.words]
        if any(coded):
            return all(there for there, code in zip(found, coded, strict=True) if code)
        return found[-1] or 2 * sum(found) >= len(found)


def names_by_beginning(plain: str) -> dict[str, set[str]]:
    """The words of a text that can be parts of names, by their first three letters."""
    small = plain.casefold()
    words = {_bare(word) for word in _WORD.findall(small)}
    words |= {_bare(code) for code in CODE.findall(small)}
    words |= {f"{word}{number}" for word, number in _NUMBERED.findall(small)}
    words |= {
        "".join(word[0] for word in re.split("[ -]", name)).casefold()
        for name in _LONG_NAME.findall(plain)
    }
    # "BestBuy" and "BESTBUY" may be Best Buy; "Alpine" is not Al Pine.
    joined = (word for word in _WORD.findall(plain) if plain == small or _CAPITALS.match(word))
    found: dict[str, set[str]] = {_JOINED: {_bare(word.casefold()) for word in joined}}
    for word in words:
        found.setdefault(word[:3], set()).add(word)
    return found


def find_names(plain: str, *, german: bool = False, short: bool = False) -> list[Name]:
    """The names in a text.

    A single word that begins a sentence is none: every word has a capital there.

    Args:
        plain: A statement, or a sentence of a passage.
        german: Whether every noun has a capital.
        short: Whether the text is a short answer, of which every word with a capital is a name.
    """
    runs: list[list[re.Match[str]]] = []
    for found in _TOKEN.finditer(plain):
        if not _can_be_name(found[0]):
            continue
        last = runs[-1][-1] if runs else None
        gap = plain[last.end() : found.start()] if last else "."
        if last and _JOINS.fullmatch(gap) and not _PARTICLE.search(last[0].casefold()):
            runs[-1].append(found)
        else:
            runs.append([found])
    names = []
    for run in runs:
        before = plain[: run[0].start()]
        if german and len(run) > 1 and _ARTICLE.search(before):
            run = run[1:]  # noqa: PLW2901 - "das Werk Jena" is called Jena
        words = tuple(_bare(found[0].casefold()) for found in run)
        coded = any(any(map(str.isdecimal, word)) for word in words)
        first = len(run) == 1 and _SENTENCE_START.search(before) is not None
        if first and not (coded or short):
            continue
        sure = coded or len(run) > 1 or not german or _TITLED.search(before) is not None
        names.append(Name(words, run[0].start(), sure))
    return names


def _can_be_name(word: str) -> bool:
    small = _bare(word.casefold())
    if any(map(str.isdecimal, word)):
        return CODE.fullmatch(word) is not None and small not in UNITS
    if not word[0].isupper() or len(small) < 2:
        return False
    return not any(small in known for known in (STOP_WORDS, _NO_NAMES, UNITS, SCALES, MONTHS))


def _has(known: dict[str, set[str]], word: str) -> bool:
    return any(
        _is_form(name, other)
        for name in (word, *_PEOPLES.get(word, ()))
        for other in known.get(name[:3], ())
    )


def _is_form(one: str, other: str) -> bool:
    """Whether two words in small letters are forms of one name, as in `Bremen` and `Bremer`."""
    if one == other:
        return True
    if any(map(str.isdecimal, one + other)):
        return False
    shorter, longer = sorted(map(len, (one, other)))
    pairs = enumerate(zip(one, other, strict=False))
    stem = next((place for place, (mine, its) in pairs if mine != its), shorter)
    return longer - stem <= _MOST_ENDING and (stem >= _LEAST_STEM or stem == shorter >= 3)


def _bare(word: str) -> str:
    """A word without its ending after an apostrophe or a particle; a code without its signs."""
    return _PARTICLE.sub("", re.sub(r"[-/]", "", re.split("['’]", word)[0]))
