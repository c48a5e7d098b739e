"""The registries: every strategy, index kind and search method, by name.

A part is found in three places: the folder of Hopyard's own (a module a part), the packages that
are installed beside it (entry points), and whatever the program registered itself. A part is
imported when it is first asked for; its name alone costs no import. A part that cannot be imported
is named in one warning, and the others work.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import threading
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Generic, Protocol, TypeVar

from hopyard.state.errors import UsageError

__all__ = ("KINDS", "SEARCHES", "STRATEGIES", "VECTOR_STORES", "Part", "Registry")

logger = logging.getLogger(__name__)


class Part(Protocol):
    """An entry of a registry, with a name, a description and optional settings."""

    @property
    def name(self) -> str:
        """Its name for users, such as `tree`."""

    @property
    def about(self) -> str:
        """One sentence about its purpose and use."""

    @property
    def settings(self) -> type[Any] | None:
        """Its settings (a `state.settings.fields.Group`), or None."""


PartT = TypeVar("PartT", bound=Part)


class Registry(Mapping[str, PartT], Generic[PartT]):
    """Parts of one kind by name.

    Args:
        what: The word for a part in messages, such as `strategy`.
        package: The package whose modules each hold a built-in part.
        attribute: The name of the part in its module.
        group: The entry-point group of installed packages' parts.
    """

    def __init__(self, what: str, *, package: str, attribute: str, group: str) -> None:
        self.what = what
        self._package = package
        self._attribute = attribute
        self._group = group
        self._registered: dict[str, PartT] = {}
        self._loaded: dict[str, PartT] = {}
        self._broken: dict[str, str] = {}
        self._places: dict[str, EntryPoint] | None = None
        self._lock = threading.RLock()

    def register(self, part: PartT) -> None:
        """Add a part, in this process only; one of the same name is replaced."""
        with self._lock:
            self._registered[part.name] = part

    def unregister(self, name: str) -> None:
        """Take back a part that was registered; built-in and installed parts stay."""
        with self._lock:
            self._registered.pop(name, None)

    def __getitem__(self, name: str) -> PartT:
        """The part of a name.

        Raises:
            UsageError: The part does not exist, or its package cannot be imported.
        """
        with self._lock:
            if name in self._registered:
                return self._registered[name]
            if name in self._broken:
                raise UsageError(self._broken[name])
            if name not in self._loaded:
                self._loaded[name] = self._load(name)
            return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        """All names: Hopyard's own first, then those of packages, then the registered."""
        with self._lock:
            return iter(dict.fromkeys((*self._find(), *self._registered)))

    def parts(self) -> Iterator[PartT]:
        """All parts; one whose package is broken is left out, with a warning the first time."""
        for name in self:
            known = name in self._broken
            try:
                yield self[name]
            except UsageError as error:
                if not known:
                    logger.warning("%s", error)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in list(iter(self))

    def _find(self) -> dict[str, EntryPoint]:
        """Where each part is, by its name; nothing is imported but the folder."""
        if self._places is None:
            folder = importlib.import_module(self._package)
            places = {}
            for module in pkgutil.iter_modules(folder.__path__):
                name = module.name.replace("_", "-")
                value = f"{self._package}.{module.name}:{self._attribute}"
                places[name] = EntryPoint(name, value, self._group)
            for point in entry_points(group=self._group):
                places.setdefault(point.name, point)
            self._places = places
        return self._places

    def _load(self, name: str) -> PartT:
        place = self._find().get(name)
        if place is None:
            raise UsageError(
                f"There is no {self.what} {name!r}; choose one of {', '.join(self)}, or install "
                f"the package that offers it."
            )
        try:
            part: PartT = place.load()
            if part.name != name:
                raise ValueError(f"its record is named {part.name!r}")
        except Exception as error:  # whatever a package's import raises
            self._broken[name] = (
                f"The {self.what} {name!r} cannot be loaded from {place.value!r} "
                f"({type(error).__name__}: {error}); reinstall the package that offers it."
            )
            raise UsageError(self._broken[name]) from error
        return part


STRATEGIES: Final[Registry[Any]] = Registry(
    "strategy",
    package="hopyard.graphs.strategies",
    attribute="STRATEGY",
    group="hopyard.strategies",
)
"""How the model reasons with searches: `graphs.registry.Strategy`."""

KINDS: Final[Registry[Any]] = Registry(
    "index kind", package="hopyard.indexes.kinds", attribute="KIND", group="hopyard.indexes"
)
"""Data structures built from the corpus: `indexes.kind.IndexKind`."""

SEARCHES: Final[Registry[Any]] = Registry(
    "search method",
    package="hopyard.indexes.searches",
    attribute="SEARCH",
    group="hopyard.searches",
)
"""Given a text, which evidence: `indexes.search.SearchMethod`."""

VECTOR_STORES: Final[Registry[Any]] = Registry(
    "vector store",
    package="hopyard.indexes.kinds.dense.stores",
    attribute="STORE",
    group="hopyard.vector_stores",
)
"""LangChain vector stores for the kind `dense`, each an
`indexes.kinds.dense.vector_store.VectorStoreType`."""
