"""The record of `table`."""

from __future__ import annotations

from typing import Final

from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="table",
    about=(
        "One query in SQL over the tables of the documents: for sums, counts, averages, extremes, "
        "sorted lists and joins over the rows of spreadsheets and other tables, where all rows "
        "have to be read. The index needs tables."
    ),
    graph="hopyard.graphs.table:graph",
    needs=("tables",),
    route=RouteLabel(
        "it asks for a sum, a count, an average, an extreme or a comparison over rows of tables",
        examples=("What did the orders of March cost together?",),
    ),
    form=(
        r"\bhow (?:many|much|often)\b|\bnumber of\b|\btotals?\b|\bsums?\b|\bin all\b"
        r"|\b(?:al)?together\b|\bcounts?\b|\baverages?\b|\b(?:the|arithmetic) mean\b|\bmedian\b"
        r"|\bm(?:axi|ini)mum\b|\b(?:most|least|fewest)\b"
        r"|\b(?!forest|interest|honest|request|guest|protest|contest|suggest|invest|arrest|midwest)"
        r"\w{3,}est\b|\b(?:more|less|fewer|higher|lower|larger|smaller|at) (?:than|least|most)\b"
        r"|(?<!as )\bper\b(?! se\b)|\beach\b(?! other)|\bevery\b|\bshare of\b|\bpercent|%"
        r"|\bsort(?:ed)?\b(?! of)|\brank|\btop \w+\b|\bdiffer"
        r"|^\W*list\b|\b(?:which|what are the)\s+\w{2,}[^\W\dsiu]s\b(?!\s*['’])"
        r"|(?<!at )(?<!after )\ball\b"
        r"|\bwie ?(?:viele?|oft)\b|\bsummen?\b|\b(?:ins)?gesamt|\bdurchschnitt|\bmittelwert"
        r"|\bzusammen\b|\bbetr[aä]ge?\b|\bwie hoch\b|\bam \w+sten\b|\bhöchst|\bniedrigst|\bgrößt"
        r"|\bkleinst|\bmeisten?s?\b|\bwenigst|\b(?:mehr|weniger) als\b|\bprozent|\banteil"
        r"|(?-i:\b(?:pro|je) [A-ZÄÖÜ])|\bwelche\b|\balle\b"
        r"|\bcombien|\bsomme\b|\bmoyennes?\b|\b(?:le|la|les) (?:plus|moins)\b"
        r"|\b(?:plus|moins) (?:de\b|d['’]|qu)|\bchaque\b|\bquel(?:le)?s\b"
        r"|\bcuánt|\bsuma\b|\bpromedio|\bla media\b|\b(?:el|la|los|las) (?:\w+ )?(?:mayor|menor)"
        r"|\bmás\b|\bmenos\b|\bcada\b|\bquant[aeio]\b|\bsomma\b|\bpiù\b|\bmeno\b|\bogni\b"
        r"|몇|얼마|합계|총|평균|가장|최[대소고저]|각각?|多少|几|总|合计|平均|最|每|いくつ|いくら|何[人件個回]|合計|総"
    ),
    beside=("capable",),
    stronger=("chain", "single"),
    profiles=("small", "capable"),
    rank=25,
    calls=1,
    label="SQL over tables",
)
