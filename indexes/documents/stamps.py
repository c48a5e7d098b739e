"""The stamps of the files that an index was read from: a sync reads only changed files.

A stamp is the times of a file, its bytes, and a hash of its content. A file of the same times and
bytes is not looked into; a file of other times and the same hash is not read again. A file that
changed just before it was stamped may change again without another time: as in git, its stamp has
no time, so that the hash decides (git, Documentation/technical/racy-git.txt).

Stamps count for one generation: after another change, such as `index remove`, a sync reads all
files again.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from hopyard.indexes.corpus.manifest import find_manifest
from hopyard.indexes.corpus.records import BadItem, place_in
from hopyard.indexes.documents.files import shown
from hopyard.indexes.documents.folders import absolute, hash_of
from hopyard.indexes.documents.sync import Stamp, folders_in, stamps_of
from hopyard.state.references import SECTION_MARK
from hopyard.state.storage.atomic import write_file

FILE: Final = "files.json"
_TICK: Final = 2_000_000_000
"""Nanoseconds between two times of the coarsest file system, FAT."""


class _Written(BaseModel):
    hopyard: str
    """The version that read the files: another version may read them differently."""
    generation: int
    encoding: str
    ocr: str
    files: dict[str, tuple[Stamp, str]]
    bad: dict[str, list[tuple[str, str, int | None]]] = {}
    """Places in these files that could not be read, with the reason and the line."""
    mounts: list[str] = []
    """Folders of other disks."""

    @property
    def read_as(self) -> tuple[str, int, str, str]:
        """The version, the generation and the options that the stamps count for."""
        return self.hopyard, self.generation, self.encoding, self.ocr


class FileStamps:
    """The stamps of files before an index is brought up to date with them.

    Args:
        encoding: How the files are read; see `loaders.load`.

    Raises:
        IndexMissingError: The directory's index cannot be read.
    """

    def __init__(
        self, directory: Path, paths: Iterable[str | Path], encoding: str = "", ocr: str = ""
    ) -> None:
        self._directory = directory
        self._encoding = encoding
        self._ocr = ocr
        self._began = time.time_ns()
        self._given = {absolute(path): Path(path) for path in paths}
        given = [*self._given]
        self._found = stamps_of(given)
        self._folders = {hash_of(folder): folder for folder in folders_in(given)}
        self._mounts: set[str] = set()
        self._hashes: dict[Path, str] = {}
        self._bad: dict[str, list[tuple[str, str, int | None]]] = {}
        manifest = find_manifest(directory)
        self._known = self._read(manifest.generation if manifest else 0)

    @cached_property
    def unchanged(self) -> frozenset[Path]:
        """The files, by absolute path, that the index has as they are."""
        return frozenset(path for path, stamp in self._found.items() if self._is_known(path, stamp))

    @property
    def bad(self) -> list[BadItem]:
        """Places in the unchanged files that could not be read."""
        return [
            BadItem(place_in(self._shown(path), place), reason, line, settled=True)
            for path in sorted(self.unchanged)
            for place, reason, line in self._bad.get(hash_of(path), ())
        ]

    @cached_property
    def away(self) -> list[Path]:
        """Folders whose disk is not mounted now, and was when the index was built."""
        folders = (self._folders[name] for name in sorted(self._mounts & self._folders.keys()))
        return [path for path in folders if not os.path.ismount(path) and not stamps_of([path])]

    def note(self, path: Path) -> None:
        """Note what a file holds, just before it is read."""
        path = absolute(path)
        self._hashes[path] = _digest(path)

    def write(self, bad: Iterable[BadItem], *, only: bool = False) -> None:
        """Write down the stamps, now that the index has what the files hold.

        Args:
            bad: Files that could not be read. The next sync tries these files again, but for those
                that it will not be able to read before they change.
            only: Whether the index holds no other files.
        """
        manifest = find_manifest(self._directory)
        if manifest is None:
            return
        known, left_out = ({}, {}) if only else (dict(self._known), dict(self._bad))
        by_file: dict[Path, list[BadItem]] = {}
        for item in bad:
            by_file.setdefault(absolute(item.source.partition(SECTION_MARK)[0]), []).append(item)
        for path, stamp in self._found.items():
            items = by_file.get(path, [])
            if all(item.settled for item in items):
                left_out[hash_of(path)] = [
                    (item.source.partition(SECTION_MARK)[2], item.reason, item.line)
                    for item in items
                ]
                settled = max(stamp[:2]) < self._began - _TICK
                stored = stamp if settled else (0, 0, stamp[2])
                known[hash_of(path)] = stored, self._hashes.get(path, "")
        written = _Written(
            hopyard=version("hopyard"),
            generation=manifest.generation,
            encoding=self._encoding,
            ocr=self._ocr,
            files=known,
            bad={name: items for name, items in left_out.items() if items and name in known},
            mounts=sorted(
                name
                for name, folder in self._folders.items()
                if folder in self.away or os.path.ismount(folder)
            ),
        )
        write_file(self._directory / FILE, written.model_dump_json().encode())

    def _is_known(self, path: Path, stamp: Stamp) -> bool:
        before, content = self._known.get(hash_of(path), (None, ""))
        if before is None or before[2] != stamp[2]:
            return False
        if before == stamp:
            self._hashes[path] = content
            return True
        self.note(path)
        return content != "" and self._hashes[path] == content

    def _read(self, generation: int) -> Mapping[str, tuple[Stamp, str]]:
        try:
            text = (self._directory / FILE).read_text(encoding="utf-8")
            written = _Written.model_validate_json(text)
        except (OSError, UnicodeDecodeError, ValidationError):  # none yet, or damaged
            return {}
        self._mounts = {*written.mounts}
        if written.read_as != (version("hopyard"), generation, self._encoding, self._ocr):
            return {}
        self._bad = written.bad
        return written.files

    def _shown(self, path: Path) -> str:
        """A file's path as the files and folders were given."""
        root = next(root for root in self._given if path.is_relative_to(root))
        return shown(self._given[root] / path.relative_to(root))


def _digest(path: Path) -> str:
    """A hash of a file's bytes; "" if it cannot be read, which reading will say."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
