"""The interface of index kinds: data structures that are built from the corpus and kept up to date.

A build gives each kind the corpus of the new generation and an empty folder. Whatever the kind
writes there is listed in the manifest and appears with the generation, whole or not at all, so a
kind needs neither temporary names nor locks. A package offers a kind of its own as entry point
`hopyard.indexes`.

A list of kinds imports each record, so a record's module must be light: import numpy, FAISS and
the like inside the methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from hopyard.indexes.build_context import BuildContext, BuildOptions, ModelCall, Progress, silent
from hopyard.models.names import NO_EMBEDDING
from hopyard.state.errors import UsageError
from hopyard.state.registry import Registry
from hopyard.state.settings.fields import Group
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.arrays.exporting import Export
    from hopyard.indexes.corpus.records import Passage
    from hopyard.indexes.index import Index

__all__ = (
    "DEFAULT_KINDS",
    "KINDS",
    "BuildContext",
    "BuildOptions",
    "Estimate",
    "IndexKind",
    "ModelCall",
    "Progress",
    "count_problem",
    "embedding_for",
    "kind_that",
    "select_kinds",
    "silent",
    "with_needs",
)

DEFAULT_KINDS: Final = ("dense", "sparse")


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of building a kind.

    Attributes:
        model: The chat model, as the ledger names it; "" if the build asks none.
        spent_calls: Calls that the estimate itself took.
        model_calls: Calls that the build would still pay for, without calls that the ledger can
            answer.
        seconds: Time for the calls at the model's concurrency.
        basis: One sentence about the basis of the estimate, or why no model is asked.
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
    """A kind of data structure that is built from the corpus."""

    name: ClassVar[str]
    """Its name for `--with`, and the name of its folder."""
    about: ClassVar[str]
    """One sentence about its contents and the searches or strategies that read it."""
    settings: ClassVar[type[Group] | None] = None
    needs: ClassVar[tuple[str, ...]] = ()
    """Kinds that must be built before it."""
    needs_vectors: ClassVar[bool] = False
    """Whether building it needs an embedding model: first all passages are embedded. An index
    without such a kind has no embedding model, and asks none."""
    asks_model: ClassVar[bool] = False
    """Whether building it may call the chat model."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """The version of each prompt that it uses, by name. A new version leads to an update."""
        return {}

    def prepare(self, directory: Path, options: BuildOptions) -> None:
        """Raise before the build what would end it later. This method may block."""
        del directory, options

    @abstractmethod
    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Write the kind's files for the new generation.

        If building is expensive, reuse from `context.previous` what belongs to unchanged passages.

        Returns:
            Counts for the manifest, such as `{"edges": 812}`.
        """

    @abstractmethod
    def open(self, directory: Path) -> Any:
        """Open the files that `build` wrote. Return a reader that any thread may use.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """

    def readable(self, reader: Any, index: Index) -> Any:
        """The reader for a caller who may not read every document.

        It has nothing that was made of another document, not even in part.

        Args:
            reader: The reader that `open` gave.
            index: The part of the index that the caller may read: `index.allowed(())` names its
                passages.

        Raises:
            UsageError: The kind does not keep to rights, which is the default.
        """
        del reader, index
        raise UsageError(
            f"The index kind {self.name!r} does not keep to rights: it serves only callers without "
            "the setting `groups`."
        )

    def keeps_removed(self, directory: Path) -> bool:
        """Whether the files of a folder have something of passages that were removed."""
        del directory
        return False

    def check(self, reader: Any, counts: Mapping[str, int]) -> str:
        """Compare a reader with the manifest's counts. Return the problem, or ""."""
        del reader, counts
        return ""

    def is_current(self, directory: Path, options: BuildOptions) -> bool:
        """Whether `build` would write the same files again for the same corpus.

        It would not if the settings differ, or if a budget stopped the last build. This method may
        block.
        """
        del directory, options
        return True

    def status(self, directory: Path) -> Mapping[str, Any]:
        """Return plain values, lists and mappings for `hopyard index status`.

        The value `model`, if present, names the chat model of the last build, which also processes
        added documents.
        """
        del directory
        return {}

    def derived(
        self, directory: Path, passage_ids: Sequence[str]
    ) -> Mapping[str, Mapping[str, Any]]:
        """Return the kind's data about passages for `hopyard index show`.

        Args:
            directory: The kind's folder.
            passage_ids: The passages of one document.

        Returns:
            By passage id: texts, or lists of texts or mappings, by name.
        """
        del directory, passage_ids
        return {}

    def export(self, reader: Callable[[str], Any], passages: Iterable[Passage]) -> Export:
        """Return the kind as a graph for `hopyard graph export`. Only graphs define this method.

        Args:
            reader: Returns the reader of a kind of the same index, or None if the index lacks it.
            passages: All passages.

        Raises:
            UsageError: The kind is not a graph.
        """
        del reader, passages
        raise UsageError(f"The index kind {self.name!r} is not a graph, so it cannot be exported.")

    def entities(
        self, index: Index, pattern: str, only: Literal["", "split"] = ""
    ) -> Sequence[Mapping[str, Any]]:
        """Return rows for `hopyard index entities`. Only kinds that know entities define it.

        Args:
            pattern: Part of a name, or a pattern such as `john*`; "" for all.
            only: `split`: senses of names; "": entities.

        Raises:
            NotImplementedError: The kind knows no entities; `kind_that("entities", …)` does.
        """
        del index, pattern, only
        raise NotImplementedError

    def look_up(
        self,
        reader: Any,
        name: str,
        read: Callable[[Sequence[str]], Sequence[Passage]],
        limit: int,
        choice: int = 0,
    ) -> Sequence[Any]:
        """Return what is known of each entity of a name. Kinds with `entities` define it, too.

        Args:
            name: A name, in any spelling.
            read: Reads passages by their ids.
            limit: Maximum length of each list of an entity; 3 if there are several.
            choice: Number of the entity if the name means several; 0 returns all.

        Raises:
            NotImplementedError: The kind does not define `entities` either.
            UsageError: No entity has the name or the number.
        """
        del reader, name, read, limit, choice
        raise NotImplementedError

    def unfinished(self, directory: Path) -> str:
        """Return the work that a budget left, such as `5 passages have no questions yet`, or ""."""
        del directory
        return ""

    async def estimate(
        self, passages: Sequence[Passage], index_directory: Path, options: BuildOptions
    ) -> Estimate:
        """Estimate the cost of building it. This may ask the model for a sample.

        Args:
            passages: All passages of the corpus that would be built.
            index_directory: The index directory, which need not exist; it is only read.

        Raises:
            ModelUnreachableError: The model does not answer.
            BudgetExceededError: The budget does not allow the sample.
        """
        del passages, index_directory
        return Estimate(options.caller.provider.identity, basis=f"{self.name} gives no estimate")


def count_problem(held: int, expected: int, unit: str) -> str:
    """The problem of a reader that holds another number of units than the manifest says, or ""."""
    return f"holds {counted(held, unit)}, not {expected}" if held != expected else ""


KINDS: Final = Registry[IndexKind](
    "index kind", package="hopyard.indexes.kinds", attribute="KIND", group="hopyard.indexes"
)
"""Every index kind by name: built-in, from installed packages, and registered."""


def kind_that(method: str, names: Iterable[str]) -> IndexKind:
    """The first kind that defines an optional method: among some names, or else of all kinds.

    Args:
        method: `export` or `entities`.
        names: The kinds of an index.
    """
    ours = getattr(IndexKind, method)
    able = {kind.name: kind for kind in KINDS.parts() if getattr(type(kind), method) is not ours}
    return next(able[name] for name in (*names, *able) if name in able)


def with_needs(names: Iterable[str]) -> tuple[str, ...]:
    """Some kinds, each after those that it builds on, without duplicates.

    Args:
        names: Names of kinds. One that is not installed stays as it is.
    """
    found: dict[str, None] = {}
    reached = set[str]()

    def add(name: str) -> None:
        if name not in reached:
            reached.add(name)
            for need in KINDS[name].needs if name in KINDS else ():
                add(need)
            found[name] = None

    for name in names:
        add(name)
    return tuple(found)


def select_kinds(names: Iterable[str]) -> tuple[IndexKind, ...]:
    """Look up kinds by name, without duplicates, in the order in which they must be built.

    Raises:
        UsageError: A name is unknown, a required kind is missing, or kinds require each other.
    """
    wanted = tuple(dict.fromkeys(names))
    chosen: dict[str, IndexKind] = {}

    def choose(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise UsageError(f"The index kinds {' and '.join(above)} build on each other.")
        kind = KINDS[name]
        for need in kind.needs:
            if need not in wanted:
                both = ",".join(with_needs(wanted))
                raise UsageError(
                    f"The index kind {name!r} builds on {need!r}: add it, as in --with {both}."
                )
            choose(need, (*above, name))
        chosen.setdefault(name, kind)

    for name in wanted:
        choose(name, ())
    return tuple(chosen.values())


def embedding_for(kinds: Iterable[str], wanted: str) -> str:
    """The name of the embedding model for a new index: `none` if no kind needs vectors.

    Args:
        kinds: Names of the kinds that are built.
        wanted: The setting `embedding`.

    Raises:
        UsageError: As for `select_kinds`; or a kind needs vectors, and `none` is wanted.
    """
    embedded = [kind.name for kind in select_kinds(kinds) if kind.needs_vectors]
    if embedded and wanted == NO_EMBEDDING:
        raise UsageError(
            f"The index kind {embedded[0]} needs an embedding model, and embedding is none: name a "
            "model, or kinds without vectors (--with sparse)."
        )
    return wanted if embedded else NO_EMBEDDING
