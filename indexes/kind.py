"""What an index kind is: something derived from the corpus, kept up to date, and opened.

A build gives each kind the corpus of the new generation and an empty folder. Whatever the kind
writes there is listed in the manifest and appears with the generation, whole or not at all, so a
kind needs neither temporary names nor locks. A package offers a kind of its own as entry point
`hopyard.indexes`.

A list of kinds imports each record, so a record's module must be light: import numpy, FAISS and
the like inside the methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from hopyard.indexes.build_context import (
    BuildContext,
    BuildOptions,
    ModelCall,
    Progress,
    silent,
)
from hopyard.state import registry
from hopyard.state.errors import UsageError
from hopyard.state.registry import Registry
from hopyard.state.settings import Group

if TYPE_CHECKING:
    from hopyard.indexes.records import Passage

__all__ = (
    "DEFAULT_KINDS",
    "KINDS",
    "BuildContext",
    "BuildOptions",
    "Estimate",
    "IndexKind",
    "ModelCall",
    "Progress",
    "select_kinds",
    "silent",
)

DEFAULT_KINDS: Final = ("dense", "sparse")


@dataclass(frozen=True)
class Estimate:
    """What building a kind would cost.

    Attributes:
        model: The chat model, as the ledger names it.
        spent_calls: Calls that the estimate itself took.
        model_calls: Calls still to be paid for; what the ledger knows costs nothing.
        input_tokens: Their input tokens.
        output_tokens: Their output tokens.
        seconds: Time for the calls, as many at once as the model takes.
        basis: One sentence: what the estimate rests on.
        details: Further counts, as plain values.
    """

    model: str
    spent_calls: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    basis: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


class IndexKind(ABC):
    """One kind of thing that is derived from the corpus."""

    name: ClassVar[str]
    """What `--with` takes; also the name of its folder."""
    about: ClassVar[str]
    """One sentence: what it holds, and which searches or strategies read it."""
    settings: ClassVar[type[Group] | None] = None
    needs: ClassVar[tuple[str, ...]] = ()
    """The kinds that it builds on, which are built before it."""
    needs_vectors: ClassVar[bool] = False
    """Whether every passage must be embedded before it is built."""
    asks_model: ClassVar[bool] = False
    """Whether building it may call the chat model."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """Version of each prompt that takes part, by name; another version means an update."""
        return {}

    @abstractmethod
    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Write the kind's files for the new generation.

        If building is expensive, reuse from `context.previous` what belongs to unchanged passages.

        Returns:
            Counts for the manifest, such as `{"edges": 812}`.
        """

    @abstractmethod
    def open(self, directory: Path) -> Any:
        """Open what `build` wrote; any thread may use the reader. One with `close` is closed.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """

    def check(self, reader: Any, counts: Mapping[str, int]) -> str:
        """What is wrong with a reader, given the manifest's counts; "" where nothing is."""
        del reader, counts
        return ""

    def is_current(self, directory: Path, options: BuildOptions) -> bool:
        """Whether `build` would write again what is in the folder, the corpus being the same.

        It would not where settings differ from those it was written with, or where a budget
        stopped it before the end. It may block.
        """
        del directory, options
        return True

    def status(self, directory: Path) -> Mapping[str, Any]:
        """What `hopyard index status` shows of it: plain values, lists and mappings of them.

        The value `model`, where there is one, names the chat model of the last build; documents
        that are added are given to the same model.
        """
        del directory
        return {}

    def derived(
        self, directory: Path, passage_ids: Sequence[str]
    ) -> Mapping[str, Mapping[str, Any]]:
        """What `hopyard index show` says of passages: what the kind made of each.

        Args:
            directory: The kind's folder.
            passage_ids: The passages of one document.

        Returns:
            Texts, or lists of texts or of mappings, under their names, by passage id.
        """
        del directory, passage_ids
        return {}

    def unfinished(self, directory: Path) -> str:
        """What a budget left undone, as in `5 passages have no questions yet`; "" for nothing."""
        del directory
        return ""

    async def estimate(
        self, passages: Sequence[Passage], index_directory: Path, options: BuildOptions
    ) -> Estimate:
        """What building it would cost. It may ask the model for a sample.

        Args:
            passages: All passages of the corpus that would be built.
            index_directory: The index directory, which need not exist; it is only read.
            options: What the build would be asked for.

        Raises:
            ModelUnreachableError: The model does not answer.
            BudgetExceededError: The budget does not allow the sample.
        """
        del passages, index_directory
        return Estimate(options.caller.provider.identity, basis=f"{self.name} gives no estimate")


KINDS: Final[Registry[IndexKind]] = registry.KINDS
"""Every index kind by name: those of `indexes.kinds`, of installed packages, and registered."""


def select_kinds(names: Iterable[str]) -> tuple[IndexKind, ...]:
    """Look kinds up by name, each once, and put those first that others build on.

    Raises:
        UsageError: A name is unknown, a kind builds on one that is not named, or kinds build on
            each other.
    """
    wanted = tuple(dict.fromkeys(names))
    chosen: dict[str, IndexKind] = {}

    def choose(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise UsageError(f"The index kinds {' and '.join(above)} build on each other.")
        kind = KINDS[name]
        for need in kind.needs:
            if need not in wanted:
                both = ",".join((*wanted, need))
                raise UsageError(
                    f"The index kind {name!r} builds on {need!r}: add it, as in --with {both}."
                )
            choose(need, (*above, name))
        chosen.setdefault(name, kind)

    for name in wanted:
        choose(name, ())
    return tuple(chosen.values())
