"""Whether a question names a document, a source or an entity of an index.

Only names that no ordinary words can be count: names in capitals (`Harbour Tariff`), names of
letters and digits (`INC-214`), and longer names in scripts without capitals. The question must have
them letter for letter. Titles, files, sources and authors are those of the passages nearest to the
question, and entities are looked up, so the cost does not grow with the corpus. Of an entity two
words count that are no function words: `the Second`, `COUNT` and dates are in many requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.index import Index
from hopyard.indexes.text.capitals import QUOTES
from hopyard.indexes.text.english import FUNCTION_WORDS
from hopyard.indexes.text.names import is_date
from hopyard.models.embedder import Vector
from hopyard.state.metadata import known_value
from hopyard.state.references import file_name

_NEAREST: Final = 20
"""Passages whose names are looked for, by words and by meaning."""
_PARTS: Final = re.compile(r"\s*(?:[,;:|()]|\s[-–—]\s)\s*")
"""Between the parts of a title: `Mercury (planet)`, `Repair contract: Girl Morwenna`."""
_WORD: Final = re.compile(r"\w+(?:[.'&/-]\w+)*")
_ENDING: Final = re.compile(r"(?:['’]s)?\.?\Z")
"""The signs that may follow a name in a question."""
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Characters of Chinese, Japanese and Korean: a particle may follow a name without a space."""
_LEAST_UNSPACED: Final = 5
"""Characters of a name of one such word: shorter names are often ordinary words."""
_LEAST_CODE: Final = 4
"""Characters of a name of one word with digits or inner capitals."""
_VERBATIM: Final = 4
"""Words that are telling together, whatever their capitals."""


def name_in(question: str, vector: Vector | None, index: Index) -> str:
    """A name of the index's documents in a question, as the question writes it; "" for none.

    Args:
        question: Any text.
        vector: Its embedding [d] by the index's model; None where the index has no dense part.

    Raises:
        IndexMissingError: A part of the index is damaged.
    """
    nearest: list[str] = []
    if index.has("sparse"):
        nearest += [found for found, _ in index.reader("sparse").search(question, _NEAREST)]
    if vector is not None and index.has("dense"):
        nearest += [found for found, _ in index.reader("dense").search(vector, _NEAREST)]
    plain = _plain(question)
    for passage in index.passages(list(dict.fromkeys(nearest))):
        for name in _names_of(passage):
            if is_telling(name) and stands_in(plain, name):
                return name
    return next(_entities_in(question, index), "")


def _entities_in(question: str, index: Index) -> Iterator[str]:
    """The entities of the graph that a question names and that are telling, if there is a graph."""
    if index.has("entity-graph"):
        from hopyard.indexes.kinds.entity_graph.read.linking import (
            known_names,  # loads the graph's code
        )

        for name in known_names(index.reader("entity-graph"), question):
            content = [word for word in _WORD.findall(name) if _is_content(word)]
            if len(content) > 1 and is_telling(name) and not is_date(name):
                yield _ENDING.sub("", name)


def is_telling(name: str) -> bool:
    """Whether ordinary words of a request are hardly ever written like the name."""
    words = _WORD.findall(name)
    if _UNSPACED.search(name):
        return len(words) > 1 or len(name) >= _LEAST_UNSPACED
    if len(words) == 1:
        [word] = words
        return len(word) >= _LEAST_CODE and (_has_both(word) or word[1:] != word[1:].lower())
    if not any(map(_is_content, words)):
        return False
    if name.lower() == name.upper():  # a script without capitals
        return len(words) > 1
    marked = sum(word[0].isupper() or word[0].isdigit() for word in words)
    return marked > 1 or len(words) >= _VERBATIM


def stands_in(text: str, name: str) -> bool:
    """Whether a text has a name letter for letter, as whole words.

    Args:
        text: With single spaces and plain quotes.
        name: As the index has it.
    """
    wanted = _plain(name)
    place = text.find(wanted)
    while wanted and place >= 0:
        before, after = text[place - 1 : place], text[place + len(wanted) :][:1]
        if _is_apart(before, wanted[0]) and _is_apart(after, wanted[-1]):
            return True
        place = text.find(wanted, place + 1)
    return False


def _has_both(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _is_content(word: str) -> bool:
    return not (word.casefold() in FUNCTION_WORDS or word.isdigit())


def _is_apart(neighbour: str, edge: str) -> bool:
    """Whether a name may end beside a character."""
    return not neighbour.isalnum() or bool(_UNSPACED.match(edge))


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(QUOTES)


def _names_of(passage: Passage) -> Iterator[str]:
    """Title, file, sources and authors of a passage's document, their parts and codes."""
    about = [known_value(passage.metadata, field) for field in ("source", "author")]
    for name in (passage.title, *(str(value) for value in about if value)):
        yield name
        yield from _PARTS.split(name)
        yield from (word for word in _WORD.findall(name) if _has_both(word) and not word.islower())
    yield file_name(passage.source)
