"""HotpotQA, 2WikiMultiHopQA, MuSiQue and MultiHop-RAG: questions that need several documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lab.evaluation.formats.plain import Converted, Row

__all__ = ("hotpotqa", "multihoprag", "musique")

_REFERENCE: Final = re.compile(r"#(\d+)")


def hotpotqa(rows: Iterable[Row]) -> Converted:
    """HotpotQA (Yang et al. 2018) and 2WikiMultiHopQA (Ho et al. 2020), distractor setting.

    Reads the released form (`_id`, `supporting_facts`: [[title, sentence]], `context`: [[title,
    sentences]]) and the hub's (lists by name). The contexts of all questions together are the
    corpus: a question's own context alone would be too easy to search.
    """
    converted = Converted()
    for row in rows:
        by_title: dict[str, str] = {}
        for title, sentences in _context(row["context"]):
            by_title[title] = converted.add_document(title, "".join(sentences).strip())
        facts = [title for title, _ in _pairs(row["supporting_facts"], "sent_id")]
        converted.add_question(
            str(row.get("_id") or row["id"]),
            row["question"],
            [row["answer"]],
            [by_title[title] for title in facts if title in by_title],
            row.get("type", ""),
        )
    return converted


def musique(rows: Iterable[Row]) -> Converted:
    """MuSiQue (Trivedi et al. 2022): paragraphs, aliases, and gold sub-questions."""
    converted = Converted()
    for row in rows:
        paragraphs = [
            (
                converted.add_document(paragraph["title"], paragraph["paragraph_text"]),
                bool(paragraph["is_supporting"]),
            )
            for paragraph in row["paragraphs"]
        ]
        answerable = row.get("answerable", True)
        steps = _steps(row.get("question_decomposition") or ())
        converted.add_question(
            row["id"],
            row["question"],
            [row["answer"], *row.get("answer_aliases", ())] if answerable else [""],
            [key for key, supporting in paragraphs if supporting],
            str(row["id"]).partition("__")[0],
            steps,
        )
    return converted


def multihoprag(rows: Iterable[Row], corpus: Iterable[Row] = ()) -> Converted:
    """MultiHop-RAG (Tang and Yang 2024): questions over news articles.

    Args:
        rows: `MultiHopRAG.json`: query, answer, question_type, evidence_list.
        corpus: `corpus.json`: title, body, url, source, published_at; without it, the articles
            consist of the facts that the questions cite.
    """
    converted = Converted()
    by_url: dict[str, str] = {}
    for article in corpus:
        by_url[article["url"]] = converted.add_document(
            article["title"], article["body"], _article(article)
        )
    rows = list(rows)
    if not by_url:
        for url, (evidence, facts) in _cited(rows).items():
            by_url[url] = converted.add_document(
                evidence["title"], "\n".join(facts), _article(evidence)
            )
    for number, row in enumerate(rows):
        urls = [evidence["url"] for evidence in row["evidence_list"]]
        converted.add_question(
            f"mhr-{number}",
            row["query"],
            [row["answer"]],
            [by_url[url] for url in urls if url in by_url],
            row.get("question_type", ""),
        )
    return converted


def _context(context: Any) -> Iterator[tuple[str, list[str]]]:
    if isinstance(context, str):  # 2WikiMultiHopQA's copies on the hub keep it as JSON
        context = json.loads(context)
    for title, sentences in _pairs(context, "sentences", "content"):
        yield title, [sentences] if isinstance(sentences, str) else list(sentences)


def _pairs(value: Any, *names: str) -> Iterator[tuple[str, Any]]:
    """Pairs of a title and a value, from pairs or from two lists by name."""
    if isinstance(value, str):
        value = json.loads(value)
    if isinstance(value, Mapping):
        other = next(name for name in names if name in value)
        yield from zip(value["title"], value[other], strict=True)
    else:
        for pair in value:
            yield str(pair[0]), pair[1]


def _steps(decomposition: Iterable[Row]) -> list[str]:
    """Gold sub-questions with their answers; earlier answers replace `#1`, `#2`."""
    steps: list[str] = []
    answers: list[str] = []
    for step in decomposition:
        question = _REFERENCE.sub(
            lambda found: _earlier(answers, int(found[1]), found[0]), step["question"]
        )
        steps.append(f"{question} >>>> {step['answer']}")
        answers.append(str(step["answer"]))
    return steps


def _earlier(answers: list[str], number: int, reference: str) -> str:
    return answers[number - 1] if 0 < number <= len(answers) else reference


def _cited(rows: Iterable[Row]) -> dict[str, tuple[Row, list[str]]]:
    """The distinct facts that the questions cite from each article."""
    articles: dict[str, tuple[Row, dict[str, None]]] = {}
    for row in rows:
        for evidence in row["evidence_list"]:
            _, facts = articles.setdefault(evidence["url"], (evidence, {}))
            facts[evidence["fact"].strip()] = None
    return {url: (evidence, list(facts)) for url, (evidence, facts) in articles.items()}


def _article(article: Row) -> dict[str, Any]:
    names = ("source", "published_at", "category", "author", "url")
    return {name: article[name] for name in names if article.get(name)}
