"""The text of the passages that an answer names, for whoever asks for it.

A thread keeps no passage text, so it is read from the index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.corpus.shared import folder_of
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.listing import open_corpus
from hopyard.indexes.passages.marks import Mark, find_marks
from hopyard.state.answer import Citation
from hopyard.state.errors import HopyardError
from hopyard.state.schemas import passage_ids


def with_texts(output: Mapping[str, Any], index: str = "") -> dict[str, Any]:
    """Return the agent's result with the text of each passage in its citations and evidence.

    A passage that has left the index since has none. It blocks while it reads.

    Args:
        output: The state of a thread, as `Session.result` gives it, or the agent's output.
        index: The index directory, where the output does not name it.
    """
    citations, evidence = output.get("citations", []), output.get("evidence", [])
    named = [*passage_ids(evidence), *(citation["passage_id"] for citation in citations)]
    settings = output.get("settings", {})
    passages = _existing(named, index or settings.get("index", ""), settings.get("groups"))

    def told(source: Mapping[str, Any]) -> dict[str, Any]:
        passage = passages.get(source["passage_id"])
        return {**source, "text": passage.text} if passage else {**source}

    return {
        **output,
        "citations": [told(citation) for citation in citations],
        "evidence": [
            {**unit, "sources": [told(source) for source in unit.get("sources", [])]}
            for unit in evidence
        ],
    }


def read_passages(
    passage_ids: Sequence[str], index: str, groups: Sequence[str] | None = None
) -> dict[str, Passage]:
    """Those of some passages that an index has for a caller, by their ids. No model is opened."""
    with open_corpus(folder_of(index), groups) as corpus:
        return corpus.existing(list(dict.fromkeys(passage_ids)))


def read_marks(citation: Citation, corpus: Snapshot) -> tuple[tuple[Mark, ...], ...]:
    """The places of a citation's quotes on their pages; see `Hopyard.marks`."""
    passage = corpus.existing([citation.passage_id]).get(citation.passage_id)
    return tuple(
        tuple(find_marks(corpus, passage, quote)) if passage else () for quote in citation.quotes
    )


def _existing(
    passage_ids: Sequence[str], index: str, groups: Sequence[str] | None
) -> dict[str, Passage]:
    if not passage_ids or not index:
        return {}
    try:
        return read_passages(passage_ids, index, groups)
    except HopyardError:
        return {}
