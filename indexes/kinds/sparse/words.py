"""A text's words, as BM25 counts them: stems without stop words, by the corpus's language.

Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer are cut into pairs of letters. These find a
word anywhere in a run of letters, with any particle behind it, and need no dictionary. McNamee and
Mayfield, "Character N-Gram Tokenization for European Language Text Retrieval", 2004, and the CJK
analyser of Lucene do the same. A letter has its marks with it: vowels and tones of Thai, vowels of
the scripts of India.
"""

from __future__ import annotations

import logging
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from types import ModuleType
from typing import Final, cast

import Stemmer

from hopyard.indexes.text.english import NOT_CONTENT
from hopyard.indexes.text.identifiers import identifiers_in, normal, parts_of
from hopyard.indexes.text.language import LANGUAGES, stop_words

# Its compiled search is not used here, and a compiler takes half a second to import.
_numba = sys.modules.setdefault("numba", cast("ModuleType", None))
with warnings.catch_warnings():  # its progress bar warns in notebooks
    warnings.filterwarnings("ignore", message="IProgress not found")
    import bm25s
    from bm25s import stopwords
if _numba is None:
    del sys.modules["numba"]

__all__ = ("ASKING", "TABLE", "Words")

logging.getLogger("bm25s").setLevel(logging.WARNING)  # on import it sets itself to DEBUG

_STOP_WORDS: Final = {
    "da": stopwords.STOPWORDS_DANISH,
    "de": stopwords.STOPWORDS_GERMAN,
    "en": stopwords.STOPWORDS_EN,
    "es": stopwords.STOPWORDS_SPANISH,
    "fr": stopwords.STOPWORDS_FRENCH,
    "it": stopwords.STOPWORDS_ITALIAN,
    "ja": stopwords.STOPWORDS_EN,
    "ko": (*stopwords.STOPWORDS_EN, *stopwords.STOPWORDS_KOREAN),
    "nl": stopwords.STOPWORDS_DUTCH,
    "no": stopwords.STOPWORDS_NORWEGIAN,
    "pt": stopwords.STOPWORDS_PORTUGUESE,
    "ru": stopwords.STOPWORDS_RUSSIAN,
    "sv": stopwords.STOPWORDS_SWEDISH,
    "tr": stopwords.STOPWORDS_TURKISH,
    "zh": (*stopwords.STOPWORDS_EN, *stopwords.STOPWORDS_CHINESE),
}
_MARKS: Final = frozenset(
    chr(code) for code in range(0x300, 0x1E950) if unicodedata.category(chr(code))[0] == "M"
)
_WORD: Final = r"(?u)\b(?:\w\w+|\d)\b"
_EAST_ASIAN: Final = r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_SOUTH_EAST_ASIAN: Final = r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ede\u1000-\u103f\u1780-\u17d3"
_RUN: Final = re.compile(f"[{_EAST_ASIAN}{_SOUTH_EAST_ASIAN}]+")
_LETTER: Final = re.compile(
    f".[{''.join(sorted(_MARKS & set(map(chr, range(0xD7A3)))))}]*", re.DOTALL
)
_SILENT: Final = re.compile(
    r"[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    r"\u093c\u200c-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Points of Hebrew, Arabic and Hindi, which most texts omit, and signs that nobody sees."""

_HUMPS: Final = re.compile(r"\b[^\W\d]*(?:_|[a-z][A-Z])[^\W\d]*\b")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_HYPHENATED: Final = re.compile(r"(?<![\w-])([^\W\d_]+)-([^\W\d_]+)(?![\w-])")
_ACCENTED: Final = re.compile(r"\b\w*[\u00c0-\u024f\u1e00-\u1effёЁ]\w*")
_WITHOUT_MARK: Final = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "ё": "е"}
)
"""Letters that many people write as others, and whose mark is none of Unicode's."""
_GERMAN: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SPELLINGS: Final = 0.5
"""Weight of the other spellings of a word of a question, together; the word itself has the rest."""

TABLE: Final = "|"
"""The term of texts that have a table in Markdown."""
_HEAD_ENDS: Final = re.compile(r"^[ \t]*(?:\|[ \t]*)?:?-{3,}:?[ \t]*\|", re.MULTILINE)
"""The row below the head of a table, which each part of a long table repeats."""

ASKING: Final = 0.3
"""Weight of words that mostly ask. A question may also be about a "name", or about who "led"."""


@dataclass(frozen=True)
class Words:
    """How texts become words.

    Scripts without spaces are cut into pairs of letters, and marks belong to their letters.

    Attributes:
        language: Of the corpus, a key of `LANGUAGES`.
    """

    language: str = "en"

    def of(self, texts: Sequence[str]) -> list[list[str]]:
        """The stemmed words of each text, lower case, without stop words and single letters.

        A single digit is a word: "Chapter 2" is not "Chapter 3".
        """
        name = LANGUAGES.get(self.language, "")
        # A stemmer of its own for each call: they are not safe to share between threads.
        stemmer = Stemmer.Stemmer(name) if name in Stemmer.algorithms() else None
        stop = frozenset(_STOP_WORDS.get(self.language, ()))
        given = [_in_pairs(text, stop) for text in texts]
        others = "".join(text for text in given if not text.isascii())
        marks = _MARKS.intersection(others)
        # A class of all marks would take most of the time.
        marked = rf"(?u)\w[\w{''.join(sorted(marks))}]+|\d"
        tokens: list[list[str]] = bm25s.tokenize(
            given,
            token_pattern=marked if marks else _WORD,  # the first is slower
            stopwords=list(stop),
            stemmer=stemmer,
            return_ids=False,
            show_progress=False,
        )
        return tokens

    def terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The words of each text, the parts of its mixed words, and its identifiers as a whole.

        A text with a table has the term `TABLE` too.
        """
        plain = [normal(text) for text in texts]
        return [
            _joined(words, _whole_and_parts(text))
            for text, words in zip(plain, self.of(plain), strict=True)
        ]

    def held(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of texts that are searched: those of `terms`, and other spellings of words.

        A question for "email", "cafe" or "user by id" finds `e-mail`, `café` and `getUserById`.
        """
        others = self.of([_spelt_otherwise(normal(text)) for text in texts])
        return [*map(_joined, self.terms(texts), others)]

    def asked(self, question: str) -> dict[str, float]:
        """The terms of a question with their weights: 1, and less for words that only ask.

        In a question of such words alone, all weigh 1. A word with accents shares its weight with
        its other spellings: a question for "café" finds `cafe`.
        """
        [terms], said = self.terms([question]), _asking(self)
        alone = said.issuperset(terms)
        weights = {term: ASKING if term in said and not alone else 1.0 for term in terms}
        for word in _ACCENTED.findall(normal(question)):
            own, other = self.of([word, " ".join(_without_accents(word))])
            forms = [form for form in other if form not in weights]
            for term in own if forms else ():
                weight = weights.get(term, 0.0) * _SPELLINGS
                weights |= {term: weight, **dict.fromkeys(forms, weight / len(forms))}
        return weights


@cache
def _asking(words: Words) -> frozenset[str]:
    """The words that mostly ask, as terms."""
    asking = NOT_CONTENT if words.language == "en" else stop_words(words.language)
    return frozenset(words.of([" ".join(asking)])[0])


def _joined(terms: list[str], more: Iterable[str]) -> list[str]:
    known = frozenset(terms)
    return [*terms, *(term for term in more if term not in known)]


def _spelt_otherwise(text: str) -> str:
    forms = [_HUMP.sub(" ", word) for word in _HUMPS.findall(text)]
    forms += map("".join, _HYPHENATED.findall(text))
    if not text.isascii():
        forms += (form for word in _ACCENTED.findall(text) for form in _without_accents(word))
    return " ".join(forms)


@lru_cache(1 << 14)
def _without_accents(word: str) -> Sequence[str]:
    """A word as people write it who lack its letters: Müller as muller and mueller."""
    small = word.lower()
    plain = small.translate(_WITHOUT_MARK)
    if plain[0] < "\u0370":  # й is a letter of its own
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join([sign for sign in decomposed if sign not in _MARKS])
    german = small.translate(_GERMAN)
    forms = {plain, german, german.replace("ß", "ss"), small.replace("ß", "ss")}
    return sorted(forms - {small})


def _in_pairs(text: str, stop: frozenset[str]) -> str:
    def cut(match: re.Match[str]) -> str:
        run = match.group()
        pairs = map("".join, pairwise(_LETTER.findall(run)))
        return " " if run in stop else f" {' '.join(pairs)} "

    if text.isascii():
        return text
    return _RUN.sub(cut, _SILENT.sub("", unicodedata.normalize("NFKC", text.lower())))


def _whole_and_parts(text: str) -> Iterator[str]:
    yield from parts_of(text)
    for found in identifiers_in(text):
        yield found.term
    if _HEAD_ENDS.search(text):
        yield TABLE
