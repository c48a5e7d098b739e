"""The texts of the chat model about entities and facts: descriptions and strengths.

These are the elements of GraphRAG (arXiv 2404.16130, section 3.1.2). The graph keeps the
description of every passage. It does not have the model join those of one entity into a summary,
as the paper does: the model that writes a community's report reads the longest of them directly
(`join_descriptions`) and summarises them there, which saves a call for every entity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hopyard.prompts.passages import passage_snippet
from hopyard.state.text.tokens import tokens_of

TOKENS: Final = 400
"""Tokens of an entity's joined descriptions at most."""


@dataclass(frozen=True)
class Description:
    """A description of an entity in one passage, in the words of the model.

    Attributes:
        type: The kind of thing that it is, such as `person`; "" if the model named none.
        passage: The id of the passage.
        sentence: The place of the sentence among `sentence_spans(passage.text)`, or `NOWHERE`.
    """

    type: str
    text: str
    passage: str
    sentence: int


def join_descriptions(descriptions: Iterable[Description], tokens: int = TOKENS) -> str:
    """The distinct texts of one entity's descriptions, the longest first, within a budget.

    Args:
        tokens: Maximum length. A text that does not fit is left out; the first is cut at a word.
    """
    distinct = {each.text.casefold(): each.text for each in descriptions if each.text}
    kept = ""
    for text in sorted(distinct.values(), key=lambda text: (-len(text), text)):
        longer = f"{kept} {text}".lstrip()
        if tokens_of(longer) <= tokens:
            kept = longer
        elif not kept:
            return passage_snippet(text, tokens)
    return kept
