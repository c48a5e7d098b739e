"""When one name is written in two ways.

Vectors of names are poor evidence: "Henry VI" is very near to "Henry VII", and "North Korea" to
"South Korea". So two names are variants only when their words agree in one of the ways of `Reason`.
Numbers always have to be the same, whether they are written 2, 2nd, second or II.

The abbreviations, titles and number words are English. Other languages keep the rules that need no
word list: spelling, order, initials, and acronym.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from hopyard.indexes.text.english import JOINERS, word_set

Reason = Literal["spelling", "order", "initials", "acronym", "middle name", "title", "typing error"]
"""How the words of two names agree:

* spelling: the same letters (`Kim Jong Un`, `Kim Jong-un`; `US Navy`, `United States Navy`);
* order: the same words, turned round (`Treaty of Versailles`, `Versailles Treaty`);
* initials: `J. Smith`, `John Smith`;
* acronym: `NHL`, `National Hockey League`;
* middle name: `Edvin Brandt`, `Edvin Karl Brandt`;
* title: `Otto Lind`, `Sir Otto Lind`;
* typing error: one letter inside a long word (`Oskar Lindqvist`, `Oskar Lindquist`).
"""


_WORD: Final = re.compile(r"[^\W_]+")
_LAST_ACCENT: Final = "\u06ff"
"""The marks of later scripts, such as vowels of Hindi and Thai, are parts of their letters."""
_DIGITS: Final = re.compile(r"\d+")
_SIGNS: Final = re.compile(r"(?<!\S)\.|[+#-]+(?!\S)")
"""The signs that `normalise_keyword` leaves around words: `.net` is not `net`."""
_ORDINAL: Final = re.compile(r"(\d+)(?:st|nd|rd|th)")
# Up to 89: "c", "d" and "m" are letters of names far more often than hundreds. "Model X" is no
# "Model 10", "XL" is a size, and "Li" a name.
_ROMAN: Final = re.compile(
    r"(?!(?:[vx]|xl|l[ivx])\Z)(?=[ivx]|l[ivx])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
)
_ROMAN_VALUES: Final = {"i": 1, "v": 5, "x": 10, "l": 50}
_SMALL: Final = frozenset({"the", "of", "and"})
_WRITTEN_OUT: Final = {
    "us": ("united", "states"),
    "usa": ("united", "states"),
    "uk": ("united", "kingdom"),
    "st": ("saint",),
    "mt": ("mount",),
    "ft": ("fort",),
}
_NUMBERS: Final = {
    word: str(number)
    for row in (
        "one two three four five six seven eight nine ten eleven twelve",
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    )
    for number, word in enumerate(row.split(), start=1)
}
_DATES: Final = word_set(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    century centuries decade decades year years month months week weeks day days bc ad bce ce
    early mid late season seasons episode episodes chapter chapters"""
)
# Father and son differ in this alone. As the first word, "jr" is two initials.
_GENERATIONS: Final = frozenset({"jr", "sr", "junior", "senior"})
_TITLES: Final = word_set("mr mrs ms dr prof professor sir dame rev reverend")
# A name with one of these in it is rarely that of a person: "Royal Australian Navy" is no "Royal
# Navy" with a middle name.
_IMPERSONAL: Final = word_set(
    """north south east west northern southern eastern western central upper lower middle new old
    great greater little grand big national international regional united royal federal imperial
    state local public general first second summer winter american british european african asian
    french german italian spanish roman catholic democratic republican best last supporting home
    prime minister young"""
)
_LONG_WORD: Final = 5


@lru_cache(maxsize=1 << 16)
def _words(name: str) -> tuple[str, ...]:
    """The words in a common form: no accents, hyphens or small words; numbers as digits."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(
        letter for letter in plain if letter > _LAST_ACCENT or not unicodedata.combining(letter)
    )
    # Composed again, as decomposed Hangul has another number of letters.
    plain = unicodedata.normalize("NFC", plain)
    found = "".join(
        letter if letter.isalnum() or unicodedata.category(letter)[0] == "M" else " "
        for letter in plain
    ).split()
    words = [full for word in found for full in _WRITTEN_OUT.get(word, (word,))]
    # An article that `normalise_keyword` leaves at the beginning belongs to the name: The Who.
    kept = [*words[:1], *(word for word in words[1:] if word not in _SMALL)]
    return tuple(map(_as_number, kept))


def _as_number(word: str) -> str:
    """The digits of an ordinal, a number word or a Roman numeral; any other word as it is."""
    if match := _ORDINAL.fullmatch(word):
        return match[1]
    if _ROMAN.fullmatch(word):
        values = [_ROMAN_VALUES[letter] for letter in word]
        after = [*values[1:], 0]
        return str(sum(-a if a < b else a for a, b in zip(values, after, strict=True)))
    return _NUMBERS.get(word, word)


def _numbers(words: Sequence[str]) -> list[str]:
    digits = [number for word in words for number in _DIGITS.findall(word)]
    return sorted([*digits, *(word for word in words[1:] if word in _GENERATIONS)])


def spelling(name: str) -> str:
    """Names with the same text here are one name in two spellings: `Kim Jong Un`, `Kim Jong-un`."""
    words = _words(name)
    return " ".join(["".join(words), *_numbers(words), *_SIGNS.findall(name)])


def is_number(name: str) -> bool:
    """Whether a name is only numbers and parts of dates: `1963`, `May 2010`, `18th century`."""
    return all(word in _DATES or word[0].isdigit() for word in _words(name))


def keys(name: str) -> frozenset[str]:
    """Two variants in one passage share a key, unless they differ by order or a typing error.

    The keys are the letters, the initials, and the first initial with the last word.
    """
    words = _words(name)
    found = {"".join(words), _initials(words), _initials(_WORD.findall(name))}
    if len(words) > 1:
        found.add(f"{words[0][0]} {words[-1]}")
        found.add(f"{words[1][0]} {words[-1]}" if words[0] in _TITLES else "")
    return frozenset(found - {""})


def variant(left: str, right: str) -> Reason | None:
    """How two normalised names are one name written in two ways; None where they are not.

    Args:
        left: A name as `normalise_keyword` gives it.
        right: Another name. The answer is the same for (left, right) and (right, left).
    """
    if is_number(left) or is_number(right):
        return None
    short, long = sorted((_words(left), _words(right)), key=lambda words: (len(words), words))
    if _numbers(short) != _numbers(long) or _SIGNS.findall(left) != _SIGNS.findall(right):
        return None
    if "".join(short) == "".join(long):
        return "spelling"
    # `Shashi Kapoor and Rishi Kapoor` is neither of the two.
    if ("and" in left.split()) != ("and" in right.split()):
        return None
    written = max(left, right, key=len)
    # `Liang Ji` may be another man than `Ji Liang`, so two words need an `of` between them.
    joined = bool(JOINERS & {*left.split(), *right.split()})
    turned = [short[turn:] + short[:turn] for turn in range(1, len(short))]
    holds: dict[Reason, bool] = {
        "acronym": _is_acronym(short, long, written),
        "order": (joined or len(short) > 2) and long in turned,
        "initials": _agree_by_initials(short, long),
        "middle name": not joined and _has_middle_name(short, long),
        "title": len(short) > 1 and long[0] in _TITLES and long[1:] == short,
        "typing error": _differ_by_a_letter(short, long),
    }
    return next((reason for reason, does in holds.items() if does), None)


def _initials(words: Sequence[str]) -> str:
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def _is_acronym(short: Sequence[str], long: Sequence[str], written: str) -> bool:
    """Whether the one word of `short` is the initials of `long`, small words counted or not."""
    # The initials of "World War II" are "WWI".
    if len(short) > 1 or len(long) < 2 or _numbers(long):
        return False
    return short[0] in (_initials(long), _initials(_WORD.findall(written)))


def _begins(left: str, right: str) -> bool:
    """Whether two words are equal, or one is the initial of the other."""
    return left == right or (min(len(left), len(right)) == 1 and left[0] == right[0])


def _agree_by_initials(short: Sequence[str], long: Sequence[str]) -> bool:
    """`J Smith` or `JH Smith` with `John Smith`, `John H Smith` or `John Henry Smith`."""
    if len(short) < 2 or short[-1] != long[-1] or len(short[-1]) == 1:
        return False
    if len(short) == len(long):
        return all(map(_begins, short, long))
    if len(short) > 2:
        return False
    middle_is_initials = all(len(word) == 1 for word in long[1:-1])
    return short[0] == _initials(long)[:-1] or (_begins(short[0], long[0]) and middle_is_initials)


def _has_middle_name(short: Sequence[str], long: Sequence[str]) -> bool:
    """`John Smith` with `John Henry Smith`, and no word that persons rarely have."""
    return (
        len(short) == 2
        and len(long) in (3, 4)
        and _begins(short[0], long[0])
        and short[1] == long[-1]
        and not any(word in _IMPERSONAL or word[0].isdigit() for word in long)
    )


def _differ_by_a_letter(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether one long word has one letter more, less or changed, not its first and last."""
    pairs = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    if len(left) != len(right) or len(pairs) != 1:
        return False
    short, long = sorted(pairs[0], key=len)
    if len(short) < _LONG_WORD or len(long) - len(short) > 1:
        return False
    same = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), None)
    if not same:
        return False
    longer = len(long) - len(short)
    rest = short[same + 1 - longer :]
    return bool(rest) and rest == long[same + 1 :]
