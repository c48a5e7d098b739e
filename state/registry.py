"""Registries: every strategy, index kind or search method, by name.

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
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from hopyard.state.errors import UsageError

if TYPE_CHECKING:  # pydantic, which `hopyard --help` must not cost
    from hopyard.state.group import Group

logger = logging.getLogger(__name__)

SEARCHES: Final = "hopyard.indexes.search:SEARCHES"
_REGISTRIES: Final = ("hopyard.state.strategy:STRATEGIES", "hopyard.indexes.kind:KINDS", SEARCHES)
"""Each registry is declared beside the record of its parts."""


class Named(Protocol):
    """An entry of a registry."""

    @property
    def name(self) -> str:
        """Its name for users, such as `tree`."""


class Part(Named, Protocol):
    """An entry of a registry that may have settings."""

    @property
    def settings(self) -> type[Group] | None:
        """Its settings, or None."""


PartT = TypeVar("PartT", bound=Named)


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

    @contextmanager
    def registered(self, part: PartT) -> Iterator[None]:
        """Register a part for a while. Afterwards its name means what it meant before."""
        before = self._registered.get(part.name)
        self.register(part)
        try:
            yield
        finally:
            if before is None:
                self.unregister(part.name)
            else:
                self.register(before)

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


def registries() -> Iterator[Registry[Part]]:
    """The registries whose parts have settings: strategies, index kinds, search methods."""
    for place in _REGISTRIES:
        yield registry_at(place)


def registry_at(place: str) -> Registry[Part]:
    """A registry by its `module:name`. It is imported here because its records import settings."""
    found: Registry[Part] = load(place)
    return found


def load(place: Any) -> Any:
    """The object at `module:attribute`, imported now; another object as it is."""
    if not isinstance(place, str):
        return place
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)
