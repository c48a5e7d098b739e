"""Entity types for a corpus, which the chat model proposes from a sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar
from uuid import uuid4

from hopyard.indexes.build_context import BuildOptions
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.asking import entity_types
from hopyard.prompts.passages import passage_lines, snippet
from hopyard.state.settings.fields import profile_of
from lab.graph_tuning.prompt import MAX_TYPES, TUNE, Domain

__all__ = ("choose_evenly", "propose_types")

_CHARACTERS: Final = {"builtin": 300, "small": 1200, "capable": 1200}
"""Of each passage of the sample."""

ItemT = TypeVar("ItemT")


def choose_evenly(items: Sequence[ItemT], count: int) -> list[ItemT]:
    """The items in the middle of `count` equal parts of a list, or all if there are fewer."""
    count = min(count, len(items))
    return [items[(2 * part + 1) * len(items) // (2 * count)] for part in range(count)]


async def propose_types(sample: Sequence[Passage], options: BuildOptions) -> Domain:
    """Ask for the domain and the entity types of a corpus.

    Args:
        sample: Passages from all over the corpus, at least one.
        options: Model, settings and language.

    Raises:
        ModelOutputError: The model names no types.
        ModelUnreachableError: The model does not answer.
        BudgetExceededError: The budget does not allow the call.
    """
    run = f"{TUNE.name}/{uuid4().hex}"
    longest = _CHARACTERS[profile_of(options.settings)]
    lines = passage_lines([(each.full_title, snippet(each.text, longest)) for each in sample])
    found = await options.calls_of(run)(TUNE, {"passages": lines}, step=TUNE.name)
    types = entity_types(",".join(found.types))[:MAX_TYPES]
    return Domain(domain=found.domain, types=list(types))
