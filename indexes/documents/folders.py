"""The names of folders in an index: a source begins with the name of the folder that was given.

The first folder called `docs` is `docs`, the next is `other/docs`. An index remembers its
folders by hashes of their places: the paths of a machine are no part of an index. The data folder
of the user has the paths, so that the page in the browser finds the files (`read_places`).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final

from pydantic import BaseModel, TypeAdapter, ValidationError

from hopyard.indexes.corpus.manifest import find_manifest
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.documents.files import shown
from hopyard.state.settings.sources import home
from hopyard.state.storage.atomic import write_file

FILE: Final = "folders.json"
_DIGITS: Final = 32
"""Hexadecimal digits of a hash. The paths of a machine are no part of an index."""
_PLACES: Final = "folders"
"""The folder in the data folder that has the paths of each index's folders."""
_AS_PLACES: Final = TypeAdapter(dict[str, str])
_MOST: Final = 1000
"""Numbers for a folder whose path has no other name."""


class _Folder(BaseModel):
    name: str
    whole: bool
    """Whether the folder was given, not only files in it."""


class _Written(BaseModel):
    folders: dict[str, _Folder] = {}


class FolderNames:
    """The names of the folders that some paths are in.

    Args:
        paths: Files and folders that are read.
        directory: The index directory, which knows the names of folders that were read before.
        only: Whether the index will hold nothing else.

    Attributes:
        warnings: A sentence for each folder whose own name belongs to another folder.
    """

    def __init__(
        self, paths: Iterable[str | Path], directory: Path | None = None, *, only: bool = False
    ) -> None:
        self.warnings: list[str] = []
        self._directory = directory and absolute(directory)
        self._known = _read(self._directory)
        self._found: dict[Path, _Folder | None] = {}
        self._only = only
        given: dict[Path, bool] = {}
        for path in map(absolute, paths):
            whole = path.is_dir()
            folder = path if whole else path.parent
            given[folder] = whole or given.get(folder, False)
        self._given = tuple(given)
        if only:
            kept = {known.name for known in map(self._find, given) if known}
            self._keep(kept)
        # The outermost first: a folder inside is named as a part of it.
        for folder in sorted(given, key=lambda folder: len(folder.parts)):
            self._add(folder, given)

    def key(self, path: Path) -> Path:
        """The name of an absolute path, which begins with the name of the folder that was given."""
        for folder in (path, *path.parents):
            known = self._find(folder)
            if known and (known.whole or folder in {path, path.parent}):
                return Path(known.name, path.relative_to(folder))
        return Path(path.parent.name, path.name)

    def write(self) -> None:
        """Write down the names, now that the index has what is in the folders."""
        if self._directory and find_manifest(self._directory):
            written = _Written(folders=self._known)
            write_file(self._directory / FILE, written.model_dump_json().encode())
            self._write_places()

    def _write_places(self) -> None:
        places = {} if self._only or not self._directory else read_places(self._directory)
        for folder in self._given:
            places[shown(self.key(folder / "-").parent)] = folder
        file = _places_file(self._directory or Path())
        with suppress(OSError):  # then the page in the browser shows texts, and no pictures
            file.parent.mkdir(mode=0o700, exist_ok=True)
            write_file(
                file, _AS_PLACES.dump_json({name: str(path) for name, path in places.items()})
            )

    def _add(self, folder: Path, given: dict[Path, bool]) -> None:
        whole = given[folder]
        if known := self._find(folder):
            name, whole = known.name, whole or known.whole
        elif any((above := self._find(parent)) and above.whole for parent in folder.parents):
            return
        else:
            outer = {path for path in given if not any(map(given.get, path.parents))}
            name = self._free_name(folder, outer - {folder})
        named = _Folder(name=name, whole=whole)
        self._known |= dict.fromkeys(_places(folder, self._directory), named)
        self._found.clear()

    def _free_name(self, folder: Path, others: Collection[Path]) -> str:
        """The shortest end of a folder's path that names no other folder."""
        own, *longer = _ends(folder)
        if any(_overlap(own, known.name) for known in self._known.values()):
            self._forget_removed()
        taken = {known.name for known in self._known.values()}
        numbered = (f"{own} ({number})" for number in range(2, _MOST))
        free = [
            name
            for name in chain((own, *longer), numbered)
            if not any(_overlap(name, other) for other in taken)
        ]
        if own not in free:
            self.warnings.append(
                f"{shown(folder)!r} is another folder than the {own!r} that the index has: its "
                f"documents are named {free[0]!r}. If the folder was moved, `hopyard index remove "
                f"DIR {own}` removes those of its former place."
            )
        ends = {end for other in others for end in _ends(other)}
        return next((name for name in free if name not in ends), free[0])

    def _forget_removed(self) -> None:
        """Forget the folders without a document in the index."""
        manifest = find_manifest(self._directory) if self._directory else None
        if self._directory is None or manifest is None:
            return
        with Snapshot(self._directory, manifest.generation) as corpus:
            sources = [document.source for document in corpus.outlines()]
        held = {
            known.name
            for known in self._known.values()
            if any(source.startswith(f"{known.name}/") for source in sources)
        }
        self._keep(held)

    def _keep(self, names: Collection[str]) -> None:
        self._known = {place: known for place, known in self._known.items() if known.name in names}
        self._found.clear()

    def _find(self, folder: Path) -> _Folder | None:
        if folder not in self._found:
            places = _places(folder, self._directory) if self._known else ()
            self._found[folder] = next(filter(None, map(self._known.get, places)), None)
        return self._found[folder]


def read_places(directory: Path) -> dict[str, Path]:
    """The folders that an index was read from on this machine, by their names in the index."""
    try:
        places = _AS_PLACES.validate_json(_places_file(directory).read_bytes())
    except (OSError, ValidationError):  # another user or machine built the index
        return {}
    return {name: Path(folder) for name, folder in places.items()}


def _places_file(directory: Path) -> Path:
    return home() / _PLACES / f"{hash_of(absolute(directory))}.json"


def hash_of(place: str | Path) -> str:
    """A place of this machine as an index names it."""
    return sha256(os.fsencode(place)).hexdigest()[:_DIGITS]


def absolute(path: str | Path) -> Path:
    """The path in full. A link such as `current` keeps its name, and with it the documents' ids."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows links


def _places(folder: Path, directory: Path | None) -> Iterator[str]:
    """Hashes of a folder's path, of its path from the index, and of its place on the disk.

    So an index finds a folder again that was moved, alone or with the index.
    """
    places = [str(folder)]
    if directory:
        places.append(f"index:{os.path.relpath(folder, directory)}")
    with suppress(OSError):
        status = folder.stat()
        places.append(f"disk:{status.st_dev}:{status.st_ino}")
    yield from map(hash_of, places)


def _ends(folder: Path) -> list[str]:
    """The ends of a folder's path, the shortest first: `docs`, `other/docs`."""
    parts = folder.relative_to(folder.anchor).parts
    return [shown(Path(*parts[-size:])) for size in range(1, len(parts) + 1)] or [""]


def _overlap(name: str, other: str) -> bool:
    """Whether two folders of these names would have sources in common."""
    return f"{name}/".startswith(f"{other}/") or f"{other}/".startswith(f"{name}/")


def _read(directory: Path | None) -> dict[str, _Folder]:
    try:
        text = (directory / FILE).read_text(encoding="utf-8") if directory else "{}"
        return _Written.model_validate_json(text).folders
    except (OSError, UnicodeDecodeError, ValidationError):  # none yet, or damaged
        return {}
