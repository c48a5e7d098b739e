"""The route offers `table` for questions that rows of a table can answer, and for no others."""

from __future__ import annotations

import pytest

from hopyard.state.strategy import STRATEGIES


@pytest.mark.parametrize(
    "question",
    [
        "How many trucks queued at gate 3?",
        "What was spent on repairs in all?",
        "Which firms were paid more than 500 euros?",
        "What is the highest bill?",
        "List the orders of March by customer.",
        "Wie hoch ist der Betrag aller offenen Aufträge zusammen?",
        "Quelle est la somme des factures ?",
        "이 표의 합계는 얼마입니까?",
        "Do all seniors have a boat licence?",
        "Is the mean of the fees above 40?",
        "Was kostet die Miete pro Monat?",
        "Welcher Kunde hat die meisten Aufträge?",
        "¿Cuál es la media de los precios?",
        "¿Quién tiene el mayor saldo?",
        "Quel client a payé le plus ?",
    ],
)
def test_sums_counts_and_extremes_have_the_form(question: str) -> None:
    assert STRATEGIES["table"].fits(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who signed the lease of Mill Lane 3?",
        "Darf ich auf dem Balkon grillen?",
        "Was the bill refunded, and is it below the excess?",
        "Is the forest of interest to the guest from the west?",
        "does a junior have a boat licence?",
        "Who teaches the summer course?",
        "Who is the mayor, and by what means is he paid?",
        "What sort of media does the contract mean, if any at all?",
        "Is the deposit refunded as per the lease, plus interest?",
        "Wer ist der Meister der Werkstatt?",
        "Puis-je fumer sur le balcon, et par quel moyen le sommelier paie-t-il ?",
        "Was wächst auf Sumatra, und wer lobt das Betragen?",
    ],
)
def test_other_questions_cost_no_call_of_the_route(question: str) -> None:
    assert not STRATEGIES["table"].fits(question)
