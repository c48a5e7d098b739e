"""The citations of a capable model's answer: what it named as support, checked and numbered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.citations import (
    JUDGEMENTS,
    cite,
    cite_passages,
    cited_sentences,
    is_unknown,
    marked_statements,
    place_claims,
    statements,
)
from hopyard.nodes.support.quantities import without_dates
from hopyard.nodes.support.words import units
from hopyard.prompts.answer import GENERAL_KNOWLEDGE
from hopyard.state.schemas import UNCITED, Citation
from hopyard.state.text.markers import renumber

NOT_STATED: Final = (
    "This answer was not found in the cited passages; the model may have inferred it."
)


@dataclass(frozen=True)
class Cited:
    """An answer with its citations.

    Attributes:
        answer: Its text; a marker [n] in it is the n-th citation.
        citations: In the order of the markers, or of the passages that the model named.
        unconfirmed: One sentence about the part that the documents do not confirm, or "".
        cut: Whether the answer reached its limit and was cut there.
    """

    answer: str
    citations: list[Citation]
    unconfirmed: str = ""
    cut: bool = False


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
    whole: the passages named, read together, have to state what it adds to the question (names,
    numbers, words); for an answer that adds nothing, such as "yes" or one of the names asked about,
    they have to be about the question. Where the model named no passage, sentences that hold the
    answer are looked for.

    Args:
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
    citations, places = place_claims(claims, question=question)
    sentences = cited_sentences(answer)
    _read_together(question, _held(sentences, passages), passages, citations, places)
    whole = {part: sentence for sentence, parts in sentences for part, _ in parts}
    for citation in citations:
        citation["claim"] = whole.get(citation["claim"], citation["claim"])
    parts, start = [], 0
    for statement, numbers, (begin, end) in marked_statements(answer):
        own = {
            number: places[statement, passages[number - 1].id]
            for number in numbers
            if _is_shown(number, passages) and (statement, passages[number - 1].id) in places
        }
        parts += [answer[start:begin], renumber(answer[begin:end], own)]
        start = end
    text = "".join([*parts, answer[start:]])
    return Cited(text, citations, _unconfirmed(citations))


def _held(
    sentences: Sequence[tuple[str, Sequence[tuple[str, Sequence[int]]]]],
    passages: Sequence[Passage],
) -> Iterator[tuple[list[str], list[Passage]]]:
    """The statements of each sentence of an answer, with the passages of the whole sentence."""
    for _, parts in sentences:
        numbers = [number for _, own in parts for number in own]
        shown = (passages[number - 1] for number in numbers if _is_shown(number, passages))
        held = {passage.id: passage for passage in shown}
        yield [statement for statement, _ in parts], list(held.values())


def _read_together(
    question: str,
    groups: Iterable[tuple[Sequence[str], Sequence[Passage]]],
    passages: Sequence[Passage],
    citations: list[Citation],
    places: Mapping[tuple[str, str], int],
) -> None:
    """Support the parts of a sentence whose passages together state the whole of it.

    "In Illinois: Clyde Tombaugh found it [1], who was born there [2]" begins with what [2] states.
    A citation of several claims is supported if all of them are.

    Args:
        groups: The claims of each sentence with the passages that are read together.
        passages: All passages that the model read.
        citations: All citations; those of heads come last.
        places: The number of the citation of each claim and passage id.
    """
    stated: set[tuple[str, str]] = set()
    for claims, held in groups:
        doubted = {
            name
            for (claim, name), number in places.items()
            if claim in claims and not citations[number - 1]["supported"]
        }
        if doubted:
            found = _read_again(question, ", ".join(claims), held, passages, doubted, citations)
            stated.update((claim, name) for claim in claims for name in found)
    left = {
        number: claim for (claim, name), number in places.items() if (claim, name) not in stated
    }
    for number in set(places.values()):
        citation = citations[number - 1]
        if not citation["supported"]:
            citation["supported"] = number not in left
            citation["claim"] = left.get(number, citation["claim"])


def _read_again(
    question: str,
    claim: str,
    held: Sequence[Passage],
    passages: Sequence[Passage],
    doubted: Set[str],
    citations: list[Citation],
) -> Set[str]:
    """The doubted passages that state a claim with the others, or all of it but its dates.

    "The meeting of 5 April decided it [1]": [1] says what was decided, and the head of its document
    says when. The head is cited too then. Names and other numbers of a head do not count: it names
    all who were there.
    """
    documents = {passage.document_id for passage in held}
    heads = [
        each
        for each in passages
        if not each.position and each.document_id in documents and each not in held
    ]
    undated = without_dates(claim)
    stated = undated != claim and any(
        each and each["supported"] for each in cite_passages(undated, held, about=question)
    )
    for head in ([], *([each] for each in heads if stated)):
        found = cite_passages(claim, [*held, *head], about=question)
        good = [each for each in found if each and each["supported"]]
        named = {each["passage_id"] for each in good}
        if named & doubted and (not head or head[0].id in named):
            if head and head[0].id not in {each["passage_id"] for each in citations}:
                citations.append(good[-1])
            return named & doubted
    return frozenset()


def _cite_findings(
    question: str, answer: str, passages: Sequence[Passage], findings: Sequence[tuple[str, Passage]]
) -> Cited:
    citations, numbers = place_claims(findings, question=question)
    held = defaultdict[str, list[Passage]](list)
    for claim, passage in findings:
        held[claim].append(passage)
    groups = (([claim], own) for claim, own in held.items())
    _read_together(question, groups, passages, citations, numbers)
    cited = [citation["passage_id"] for citation in citations]
    places = {
        number: cited.index(passage.id) + 1
        for number, passage in enumerate(passages, 1)
        if passage.id in cited
    }
    found = Cited(renumber(answer, places), citations, _unconfirmed(citations))
    if found.unconfirmed:
        # A finding may say more than the answer: the passages may still state the answer.
        whole = _cite_whole(question, answer, passages, list(places))
        if not whole.unconfirmed and _adds(question, renumber(answer, {})):
            return whole
    return found


def _cite_whole(
    question: str, answer: str, passages: Sequence[Passage], numbers: Sequence[int]
) -> Cited:
    text = renumber(answer, {})
    if not numbers:
        found = cite(question, text, passages)
        return Cited(text, found, "" if found else UNCITED)
    text = text.partition(GENERAL_KNOWLEDGE)[0].strip()
    made = cite_passages(text, [passages[number - 1] for number in numbers], asked=question)
    cited = [(number, each) for number, each in zip(numbers, made, strict=True) if each]
    places = {number: place for place, (number, _) in enumerate(cited, 1)}
    citations = [citation for _, citation in cited]
    return Cited(renumber(answer, places), citations, _unconfirmed(citations))


def _adds(question: str, answer: str) -> bool:
    """Whether an answer has a word or a number that its question and a judgement have not."""
    return bool(units(answer) - units(question) - units(" ".join(JUDGEMENTS)))


def _unconfirmed(citations: Sequence[Citation]) -> str:
    if not citations:
        return UNCITED
    return "" if any(citation.get("supported", True) for citation in citations) else NOT_STATED
