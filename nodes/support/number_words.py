"""Numbers in words, English and German: `thirty-three`, `dreiunddreißig`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from hopyard.nodes.support.words import listed

__all__ = ("find_number_words", "ordinal")

_ENGLISH: Final = {
    word: number
    for number, word in enumerate(
        listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen"
        )
    )
} | {
    word: 10 * tens
    for tens, word in enumerate(
        listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2
    )
}
_ENGLISH_SCALES: Final = {"dozen": 12, "hundred": 100, "thousand": 1000}
_GERMAN: Final = {
    word: number
    for number, word in enumerate(
        listed(
            "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
            "fünfzehn sechzehn siebzehn achtzehn neunzehn"
        )
    )
} | {
    word: 10 * tens
    for tens, word in enumerate(
        listed("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"), start=2
    )
}
_GERMAN_ONES: Final = {**_GERMAN, "ein": 1, "zwo": 2}
_GERMAN_SCALES: Final = (("tausend", 1000), ("hundert", 100))
_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        listed("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"),
        start=1,
    )
} | {"dritte": 3, "siebte": 7, "achte": 8}
_WORD: Final = re.compile(r"[^\W\d_]+")


def find_number_words(text: str) -> Iterator[tuple[int, int, int]]:
    """The numbers that a text writes in words.

    Args:
        text: With small letters (`str.casefold` writes `ss` for `ß`, which is read too).

    Yields:
        Value, begin and end of each. A single `one`, `ein` or `eine` is an article, not a number.
    """
    run: list[re.Match[str]] = []
    for found in _WORD.finditer(text):
        joined = bool(run) and text[run[-1].end() : found.start()] in {" ", "-", "‑"}
        if run and joined and (found[0] in _ENGLISH_SCALES or _continues(run, found[0])):
            run.append(found)
            continue
        yield from _read(run)
        run = [found] if _english_start(found[0]) else []
        if not run and (value := _german(found[0].replace("ss", "ß"))) is not None:
            yield value, found.start(), found.end()
    yield from _read(run)


def ordinal(word: str) -> int | None:
    """The number of an ordinal in small letters, such as `fourth` or `fünfzehnte`."""
    if word in _ORDINALS:
        return _ORDINALS[word]
    plain = re.sub(r"t(?:e[nrsm]?)$", "", word)
    if plain in _ORDINALS or plain == word:
        return _ORDINALS.get(plain)
    return _german(plain) if plain in _GERMAN else _german(plain.removesuffix("s"))


def _english_start(word: str) -> bool:
    return word in _ENGLISH or word in _ENGLISH_SCALES


def _continues(run: list[re.Match[str]], word: str) -> bool:
    last = run[-1][0]
    if word == "and":
        return last in _ENGLISH_SCALES
    if word not in _ENGLISH:
        return False
    tens = _ENGLISH.get(last, 0) in range(20, 100) and _ENGLISH[word] in range(1, 10)
    return last in _ENGLISH_SCALES or last == "and" or tens


def _read(run: list[re.Match[str]]) -> Iterator[tuple[int, int, int]]:
    while run and run[-1][0] == "and":
        run = run[:-1]
    if not run or [word[0] for word in run] == ["one"]:
        return
    total, part = 0, 0
    for word in run:
        if word[0] in _ENGLISH:
            part += _ENGLISH[word[0]]
        elif word[0] in _ENGLISH_SCALES:
            part = max(part, 1) * _ENGLISH_SCALES[word[0]]
            if word[0] == "thousand":
                total, part = total + part, 0
    yield total + part, run[0].start(), run[-1].end()


@lru_cache(4096)
def _german(word: str) -> int | None:
    """The value of a German number that is written as one word, or None."""
    if word in _GERMAN:
        return _GERMAN[word]
    for name, scale in _GERMAN_SCALES:
        before, found, after = word.partition(name)
        if found:
            many = _GERMAN_ONES.get(before, _german(before)) if before else 1
            rest = _german(after.removeprefix("und")) if after else 0
            return None if many is None or rest is None else many * scale + rest
    ones, found, tens = word.partition("und")
    if found and 0 < _GERMAN_ONES.get(ones, 0) < 10 and _GERMAN.get(tens, 0) >= 20:
        return _GERMAN_ONES[ones] + _GERMAN[tens]
    return None
