"""Citations that can be checked: sentences that are in their passage word for word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from hopyard.indexes.records import Passage
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.schemas import Citation

__all__ = ("cite", "contains_quote")

MOST_CITATIONS: Final = 3
_SENTENCE: Final = re.compile(r"\S.*?(?:[.!?][\"'”’)\]]*(?=\s|$)|$)", re.DOTALL)
_WORD: Final = re.compile(r"\w+")
_FUNCTION_WORDS: Final = frozenset(
    word
    for line in (
        "a an and are as at be been being both but by did do does first for from had has have he",
        "her his how in into is it its of on or same she that the their them they this those to",
        "was were what when where which who whom whose why will with would you your",
    )
    for word in line.split()
)
_JUDGEMENTS: Final = frozenset({"yes", "no", "neither", "none", "equal", "equally"})
"""Words of an answer that is concluded, and stands in no passage."""
LEAST_SHARED_WORDS: Final = 2


def contains_quote(passage: Passage, quote: str) -> bool:
    """Whether the quote is in the passage word for word, white space aside."""
    return bool(quote.strip()) and _flat(quote) in _flat(passage.text)


def cite(question: str, answer: str, passages: Sequence[Passage]) -> list[Citation]:
    """Find the sentences that support an answer.

    A sentence supports a name, number or date when it holds it; an answer in a whole sentence is
    supported by what holds all that the question did not say. An answer such as "yes" stands
    nowhere: then each passage's sentence that shares most content words with the question is
    quoted, if it shares two. What cannot be quoted is not cited.

    Args:
        question: The question answered.
        answer: The short answer.
        passages: What the model read, the best first.

    Returns:
        At most three citations, at most one a passage, in the order of the passages.
    """
    if not _WORD.search(answer) or answer.strip().lower() == UNKNOWN.lower():
        return []
    wanted = _content(answer)
    asked = _content(question)
    if not wanted or wanted & _JUDGEMENTS:
        return _best_sentences(
            passages, lambda words: len(asked & words) >= LEAST_SHARED_WORDS, asked
        )
    holding = _best_sentences(passages, lambda words: wanted <= words, asked)
    if not holding and (new := wanted - asked):
        holding = _best_sentences(passages, lambda words: new <= words, asked)
    return holding


def _best_sentences(
    passages: Sequence[Passage], supports: Callable[[set[str]], bool], asked: set[str]
) -> list[Citation]:
    citations: list[Citation] = []
    for passage in passages:
        scored = [
            (len(asked & words), -len(sentence), sentence)
            for sentence, words in _sentences(passage)
            if supports(words)
        ]
        if scored:
            quote = max(scored)[2]
            citations.append(
                Citation(passage_id=passage.id, title=passage.cited_title, quote=quote)
            )
        if len(citations) == MOST_CITATIONS:
            break
    return citations


def _sentences(passage: Passage) -> Iterable[tuple[str, set[str]]]:
    for match in _SENTENCE.finditer(passage.text):
        sentence = match.group().strip()
        # The title says what "it" and "he" in the sentence stand for.
        yield sentence, _content(f"{passage.title} {sentence}")


def _content(text: str) -> set[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return {word for word in _WORD.findall(plain) if word not in _FUNCTION_WORDS}


def _flat(text: str) -> str:
    return " ".join(text.split())
