"""Runs of capitalised words that are names, in languages that have capitals.

A word that only the start of a sentence capitalises is no name. The rest of the same text tells:
is the word written with a capital inside a sentence, or in small letters?

* In English a word that only begins a sentence is a name, with exceptions: stop words, words with
  the ending of a common word, and words that the text also has in small letters.
* German writes nouns with a capital. A single word is a plain noun if it follows an article or
  an adjective somewhere in the text, or has a noun's ending. Plural nouns without an article are
  wrongly kept, and names with an article (`der Rhein`) are missed.
* In any other language, a single word that begins a sentence needs a second place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hopyard.indexes.text.capitals import WORD, begins_sentence, next_run
from hopyard.indexes.text.english import (
    ARTICLES,
    FUNCTION_WORDS,
    NEVER_ALONE,
    NEVER_OUTSIDE,
    NOT_CONTENT,
    word_set,
)
from hopyard.indexes.text.language import stop_words

Span = tuple[int, int]

_ENGLISH_RULES: Final = frozenset(["en", "ar", "fa", "hi", "ja", "ko", "ta", "zh"])
"""English, and languages whose texts have capitals in English words alone."""
_LINE: Final = 60
"""Least characters of a line that continues in the next line."""
_POSSESSIVE: Final = re.compile(r"'s?\Z")
_POINTED: Final = re.compile(r"\b(?:(?:\w\.)+\w|[JS]r|Inc|Ltd|Corp)\Z")
"""Words that end with a point: `U.S.`, `Jr.`."""
_BREAK: Final = re.compile(r"\. |\n")
_NUMBERED: Final = re.compile(r"\w I\Z")
"""A ruler's or a war's number, which looks like an initial: `World War I. Germany`."""
_MIXED: Final = re.compile(r".+[^\W\d_a-zß-ÿ]|.*\d")
"""Capitals or digits inside: a name even where it begins a sentence."""
_COMMON: Final = re.compile(
    r"\w{2,}(?:al|ent|ant|ous|ar|ed|ate|ain|ive|ab|ib|ing|ful|st)ly"
    r"|\w{3,}(?:[ts]ions?|ments?|ness|ings|ships?|isms?|ological|ular|ional|[ct]ial|ual|ive|ous"
    r"|ized|ised|less|ful)"
)
"""Endings of words that are seldom names."""
_COMMON_BEFORE: Final = re.compile(
    r"\w{3,}ing (?:as|an?|the|his|her|their|its|in|on|up|out|to|with)\b"
    r"|\w{3,}s (?:are|were|have|can|may)\b"
    r"|\w+ (?:of|by|with|than|for)\b"
    r"|\w{2,}(?<!fr|hm|am|mm)ed (?:by|as|from|after|during|at|on|in|and|with)\b"
)
"""Participles and nouns that begin a sentence: `Jets of water`, `Driven by engines`."""
_CONTRACTED: Final = re.compile(r"(?:(?<!ca)n't|(?<=can)'t|'(?:ll|re|ve|d|m|s))\Z", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?:See )?(?:Appendix|Chapter|Column|Day|Equation|Example|Exhibit|Fig|Figure|Footnote|Grade"
    r"|Guide|Item|Level|Line|Note|Page|Paragraph|Part|Phase|Point|Question|Round|Section|Stage|Step"
    r"|Table|Task|Tier|Week|Year)s? (?:\d[\w.]*|[IVX]+[A-D]?\d?)(?!\w)"
)
"""Labels of the parts of a text or a course of time: `Table 3`, `Step 1`."""
_HEADING: Final = re.compile(
    r"(?<!\w)(?:\d{1,3} )?(?:(?:What|Who|How|Why|When|Where|Which)"
    r"(?:'s| (?:is|are|was|were|do|does|did|can|could|causes?|about|will|would|should|has|to)\b)"
    r"|Key (?:points|takeaways|facts|findings|terms)\b|Words to know\b|Table of contents\b"
    r"|(?:Other|Further|More) (?:resources|reading|information)\b|Next steps\b|See also\b"
    r"|(?:External|Related) links\b|Questions to ask\b|Risk factors\b)"
)
"""Headings and questions between other words, as in the text of a page without its lines."""
_OPENS_CLAUSE: Final = word_set(
    "also because during how if it most some there these they this unlike what when where while why"
    " you your"
)
"""After a name they begin a sentence whose full stop is missing, as after a heading."""
_STEMS: Final = word_set("ein kein mein dein sein ihr unser euer dies jed jen manch welch all viel")
_ENDINGS: Final = ("", "e", "en", "em", "er", "es")
_DETERMINERS: Final = frozenset(stem + ending for stem in _STEMS for ending in _ENDINGS) | word_set(
    "der die das den dem des im am zum zur vom beim ins ans einige mehrere beide zwei drei wenige"
)
"""Articles and the words in their place; `im` and its like end in an article."""
_PLAIN_NOUN: Final = re.compile(
    r"\w{2,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|ismus|tät|täten|nis"
    r"|nisse|ling|linge|tum)"
)
_PARTICLE: Final = re.compile(r"\b(?:de|van|von|di|da|du|bin|ibn|ter|den)\s\Z")
_NUMERAL: Final = re.compile(r"(?:\d+(?:st|nd|rd|th)|\d{1,2})\s+(?=[^\W\d_a-z])")


def proper_names(text: str, language: str) -> Iterator[Span]:
    """The spans of proper names, in order.

    Args:
        text: With plain quotes (see `capitals.QUOTES`).
        language: A key of `LANGUAGES`.
    """
    if language == "en":
        text = _HEADING.sub(_commas, text)
    small = frozenset(filter(str.islower, WORD.findall(text)))
    runs = list(_runs(text, _openers(language, small)))
    evidence = _Evidence(text, small, runs, language)
    for start, end, initial in runs:
        first, last = _trimmed(text, start, end, english=language == "en")
        if first < last and evidence.is_name(first, last, initial):
            yield first, last


def _commas(found: re.Match[str]) -> str:
    """As many commas, so that all else keeps its place."""
    return "," * (found.end() - found.start())


class _Evidence:
    """The evidence of a text about its capitalised words."""

    def __init__(
        self, text: str, small: frozenset[str], runs: list[tuple[int, int, bool]], language: str
    ) -> None:
        self.text = text
        self.small = small
        """Words that the text has in small letters."""
        self.language = language
        self.inside: set[str] = set()
        """Words with a capital that no start of a sentence explains."""
        self.plain: set[str] = set()
        """German words that are plain nouns somewhere in the text."""
        for start, end, initial in runs:
            words = WORD.findall(text, start, end)
            self.inside.update(words[1:] if initial else words)
            if language == "de" and len(words) == 1 and _is_plain_noun(text, start, words[0]):
                self.plain.add(words[0])

    def is_name(self, start: int, end: int, initial: bool) -> bool:
        """Whether a run is a name. Longer runs are; a single word may be a common word."""
        word = self.text[start:end]
        if self.language == "en" and _LABEL.fullmatch(word):
            return False
        if len(word.split()) > 1 or _MIXED.match(word):
            return True
        if word in self.plain:
            return False
        if not initial or word in self.inside:
            return True
        lowered = word.lower()
        return self.language in _ENGLISH_RULES and not (
            lowered in self.small
            or lowered in stop_words("en")
            or _COMMON.fullmatch(lowered)
            or _COMMON_BEFORE.match(self.text, start)
        )


def _is_plain_noun(text: str, start: int, word: str) -> bool:
    """Whether a German word follows an article, or has an ending that nouns have."""
    before = text[max(0, start - 40) : start].split()[-2:]
    if not text[start - 1 : start].isspace():
        before = []
    adjective = len(before) == 2 and before[1].endswith(("e", "en", "er", "es", "em"))
    return (
        _PLAIN_NOUN.fullmatch(word.lower()) is not None
        or bool(before and before[-1].lower() in _DETERMINERS)
        or (adjective and before[0].lower() in _DETERMINERS)
    )


def _openers(language: str, small: frozenset[str]) -> frozenset[str]:
    """Words that are no part of a name behind them where they begin a sentence.

    The text must have a stop word in small letters as well: `Buenos Aires` is a name.
    """
    if language in _ENGLISH_RULES:
        return NOT_CONTENT
    return (stop_words(language) & small) | (_DETERMINERS if language == "de" else frozenset())


def _runs(text: str, openers: frozenset[str]) -> Iterator[tuple[int, int, bool]]:
    """Start, end and whether it begins a sentence, of each run with a capital."""
    end, broken = 0, False
    while run := next_run(text, end):
        start, whole = run
        first = WORD.match(text, start)
        end = first.end() if first else whole
        lowered = text[start:end].lower()
        if text[start].isdigit() and not _NUMERAL.match(text, start) and lowered == text[start:end]:
            # A number alone, or one before a name: `in 907 the Tang`.
            continue
        initial = broken or begins_sentence(text, start) or "\n" in text[max(0, start - 3) : start]
        broken = False
        if initial and lowered in openers:
            continue
        end = next(_breaks(text, start, whole), whole)
        broken = end < whole
        yield start, end, initial


def _breaks(text: str, start: int, end: int) -> Iterator[int]:
    """Where a sentence or a short line ends inside a run."""
    for found in _BREAK.finditer(text, start, end):
        place = found.start()
        if found.group() == "\n":
            if place - text.rfind("\n", 0, place) <= _LINE:
                yield place
        elif _opens_sentence(text, start, found):
            yield place


def _opens_sentence(text: str, start: int, point: re.Match[str]) -> bool:
    """Whether the word after a point in a run begins a sentence: the point may be an initial's."""
    found = WORD.match(text, point.end())
    word = found.group() if found else ""
    if not word[1:] or word == word.lower():
        return False
    numbered = _NUMBERED.search(text, max(start, point.start() - 3), point.start())
    return numbered is not None or word.lower() in NOT_CONTENT


def _without_headings(text: str, words: list[re.Match[str]]) -> list[re.Match[str]]:
    """The words of a run without a label or page number before them, and a sentence after them.

    `Stage 2 Surgery` is about surgery, `Table 3` about nothing; `66 When` is a page and a sentence.
    """
    while len(words) > 1 and words[-1].group().lower() in _OPENS_CLAUSE:
        words = words[:-1]
    if len(words) > 2 and _LABEL.fullmatch(text, words[0].start(), words[1].end()):
        words = words[2:]
    if len(words) > 1 and words[0].group().isdigit():
        second = _CONTRACTED.sub("", words[1].group()).lower()
        if second in FUNCTION_WORDS and second not in ARTICLES:
            words = words[2:]
    return words


def _trimmed(text: str, start: int, end: int, *, english: bool) -> Span:
    """The run without what no name begins or ends with; empty if nothing is left."""
    words = list(WORD.finditer(text, start, end))
    if english:
        words = _without_headings(text, words)
    while words and words[0].group().lower() in NEVER_OUTSIDE:
        words.pop(0)
    while words and words[-1].group().lower() in NEVER_OUTSIDE:
        words.pop()
    if not words:
        return start, start
    alone = words[0].group() if len(words) == 1 else ""
    if _CONTRACTED.sub("", alone).lower() in NEVER_ALONE or len(alone) == 1:
        return start, start
    if words[0].start() == start and (particle := _PARTICLE.search(text, max(0, start - 8), start)):
        start = particle.start()
    else:
        start = words[0].start()
    end = words[-1].end()
    if possessive := _POSSESSIVE.search(text, start, end):
        return start, possessive.start()
    return start, end + (text[end : end + 1] == "." and bool(_POINTED.search(text, start, end)))
