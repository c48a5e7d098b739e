"""Whether a question asks for an amount: tables have most amounts of a document."""

from __future__ import annotations

import re
from typing import Final

__all__ = ("asks_for_amount",)

_AMOUNT: Final = re.compile(
    r"""\bhow\s(?:much|many)\b
    | \b(?:amount|average|margin|number\sof|percent(?:age)?|rate|ratio|total|usd)s?\b
    | \b(?:thousand|million|billion)s?\b | [%$€£¥]
    | \bwie\s?viele?\b | \b(?:anteil|anzahl|betrag|durchschnitt|prozent|summe)\b
    | \b(?:tausend|million(?:en)?|milliarden?)\b
    | \bcombien\b | \b(?:marge|montant|moyenne|nombre\sde|pourcentage|taux)\b | \bmilliards?\b
    | \bcu[aá]nt[oa]s?\b | \b(?:importe|margen|n[uú]mero\sde|porcentaje|promedio|tasa)\b
    | \b(?:mil|millones)\b | 多少 | 얼마 | 몇 | いくら""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_for_amount(question: str) -> bool:
    """Whether a question has words of amounts, in English, German, French, Spanish or others."""
    return bool(_AMOUNT.search(question))
