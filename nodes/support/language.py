"""Whether two short texts are in two languages: by their script, and by their function words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

__all__ = ("in_two_languages", "language_of", "script_of")

_WORD: Final = re.compile(r"[^\W\d_]+")
_ALIKE: Final = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK"}
"""Japanese is written in three scripts at once."""
_FUNCTION_WORDS: Final = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and is was were are to by with from that which at",
        "de": "der die das und ist von wurde ein eine mit den im zu auf",
        "fr": "le la les et est des une dans du par qui sur au",
        "es": "el los las y es una del por que con se al",
        "it": "il gli e di della che per con un nel sono è",
        "pt": "o os as e é um uma do da em no na foi",
        "nl": "het een en van de op te met voor dat zijn werd",
    }.items()
}

_UNMISTAKABLE: Final = frozenset(
    word
    for line in ("the and was were und der das ist wurde les une los della het",)
    for word in line.split()
)
"""Function words that are words of one language only."""


def script_of(text: str) -> str:
    """The script of most of a text's letters, as Unicode names it; "" where it has none."""
    scripts = Counter(
        unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha()
    )
    counts: Counter[str] = Counter()
    for script, count in scripts.items():
        counts[_ALIKE.get(script, script)] += count
    return counts.most_common(1)[0][0] if counts else ""


def in_two_languages(one: str, other: str) -> bool:
    """Whether the function words of two texts are of two languages, as far as they tell."""
    languages = {language_of(one), language_of(other)}
    return "" not in languages and len(languages) == 2


def language_of(text: str) -> str:
    """The language whose function words are most; "" where none is ahead.

    A single word counts only if no other language has it.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    plain = not _UNMISTAKABLE.isdisjoint(words)
    hits = Counter(
        {name: sum(word in known for word in words) for name, known in _FUNCTION_WORDS.items()}
    )
    (first, most), (_, second) = hits.most_common(2)
    return first if most > (second if plain else max(second, 1)) else ""
