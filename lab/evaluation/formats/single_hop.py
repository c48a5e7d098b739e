"""NQ-open, TriviaQA and SQuAD: questions that at most one document answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lab.evaluation.formats.plain import Converted, Row

__all__ = ("nq_open", "squad", "triviaqa")

_TYPE = "single_hop"


def nq_open(rows: Iterable[Row]) -> Converted:
    """Natural Questions, open (Lee et al. 2019): questions and answers, no documents."""
    converted = Converted()
    for number, row in enumerate(rows):
        answers = row["answer"]
        converted.add_question(
            str(row.get("id", f"nq-{number}")),
            row["question"],
            [answers] if isinstance(answers, str) else list(answers),
            kind=_TYPE,
        )
    return converted


def triviaqa(rows: Iterable[Row]) -> Converted:
    """TriviaQA (Joshi et al. 2017), as released (`Data`) or as the hub has it.

    Wikipedia pages and search results that have a text become the corpus; a page counts as
    supporting if it contains an alias of the answer (distant supervision).
    """
    converted = Converted()
    for row in _under(rows, "Data"):
        answer = row.get("Answer") or row["answer"]
        value = answer.get("Value") or answer["value"]
        aliases = [value, *(answer.get("Aliases") or answer.get("aliases") or ())]
        supporting = []
        for title, text in _trivia_pages(row):
            key = converted.add_document(title, text)
            if any(alias.lower() in text.lower() for alias in aliases):
                supporting.append(key)
        converted.add_question(
            str(row.get("QuestionId") or row["question_id"]),
            row.get("Question") or row["question"],
            aliases,
            supporting,
            _TYPE,
        )
    return converted


def squad(rows: Iterable[Row]) -> Converted:
    """SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018), as released (`data`) or row by row.

    The gold answer of an unanswerable question is the empty text, as in SQuAD's evaluation.
    """
    converted = Converted()
    for row in _under(rows, "data"):
        for title, context, question in _squad_questions(row):
            key = converted.add_document(title, context)
            answers = question["answers"]
            texts = (
                answers["text"]
                if isinstance(answers, Mapping)
                else [answer["text"] for answer in answers]
            )
            converted.add_question(
                str(question["id"]), question["question"], list(texts) or [""], [key], _TYPE
            )
    return converted


def _under(rows: Iterable[Row], name: str) -> Iterator[Row]:
    """The rows, or those under a name where the whole file is one object."""
    for row in rows:
        if name in row:
            yield from row[name]
        else:
            yield row


def _trivia_pages(row: Row) -> Iterator[tuple[str, str]]:
    for pages in (row.get("EntityPages"), row.get("SearchResults")):
        for page in pages or ():
            if text := page.get("Text") or page.get("Description"):
                yield page.get("Title", ""), text
    for name, text_name in (("entity_pages", "wiki_context"), ("search_results", "search_context")):
        found: Any = row.get(name) or {}
        yield from zip(found.get("title", ()), found.get(text_name, ()), strict=False)


def _squad_questions(row: Row) -> Iterator[tuple[str, str, Row]]:
    if "paragraphs" not in row:
        yield row.get("title", ""), row["context"], row
        return
    for paragraph in row["paragraphs"]:
        for question in paragraph["qas"]:
            yield row.get("title", ""), paragraph["context"], question
