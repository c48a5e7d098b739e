"""The words of a text as they are compared, and the language and script that they are of.

A word is compared by its first letters, or by pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from hopyard.indexes.text.english import word_set
from hopyard.indexes.text.korean import bare_forms
from hopyard.indexes.text.language import OTHER, detect_language

_ENDING: Final = re.compile(r"(?<=\w{3})(?:ing|ed|es|e|s)$")
STEM: Final = 5
"""Letters of a word that are compared: "discovered" and "discoverer" are the same word."""

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_COUNTED: Final = re.compile(_NUMBER.pattern + r"[a-z]{0,2}")
"""A number with its ending, as in 20th and 1940s."""
_THOUSANDS: Final = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
_SPACELESS: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"  # Thai, Lao, Burmese, Khmer
    "|[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"  # Han
    "|[\u30a0-\u30ff\u31f0-\u31ff]+"  # katakana
    "|[\u3040-\u309f]+"  # hiragana
    "|[\u1100-\u11ff\uac00-\ud7af]+"  # Korean has spaces, but particles are part of its words
)
_HIRAGANA: Final = re.compile("[\u3040-\u309f]+")
_HANGUL: Final = re.compile("[가-힣]+")
_FINALS: Final = 28
"""Ends that a Korean syllable may have, none included."""
STOP_WORDS: Final = word_set("""
    a an and are as at be been being both but by did do does for from had has have he her his
    how in into is it its of on or she that the their them they this those to was were what
    when where which who whom whose why will with would you your also not than then there these
    such only about over under up out so if while after before during between among can could
    may might must shall should i we us our my me all any some each other more most very just
    now no nor yet already still however therefore thus per der die das den dem des ein eine
    einen einem einer eines und oder aber ist sind war waren wird werden wurde wurden hat haben
    hatte hatten im am auf aus bei mit nach von vom vor zu zum zur für über unter durch um als
    wie auch nicht nur noch es er sie sich wer wo wann dass daß weil wenn je ab seit bis sein
    seine ihr ihre man kann muss müssen soll innerhalb alle almost nearly roughly approximately
    exactly rund knapp etwa ungefähr genau beinahe dieser diese dieses total together sum
    altogether combined average less fewer insgesamt zusammen gesamt summe durchschnitt mehr
    weniger largest highest lowest smallest longest shortest higher lower mr ms mrs dr prof sir
    lord lady jr sr frau herr herrn höchste höchsten größte größten meisten niedrigste kein
    keine yes ja nein fiscal plus minus
""")


def units(text: str) -> frozenset[str]:
    """The compared features of a text: its content words, and its numbers without separators."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    numbers = {_number(found) for found in _NUMBER.findall(plain)}
    return content_words(_COUNTED.sub(" ", plain)) | numbers


def content_words(plain: str) -> frozenset[str]:
    """The content words of a text in small letters, as they are compared."""
    return frozenset(unit for word in _WORD.findall(plain) for unit in _cut(word))


def _cut(word: str) -> Iterator[str]:
    """A word's first letters; its pairs of characters where its script writes no spaces.

    Hiragana beside other characters is grammar.
    """
    for run in _SPACELESS.findall(word):
        if run == word or not _HIRAGANA.match(run):
            yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))
    for rest in _SPACELESS.split(word):
        if rest and rest not in STOP_WORDS:
            yield _ENDING.sub("", rest)[:STEM]


def without_particles(text: str) -> str:
    """A Korean text without the particles that are written onto its words."""
    return _HANGUL.sub(lambda word: _bare(word[0]), text)


def _bare(word: str) -> str:
    closed = (ord(word[0]) - ord("가")) % _FINALS > 0
    if len(word) == len("책은") and word[1] in ("은을" if closed else "는를"):
        return word[0]
    return deque(bare_forms(word), maxlen=1).pop()


def _number(text: str) -> str:
    whole = _THOUSANDS.sub("", text).replace(",", ".")
    return whole.lstrip("0") or "0"


_LETTERS: Final = re.compile(r"[^\W\d_]+")
_ALIKE: Final = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK"}
"""Japanese is written in three scripts at once."""
_FUNCTION_WORDS: Final = {
    language: frozenset(words.split())
    for language, words in {
        "en": "a the of and is was were are to by with from that which at how who when what do i "
        "for many does did has have",
        "de": "der die das und ist von wurde ein eine mit den im zu auf wie wann wer wo hat sind "
        "welche welcher welches gibt nicht für zum zur bei nach seit vom aus "
        "haben werden einen zusammen",
        "fr": "a le la les et est des une dans du en par qui sur au de à combien quel où sont il",
        "es": "a el la los las y es en una del por que con se al de cuánto cuál quién dónde",
        "it": "a il la i gli e di della che per con un nel sono è quanto quanti quale quando dove",
        "pt": "a o os as e é um uma do da em no na foi de quanto quantos qual quem onde",
        "nl": "het een en van de op te met voor dat zijn werd hoeveel wie wanneer welke",
        "pl": "a w z na i jest się nie do od przez ile kto kiedy gdzie jak są oraz czy dla",
    }.items()
}

_DECIMAL_COMMA: Final = word_set("""
    de fr es it pt nl pl da sv no fi ru uk cs sk sl hr ro hu bg el tr ca
""")
"""Languages that write 1,5 for one and a half (CLDR)."""
_SPACED: Final = frozenset(("fr", "pl", "sv", "no", "fi", "ru", "uk", "cs", "sk", "hu", "bg"))
"""Of these, those that write a space between thousands."""
_NAMES: Final = re.compile(r"\b[A-ZÀ-Þ]\w*(?: [A-ZÀ-Þ]\w*)+")
"""Several words with capitals: `Los Angeles` is no Spanish."""
_UNMISTAKABLE: Final = word_set("""
    the and was were und der das ist wurde les une los della het
""")
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


def number_marks_of(text: str) -> tuple[str, str]:
    """The signs between thousands and before decimals in the language of a text.

    Where the language is not sure there is no sign between thousands: `10,322` is about 10 in
    German. Where Latin letters only count as English, it is not sure.
    """
    sure = language_of(_NAMES.sub("", text))
    language = sure or detect_language([text])
    if language not in _DECIMAL_COMMA:
        return ("" if not sure and language in ("en", OTHER) else ","), "."
    return ("\u00a0" if language in _SPACED else "."), ","


def with_marks(number: str, marks: tuple[str, str]) -> str:
    """A plain number such as `-10322.76` with the signs between thousands and before decimals."""
    return f"{Decimal(number):,f}".translate({ord(","): marks[0], ord("."): marks[1]})


def language_of(text: str) -> str:
    """The language whose function words are most; "" where none is ahead.

    A single word counts only if no other language has it.
    """
    words = [word.lower() for word in _LETTERS.findall(text)]
    plain = not _UNMISTAKABLE.isdisjoint(words)
    hits = Counter(
        {name: sum(word in known for word in words) for name, known in _FUNCTION_WORDS.items()}
    )
    (first, most), (_, second) = hits.most_common(2)
    return first if most > (second if plain else max(second, 1)) else ""
