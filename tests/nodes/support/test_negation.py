"""A statement and its quote, of which one denies what the other says."""

from __future__ import annotations

import pytest

from hopyard.nodes.judge import is_denied


@pytest.mark.parametrize(
    ("statement", "quote", "denied"),
    [
        ("The bridge did not open in May 1781", "The bridge opened in May 1781.", True),
        ("The ferry never stops at the island", "The ferry stops at the island.", True),
        ("The bridge opened to all in 1781", "The bridge didn't open in 1781.", True),
        ("The hotel has no lift for guests", "The hotel has a lift.", True),
        ("Die Fähre hält nicht an der Insel", "Die Fähre hält an der Insel.", False),
        ("Die Fähre hat keinen Aufzug für Gäste", "Die Fähre hat einen Aufzug.", True),
        ("The bridge did not open in May 1781", "The bridge was not opened in 1781.", False),
        ("The bridge was opened in May 1781", "It opened in 1781, not in 1790.", False),
        ("Did the bridge open in 1781? No", "The bridge opened in 1781.", False),
        ("The bridge did not open in 1781", "The Severn is a river.", False),
        ("", "The bridge opened.", False),
    ],
)
def test_a_negation_on_one_side(statement: str, quote: str, denied: bool) -> None:
    assert is_denied(statement, quote) is denied
