"""The record of `every`."""

from __future__ import annotations

from typing import Final

from hopyard.state.every import EverySettings
from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="every",
    about=(
        "Read all documents that can matter, group by group, into one table with a row for each "
        "item. For complete lists and counts over many documents, not for a list or a number that "
        "one passage can state."
    ),
    graph="hopyard.graphs.every:graph",
    route=RouteLabel("it asks for a complete list, or a count, over many documents"),
    form=(
        r"\bhow many\b|\bnumber of \w+s\b|^\W*list\b"
        r"|\b(?:list|name|count)\b.{0,9}\b(?:all|every|each)\b"
        r"|(?<!across )(?<!in )\ball (?:of )?(?:the |our |my )?\w+s\b"
        r"|\bevery \w+ (?:that|which|who|with|in|of)\b"
        r"|\b(?:which|what are the)\s+\w{2,}[^\W\dsiu]s\b(?!\s*['’])"
        r"|\bwhat\s+\w{2,}[^\W\dsiu]s\s+(?:are|were|do|did|have|had|can|will)\b"
        r"|\b(?:wie ?viele|welche|alle|liste)\b|\bcombien|\bquel(?:le)?s\b|\btou(?:s|tes) les\b"
        r"|\bcuánt[ao]s\b|\bcuáles\b|\btod[ao]s l[ao]s\b|\bquant[ie]\b|\bquali\b|\btutt[ie] "
        r"|몇 ?(?:개|명|건|가지|곳)|모든|모두|목록|哪些|多少|所有|列出|いくつ|すべて|全て|一覧"
    ),
    beside=("capable",),
    profiles=("capable",),
    stronger=("chain",),
    settings=EverySettings,
    steps="hopyard.state.schemas:noted_steps",
    rank=50,
    calls="hopyard.nodes.every.choose:estimate_calls",
    label="complete lists and counts: all documents into one table",
    legend={
        "documents": "of those that match the filter; a part of a long document may be read",
        "tokens to read": "estimated, in all calls together",
        "rows": "items with their cells; rows of one item are merged",
    },
)
