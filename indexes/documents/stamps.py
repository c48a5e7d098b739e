"""The times and sizes of the files that an index was read from: a sync reads only changed files.

They count for one generation: after another change, such as `index remove`, a sync reads all files
again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from hopyard.indexes.corpus.manifest import find_manifest
from hopyard.indexes.corpus.records import BadItem
from hopyard.indexes.documents.sync import Scope, stamps_of
from hopyard.state.references import SECTION_MARK
from hopyard.state.storage.atomic import write_file

__all__ = ("FileStamps",)

FILE: Final = "files.json"
_DIGITS: Final = 32
"""Hexadecimal digits of a path's hash. The paths of a machine are no part of an index."""


class _Written(BaseModel):
    hopyard: str
    """The version that read the files: another version may read them differently."""
    generation: int
    encoding: str
    ocr: str
    files: dict[str, tuple[int, int]]


class FileStamps:
    """The stamps of files before an index is brought up to date with them.

    Args:
        directory: The index directory.
        paths: Files and folders.
        encoding: How the files are read; see `loaders.load`.
        ocr: As `encoding`.

    Raises:
        IndexMissingError: The directory's index cannot be read.
    """

    def __init__(
        self, directory: Path, paths: Iterable[str | Path], encoding: str = "", ocr: str = ""
    ) -> None:
        self._directory = directory
        self._encoding = encoding
        self._ocr = ocr
        self._found = stamps_of(Scope.of(paths).paths)
        manifest = find_manifest(directory)
        self._known = self._read(manifest.generation if manifest else 0)

    @property
    def unchanged(self) -> frozenset[Path]:
        """The files, by absolute path, that the index has as they are."""
        return frozenset(
            path for path, stamp in self._found.items() if self._known.get(_name(path)) == stamp
        )

    def write(self, bad: Iterable[BadItem], *, only: bool = False) -> None:
        """Write down the stamps, now that the index has what the files hold.

        Args:
            bad: Files that could not be read. The next sync tries these files again.
            only: Whether the index holds no other files.
        """
        manifest = find_manifest(self._directory)
        if manifest is None:
            return
        files = {os.path.abspath(item.source.partition(SECTION_MARK)[0]) for item in bad}  # noqa: PTH100
        known = {} if only else dict(self._known)
        known |= {
            _name(path): stamp for path, stamp in self._found.items() if str(path) not in files
        }
        written = _Written(
            hopyard=version("hopyard"),
            generation=manifest.generation,
            encoding=self._encoding,
            ocr=self._ocr,
            files=known,
        )
        write_file(self._directory / FILE, written.model_dump_json().encode())

    def _read(self, generation: int) -> Mapping[str, tuple[int, int]]:
        try:
            text = (self._directory / FILE).read_text(encoding="utf-8")
            written = _Written.model_validate_json(text)
        except (OSError, UnicodeDecodeError, ValidationError):  # none yet, or damaged
            return {}
        same = _Written(
            hopyard=version("hopyard"),
            generation=generation,
            encoding=self._encoding,
            ocr=self._ocr,
            files=written.files,
        )
        return written.files if written == same else {}


def _name(path: Path) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:_DIGITS]
