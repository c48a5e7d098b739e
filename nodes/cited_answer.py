"""The citations of a capable model's answer: what it named as support, checked and numbered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from hopyard.indexes.records import Passage
from hopyard.nodes.citations import (
    JUDGEMENTS,
    LEAST_SHARED_WORDS,
    cite,
    cite_claims,
    is_unknown,
    marked_statements,
    statements,
)
from hopyard.nodes.language import in_two_languages, script_of
from hopyard.nodes.support import (
    LEAST_SHARE,
    Units,
    best_quote,
    context_of,
    held_by,
    shared,
    units,
)
from hopyard.prompts.style import GENERAL_KNOWLEDGE
from hopyard.state.markers import renumber
from hopyard.state.schemas import Citation

__all__ = ("NOTHING_NAMED", "NOT_STATED", "Cited", "cite_answer")

NOT_STATED: Final = "The cited passages do not state this answer; the model may have inferred it."
NOTHING_NAMED: Final = "No passage was named that supports the answer."


@dataclass(frozen=True)
class Cited:
    """An answer with its citations.

    Attributes:
        answer: Its text; a marker [n] in it is the n-th citation.
        citations: In the order of the markers, or of the passages that the model named.
        unconfirmed: One sentence about the part that the documents do not confirm, or "".
    """

    answer: str
    citations: list[Citation]
    unconfirmed: str = ""


def cite_answer(
    question: str,
    answer: str,
    passages: Sequence[Passage],
    numbers: Sequence[int] = (),
    *,
    findings: Sequence[tuple[str, Passage]] = (),
) -> Cited:
    """Quote what supports an answer, and number its markers as the citations are.

    An answer of several statements with markers is checked statement by statement. For any other
    one the findings that it was concluded from are checked. Without findings it is checked as a
    whole: what it adds to the question (names, numbers, words) has to be in the
    quotes of the passages named, read together; an answer that adds nothing, such as "yes" or one
    of the names asked about, is supported by quotes that share `LEAST_SHARED_WORDS` with the
    question. Where the model named no passage, sentences that hold the answer are looked for.

    Args:
        question: The question answered.
        answer: The model's answer, perhaps with markers such as [2].
        passages: The passages in the prompt, in the order of the numbers, from 1.
        numbers: The passages that the model named as support of the whole answer.
        findings: The findings that it was concluded from, each with its passage.
    """
    if is_unknown(answer):
        return Cited(renumber(answer, {}), [])
    groups = [group for _, group in statements(answer)]
    if sum(any(_is_shown(number, passages) for number in group) for group in groups) > 1:
        cited = _cite_statements(question, answer, passages)
    elif findings:
        cited = _cite_findings(question, answer, passages, findings)
    else:
        named = dict.fromkeys([*chain.from_iterable(groups), *numbers])
        kept = [number for number in named if _is_shown(number, passages)]
        cited = _cite_whole(question, answer, passages, kept)
    if cited.answer.startswith(GENERAL_KNOWLEDGE):
        return Cited(cited.answer, [])  # it is marked as the model's own
    return cited


def _is_shown(number: int, passages: Sequence[Passage]) -> bool:
    return 1 <= number <= len(passages)


def _cite_statements(question: str, answer: str, passages: Sequence[Passage]) -> Cited:
    claims: list[tuple[str, Passage]] = []
    for statement, numbers in statements(answer):
        claims += [
            (statement, passages[number - 1]) for number in numbers if _is_shown(number, passages)
        ]
    citations, about = cite_claims(claims, question=question), units(question)
    places = {
        (citation["passage_id"], citation["quote"]): place
        for place, citation in enumerate(citations, 1)
    }
    parts, start = [], 0
    for statement, numbers, (begin, end) in marked_statements(answer):
        own = {}
        for number in numbers:
            if statement and _is_shown(number, passages):
                passage = passages[number - 1]
                quote = best_quote(statement, passage, about=about)
                own[number] = places.get((passage.id, quote), 0)
        kept = {number: place for number, place in own.items() if place}
        parts += [answer[start:begin], renumber(answer[begin:end], kept)]
        start = end
    text = "".join([*parts, answer[start:]])
    return Cited(text, citations, _unconfirmed(citations))


def _cite_findings(
    question: str,
    answer: str,
    passages: Sequence[Passage],
    findings: Sequence[tuple[str, Passage]],
) -> Cited:
    citations = cite_claims(findings, question=question)
    cited = [citation["passage_id"] for citation in citations]
    places = {
        number: cited.index(passage.id) + 1
        for number, passage in enumerate(passages, 1)
        if passage.id in cited
    }
    found = Cited(renumber(answer, places), citations, _unconfirmed(citations))
    if found.unconfirmed:
        # A finding may say more than the answer: the passages may state the answer all the same.
        whole = _cite_whole(question, answer, passages, list(places))
        held = held_by([(cited["title"], cited["quote"]) for cited in whole.citations])
        if not whole.unconfirmed and shared(_news(question, renumber(answer, {})), held):
            return whole
    return found


def _cite_whole(
    question: str, answer: str, passages: Sequence[Passage], numbers: Sequence[int]
) -> Cited:
    text = renumber(answer, {})
    if not numbers:
        found = cite(question, text, passages)
        return Cited(text, found, "" if found else NOTHING_NAMED)
    text = text.partition(GENERAL_KNOWLEDGE)[0].strip()
    claim = f"{question} {text}"
    new = _news(question, text)
    quoted = []
    for number in numbers:
        passage = passages[number - 1]
        if quote := best_quote(claim, passage, first=new):
            quoted.append((number, passage, quote))
    stated = _states(
        question, text, new, [(context_of(passage, quote), quote) for _, passage, quote in quoted]
    )
    citations = [
        Citation(
            passage_id=passage.id,
            title=passage.title,
            quote=quote,
            claim=text,
            supported=stated and _bears(claim, passage, quote),
        )
        for _, passage, quote in quoted
    ]
    places = {number: place for place, (number, _, _) in enumerate(quoted, 1)}
    return Cited(renumber(answer, places), citations, _unconfirmed(citations))


def _news(question: str, answer: str) -> Units:
    """The words that an answer adds to its question."""
    asked, said = units(question), units(answer)
    judgements = units(" ".join(JUDGEMENTS)).words
    return Units(said.words - asked.words - judgements, said.numbers - asked.numbers)


def _states(question: str, answer: str, new: Units, quotes: Sequence[tuple[str, str]]) -> bool:
    """Whether quotes, read together, hold what the answer adds to the question."""
    held = held_by(quotes)
    texts = " ".join(quote for _, quote in quotes)
    if not new.numbers <= held.numbers:
        return False
    if script_of(answer) != script_of(texts) or in_two_languages(f"{question} {answer}", texts):
        return True  # the words of two languages cannot be compared
    if not new.words:
        return True
    return len(new.words & held.words) >= LEAST_SHARE * len(new.words)


def _bears(claim: str, passage: Passage, quote: str) -> bool:
    """Whether a quote is about the question or its answer at all."""
    if script_of(claim) != script_of(quote):
        return True
    common = shared(units(claim), units(f"{context_of(passage, quote)} {quote}"))
    return common >= (1 if in_two_languages(claim, quote) else LEAST_SHARED_WORDS)


def _unconfirmed(citations: Sequence[Citation]) -> str:
    if not citations:
        return NOTHING_NAMED
    return "" if any(citation.get("supported", True) for citation in citations) else NOT_STATED
