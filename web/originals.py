"""The files that the documents of an index were read from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from hopyard.indexes.documents.files import shown
from hopyard.indexes.documents.folders import FolderNames, absolute, read_places
from hopyard.state.references import SECTION_MARK

__all__ = ("Originals",)


class Originals:
    """Finds files by the sources of documents, inside of known folders only.

    Args:
        index: The index directory. The data folder knows where builds on this machine found its
            documents.
        folders: Folders to look into first, such as those of an index that was built elsewhere.
    """

    def __init__(self, index: Path, folders: Sequence[Path] = ()) -> None:
        self._index = index
        self.folders = tuple(map(absolute, folders))

    def find(self, source: str) -> Path | None:
        """The file of a source; that of the archive or mail for a part of one.

        Args:
            source: As the index has it, such as `docs/2024/report.pdf`. It may come from another
                person, so a path that leaves its folder finds nothing.
        """
        file = source.partition(SECTION_MARK)[0]
        for folder, path in self._candidates(file):
            found = _inside(folder, PurePosixPath(path).parts)
            if found:
                return found
        return None

    def _candidates(self, file: str) -> Iterable[tuple[Path, str]]:
        names = FolderNames((), self._index)
        known = [(shown(names.key(folder / "-").parent), folder) for folder in self.folders]
        for name, folder in [*known, *read_places(self._index).items()]:
            if file.startswith(f"{name}/"):
                yield folder, file.removeprefix(f"{name}/")
        for folder in self.folders:  # it may have another name here
            yield folder, file.partition("/")[2]


def _inside(folder: Path, parts: Sequence[str]) -> Path | None:
    """The file below a folder, whatever form its accents have; None outside of the folder."""
    path = folder
    try:
        for part in parts:
            here = path / part
            if not here.exists():
                here = next(each for each in path.iterdir() if shown(Path(each.name)) == part)
            path = here
        whole = path.resolve(strict=True)
        inside = parts and whole.is_file() and whole.is_relative_to(folder.resolve())
    except (OSError, StopIteration, ValueError):  # it is gone, or its name is no path
        return None
    return path if inside else None
