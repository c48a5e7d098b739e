"""Which documents of an index are gone from the folders that they were read from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

from hopyard.indexes.corpus.records import BadItem
from hopyard.indexes.documents.files import shown
from hopyard.indexes.documents.folders import FolderNames, absolute
from hopyard.state.errors import UsageError
from hopyard.state.references import SECTION_MARK

Stamp = tuple[int, int, int]
"""The times in nanoseconds at which a file's content and its status changed, and its bytes."""
Stamps = Mapping[Path, Stamp]


@dataclass
class Scope:
    """The files and folders that a sync compares with an index.

    A document belongs to a folder if its recorded source lies under the folder's name. All others
    stay, whatever they are from.

    Attributes:
        paths: The files and folders, absolute.
        names: The same as they were given, which reports of bad items use.
        unread: Files that are as they were and need no reading; their documents stay.
        away: Folders whose disk is not mounted now; their documents stay.
        bad: Files that could not be read; an earlier version of each stays. It is looked at
            once reading has ended.
        folders: The names of the folders in the index; their own by default.
    """

    paths: Sequence[Path]
    names: Sequence[str] = ()
    unread: Set[Path] = frozenset()
    away: Sequence[Path] = ()
    bad: Sequence[BadItem] = field(default_factory=list)
    folders: FolderNames | None = None
    untouched: int = 0
    """How many documents the unread files have; `gone` counts them."""

    @classmethod
    def of(cls, paths: Iterable[str | Path], folders: FolderNames | None = None) -> Scope:
        """The scope of some paths, each file of which is read."""
        given = list(map(Path, paths))
        return cls([*map(absolute, given)], [shown(path) for path in given], folders=folders)

    def gone(self, sources: Mapping[str, str], seen: Set[str], bad: Set[str]) -> set[str]:
        """The ids of the documents to remove.

        Args:
            sources: The source of every document of the index, by its id.
            seen: The ids of those that were read just now.
            bad: The ids of those that were read and could not be used.

        Raises:
            UsageError: A folder that the index has documents from is empty: a disk may not be
                mounted.
        """
        unread = {self._key_of(path) for path in self.unread}
        kept = unread | {self._key(item.source) for item in self.bad}
        kept |= {self._key(str(folder)) for folder in self.away}
        self.untouched = sum(
            name not in seen and bool(_above(source) & unread) for name, source in sources.items()
        )
        gone: set[str] = set()
        for path in self.paths:
            root = self._key_of(path)
            within = {name for name, source in sources.items() if _above(source) & {root}}
            lost = {name for name in within - seen - bad if not _above(sources[name]) & kept}
            if lost and path.is_dir() and not stamps_of([path]):
                raise UsageError(
                    f"{shown(path)!r} holds no file now, but the index has {len(within):,} "
                    f"{'document' if len(within) == 1 else 'documents'} from it: check that it is "
                    f"the right folder; `hopyard index remove DIR {root}` removes them."
                )
            gone |= lost
        return gone

    def _key(self, place: str) -> str:
        """A place as the sources name it; it begins with a path as it was given, or absolute."""
        names = [*zip(map(shown, self.paths), self.paths, strict=True)]
        names += zip(self.names, self.paths, strict=False)
        for name, path in names:
            if place == name or place.startswith((f"{name}/", f"{name}{SECTION_MARK}")):
                return self._key_of(path) + place.removeprefix(name)
        if "." in self.names and not place.startswith("/"):
            return f"{self._key_of(self.paths[self.names.index('.')])}/{place}"
        return place

    def _key_of(self, path: Path) -> str:
        if self.folders is None:
            self.folders = FolderNames(self.paths)
        return shown(self.folders.key(path))


def stamps_of(paths: Iterable[Path]) -> Stamps:
    """The stamps of all files under some paths, without hidden files and symbolic links."""
    return {path: stamp for root in paths for path, stamp in _stamped(root)}


def folders_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The folders among some paths and all below them, without hidden folders and links."""
    for root in paths:
        for folder, inner, _ in os.walk(root):
            inner[:] = [name for name in inner if not name.startswith(".")]
            yield Path(folder)


def _stamped(root: Path) -> Iterator[tuple[Path, Stamp]]:
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
                yield path, (status.st_mtime_ns, status.st_ctime_ns, status.st_size)
        except OSError:  # it is gone meanwhile, or may not be read, which reading will say
            continue


def _above(source: str) -> set[str]:
    """A source with the files and folders that it is in."""
    file, *parts = source.split(SECTION_MARK)
    folders = file.split("/")
    names = {"/".join(folders[: count + 1]) for count in range(len(folders))}
    return names | {SECTION_MARK.join([file, *parts[: n + 1]]) for n in range(len(parts))}
