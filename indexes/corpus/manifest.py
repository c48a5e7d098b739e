"""The manifest: one small file that says what an index directory holds.

Renaming it into place is the one moment at which a build takes effect. It names a generation:
the rows of the corpus store and the folder `gen-0000007/` that belong together.
"""

from __future__ import annotations

import json
import zlib
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, Field, ValidationError

from hopyard.indexes.corpus.lock import LOCK_FILE
from hopyard.models.names import NO_EMBEDDING, embedding_name
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError
from hopyard.state.storage.atomic import write_file

if TYPE_CHECKING:
    from hopyard.models.embedder import Embedder

FORMAT_VERSION: Final = 4
MANIFEST_FILE: Final = "manifest.json"
_BLOCK: Final = 1 << 20


class Manifest(BaseModel, frozen=True):
    """The contents of an index directory, and its recipe."""

    format_version: int = FORMAT_VERSION
    generation: int = Field(ge=1)
    embedding: str
    """Spec of the embedding model (`Embedder.name`)."""
    query_instruction: str = ""
    """The text before a question when it is embedded."""
    passage_instruction: str = ""
    """The text before a passage when it is embedded."""
    dimension: int = Field(ge=1)
    language: str = "en"
    """The corpus's language, which decides about stop words and stems."""
    chunk_tokens: int = Field(ge=0)
    """Tokens of a passage at most; 0: documents are kept whole."""
    fields: tuple[str, ...] = ()
    """Fields of the metadata that are matched and embedded with each passage."""
    rights: dict[str, tuple[str, ...]] = {}
    """The groups that may read each folder or file; see `state.settings.rights`."""
    kinds: tuple[str, ...]
    """The index kinds: dense, sparse, …"""
    prompts: dict[str, str] = {}
    """Version of each prompt that took part, by name."""
    counts: dict[str, int]
    """documents, passages, and what each derived kind counts."""
    files: dict[str, int]
    """Size in bytes of each file of the generation, by its path below the folder."""
    checksums: dict[str, str]
    """CRC-32 of each of them, and of the rows of `corpus.sqlite`: it finds every changed byte, and
    guards against accidents, not people."""
    created: datetime
    updated: datetime


class _Format(BaseModel):
    format_version: int
    checksum: str = ""


def read_manifest(directory: Path) -> Manifest:
    """Read the manifest of an index.

    Raises:
        IndexMissingError: It is missing, it cannot be read, or it has another format.
    """
    path = directory / MANIFEST_FILE
    try:
        text = path.read_text(encoding="utf-8")
        found = _Format.model_validate_json(text)
        if found.format_version != FORMAT_VERSION:
            raise IndexMissingError(
                f"The index {str(directory)!r} has format {found.format_version}, and this version "
                f"of Hopyard reads format {FORMAT_VERSION}: build the index in another directory."
            )
        if found.checksum != _own_checksum(text):
            raise ValueError("its checksum is wrong")
        return Manifest.model_validate_json(text)
    except FileNotFoundError as error:
        if (directory / LOCK_FILE).exists():
            raise IndexMissingError(
                f"The index {str(directory)!r} is not built yet: its first build was interrupted "
                f"or still runs. `hopyard index status {directory}` says how far it is; run the "
                "same `hopyard index build` again to continue."
            ) from error
        raise IndexMissingError(
            f"There is no index in {str(directory)!r} ({MANIFEST_FILE} is missing): "
            f"run `hopyard index build PATH… --out {directory}`."
        ) from error
    except (OSError, ValueError) as error:  # both of UnicodeDecodeError's and pydantic's are one
        raise IndexMissingError(
            f"The index's {str(path)!r} cannot be read ({_first_line(error)}): delete that file "
            f"and run `hopyard index build PATH… --out {directory}`, which keeps the vectors."
        ) from error


def find_manifest(directory: Path) -> Manifest | None:
    """Read the manifest, or None where nothing was built yet.

    Raises:
        IndexMissingError: There is one, and it cannot be read.
    """
    return read_manifest(directory) if (directory / MANIFEST_FILE).exists() else None


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Put a manifest in place: from here on readers see its generation."""
    fields = manifest.model_dump(mode="json")
    fields["checksum"] = _own_checksum(json.dumps(fields))
    write_file(directory / MANIFEST_FILE, json.dumps(fields, indent=2).encode() + b"\n")


def generation_directory(directory: Path, generation: int) -> Path:
    """The folder of what was derived for a generation."""
    return directory / f"gen-{generation:07d}"


def check_files(directory: Path, manifest: Manifest, *, checksums: bool = False) -> None:
    """Check the size of each file of the manifest's generation.

    Args:
        checksums: Read the files, too, and compare their checksums.

    Raises:
        IndexMissingError: A file is missing or damaged; the message names it.
    """
    folder = generation_directory(directory, manifest.generation)
    for name, size in manifest.files.items():
        try:
            found = (folder / name).stat().st_size
        except OSError:
            found = -1
        if found != size:
            state = "is missing" if found < 0 else f"has {found} bytes instead of {size}"
            raise damage_error(folder / name, state)
        if checksums and checksum(folder / name) != manifest.checksums.get(name):
            raise damage_error(folder / name, "is damaged (its checksum is wrong)")


def vectors_name(embedding: str, passage_instruction: str) -> str:
    """The key of a model's vectors: with another instruction before passages they differ."""
    return f"{embedding} {passage_instruction!r}" if passage_instruction else embedding


def check_embedding_name(directory: Path, manifest: Manifest, embedder: Embedder) -> None:
    """See that an index was built with an embedding model, by its name: the model is not asked.

    An index without an embedding model goes with every model.

    Raises:
        EmbeddingMismatchError: Another model made the index.
    """
    if manifest.embedding not in {embedder.name, NO_EMBEDDING}:
        held, other = embedding_name(manifest.embedding), embedding_name(embedder.name)
        raise EmbeddingMismatchError(
            f"The index {str(directory)!r} was built with the embedding model {held!r}, not "
            f"{other!r}: give `--embedding {held}`, or build it again with `hopyard index build "
            f"PATH… --out {directory} --embedding {other}`."
        )


def check_embedding(directory: Path, manifest: Manifest, embedder: Embedder) -> None:
    """See that an index can be extended with an embedding model. A remote model may be asked.

    Raises:
        EmbeddingMismatchError: Another model made the index, or its vectors have another length.
    """
    check_embedding_name(directory, manifest, embedder)
    if embedder.dimension != manifest.dimension:
        raise EmbeddingMismatchError(
            f"The index {str(directory)!r} has vectors of {manifest.dimension} dimensions and the "
            f"embedding model {embedder.name!r} now gives {embedder.dimension}: "
            f"run `hopyard index build PATH… --out {directory}`."
        )


def damage_error(file: Path, state: str) -> IndexMissingError:
    """The error for a file of the index that cannot be used; `state` completes the sentence."""
    return IndexMissingError(
        f"The index file {str(file)!r} {state}: run `hopyard index build PATH… --out DIR` on its "
        "directory to write it again."
    )


def checksum(path: Path) -> str:
    """CRC-32 of a file.

    Raises:
        OSError: The file cannot be read.
    """
    value = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            value = zlib.crc32(block, value)
    return f"{value:08x}"


def _own_checksum(text: str) -> str:
    """CRC-32 of a manifest's fields, however they are spaced."""
    fields = json.loads(text)
    fields.pop("checksum", None)
    return f"{zlib.crc32(json.dumps(fields, sort_keys=True).encode()):08x}"


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return ": ".join([*map(str, first["loc"]), first["msg"]])
    return str(error).splitlines()[0]
