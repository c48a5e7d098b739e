"""Which questions are about the documents themselves."""

from __future__ import annotations

import pytest

from hopyard.nodes.gate import is_about_documents


@pytest.mark.parametrize(
    "question",
    [
        "What do these articles have in common?",
        "Summarise the approach in all guides.",
        "I have 400 reports and no time. What should I know?",
        "Which topics get little attention in the collection?",
        "Which topics are missing in this small collection?",
        "How do the different annual reports judge the risks?",
        "How often do my notes mention Lisbon?",
    ],
)
def test_the_documents_are_named(question: str) -> None:
    assert is_about_documents(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote the Harry Potter books?",
        "Put this text in the past tense: She sings.",  # the request holds it
        "Write a report about autumn.",
        "Put this paper into simpler words: Cells divide.",
        "How do I write good notes?",
        "",
    ],
)
def test_the_documents_are_not_named(question: str) -> None:
    assert not is_about_documents(question)
