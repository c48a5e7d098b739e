"""Names and phrases of a passage, found by rules without a model.

Rules find no facts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from html import unescape
from operator import itemgetter
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE, Extraction, Mention
from hopyard.indexes.text.capitals import QUOTES
from hopyard.indexes.text.english import FUNCTION_WORDS
from hopyard.indexes.text.finders import FindNames
from hopyard.indexes.text.language import detect_language
from hopyard.indexes.text.names import add_known, names_in
from hopyard.indexes.text.sentences import is_heading, sentence_spans
from hopyard.indexes.text.terms import is_common_word, terms_in

_LEAST_WORDS: Final = 12
"""Words of a passage whose language counts. Shorter passages are often wrongly read as German:
`Live or Die may refer to`."""
_QUALIFIED: Final = re.compile(r"(.*\S)\s*\([^()]+\)")
_LONG: Final = 8
"""A title of more words is a headline, unless its text uses it as a name."""
_SMALL_IN_HEADLINE: Final = 3
"""A title with so many common words in small letters may be a headline: a name has fewer."""
_PUNCTUATED: Final = re.compile(r"[?!;|…\"]|\.\.\.|(?<!\w)'|\s[-–—]\s")
"""Signs of headlines, which names seldom have."""
_VERB: Final = re.compile(r"\w (?:is|are|was|were|has|have|had|will|can|could|[a-z]+n['’]t) \w")
"""Titles of works write these with a capital."""
_MARKS: Final = ".,;:?!()'\"‘’“”"
_ENTITY: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});")
"""A character that HTML writes as a name or number: `&amp;`, `&#039;`."""


def rules_for(passage: Passage, language: str) -> str:
    """The language whose rules read a passage: the corpus's, or German.

    German writes all nouns with a capital, so by the rules of another language each is a name.
    """
    if len(passage.text.split()) < _LEAST_WORDS:
        return language
    return "de" if detect_language([passage.text]) == "de" else language


def extract(passage: Passage, language: str, find: FindNames = names_in) -> Extraction:
    """The names of a passage: first its title, then those in its text, each as often as it occurs.

    A title with a qualifier, `Mercury (planet)`, is a name with it and without it. A headline is no
    name; the names in it count. The headings above a passage and its metadata name what many
    passages share, so they are left out. A name in a heading counts if the rest of the text has it.

    Args:
        passage: Any passage; one without a title and names gives an empty extraction.
        language: A key of `LANGUAGES`.
    """
    text, places = _unescape(passage.text)
    own = own_names(passage, language)
    spans = sentence_spans(passage.text)
    starts = [start for start, _ in spans]
    found = []
    for start, _, name in add_known(text, find(text, language), own):
        sentence = bisect_right(starts, _place(places, start)) - 1
        found.append(Mention(name=name, sentence=sentence))
    if any(is_heading(passage.text, start) for start in starts):
        found = _without_headings(found, {*own}, passage.text, starts)
    if not own:
        own = _headline_names(
            _plain(passage.title), {mention.name for mention in found}, language, find
        )
    titles = [Mention(name=title, sentence=NOWHERE) for title in own]
    return Extraction(mentions=(*titles, *found))


def extract_with_phrases(passage: Passage, language: str) -> Extraction:
    """The names of a passage, and in English the phrases that may be terms of its domain.

    A common word with a capital is no name here, as in a heading: it may be a term.
    """
    found = extract(passage, language)
    if language != "en":
        return found
    names = tuple(mention for mention in found.mentions if not _is_heading_word(mention.name))
    starts = [start for start, _ in sentence_spans(passage.text)]
    phrases = tuple(
        Mention(name=" ".join(term.words), sentence=bisect_right(starts, term.start) - 1)
        for term in terms_in(passage.text)
    )
    return Extraction(mentions=names, phrases=phrases)


def _is_heading_word(name: str) -> bool:
    """Whether a name is a common word, or a number and a common word: `Treatment`, `14 Key`."""
    words = [word for word in name.split() if not word.isdigit()]
    return len(words) == 1 and words[0].istitle() and is_common_word(words[0])


def own_names(passage: Passage, language: str) -> list[str]:
    """The title and the title without its qualifier; nothing for a headline."""
    title = _plain(passage.title)
    if not title or _is_headline(title, passage.text, language):
        return []
    qualified = _QUALIFIED.fullmatch(title)
    return list(dict.fromkeys([title, qualified[1]] if qualified else [title]))


def _is_headline(title: str, text: str, language: str) -> bool:
    """Whether a title is a statement or a row of headings, and no name.

    A long or punctuated title is a name if the text uses it: `Who Framed Roger Rabbit?`
    """
    qualified = _QUALIFIED.fullmatch(title)
    bare = qualified[1] if qualified else title
    words = bare.split()
    like_headline = (
        len(words) > _LONG
        or _PUNCTUATED.search(bare.translate(QUOTES)) is not None
        or (language == "en" and _VERB.search(bare) is not None)
        or (language == "en" and _small_words(bare) >= (1 if ":" in bare else _SMALL_IN_HEADLINE))
    )
    if like_headline and language == "en" and _is_row_of_headings(bare):
        return True
    return like_headline and bare.casefold() not in text.casefold()


def _is_row_of_headings(title: str) -> bool:
    """Whether a title holds a question and more, or consists mostly of words in small letters.

    Where a program took the first words of a page for its title, the text begins with them.
    """
    words = [word for word in title.split() if not word.isdigit()]
    return any(word.endswith("?") for word in words[:-1]) or 2 * _small_words(title) > len(words)


def _small_words(title: str) -> int:
    """The number of words in small letters that an English title in title case would capitalise."""
    words = (word.strip(_MARKS) for word in title.split())
    return sum(word.islower() and word not in FUNCTION_WORDS for word in words)


def _headline_names(
    title: str, in_text: Collection[str], language: str, find: FindNames
) -> list[str]:
    """The names in a headline. One in title case shows no names, so those of the text count."""
    found = dict.fromkeys(name.text for name in find(title, language))
    capitals = sum(word[:1].isupper() for word in title.split())
    if language == "en" and 6 * _small_words(title) < capitals:
        return [name for name in found if name in in_text]
    return list(found)


def _without_headings(
    mentions: list[Mention], own: Collection[str], text: str, starts: list[int]
) -> list[Mention]:
    """The mentions without those in headings whose names the rest of the text lacks."""
    headings = {row for row, start in enumerate(starts) if is_heading(text, start)}
    outside = {mention.name for mention in mentions if mention.sentence not in headings}
    return [
        mention
        for mention in mentions
        if mention.sentence not in headings or mention.name in outside or mention.name in own
    ]


def _plain(text: str) -> str:
    return unescape(text).strip()


def _unescape(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text with characters in place of HTML's names for them.

    Returns:
        The text, and for each change where it ends in the new text and in the old.
    """
    pieces: list[str] = []
    places = [(0, 0)]
    length = done = 0
    for found in _ENTITY.finditer(text):
        plain = unescape(found.group())
        pieces += text[done : found.start()], plain
        length += found.start() - done + len(plain)
        done = found.end()
        places.append((length, done))
    return "".join([*pieces, text[done:]]), places


def _place(places: list[tuple[int, int]], start: int) -> int:
    """Where a character of the new text is in the old text (see `_unescape`)."""
    new, old = places[bisect_right(places, start, key=itemgetter(0)) - 1]
    return old + start - new
