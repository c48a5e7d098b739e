"""Which share of a corpus reaches a report or a map call of global search, without a model.

    python benchmarks/read_share.py NAME=INDEX …

Each INDEX has dense, sparse, entity-graph and communities, without reports. A scripted model
writes reports of eight findings, about 900 tokens each, from the first lines of its prompt, so that
reports take the room that a model's reports take. `like a leaf` gives each community one report,
`from parts` also those of the parts that it needs; `global` reads 100 passages besides.
The share is that of all sentences of the corpus; a sentence that names no entity is in no
community. Writes `benchmarks/results/read_share.json`.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hopyard.graphs.global_search import graph
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.writing import elements_of
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.nodes.global_search.reading import is_short
from hopyard.nodes.resources import Resources, config_with
from hopyard.prompts.traits import TRAITS, traits_for
from hopyard.state.settings.fields import Context
from hopyard.testing import ScriptedChat

RESULTS: Final = Path(__file__).parent / "results" / "read_share.json"
QUESTION: Final = "What do the documents advise?"
WORDS: Final = " ".join(["advice"] * 60)
"""About 105 tokens, the length of a finding."""


def script(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A report with eight long findings; one point for each map call; an answer."""
    turn = str(messages[-1]["content"])
    if name == "CommunityReport":
        lines = re.findall(r"^([SER]\d+) ", turn, re.MULTILINE)
        cited = lines or re.findall(r"\[([SER]\d+)", turn)
        finding = {"summary": "Advice", "explanation": WORDS, "elements": cited[:2]}
        return {"title": "Title", "summary": "Summary.", "rating": 5, "findings": [finding] * 8}
    if name == "Points":
        return {"points": [{"point": "Advice.", "findings": [1], "score": 50}]}
    return {"thought": "", "answer": "Advice [1]."}


def ask(index: Path, nearest: int, **settings: int) -> tuple[float, int]:
    """The share of all sentences, and the reports that were written.

    Args:
        index: The index.
        nearest: Passages that are read beside the reports, at most.
        settings: Settings of `global`.
    """
    TRAITS["capable"] = replace(TRAITS["capable"], global_passages=nearest)  # type: ignore[index]
    chat = ScriptedChat(script)
    chat.register()
    context = Context.model_validate({"index": str(index), "model": "scripted", "global": settings})
    with TemporaryDirectory() as home, Resources(Path(home)) as resources:
        output = asyncio.run(
            graph.ainvoke({"question": QUESTION}, config_with(resources), context=context)
        )
    reports = sum(request.name == "CommunityReport" for request in chat.requests)
    return output["read_share"], reports


def measure(directory: Path) -> dict[str, Any]:
    """Level 0 of an index."""
    with Index.open(directory) as index:
        graph = index.reader("entity-graph")
        sentences = sum(len(sentence_spans(each.text)) for each in index.corpus.passages())
        named = len(graph.files.sentences)
        elements = elements_of(index)
        own = sum(not is_short(each, elements) for each in index.reader("communities").at(0))
    found: dict[str, Any] = {"sentences": sentences, "name an entity": named}
    for name, nearest, settings in (
        ("like a leaf", 0, {"most_reports": own}),
        ("from parts", 0, {}),
        ("global", traits_for("capable").global_passages, {}),
    ):
        share, reports = ask(directory, nearest, **settings)
        found[name] = {"reports": reports, "share": round(share, 4)}
    return found


def main() -> None:
    """Measure each index."""
    given = [each.partition("=") for each in sys.argv[1:]]
    results = {name: measure(Path(index)) for name, _, index in given}
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
