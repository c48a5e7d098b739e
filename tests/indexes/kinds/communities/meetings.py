"""A small entity graph by rules, made by hand: who met whom.

Alba, Bert, Cora, Dirk and Elsa are the entities 0 to 4. Bert is beside three others, Alba and Cora
beside two, Elsa beside one, and Dirk is alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.support import ReadPassages
from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction, Mention
from hopyard.indexes.text.sentences import sentence_spans

from ..entity_graph.made_graph import graph_of

TEXTS = {
    "a": "Alba met Bert. Alba swims.",
    "b": "Bert met Cora and Alba. Cora sings.",
    "c": "Dirk sleeps.",
    "d": "Bert met Elsa.",
}
"""The sentences have the rows 0 to 5."""


def meetings(directory: Path, texts: Mapping[str, str] = TEXTS) -> Elements:
    """The elements of texts in which each word with a capital letter is a name."""
    found = {
        name: Extraction(
            mentions=tuple(
                Mention(name=word, sentence=place)
                for place, span in enumerate(sentence_spans(text))
                for word in re.findall(r"[A-Z]\w+", text[slice(*span)])
            )
        )
        for name, text in texts.items()
    }
    directory.mkdir(exist_ok=True)
    return Elements(graph_of(directory, found), reader_of(texts))


def reader_of(texts: Mapping[str, str]) -> ReadPassages:
    """Reads passages of texts, as an index does."""

    def read(names: Sequence[str]) -> list[Passage]:
        return [Passage(name, name, 0, name.upper(), texts[name], name, 9) for name in names]

    return read
