"""Which documents of an index are gone from the folders that they were read from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from hopyard.indexes.corpus.records import BadItem
from hopyard.indexes.documents.files import shown
from hopyard.state.errors import UsageError
from hopyard.state.references import SECTION_MARK

__all__ = ("Scope", "Stamps", "stamps_of")

Stamps = Mapping[Path, tuple[int, int]]
"""Each file's time of change, in nanoseconds, and its bytes."""


@dataclass
class Scope:
    """The files and folders that a sync compares with an index.

    A document belongs to a folder if its recorded source lies under the folder's own name. All
    others stay, whatever they are from.

    Attributes:
        paths: The files and folders, absolute.
        names: The same as they were given, which reports of bad items use.
        unread: Files that are as they were and need no reading; their documents stay.
        bad: Files that could not be read; an earlier version of each stays. It is looked at
            once reading has ended.
    """

    paths: Sequence[Path]
    names: Sequence[str] = ()
    unread: Set[Path] = frozenset()
    bad: Sequence[BadItem] = field(default_factory=list)
    untouched: int = 0
    """How many documents the unread files have; `gone` counts them."""

    @classmethod
    def of(cls, paths: Iterable[str | Path]) -> Scope:
        """The scope of some paths, each file of which is read."""
        given = list(map(Path, paths))
        absolute = [Path(os.path.abspath(path)) for path in given]  # noqa: PTH100 - as `load`
        return cls(absolute, [shown(path) for path in given])

    def gone(self, sources: Mapping[str, str], seen: Set[str], bad: Set[str]) -> set[str]:
        """The ids of the documents to remove.

        Args:
            sources: The source of every document of the index, by its id.
            seen: The ids of those that were read just now.
            bad: The ids of those that were read and could not be used.

        Raises:
            UsageError: A folder holds nothing that could be read, and all that the index has of it
                would go: a disk may not be mounted.
        """
        unread = {self._key(shown(path)) for path in self.unread}
        kept = unread | {self._key(item.source) for item in self.bad}
        self.untouched = sum(
            name not in seen and bool(_above(source) & unread) for name, source in sources.items()
        )
        gone: set[str] = set()
        for path in self.paths:
            root = _key_of(path)
            within = {name for name, source in sources.items() if _above(source) & {root}}
            unseen = within - seen - bad
            lost = {name for name in unseen if not _above(sources[name]) & kept}
            if lost and lost == within and path.is_dir():
                raise UsageError(
                    f"{shown(path)!r} holds no document now, but the index has {len(within):,} "
                    f"from it: check that it is the right folder; `hopyard index remove DIR {root}`"
                    " removes them."
                )
            gone |= lost
        return gone

    def _key(self, place: str) -> str:
        """A place as the sources name it; it begins with a path as it was given, or absolute."""
        names = [*zip(map(shown, self.paths), self.paths, strict=True)]
        names += zip(self.names, self.paths, strict=False)
        for name, path in names:
            if place == name or place.startswith((f"{name}/", f"{name}{SECTION_MARK}")):
                return _key_of(path) + place.removeprefix(name)
        if "." in self.names and not place.startswith("/"):
            return f"{_key_of(self.paths[self.names.index('.')])}/{place}"
        return place


def stamps_of(paths: Iterable[Path]) -> Stamps:
    """The stamps of all files under some paths, without hidden files and symbolic links."""
    return {path: stamp for root in paths for path, stamp in _stamped(root)}


def _stamped(root: Path) -> Iterator[tuple[Path, tuple[int, int]]]:
    waiting = [root]
    while waiting:
        path = waiting.pop()
        try:
            if path.is_dir():
                waiting += [
                    Path(entry.path)
                    for entry in os.scandir(path)
                    if not entry.name.startswith(".") and not entry.is_symlink()
                ]
            else:
                status = path.stat()
                yield path, (status.st_mtime_ns, status.st_size)
        except OSError:  # it is gone meanwhile, or may not be read, which reading will say
            continue


def _key_of(path: Path) -> str:
    """The name of a file or folder in the sources, as `load` gives it."""
    return shown(Path(path.name) if path.is_dir() else Path(path.parent.name, path.name))


def _above(source: str) -> set[str]:
    """A source with the files and folders that it is in."""
    file, *parts = source.split(SECTION_MARK)
    folders = file.split("/")
    names = {"/".join(folders[: count + 1]) for count in range(len(folders))}
    return names | {SECTION_MARK.join([file, *parts[: n + 1]]) for n in range(len(parts))}
