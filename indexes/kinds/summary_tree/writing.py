"""The summary of a cluster by the model, kept by the hash of what its prompt showed."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.build_context import ModelCall
from hopyard.indexes.kinds.summary_tree.material import Line, Material
from hopyard.indexes.kinds.summary_tree.tree import Sentence
from hopyard.indexes.written.store import WrittenStore
from hopyard.indexes.written.writer import Writer
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.summary_tree import SUMMARY, ClusterSummary
from hopyard.prompts.passages import one_line
from hopyard.state.errors import ModelOutputError

SUMMARISED: Final = "summarised"
"""The outcome of a cluster that the model summarised."""
PASSAGES: Final = 4
"""Passages that a sentence leads to, at most: those that share most of its words."""
_WORD: Final = re.compile(r"\w+")


class WrittenSentence(BaseModel):
    """A sentence with the numbers of its prompt, which stay true while ids change."""

    model_config = ConfigDict(frozen=True)

    text: str
    lines: tuple[int, ...]


class WrittenSummary(BaseModel):
    """A summary; without sentences if the model wrote nothing usable."""

    model_config = ConfigDict(frozen=True)

    sentences: tuple[WrittenSentence, ...] = ()


class SummaryStore(WrittenStore[WrittenSummary]):
    """The summaries of clusters, by the hash of what their prompts showed."""

    file_name: ClassVar[str] = "summaries.sqlite"
    content: ClassVar[type[BaseModel]] = WrittenSummary


class SummaryWriter(Writer[Material, WrittenSummary]):
    """Asks for the summary of a cluster."""

    prompt: ClassVar[Prompt[Any]] = SUMMARY
    written: ClassVar[str] = "summaries"
    sources: ClassVar[str] = "clusters"
    store: ClassVar[type[WrittenStore[Any]]] = SummaryStore

    async def write(self, material: Material, call: ModelCall) -> tuple[str, WrittenSummary]:
        """Ask once."""
        output = await call(SUMMARY, {"material": material.text}, step=material.id)
        written = cited_sentences(output, len(material.lines))
        if not written.sentences:
            raise ModelOutputError(f"No sentence about cluster {material.id} names a line shown.")
        return SUMMARISED, written

    def nothing(self, material: Material) -> WrittenSummary:
        """No sentence: the summary is made by rule."""
        del material
        return WrittenSummary()


def cited_sentences(output: ClusterSummary, lines: int) -> WrittenSummary:
    """The sentences that name a line which the prompt showed; other numbers are left out."""
    found = []
    for sentence in output.sentences:
        named = dict.fromkeys(number for number in sentence.lines if 1 <= number <= lines)
        if named and sentence.text:
            found.append(WrittenSentence(text=one_line(sentence.text), lines=tuple(named)))
    return WrittenSummary(sentences=tuple(found))


def sentences_of(written: WrittenSummary, material: Material) -> tuple[Sentence, ...]:
    """The sentences of a summary, with passages in place of the numbers of lines."""
    found = []
    for sentence in written.sentences:
        lines = [material.lines[number - 1] for number in sentence.lines]
        lines.sort(key=lambda line: -_shared(line, sentence.text))
        passages = dict.fromkeys(name for line in lines for name in line.passages)
        found.append(Sentence(text=sentence.text, passages=tuple(passages)[:PASSAGES]))
    return tuple(found)


def _shared(line: Line, text: str) -> int:
    own = _WORD.findall(f"{line.heading} {line.text}".casefold())
    return len({*own} & {*_WORD.findall(text.casefold())})
