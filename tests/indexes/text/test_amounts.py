from __future__ import annotations

import pytest

from hopyard.indexes.text.amounts import asks_for_amount


@pytest.mark.parametrize(
    "question",
    [
        "How much did the bridge cost?",
        "What is the net PROFIT MARGIN for 2021?",
        "Which segment has more than 20% of sales?",
        "Wie viele Schiffe hat die Werft?",
        "Quel est le montant total ?",
        "¿Cuántas monedas guarda el museo?",
        "这座桥花了多少钱?",
    ],
)
def test_questions_that_ask_for_an_amount(question: str) -> None:
    assert asks_for_amount(question)


@pytest.mark.parametrize(
    "question", ["Who built the bridge?", "How was it rated?", "Wer leitet die Werft?", ""]
)
def test_questions_that_do_not(question: str) -> None:
    assert not asks_for_amount(question)
