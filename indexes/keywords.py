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

from hopyard.indexes.english import (
    ARTICLES,
    FUNCTION_WORDS,
    JOINERS,
    NEVER_OUTSIDE,
    NOT_CONTENT,
)

__all__ = ("extract_keywords", "normalise_keyword")

# A word may hold inner apostrophes, hyphens and points: O'Brien, half-brother, U.S.A.
_WORD: Final = re.compile(r"\d+(?:[.,]\d+)+|\w+(?:[.'&-]\w+)*")
_QUOTED: Final = re.compile(r'"([^"]+)"|«([^»]+)»|(?<!\w)\'([^\']+)\'(?!\w)')
_YEAR: Final = re.compile(r"1\d{3}|20\d{2}")
_POSSESSIVE: Final = re.compile(r"('s?)+(?=\W*$)")
_EDGES: Final = re.compile(r"^\W+|\W+$")
_INITIALS: Final = re.compile(r"(?<=\b[^\W\d_])[. ]+(?=[^\W\d_]\b)")
_SENTENCE_END: Final = re.compile(r"[.!?:;]")
_QUOTES: Final = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"'})

# Longer quotations are sentences that somebody said; as one keyword they would match nothing.
_QUOTED_WORDS: Final = 8
# What a point follows without ending a name.
_ABBREVIATION: Final = re.compile(
    r"(?:[^\W\d_]\.)*[^\W\d_]|St|Mr|Mrs|Ms|Dr|Jr|Sr|Mt|Ft|Lt|Gen|Prof|No"
)


def normalise_keyword(text: str) -> str:
    """One spelling for each keyword, so that equal names are equal strings.

    Unicode compatibility forms, case, curly quotes, a leading article, possessives, the points of
    initials and surrounding punctuation are evened out; accents are kept: they tell words apart.

    Returns:
        The normalised keyword, or "" where `text` holds no letter and no digit.
    """
    folded = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    words = [_EDGES.sub("", _POSSESSIVE.sub("", word)) for word in folded.split()]
    words = [word for word in words if word]
    while len(words) > 1 and words[0] in ARTICLES:
        words.pop(0)
    # J. R. R. and J.R.R., U.S. and US, are the same initials.
    return _INITIALS.sub("", " ".join(words))


def extract_keywords(question: str) -> frozenset[str]:
    """Keywords of one question.

    Args:
        question: One question, or any short text; sentences are told apart.

    Returns:
        Normalised keywords; empty where the question has neither names nor content words.

    Examples:
        >>> sorted(extract_keywords("Who was Teutberga's husband in 875?"))
        ['875', 'teutberga']
        >>> sorted(extract_keywords("which river is longest in the world"))
        ['longest', 'river', 'world']
    """
    text = unicodedata.normalize("NFKC", question).translate(_QUOTES)
    text, quoted = _cut_quoted(text)
    if text.isupper():
        # Nothing stands out where everything is capital.
        text = text.lower()
    tokens = _tokens(text)
    return frozenset(quoted | _names(tokens) or _content_phrases(tokens))


class _Token:
    """A word and how it hangs together with the one before it."""

    __slots__ = ("adjacent", "initial", "word")

    def __init__(self, word: str, gap: str, *, first: bool) -> None:
        self.word = word
        # Only white space between two words lets a phrase run on.
        self.adjacent = not first and gap.isspace()
        self.initial = first or bool(_SENTENCE_END.search(gap))

    @property
    def capital(self) -> bool:
        """Whether the word looks like (part of) a name: a capital anywhere, as in iPhone."""
        return any(letter.isupper() or letter.istitle() for letter in self.word)


def _cut_quoted(text: str) -> tuple[str, set[str]]:
    """Take out the short quoted spans; what is left keeps a break in their place."""
    found: set[str] = set()

    def cut(match: re.Match[str]) -> str:
        span = next(group for group in match.groups() if group is not None)
        keyword = normalise_keyword(span)
        if not keyword or len(span.split()) > _QUOTED_WORDS:
            return match.group()
        found.add(keyword)
        return " , "

    return _QUOTED.sub(cut, text), found


def _tokens(text: str) -> list[_Token]:
    """Words in order. The point of an initial or a title ("J. R.", "St.") ends no phrase."""
    tokens: list[_Token] = []
    end = 0
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        if tokens and gap.startswith(". ") and _ABBREVIATION.fullmatch(tokens[-1].word):
            gap = gap[1:]
        tokens.append(_Token(match.group(), gap, first=not tokens))
        end = match.end()
    return tokens


def _names(tokens: list[_Token]) -> set[str]:
    """Runs of capitalised words, years and lone numbers."""
    found: set[str] = set()
    run: list[str] = []
    for position, token in enumerate(tokens):
        lowered = token.word.lower()
        if not token.adjacent:
            _close(run, found)
        if _YEAR.fullmatch(token.word):
            _close(run, found)
            found.add(token.word)
        elif token.capital:
            # "Who", "Name", "In": a capital that only the sentence start explains.
            if not (token.initial and lowered in NOT_CONTENT):
                run.append(token.word)
        elif (run and lowered in JOINERS and _name_follows(tokens, position)) or (
            token.word[0].isdigit() and (run or _name_follows(tokens, position))
        ):
            run.append(token.word)
        else:
            _close(run, found)
            if token.word[0].isdigit():
                found.add(normalise_keyword(token.word))
    _close(run, found)
    return found


def _name_follows(tokens: list[_Token], position: int) -> bool:
    """Whether a capitalised word comes next, over joiners only and with no break."""
    for token in tokens[position + 1 :]:
        if not token.adjacent or (not token.capital and token.word not in JOINERS):
            return False
        if token.capital:
            return True
    return False


def _close(run: list[str], found: set[str]) -> None:
    """End a run: trim what no name begins or ends with, keep the rest, and empty the run."""
    words = list(run)
    run.clear()
    while words and words[0].lower() in NEVER_OUTSIDE:
        words.pop(0)
    while words and words[-1].lower() in NEVER_OUTSIDE:
        words.pop()
    # "I" and a capitalised "But" inside a sentence are words, "Will Smith" is a name.
    if len(words) == 1 and words[0].lower() in FUNCTION_WORDS:
        return
    if keyword := normalise_keyword(" ".join(words)):
        found.add(keyword)


def _content_phrases(tokens: list[_Token]) -> set[str]:
    """Runs of lower-case words that are neither function words nor verbs of asking."""
    found: set[str] = set()
    run: list[str] = []
    for token in tokens:
        content = not token.capital and not token.word[0].isdigit()
        content = content and token.word not in NOT_CONTENT and token.word not in JOINERS
        if run and not (content and token.adjacent):
            found.add(normalise_keyword(" ".join(run)))
            run.clear()
        if content:
            run.append(token.word)
    if run:
        found.add(normalise_keyword(" ".join(run)))
    return found - {""}
