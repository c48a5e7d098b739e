"""Keywords of one question: the names in it, or its noun phrases when it names nothing.

HopRAG takes "named entities" as keywords (section 3.2). The well-kept recognisers for Python
(spaCy, Stanza, Flair, NLTK) all fetch their model from outside the package registry at first use,
so none works on a fresh machine that is offline. This extractor needs no model. It reads

* quoted spans of at most eight words, whole: `"What Is God?"` -> `what is god`;
* runs of capitalised words, joined over `of`, `of the`, `de`, `van` and their like:
  `the Duke of the Marches` -> `duke of the marches`; a number after a name belongs to it
  (`Apollo 11`), a year is a keyword of its own (`the 1998 World Cup` -> `1998`, `world cup`);
* numbers standing alone;
* only where a question holds none of these, runs of content words: `who wrote the national
  anthem` -> `national anthem`. Function words and the verbs that questions are made of end a run.

Keywords are taken **per question**. One set for a whole document would give every question of it
the same Jaccard, and SIM would no longer tell its questions apart.

The word lists are English. Other languages with spaces and capitals still give their names;
a script without spaces gives one keyword for each unbroken run of letters.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from hopyard.indexes.text.capitals import (
    MARKS,
    QUOTES,
    SIGNS,
    WORD,
    begins_sentence,
    gap_between,
    next_run,
    quoted_spans,
)
from hopyard.indexes.text.english import (
    ARTICLES,
    FUNCTION_WORDS,
    JOINERS,
    NEVER_OUTSIDE,
    NOT_CONTENT,
)

_POSSESSIVE: Final = re.compile(r"('s?)+(?=\W*$)")
_CORE: Final = re.compile(
    r"[a-z]{1,3}-(?=[^\w+#-]*$)"
    rf"|(?:(?<!\.)\.(?=[^\W\d_]{{2}}))?\w(?:.*[\w{MARKS}])?(?:{SIGNS})?"
)
"""A word without the punctuation around it; the signs of `C++`, `A-` and `.NET` belong to it."""
_INITIALS: Final = re.compile(r"(?<=\b[^\W\d_])[. ]+(?=[^\W\d_](?![\w+#]))")


def normalise_keyword(text: str) -> str:
    """One spelling for each keyword, so that equal names are equal strings.

    Unicode compatibility forms, case, curly quotes, a leading article, possessives, the points of
    initials and surrounding punctuation are evened out; accents and the signs of `C++`, `A-` and
    `.NET` are kept: they tell words apart.

    Returns:
        The normalised keyword, or "" where `text` holds no letter and no digit.
    """
    plain = unicodedata.normalize("NFKC", text).translate(QUOTES)
    folded = plain.casefold().replace("\u2212", "-")
    bare = (_CORE.search(_POSSESSIVE.sub("", word)) for word in folded.split())
    words = [word[0] for word in bare if word]
    # The band The Who is not the WHO, and "the US" is the US.
    least = 2 if words[1:] and words[-1] in FUNCTION_WORDS and not plain[-2:].isupper() else 1
    while len(words) > least and words[0] in ARTICLES:
        words.pop(0)
    # J. R. R. and J.R.R., U.S. and US, are the same initials.
    return _INITIALS.sub("", " ".join(words))


def extract_keywords(question: str) -> frozenset[str]:
    """Keywords of one question.

    Args:
        question: One question, or any short text of several sentences.

    Returns:
        Normalised keywords; empty where the question has neither names nor content words.

    Examples:
        >>> sorted(extract_keywords("Who was Teutberga's husband in 875?"))
        ['875', 'teutberga']
        >>> sorted(extract_keywords("which river is longest in the world"))
        ['longest', 'river', 'world']
    """
    text = unicodedata.normalize("NFKC", question).translate(QUOTES)
    text, quoted = _cut_quoted(text)
    if text.isupper():
        # Nothing stands out where everything is capital.
        text = text.lower()
    return frozenset(quoted | _names(text) or _content_phrases(text))


def _cut_quoted(text: str) -> tuple[str, set[str]]:
    """Take out the short quoted spans; what is left keeps a break in their place."""
    found: set[str] = set()
    rest, end = "", 0
    for first, last in quoted_spans(text):
        if keyword := normalise_keyword(text[first:last]):
            found.add(keyword)
            rest += text[end : first - 1] + " , "
            end = last + 1
    return rest + text[end:], found


def _names(text: str) -> set[str]:
    """Runs of capitalised words, years and lone numbers."""
    found: set[str] = set()
    end = 0
    while run := next_run(text, end):
        start, end = run
        word = WORD.match(text, start)
        # "Who", "Name", "In": a capital that only the sentence start explains.
        if word and word.group().lower() in NOT_CONTENT and begins_sentence(text, start):
            end = word.end()
        elif keyword := _trimmed(WORD.findall(text, start, end)):
            found.add(keyword)
    return found


def _trimmed(words: list[str]) -> str:
    """The keyword without what no name begins or ends with."""
    while words and words[0].lower() in NEVER_OUTSIDE:
        words.pop(0)
    while words and words[-1].lower() in NEVER_OUTSIDE:
        words.pop()
    # "I" and a capitalised "But" inside a sentence are words, "Will Smith" is a name.
    if len(words) == 1 and words[0].lower() in FUNCTION_WORDS:
        return ""
    return normalise_keyword(" ".join(words))


def _content_phrases(text: str) -> set[str]:
    """Runs of lower-case words that are neither function words nor verbs of asking."""
    found: set[str] = set()
    run: list[str] = []
    end = 0
    for match in WORD.finditer(text):
        word = match.group()
        content = word == word.lower() and not word[0].isdigit()
        content = content and word not in NOT_CONTENT and word not in JOINERS
        if run and not (content and gap_between(text, end, match.start()).isspace()):
            found.add(normalise_keyword(" ".join(run)))
            run.clear()
        if content:
            run.append(word)
        end = match.end()
    if run:
        found.add(normalise_keyword(" ".join(run)))
    return found - {""}
